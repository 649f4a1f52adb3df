/* SPDX-License-Identifier: Apache-2.0
 * Native files written in a stream: the same graph, record and checksums as when the graph is in
 * memory; and the checksums of blocks, held against the arrays by code of its own. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "io/binary_testing.h"

#include "graph/graph_internal.h"
#include "hoplite/generate.h"
#include "io/formats/npz_stream.h"

/* Writes a graph by parts of `step` items. */
static hop_status stream_graph(hop_context *context, const hop_graph *graph, uint64_t step,
                               const char *path) {
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    hop__output *output = NULL;
    hop__npz_stream *stream = NULL;
    hop__npz_stream_head head = {graph->vertices, graph->arcs + 3, graph->directed,
                                 graph->weight_type, hop__graph_names(graph)};
    size_t width = hop_type_size(graph->weight_type);
    uint64_t *offsets = malloc(((size_t)graph->vertices + 1) * 8);
    for (uint64_t v = 0; v <= graph->vertices; v++)
        offsets[v] = hop__offset(graph, v);
    assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
    hop_status status = hop__output_open(context, path, false, &output);
    if (status == HOP_OK)
        status = hop__npz_stream_open(context, output, &head, &stream);
    for (uint64_t at = 0; at < graph->arcs && status == HOP_OK; at += step)
        status = hop__npz_stream_targets(context, stream, graph->targets + at,
                                         graph->arcs - at < step ? graph->arcs - at : step);
    for (uint64_t at = 0; at < graph->arcs && status == HOP_OK && width > 0; at += step)
        status = hop__npz_stream_weights(context, stream, (const char *)graph->weights + at * width,
                                         graph->arcs - at < step ? graph->arcs - at : step);
    for (uint64_t at = 0; at <= graph->vertices && status == HOP_OK; at += step)
        status = hop__npz_stream_offsets(context, stream, offsets + at,
                                         graph->vertices + 1 - at < step ? graph->vertices + 1 - at
                                                                         : step);
    if (status == HOP_OK)
        status = hop__npz_stream_finish(context, stream, info.loops);
    hop__npz_stream_close(stream);
    free(offsets);
    return hop__output_close(context, output, status);
}

typedef struct opened {
    file_bytes file;
    hop__input *input;
    hop__zip zip;
} opened;

static void open_zip(hop_context *context, const char *path, opened *from) {
    from->file = load_file(path);
    assert_int_equal(hop__input_open_memory(context, path, from->file.bytes, from->file.count, NULL,
                                            &from->input),
                     HOP_OK);
    assert_int_equal(
        hop__zip_open(context, from->input, from->file.bytes, from->file.count, &from->zip),
        HOP_OK);
}

static void close_zip(opened *from) {
    hop__input_close(from->input);
    free(from->file.bytes);
}

/* The items of a member; NULL when there is none. */
static const unsigned char *items_of(const opened *from, const char *name, uint64_t *bytes) {
    const hop__zip_member *member = hop__zip_find(&from->zip, name);
    hop__npy npy;
    *bytes = 0;
    if (member == NULL || member->deflated)
        return NULL;
    const unsigned char *contents = from->file.bytes + member->data;
    assert_null(hop__npy_parse(contents, (size_t)member->size, member->size, &npy));
    *bytes = member->size - npy.header_bytes;
    assert_int_equal((member->data + npy.header_bytes) % 64, 0);
    return contents + npy.header_bytes;
}

/* Every sum of blocks.npy, and that there is nothing else. */
static void check_blocks(hop_context *context, const char *path) {
    static const char *const names[] = {"indptr.npy", "indices.npy",      "data.npy",
                                        "labels.npy", "name_offsets.npy", "name_bytes.npy"};
    opened from;
    uint64_t bytes, all = 0, words;
    open_zip(context, path, &from);
    const uint64_t *sums = (const void *)items_of(&from, "blocks.npy", &words);
    assert_non_null(sums);
    assert_int_equal(sums[0], 16384);
    assert_int_equal(sums[1], 1);
    for (size_t i = 0; i < 6; i++) {
        const unsigned char *items = items_of(&from, names[i], &bytes);
        uint64_t first = sums[2 + 2 * i], count = sums[3 + 2 * i];
        assert_int_equal(count, (bytes + 16383) / 16384);
        for (uint64_t k = 0; k < count; k++) {
            size_t left = (size_t)(bytes - k * 16384);
            assert_true(sums[14 + first + k] ==
                        XXH3_64bits(items + k * 16384, left < 16384 ? left : 16384));
        }
        all += count;
    }
    assert_int_equal(words, (14 + all) * 8);
    close_zip(&from);
}

/* The same record, byte for byte, as when the graph is written from memory. */
static void check_record(hop_context *context, const char *path, const char *other) {
    opened a, b;
    uint64_t bytes, other_bytes;
    open_zip(context, path, &a);
    open_zip(context, other, &b);
    const unsigned char *x = items_of(&a, "hoplite.npy", &bytes);
    const unsigned char *y = items_of(&b, "hoplite.npy", &other_bytes);
    assert_int_equal(bytes, other_bytes);
    assert_memory_equal(x, y, bytes);
    close_zip(&a);
    close_zip(&b);
}

static void check_graph(hop_context *context, const hop_graph *graph, uint64_t step) {
    char streamed[128], written[128];
    hop_read_options verify = HOP_READ_OPTIONS_INIT;
    hop_graph *back = NULL;
    snprintf(streamed, sizeof streamed, "%s", temporary("streamed.npz"));
    snprintf(written, sizeof written, "%s", temporary("written.npz"));
    if (stream_graph(context, graph, step, streamed) != HOP_OK ||
        hop_graph_write(context, graph, written, NULL) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    check_blocks(context, written);
    check_blocks(context, streamed);
    check_record(context, streamed, written);
    verify.verify = true;
    if (hop_graph_read(context, streamed, &verify, &back) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_true(back->mapped);
    assert_int_equal(hash_of(context, graph), hash_of(context, back));
    hop_graph_release(back);
}

static void test_samples(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    for (size_t i = 0; i < SAMPLES; i++)
        for (unsigned directed = 0; directed < 2; directed++)
            for (unsigned type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++) {
                hop_graph *graph = make_sample(context, &samples[i], directed != 0,
                                               (hop_weight_type)type, HOP_DUPLICATES_KEEP);
                check_graph(context, graph, 1 + i % 3);
                hop_graph_release(graph);
            }
    free_context(context);
}

static hop_graph *random_graph(hop_context *context, double vertices, double edges,
                               hop_weight_type type) {
    const hop_setting settings[] = {{"n", vertices}, {"m", edges}};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.settings = settings;
    options.setting_count = 2;
    options.weight_type = type;
    if (hop_graph_generate(context, "erdos-renyi", &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return graph;
}

/* More than a buffer, in parts that do not divide it; at its edges too. */
static void test_large(void **state) {
    (void)state;
    static const uint64_t steps[] = {100003, 1 << 18, (1 << 21) + 1};
    hop_context *context = make_context(2);
    for (unsigned type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type += 2) {
        hop_graph *graph = random_graph(context, 600001, 2400000, (hop_weight_type)type);
        check_graph(context, graph, steps[type / 2]);
        hop_graph_release(graph);
    }
    free_context(context);
}

/* What does not go together is refused, and no file is left. */
static void test_refusals(void **state) {
    (void)state;
    static const hop_vertex targets[] = {1, 0, 1};
    static const uint64_t offsets[] = {0, 2, 1, 4, 3};
    for (unsigned wrong = 0; wrong < 6; wrong++) {
        hop_context *context = make_context(1);
        hop__npz_stream_head head = {2, wrong == 0 ? 2 : 3, true, HOP_TYPE_NONE, {NULL, 0, NULL}};
        hop__output *output = NULL;
        hop__npz_stream *stream = NULL;
        const char *path = temporary("refused.npz");
        assert_int_equal(hop__output_open(context, path, false, &output), HOP_OK);
        assert_int_equal(hop__npz_stream_open(context, output, &head, &stream), HOP_OK);
        hop_status status = hop__npz_stream_targets(context, stream, targets, 3);
        if (wrong == 1)
            status = hop__npz_stream_weights(context, stream, targets, 3);
        if (wrong >= 2)
            status = hop__npz_stream_offsets(context, stream, offsets, wrong == 3 ? 3 : 2);
        if (wrong == 2) /* after offsets no targets */
            status = hop__npz_stream_targets(context, stream, targets, 1);
        if (wrong == 4) /* past the arcs */
            status = hop__npz_stream_offsets(context, stream, offsets + 3, 1);
        if (wrong == 5) /* too few */
            status = hop__npz_stream_finish(context, stream, 0);
        assert_int_equal(status, HOP_ERR_ARGUMENT);
        hop__npz_stream_close(stream);
        assert_int_equal(hop__output_close(context, output, status), HOP_ERR_ARGUMENT);
        assert_int_equal(access(path, F_OK), -1);
        free_context(context);
    }
}

static void test_pipes(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop__npz_stream_head head = {2, 3, true, HOP_TYPE_NONE, {NULL, 0, NULL}};
    hop__output *output = NULL;
    hop__npz_stream *stream = NULL;
    assert_int_equal(hop__output_open(context, temporary("a.gz"), true, &output), HOP_OK);
    assert_int_equal(hop__npz_stream_open(context, output, &head, &stream), HOP_ERR_UNSUPPORTED);
    assert_int_equal(hop__output_close(context, output, HOP_ERR_UNSUPPORTED), HOP_ERR_UNSUPPORTED);
    free_context(context);
}

/* No more memory than is said. */
static void test_memory(void **state) {
    (void)state;
    hop_context *plain = make_context(1);
    hop_graph *graph = random_graph(plain, 200000, 900000, HOP_TYPE_NONE);
    hop_context_options small = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    hop__npz_stream_head head = {
        graph->vertices, graph->arcs + 3, false, HOP_TYPE_NONE, {NULL, 0, NULL}};
    small.threads = 1;
    small.memory_budget = 4 << 20;
    assert_int_equal(hop_context_create(&small, &context), HOP_OK);
    uint64_t need =
        hop__npz_stream_bytes(context, &head) + hop__output_bytes(context, false) + 65536;
    hop__pool_reset_peak(context->pool);
    if (stream_graph(context, graph, 100000, temporary("memory.npz")) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_true(hop__pool_usage(context->pool).peak <= need);
    free_context(context);
    hop_graph_release(graph);
    free_context(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),  cmocka_unit_test(test_large),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
