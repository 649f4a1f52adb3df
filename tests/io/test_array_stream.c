/* SPDX-License-Identifier: Apache-2.0
 * What the binary formats share: arrays in blocks, offsets of both widths, being cancelled. */
#include "io/binary_testing.h"

#include "core/memory.h"
#include "io/bytes/array_stream.h"
#include "io/bytes/little_endian.h"

enum { COUNT = 3000000 }; /* items of 8 bytes: three blocks */

static void make_items(void *user, uint64_t first, uint64_t count, unsigned char *bytes) {
    uint64_t factor = *(const uint64_t *)user;
    for (uint64_t i = 0; i < count; i++)
        hop__le64_store(bytes + 8 * i, (first + i) * factor);
}

static void take_items(void *user, uint64_t first, uint64_t count, unsigned char *bytes) {
    uint64_t *items = user;
    for (uint64_t i = 0; i < count; i++)
        items[first + i] = hop__le64_load(bytes + 8 * i);
}

static void write_items(hop_context *context, const char *path, uint64_t factor) {
    hop__output *output = NULL;
    assert_int_equal(hop__output_open(context, path, false, &output), HOP_OK);
    hop_status status = hop__stream_write(context, output, COUNT, 8, make_items, &factor);
    assert_int_equal(hop__output_close(context, output, status), HOP_OK);
}

static void test_blocks(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        hop_context *context = make_context(threads);
        hop__input *input = NULL;
        uint64_t *items = malloc(8 * COUNT);
        write_items(context, temporary("items"), 7);
        assert_int_equal(hop__input_open(context, temporary("items"), NULL, &input), HOP_OK);
        assert_int_equal(hop__stream_read(context, input, 0, COUNT, 8, take_items, items), HOP_OK);
        for (uint64_t i = 0; i < COUNT; i++)
            assert_true(items[i] == 7 * i);
        /* The last item lies half outside. */
        assert_int_equal(hop__stream_read(context, input, 4, COUNT, 8, take_items, items),
                         HOP_ERR_INPUT);
        hop__input_close(input);
        free(items);
        free_context(context);
    }
}

/* Offsets are kept 8 bytes wide from 2^32 arcs on. */
static void test_wide_offsets(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    for (uint64_t factor = 1000; factor <= 2000; factor += 1000) {
        uint64_t arcs = (COUNT - 1) * factor;
        hop__input *input = NULL;
        void *offsets = NULL;
        size_t width = 0;
        write_items(context, temporary("offsets"), factor);
        assert_int_equal(hop__input_open(context, temporary("offsets"), NULL, &input), HOP_OK);
        assert_int_equal(
            hop__stream_read_offsets(context, input, 0, COUNT - 1, arcs, false, &offsets, &width),
            HOP_OK);
        assert_int_equal(width, arcs > UINT32_MAX ? 8 : 4);
        for (uint64_t i = 0; i < COUNT; i += 97)
            assert_true((width == 4 ? ((uint32_t *)offsets)[i] : ((uint64_t *)offsets)[i]) ==
                        i * factor);
        hop__free(offsets);
        assert_int_equal(
            hop__stream_read_offsets(context, input, 8, COUNT - 1, arcs, true, &offsets, &width),
            HOP_OK);
        assert_true((width == 4 ? ((uint32_t *)offsets)[1] : ((uint64_t *)offsets)[1]) == factor);
        hop__free(offsets);
        assert_int_equal(hop__stream_read_offsets(context, input, 0, COUNT - 1, arcs - 1, false,
                                                  &offsets, &width),
                         HOP_ERR_INPUT);
        assert_message(context, "offset number 2999999");
        hop__free(offsets);
        hop__input_close(input);
    }
    free_context(context);
}

static bool refuse(void *user, const hop_progress *progress) {
    (void)progress;
    return --*(long *)user >= 0;
}

static hop_context *refusing_context(long *calls) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.progress = refuse;
    options.progress_user = calls;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

/* Every binary format, written and read, stops when it is told to and leaves nothing behind. */
static void test_cancelled(void **state) {
    (void)state;
    static const char *const names[] = {"c.npz", "c.sg", "c.wsg", "c.sgr", "c.g500", "c.g500-64"};
    hop_context *plain = make_context(1);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bool galois = i == 3, weighted = i == 2;
        hop_graph *graph =
            make_sample(plain, &samples[4], galois, weighted ? HOP_TYPE_INT32 : HOP_TYPE_NONE,
                        HOP_DUPLICATES_MIN);
        hop_graph *back = NULL;
        long calls = 0;
        hop_context *context = refusing_context(&calls);
        assert_int_equal(hop_graph_write(context, graph, temporary(names[i]), NULL),
                         HOP_ERR_CANCELLED);
        assert_int_equal(access(temporary(names[i]), F_OK), -1);
        hop_context_free(context);
        assert_int_equal(hop_graph_write(plain, graph, temporary(names[i]), NULL), HOP_OK);
        context = refusing_context(&calls);
        calls = 0;
        hop_status status = hop_graph_read(context, temporary(names[i]), NULL, &back);
        if (i == 0) { /* opening has nothing to cancel; the check has */
            assert_int_equal(status, HOP_OK);
            status = hop_graph_check(context, back);
            hop_graph_release(back);
        }
        assert_int_equal(status, HOP_ERR_CANCELLED);
        free_context(context);
        hop_graph_release(graph);
    }
    free_context(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_wide_offsets),
        cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
