/* SPDX-License-Identifier: Apache-2.0
 * The native format: what is written is read back, mapped or not, and lies where it should. */
#include "io/binary_testing.h"

#include "graph/graph_internal.h"
#include "io/formats/npz.h"

static void write_ok(hop_context *context, const hop_graph *graph, const char *path) {
    if (hop_graph_write(context, graph, path, NULL) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
}

static hop_graph *read_ok(hop_context *context, const char *path, const hop_read_options *options) {
    hop_graph *graph = NULL;
    if (hop_graph_read(context, path, options, &graph) != HOP_OK)
        fail_msg("%s", hop_context_message(context));
    return graph;
}

static void assert_same_info(hop_context *context, const hop_graph *a, const hop_graph *b) {
    hop_graph_info x = HOP_GRAPH_INFO_INIT, y = HOP_GRAPH_INFO_INIT;
    assert_int_equal(hop_graph_describe(context, a, &x), HOP_OK);
    assert_int_equal(hop_graph_describe(context, b, &y), HOP_OK);
    assert_int_equal(x.vertices, y.vertices);
    assert_int_equal(x.arcs, y.arcs);
    assert_int_equal(x.edges, y.edges);
    assert_int_equal(x.loops, y.loops);
    assert_int_equal(x.isolated, y.isolated);
    assert_int_equal(x.min_degree, y.min_degree);
    assert_int_equal(x.max_degree, y.max_degree);
    assert_int_equal(x.max_degree_vertex, y.max_degree_vertex);
    assert_int_equal(x.weight_type, y.weight_type);
    assert_int_equal(x.directed, y.directed);
    assert_int_equal(x.labelled, y.labelled);
    if (x.weight_type != HOP_TYPE_NONE && x.arcs > 0) {
        assert_true(x.min_weight == y.min_weight && x.max_weight == y.max_weight);
        assert_int_equal(x.min_weight_int, y.min_weight_int);
        assert_int_equal(x.max_weight_int, y.max_weight_int);
    }
}

/* Mapped, in memory, trusted, verified: the same graph each time. */
static void check_every_way(hop_context *context, const hop_graph *graph, const char *path) {
    for (unsigned way = 0; way < 8; way++) {
        hop_read_options options = HOP_READ_OPTIONS_INIT;
        options.in_memory = way & 1;
        options.trusted = (way & 2) != 0;
        options.verify = (way & 4) != 0;
        hop_graph *back = read_ok(context, path, &options);
        int state = atomic_load(&back->shared->state);
        assert_int_equal(state, options.trusted  ? HOP__TRUSTED
                                : options.verify ? HOP__CHECKED
                                                 : HOP__UNCHECKED);
        assert_int_equal(back->mapped, !options.in_memory);
        assert_false(back->borrowed);
        assert_int_equal((uintptr_t)back->targets % 64, 0);
        assert_int_equal((uintptr_t)back->offsets % 64, 0);
        assert_int_equal((uintptr_t)back->weights % 64, 0);
        assert_int_equal((uintptr_t)back->labels % 64, 0);
        assert_same_info(context, graph, back);
        assert_int_equal(hash_of(context, graph), hash_of(context, back));
        hop_graph_release(back);
    }
}

static void test_round_trip(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    for (size_t i = 0; i < SAMPLES; i++)
        for (unsigned directed = 0; directed < 2; directed++)
            for (unsigned type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++) {
                hop_graph *graph = make_sample(context, &samples[i], directed != 0,
                                               (hop_weight_type)type, HOP_DUPLICATES_KEEP);
                write_ok(context, graph, temporary("graph.npz"));
                check_every_way(context, graph, temporary("graph.npz"));
                hop_graph_release(graph);
            }
    free_context(context);
}

static hop_graph *random_graph(hop_context *context, hop_vertex vertices, uint64_t count,
                               hop_weight_type type, bool directed) {
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    uint32_t *ids = malloc(count * 8);
    void *weights = make_weights(type, count, 3);
    for (uint64_t i = 0; i < 2 * count; i++)
        ids[i] = (uint32_t)(hop__random_at(1, 2, i) % vertices);
    edges.count = count;
    edges.from = ids;
    edges.to = ids + 1;
    edges.stride = 8;
    edges.weights = type == HOP_TYPE_NONE ? NULL : weights;
    edges.weight_type = type;
    build.vertices = vertices;
    build.directed = directed;
    assert_int_equal(hop_graph_from_edges(context, &edges, &build, &graph), HOP_OK);
    free(weights);
    free(ids);
    return graph;
}

/* Larger than the pieces of checksums, of writing, and the block of ones. */
static void test_large(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    for (unsigned type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type += 2) {
        hop_graph *graph = random_graph(context, 300000, 2500000, (hop_weight_type)type, false);
        write_ok(context, graph, temporary("large.npz"));
        check_every_way(context, graph, temporary("large.npz"));
        hop_graph_release(graph);
    }
    remove(temporary("large.npz"));
    free_context(context);
}

/* Buffers are not larger than what goes through them. */
static void test_small_files_take_little(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_graph *graph = random_graph(context, 10, 12, HOP_TYPE_NONE, false);
    uint64_t used = hop_context_memory_used(context);
    hop_context_reset_peak(context);
    write_ok(context, graph, temporary("small.npz"));
    /* Mostly the state of deflate, for the values that scipy wants. */
    assert_true(hop_context_memory_peak(context) - used < 640 << 10);
    check_every_way(context, graph, temporary("small.npz"));
    hop_graph_release(graph);
    free_context(context);
}

/* Offsets of 8 bytes in memory become 4 in the file. */
static void test_wide_offsets(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    enum { N = 100000 };
    uint64_t *offsets = malloc((N + 1) * sizeof *offsets);
    uint32_t *targets = malloc(N * sizeof *targets);
    for (uint64_t v = 0; v <= N; v++)
        offsets[v] = v;
    for (uint32_t v = 0; v < N; v++)
        targets[v] = N - 1 - v;
    hop_csr csr = HOP_CSR_INIT;
    hop_graph *graph = NULL;
    csr.vertices = N;
    csr.offsets = offsets;
    csr.offset_bytes = 8;
    csr.targets = targets;
    assert_int_equal(hop_graph_from_csr(context, &csr, NULL, &graph), HOP_OK);
    write_ok(context, graph, temporary("wide.npz"));
    hop_graph *back = read_ok(context, temporary("wide.npz"), NULL);
    assert_int_equal(back->offset_bytes, 4);
    assert_int_equal(hash_of(context, graph), hash_of(context, back));
    hop_graph_release(back);
    hop_graph_release(graph);
    free(offsets);
    free(targets);
    free_context(context);
}

static void test_types(void **state) {
    (void)state;
    assert_string_equal(hop__npz_index_type(UINT64_C(1) << 31), "'<i4'");
    assert_string_equal(hop__npz_index_type((UINT64_C(1) << 31) + 1), "'<u4'");
    assert_string_equal(hop__npz_offset_type((UINT64_C(1) << 31) - 1), "'<i4'");
    assert_string_equal(hop__npz_offset_type(UINT64_C(1) << 31), "'<i8'");
}

/* The extra fields of a local header fill it exactly. */
static void assert_extra_fields(file_bytes file, const hop__zip_member *member) {
    size_t at = (size_t)member->header + 30 + member->name_length;
    while (at < member->data)
        at += 4 + (size_t)(file.bytes[at + 2] | file.bytes[at + 3] << 8);
    assert_int_equal(at, member->data);
}

/* What stands in the file: aligned, stored but for the ones, the same bytes every time. */
static void test_layout(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    for (unsigned type = HOP_TYPE_NONE; type <= HOP_TYPE_FLOAT64; type++) {
        hop_graph *graph =
            make_sample(context, &samples[5], true, (hop_weight_type)type, HOP_DUPLICATES_KEEP);
        write_ok(context, graph, temporary("first.npz"));
        write_ok(context, graph, temporary("second.npz"));
        file_bytes file = load_file(temporary("first.npz"));
        file_bytes again = load_file(temporary("second.npz"));
        assert_int_equal(file.count, again.count);
        assert_memory_equal(file.bytes, again.bytes, file.count);
        hop__input *input = NULL;
        hop__zip zip;
        assert_int_equal(
            hop__input_open_memory(context, "first.npz", file.bytes, file.count, NULL, &input),
            HOP_OK);
        assert_int_equal(hop__zip_open(context, input, file.bytes, file.count, &zip), HOP_OK);
        assert_int_equal(zip.count, 8);
        for (unsigned i = 0; i < zip.count; i++) {
            const hop__zip_member *member = &zip.members[i];
            bool ones = member->name_length == 8 && memcmp(member->name, "data.npy", 8) == 0 &&
                        type == HOP_TYPE_NONE;
            hop__npy npy;
            assert_int_equal(member->deflated, ones);
            assert_int_equal(member->data % 64, 0);
            assert_extra_fields(file, member);
            if (ones)
                continue;
            assert_null(hop__npy_parse(file.bytes + member->data, (size_t)member->size,
                                       member->size, &npy));
            assert_int_equal((member->data + npy.header_bytes) % 64, 0);
        }
        hop__input_close(input);
        free(file.bytes);
        free(again.bytes);
        hop_graph_release(graph);
    }
    free_context(context);
}

/* Every size and offset in zip64 fields, or some of them. */
static void test_zip64(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    static const uint64_t limits[] = {0, 100, 200, 300, 600, 1500, 2000, 2500};
    hop_graph *graph =
        make_sample(context, &samples[5], false, HOP_TYPE_INT64, HOP_DUPLICATES_KEEP);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        hop__output *output = NULL;
        assert_int_equal(hop__output_open(context, temporary("zip64.npz"), false, &output), HOP_OK);
        hop_status status = hop__npz_write(context, graph, output, limits[i]);
        assert_int_equal(hop__output_close(context, output, status), HOP_OK);
        check_every_way(context, graph, temporary("zip64.npz"));
        if (i == 0) {
            file_bytes file = load_file(temporary("zip64.npz"));
            cut_everywhere("npz", file);
            (void)damage_everywhere("npz", file);
            free(file.bytes);
        }
    }
    hop_graph_release(graph);
    free_context(context);
}

/* Options of reading: direction, loops, weights, limits. */
static void test_options(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_graph *graph = make_sample(context, &samples[5], true, HOP_TYPE_INT32, HOP_DUPLICATES_KEEP);
    write_ok(context, graph, temporary("options.npz"));
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    options.direction = HOP_DIRECTION_UNDIRECTED;
    options.duplicates = HOP_DUPLICATES_MAX;
    hop_graph *expected = NULL;
    assert_int_equal(hop_graph_symmetrize(context, graph, HOP_DUPLICATES_MAX, &expected), HOP_OK);
    hop_graph *back = read_ok(context, temporary("options.npz"), &options);
    assert_int_equal(hash_of(context, expected), hash_of(context, back));
    assert_memory_equal(hop_graph_labels(back), five_labels, sizeof five_labels);
    hop_graph_release(back);

    write_ok(context, expected, temporary("undirected.npz"));
    options.direction = HOP_DIRECTION_DIRECTED;
    back = read_ok(context, temporary("undirected.npz"), &options);
    assert_true(hop_graph_directed(back));
    assert_int_equal(hop_graph_arcs(back), hop_graph_arcs(expected));
    hop_graph_release(back);
    hop_graph_release(expected);

    options = (hop_read_options)HOP_READ_OPTIONS_INIT;
    options.loops = HOP_LOOPS_DROP;
    options.drop_weights = true;
    back = read_ok(context, temporary("options.npz"), &options);
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    assert_int_equal(hop_graph_describe(context, back, &info), HOP_OK);
    assert_int_equal(info.loops, 0);
    assert_int_equal(info.arcs, hop_graph_arcs(graph) - 2); /* parallel arcs stay */
    assert_int_equal(info.weight_type, HOP_TYPE_NONE);
    assert_true(info.labelled);
    hop_graph_release(back);

    options = (hop_read_options)HOP_READ_OPTIONS_INIT;
    options.max_vertices = 4;
    assert_int_equal(hop_graph_read(context, temporary("options.npz"), &options, &back),
                     HOP_ERR_INPUT);
    assert_message(context, "max_vertices");
    hop_graph_release(graph);
    free_context(context);
}

/* A mapped graph outlives its context and the name of its file. */
static void test_lifetime(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph =
        make_sample(context, &samples[4], true, HOP_TYPE_FLOAT32, HOP_DUPLICATES_KEEP);
    uint64_t hash = hash_of(context, graph);
    write_ok(context, graph, temporary("gone.npz"));
    hop_graph_release(graph);
    graph = read_ok(context, temporary("gone.npz"), NULL);
    hop_context_free(context);
    remove(temporary("gone.npz"));
    context = make_context(1);
    assert_int_equal(hash_of(context, graph), hash);
    hop_graph_release(graph);
    free_context(context);
}

/* Damage that the zip does not show is found by the check or by the hash. */
static void test_found_later(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_graph *graph = make_sample(context, &samples[4], true, HOP_TYPE_INT32, HOP_DUPLICATES_KEEP),
              *back;
    write_ok(context, graph, temporary("later.npz"));
    size_t targets = 0, weights = 0, offsets = 0;
    back = read_ok(context, temporary("later.npz"), NULL);
    file_bytes file = load_file(temporary("later.npz"));
    for (size_t at = 0; at + 64 <= file.count; at += 64) {
        if (memcmp(file.bytes + at, back->targets, back->arcs * 4) == 0)
            targets = at;
        if (memcmp(file.bytes + at, back->weights, back->arcs * 4) == 0)
            weights = at;
        if (memcmp(file.bytes + at, back->offsets, 24) == 0)
            offsets = at;
    }
    assert_true(targets > 0 && weights > 0 && offsets > 0);
    hop_graph_release(back);

    /* The first and the last offset are looked at when the file is opened. */
    for (size_t i = 0; i < 2; i++) {
        file.bytes[offsets + 20 * i] ^= 1;
        save_file(temporary("later.npz"), file.bytes, file.count);
        assert_int_equal(hop_graph_read(context, temporary("later.npz"), NULL, &back),
                         HOP_ERR_INPUT);
        assert_message(context, "offsets run from");
        file.bytes[offsets + 20 * i] ^= 1;
    }
    file.bytes[targets + 1] = 7; /* vertex 1792 of 5 */
    save_file(temporary("later.npz"), file.bytes, file.count);
    back = read_ok(context, temporary("later.npz"), NULL);
    assert_int_equal(hop_graph_check(context, back), HOP_ERR_INPUT);
    assert_message(context, "target");
    hop_graph_release(back);

    file.bytes[targets + 1] = 0;
    file.bytes[weights] ^= 1;
    save_file(temporary("later.npz"), file.bytes, file.count);
    back = read_ok(context, temporary("later.npz"), NULL);
    assert_int_equal(hop_graph_check(context, back), HOP_OK);
    hop_graph_release(back);
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    options.verify = true;
    assert_int_equal(hop_graph_read(context, temporary("later.npz"), &options, &back),
                     HOP_ERR_INPUT);
    assert_message(context, "hash");
    free(file.bytes);
    hop_graph_release(graph);
    free_context(context);
}

static void test_damage(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    for (size_t i = 0; i < SAMPLES; i += 5) {
        hop_graph *graph =
            make_sample(context, &samples[i], i > 0, HOP_TYPE_FLOAT32, HOP_DUPLICATES_KEEP);
        write_ok(context, graph, temporary("damage.npz"));
        file_bytes file = load_file(temporary("damage.npz"));
        cut_everywhere("npz", file);
        (void)damage_everywhere("npz", file);
        free(file.bytes);
        hop_graph_release(graph);
    }
    free_context(context);
}

static hop_status with_failures(long allocations, const char *path, bool write) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL, *other = make_context(1);
    hop_graph *graph = NULL;
    long left = -1;
    options.threads = 1;
    options.allocator.allocate = failing_allocate;
    options.allocator.release = failing_release;
    options.allocator.user = &left;
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    hop_status status;
    if (write) {
        graph = make_sample(other, &samples[5], true, HOP_TYPE_NONE, HOP_DUPLICATES_KEEP);
        left = allocations;
        status = hop_graph_write(context, graph, path, NULL);
    } else {
        left = allocations;
        status = hop_graph_read(context, path, NULL, &graph);
        if (status == HOP_OK)
            status = hop_graph_check(context, graph);
    }
    assert_true(status == HOP_OK || status == HOP_ERR_MEMORY);
    hop_graph_release(graph);
    free_context(context);
    free_context(other);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    for (unsigned write = 2; write-- > 0;) {
        long count = 0;
        while (with_failures(count, temporary("allocations.npz"), write != 0) != HOP_OK)
            count++;
        assert_true(count > 3);
    }
}

/* Asked at every chance instead of twenty times a second; says no at a given call. */
typedef struct refuser {
    hop_context *context;
    unsigned calls, refused;
} refuser;

static bool refuse(void *user, const hop_progress *progress) {
    refuser *r = user;
    (void)progress;
    r->context->next_report = 0;
    return ++r->calls != r->refused;
}

static void test_cancel(void **state) {
    (void)state;
    hop_context *plain = make_context(2);
    hop_graph *graph = random_graph(plain, 100000, 3000000, HOP_TYPE_INT64, true);
    unsigned all = 2;
    for (unsigned at = 0; at <= all; at += 1 + all / 10) { /* never, then at some of its calls */
        refuser r = {.refused = at};
        hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
        options.progress = refuse;
        options.progress_user = &r;
        options.threads = 1; /* every piece is the caller's: the calls are the same each time */
        assert_int_equal(hop_context_create(&options, &r.context), HOP_OK);
        remove(temporary("cancel.npz"));
        hop_status status = hop_graph_write(r.context, graph, temporary("cancel.npz"), NULL);
        assert_int_equal(status, at == 0 ? HOP_OK : HOP_ERR_CANCELLED);
        assert_int_equal(access(temporary("cancel.npz"), F_OK), at == 0 ? 0 : -1);
        free_context(r.context);
        if (at == 0)
            all = r.calls;
        else
            assert_int_equal(r.calls, at); /* it is not asked again */
    }
    assert_true(all > 10);
    hop_graph_release(graph);
    free_context(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_wide_offsets),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_small_files_take_little),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_zip64),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_lifetime),
        cmocka_unit_test(test_found_later),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, temporary_end);
}
