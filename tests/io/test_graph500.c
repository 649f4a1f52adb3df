/* SPDX-License-Identifier: Apache-2.0
 * Graph500 tuples: both forms, weights beside, ids that are numbers or labels. */
#include "io/binary_testing.h"

#include "graph/graph_internal.h"
#include "io/bytes/little_endian.h"

static const char *const suffixes[] = {"g500", "g500-64"};

static const char *path_of(const char *name, unsigned form) {
    char full[64];
    snprintf(full, sizeof full, "%s.%s", name, suffixes[form]);
    return temporary(full);
}

/* Round trips; vertices after the last one with an edge cannot be told. */
static void test_round_trip(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    options.duplicates = HOP_DUPLICATES_KEEP;
    for (unsigned form = 0; form < 2; form++)
        for (size_t i = 4; i < SAMPLES && samples[i].first_id <= 1; i++)
            for (unsigned weighted = 0; weighted < 2; weighted++) {
                hop_weight_type type = weighted ? HOP_TYPE_FLOAT32 : HOP_TYPE_NONE;
                hop_graph *graph =
                    make_sample(context, &samples[i], false, type, HOP_DUPLICATES_KEEP);
                hop_graph *back = NULL;
                const char *name = weighted ? "weighted" : "plain";
                if (hop_graph_write(context, graph, path_of(name, form), NULL) != HOP_OK)
                    fail_msg("%s", hop_context_message(context));
                graph->first_id = 0; /* what a file that counts from 0 makes of ids from 1 */
                file_bytes file = load_file(path_of(name, form));
                assert_int_equal(file.count, samples[i].count * (form ? 16 : 12));
                free(file.bytes);
                if (hop_graph_read(context, path_of(name, form), &options, &back) != HOP_OK)
                    fail_msg("%s", hop_context_message(context));
                assert_int_equal(hash_of(context, graph), hash_of(context, back));
                hop_graph_release(back);
                hop_graph_release(graph);
            }
    free_context(context);
}

static void test_layout(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    unsigned char packed[36], wide[48];
    static const uint64_t ids[] = {0, 1, 2, 1, 3, 3};
    for (size_t i = 0; i < 3; i++) {
        hop__le32_store(packed + 12 * i, (uint32_t)ids[2 * i]);
        hop__le32_store(packed + 12 * i + 4, (uint32_t)ids[2 * i + 1]);
        hop__le32_store(packed + 12 * i + 8, 0);
        hop__le64_store(wide + 16 * i, ids[2 * i]);
        hop__le64_store(wide + 16 * i + 8, ids[2 * i + 1]);
    }
    const arc arcs[] = {{0, 1, 0, 0}, {1, 0, 0, 0}, {1, 2, 0, 0}, {2, 1, 0, 0}, {3, 3, 0, 0}};
    options.format = "graph500";
    assert_int_equal(hop_graph_read_memory(context, "packed", packed, 36, &options, &graph),
                     HOP_OK);
    assert_graph_is(graph, arcs, 5);
    assert_null(hop_graph_labels(graph));
    hop_graph_release(graph);
    options.format = "graph500-64";
    assert_int_equal(hop_graph_read_memory(context, "wide", wide, 48, &options, &graph), HOP_OK);
    assert_graph_is(graph, arcs, 5);
    hop_graph_release(graph);

    /* High halves: 0x7_00000002 and 0x9_00000001. */
    hop__le32_store(packed + 20, 9u << 16 | 7);
    options.format = "graph500";
    assert_int_equal(hop_graph_read_memory(context, "packed", packed, 36, &options, &graph),
                     HOP_OK);
    const uint64_t labels[] = {0, 1, 3, UINT64_C(0x700000002), UINT64_C(0x900000001)};
    assert_int_equal(hop_graph_vertices(graph), 5);
    assert_memory_equal(hop_graph_labels(graph), labels, sizeof labels);
    hop_graph_release(graph);

    /* Six vertices at most for three edges; a larger id makes labels of all. */
    hop__le64_store(wide, 5);
    options.format = "graph500-64";
    assert_int_equal(hop_graph_read_memory(context, "wide", wide, 48, &options, &graph), HOP_OK);
    assert_int_equal(hop_graph_vertices(graph), 6);
    hop_graph_release(graph);
    hop__le64_store(wide, 6);
    assert_int_equal(hop_graph_read_memory(context, "wide", wide, 48, &options, &graph), HOP_OK);
    assert_int_equal(hop_graph_vertices(graph), 4);
    assert_int_equal(hop_graph_label(graph, 3), 6);
    hop_graph_release(graph);

    hop__le64_store(wide + 24, UINT64_MAX);
    assert_int_equal(hop_graph_read_memory(context, "wide", wide, 48, &options, &graph),
                     HOP_ERR_INPUT);
    assert_message(context, "edge 1 ");
    assert_int_equal(hop_graph_read_memory(context, "wide", wide, 40, &options, &graph),
                     HOP_ERR_INPUT);
    assert_message(context, "byte 32");
    assert_int_equal(hop_graph_read_memory(context, "wide", wide, 0, &options, &graph), HOP_OK);
    assert_int_equal(hop_graph_vertices(graph), 0);
    hop_graph_release(graph);
    free_context(context);
}

static void test_weights(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph =
        make_sample(context, &samples[4], false, HOP_TYPE_FLOAT32, HOP_DUPLICATES_KEEP);
    hop_graph *back = NULL;
    char path[128], weights[160];
    snprintf(path, sizeof path, "%s", temporary("beside.g500"));
    snprintf(weights, sizeof weights, "%s.weights", path);
    assert_int_equal(hop_graph_write(context, graph, path, NULL), HOP_OK);
    file_bytes file = load_file(weights);
    assert_int_equal(file.count, samples[4].count * 4);

    hop_write_options write = HOP_WRITE_OPTIONS_INIT;
    write.drop_weights = true;
    assert_int_equal(hop_graph_write(context, graph, path, &write), HOP_ERR_ARGUMENT);
    assert_message(context, "remove");

    hop_read_options read = HOP_READ_OPTIONS_INIT;
    read.drop_weights = true;
    assert_int_equal(hop_graph_read(context, path, &read, &back), HOP_OK);
    hop_weight_type type;
    (void)hop_graph_weights(back, &type);
    assert_int_equal(type, HOP_TYPE_NONE);
    hop_graph_release(back);

    save_file(weights, file.bytes, file.count - 1);
    assert_int_equal(hop_graph_read(context, path, NULL, &back), HOP_ERR_INPUT);
    assert_message(context, ".weights");
    static const unsigned char nan[4] = {0, 0, 0xc0, 0x7f};
    memcpy(file.bytes + 4, nan, 4);
    save_file(weights, file.bytes, file.count);
    assert_int_equal(hop_graph_read(context, path, NULL, &back), HOP_ERR_INPUT);
    assert_message(context, ".g500.weights: byte 4: the weight of edge 1 is not a number (NaN)");
    hop_error_detail detail = HOP_ERROR_DETAIL_INIT;
    assert_true(hop_context_detail(context, &detail));
    assert_string_equal(detail.file, weights);
    assert_int_equal(detail.offset, 4);
    assert_int_equal(detail.arc, 1);
    save_file(weights, file.bytes, 0);
    save_file(path, file.bytes, 13); /* what is wrong with the edges is told of theirs */
    assert_int_equal(hop_graph_read(context, path, NULL, &back), HOP_ERR_INPUT);
    assert_true(hop_context_detail(context, &detail));
    assert_string_equal(detail.file, path);
    assert_int_equal(detail.offset, 12);
    free(file.bytes);
    hop_graph_release(graph);
    free_context(context);
}

/* A graph without edges is a file without bytes. */
static void test_empty(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (unsigned form = 0; form < 2; form++) {
        hop_graph *graph =
            make_sample(context, &samples[0], false, HOP_TYPE_NONE, HOP_DUPLICATES_MIN);
        hop_graph *back = NULL;
        assert_int_equal(hop_graph_write(context, graph, path_of("empty", form), NULL), HOP_OK);
        if (hop_graph_read(context, path_of("empty", form), NULL, &back) != HOP_OK)
            fail_msg("%s", hop_context_message(context));
        assert_int_equal(hash_of(context, graph), hash_of(context, back));
        hop_graph_release(back);
        hop_graph_release(graph);
        /* Others need more. */
        static const char *const names[] = {"npz", "gap", "galois"};
        for (size_t i = 0; i < 3; i++) {
            hop_read_options options = HOP_READ_OPTIONS_INIT;
            options.format = names[i];
            assert_int_equal(hop_graph_read(context, path_of("empty", form), &options, &back),
                             HOP_ERR_INPUT);
        }
    }
    free_context(context);
}

/* Ids and weights whose bytes begin a gzip file (1f 8b 08) or a zstd frame. */
static void test_beginnings_of_compressed_files(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    static const struct {
        uint64_t from, to;
        uint32_t weight; /* its bits; 0: none */
        hop_status wanted;
    } rows[] = {{0x088b1f, 0x088b20, 0, HOP_OK},
                {UINT64_C(0x1fd2fb528), UINT64_C(0x200000000), 0, HOP_OK},
                {0x088b1f, 0x01088b1f, 0, HOP_ERR_UNSUPPORTED},
                {5, 6, 0x3f088b1f, HOP_ERR_UNSUPPORTED},
                {5, 6, 0xfd2fb528, HOP_ERR_UNSUPPORTED},
                {5, 6, 0x3f800000, HOP_OK}};
    for (unsigned form = 0; form < 2; form++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            hop_edges edges = HOP_EDGES_INIT;
            hop_build_options building = HOP_BUILD_OPTIONS_INIT;
            float weight;
            hop_graph *graph = NULL, *back = NULL;
            char name[32];
            snprintf(name, sizeof name, "begins-%zu", i);
            memcpy(&weight, &rows[i].weight, sizeof weight);
            edges.count = 1;
            edges.from = &rows[i].from;
            edges.to = &rows[i].to;
            edges.id_bytes = 8;
            building.ids = HOP_IDS_SPARSE;
            edges.weights = rows[i].weight != 0 ? &weight : NULL;
            edges.weight_type = rows[i].weight != 0 ? HOP_TYPE_FLOAT32 : HOP_TYPE_NONE;
            assert_int_equal(hop_graph_from_edges(context, &edges, &building, &graph), HOP_OK);
            assert_int_equal(hop_graph_write(context, graph, path_of(name, form), NULL),
                             rows[i].wanted);
            if (rows[i].wanted == HOP_OK) {
                assert_int_equal(hop_graph_read(context, path_of(name, form), NULL, &back), HOP_OK);
                assert_int_equal(hash_of(context, graph), hash_of(context, back));
            }
            hop_graph_release(back);
            hop_graph_release(graph);
        }
    free_context(context);
}

static void test_damage(void **state) {
    (void)state;
    hop_context *context = make_context(1), *small = small_context();
    hop_graph *graph = make_sample(context, &samples[4], false, HOP_TYPE_NONE, HOP_DUPLICATES_MIN);
    for (unsigned form = 0; form < 2; form++) {
        const char *format = form ? "graph500-64" : "graph500";
        assert_int_equal(hop_graph_write(context, graph, path_of("damage", form), NULL), HOP_OK);
        file_bytes file = load_file(path_of("damage", form));
        for (size_t count = 0; count < file.count; count++)
            assert_int_equal(survive(small, format, file.bytes, count),
                             count % (form ? 16 : 12) == 0);
        assert_true(damage_everywhere(format, file) > 0);
        free(file.bytes);
    }
    hop_graph_release(graph);
    free_context(small);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_beginnings_of_compressed_files),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
