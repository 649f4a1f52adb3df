/* SPDX-License-Identifier: Apache-2.0
 *
 * delta-stepping on devices, with two piles instead of many buckets (near-far): vertices whose
 * distance was lowered go to the near queue if it is below a threshold, else to the far one. When
 * the near queue is empty the threshold is raised by `delta` above the least distance of the far
 * ones, and those below it become near. The kernels are in near_far_program.cl.
 *
 * Either is a round, and the device decides which is due: `ahead` rounds are given to it before the
 * host looks, while queues have at most `blind` vertices; larger ones are gone through in slices.
 *
 * Source: Meyer and Sanders 2003; Davidson, Baxter, Garland, Owens, "Work-efficient parallel GPU
 * methods for single-source shortest paths", IPDPS 2014. Cost: O(n + m) times how often distances
 * are corrected; on the device rows and weights, 20 bytes per vertex beside the distances. */
#include <math.h>

#include "core/progress.h"
#include "core/real_bits.h"
#include "kernels/launching.h"
#include "sssp/sssp_device.h"

extern const hop__program_source hop__program_near_far;

enum { GROUP, CUT, DELTA, BITS, AHEAD, HUB, PARAMETERS };
enum { BITS_AUTO, BITS_64 };
/* As in near_far_program.cl. */
enum { SLOT_ROUND, SLOT_COUNT, SLOT_PIECES, SLOT_SPLITS, SLOT_WORDS = 4, SLOTS = 4 };
enum { FAR_COUNTS = 3, STATE_FAR = SLOTS * SLOT_WORDS, STATE_WORDS = STATE_FAR + FAR_COUNTS };
enum { BOUND_THRESHOLD, BOUND_LEAST, BOUND_KEYS };
/* Vertices of a round that is not looked at before, and rounds of a look: a GPU is waited for as
 * long as three launches take, a processor hardly. Such a round is one launch, of some slices at
 * most: a few milliseconds of a GPU. */
enum { BLIND_FEW = 1 << 15, BLIND_MANY = 1 << 20, BLIND_SLICES = 4 };
enum { AHEAD_FEW = 16, AHEAD_MANY = 12 };

typedef struct search {
    hop__sssp_device base;
    const double *values;
    hop__buffer *near[2], *far[2], *stamp, *pieces, *state, *bounds;
    bool hubs;
    double delta;
    uint64_t step, threshold; /* keys: by how much it is raised, and the first one */
    uint32_t blind, ahead;
    uint32_t round, count, far_count; /* the round to come, and what is near and far */
    uint32_t splits;
} search;

static bool has_hubs(const hop_graph *graph, const double *values) {
    return (double)graph->shared->facts.max_degree > values[HUB];
}

static void near_far_blocks(const void *given, hop__workspace *space) {
    const hop__sssp_task *task = given;
    const hop_graph *graph = task->query.graph;
    const double *values = task->values;
    bool wide = values[BITS] == BITS_64;
    uint64_t n = graph->vertices;
    hop__sssp_device_blocks(space, task, wide, false);
    hop__sssp_device_parents_blocks(space, task);
    for (size_t i = 0; i < 2; i++) {
        size_t at = i * sizeof(hop__buffer *);
        hop__buffer_add(space, "sssp: near", n, 4, offsetof(search, near) + at);
        hop__buffer_add(space, "sssp: far", n, 4, offsetof(search, far) + at);
    }
    hop__buffer_add(space, "sssp: stamps", n, 4, offsetof(search, stamp))->zero = true;
    hop__buffer_add(space, "sssp: parts of rows",
                    has_hubs(graph, values) ? 2 * graph->arcs / (uint64_t)values[HUB] + 1 : 1, 8,
                    offsetof(search, pieces));
    hop__buffer_add(space, "sssp: state", STATE_WORDS, 4, offsetof(search, state))->zero = true;
    hop__buffer_add(space, "sssp: thresholds", (uint64_t)SLOTS * BOUND_KEYS,
                    hop__sssp_device_key_bytes(&task->query, wide), offsetof(search, bounds));
}

/* --- keys and widths ------------------------------------------------------------------------- */

/* By how much thresholds are raised, as the device adds it to a key. */
static uint64_t key_of_delta(hop__sssp_kind kind, double delta) {
    if (kind == HOP__KEY_F32)
        return hop__float_bits(delta < (double)HUGE_VALF ? (float)delta : HUGE_VALF);
    if (kind == HOP__KEY_F64)
        return hop__double_bits(delta);
    return kind == HOP__KEY_U32 && delta > (double)UINT32_MAX ? UINT32_MAX : (uint64_t)delta;
}

/* Where the average arc of 16 per vertex is as long as the window: measured to be flat around. */
static double choose_delta(const hop_graph *graph, double asked, bool real) {
    const hop__facts *facts = &graph->shared->facts;
    double degree = graph->vertices > 0 ? (double)graph->arcs / (double)graph->vertices : 1;
    double middle = 1;
    if (graph->weight_type != HOP_TYPE_NONE && graph->arcs > 0)
        middle = real ? facts->min_weight / 2 + facts->max_weight / 2
                      : (double)facts->min_weight_int / 2 + (double)facts->max_weight_int / 2;
    double delta = asked > 0 ? asked : middle * 16 / (degree > 1 ? degree : 1);
    if (!real)
        delta = delta < 1 ? 1 : delta > 0x1p62 ? 0x1p62 : floor(delta);
    return isfinite(delta) ? delta : (double)HUGE_VALF;
}

/* --- steps ----------------------------------------------------------------------------------- */

/* Where the search stands, after waiting for what is under way. */
static hop_status look(search *s) {
    uint32_t words[STATE_WORDS];
    hop_status status = hop__buffer_read_now(s->state, 0, STATE_WORDS * 4, words);
    if (status != HOP_OK)
        return status;
    for (uint32_t i = 0; i < SLOTS; i++) {
        uint32_t round = words[i * SLOT_WORDS + SLOT_ROUND];
        if (round % SLOTS == i && round >= s->round)
            s->round = round;
    }
    s->count = words[s->round % SLOTS * SLOT_WORDS + SLOT_COUNT];
    s->splits = words[s->round % SLOTS * SLOT_WORDS + SLOT_SPLITS];
    s->far_count = words[STATE_FAR + s->splits % FAR_COUNTS];
    return hop__progress_add(s->base.context, 0) ? HOP_OK : hop__progress_end(s->base.context);
}

static hop_status relax_pieces(search *s, uint32_t round) {
    hop__sssp_device *base = &s->base;
    hop__argument arguments[] = {hop__arg_u32(round),
                                 hop__arg_buffer(base->rows.offsets),
                                 hop__arg_buffer(base->rows.targets),
                                 hop__arg_buffer(base->rows.weights),
                                 hop__arg_buffer(base->keys),
                                 hop__arg_buffer(s->near[(round + 1) % 2]),
                                 hop__arg_buffer(s->far[0]),
                                 hop__arg_buffer(s->far[1]),
                                 hop__arg_buffer(s->stamp),
                                 hop__arg_buffer(s->pieces),
                                 hop__arg_buffer(s->state),
                                 hop__arg_buffer(s->bounds),
                                 hop__sssp_arg_key(base, base->limit),
                                 hop__arg_u32((uint32_t)s->values[HUB])};
    base->sweeper.launches++;
    return hop__launch_named(base->sweeper.program, "relax_pieces",
                             hop__sweep_shape(&base->sweeper, s->blind), arguments,
                             HOP_LENGTH(arguments));
}

/* A round of what is near, or far if nothing is; sliced: of any size, else of `blind` at most. */
static hop_status advance(search *s, uint32_t round, bool sliced) {
    hop_status status;
    hop__sssp_device *base = &s->base;
    hop__argument arguments[] = {hop__arg_u64(0),
                                 hop__arg_u64(s->blind),
                                 hop__arg_u32(round),
                                 hop__arg_u32(sliced ? UINT32_MAX : s->blind),
                                 hop__arg_buffer(base->rows.offsets),
                                 hop__arg_buffer(base->rows.targets),
                                 hop__arg_buffer(base->rows.weights),
                                 hop__arg_buffer(base->keys),
                                 hop__arg_buffer(s->near[round % 2]),
                                 hop__arg_buffer(s->near[(round + 1) % 2]),
                                 hop__arg_buffer(s->far[0]),
                                 hop__arg_buffer(s->far[1]),
                                 hop__arg_buffer(s->stamp),
                                 hop__arg_buffer(s->pieces),
                                 hop__arg_buffer(s->state),
                                 hop__arg_buffer(s->bounds),
                                 hop__sssp_arg_key(base, s->step),
                                 hop__sssp_arg_key(base, base->limit),
                                 hop__arg_u32((uint32_t)s->values[HUB])};
    enum { RANGE = 2 }; /* first and count, which a sweep gives itself */
    if (sliced) {
        HOP_TRY(status,
                hop__sweep_over(&base->sweeper, "advance", s->count > 0 ? s->count : s->far_count,
                                16, arguments + RANGE, HOP_LENGTH(arguments) - RANGE));
    } else {
        base->sweeper.launches++;
        HOP_TRY(status, hop__launch_named(base->sweeper.program, "advance",
                                          hop__sweep_shape(&base->sweeper, s->blind), arguments,
                                          HOP_LENGTH(arguments)));
    }
    if (s->hubs)
        HOP_TRY(status, relax_pieces(s, round));
done:
    return status;
}

static uint32_t smaller(uint32_t a, uint64_t b) {
    return a < b ? a : (uint32_t)b;
}

/* Sources, thresholds, and how far ahead the device is given work. One source is not waited for. */
static hop_status begin_search(search *s) {
    hop_status status;
    hop__sssp_device *base = &s->base;
    bool few = (hop__device_info(base->device)->capabilities & HOP_DEVICE_FEW) != 0;
    uint32_t ahead = (uint32_t)s->values[AHEAD];
    s->ahead = ahead > 0 ? ahead : few ? AHEAD_FEW : AHEAD_MANY;
    uint64_t most = BLIND_SLICES * base->sweeper.slice_most;
    s->blind = few ? BLIND_FEW : smaller(smaller(BLIND_MANY, most), base->n);
    s->step = key_of_delta(base->kind, s->delta);
    s->threshold = s->step > 0 ? s->step : 1;
    HOP_TRY(status,
            hop__buffer_fill(s->bounds, 0, SLOTS * BOUND_KEYS * base->key_bytes, UINT32_MAX));
    HOP_TRY(status, hop__buffer_write(s->bounds, BOUND_THRESHOLD, base->key_bytes, &s->threshold));
    HOP_TRY(status, hop__sssp_device_sources(base, s->near[0], s->state, SLOT_COUNT));
    s->count = 1;
    if (base->task->query.source_count != 1)
        HOP_TRY(status, look(s));
done:
    return status;
}

static hop_status run_search(search *s) {
    hop_status status;
    HOP_TRY(status, begin_search(s));
    while (s->count > 0 || s->far_count > 0) {
        bool sliced = (s->count > 0 ? s->count : s->far_count) > s->blind;
        uint32_t rounds = sliced ? 1 : s->ahead, first = s->round;
        for (uint32_t i = 0; i < rounds; i++)
            HOP_TRY(status, advance(s, first + i, sliced));
        HOP_TRY(status, look(s));
    }
    s->base.task->rounds = s->round - s->splits;
done:
    return status;
}

static hop_status near_far_run(hop_context *context, hop__sssp_task *task) {
    hop_status status;
    const double *values = task->values;
    const hop_graph *graph = task->query.graph;
    search s = {.values = values, .hubs = has_hubs(graph, values)};
    hop__sssp_device_plan plan = {.phase = "sssp: delta-stepping",
                                  .program = &hop__program_near_far,
                                  .form = values,
                                  .wide = values[BITS] == BITS_64,
                                  .blocks = near_far_blocks};
    if (graph->vertices == 0)
        return HOP_OK;
    s.delta = choose_delta(graph, values[DELTA], task->query.distance_type != HOP_TYPE_INT64);
    HOP_TRY(status, hop__sssp_device_begin(context, task, &plan, &s.base));
    HOP_TRY(status, run_search(&s));
    HOP_TRY(status, hop__sssp_device_finish(&s.base));
    hop__count(context, "splits", s.splits);
done:
    hop__sssp_device_end(&s.base, status);
    return status;
}

static const hop_parameter parameters[PARAMETERS] = {
    [GROUP] = HOP__FORM_GROUP_ROW,
    [CUT] = HOP__FORM_CUT_ROW,
    [DELTA] = {.name = "delta",
               .summary = "by how much the threshold is raised; 0: by weights and degrees",
               .type = HOP_PARAMETER_REAL,
               .maximum = 1e300},
    [BITS] = {.name = "bits",
              .summary = "of integer distances on the device; auto: 32 where they fit",
              .type = HOP_PARAMETER_CHOICE,
              .maximum = 1,
              .choices = "auto 64"},
    [AHEAD] = {.name = "ahead",
               .summary =
                   "rounds that are put into the device's queue before the host looks; 0: 16 "
                   "on processors, 12 elsewhere",
               .type = HOP_PARAMETER_INTEGER,
               .maximum = 256},
    [HUB] = HOP__HUB_ROW,
};

const hop__sssp_variant hop__sssp_device_delta_stepping = {
    .row = {.about = {.name = "delta-stepping",
                      .summary =
                          "a near and a far queue; the threshold between them is raised step "
                          "by step",
                      .source = "Meyer, Sanders 2003; Davidson et al., IPDPS 2014",
                      .place = HOP_PLACE_DEVICE,
                      .uses = HOP_PREPARE_DEVICE,
                      HOP__PARAMETERS(parameters)},
            .refuse = hop__sssp_refuse_negative,
            .refuse_device = hop__sssp_device_refuse,
            .copy = hop__sssp_device_copy,
            .blocks = near_far_blocks,
            .device_work = hop__sssp_device_work},
    .run = near_far_run,
};
