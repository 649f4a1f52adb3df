/* SPDX-License-Identifier: Apache-2.0
 * The host's side of the scheduler; see scheduler.h. */
#include "kernels/scheduler.h"

#include <stdio.h>
#include <string.h>

#include "core/progress.h"
#include "core/timing.h"
#include "kernels/launching.h"

/* The control block, as queue.cl and scheduler.cl have it. */
enum {
    QUEUE_FRONT = 0,
    QUEUE_REAR = 32,
    QUEUE_FIRST = 64,
    QUEUE_MASK = 65,
    QUEUE_BASE = 66,
    QUEUE_SPAN = 67,
    QUEUE_WORDS = 96,
    PENDING = 2 * QUEUE_WORDS,
    PARITY = 32,
    STAGE = PENDING + 64,
    DONE = PENDING + 65,
    REFUSED = PENDING + 66,
    LEAVE = PENDING + 67,
    COUNTS = PENDING + 96,
    COUNTERS = 6,
    CONTROL_WORDS = PENDING + 128,
    STATE_WORDS = 8
};
#define NONE UINT32_MAX

/* A launch is meant to take between half of this and all of it. */
#define LAUNCH_SECONDS 0.02
enum { TRIPS_FIRST = 1 << 10, TRIPS_LEAST = 16, TRIPS_MOST = 1 << 30, PATIENCE = 64 };
/* Groups of the default. On a processor as many as cores, so that all run at the same time: a stage
 * ends sooner when no group has to leave for another. GPUs hold several groups per unit; D4 took 4
 * of 64 items. */
enum { GROUPS_PER_UNIT = 4 };

hop__schedule hop__schedule_of(const double *values) {
    return (hop__schedule){
        .queue = (hop__queue_kind)values[HOP__SCHEDULE_QUEUE],
        .direct_claim = values[HOP__SCHEDULE_DEQUEUE] != 0,
        .direct_put = values[HOP__SCHEDULE_ENQUEUE] != 0,
        .counted = values[HOP__SCHEDULE_COUNT] != 0,
        .chunk = (uint32_t)values[HOP__SCHEDULE_CHUNK],
        .groups = (uint32_t)values[HOP__SCHEDULE_GROUPS],
        .trips = (uint32_t)values[HOP__SCHEDULE_TRIPS],
        .queues = 1,
    };
}

bool hop__schedule_refuse(const hop_device_info *device, char *reason, size_t room) {
    if ((device->capabilities & HOP_DEVICE_FENCE) != 0)
        return false;
    snprintf(reason, room,
             "%s has no fences among work-groups (OpenCL 3.0 may have them), and groups that stay "
             "hand work to each other",
             device->name);
    return true;
}

uint32_t hop__schedule_groups(const hop_device_info *device, const hop__schedule *schedule) {
    uint32_t units = device->compute_units > 0 ? device->compute_units : 1;
    if (schedule->groups != 0)
        return schedule->groups;
    return device->capabilities & HOP_DEVICE_FEW ? units : units * GROUPS_PER_UNIT;
}

uint64_t hop__schedule_items(const hop_device_info *device, const hop__schedule *schedule,
                             uint32_t group) {
    uint32_t items = group != 0 ? group : HOP__FORM_GROUP_STANDARD;
    if (items > device->group_size)
        items = device->group_size;
    return (uint64_t)hop__schedule_groups(device, schedule) * items;
}

uint64_t hop__schedule_memory(const hop__schedule *schedule, uint64_t items) {
    uint64_t words = CONTROL_WORDS + items * STATE_WORDS;
    for (unsigned q = 0; q < schedule->queues; q++)
        words += schedule->of[q].capacity;
    return words * sizeof(uint32_t);
}

static hop_status check(hop__device *device, const hop__scheduler *scheduler, uint64_t items) {
    const hop__schedule *schedule = &scheduler->schedule;
    if (schedule->chunk < 1 || schedule->chunk > HOP__CHUNK_MOST || schedule->queues < 1 ||
        schedule->queues > 2)
        return hop__fail(hop__device_context(device), HOP_ERR_ARGUMENT,
                         "scheduler: %u steps per trip and %u queues; at most %d and 2",
                         schedule->chunk, schedule->queues, HOP__CHUNK_MOST);
    for (unsigned q = 0; q < schedule->queues; q++) {
        uint64_t capacity = schedule->of[q].capacity, tickets;
        /* Tickets are compared by distances of 32 bits: invariant 1 of queue.cl. */
        if (!hop__add_u64(capacity, items * (1 + schedule->chunk), &tickets) ||
            tickets >= UINT32_MAX)
            return hop__fail(hop__device_context(device), HOP_ERR_UNSUPPORTED,
                             "scheduler: a queue of %llu tokens and %llu work-items; with this "
                             "many tickets 32 bits do not tell them apart",
                             (unsigned long long)capacity, (unsigned long long)items);
        if (schedule->of[q].ring && (capacity == 0 || (capacity & (capacity - 1)) != 0))
            return hop__fail(hop__device_context(device), HOP_ERR_ARGUMENT,
                             "scheduler: a ring of %llu slots, which is not a power of two",
                             (unsigned long long)capacity);
    }
    return HOP_OK;
}

static hop_status allocate(hop__scheduler *scheduler) {
    hop_status status;
    HOP_TRY(status, hop__buffer_create(scheduler->device, "scheduler: control",
                                       CONTROL_WORDS * sizeof(uint32_t), &scheduler->control));
    HOP_TRY(status, hop__buffer_create(scheduler->device, "scheduler: work-items",
                                       (uint64_t)scheduler->items * STATE_WORDS * sizeof(uint32_t),
                                       &scheduler->states));
    for (unsigned q = 0; q < scheduler->schedule.queues; q++)
        HOP_TRY(status, hop__buffer_create(scheduler->device, "scheduler: queue",
                                           scheduler->schedule.of[q].capacity * sizeof(uint32_t),
                                           &scheduler->slots[q]));
done:
    return status;
}

void hop__schedule_defines(const hop__schedule *schedule, hop__define *defines) {
    const hop__define all[HOP__SCHEDULE_DEFINES] = {
        {"QUEUE", schedule->queue},
        {"QUEUE_COUNTED", schedule->counted},
        {"SCHEDULER_QUEUES", schedule->queues},
        {"SCHEDULER_STAGED", schedule->staged},
        {"SCHEDULER_CHUNK", schedule->chunk},
        {"SCHEDULER_PROXY_CLAIM", !schedule->direct_claim},
        {"SCHEDULER_PROXY_PUT", !schedule->direct_put},
        {"SCHEDULER_RING", schedule->of[0].ring || schedule->of[1].ring},
    };
    for (size_t i = 0; i < HOP__SCHEDULE_DEFINES; i++)
        defines[i] = all[i];
}

hop_status hop__scheduler_begin(hop__device *device, const hop__form *form,
                                const hop__schedule *schedule, hop__program *program,
                                hop__scheduler *scheduler) {
    hop_status status;
    const hop_device_info *info = hop__device_info(device);
    uint64_t items = hop__schedule_items(info, schedule, form->group);
    *scheduler = (hop__scheduler){
        .device = device, .schedule = *schedule, .form = *form, .program = program};
    HOP_TRY(status, check(device, scheduler, items));
    scheduler->items = (uint32_t)items;
    scheduler->group = hop__form_group(device, form);
    scheduler->groups = hop__schedule_groups(info, schedule);
    HOP_TRY(status, allocate(scheduler));
done:
    return status;
}

void hop__scheduler_end(hop__scheduler *scheduler, hop_status status) {
    hop__device_settle(scheduler->device, status);
    hop__buffer_free(scheduler->control);
    hop__buffer_free(scheduler->states);
    for (unsigned q = 0; q < 2; q++)
        hop__buffer_free(scheduler->slots[q]);
    scheduler->control = scheduler->states = scheduler->slots[0] = scheduler->slots[1] = NULL;
}

/* Queue q in the control block: empty but for `count` tokens from slot 0 on. */
static void queue_words(const hop__schedule *schedule, unsigned q, uint64_t count,
                        uint32_t control[CONTROL_WORDS]) {
    uint32_t *words = control + q * QUEUE_WORDS, first = schedule->of[q].first;
    bool ring = schedule->of[q].ring;
    words[QUEUE_FRONT] = words[QUEUE_FIRST] = words[QUEUE_BASE] = first;
    words[QUEUE_REAR] = first + (uint32_t)count;
    words[QUEUE_MASK] = ring ? (uint32_t)schedule->of[q].capacity - 1 : NONE;
    words[QUEUE_SPAN] = (uint32_t)schedule->of[q].capacity;
}

hop_status hop__scheduler_clear(hop__scheduler *scheduler) {
    hop_status status;
    for (unsigned q = 0; q < scheduler->schedule.queues; q++)
        HOP_TRY(status, hop__buffer_fill(scheduler->slots[q], 0,
                                         hop__buffer_bytes(scheduler->slots[q]), NONE));
    HOP_TRY(status,
            hop__buffer_fill(scheduler->states, 0, hop__buffer_bytes(scheduler->states), 0));
    HOP_TRY(status, hop__buffer_fill(scheduler->control, 0, CONTROL_WORDS * 4, 0));
done:
    return status;
}

hop_status hop__scheduler_filled(hop__scheduler *scheduler, unsigned q, uint64_t count) {
    uint32_t control[CONTROL_WORDS] = {0};
    hop_status status = HOP_OK;
    if (count > scheduler->schedule.of[q].capacity)
        return hop__fail(hop__device_context(scheduler->device), HOP_ERR_ARGUMENT,
                         "scheduler: %llu tokens for a queue of %llu", (unsigned long long)count,
                         (unsigned long long)scheduler->schedule.of[q].capacity);
    for (unsigned i = 0; i < scheduler->schedule.queues; i++)
        queue_words(&scheduler->schedule, i, i == q ? count : 0, control);
    control[PENDING] = (uint32_t)count;
    control[DONE] = count == 0;
    HOP_TRY(status, hop__buffer_write(scheduler->control, 0, sizeof control, control));
    HOP_TRY(status, hop__device_finish(scheduler->device)); /* control stands on this stack */
done:
    hop__device_settle(scheduler->device, status);
    return status;
}

hop_status hop__scheduler_start(hop__scheduler *scheduler, unsigned q, const uint32_t *tokens,
                                uint64_t count) {
    hop_status status;
    HOP_TRY(status, hop__scheduler_clear(scheduler));
    if (count > 0)
        HOP_TRY(status, hop__buffer_write(scheduler->slots[q], 0, count * sizeof *tokens, tokens));
    HOP_TRY(status, hop__scheduler_filled(scheduler, q, count));
done:
    return status;
}

hop_status hop__scheduler_advance(hop__scheduler *scheduler, bool *more) {
    hop_status status;
    uint32_t stage, pending, next[2];
    HOP_TRY(status, hop__buffer_read_now(scheduler->control, STAGE * 4, 4, &stage));
    HOP_TRY(status, hop__buffer_read_now(scheduler->control,
                                         (PENDING + (~stage & 1) * PARITY) * 4ull, 4, &pending));
    *more = pending != 0;
    if (*more) {
        next[0] = stage + 1; /* STAGE, DONE */
        next[1] = 0;
        HOP_TRY(status, hop__buffer_write(scheduler->control, STAGE * 4, sizeof next, next));
        HOP_TRY(status, hop__device_finish(scheduler->device));
    }
done:
    hop__device_settle(scheduler->device, status);
    return status;
}

hop_status hop__scheduler_refill(hop__scheduler *scheduler, unsigned q, hop__buffer *tokens,
                                 uint64_t count) {
    uint32_t control[CONTROL_WORDS] = {0};
    hop_status status;
    uint64_t offset = q * QUEUE_WORDS * sizeof *control;
    hop__buffer *slots = scheduler->slots[q];
    hop__argument arguments[] = {hop__arg_buffer(scheduler->states), hop__arg_u32(scheduler->items),
                                 hop__arg_u32(q)};
    HOP_TRY(status, hop__buffer_holds(scheduler->device, slots, count, sizeof *control,
                                      "scheduler: tokens of a queue that is filled anew"));
    queue_words(&scheduler->schedule, q, count, control);
    HOP_TRY(status, hop__buffer_fill(slots, 0, hop__buffer_bytes(slots), NONE));
    if (count > 0)
        HOP_TRY(status, hop__buffer_copy(tokens, 0, slots, 0, count * sizeof *control));
    HOP_TRY(status, hop__launch_named(scheduler->program, "scheduler_drop",
                                      hop__shape_of(scheduler->groups, scheduler->group), arguments,
                                      HOP_LENGTH(arguments)));
    HOP_TRY(status, hop__buffer_write(scheduler->control, offset, QUEUE_WORDS * sizeof *control,
                                      control + q * QUEUE_WORDS));
    HOP_TRY(status,
            hop__buffer_fill(scheduler->control, REFUSED * sizeof *control, sizeof *control, 0));
    HOP_TRY(status, hop__device_finish(scheduler->device));
done:
    hop__device_settle(scheduler->device, status);
    return status;
}

/* One launch, and what it left in the control block. */
static hop_status launch(hop__scheduler *scheduler, hop__kernel *kernel, hop__argument *arguments,
                         size_t argument_count, uint32_t trips, uint32_t control[CONTROL_WORDS]) {
    hop_status status;
    const hop__schedule *schedule = &scheduler->schedule;
    uint32_t patience = schedule->patience ? schedule->patience : PATIENCE;
    arguments[0] = hop__arg_buffer(scheduler->control);
    arguments[1] = hop__arg_buffer(scheduler->states);
    arguments[2] = hop__arg_buffer(scheduler->slots[0]);
    arguments[3] = hop__arg_buffer(scheduler->slots[schedule->queues - 1]);
    arguments[4] = hop__arg_u32(trips);
    arguments[5] = hop__arg_u32(patience);
    HOP_TRY(status, hop__launch(kernel, hop__shape_of(scheduler->groups, scheduler->group),
                                arguments, HOP__SCHEDULE_ARGUMENTS + argument_count));
    if (schedule->of[0].ring || schedule->of[1].ring) {
        hop__argument settle[] = {hop__arg_buffer(scheduler->control),
                                  hop__arg_buffer(scheduler->states),
                                  hop__arg_u32(scheduler->items)};
        HOP_TRY(status, hop__launch_named(scheduler->program, "scheduler_settle",
                                          hop__shape_of(1, scheduler->group), settle, 3));
    }
    HOP_TRY(status,
            hop__buffer_read_now(scheduler->control, 0, CONTROL_WORDS * sizeof *control, control));
    scheduler->counts.launches++;
done:
    return status;
}

/* Counters on the device go round at 2^32; a launch is too short for that to happen twice. */
static void add_counts(hop__schedule_counts *counts, const uint32_t *before, const uint32_t *now) {
    uint64_t *sums[COUNTERS] = {&counts->operations, &counts->empties, &counts->retries,
                                &counts->looks,      &counts->takes,   &counts->steps};
    for (unsigned i = 0; i < COUNTERS; i++)
        *sums[i] += now[COUNTS + i] - before[COUNTS + i];
}

static uint32_t pace(uint32_t trips, double seconds) {
    if (seconds > LAUNCH_SECONDS)
        return trips / 2 > TRIPS_LEAST ? trips / 2 : TRIPS_LEAST;
    return seconds < LAUNCH_SECONDS / 2 && trips < TRIPS_MOST ? trips * 2 : trips;
}

/* What the algorithm does between two launches. */
static hop_status look_after(hop__scheduler *scheduler, const uint32_t *control) {
    hop_status status = HOP_OK;
    if (control[LEAVE] != 0)
        HOP_TRY(status, hop__buffer_fill(scheduler->control, LEAVE * 4, 4, 0));
    if (scheduler->between)
        HOP_TRY(status, scheduler->between(scheduler, scheduler->user, control[LEAVE] != 0));
    if (control[REFUSED] == 0 || scheduler->stop)
        return HOP_OK;
    if (!scheduler->rebuild)
        return hop__fail(hop__device_context(scheduler->device), HOP_ERR_DEVICE,
                         "scheduler: a token was refused by a queue that has room for all");
    scheduler->counts.rebuilds++;
    HOP_TRY(status, scheduler->rebuild(scheduler, scheduler->user));
done:
    return status;
}

hop_status hop__scheduler_run(hop__scheduler *scheduler, const char *kernel,
                              const hop__argument *arguments, size_t argument_count) {
    hop_context *context = hop__device_context(scheduler->device);
    const hop__schedule *schedule = &scheduler->schedule;
    hop__argument all[HOP__SCHEDULE_ARGUMENTS + 16];
    uint32_t before[CONTROL_WORDS], now[CONTROL_WORDS];
    uint32_t trips = schedule->trips ? schedule->trips : TRIPS_FIRST;
    hop__kernel *code;
    hop_status status;
    if (argument_count > HOP_LENGTH(all) - HOP__SCHEDULE_ARGUMENTS)
        return hop__fail(context, HOP_ERR_ARGUMENT, "scheduler: %zu arguments", argument_count);
    for (size_t i = 0; i < argument_count; i++)
        all[HOP__SCHEDULE_ARGUMENTS + i] = arguments[i];
    HOP_TRY(status, hop__kernel_get(scheduler->program, kernel, &code));
    HOP_TRY(status, hop__buffer_read_now(scheduler->control, 0, sizeof before, before));
    while (schedule->staged ? before[DONE] == 0 : before[PENDING] != 0) {
        double begin = hop__now();
        uint64_t put = 0;
        HOP_TRY(status, launch(scheduler, code, all, argument_count, trips, now));
        if (schedule->trips == 0)
            trips = pace(trips, hop__now() - begin);
        for (unsigned q = 0; q < schedule->queues; q++) {
            uint32_t rear = q * QUEUE_WORDS + QUEUE_REAR;
            scheduler->counts.puts[q] += now[rear] - before[rear];
            put += now[rear] - before[rear];
        }
        add_counts(&scheduler->counts, before, now);
        scheduler->stage = now[STAGE];
        if (!hop__progress_add(context, put))
            return hop__progress_end(context);
        HOP_TRY(status, look_after(scheduler, now));
        if (scheduler->stop)
            break;
        for (unsigned i = 0; i < CONTROL_WORDS; i++)
            before[i] = now[i];
        if (now[REFUSED] != 0)
            HOP_TRY(status, hop__buffer_read_now(scheduler->control, 0, sizeof before, before));
    }
done:
    return status;
}

size_t hop__scheduler_counters(const hop__scheduler *scheduler,
                               hop__schedule_counter counters[HOP__SCHEDULE_COUNTERS]) {
    const hop__schedule_counts *counts = &scheduler->counts;
    const hop__schedule_counter all[HOP__SCHEDULE_COUNTERS] = {
        {"relaunches", counts->launches},
        {"operations", counts->operations},
        {"retries", counts->retries},
        {"polls", counts->empties},
        {"pops", counts->takes},
        {"pushes", counts->puts[0] + counts->puts[1]},
        {"waits", counts->looks - counts->takes},
    };
    memcpy(counters, all, sizeof all);
    return scheduler->schedule.counted ? HOP__SCHEDULE_COUNTERS : 1;
}
