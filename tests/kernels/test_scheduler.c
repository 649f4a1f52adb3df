/* SPDX-License-Identifier: Apache-2.0
 * The scheduler on small made-up algorithms: every token is done once, in its stage, for all kinds
 * of queue, ways of getting tickets, numbers of groups and trips; rings refuse and are filled anew;
 * a run can be cancelled. */
#include "core/progress.h"
#include "kernels/kernels_testing.h"
#include "kernels/pump_testing.h"

enum { FAN = 3, TREE = 2000 };

static uint32_t tree_size(void) {
    return most_elements() < TREE ? (uint32_t)most_elements() : TREE;
}

static void assert_tree(hop__device *device, hop__buffer *seen, uint32_t count, bool staged,
                        uint32_t trips) {
    uint32_t *found = contents(device, seen, count * sizeof *found);
    for (uint32_t t = 0; t < count; t++) {
        uint32_t depth = 0;
        for (uint32_t up = t; up != 0; up = (up - 1) / FAN)
            depth++;
        if (found[t] != 1 + (staged ? depth << 8 : 0))
            print_error("token %u: %#x, %u trips\n", t, found[t], trips);
        assert_int_equal(found[t], 1 + (staged ? depth << 8 : 0));
    }
    free(found);
}

/* After a run every slot is empty again. */
static void assert_empty(hop__device *device, const hop__scheduler *scheduler) {
    for (unsigned q = 0; q < scheduler->schedule.queues; q++) {
        uint64_t bytes = hop__buffer_bytes(scheduler->slots[q]);
        uint32_t *slots = contents(device, scheduler->slots[q], bytes);
        for (uint64_t i = 0; i < bytes / 4; i++)
            assert_int_equal(slots[i], UINT32_MAX);
        free(slots);
    }
}

/* A tree from its root, with every number of trips. */
static void grow(hop__device *device, const hop__form *form, hop__schedule *schedule) {
    static const uint32_t trips[] = {1, 16, 0, UINT32_MAX}, root = 0;
    uint32_t count = tree_size();
    hop__scheduler scheduler;
    for (unsigned q = 0; q < schedule->queues; q++) {
        schedule->of[q].capacity =
            count + hop__schedule_items(hop__device_info(device), schedule, form->group);
        schedule->of[q].first = q == 0 ? 0u - 5 : 7;
    }
    for (size_t t = 0; t < sizeof trips / sizeof *trips; t++) {
        schedule->trips = trips[t];
        fine(device, pump_begin(device, form, schedule, &scheduler));
        hop__buffer *seen = buffer_of(device, count * 4, NULL);
        fine(device, hop__buffer_fill(seen, 0, count * 4, 0));
        hop__argument arguments[] = {hop__arg_buffer(seen), hop__arg_u32(count)};
        fine(device, hop__scheduler_start(&scheduler, schedule->queues - 1, &root, 1));
        fine(device, hop__scheduler_run(&scheduler, "grow_all", arguments, 2));
        assert_tree(device, seen, count, schedule->staged, trips[t]);
        assert_empty(device, &scheduler);
        if (schedule->counted) {
            assert_int_equal(scheduler.counts.takes, count);
            if (schedule->queue == HOP__QUEUE_RETRY_FREE)
                assert_int_equal(scheduler.counts.retries + scheduler.counts.empties, 0);
        }
        hop__buffer_free(seen);
        hop__scheduler_end(&scheduler, HOP_OK);
    }
}

/* Each row is compiled: they are chosen so that every kind meets every way at least once. */
static void schedules_body(hop_context *context, hop__device *device) {
    static const struct {
        hop__queue_kind queue;
        bool direct_claim, direct_put, staged, counted;
        uint32_t chunk, groups, queues, group;
    } rows[] = {
        {HOP__QUEUE_RETRY_FREE, false, false, true, true, 8, 3, 1, 32},
        {HOP__QUEUE_RETRY_FREE, true, true, false, true, 1, 7, 2, 1},
        {HOP__QUEUE_ARBITRARY_N, false, true, true, true, 2, 64, 1, 16},
        {HOP__QUEUE_CAS, false, false, false, true, 2, 4, 2, 32},
        {HOP__QUEUE_CAS, true, true, true, false, 8, 1, 1, 16},
    };
    (void)context;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hop__form form = {.group = rows[i].group};
        hop__schedule schedule = {.queue = rows[i].queue,
                                  .direct_claim = rows[i].direct_claim,
                                  .direct_put = rows[i].direct_put,
                                  .staged = rows[i].staged && rows[i].queues == 1,
                                  .counted = rows[i].counted,
                                  .chunk = rows[i].chunk,
                                  .groups = rows[i].groups,
                                  .patience = 3,
                                  .queues = rows[i].queues};
        grow(device, &form, &schedule);
    }
}

static void every_token_is_done_once(void **state) {
    (void)state;
    on_each_device(schedules_body);
}

enum { AGAIN = 100, ROUND = 128 };

typedef struct marks {
    hop__buffer *marks, *tokens;
    uint32_t count;
} marks;

static hop_status fill_anew(hop__scheduler *scheduler, void *user) {
    marks *m = user;
    uint64_t kept = 0;
    fine(scheduler->device,
         hop__compact(scheduler->device, NULL, m->marks, m->count, m->tokens, &kept));
    return hop__scheduler_refill(scheduler, 0, m->tokens, kept);
}

static void again(hop__device *device, hop__queue_kind kind, uint32_t group, uint32_t rounds,
                  uint32_t first, uint32_t trips) {
    hop__form form = {.group = group};
    hop__schedule schedule = {.queue = kind,
                              .chunk = 2,
                              .groups = 3,
                              .trips = trips,
                              .patience = 4,
                              .queues = 1,
                              .of = {{.capacity = ROUND, .ring = true, .first = first}}};
    hop__scheduler scheduler;
    uint32_t left[AGAIN], ones[AGAIN], tokens[AGAIN], want = 0;
    for (uint32_t i = 0; i < AGAIN; i++) {
        left[i] = 1 + i % rounds;
        want += left[i];
        tokens[i] = i;
        ones[i] = 1;
    }
    fine(device, pump_begin(device, &form, &schedule, &scheduler));
    hop__buffer *left_there = buffer_of(device, sizeof left, left);
    hop__buffer *done = buffer_of(device, sizeof left, NULL);
    marks m = {buffer_of(device, sizeof ones, ones), buffer_of(device, sizeof tokens, NULL), AGAIN};
    fine(device, hop__buffer_fill(done, 0, sizeof left, 0));
    scheduler.rebuild = fill_anew;
    scheduler.user = &m;
    hop__argument arguments[] = {hop__arg_buffer(left_there), hop__arg_buffer(m.marks),
                                 hop__arg_buffer(done)};
    fine(device, hop__scheduler_start(&scheduler, 0, tokens, AGAIN));
    fine(device, hop__scheduler_run(&scheduler, "again_all", arguments, 3));
    uint32_t *times = contents(device, done, sizeof left);
    assert_memory_equal(times, left, sizeof left);
    assert_empty(device, &scheduler);
    if (want > 2 * ROUND && trips > 100) /* it went round, and was not large enough for a launch */
        assert_true(scheduler.counts.rebuilds > 0);
    free(times);
    hop__buffer_free(left_there);
    hop__buffer_free(done);
    hop__buffer_free(m.marks);
    hop__buffer_free(m.tokens);
    hop__scheduler_end(&scheduler, HOP_OK);
}

static void rings_body(hop_context *context, hop__device *device) {
    (void)context;
    for (unsigned kind = 0; kind < 3; kind++) {
        again(device, (hop__queue_kind)kind, 16, 40, 0, UINT32_MAX);
        again(device, (hop__queue_kind)kind, 16, 20, 0u - 130, 1);
        again(device, (hop__queue_kind)kind, 16, 9, 0u - 1, 2);
    }
}

static void rings_refuse_and_are_filled_anew(void **state) {
    (void)state;
    on_each_device(rings_body);
}

static void limits_body(hop_context *context, hop__device *device) {
    hop__form form = {.group = 16};
    hop__schedule schedule = {.chunk = 8, .groups = 2, .queues = 1, .of = {{.capacity = 100}}};
    hop__scheduler scheduler;
    schedule.of[0].ring = true;
    assert_int_equal(pump_begin(device, &form, &schedule, &scheduler), HOP_ERR_ARGUMENT);
    hop__scheduler_end(&scheduler, HOP_ERR_ARGUMENT);
    schedule.of[0].ring = false;
    schedule.of[0].capacity = UINT32_MAX - 50;
    assert_int_equal(pump_begin(device, &form, &schedule, &scheduler), HOP_ERR_UNSUPPORTED);
    assert_non_null(strstr(hop_context_message(context), "4294967245 tokens"));
    hop__scheduler_end(&scheduler, HOP_ERR_UNSUPPORTED);
    schedule.chunk = 9;
    assert_int_equal(pump_begin(device, &form, &schedule, &scheduler), HOP_ERR_ARGUMENT);
    hop__scheduler_end(&scheduler, HOP_ERR_ARGUMENT);
}

static void limits_are_told(void **state) {
    (void)state;
    on_each_device(limits_body);
}

static bool stop(void *user, const hop_progress *progress) {
    (void)progress;
    ++*(int *)user;
    return false;
}

static void a_cancel_is_seen_between_launches(void **state) {
    (void)state;
    static const uint32_t root = 0;
    device_names found = usable_devices();
    for (size_t d = 0; d < found.count; d++) {
        int calls = 0;
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop__device *device = NULL;
        hop__form form = {.group = 32};
        hop__schedule schedule = {
            .staged = true, .counted = true, .chunk = 8, .groups = 3, .trips = 1, .queues = 1};
        hop__scheduler scheduler;
        options.device = found.names[d];
        options.progress = stop;
        options.progress_user = &calls;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        assert_fine(context, hop__device_of(context, &device));
        schedule.of[0].capacity = 1000000 + 96;
        assert_fine(context, pump_begin(device, &form, &schedule, &scheduler));
        hop__buffer *seen = buffer_of(device, 4000000, NULL);
        fine(device, hop__buffer_fill(seen, 0, 4000000, 0));
        hop__argument arguments[] = {hop__arg_buffer(seen), hop__arg_u32(1000000)};
        hop__progress_begin(context, "tree", 1000000);
        assert_fine(context, hop__scheduler_start(&scheduler, 0, &root, 1));
        hop_status status = hop__scheduler_run(&scheduler, "grow_all", arguments, 2);
        assert_int_equal(status, HOP_ERR_CANCELLED);
        assert_int_equal(calls, 1);
        hop__buffer_free(seen);
        hop__scheduler_end(&scheduler, status);
        free_context(context);
    }
}

/* A GPU whose fences end at its work-groups: a token could be seen before what it stands for. */
static void devices_without_fences_are_refused(void **state) {
    hop_device_info device = {
        .name = "opencl:7.0", .type = HOP_DEVICE_GPU, .capabilities = HOP_DEVICE_ATOMIC64};
    char reason[256] = "";
    (void)state;
    assert_true(hop__schedule_refuse(&device, reason, sizeof reason));
    assert_non_null(strstr(reason, "opencl:7.0 has no fences among work-groups"));
    device.capabilities |= HOP_DEVICE_FENCE;
    assert_false(hop__schedule_refuse(&device, reason, sizeof reason));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_token_is_done_once),
        cmocka_unit_test(rings_refuse_and_are_filled_anew),
        cmocka_unit_test(limits_are_told),
        cmocka_unit_test(a_cancel_is_seen_between_launches),
        cmocka_unit_test(devices_without_fences_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
