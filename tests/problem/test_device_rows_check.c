/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of rows that are on a device: it measures what the host measures, for every type of
 * weights and width of offsets, and lets none of the faults pass that graph_verify.c knows. */
#include "problem/device_rows_check.h"

#include <math.h>

#include "core/try.h"
#include "kernels/kernels_testing.h"

typedef struct arrays {
    uint64_t n, arcs;
    bool directed, wide;
    hop_weight_type type;
    void *offsets, *targets, *weights; /* copies that a test may spoil */
} arrays;

static void *random_weights(hop_weight_type type, uint64_t count) {
    uint64_t *bits = random_u64(count, 9);
    char *weights = malloc(count * 8 + 8);
    assert_non_null(weights);
    for (uint64_t i = 0; i < count; i++) {
        int32_t small = (int32_t)(bits[i] >> 33) - (1 << 29);
        double real = i % 7 == 0 ? -0.0 : (double)small / 1024;
        float narrow = (float)real;
        int64_t large = (int64_t)bits[i];
        if (type == HOP_TYPE_INT32)
            memcpy(weights + 4 * i, &small, 4);
        else if (type == HOP_TYPE_FLOAT32)
            memcpy(weights + 4 * i, &narrow, 4);
        else
            memcpy(weights + 8 * i,
                   type == HOP_TYPE_INT64 ? (const void *)&large : (const void *)&real, 8);
    }
    free(bits);
    return weights;
}

/* A graph of random edges, some of them loops. */
static hop_graph *random_graph(hop_context *context, uint64_t n, bool directed,
                               hop_weight_type type) {
    uint64_t count = 3 * n;
    uint32_t *from = random_u32(count, 6, (uint32_t)n), *to = random_u32(count, 7, (uint32_t)n);
    void *weights = random_weights(type, count);
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    for (uint64_t i = 0; i < count; i += 11)
        to[i] = from[i];
    edges.count = count;
    edges.from = from;
    edges.to = to;
    edges.weights = type != HOP_TYPE_NONE ? weights : NULL;
    edges.weight_type = type;
    options.vertices = n;
    options.directed = directed;
    options.duplicates = HOP_DUPLICATES_KEEP;
    assert_fine(context, hop_graph_from_edges(context, &edges, &options, &graph));
    free(from);
    free(to);
    free(weights);
    return graph;
}

static void *copy_of(const void *from, size_t bytes) {
    void *copy = malloc(bytes + 8);
    assert_non_null(copy);
    if (from != NULL)
        memcpy(copy, from, bytes);
    return copy;
}

static arrays arrays_of(const hop_graph *graph, bool wide) {
    arrays a = {.n = graph->vertices,
                .arcs = graph->arcs,
                .directed = graph->directed,
                .wide = wide,
                .type = graph->weight_type,
                .targets = copy_of(graph->targets, graph->arcs * 4),
                .weights = copy_of(graph->weights, graph->arcs * hop_type_size(graph->weight_type)),
                .offsets = copy_of(NULL, (graph->vertices + UINT64_C(1)) * 8)};
    for (uint64_t v = 0; v <= a.n; v++)
        if (wide)
            ((uint64_t *)a.offsets)[v] = hop__offset(graph, v);
        else
            ((uint32_t *)a.offsets)[v] = (uint32_t)hop__offset(graph, v);
    return a;
}

static void arrays_free(arrays *a) {
    free(a->offsets);
    free(a->targets);
    free(a->weights);
}

static bool is_sound(hop__device *device, const hop__form *form, const arrays *a,
                     hop__facts *facts) {
    size_t wide = a->wide ? 8 : 4;
    hop__buffer *offsets = buffer_of(device, (a->n + 1) * wide, a->offsets);
    hop__buffer *targets = buffer_of(device, a->arcs * 4, a->targets);
    hop__buffer *weights = buffer_of(device, a->arcs * hop_type_size(a->type), a->weights);
    hop__device_rows rows = {.vertices = a->n,
                             .arcs = a->arcs,
                             .directed = a->directed,
                             .offset_bytes = wide,
                             .weight_type = a->type,
                             .offsets = offsets,
                             .targets = targets,
                             .weights = a->type != HOP_TYPE_NONE ? weights : NULL};
    bool sound = false;
    fine(device, hop__device_rows_check(device, form, &rows, facts, &sound));
    hop__buffer_free(offsets);
    hop__buffer_free(targets);
    hop__buffer_free(weights);
    return sound;
}

static void assert_same_facts(const hop__facts *got, const hop__facts *right) {
    assert_int_equal(got->loops, right->loops);
    assert_int_equal(got->isolated, right->isolated);
    assert_int_equal(got->min_degree, right->min_degree);
    assert_int_equal(got->max_degree, right->max_degree);
    assert_int_equal(got->max_degree_vertex, right->max_degree_vertex);
    assert_true(got->min_weight == right->min_weight && got->max_weight == right->max_weight);
    assert_true(got->min_weight_int == right->min_weight_int);
    assert_true(got->max_weight_int == right->max_weight_int);
}

static void measures_body(hop__device *device, const hop__form *form, uint64_t count) {
    static const hop_weight_type types[] = {HOP_TYPE_INT32, HOP_TYPE_NONE, HOP_TYPE_INT64,
                                            HOP_TYPE_FLOAT32, HOP_TYPE_FLOAT64};
    if (count == 0)
        return;
    /* Each type is a program to compile: all of them in one form. */
    bool all = form != NULL && form->group == 0 && count < 1000;
    for (size_t t = 0; t < (all ? HOP_LENGTH(types) : 1); t++) {
        hop_graph *graph = random_graph(hop__device_context(device), count, t % 2 == 1, types[t]);
        arrays a = arrays_of(graph, t == 2);
        hop__facts facts = {0};
        assert_true(is_sound(device, form, &a, &facts));
        assert_same_facts(&facts, &graph->shared->facts);
        arrays_free(&a);
        hop_graph_release(graph);
    }
}

static void it_measures_what_the_host_does(void **state) {
    on_each_form(state, measures_body);
}

/* A graph of a few hundred arcs, with one fault at a time. */
static void faults_body(hop__device *device, const hop__form *form, uint64_t count) {
    enum { N = 60, FAULTS = 8 };
    if (count != 1 || form->group == 7 || form->group == 33)
        return;
    for (int fault = 0; fault < FAULTS; fault++) {
        bool directed = fault < 6; /* so that the symmetry does not tell of these */
        hop_graph *graph = random_graph(hop__device_context(device), N, directed, HOP_TYPE_FLOAT32);
        arrays a = arrays_of(graph, false);
        uint32_t *offsets = a.offsets, *targets = a.targets;
        float *weights = a.weights;
        uint64_t row = 7, at = offsets[row];
        hop__facts facts;
        while (offsets[row + 1] - offsets[row] < 2 ||
               targets[offsets[row]] == targets[offsets[row] + 1] || targets[offsets[row]] == row)
            row++;
        at = offsets[row];
        assert_true(is_sound(device, form, &a, &facts));
        if (fault == 0)
            offsets[0] = 1;
        else if (fault == 1)
            offsets[row] = offsets[row + 1] + 1;
        else if (fault == 2)
            offsets[row] = (uint32_t)a.arcs + 1;
        else if (fault == 3)
            targets[a.arcs - 1] = N;
        else if (fault == 4) {
            targets[at] = targets[at + 1];
            targets[at + 1] = targets[at] - 1;
        } else if (fault == 5)
            weights[a.arcs / 2] = -NAN;
        else if (fault == 6) /* one of the two arcs of an edge */
            weights[at] += 1024;
        else
            targets[at + 1] = targets[at];
        if (is_sound(device, form, &a, &facts))
            fail_msg("fault %d passes", fault);
        arrays_free(&a);
        hop_graph_release(graph);
    }
}

static void it_finds_every_fault(void **state) {
    on_each_form(state, faults_body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_measures_what_the_host_does),
        cmocka_unit_test(it_finds_every_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
