/* SPDX-License-Identifier: Apache-2.0
 * GAP's serialized graphs: round trips, the layout byte by byte, and damage. */
#include "io/binary_testing.h"

#include "graph/graph_internal.h"
#include "io/bytes/little_endian.h"

static const char *path_of(hop_weight_type type) {
    return temporary(type == HOP_TYPE_NONE ? "graph.sg" : "graph.wsg");
}

static hop_graph *read_back(hop_context *context, const char *path) {
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.duplicates = HOP_DUPLICATES_KEEP;
    if (hop_graph_read(context, path, &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return graph;
}

static void test_round_trip(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    for (size_t i = 0; i < SAMPLES; i++)
        for (unsigned directed = 0; directed < 2; directed++)
            for (unsigned type = HOP_TYPE_NONE; type <= HOP_TYPE_INT32; type++) {
                const char *path = path_of((hop_weight_type)type);
                hop_graph *graph = make_sample(context, &samples[i], directed != 0,
                                               (hop_weight_type)type, HOP_DUPLICATES_KEEP);
                hop_status status = hop_graph_write(context, graph, path, NULL);
                graph->first_id = 0; /* what a file that counts from 0 makes of ids from 1 */
                if (samples[i].labels || samples[i].first_id > 1) {
                    assert_int_equal(status, HOP_ERR_UNSUPPORTED);
                    assert_message(context, "labels");
                } else {
                    assert_int_equal(status, HOP_OK);
                    hop_graph *back = read_back(context, path);
                    assert_int_equal(hash_of(context, graph), hash_of(context, back));
                    hop_graph_release(back);
                }
                hop_graph_release(graph);
            }
    free_context(context);
}

/* 0 -> 2 (weight 5), 0 -> 1 (weight -1), 2 -> 0 (weight 7): directed, rows not sorted. */
static size_t build_file(unsigned char *file) {
    static const uint64_t out[] = {0, 2, 2, 3}, in[] = {0, 1, 2, 3};
    static const int32_t items[] = {2, 5, 1, -1, 0, 7}, back[] = {2, 7, 0, -1, 0, 5};
    unsigned char *at = file;
    *at++ = 1;
    at = hop__le64_store(at, 3);
    at = hop__le64_store(at, 3);
    memcpy(at, out, sizeof out);
    at += sizeof out;
    memcpy(at, items, sizeof items);
    at += sizeof items;
    memcpy(at, in, sizeof in);
    at += sizeof in;
    memcpy(at, back, sizeof back);
    at += sizeof back;
    return (size_t)(at - file);
}

static void test_layout(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    unsigned char file[256];
    size_t count = build_file(file);
    hop_graph *graph = NULL;
    /* Recognised by its size alone. */
    assert_int_equal(hop_graph_read_memory(context, "bytes", file, count, NULL, &graph), HOP_OK);
    const arc arcs[] = {{0, 1, 0, -1}, {0, 2, 0, 5}, {2, 0, 0, 7}};
    assert_graph_is(graph, arcs, 3);
    assert_true(hop_graph_directed(graph));
    assert_int_equal(hop_graph_write(context, graph, temporary("layout.wsg"), NULL), HOP_OK);
    file_bytes written = load_file(temporary("layout.wsg"));
    assert_int_equal(written.count, count);
    /* The same but for the order in the first row. */
    static const int32_t sorted[] = {1, -1, 2, 5, 0, 7};
    memcpy(file + 17 + 32, sorted, sizeof sorted);
    assert_memory_equal(written.bytes, file, count);
    free(written.bytes);
    hop_graph_release(graph);
    free_context(context);
}

static void expect_input_error(const unsigned char *file, size_t count, const char *part) {
    hop_context *context = small_context();
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.format = "gap";
    assert_int_equal(hop_graph_read_memory(context, "lie", file, count, &options, &graph),
                     HOP_ERR_INPUT);
    assert_message(context, part);
    assert_message(context, "lie");
    free_context(context);
}

/* Counts that lie are refused before memory is asked for: the budget is 64 MiB. */
static void test_lies(void **state) {
    (void)state;
    static const uint64_t counts[] = {0,
                                      2,
                                      4,
                                      UINT64_C(1) << 31,
                                      1 << 20,
                                      UINT32_MAX,
                                      UINT64_MAX,
                                      (uint64_t)INT64_MAX,
                                      UINT64_MAX / 8};
    unsigned char file[256];
    size_t count = build_file(file);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (size_t at = 1; at <= 9; at += 8) {
            build_file(file);
            hop__le64_store(file + at, counts[i]);
            expect_input_error(file, count, "no GAP graph");
        }
    build_file(file);
    file[0] = 2;
    expect_input_error(file, count, "directed 2");
    build_file(file);
    hop__le64_store(file + 17 + 8, 3); /* offsets 0 3 2 3 */
    expect_input_error(file, count, "offset number 2");
    build_file(file);
    hop__le64_store(file + 17 + 8, UINT64_C(1) << 40);
    expect_input_error(file, count, "offset number 1");
    build_file(file);
    hop__le64_store(file + 17, 1);
    expect_input_error(file, count, "from 1 to 3");
    build_file(file);
    hop__le32_store(file + 17 + 32, 3);
    expect_input_error(file, count, "3");
    build_file(file);
    hop__le32_store(file + 17 + 32, UINT32_MAX);
    expect_input_error(file, count, "4294967295");
    file[0] = 0; /* too long for an undirected one */
    expect_input_error(file, count, "no GAP graph");
}

static void test_undirected_lie(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    unsigned char file[256];
    hop_graph *graph = NULL;
    build_file(file);
    file[0] = 0;
    assert_int_equal(hop_graph_read_memory(context, "lie", file, 17 + 32 + 24, NULL, &graph),
                     HOP_ERR_INPUT);
    assert_message(context, "undirected");
    /* As directed it is what it is; made undirected, edges are merged. */
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    options.direction = HOP_DIRECTION_DIRECTED;
    assert_int_equal(hop_graph_read_memory(context, "lie", file, 17 + 32 + 24, &options, &graph),
                     HOP_OK);
    assert_int_equal(hop_graph_arcs(graph), 3);
    hop_graph_release(graph);
    build_file(file);
    options.direction = HOP_DIRECTION_UNDIRECTED;
    assert_int_equal(
        hop_graph_read_memory(context, "true", file, build_file(file), &options, &graph), HOP_OK);
    const arc arcs[] = {{0, 1, 0, -1}, {0, 2, 0, 5}, {1, 0, 0, -1}, {2, 0, 0, 5}};
    assert_graph_is(graph, arcs, 4);
    hop_graph_release(graph);
    free_context(context);
}

/* Parallel arcs and loops follow the options. */
static void test_options(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    for (unsigned directed = 0; directed < 2; directed++)
        for (unsigned rule = HOP_DUPLICATES_MIN; rule <= HOP_DUPLICATES_LAST; rule++) {
            hop_graph *graph = make_sample(context, &samples[4], directed != 0, HOP_TYPE_INT32,
                                           HOP_DUPLICATES_KEEP);
            hop_graph *merged = make_sample(context, &samples[4], directed != 0, HOP_TYPE_INT32,
                                            (hop_duplicates)rule);
            hop_graph *back = NULL;
            hop_read_options options = HOP_READ_OPTIONS_INIT;
            options.duplicates = (hop_duplicates)rule;
            assert_int_equal(hop_graph_write(context, graph, temporary("twice.wsg"), NULL), HOP_OK);
            assert_int_equal(hop_graph_read(context, temporary("twice.wsg"), &options, &back),
                             HOP_OK);
            assert_int_equal(hash_of(context, merged), hash_of(context, back));
            hop_graph_release(back);
            options.loops = HOP_LOOPS_DROP;
            options.drop_weights = true;
            assert_int_equal(hop_graph_read(context, temporary("twice.wsg"), &options, &back),
                             HOP_OK);
            hop_graph_info info = HOP_GRAPH_INFO_INIT;
            assert_int_equal(hop_graph_describe(context, back, &info), HOP_OK);
            assert_int_equal(info.loops, 0);
            assert_int_equal(info.arcs, hop_graph_arcs(merged) - 1);
            assert_int_equal(info.weight_type, HOP_TYPE_NONE);
            hop_graph_release(back);
            hop_graph_release(merged);
            hop_graph_release(graph);
        }
    free_context(context);
}

static void test_refused(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph = make_sample(context, &samples[3], true, HOP_TYPE_INT32, HOP_DUPLICATES_KEEP);
    assert_int_equal(hop_graph_write(context, graph, temporary("weights.sg"), NULL),
                     HOP_ERR_ARGUMENT);
    assert_message(context, ".wsg");
    hop_graph_release(graph);
    graph = make_sample(context, &samples[3], true, HOP_TYPE_FLOAT32, HOP_DUPLICATES_KEEP);
    assert_int_equal(hop_graph_write(context, graph, temporary("weights.wsg"), NULL),
                     HOP_ERR_UNSUPPORTED);
    hop_graph_release(graph);
    free_context(context);
}

static void test_damage(void **state) {
    (void)state;
    unsigned char bytes[256];
    file_bytes file = {bytes, build_file(bytes)};
    cut_everywhere("gap", file);
    assert_true(damage_everywhere("gap", file) > 0);
    hop_context *context = make_context(1);
    hop_graph *graph = make_sample(context, &samples[4], false, HOP_TYPE_NONE, HOP_DUPLICATES_MIN);
    assert_int_equal(hop_graph_write(context, graph, temporary("damage.sg"), NULL), HOP_OK);
    file = load_file(temporary("damage.sg"));
    cut_everywhere("gap", file);
    (void)damage_everywhere("gap", file);
    free(file.bytes);
    hop_graph_release(graph);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_layout),
        cmocka_unit_test(test_lies),       cmocka_unit_test(test_undirected_lie),
        cmocka_unit_test(test_options),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
