/* SPDX-License-Identifier: Apache-2.0
 *
 * Fences of the library's own kernels are needed: `speculate` of SSSP and `persistent` of BFS on
 * the driver that interprets PTX, where memory is weak. As they are, they give the host's answer
 * for SEEDS seeds, with groups of 1 and of 32 items in turn; without their fences, and without the
 * first two by themselves, they give another, or run for longer than they could, for one of MOST.
 * (Those of `persistent` are all.) HOPLITE_FENCES=all: each place in the compiled text where one is
 * is left out in turn, and must be seen; a minute and a half. */
#include "core/try.h"
#include "device/cuda_testing.h"
#include "hoplite/hoplite.h"

enum { VERTICES = 192, HALF = VERTICES / 2, DEGREE = 12, ARCS = DEGREE * VERTICES };
enum { SEEDS = 20, MOST = 400, CALLS_MOST = 6000 };

static const char *const fences[] = {"membar.gl", "fence.sc.gpu", "fence.acq_rel.gpu"};

typedef struct question {
    hop_problem problem;
    const char *variant;
    hop_graph *graph;
    int64_t right[VERTICES];
} question;

static uint32_t offsets[VERTICES + 1];
static hop_vertex targets[ARCS];
static int32_t weights[ARCS];

static void add_arc(hop_vertex from, hop_vertex to, int32_t weight) {
    targets[offsets[from + 1]] = to;
    weights[offsets[from + 1]++] = weight;
}

/* For sssp. The first half: arcs to near vertices, so that there are many levels. The second: each
 * fourth vertex has the next such one for its last neighbour, far away; a way over three others is
 * shorter, and comes later. Before these are so many arcs which lead to nothing new that every copy
 * that a compiler makes of a loop's body is the last for some vertex. */
static void add_weighted(hop_vertex v, uint32_t *state) {
    for (uint32_t i = 0; v < HALF && i < DEGREE - v % 8; i++) {
        *state = *state * 1664525 + 1013904223;
        add_arc(v, (v + 1 + (*state >> 16) % (i == 0 ? 1 : 9)) % HALF,
                1 + (int32_t)(*state >> 8 & 63) * (i == 0 ? 4 : 1));
    }
    if (v == 0)
        add_arc(v, HALF, 1);
    for (uint32_t i = 0; v >= HALF && v % 4 == 0 && i < v / 4 % 4; i++)
        add_arc(v, 0, 1);
    if (v >= HALF && v + 1 < VERTICES)
        add_arc(v, v + 1, 1);
    if (v >= HALF && v % 4 == 0 && v + 4 < VERTICES)
        add_arc(v, v + 4, 100);
}

/* For bfs: a path, of which every vertex has a dead end besides. So there are two tokens a stage:
 * one is followed by others, and the other one takes as long, or longer. */
static void add_path(hop_vertex v) {
    for (uint32_t i = v % 7; v % 2 == 1 && i < DEGREE; i++)
        add_arc(v, v - v % (i + 2), 1); /* to where the search has been */
    for (hop_vertex i = 1; v % 2 == 0 && v + 2 < VERTICES && i <= 2; i++)
        add_arc(v, v + i, 1);
}

static hop_graph *make_graph(hop_context *context, hop_problem problem) {
    uint32_t state = 12345;
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options how = HOP_CSR_OPTIONS_INIT;
    hop_graph *graph = NULL;
    for (hop_vertex v = 0; v < VERTICES; v++) {
        offsets[v + 1] = offsets[v];
        if (problem == HOP_PROBLEM_SSSP)
            add_weighted(v, &state);
        else
            add_path(v);
    }
    csr.vertices = VERTICES;
    csr.offsets = offsets;
    csr.targets = targets;
    if (problem == HOP_PROBLEM_SSSP) {
        csr.weights = weights;
        csr.weight_type = HOP_TYPE_INT32;
    }
    how.directed = true;
    assert_fine(context, hop_graph_from_csr(context, &csr, &how, &graph));
    return graph;
}

static hop_status solve(hop_context *context, const question *asked, unsigned group,
                        int64_t answer[VERTICES]) {
    const hop_setting settings[] = {{"groups", 6, NULL}, {"group", group, NULL}};
    hop_vertex levels[VERTICES], source = 0;
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
    hop_sssp_options sssp = HOP_SSSP_OPTIONS_INIT;
    bfs.run = sssp.run = &run;
    if (group > 0) {
        run.variant = asked->variant;
        run.settings = settings;
        run.setting_count = HOP_LENGTH(settings);
    }
    if (asked->problem == HOP_PROBLEM_SSSP)
        return hop_sssp(context, asked->graph, &source, 1, &sssp, HOP_SPAN(answer, VERTICES), NULL);
    hop_status status = hop_bfs(context, asked->graph, &source, 1, &bfs, levels, NULL);
    for (hop_vertex v = 0; v < VERTICES; v++)
        answer[v] = (int32_t)levels[v];
    return status;
}

/* A token that is lost is waited for in launch after launch. */
static bool go_on(void *user, const hop_progress *progress) {
    (void)user, (void)progress;
    return stand_in.calls() < CALLS_MOST;
}

/* Whether the device gives the right answer with the seed. */
static bool is_right(const question *asked, unsigned seed) {
    int64_t answer[VERTICES];
    char text[16];
    snprintf(text, sizeof text, "%u", seed);
    assert_int_equal(setenv("HOPLITE_PTX_SEED", text, 1), 0);
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    hop_context *context = NULL;
    options.device = "cuda:0";
    options.progress = go_on;
    stand_in.fault(NULL, 0, 0);
    assert_int_equal(hop_context_create(&options, &context), HOP_OK);
    hop_status status = solve(context, asked, seed % 2 == 0 ? 32 : 1, answer);
    if (status != HOP_OK)
        print_message("seed %u: %s\n", seed, hop_context_message(context));
    free_context(context);
    return status == HOP_OK && memcmp(answer, asked->right, sizeof answer) == 0;
}

/* The first seed with which the kernel is wrong without fence number `nth` of its text, 0 being
 * all; MOST + 1: none. 0: there is no such fence. */
static unsigned first_wrong(const question *asked, unsigned nth) {
    for (size_t i = 0; i < HOP_LENGTH(fences); i++) {
        unsigned seed = 1;
        stand_in.plant(fences[i], "// fence", nth);
        while (seed <= MOST && is_right(asked, seed) && stand_in.planted() > 0)
            seed++;
        if (stand_in.planted() > 0)
            return seed;
    }
    return 0;
}

static void check_fences(hop_problem problem, const char *variant, int single) {
    hop_context *host = make_context(1);
    question asked = {.problem = problem, .variant = variant, .graph = make_graph(host, problem)};
    unsigned taken = 0;
    find_stand_in();
    assert_int_equal(setenv("HOPLITE_PTX_WEAK", "1", 1), 0);
    assert_fine(host, solve(host, &asked, 0, asked.right));
    for (unsigned seed = 1; seed <= SEEDS; seed++)
        assert_true(is_right(&asked, seed));
    const bool every = getenv("HOPLITE_FENCES") != NULL;
    for (unsigned nth = 0; (int)nth <= single || every; nth++) {
        unsigned seed = first_wrong(&asked, nth);
        if (seed == 0)
            break; /* there are no more */
        print_message("%s: without fence %u: %s %u\n", variant, nth,
                      seed > MOST ? "not seen with seeds to" : "seen with seed", seed);
        assert_true(seed <= MOST);
        taken++;
    }
    stand_in.plant(NULL, NULL, 0);
    assert_true(is_right(&asked, 1));
    assert_true((int)taken > single);
    hop_graph_release(asked.graph);
    free_context(host);
}

static void persistent_needs_its_fences(void **state) {
    (void)state;
    check_fences(HOP_PROBLEM_BFS, "persistent", 2);
}

static void speculate_needs_its_fences(void **state) {
    (void)state;
    check_fences(HOP_PROBLEM_SSSP, "speculate", 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(persistent_needs_its_fences),
        cmocka_unit_test(speculate_needs_its_fences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
