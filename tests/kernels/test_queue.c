/* SPDX-License-Identifier: Apache-2.0
 * The queue alone, in its three kinds: with every mix of items that put and items that take, each
 * token is taken exactly once; tickets come round many times, and cross 2^32.
 *
 * HOPLITE_TEST_QUEUE_TOKENS   tokens per run, instead of a few thousand; tools/try_queue uses it */
#include "kernels/kernels_testing.h"
#include "kernels/pump_testing.h"

enum { GROUP = 32, TOKENS = 3001, RING = 1 << 10 };

static bool campaign(void) {
    return getenv("HOPLITE_TEST_QUEUE_TOKENS") != NULL;
}

static uint32_t token_count(void) {
    const char *text = getenv("HOPLITE_TEST_QUEUE_TOKENS");
    uint64_t most = most_elements();
    if (text)
        return (uint32_t)strtoul(text, NULL, 10);
    return most < TOKENS ? (uint32_t)most : TOKENS;
}

typedef struct pumping {
    uint32_t count, producers, ring;
    uint32_t errors[4];
} pumping;

/* Launches until every token is taken, or until that can no longer be. */
static void pump(hop__scheduler *scheduler, pumping *run) {
    hop__device *device = scheduler->device;
    uint32_t words = (run->count + 31) / 32, most = run->count / 8 + 100, zero[4] = {0};
    uint32_t *seen = calloc(words, sizeof *seen);
    assert_non_null(seen);
    hop__buffer *seen_there = buffer_of(device, words * sizeof *seen, seen);
    hop__buffer *errors = buffer_of(device, sizeof zero, zero);
    fine(device, hop__scheduler_start(scheduler, 0, NULL, 0));
    hop__kernel *kernel = NULL, *settle = NULL;
    fine(device, hop__kernel_get(scheduler->program, "pump", &kernel));
    fine(device, hop__kernel_get(scheduler->program, "scheduler_settle", &settle));
    for (uint32_t launches = 0; run->errors[3] < run->count && launches < most; launches++) {
        uint32_t words_now[4], front, rear;
        fine(device, hop__buffer_read_now(scheduler->control, 64 * 4, sizeof words_now, words_now));
        fine(device, hop__buffer_read_now(scheduler->control, 32 * 4, sizeof rear, &rear));
        fine(device, hop__buffer_read_now(scheduler->control, 0, sizeof front, &front));
        uint32_t room = words_now[2] + words_now[3] - rear;
        uint32_t trips = campaign() ? 1 << 14 : launches % 3 ? 64 : 5;
        hop__argument arguments[] = {hop__arg_buffer(scheduler->control),
                                     hop__arg_buffer(scheduler->states),
                                     hop__arg_buffer(scheduler->slots[0]),
                                     hop__arg_buffer(scheduler->slots[0]),
                                     hop__arg_u32(trips),
                                     hop__arg_u32(0),
                                     hop__arg_u32(run->producers),
                                     hop__arg_u32(run->count),
                                     hop__arg_u32(room / run->producers),
                                     hop__arg_buffer(seen_there),
                                     hop__arg_buffer(errors)};
        fine(device, hop__launch(kernel, hop__shape_of(scheduler->groups, GROUP), arguments, 11));
        hop__argument after[] = {hop__arg_buffer(scheduler->control),
                                 hop__arg_buffer(scheduler->states),
                                 hop__arg_u32(scheduler->items)};
        fine(device, hop__launch(settle, hop__shape_of(1, GROUP), after, 3));
        fine(device, hop__buffer_read_now(errors, 0, sizeof run->errors, run->errors));
    }
    hop__buffer_free(seen_there);
    hop__buffer_free(errors);
    free(seen);
}

static void pump_mixes(hop__device *device, hop__queue_kind kind) {
    const uint32_t groups = 4, items = groups * GROUP;
    const uint32_t producers[] = {1, 2, items / 4, items / 2, items - items / 4, items - 1};
    const uint32_t firsts[] = {0, 0u - 1, 0u - 700};
    hop__form form = {.group = GROUP};
    hop__schedule schedule = {.queue = kind,
                              .counted = true,
                              .chunk = 1,
                              .groups = groups,
                              .queues = 1,
                              .of = {{.capacity = campaign() ? RING << 10 : RING, .ring = true}}};
    for (size_t p = 0; p < sizeof producers / sizeof *producers; p++) {
        hop__scheduler scheduler;
        pumping run = {.count = token_count(), .producers = producers[p]};
        schedule.of[0].first = firsts[p % 3];
        fine(device, pump_begin(device, &form, &schedule, &scheduler));
        pump(&scheduler, &run);
        if (campaign())
            print_message("queue %d, %u of %u items put: %u tokens\n", (int)kind, run.producers,
                          items, run.errors[3]);
        if (run.errors[0] + run.errors[1] + run.errors[2] != 0 || run.errors[3] != run.count)
            print_error(
                "queue %d, %u producers: %u twice, %u unknown, %u refused, %u of %u taken\n",
                (int)kind, run.producers, run.errors[0], run.errors[1], run.errors[2],
                run.errors[3], run.count);
        assert_int_equal(run.errors[0] + run.errors[1] + run.errors[2], 0);
        assert_int_equal(run.errors[3], run.count);
        hop__scheduler_end(&scheduler, HOP_OK);
    }
}

static void mixes_body(hop_context *context, hop__device *device) {
    (void)context;
    pump_mixes(device, HOP__QUEUE_RETRY_FREE);
    pump_mixes(device, HOP__QUEUE_ARBITRARY_N);
    pump_mixes(device, HOP__QUEUE_CAS);
}

static void each_token_is_taken_once(void **state) {
    (void)state;
    on_each_device(mixes_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_token_is_taken_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
