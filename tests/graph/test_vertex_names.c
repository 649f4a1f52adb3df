/* SPDX-License-Identifier: Apache-2.0
 * Vertices with names of text: kept, found, handed on, checked, written and read. */
#include <unistd.h>

#include "graph/graph_testing.h"

/* anna - bob (1), bob - "c d" (2), anna - "\xc3\xa9" (3); "b" has no edge. */
static const char bytes[] = "annabbobc d\xc3\xa9";
static const uint64_t offsets[] = {0, 4, 5, 8, 11, 13};
static const uint32_t from[] = {0, 2, 0}, to[] = {2, 3, 4};
static const int32_t weights[] = {1, 2, 3};
enum { N = 5 };

static hop_edges small_edges(void) {
    hop_edges edges = HOP_EDGES_INIT;
    edges.count = 3;
    edges.from = from;
    edges.to = to;
    edges.weights = weights;
    edges.weight_type = HOP_TYPE_INT32;
    return edges;
}

static hop_build_options named_options(void) {
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    options.vertices = N;
    options.name_offsets = offsets;
    options.name_bytes = bytes;
    return options;
}

static hop_graph *small_graph(hop_context *context) {
    hop_edges edges = small_edges();
    hop_build_options options = named_options();
    hop_graph *graph = NULL;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_OK);
    return graph;
}

static void assert_names(const hop_graph *graph, const char *const *names, hop_vertex count) {
    assert_true(hop_graph_named(graph));
    assert_int_equal(hop_graph_vertices(graph), count);
    for (hop_vertex v = 0; v < count; v++) {
        size_t length;
        const char *name = hop_graph_name(graph, v, &length);
        assert_int_equal(length, strlen(names[v]));
        assert_memory_equal(name, names[v], length);
        assert_int_equal(hop_graph_find_name(graph, names[v], length), v);
        assert_int_equal(hop_graph_label(graph, v), v);
        assert_int_equal(hop_graph_find(graph, v), v);
    }
}

static const char *const all[] = {"anna", "b", "bob", "c d", "\xc3\xa9"};

static void finds_its_names(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_graph *graph = small_graph(context);
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    size_t length = 7;
    assert_names(graph, all, N);
    assert_int_equal(hop_graph_find_name(graph, "bo", 2), HOP_NO_VERTEX);
    assert_int_equal(hop_graph_find_name(graph, "bobo", 4), HOP_NO_VERTEX);
    assert_int_equal(hop_graph_find_name(graph, "", 0), HOP_NO_VERTEX);
    assert_null(hop_graph_name(graph, N, &length));
    assert_int_equal(length, 0);
    assert_null(hop_graph_name(graph, HOP_NO_VERTEX, NULL));
    assert_int_equal(hop_graph_describe(context, graph, &info), HOP_OK);
    assert_true(info.named && !info.labelled && info.first_id == 0);
    assert_int_equal(info.memory_bytes, 6 * 4 + 6 * 8 + 6 * 8 + 13);
    const char *kept;
    const uint64_t *places = hop_graph_names(graph, &kept);
    assert_memory_equal(places, offsets, sizeof offsets);
    assert_memory_equal(kept, bytes, 13);
    assert_true(kept != bytes);
    hop_graph_release(graph);
    free_context(context);
}

static void hands_them_on(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_graph *graph = small_graph(context), *other = NULL;
    const hop_vertex some[] = {1, 2, 4};
    static const char *const few[] = {"b", "bob", "\xc3\xa9"};
    assert_int_equal(hop_graph_reverse(context, graph, &other), HOP_OK);
    assert_names(other, all, N);
    assert_ptr_equal(hop_graph_names(other, NULL), hop_graph_names(graph, NULL)); /* once */
    hop_graph_release(other);
    assert_int_equal(hop_graph_symmetrize(context, graph, HOP_DUPLICATES_MIN, &other), HOP_OK);
    assert_names(other, all, N);
    hop_graph_release(other);
    assert_int_equal(hop_graph_subgraph(context, graph, some, 3, &other), HOP_OK);
    assert_names(other, few, 3);
    hop_graph_release(graph);
    assert_names(other, few, 3);
    hop_graph_release(other);
    free_context(context);
}

static void hashes_tell_names_apart(void **state) {
    (void)state;
    hop_context *context = make_context(2);
    hop_graph *graph = small_graph(context), *other = NULL;
    hop_edges edges = small_edges();
    hop_build_options options = named_options();
    uint64_t hash, plain, shifted, again;
    assert_int_equal(hop_graph_hash(context, graph, &hash), HOP_OK);
    static const uint64_t moved[] = {0, 4, 5, 7, 11, 13}; /* "bo", "bc d" are not in order */
    options.name_offsets = moved;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &other), HOP_ERR_INPUT);
    assert_message(context, "\"bc d\" of vertex 3 does not come after the one before");
    static const uint64_t shorter[] = {0, 3, 5, 8, 11, 13}; /* "ann", "ab": neither */
    options.name_offsets = shorter;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &other), HOP_ERR_INPUT);
    options.name_offsets = offsets;
    options.name_bytes = "annabbobc e\xc3\xa9";
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &other), HOP_OK);
    assert_int_equal(hop_graph_hash(context, other, &shifted), HOP_OK);
    hop_graph_release(other);
    options.name_offsets = NULL;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &other), HOP_OK);
    assert_int_equal(hop_graph_hash(context, other, &plain), HOP_OK);
    hop_graph_release(other);
    other = small_graph(context);
    assert_int_equal(hop_graph_hash(context, other, &again), HOP_OK);
    assert_true(hash == again && hash != plain && hash != shifted && plain != shifted);
    hop_graph_release(other);
    hop_graph_release(graph);
    free_context(context);
}

/* The wrong offsets of one name, and what is said. */
static void refuses_bad_names(void **state) {
    (void)state;
    static const struct {
        uint64_t offsets[N + 1];
        const char *bytes, *message;
    } wrong[] = {
        {{1, 4, 5, 8, 11, 13}, bytes, "the name of vertex 0 goes from byte 1 to 4"},
        {{0, 4, 3, 8, 11, 13}, bytes, "the name of vertex 1 goes from byte 4 to 3"},
        {{0, 4, 4, 8, 11, 13}, bytes, "the name of vertex 1 is empty"},
        {{0, 4, 5, 8, 20, 13}, bytes, "the name of vertex 3 goes from byte 8 to 20"},
        {{0, 4, 5, 8, 11, 13}, "annabbobaaa\xc3\xa9", "\"aaa\" of vertex 3 does not come after"},
        {{0, 4, 5, 8, 11, 12}, "annabbobc dc", "\"c\" of vertex 4 does not come after"},
        {{0, 3, 6, 9, 10, 11}, "annannbobcd", "\"ann\" of vertex 1 does not come after"},
        {{0, 4, 5, 8, 11, 13}, "annabbobc\0dde", "the name of vertex 3 has a zero byte"},
        {{0, 4, 5, 8, 11, 13}, "\0nnabbobc dde", "the name of vertex 0 has a zero byte"},
    };
    hop_context *context = make_context(2);
    hop_edges edges = small_edges();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        hop_build_options options = named_options();
        hop_graph *graph = NULL;
        options.name_offsets = wrong[i].offsets;
        options.name_bytes = wrong[i].bytes;
        assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_ERR_INPUT);
        assert_message(context, wrong[i].message);
        assert_null(graph);
    }
    hop_build_options options = named_options();
    hop_graph *graph = NULL;
    options.first_id = 1;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_ERR_ARGUMENT);
    free_context(context);
}

/* Rows in the caller's memory: borrowed with their names, or copied. */
static void takes_rows_with_names(void **state) {
    (void)state;
    static const uint32_t rows[] = {0, 1, 1, 2, 2, 2}, sorted[] = {2, 3};
    hop_context *context = make_context(2);
    for (int copied = 0; copied < 2; copied++) {
        hop_csr csr = HOP_CSR_INIT;
        hop_csr_options options = HOP_CSR_OPTIONS_INIT;
        hop_graph *graph = NULL;
        csr.vertices = N;
        csr.offsets = rows;
        csr.targets = sorted;
        csr.name_offsets = offsets;
        csr.name_bytes = bytes;
        options.copy = copied;
        assert_int_equal(hop_graph_from_csr(context, &csr, &options, &graph), HOP_OK);
        assert_names(graph, all, N);
        assert_int_equal(hop_graph_names(graph, NULL) == offsets, !copied);
        hop_graph *turned = NULL; /* which must not borrow */
        assert_int_equal(hop_graph_reverse(context, graph, &turned), HOP_OK);
        assert_names(turned, all, N);
        assert_ptr_not_equal(hop_graph_names(turned, NULL), offsets);
        hop_graph_release(turned);
        hop_graph_release(graph);
        csr.first_id = 1;
        assert_int_equal(hop_graph_from_csr(context, &csr, NULL, &graph), HOP_ERR_ARGUMENT);
    }
    free_context(context);
}

/* Messages have names, not numbers. */
static void messages_have_names(void **state) {
    (void)state;
    static const int32_t large[] = {INT32_MAX, 2, 3, 1};
    static const uint32_t starts[] = {0, 2, 0, 0}, ends[] = {2, 3, 4, 2};
    hop_context *context = make_context(1);
    hop_edges edges = small_edges();
    hop_build_options options = named_options();
    hop_graph *graph = NULL;
    edges.count = 4;
    edges.from = starts;
    edges.to = ends;
    edges.weights = large;
    options.duplicates = HOP_DUPLICATES_SUM;
    options.directed = true;
    assert_int_equal(hop_graph_from_edges(context, &edges, &options, &graph), HOP_ERR_INPUT);
    assert_message(context, "from \"anna\" to \"bob\" add up");
    graph = small_graph(context);
    hop_vertex sources[] = {0}, levels[N] = {0, 0, 1, 2, 1};
    assert_int_equal(hop_bfs_certify(context, graph, sources, 1, NULL, levels, NULL),
                     HOP_ERR_CERTIFICATE);
    assert_message(context, "vertex \"b\" has level 0, but is no source");
    hop_graph_release(graph);
    free_context(context);
}

static void survives_a_file(void **state) {
    (void)state;
    char path[] = "/tmp/hoplite-names-XXXXXX.npz";
    int descriptor = mkstemps(path, 4);
    assert_true(descriptor >= 0);
    close(descriptor);
    hop_context *context = make_context(2);
    hop_graph *graph = small_graph(context);
    uint64_t hash, other_hash;
    assert_int_equal(hop_graph_write(context, graph, path, NULL), HOP_OK);
    assert_int_equal(hop_graph_hash(context, graph, &hash), HOP_OK);
    for (int copy = 0; copy < 3; copy++) {
        hop_read_options options = HOP_READ_OPTIONS_INIT;
        hop_graph *read = NULL;
        options.in_memory = copy == 1;
        options.verify = true;
        if (copy == 2)
            options.direction = HOP_DIRECTION_DIRECTED;
        assert_int_equal(hop_graph_read(context, path, &options, &read), HOP_OK);
        assert_names(read, all, N);
        assert_int_equal(hop_graph_hash(context, read, &other_hash), HOP_OK);
        assert_int_equal(hash == other_hash, copy != 2);
        hop_graph *made = NULL; /* whose names must outlive the mapping */
        assert_int_equal(hop_graph_symmetrize(context, read, HOP_DUPLICATES_MIN, &made), HOP_OK);
        hop_graph_release(read);
        assert_names(made, all, N);
        hop_graph_release(made);
    }
    unlink(path);
    /* A format of numbers says what to drop. */
    assert_int_equal(hop_graph_write(context, graph, "/tmp/hoplite-names.gr", NULL),
                     HOP_ERR_UNSUPPORTED);
    assert_message(context, "has numbers for vertices, and those of the graph have names");
    hop_graph_release(graph);
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_its_names),         cmocka_unit_test(hands_them_on),
        cmocka_unit_test(hashes_tell_names_apart), cmocka_unit_test(refuses_bad_names),
        cmocka_unit_test(takes_rows_with_names),   cmocka_unit_test(messages_have_names),
        cmocka_unit_test(survives_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
