/* SPDX-License-Identifier: Apache-2.0
 *
 * Distances within a tolerance: what is near enough is taken, each single entry that is not is
 * found, and errors that agree with each other along paths are found too. */
#include "span_testing.h"
#include "sssp/sssp_testing.h"

enum { N = 400, M = 1600, CHAIN = 2000 };

static double distance_at(hop_weight_type type, const void *distances, uint64_t v) {
    if (type == HOP_TYPE_FLOAT32)
        return (double)((const float *)distances)[v];
    if (type == HOP_TYPE_FLOAT64)
        return ((const double *)distances)[v];
    int64_t d = ((const int64_t *)distances)[v];
    return d == HOP_NO_DISTANCE ? HUGE_VAL : (double)d;
}

static void set_distance(hop_weight_type type, void *distances, uint64_t v, double value) {
    if (type == HOP_TYPE_FLOAT32)
        ((float *)distances)[v] = (float)value;
    else if (type == HOP_TYPE_FLOAT64)
        ((double *)distances)[v] = value;
    else
        ((int64_t *)distances)[v] = value == HUGE_VAL ? HOP_NO_DISTANCE : (int64_t)llround(value);
}

static hop_graph *random_graph(hop_context *context, hop_weight_type type, bool negative,
                               uint64_t seed) {
    uint32_t from[M], to[M];
    int32_t i32[M];
    float f32[M];
    double f64[M];
    for (uint64_t i = 0; i < M; i++) {
        uint32_t u = (uint32_t)(hop__random_at(seed, 1, i) % N);
        uint32_t v = (uint32_t)(hop__random_at(seed, 2, i) % (N - 20)); /* some are not reached */
        double unit = hop__random_unit(hop__random_at(seed, 3, i));
        if (negative && u > v) { /* upwards, so that there is no cycle */
            uint32_t turn = u;
            u = v;
            v = turn;
        }
        from[i] = u;
        to[i] = v;
        double w = u == v ? 0 : negative ? unit - 0.2 : unit;
        i32[i] = (int32_t)(w * 1000000);
        f32[i] = (float)w;
        f64[i] = w;
    }
    const void *weights = type == HOP_TYPE_INT32     ? (const void *)i32
                          : type == HOP_TYPE_FLOAT32 ? (const void *)f32
                                                     : (const void *)f64;
    hop_edges edges = {sizeof edges, M, from, to, 4, 0, weights, type};
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    build.vertices = N;
    build.directed = true;
    assert_int_equal(hop_graph_from_edges(context, &edges, &build, &graph), HOP_OK);
    return graph;
}

/* Every entry in turn, moved by a little more than is allowed, and by a little less. */
static void corrupt_each(hop_context *context, const hop_graph *graph, hop_weight_type type,
                         const hop_sssp_options *options, void *distances) {
    const hop_vertex source = 0;
    unsigned moved = 0;
    for (hop_vertex v = 0; v < N; v++) {
        double right = distance_at(type, distances, v);
        double other[] = {right * (1 + 1.5 * options->tolerance),
                          right * (1 - 1.5 * options->tolerance), HUGE_VAL, -right, 0};
        if (right == HUGE_VAL)
            other[0] = other[1] = 17;
        for (unsigned k = 0; k < 5; k++) {
            set_distance(type, distances, v, other[k]);
            double given = distance_at(type, distances, v);
            bool near = given == right || (right < HUGE_VAL &&
                                           fabs(given - right) <= options->tolerance * fabs(right));
            hop_status status = hop_sssp_certify(context, graph, &source, 1, options,
                                                 GIVEN(graph, distances), NULL);
            assert_int_equal(status, near ? HOP_OK : HOP_ERR_CERTIFICATE);
            moved += !near;
        }
        set_distance(type, distances, v, right);
    }
    assert_true(moved > N);
}

static void near_and_not_near(void **state) {
    (void)state;
    static const struct {
        hop_weight_type type;
        bool negative;
    } kinds[] = {{HOP_TYPE_INT32, false},
                 {HOP_TYPE_FLOAT32, false},
                 {HOP_TYPE_FLOAT64, false},
                 {HOP_TYPE_FLOAT64, true}};
    const hop_vertex source = 0;
    for (unsigned k = 0; k < 4; k++) {
        hop_context *context = make_context(2);
        hop_weight_type type = hop_distance_type(kinds[k].type);
        hop_graph *graph = random_graph(context, kinds[k].type, kinds[k].negative, 7 + k);
        int64_t distances[N];
        hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
        assert_int_equal(hop_sssp(context, graph, &source, 1, NULL, ROOM(graph, distances), NULL),
                         HOP_OK);
        options.tolerance = 1e-3;
        for (hop_vertex v = 0; v < N; v++) {
            double sign = hop__random_at(3, 4, v) % 2 == 0 ? 0.9e-3 : -0.9e-3;
            set_distance(type, distances, v, distance_at(type, distances, v) * (1 + sign));
        }
        assert_int_equal(
            hop_sssp_certify(context, graph, &source, 1, &options, GIVEN(graph, distances), NULL),
            HOP_OK);
        assert_int_equal(hop_sssp(context, graph, &source, 1, NULL, ROOM(graph, distances), NULL),
                         HOP_OK);
        corrupt_each(context, graph, type, &options, distances);
        hop_graph_release(graph);
        free_context(context);
    }
}

/* A chain of which every arc is wrong by less than the tolerance, all in the same direction: each
 * distance agrees with the one before it, and the last is wrong by a tenth. */
static void errors_do_not_add_up(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    uint32_t from[CHAIN], to[CHAIN];
    double weights[CHAIN], distances[CHAIN + 1] = {0};
    const hop_vertex source = 0;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.tolerance = 1e-4;
    for (uint32_t i = 0; i < CHAIN; i++) {
        from[i] = i;
        to[i] = i + 1;
        weights[i] = 1;
    }
    hop_edges edges = {sizeof edges, CHAIN, from, to, 4, 0, weights, HOP_TYPE_FLOAT64};
    build.directed = true;
    assert_int_equal(hop_graph_from_edges(context, &edges, &build, &graph), HOP_OK);
    for (uint32_t i = 0; i < CHAIN; i++)
        distances[i + 1] = (distances[i] + 1) * (1 + 0.9e-4);
    assert_true(distances[CHAIN] > CHAIN * 1.05);
    assert_int_equal(
        hop_sssp_certify(context, graph, &source, 1, &options, GIVEN(graph, distances), NULL),
        HOP_ERR_CERTIFICATE);
    assert_non_null(strstr(hop_context_message(context), "tolerance"));
    hop_graph_release(graph);
    free_context(context);
}

static void what_is_refused(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph = random_graph(context, HOP_TYPE_FLOAT64, false, 1);
    const hop_vertex source = 0;
    hop_vertex parents[N];
    double distances[N];
    hop_run run = HOP_RUN_INIT;
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    assert_int_equal(hop_sssp(context, graph, &source, 1, NULL, ROOM(graph, distances), parents),
                     HOP_OK);
    const double bad[] = {-1e-9, 1, NAN, HUGE_VAL};
    for (unsigned i = 0; i < 4; i++) {
        options.tolerance = bad[i];
        assert_int_equal(
            hop_sssp_certify(context, graph, &source, 1, &options, GIVEN(graph, distances), NULL),
            HOP_ERR_ARGUMENT);
    }
    options.tolerance = 1e-4;
    assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, distances), NULL),
                     HOP_ERR_ARGUMENT);
    assert_int_equal(
        hop_sssp_certify(context, graph, &source, 1, &options, GIVEN(graph, distances), parents),
        HOP_ERR_UNSUPPORTED);
    options.run = &run;
    run.certify = HOP_CERTIFY_CANONICAL;
    assert_int_equal(
        hop_sssp_certify(context, graph, &source, 1, &options, GIVEN(graph, distances), NULL),
        HOP_ERR_ARGUMENT);
    run.certify = HOP_CERTIFY_VALID;
    assert_int_equal(
        hop_sssp_certify(context, graph, &source, 1, &options, GIVEN(graph, distances), NULL),
        HOP_OK);
    hop_graph_release(graph);
    free_context(context);
}

/* Limits are those of the question: the same vertices must be within them. */
static void limits_hold(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    hop_graph *graph = random_graph(context, HOP_TYPE_FLOAT64, false, 2);
    const hop_vertex source = 0;
    double whole[N], cut[N];
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    options.cutoff = 0.8;
    assert_int_equal(hop_sssp(context, graph, &source, 1, NULL, ROOM(graph, whole), NULL), HOP_OK);
    assert_int_equal(hop_sssp(context, graph, &source, 1, &options, ROOM(graph, cut), NULL),
                     HOP_OK);
    options.tolerance = 1e-4;
    assert_int_equal(
        hop_sssp_certify(context, graph, &source, 1, &options, GIVEN(graph, cut), NULL), HOP_OK);
    assert_int_equal(
        hop_sssp_certify(context, graph, &source, 1, &options, GIVEN(graph, whole), NULL),
        HOP_ERR_CERTIFICATE);
    options.cutoff = HUGE_VAL;
    assert_int_equal(
        hop_sssp_certify(context, graph, &source, 1, &options, GIVEN(graph, cut), NULL),
        HOP_ERR_CERTIFICATE);
    hop_graph_release(graph);
    free_context(context);
}

/* Of int64 weights no digit is lost, and of float32 ones none is made up. */
static void messages_are_exact(void **state) {
    (void)state;
    hop_context *context = make_context(1);
    const uint32_t from = 0, to = 1;
    const hop_vertex source = 0;
    const int64_t wide = INT64_C(9007199254740993);
    const float single = 0.1f;
    hop_build_options build = HOP_BUILD_OPTIONS_INIT;
    build.directed = true;
    for (unsigned k = 0; k < 2; k++) {
        hop_graph *graph = NULL;
        hop_weight_type type = k == 0 ? HOP_TYPE_INT64 : HOP_TYPE_FLOAT32;
        hop_edges edges = {
            sizeof edges, 1, &from, &to, 4, 0, k == 0 ? (const void *)&wide : &single, type};
        assert_int_equal(hop_graph_from_edges(context, &edges, &build, &graph), HOP_OK);
        int64_t distances[2] = {0};
        set_distance(type, distances, 1, k == 0 ? 9e17 : 7);
        assert_int_equal(
            hop_sssp_certify(context, graph, &source, 1, NULL, GIVEN(graph, distances), NULL),
            HOP_ERR_CERTIFICATE);
        const char *message = hop_context_message(context);
        assert_non_null(strstr(message, k == 0 ? "9007199254740993 " : "weight 0.1 "));
        hop_graph_release(graph);
    }
    free_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_and_not_near),  cmocka_unit_test(errors_do_not_add_up),
        cmocka_unit_test(what_is_refused),    cmocka_unit_test(limits_hold),
        cmocka_unit_test(messages_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
