/* SPDX-License-Identifier: Apache-2.0
 * Sweeps: every element is done once however the slices fall, work that a kernel leaves is launched
 * again until none is left, what is behind it waits for it, and a cancel is seen between slices. */
#include "core/progress.h"
#include "kernels/kernels_testing.h"
#include "kernels/sweep.h"

/* `down` takes `amount` from every word and leaves work while one is above 0; `add` adds the words
 * to others, with one, and leaves nothing. */
static const char text[] =
    "__kernel void once(ulong first, ulong count, __global uint *words) {\n"
    "    for (ulong i = get_global_id(0); i < count; i += get_global_size(0))\n"
    "        words[first + i] += (uint)(first + i);\n"
    "}\n"
    "__kernel void down(ulong first, ulong count, uint turn, __global uint *flags,\n"
    "                   __global uint *words, uint amount) {\n"
    "    uint left = atomic_add(&flags[0], 0u);\n"
    "    if (left != 0 && left != turn / 2)\n"
    "        return;\n"
    "    for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {\n"
    "        uint word = words[first + i];\n"
    "        words[first + i] = word > amount ? word - amount : 0;\n"
    "        if (word > amount)\n"
    "            atomic_xchg(&flags[0], turn / 2);\n"
    "    }\n"
    "}\n"
    "__kernel void add(ulong first, ulong count, uint turn, __global uint *flags,\n"
    "                  __global const uint *words, __global uint *others) {\n"
    "    uint left = atomic_add(&flags[0], 0u);\n"
    "    if (left != 0 && left != turn / 2)\n"
    "        return;\n"
    "    for (ulong i = get_global_id(0); i < count; i += get_global_size(0))\n"
    "        others[first + i] += words[first + i] + 1;\n"
    "}\n";
static const hop__source piece = {"sweep.cl", text};
static const hop__source *const pieces[] = {&piece};
static const hop__program_source source = {"sweep_test", pieces, 1};

enum { COUNT = 10007 };

typedef struct fixture {
    hop__sweeper sweeper;
    hop__buffer *words;
    uint32_t expected[COUNT];
} fixture;

static void fixture_begin(hop_context *context, hop__device *device, fixture *f) {
    hop__program *program = NULL;
    assert_fine(context, hop__program_get(device, &source, NULL, 0, &program));
    assert_fine(context, hop__sweeper_begin(device, NULL, program, &f->sweeper));
    for (uint32_t i = 0; i < COUNT; i++)
        f->expected[i] = i % 700;
    assert_fine(context, hop__buffer_create(device, "words", sizeof f->expected, &f->words));
    assert_fine(context, hop__buffer_write(f->words, 0, sizeof f->expected, f->expected));
    assert_fine(context, hop__device_finish(device));
}

static void fixture_end(fixture *f) {
    hop__buffer_free(f->words);
    hop__sweeper_end(&f->sweeper);
}

static void assert_words(hop_context *context, fixture *f) {
    static uint32_t got[COUNT];
    assert_fine(context, hop__buffer_read_now(f->words, 0, sizeof got, got));
    assert_memory_equal(got, f->expected, sizeof got);
}

static void slices_body(hop_context *context, hop__device *device) {
    static const uint64_t most[] = {0, 1000, COUNT - 1, COUNT, 77};
    static fixture f;
    fixture_begin(context, device, &f);
    for (size_t s = 0; s < 5; s++) {
        hop__argument arguments[] = {hop__arg_buffer(f.words)};
        hop__sweep sweep = {"once", COUNT, 8, false, arguments, 1};
        f.sweeper.slice_most = most[s];
        uint64_t before = f.sweeper.launches;
        assert_fine(context, hop__sweep_run(&f.sweeper, &sweep));
        assert_int_equal(f.sweeper.launches - before,
                         most[s] == 0 ? 1 : (COUNT + most[s] - 1) / most[s]);
        for (uint32_t i = 0; i < COUNT; i++)
            f.expected[i] += i;
        assert_words(context, &f);
    }
    fixture_end(&f);
}

static void slices_cover_the_range_once(void **state) {
    (void)state;
    on_each_device(slices_body);
}

static void trips_body(hop_context *context, hop__device *device) {
    static fixture f;
    fixture_begin(context, device, &f);
    hop__argument arguments[] = {hop__arg_buffer(f.words), hop__arg_u32(100)};
    hop__sweep sweep = {"down", COUNT, 8, true, arguments, 2};
    f.sweeper.slice_most = 5000;
    assert_fine(context, hop__sweep_run(&f.sweeper, &sweep));
    assert_fine(context, hop__sweep_settle(&f.sweeper, NULL));
    assert_true(f.sweeper.launches >= 7 + 7 + 3); /* words up to 699, in the last slice to 206 */
    memset(f.expected, 0, sizeof f.expected);
    assert_words(context, &f);
    fixture_end(&f);
}

static void what_is_left_is_launched_again(void **state) {
    (void)state;
    on_each_device(trips_body);
}

/* `add` three times behind `down`, which comes seven times: each acts once, when all words are 0.
 */
static void ahead_body(hop_context *context, hop__device *device) {
    static fixture f;
    hop__buffer *others = NULL;
    bool late;
    fixture_begin(context, device, &f);
    assert_fine(context, hop__buffer_create(device, "others", sizeof f.expected, &others));
    assert_fine(context, hop__buffer_fill(others, 0, sizeof f.expected, 0));
    hop__argument some[] = {hop__arg_buffer(f.words), hop__arg_u32(100)};
    hop__argument pair[] = {hop__arg_buffer(f.words), hop__arg_buffer(others)};
    hop__argument last[] = {hop__arg_buffer(others)};
    hop__sweep down = {"down", COUNT, 8, true, some, 2}, add = {"add", COUNT, 8, true, pair, 2};
    hop__sweep once = {"once", COUNT, 8, false, last, 1};
    assert_fine(context, hop__sweep_run(&f.sweeper, &down));
    for (int i = 0; i < 3; i++)
        assert_fine(context, hop__sweep_run(&f.sweeper, &add));
    assert_int_equal(f.sweeper.launches, 4); /* nothing was waited for */
    assert_fine(context, hop__sweep_settle(&f.sweeper, &late));
    assert_true(late);
    assert_int_equal(f.sweeper.launches, 7 * 4);
    /* More than there is room for; then one that leaves nothing waits for those ahead. */
    for (int i = 0; i < HOP__SWEEP_AHEAD + 1; i++)
        assert_fine(context, hop__sweep_run(&f.sweeper, &add));
    assert_fine(context, hop__sweep_run(&f.sweeper, &once));
    assert_fine(context, hop__sweep_settle(&f.sweeper, &late));
    assert_false(late);
    assert_int_equal(f.sweeper.launches, 7 * 4 + HOP__SWEEP_AHEAD + 2);
    memset(f.expected, 0, sizeof f.expected);
    assert_words(context, &f);
    hop__buffer_free(f.words);
    f.words = others;
    for (uint32_t i = 0; i < COUNT; i++)
        f.expected[i] = 3 + HOP__SWEEP_AHEAD + 1 + i;
    assert_words(context, &f);
    fixture_end(&f);
}

static void slices_ahead_wait_for_what_is_left(void **state) {
    (void)state;
    on_each_device(ahead_body);
}

static bool stop(void *user, const hop_progress *progress) {
    (void)progress;
    ++*(int *)user;
    return false;
}

static void a_cancel_is_seen_between_slices(void **state) {
    (void)state;
    static fixture f;
    device_names found = usable_devices();
    for (size_t d = 0; d < found.count; d++) {
        int calls = 0;
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        hop_context *context = NULL;
        hop__device *device = NULL;
        options.device = found.names[d];
        options.progress = stop;
        options.progress_user = &calls;
        assert_int_equal(hop_context_create(&options, &context), HOP_OK);
        assert_fine(context, hop__device_of(context, &device));
        fixture_begin(context, device, &f);
        hop__argument arguments[] = {hop__arg_buffer(f.words)};
        hop__sweep sweep = {"once", COUNT, 8, false, arguments, 1};
        f.sweeper.slice_most = 10;
        hop__progress_begin(context, "sweep", COUNT);
        hop_status status = HOP_OK;
        for (int i = 0; i < 1000 && status == HOP_OK; i++) /* the callback comes every 50 ms */
            status = hop__sweep_run(&f.sweeper, &sweep);
        assert_int_equal(status, HOP_ERR_CANCELLED);
        assert_int_equal(calls, 1);
        assert_true(f.sweeper.launches % (COUNT / 10 + 1) != 0);
        fixture_end(&f);
        free_context(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_cover_the_range_once),
        cmocka_unit_test(what_is_left_is_launched_again),
        cmocka_unit_test(slices_ahead_wait_for_what_is_left),
        cmocka_unit_test(a_cancel_is_seen_between_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
