/* SPDX-License-Identifier: Apache-2.0
 *
 * speculate: shortest paths by persistent work-groups that guess and correct (D4 8.3, appendix F).
 * A vertex that is reached for the first time goes into the queue of speculations, once; one whose
 * distance is lowered afterwards into the queue of corrections, which is a ring and is looked at
 * first. Queues, trips and launches are the scheduler's (docs/scheduler.md).
 *
 * Where every weight is an integer above 0 and a bound proves that distances fit 32 bits, cost and
 * parent are one number of 64 bits, lowered by one atomic minimum: the smallest parent of the least
 * cost is the canonical one, since every tight arc is tried with the final cost of its tail, and
 * the arc back to the parent, which is left out, is never tight. Elsewhere, and without 64-bit
 * atomics, the distance alone is lowered, and parents follow from the distances at the end.
 *
 * Negative cycles. D4 takes a vertex that is lowered more often than there are arcs for a proof;
 * it is none (a vertex may be lowered once for each path, of which there are more). Here a vertex
 * that is lowered often makes all groups leave and the host look for a cycle in the tree, twice as
 * often being needed for the next time; besides, the host looks after 2, 4, 8 ... launches. What
 * it returns is a cycle of arcs with a negative sum. Without negative weights nothing of that is
 * there.
 *
 * Invariants
 *  1. A vertex is put into the queue of speculations once: n + items slots suffice.
 *  2. It is in the queue of corrections at most once (marks), so n slots hold all at any time; in
 *     one launch more may be put than there is room, and are refused. Their marks stay, and the
 *     host fills the queue anew from the marks. So what is pending does not change.
 *  3. After its distance was lowered a vertex is opened again; so at the end no arc lowers any.
 *
 * Cost: as many corrections as guesses were wrong, O(n m) arcs at worst on graphs without negative
 * weights and more with them; on the device rows and weights, 24 to 40 bytes per vertex. */
#include "core/progress.h"
#include "graph/graph_internal.h"
#include "kernels/scheduler.h"
#include "sssp/sssp_device.h"

extern const hop__program_source hop__program_speculate;

enum { BITS = HOP__SCHEDULE_PARAMETERS, PARAMETERS };
enum { BITS_AUTO, BITS_64 };
enum { CORRECTIONS = 0, SPECULATIONS = 1 }; /* queues */
/* As in speculate_program.cl; and the first value of the second. */
enum { STATE_BELOW, STATE_OFTEN, STATE_WORDS, OFTEN_FIRST = 32 };

typedef struct search {
    hop__sssp_device base;
    hop__scheduler scheduler;
    bool pair, given_up;
    hop__buffer *pairs, *parents; /* with `pair`; NULL else */
    hop__buffer *marks;
    hop__buffer *lowered, *state;  /* with negative weights; NULL else */
    hop__buffer *flags, *refilled; /* made when a queue is filled anew */
    uint32_t often;
    uint64_t look; /* launch after which the tree is looked at again */
} search;

static bool uses_pairs(const hop__sssp_query *query, const double *values,
                       const hop_device_info *device) {
    return values[BITS] == BITS_AUTO && query->increasing &&
           hop__sssp_device_kind(query, false) == HOP__KEY_U32 &&
           (device->capabilities & HOP_DEVICE_ATOMIC64) != 0;
}

static hop__schedule schedule_of(const hop__sssp_task *task, const hop_device_info *device,
                                 uint64_t *items) {
    hop__schedule schedule = hop__schedule_of(task->values);
    uint64_t n = task->query.graph->vertices, round = 1;
    *items = hop__schedule_items(device, &schedule, (uint32_t)task->values[HOP__SCHEDULE_FORM]);
    while (round < n + *items)
        round *= 2;
    schedule.queues = 2;
    schedule.of[CORRECTIONS].capacity = round;
    schedule.of[CORRECTIONS].ring = true;
    schedule.of[SPECULATIONS].capacity = n + *items;
    return schedule;
}

static void scheduler_blocks(hop__workspace *space, const hop__sssp_task *task) {
    uint64_t items;
    hop__schedule schedule = schedule_of(task, hop__device_info(space->device), &items);
    uint64_t ring = schedule.of[CORRECTIONS].capacity * 4;
    uint64_t queue = schedule.of[SPECULATIONS].capacity * 4;
    hop__block_reserve(space, HOP__MEMORY_DEVICE, "scheduler: corrections", ring);
    hop__block_reserve(space, HOP__MEMORY_DEVICE, "scheduler: speculations", queue);
    hop__block_reserve(space, HOP__MEMORY_DEVICE, "scheduler: work-items",
                       hop__schedule_memory(&schedule, items) - ring - queue);
}

static void speculate_blocks(const void *given, hop__workspace *space) {
    const hop__sssp_task *task = given;
    uint64_t n = task->query.graph->vertices;
    hop__sssp_device_blocks(space, task, task->values[BITS] == BITS_64, false);
    scheduler_blocks(space, task);
    hop__buffer_add(space, "sssp: marks", n, 4, offsetof(search, marks))->zero = true;
    if (uses_pairs(&task->query, task->values, hop__device_info(space->device))) {
        hop__buffer_add(space, "sssp: costs and parents", n, 8, offsetof(search, pairs));
        if (task->wants_parents)
            hop__borrow_add(space, "sssp: parents", n, 4, offsetof(search, parents), task->parents,
                            false);
    } else {
        hop__sssp_device_parents_blocks(space, task);
    }
    if (task->query.negative) {
        hop__buffer_add(space, "sssp: times lowered", n, 4, offsetof(search, lowered))->zero = true;
        hop__buffer_add(space, "sssp: state", STATE_WORDS, 4, offsetof(search, state))->zero = true;
    }
    /* What the queue is filled anew with when it has overflowed. */
    hop__buffer_add(space, "sssp: flags", n, 4, offsetof(search, flags))->on_demand = true;
    hop__buffer_add(space, "sssp: corrections", n, 4, offsetof(search, refilled))->on_demand = true;
    hop__block_reserve(space, HOP__MEMORY_DEVICE, "compaction", hop__compact_scratch(n))
        ->on_demand = true;
}

static hop_status start(search *s) {
    hop_status status;
    hop__sssp_device *base = &s->base;
    hop__scheduler *scheduler = &s->scheduler;
    uint32_t count;
    HOP_TRY(status, hop__scheduler_clear(scheduler));
    HOP_TRY(status,
            hop__sssp_device_sources(base, scheduler->slots[SPECULATIONS], scheduler->control, 0));
    HOP_TRY(status, hop__buffer_read_now(scheduler->control, 0, sizeof count, &count));
    HOP_TRY(status, hop__scheduler_filled(scheduler, SPECULATIONS, count));
    if (s->pair) {
        hop__argument arguments[] = {hop__arg_buffer(base->keys), hop__arg_buffer(s->pairs)};
        HOP_TRY(status, hop__sweep_over(&base->sweeper, "pairs_start", base->n, 12, arguments,
                                        HOP_LENGTH(arguments)));
    }
done:
    return status;
}

static hop_status fill_anew(hop__scheduler *scheduler, void *user) {
    search *s = user;
    hop_status status;
    uint64_t kept = 0;
    HOP_TRY(status, hop__workspace_take(&s->base.space, &s->flags, s->base.n));
    HOP_TRY(status, hop__workspace_take(&s->base.space, &s->refilled, s->base.n));
    hop__argument arguments[] = {hop__arg_buffer(s->marks), hop__arg_buffer(s->flags)};
    HOP_TRY(status, hop__sweep_over(&s->base.sweeper, "marks_split", s->base.n, 8, arguments,
                                    HOP_LENGTH(arguments)));
    HOP_TRY(status, hop__compact(scheduler->device, &s->base.sweeper.form, s->flags, s->base.n,
                                 s->refilled, &kept));
    HOP_TRY(status, hop__scheduler_refill(scheduler, CORRECTIONS, s->refilled, kept));
done:
    return status;
}

/* With negative weights: whether there is a cycle, when it is time to look. */
static hop_status look_for_cycle(hop__scheduler *scheduler, void *user, bool asked) {
    search *s = user;
    hop_status status = HOP_OK;
    uint32_t below = 0;
    if (!s->base.tree || (!asked && scheduler->counts.launches < s->look))
        return HOP_OK;
    s->look = 2 * scheduler->counts.launches;
    HOP_TRY(status, hop__sssp_device_cycle(&s->base));
    HOP_TRY(status, hop__buffer_read_now(s->state, STATE_BELOW * 4, sizeof below, &below));
    if (below) /* there is one, but the tree does not show it */
        s->given_up = scheduler->stop = true;
    if (asked && s->often <= UINT32_MAX / 2) {
        s->often *= 2;
        HOP_TRY(status, hop__buffer_fill(s->state, STATE_OFTEN * 4, 4, s->often));
    }
done:
    return status;
}

static hop_status run_queues(search *s) {
    hop__sssp_device *base = &s->base;
    const hop__buffer *none = s->marks; /* for what is not there */
    hop__argument arguments[] = {
        hop__arg_buffer(base->rows.offsets),
        hop__arg_buffer(base->rows.targets),
        hop__arg_buffer(base->rows.weights),
        hop__arg_buffer(base->keys),
        hop__arg_buffer(s->pairs ? s->pairs : none),
        hop__arg_buffer(s->marks),
        hop__arg_buffer(base->tree ? base->tree : none),
        hop__arg_buffer(s->lowered ? s->lowered : none),
        hop__arg_buffer(s->state ? s->state : none),
        hop__sssp_arg_key(base, base->low),
        hop__sssp_arg_key(base, base->limit),
    };
    return hop__scheduler_run(&s->scheduler, "speculate", arguments, HOP_LENGTH(arguments));
}

static hop_status finish(search *s) {
    hop_status status;
    hop__sssp_device *base = &s->base;
    hop__sssp_task *task = base->task;
    if (s->pair) {
        hop__argument arguments[] = {hop__arg_buffer(s->pairs), hop__arg_buffer(base->keys),
                                     hop__arg_buffer(s->parents ? s->parents : s->marks),
                                     hop__arg_u32(s->parents != NULL)};
        HOP_TRY(status, hop__sweep_over(&base->sweeper, "pairs_end", base->n, 16, arguments,
                                        HOP_LENGTH(arguments)));
        if (s->parents)
            HOP_TRY(status, hop__buffer_return(s->parents));
    }
    base->parents_found = s->pair;
    base->sweeper.launches += s->scheduler.counts.launches;
    HOP_TRY(status, hop__sssp_device_finish(base));
    if (s->pair && task->parents && task->query.limited) /* what was cut has no parent */
        for (uint64_t v = 0; v < base->n; v++)
            if (((const int64_t *)task->distances)[v] == HOP_NO_DISTANCE)
                task->parents[v] = HOP_NO_VERTEX;
done:
    return status;
}

static void report(hop_context *context, const hop__scheduler *scheduler) {
    const hop__schedule_counts *counts = &scheduler->counts;
    hop__schedule_counter counters[HOP__SCHEDULE_COUNTERS];
    hop__count(context, "speculations", counts->puts[SPECULATIONS]);
    hop__count(context, "corrections", counts->puts[CORRECTIONS]);
    hop__count(context, "rebuilds", counts->rebuilds);
    for (size_t i = 0, count = hop__scheduler_counters(scheduler, counters); i < count; i++)
        hop__count(context, counters[i].name, counters[i].value);
}

static hop_status begin(hop_context *context, hop__sssp_task *task, search *s) {
    hop_status status;
    hop__define defines[HOP__SCHEDULE_DEFINES + 1];
    hop__device *device;
    uint64_t items;
    HOP_TRY(status, hop__device_of(context, &device));
    const hop_device_info *info = hop__device_info(device);
    hop__schedule schedule = schedule_of(task, info, &items);
    s->pair = uses_pairs(&task->query, task->values, info);
    hop__schedule_defines(&schedule, defines);
    defines[HOP__SCHEDULE_DEFINES] = (hop__define){"PAIR", s->pair};
    hop__sssp_device_plan plan = {.phase = "sssp: speculate",
                                  .program = &hop__program_speculate,
                                  .defines = defines,
                                  .define_count = HOP_LENGTH(defines),
                                  .form = task->values + HOP__SCHEDULE_FORM,
                                  .wide = task->values[BITS] == BITS_64,
                                  .blocks = speculate_blocks};
    HOP_TRY(status, hop__sssp_device_begin(context, task, &plan, &s->base));
    if (s->state)
        HOP_TRY(status, hop__buffer_fill(s->state, STATE_OFTEN * 4, 4, s->often));
    HOP_TRY(status, hop__scheduler_begin(s->base.device, &s->base.sweeper.form, &schedule,
                                         s->base.sweeper.program, &s->scheduler));
    s->scheduler.rebuild = fill_anew;
    s->scheduler.between = look_for_cycle;
    s->scheduler.user = s;
done:
    return status;
}

static hop_status speculate_run(hop_context *context, hop__sssp_task *task) {
    hop_status status;
    search s = {.often = OFTEN_FIRST, .look = 2};
    if (task->query.graph->vertices == 0)
        return HOP_OK;
    HOP_TRY(status, begin(context, task, &s));
    HOP_TRY(status, start(&s));
    HOP_TRY(status, run_queues(&s));
    task->relaxations = s.scheduler.counts.steps;
    report(context, &s.scheduler);
    if (!s.given_up)
        HOP_TRY(status, finish(&s));
done:
    hop__scheduler_end(&s.scheduler, status);
    hop__sssp_device_end(&s.base, status);
    return s.given_up && status == HOP_OK ? hop__sssp_device_retreat(context, task) : status;
}

static bool speculate_refuse(const void *task, const hop_device_info *device,
                             char reason[HOP__REASON]) {
    return hop__schedule_refuse(device, reason, HOP__REASON) ||
           hop__sssp_device_refuse(task, device, reason);
}

static const hop_parameter parameters[PARAMETERS] = {
    HOP__SCHEDULE_ROWS(4),
    [BITS] = {.name = "bits",
              .summary = "of integer distances on the device; auto: 32, with the parent in 64, "
                         "where they fit",
              .type = HOP_PARAMETER_CHOICE,
              .maximum = 1,
              .choices = "auto 64"},
};

const hop__sssp_variant hop__sssp_device_speculate = {
    .row = {.about = {.name = "speculate",
                      .summary = "work-groups that stay follow every arc at once and correct what "
                                 "was wrong first",
                      .source = "Troendle 2019, 8.3",
                      .place = HOP_PLACE_DEVICE,
                      .uses = HOP_PREPARE_DEVICE,
                      HOP__PARAMETERS(parameters)},
            .refuse_device = speculate_refuse,
            .copy = hop__sssp_device_copy,
            .blocks = speculate_blocks},
    .run = speculate_run,
};
