/* SPDX-License-Identifier: Apache-2.0
 * Galois' binary graphs: round trips, both versions byte by byte, and damage. */
#include "io/binary_testing.h"

#include "graph/graph_internal.h"
#include "io/bytes/little_endian.h"

static void test_round_trip(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    options.duplicates = HOP_DUPLICATES_KEEP;
    for (size_t i = 0; i < SAMPLES; i++)
        for (unsigned type = HOP_TYPE_NONE; type <= HOP_TYPE_INT64; type++) {
            hop_graph *graph =
                make_sample(context, &samples[i], true, (hop_weight_type)type, HOP_DUPLICATES_KEEP);
            hop_write_options write = HOP_WRITE_OPTIONS_INIT;
            hop_graph *back = NULL;
            write.format = "galois";
            write.drop_labels = samples[i].labels || samples[i].first_id > 1;
            assert_int_equal(hop_graph_write(context, graph, temporary("graph.gr"), &write),
                             HOP_OK);
            graph->first_id = 0; /* what a file that counts from 0 makes of ids from 1 */
            graph->labels = NULL;
            /* Its suffix is that of a text format too: the contents decide. */
            if (hop_graph_read(context, temporary("graph.gr"), &options, &back) != HOP_OK)
                fail_msg("%s", hop_context_message(context));
            assert_int_equal(hash_of(context, graph), hash_of(context, back));
            hop_graph_release(back);
            hop_graph_release(graph);
        }
    free_context(context);
}

/* 0 -> 2, 0 -> 1, 2 -> 0 with weights 5, -1, 7. */
static size_t build_file(unsigned char *file, uint64_t version, uint64_t weight_bytes) {
    static const uint64_t ends[] = {2, 2, 3}, targets[] = {2, 1, 0};
    static const int64_t weights[] = {5, -1, 7};
    unsigned char *at = file;
    at = hop__le64_store(at, version);
    at = hop__le64_store(at, weight_bytes);
    at = hop__le64_store(at, 3);
    at = hop__le64_store(at, 3);
    memcpy(at, ends, sizeof ends);
    at += sizeof ends;
    for (size_t i = 0; i < 3; i++)
        at = version == 1 ? hop__le32_store(at, (uint32_t)targets[i])
                          : hop__le64_store(at, targets[i]);
    if (version == 1)
        at = hop__le32_store(at, 0);
    for (size_t i = 0; i < 3 && weight_bytes > 0; i++)
        at = weight_bytes == 4 ? hop__le32_store(at, (uint32_t)weights[i])
                               : hop__le64_store(at, (uint64_t)weights[i]);
    return (size_t)(at - file);
}

static void test_layout(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    unsigned char file[256];
    for (uint64_t version = 1; version <= 2; version++)
        for (uint64_t weight = 0; weight <= 8; weight += 4) {
            size_t count = build_file(file, version, weight);
            hop_graph *graph = NULL;
            assert_int_equal(hop_graph_read_memory(context, "bytes", file, count, NULL, &graph),
                             HOP_OK);
            const arc arcs[] = {{0, 1, 0, -1}, {0, 2, 0, 5}, {2, 0, 0, 7}};
            assert_graph_is(graph, arcs, 3);
            assert_true(hop_graph_directed(graph));
            hop_weight_type type;
            (void)hop_graph_weights(graph, &type);
            assert_int_equal(type, weight == 0   ? HOP_TYPE_NONE
                                   : weight == 4 ? HOP_TYPE_INT32
                                                 : HOP_TYPE_INT64);
            hop_graph_release(graph);
            /* Padding at the very end may be left out. */
            if (version == 1 && weight == 0) {
                assert_int_equal(
                    hop_graph_read_memory(context, "bytes", file, count - 4, NULL, &graph), HOP_OK);
                assert_graph_is(graph, arcs, 3);
                hop_graph_release(graph);
            }
        }
    free_context(context);
}

static void expect(const unsigned char *file, size_t count, hop_status expected, const char *part) {
    hop_context *context = small_context();
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.format = "galois";
    assert_int_equal(hop_graph_read_memory(context, "lie", file, count, &options, &graph),
                     expected);
    assert_message(context, part);
    free_context(context);
}

static void test_lies(void **state) {
    (void)state;
    static const uint64_t counts[] = {
        0, 2, 5, 1 << 20, UINT32_MAX, UINT64_MAX, UINT64_MAX / 8, 16, 12, 32, (uint64_t)INT64_MAX};
    unsigned char file[256];
    for (uint64_t version = 1; version <= 2; version++) {
        size_t count = build_file(file, version, 8);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            for (size_t at = 0; at < 32; at += 8) {
                build_file(file, version, 8);
                if (hop__le64_load(file + at) == counts[i])
                    continue;
                hop__le64_store(file + at, counts[i]);
                expect(file, count, HOP_ERR_INPUT, "no Galois graph");
            }
        build_file(file, version, 8);
        hop__le64_store(file + 32, 3); /* ends 3 2 3 */
        expect(file, count, HOP_ERR_INPUT, "offset number 1");
        build_file(file, version, 8);
        hop__le64_store(file + 48, 2); /* ends 2 2 2 */
        expect(file, count, HOP_ERR_INPUT, "from 0 to 2");
        build_file(file, version, 8);
        hop__le32_store(file + 56, 3);
        expect(file, count, HOP_ERR_INPUT, "3");
    }
    size_t count = build_file(file, 2, 0);
    hop__le64_store(file + 56, (UINT64_C(1) << 32) + 1); /* would be 1 in 32 bits */
    expect(file, count, HOP_ERR_INPUT, "4294967295");
    /* Edge data of 3 bytes: the counts agree, but there is no such weight. */
    count = build_file(file, 2, 0);
    hop__le64_store(file + 8, 3);
    memset(file + count, 0, 9);
    expect(file, count + 9, HOP_ERR_UNSUPPORTED, "3 bytes");
}

static void test_refused(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_write_options write = HOP_WRITE_OPTIONS_INIT;
    write.format = "galois";
    hop_graph *graph = make_sample(context, &samples[3], false, HOP_TYPE_NONE, HOP_DUPLICATES_KEEP);
    assert_int_equal(hop_graph_write(context, graph, temporary("no.gr"), &write),
                     HOP_ERR_UNSUPPORTED);
    hop_graph_release(graph);
    graph = make_sample(context, &samples[3], true, HOP_TYPE_FLOAT64, HOP_DUPLICATES_KEEP);
    assert_int_equal(hop_graph_write(context, graph, temporary("no.gr"), &write),
                     HOP_ERR_UNSUPPORTED);
    assert_int_equal(access(temporary("no.gr"), F_OK), -1);
    hop_graph_release(graph);
    free_context(context);
}

static void test_damage(void **state) {
    (void)state;
    unsigned char bytes[256];
    for (uint64_t version = 1; version <= 2; version++) {
        file_bytes file = {bytes, build_file(bytes, version, 4)};
        cut_everywhere("galois", file);
        assert_true(damage_everywhere("galois", file) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_layout),
        cmocka_unit_test(test_lies),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
