/* SPDX-License-Identifier: Apache-2.0
 *
 * wyllie on devices: pointer jumping (D0 5.1.2), as rank_wyllie.c says. The kernels are in
 * wyllie_program.cl: pack, jump, claim, extract.
 *
 * Jumps are made in place where the device's 64-bit accesses do not tear, which is where it has
 * 64-bit atomics; else from one array to another and back. D0's listing 5.3 jumps in place and
 * relies on that without saying so. Its work flag is a word that all items set; here it is the
 * number of jumps, added up in each group, which the report wants too.
 *
 * Each round is a call of "jump" in the report, with its time by the device's clock; its items are
 * the jumps, or with `addresses` the different elements that were read (D0 7.2).
 *
 * Cost: O(count log count) work; memory of the device: 12 bytes per element, 20 without 64-bit
 * atomics, a bit more with `addresses`; see rank_device_splitter.c for drivers of processors. */
#include "core/progress.h"
#include "rank/rank_device.h"

extern const hop__program_source hop__program_wyllie;

enum { ADDRESSES, GROUPS, CHUNK, FORM };

/* Words of counters, as in wyllie_program.cl. */
enum { JUMPS, READ, RANKED, FAULTS, CLAIMED };

static const hop_parameter parameters[] = {
    {.name = "addresses",
     .summary = "count the different elements that each round reads",
     .type = HOP_PARAMETER_FLAG,
     .maximum = 1},
    {.name = "groups",
     .summary = "work-groups; 0: as suits the device",
     .type = HOP_PARAMETER_INTEGER,
     .maximum = 1 << 16},
    {.name = "chunk",
     .summary = "elements of a launch; 0: some 10 ms",
     .type = HOP_PARAMETER_INTEGER,
     .maximum = 1 << 30},
    HOP__FORM_GROUP_ROW,
    HOP__FORM_CUT_ROW,
};

typedef struct ranking {
    hop__device_ranking base;
    bool in_place, addresses;
    hop__buffer *words, *others; /* the same when jumps are in place */
    hop__buffer *seen;           /* bits; one word when they are not asked for */
} ranking;

static bool jumps_in_place(const hop__device *device) {
    return (hop__device_info(device)->capabilities & HOP_DEVICE_ATOMIC64) != 0;
}

static void device_wyllie_blocks(const void *given, hop__workspace *space) {
    const hop__rank_task *task = given;
    uint64_t count = task->query.count, seen = task->values[ADDRESSES] != 0 ? count / 32 + 1 : 1;
    hop__rank_device_blocks(space, task, false);
    hop__buffer_add(space, "rank: jumps", count, 8, offsetof(ranking, words));
    if (!jumps_in_place(space->device))
        hop__buffer_add(space, "rank: jumps", count, 8, offsetof(ranking, others));
    hop__buffer_add(space, "rank: addresses", seen, 4, offsetof(ranking, seen));
}

static hop_status get_program(ranking *r) {
    const hop__define defines[] = {{"IN_PLACE", r->in_place}, {"ADDRESSES", r->addresses}};
    return hop__form_program(r->base.device, &r->base.form, &hop__program_wyllie, defines,
                             HOP_LENGTH(defines), &r->base.program);
}

/* What the device measured of the kernel goes to the report as one call. */
static void report_round(ranking *r, hop__kernel *kernel, uint64_t items, uint64_t bytes) {
    hop__tally tally = hop__kernel_tally_take(kernel);
    hop_phase phase = {
        .name = tally.name, .calls = 1, .seconds = tally.seconds, .bytes = bytes, .items = items};
    hop__phase_add(r->base.context, &phase);
}

/* One round; *jumps gets how many were made. */
static hop_status jump(ranking *r, uint64_t *jumps) {
    hop_status status;
    hop__device_ranking *base = &r->base;
    uint64_t count = base->task->query.count;
    uint32_t counted[2];
    hop__kernel *kernel;
    hop__argument arguments[] = {hop__arg_buffer(r->words),
                                 hop__arg_buffer(r->others),
                                 hop__arg_buffer(r->seen),
                                 hop__arg_buffer(base->counters),
                                 {0},
                                 {0}};
    HOP_TRY(status, hop__kernel_get(base->program, "jump", &kernel));
    HOP_TRY(status, hop__buffer_fill(base->counters, 0, sizeof counted, 0));
    if (r->addresses)
        HOP_TRY(status, hop__buffer_fill(r->seen, 0, hop__buffer_bytes(r->seen), 0));
    HOP_TRY(status, hop__rank_sweep(base, "jump", count, 0, arguments, HOP_LENGTH(arguments)));
    HOP_TRY(status, hop__buffer_read_now(base->counters, 0, sizeof counted, counted));
    *jumps = counted[JUMPS];
    report_round(r, kernel, r->addresses ? counted[READ] : counted[JUMPS],
                 16 * count + 8 * (r->in_place ? *jumps : count));
    hop__buffer *swapped = r->words;
    r->words = r->others;
    r->others = swapped;
done:
    return status;
}

static hop_status jump_all(ranking *r) {
    hop_status status = HOP_OK;
    hop__rank_task *task = r->base.task;
    uint64_t most = 1, jumps = 1;
    while ((uint64_t)task->query.count >> most)
        most++;
    for (uint64_t round = 0; status == HOP_OK && jumps > 0 && round <= most; round++) {
        status = jump(r, &jumps);
        task->relaxations += jumps;
        task->rounds++;
    }
    return status;
}

/* Claims the tails of the heads, and ranks what leads to them. */
static hop_status extract(ranking *r) {
    hop_status status;
    hop__device_ranking *base = &r->base;
    const hop__rank_query *query = &base->task->query;
    uint32_t counted[HOP__RANK_COUNTERS];
    hop__argument claim[] = {hop__arg_buffer(base->heads),
                             hop__arg_buffer(r->words),
                             hop__arg_buffer(base->counters),
                             hop__arg_u32(query->count),
                             {0},
                             {0}};
    hop__argument ranks[] = {hop__arg_buffer(r->words),
                             hop__arg_buffer(base->ranks),
                             hop__arg_buffer(base->counters),
                             {0},
                             {0}};
    HOP_TRY(status,
            hop__rank_sweep(base, "claim", query->head_count, 20, claim, HOP_LENGTH(claim)));
    HOP_TRY(status, hop__rank_sweep(base, "extract", query->count, 20, ranks, HOP_LENGTH(ranks)));
    HOP_TRY(status, hop__buffer_read_now(base->counters, 0, sizeof counted, counted));
    uint64_t claimed = (uint64_t)counted[CLAIMED + 1] << 32 | counted[CLAIMED];
    if (counted[FAULTS] != 0 || counted[RANKED] != claimed ||
        (query->whole && claimed != query->count))
        return HOP_ERR_INPUT;
    HOP_TRY(status, hop__rank_device_end(base));
done:
    return status;
}

static hop_status run_on_device(ranking *r) {
    hop_status status;
    hop__device_ranking *base = &r->base;
    uint64_t count = base->task->query.count;
    HOP_TRY(status, get_program(r));
    HOP_TRY(status, hop__rank_device_begin(base));
    if (r->in_place)
        r->others = r->words;
    hop__argument pack[] = {hop__arg_buffer(base->successors),
                            hop__arg_buffer(r->words),
                            hop__arg_u32((uint32_t)count),
                            {0},
                            {0}};
    HOP_TRY(status, hop__rank_sweep(base, "pack", count, 12, pack, HOP_LENGTH(pack)));
    HOP_TRY(status, jump_all(r));
    HOP_TRY(status, extract(r));
done:
    return status;
}

static hop_status device_wyllie_run(hop_context *context, hop__rank_task *task) {
    hop_status status;
    hop__workspace space = {0};
    const double *values = task->values;
    ranking r = {.base = {.context = context,
                          .task = task,
                          .groups = (uint64_t)values[GROUPS],
                          .chunk = (uint64_t)values[CHUNK]},
                 .addresses = values[ADDRESSES] != 0};
    if (task->query.count == 0)
        return HOP_OK;
    if (task->query.head_count > task->query.count)
        return hop__rank_retreat(context, task);
    HOP_TRY(status, hop__device_of(context, &r.base.device));
    r.base.form = hop__form_of(r.base.device, values + FORM);
    r.in_place = jumps_in_place(r.base.device);
    HOP_TRY(status,
            hop__workspace_open(context, r.base.device, device_wyllie_blocks, task, &r, &space));
    hop__progress_begin(context, "rank: wyllie", 0);
    status = run_on_device(&r);
    hop_status end = hop__progress_end(context);
    status = end != HOP_OK ? end : status;
done:
    hop__workspace_close(&space, status);
    return status == HOP_ERR_INPUT ? hop__rank_retreat(context, task) : status;
}

/* In each round an element reads what it points to, and its own word, which it writes; and the host
 * waits for the launch and for what it counted. One more round finds that nothing is left. */
static hop__device_work work_of(const void *given) {
    double n = ((const hop__rank_task *)given)->query.count, rounds = 1;
    while (rounds < 32 && n >= (double)(UINT64_C(1) << (int)rounds))
        rounds++;
    return (hop__device_work){
        .bytes = 16 * rounds * n, .gathers = rounds * n, .waits = 2 + rounds, .copied = 4 * n};
}

const hop__rank_variant hop__rank_device_wyllie = {
    .row = {.about = {.name = "wyllie",
                      .summary = "pointer jumping: distances double in every round",
                      .source = "Yogaratnam 2010, 5.1.2",
                      .place = HOP_PLACE_DEVICE,
                      HOP__PARAMETERS(parameters)},
            .blocks = device_wyllie_blocks,
            .copy = hop__rank_device_copy,
            .device_work = work_of},
    .run = device_wyllie_run,
};
