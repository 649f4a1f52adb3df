/* SPDX-License-Identifier: Apache-2.0
 *
 * harish-narayanan: shortest paths on devices in rounds; a mask says who has become nearer since it
 * was last looked at, and one item per vertex looks at it in every round. Two forms:
 *   updates = array   as published: distances of this round go to an array of updates, and a second
 *                     kernel brings them over, so that every round sees the distances of the one
 *                     before;
 *   updates = atomic  distances are lowered at once by an atomic minimum, in one kernel, without
 *                     the array (D2 4.3.1). A round may then do the work of several.
 * The kernels are in harish_narayanan_program.cl. `ahead` rounds are given to the device before
 * the host looks whether one has changed nothing.
 *
 * Source: D2 4.3 (Harish and Narayanan, HiPC 2007). Cost: O(rounds n + relaxations), rounds being
 * at most the arcs of the longest shortest path; on the device rows and weights, 16 bytes per
 * vertex (12 where distances have 64 bits or are float32), and 4 or 8 for updates, 4 for a tree
 * where weights are negative. */
#include "core/progress.h"
#include "kernels/launching.h"
#include "sssp/sssp_harish_narayanan.h"

extern const hop__program_source hop__program_harish_narayanan;

enum { GROUP, CUT, UPDATES, BITS, AHEAD, HUB };
enum { UPDATES_ATOMIC, UPDATES_ARRAY };
enum { BITS_AUTO, BITS_64 };
enum { STATE_CHANGED, STATE_BELOW, STATE_PIECES, STATE_WORDS };
enum { SMALL_ROUND = 1 << 16 }; /* vertices up to which a round is shorter than a look */

typedef hop__harish_narayanan search;

static hop__buffer *updates_of(const search *s) {
    return s->array ? s->updates : s->base.keys;
}

static bool has_hubs(const hop_graph *graph, const double *values) {
    return (double)graph->shared->facts.max_degree > values[HUB];
}

/* `bare` as in the plan. */
static void list_blocks(hop__workspace *space, const hop__sssp_task *task, bool bare) {
    const hop_graph *graph = task->query.graph;
    const double *values = task->values;
    bool wide = values[BITS] == BITS_64;
    uint64_t n = graph->vertices;
    hop__sssp_device_blocks(space, task, wide, bare);
    if (!bare)
        hop__sssp_device_parents_blocks(space, task);
    hop__buffer_add(space, "sssp: masks", n, 4, offsetof(search, marks));
    if (values[UPDATES] == UPDATES_ARRAY)
        hop__buffer_add(space, "sssp: updates", n, hop__sssp_device_key_bytes(&task->query, wide),
                        offsetof(search, updates));
    else
        hop__buffer_add(space, "sssp: masks", n, 4, offsetof(search, marks_next));
    hop__buffer_add(space, "sssp: parts of rows",
                    has_hubs(graph, values) ? 2 * graph->arcs / (uint64_t)values[HUB] + 1 : 1, 8,
                    offsetof(search, pieces));
    hop__buffer_add(space, "sssp: state", STATE_WORDS, 4, offsetof(search, state));
}

static void harish_blocks(const void *task, hop__workspace *space) {
    list_blocks(space, task, false);
}

static void bare_blocks(const void *task, hop__workspace *space) {
    list_blocks(space, task, true);
}

/* With the array of updates one array of masks is enough. */
static hop__buffer *masks_next(const search *s) {
    return s->array ? s->marks : s->marks_next;
}

static hop_status start(search *s) {
    hop_status status;
    hop__argument arguments[] = {hop__arg_buffer(s->base.keys), hop__arg_buffer(updates_of(s)),
                                 hop__arg_buffer(s->marks), hop__arg_buffer(masks_next(s))};
    s->round = 0;
    HOP_TRY(status, hop__buffer_fill(s->state, 0, STATE_WORDS * 4, 0));
    HOP_TRY(status, hop__sweep_over(&s->base.sweeper, "start", s->base.n, 16, arguments,
                                    HOP_LENGTH(arguments)));
done:
    return status;
}

static hop_status relax_pieces(search *s) {
    hop_status status;
    hop__sssp_device *base = &s->base;
    hop__argument arguments[] = {
        hop__arg_buffer(base->rows.offsets),
        hop__arg_buffer(base->rows.targets),
        hop__arg_buffer(base->rows.weights),
        hop__arg_buffer(base->keys),
        hop__arg_buffer(updates_of(s)),
        hop__arg_buffer(masks_next(s)),
        hop__arg_buffer(base->tree ? base->tree : s->state),
        hop__arg_buffer(s->pieces),
        hop__arg_buffer(s->state),
        hop__sssp_arg_key(base, base->low),
        hop__sssp_arg_key(base, base->limit),
        hop__arg_u32(s->round),
        hop__arg_u32((uint32_t)s->values[HUB]),
    };
    base->sweeper.launches++;
    HOP_TRY(status, hop__launch_named(base->sweeper.program, "relax_pieces",
                                      hop__sweep_shape(&base->sweeper, base->n), arguments,
                                      HOP_LENGTH(arguments)));
    HOP_TRY(status, hop__buffer_fill(s->state, STATE_PIECES * 4, 4, 0));
done:
    return status;
}

static hop_status run_round(search *s) {
    hop_status status;
    hop__sssp_device *base = &s->base;
    hop__argument arguments[] = {
        hop__arg_buffer(base->rows.offsets),
        hop__arg_buffer(base->rows.targets),
        hop__arg_buffer(base->rows.weights),
        hop__arg_buffer(base->keys),
        hop__arg_buffer(updates_of(s)),
        hop__arg_buffer(s->marks),
        hop__arg_buffer(masks_next(s)),
        hop__arg_buffer(base->tree ? base->tree : s->state),
        hop__arg_buffer(s->pieces),
        hop__arg_buffer(s->state),
        hop__sssp_arg_key(base, base->low),
        hop__sssp_arg_key(base, base->limit),
        hop__arg_u32(s->round),
        hop__arg_u32((uint32_t)s->values[HUB]),
    };
    HOP_TRY(status,
            hop__sweep_over(&base->sweeper, "relax", base->n, 4, arguments, HOP_LENGTH(arguments)));
    if (s->hubs)
        HOP_TRY(status, relax_pieces(s));
    if (s->array) {
        hop__argument bring[] = {hop__arg_buffer(base->keys), hop__arg_buffer(updates_of(s)),
                                 hop__arg_buffer(s->marks), hop__arg_buffer(s->state),
                                 hop__arg_u32(s->round)};
        HOP_TRY(status, hop__sweep_over(&base->sweeper, "settle", base->n, 2 * base->key_bytes,
                                        bring, HOP_LENGTH(bring)));
    }
    if (!s->array) {
        hop__buffer *swapped = s->marks;
        s->marks = s->marks_next;
        s->marks_next = swapped;
    }
    s->round++;
done:
    return status;
}

hop_status hop__harish_narayanan_rounds(search *s, bool *given_up) {
    hop_status status;
    hop__sssp_device *base = &s->base;
    uint32_t state[STATE_WORDS] = {1};
    uint32_t ahead = base->n <= SMALL_ROUND ? (uint32_t)s->values[AHEAD] : 1;
    bool negative = base->tree != NULL && !base->bare;
    s->look = 2;
    HOP_TRY(status, start(s));
    while (state[STATE_CHANGED] == s->round || s->round == 0) {
        for (uint32_t i = 0; i < ahead; i++)
            HOP_TRY(status, run_round(s));
        HOP_TRY(status, hop__buffer_read_now(s->state, 0, sizeof state, state));
        if (!hop__progress_add(base->context, 0))
            return hop__progress_end(base->context);
        if (base->bare && s->round > base->n + ahead) {
            *given_up = true;
            break;
        }
        if (!negative || (s->round < s->look && state[STATE_BELOW] == 0))
            continue;
        HOP_TRY(status, hop__sssp_device_cycle(base));
        s->look = 2 * s->round;
        if (state[STATE_BELOW] != 0 || (s->round > base->n && state[STATE_CHANGED] > base->n)) {
            *given_up = true;
            break;
        }
    }
    base->task->rounds = s->round;
done:
    return status;
}

hop_status hop__harish_narayanan_begin(hop_context *context, hop__sssp_task *task, bool bare,
                                       search *s) {
    const double *values = task->values;
    *s = (search){.values = values,
                  .array = values[UPDATES] == UPDATES_ARRAY,
                  .hubs = has_hubs(task->query.graph, values)};
    hop__define defines[] = {{"UPDATES", s->array}};
    hop__sssp_device_plan plan = {.phase = "sssp: harish-narayanan",
                                  .program = &hop__program_harish_narayanan,
                                  .defines = defines,
                                  .define_count = HOP_LENGTH(defines),
                                  .form = values,
                                  .wide = values[BITS] == BITS_64,
                                  .bare = bare,
                                  .blocks = bare ? bare_blocks : harish_blocks};
    return hop__sssp_device_begin(context, task, &plan, &s->base);
}

static hop_status harish_run(hop_context *context, hop__sssp_task *task) {
    hop_status status;
    bool given_up = false;
    search s;
    if (task->query.graph->vertices == 0)
        return HOP_OK;
    HOP_TRY(status, hop__harish_narayanan_begin(context, task, false, &s));
    HOP_TRY(status, hop__sssp_device_sources(&s.base, NULL, s.state, STATE_PIECES));
    HOP_TRY(status, hop__harish_narayanan_rounds(&s, &given_up));
    if (!given_up)
        HOP_TRY(status, hop__sssp_device_finish(&s.base));
done:
    hop__sssp_device_end(&s.base, status);
    return given_up && status == HOP_OK ? hop__sssp_device_retreat(context, task) : status;
}

uint64_t hop__harish_narayanan_memory(const hop__sssp_task *task, uint64_t *largest) {
    hop__need need = hop__blocks_need(harish_blocks, task, NULL);
    *largest = need.largest;
    return need.bytes[HOP__MEMORY_DEVICE];
}

/* Some twenty rounds, a wait for each; arcs are relaxed twice as often as with delta-stepping. */
static hop__device_work work_of(const void *task) {
    hop__device_work work = hop__sssp_device_work(task);
    work.bytes *= 2;
    work.gathers *= 2;
    work.atomics *= 2;
    work.waits += 4;
    return work;
}

const hop_parameter hop__harish_narayanan_parameters[HOP__HARISH_PARAMETERS] = {
    [GROUP] = HOP__FORM_GROUP_ROW,
    [CUT] = HOP__FORM_CUT_ROW,
    [UPDATES] = {.name = "updates",
                 .summary = "distances are lowered at once, or through an array of updates and a "
                            "second kernel",
                 .type = HOP_PARAMETER_CHOICE,
                 .maximum = 1,
                 .choices = "atomic array"},
    [BITS] = {.name = "bits",
              .summary = "of integer distances on the device; auto: 32 where they fit",
              .type = HOP_PARAMETER_CHOICE,
              .maximum = 1,
              .choices = "auto 64"},
    [AHEAD] = HOP__AHEAD_ROW("rounds of small graphs"),
    [HUB] = HOP__HUB_ROW,
};

const hop__sssp_variant hop__sssp_device_harish_narayanan = {
    .row = {.about = {.name = "harish-narayanan",
                      .summary = "rounds over all vertices; those that have become nearer relax "
                                 "their arcs",
                      .source = "Kemp 2012, 4.3 (Harish and Narayanan 2007)",
                      .place = HOP_PLACE_DEVICE,
                      .uses = HOP_PREPARE_DEVICE,
                      HOP__PARAMETERS(hop__harish_narayanan_parameters)},
            .refuse_device = hop__sssp_device_refuse,
            .copy = hop__sssp_device_copy,
            .blocks = harish_blocks,
            .device_work = work_of},
    .run = harish_run,
};
