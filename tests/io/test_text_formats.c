/* SPDX-License-Identifier: Apache-2.0
 * What must hold for every text format, over the table: what is written is read back the same, in
 * blocks and chunks of any size, by any number of threads, compressed or not; a file that is cut
 * or changed anywhere gives an error or a graph, never a crash; every allocation may fail. */
#include "io/text_testing.h"

#include <float.h>

/* ldbc is a pair of files: it takes part in what goes through paths. */
static bool single_file(const hop_format *format) {
    return strcmp(format->name, "ldbc") != 0;
}

static const char *path_for(const hop_format *format, bool gzip) {
    char name[32];
    snprintf(name, sizeof name, "g%.*s%s", (int)strcspn(format->suffixes, " "), format->suffixes,
             gzip ? ".gz" : "");
    return temporary(name);
}

/* Some graphs cannot be held by METIS, which has neither loops nor parallel edges nor weights below
 * 1: they are refused, and made smaller until they are not. */
static hop_graph *holdable(hop_context *context, const hop_format *format, const sample *from,
                           bool directed, hop_weight_type type) {
    bool metis = strcmp(format->name, "metis") == 0;
    if ((format->weight_types >> type & 1) == 0 ||
        !(directed ? format->directed : format->undirected) ||
        ((from->labels || from->first_id > 1) && !format->labels))
        return NULL;
    hop_graph *graph = make_sample(context, from, directed, type, HOP_DUPLICATES_KEEP);
    if (format->counts_from == 1)
        graph->first_id = 1;
    if (!metis)
        return graph;
    hop_graph_release(graph);
    uint32_t pairs[64];
    int64_t weights[64];
    int32_t narrow[64];
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    for (size_t i = 0; i < from->count; i++) {
        if (from->pairs[2 * i] == from->pairs[2 * i + 1])
            continue;
        memcpy(pairs + 2 * edges.count, from->pairs + 2 * i, 8);
        weights[edges.count] = narrow[edges.count] = (int32_t)(1 + i * 70000000);
        edges.count++;
    }
    edges.from = pairs;
    edges.to = pairs + 1;
    edges.stride = 8;
    edges.weight_type = type;
    edges.weights = type == HOP_TYPE_NONE    ? NULL
                    : type == HOP_TYPE_INT32 ? (const void *)narrow
                                             : weights;
    build.vertices = from->vertices;
    assert_int_equal(hop_graph_from_edges(context, &edges, &build, &graph), HOP_OK);
    graph->first_id = 1;
    return graph;
}

typedef void (*each_fn)(hop_context *context, const hop_format *format, const hop_graph *graph);

/* Calls fn for every text format and every sample, direction and type that it can hold. */
static void for_each(each_fn fn) {
    hop_context *context = make_context(2);
    unsigned calls = 0;
    for (size_t i = 0; i < hop_format_count(); i++) {
        const hop_format *format = hop_format_at(i);
        if (!format->text || !format->can_write)
            continue;
        for (size_t s = 0; s < SAMPLES; s++)
            for (int directed = 0; directed < 2; directed++)
                for (int type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++) {
                    hop_graph *graph =
                        holdable(context, format, &samples[s], directed, (hop_weight_type)type);
                    if (graph == NULL)
                        continue;
                    fn(context, format, graph);
                    hop_graph_release(graph);
                    calls++;
                }
    }
    assert_true(calls > 100);
    free_context(context);
}

static void write_to(hop_context *context, const hop_graph *graph, const hop_format *format,
                     const char *path) {
    hop_write_options options = HOP_WRITE_OPTIONS_INIT;
    options.format = format->name;
    if (hop_graph_write(context, graph, path, &options) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
}

static void round_trip(hop_context *context, const hop_format *format, const hop_graph *graph) {
    for (int gzip = 0; gzip < 2; gzip++) {
        const char *path = path_for(format, gzip);
        hop_read_options options = keep_all(NULL); /* recognised */
        hop_graph *back = NULL;
        write_to(context, graph, format, path);
        if (hop_graph_read(context, path, &options, &back) != HOP_OK)
            fail_msg("%s", hop_context_message(context));
        assert_string_equal(hop_context_format(context)->name, format->name);
        assert_same_graph(graph, back);
        hop_graph_release(back);
    }
}

static void test_round_trips(void **state) {
    (void)state;
    for_each(round_trip);
}

/* ---- weights that are hard to write ------------------------------------------------------- */

static void extreme_trip(const hop_format *format, hop_weight_type type, const void *weights,
                         uint64_t count) {
    hop_context *context = make_context(1);
    uint32_t from[16], to[16];
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    hop_read_options options = keep_all(NULL);
    hop_graph *graph = NULL, *back = NULL;
    for (uint32_t i = 0; i < count; i++) {
        from[i] = i;
        to[i] = i + 1;
    }
    edges.count = count;
    edges.from = from;
    edges.to = to;
    edges.weights = weights;
    edges.weight_type = type;
    build.directed = true;
    assert_int_equal(hop_graph_from_edges(context, &edges, &build, &graph), HOP_OK);
    graph->first_id = format->counts_from == 1;
    const char *path = path_for(format, false);
    write_to(context, graph, format, path);
    if (hop_graph_read(context, path, &options, &back) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    assert_same_graph(graph, back);
    hop_graph_release(graph);
    hop_graph_release(back);
    free_context(context);
}

static void test_extreme_weights(void **state) {
    (void)state;
    static const int32_t ints[] = {INT32_MIN, INT32_MAX, 0, -1, 10, 99, 100};
    static const int64_t longs[] = {INT64_MIN, INT64_MAX, 0, -1, INT32_MAX};
    static const float floats[] = {FLT_MAX,   -FLT_MAX,    FLT_MIN,      1e-45f,
                                   0.1f,      -0.0f,       1.0f / 3,     INFINITY,
                                   -INFINITY, 16777216.0f, 999999936.0f, 0.000001f};
    static const double doubles[] = {DBL_MAX,  -DBL_MIN, 4.9e-324, 0.1,        -0.0,
                                     1.0 / 3,  INFINITY, 1e22,     123456.789, 999999999.999999,
                                     0.000001, 1e-7,     5e8};
    for (size_t i = 0; i < hop_format_count(); i++) {
        const hop_format *format = hop_format_at(i);
        if (!format->text || !format->can_write || !format->directed)
            continue;
        extreme_trip(format, HOP_TYPE_INT32, ints, 7);
        extreme_trip(format, HOP_TYPE_INT64, longs, 5);
        if ((format->weight_types >> HOP_TYPE_FLOAT32 & 1) == 0)
            continue;
        extreme_trip(format, HOP_TYPE_FLOAT32, floats, 12);
        extreme_trip(format, HOP_TYPE_FLOAT64, doubles, 13);
    }
}

/* ---- blocks, chunks, threads --------------------------------------------------------------- */

static void assert_cut(unsigned threads, const hop_format *format, file_bytes file, size_t block,
                       size_t chunk, const hop_graph *graph) {
    hop_context *reader = make_context(threads);
    hop_graph *back = NULL;
    if (read_cut(reader, format->name, (const char *)file.bytes, file.count, block, chunk, &back) !=
        HOP_OK)
        fail_msg("%s, blocks of %zu, chunks of %zu: %s", format->name, block, chunk,
                 hop_context_message(reader));
    assert_same_graph(graph, back);
    hop_graph_release(back);
    free_context(reader);
}

/* The same file, packed: it then comes in order, block by block. */
static file_bytes packed_file(file_bytes file) {
    file_bytes packed = {malloc(compressBound((uLong)file.count) + 64), 0};
    packed.count = (size_t)(pack(packed.bytes, file.bytes, file.count) - packed.bytes);
    return packed;
}

static void every_cut(hop_context *context, const hop_format *format, const hop_graph *graph) {
    static const size_t blocks[] = {1, 2, 3, 7, 16, 64, 4096};
    static const size_t chunks[] = {1, 2, 3, 5, 7, 13, 40, 4096};
    if (!single_file(format))
        return;
    const char *path = path_for(format, false);
    write_to(context, graph, format, path);
    file_bytes file = load_file(path), packed = packed_file(file);
    for (size_t b = 0; b < 7; b++) {
        assert_cut(1, format, packed, blocks[b], 1, graph);
        for (size_t c = 0; c < 8; c++)
            assert_cut(1, format, file, blocks[b], chunks[c], graph);
    }
    free(packed.bytes);
    free(file.bytes);
}

static void test_blocks_and_chunks(void **state) {
    (void)state;
    for_each(every_cut);
}

static hop_graph *make_rmat(hop_context *context, double scale) {
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    hop_setting settings[] = {{"scale", scale}, {"edge-factor", 8}};
    hop_graph *graph = NULL;
    options.settings = settings;
    options.setting_count = 2;
    if (hop_graph_generate(context, "rmat", &options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return graph;
}

static void test_reader_threads(void **state) {
    (void)state;
    static const size_t chunks[] = {40, 999, 4096};
    hop_context *context = make_context(2);
    hop_graph *graph = make_rmat(context, 9);
    for (size_t i = 0; i < hop_format_count(); i++) {
        const hop_format *format = hop_format_at(i);
        if (!format->text || !format->can_write || !single_file(format))
            continue;
        hop_write_options options = HOP_WRITE_OPTIONS_INIT;
        options.format = format->name;
        const char *path = path_for(format, false);
        graph->first_id = format->counts_from == 1;
        if (hop_graph_write(context, graph, path, &options) == HOP_ERR_UNSUPPORTED)
            continue; /* metis and the loops */
        file_bytes file = load_file(path), packed = packed_file(file);
        for (size_t c = 0; c < 3; c++) {
            assert_cut(1, format, file, 10 * chunks[c], chunks[c], graph);
            assert_cut(2, format, file, 10 * chunks[c], chunks[c], graph);
            assert_cut(3, format, file, 10 * chunks[c], chunks[c], graph);
            assert_cut(8, format, file, 1 << 20, chunks[c], graph);
            assert_cut(1, format, packed, chunks[c], 1, graph);
            assert_cut(2, format, packed, chunks[c], 1, graph);
            assert_cut(3, format, packed, chunks[c], 1, graph);
            assert_cut(8, format, packed, chunks[c], 1, graph);
        }
        free(packed.bytes);
        free(file.bytes);
    }
    hop_graph_release(graph);
    free_context(context);
}

/* The bytes that are written do not depend on the number of threads, compressed ones neither. */
static void test_writers_threads(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_graph *graph = make_rmat(context, 12);
    for (size_t i = 0; i < hop_format_count(); i++) {
        const hop_format *format = hop_format_at(i);
        if (!format->text || !format->can_write || strcmp(format->name, "metis") == 0)
            continue;
        for (int gzip = 0; gzip < 2; gzip++) {
            const char *path = path_for(format, gzip);
            file_bytes first = {NULL, 0};
            for (unsigned threads = 1; threads <= 8; threads *= 2) {
                hop_context *writer = make_context(threads);
                write_to(writer, graph, format, path);
                file_bytes file = load_file(path);
                if (first.bytes == NULL) {
                    first = file;
                } else {
                    assert_int_equal(file.count, first.count);
                    assert_memory_equal(file.bytes, first.bytes, first.count);
                    free(file.bytes);
                }
                free_context(writer);
            }
            free(first.bytes);
        }
    }
    hop_graph_release(graph);
    free_context(context);
}

/* ---- damage -------------------------------------------------------------------------------- */

/* A prefix is refused, or it is the graph but for the number in which it was cut. */
static void cut_file(hop_context *context, const hop_format *format, const hop_graph *graph) {
    if (!single_file(format))
        return;
    const char *path = path_for(format, false);
    write_to(context, graph, format, path);
    file_bytes file = load_file(path);
    size_t accepted = 0;
    for (size_t count = 0; count < file.count; count++) {
        hop_graph *back = NULL;
        if (read_bytes(context, format->name, (const char *)file.bytes, count, &back) != HOP_OK) {
            assert_null(back);
            assert_true(strncmp(hop_context_message(context), "f:", 2) == 0);
            continue;
        }
        accepted++;
        assert_int_equal(hop_graph_check(context, back), HOP_OK);
        /* Cut inside the header nothing is known of the rest: then there are no arcs. */
        if (hop_graph_arcs(back) != 0)
            assert_int_equal(hop_graph_arcs(back), hop_graph_arcs(graph));
        hop_graph_release(back);
    }
    /* The beginning of an edge list does not say yet that it is ours; at the end only the last
     * number or newline is missing. */
    if (accepted > 30)
        fail_msg("%s: %zu of %zu prefixes accepted", format->name, accepted, file.count);
    free(file.bytes);
}

static void test_cut_everywhere(void **state) {
    (void)state;
    for_each(cut_file);
}

static void test_changed_everywhere(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (size_t i = 0; i < hop_format_count(); i++) {
        const hop_format *format = hop_format_at(i);
        if (!format->text || !format->can_write || !single_file(format))
            continue;
        hop_graph *graph =
            holdable(context, format, &samples[4], !format->undirected, HOP_TYPE_INT32);
        write_to(context, graph, format, path_for(format, false));
        file_bytes file = load_file(path_for(format, false));
        damage_everywhere(format->name, file);
        free(file.bytes);
        hop_graph_release(graph);
    }
    free_context(context);
}

/* gzip cut anywhere is always noticed. */
static void test_gzip_cut_everywhere(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph =
        make_sample(context, &samples[4], false, HOP_TYPE_FLOAT64, HOP_DUPLICATES_KEEP);
    const hop_format *format = hop_format_find("edge-list");
    write_to(context, graph, format, path_for(format, true));
    file_bytes file = load_file(path_for(format, true));
    for (size_t count = 1; count < file.count; count++)
        assert_false(survive(context, "edge-list", file.bytes, count));
    assert_true(survive(context, "edge-list", file.bytes, file.count));
    damage_everywhere("edge-list", file);
    free(file.bytes);
    hop_graph_release(graph);
    free_context(context);
}

/* ---- allocations --------------------------------------------------------------------------- */

static hop_context *failing_context(long *left) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.threads = 1;
    options.allocator.allocate = failing_allocate;
    options.allocator.release = failing_release;
    options.allocator.user = left;
    *left = 1000;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    return context;
}

/* Writing and reading with allocation number 0, 1, 2 ... failing, until none does. */
static void test_failing_allocations(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (size_t i = 0; i < hop_format_count(); i++) {
        const hop_format *format = hop_format_at(i);
        if (!format->text || !format->can_write)
            continue;
        hop_graph *graph = holdable(context, format, &samples[format->labels ? 5 : 3],
                                    !format->undirected, HOP_TYPE_INT64);
        hop_read_options options = keep_all(NULL);
        hop_status status = HOP_ERR_MEMORY;
        for (int gzip = 0; gzip < 2; gzip++) {
            const char *path = path_for(format, gzip);
            long left;
            for (long fail_at = 0; status != HOP_OK; fail_at++) {
                hop_context *poor = failing_context(&left);
                hop_graph *back = NULL;
                left = fail_at;
                status = hop_graph_write(poor, graph, path, NULL);
                if (status == HOP_OK)
                    status = hop_graph_read(poor, path, &options, &back);
                if (status == HOP_OK)
                    assert_same_graph(graph, back);
                else
                    assert_int_equal(status, HOP_ERR_MEMORY);
                hop_graph_release(back);
                free_context(poor);
                assert_true(fail_at < 200);
            }
            status = HOP_ERR_MEMORY;
        }
        hop_graph_release(graph);
    }
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),         cmocka_unit_test(test_extreme_weights),
        cmocka_unit_test(test_blocks_and_chunks),   cmocka_unit_test(test_reader_threads),
        cmocka_unit_test(test_writers_threads),     cmocka_unit_test(test_cut_everywhere),
        cmocka_unit_test(test_changed_everywhere),  cmocka_unit_test(test_gzip_cut_everywhere),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
