/* SPDX-License-Identifier: Apache-2.0
 *
 * Fences of the library's own kernels are needed: `speculate` of SSSP on the driver that interprets
 * PTX, where memory is weak. As it is, it gives the host's answer for SEEDS seeds, and so does
 * `persistent` of BFS; without its fences, and without the first two by themselves, it gives
 * another, or runs for longer than it could, for one of MOST. HOPLITE_FENCES=all: each place in the
 * compiled text of both where one is is left out in turn, and it is said when that is seen. */
#include "core/try.h"
#include "device/cuda_testing.h"
#include "hoplite/hoplite.h"

enum { VERTICES = 96, ARCS = 5 * VERTICES, SEEDS = 20, MOST = 100, CALLS_MOST = 3000 };

static const char *const fences[] = {"membar.gl", "fence.sc.gpu", "fence.acq_rel.gpu"};

typedef struct question {
    hop_problem problem;
    const char *variant;
    hop_graph *graph;
    int64_t right[VERTICES];
} question;

static hop_graph *make_graph(hop_context *context, hop_problem problem) {
    static uint32_t offsets[VERTICES + 1];
    static hop_vertex targets[ARCS];
    static int32_t weights[ARCS];
    uint32_t state = 12345;
    hop_csr csr = HOP_CSR_INIT;
    hop_csr_options how = HOP_CSR_OPTIONS_INIT;
    hop_graph *graph = NULL;
    for (hop_vertex v = 0; v < VERTICES; v++) {
        offsets[v + 1] = offsets[v] + 5;
        for (uint32_t i = 0; i < 5; i++) { /* not far: so there are many levels */
            state = state * 1664525 + 1013904223;
            targets[offsets[v] + i] = (v + 1 + (state >> 16) % (i == 0 ? 1 : 9)) % VERTICES;
            weights[offsets[v] + i] = 1 + (int32_t)(state >> 8 & 63) * (i == 0 ? 4 : 1);
        }
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

static hop_status solve(hop_context *context, const question *asked, bool on_device,
                        int64_t answer[VERTICES]) {
    static const hop_setting settings[] = {{"groups", 6, NULL}, {"group", 32, NULL}};
    hop_vertex levels[VERTICES], source = 0;
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
    hop_sssp_options sssp = HOP_SSSP_OPTIONS_INIT;
    bfs.run = sssp.run = &run;
    if (on_device) {
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
    hop_status status = solve(context, asked, true, answer);
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
    assert_fine(host, solve(host, &asked, false, asked.right));
    for (unsigned seed = 1; seed <= SEEDS; seed++)
        assert_true(is_right(&asked, seed));
    const bool every = getenv("HOPLITE_FENCES") != NULL;
    for (unsigned nth = 0; (int)nth <= single || every; nth++) {
        unsigned seed = first_wrong(&asked, nth);
        if (seed == 0)
            break; /* there are no more */
        print_message("%s: without fence %u: %s %u\n", variant, nth,
                      seed > MOST ? "not seen with seeds to" : "seen with seed", seed);
        if ((int)nth <= single)
            assert_true(seed <= MOST);
        taken++;
    }
    stand_in.plant(NULL, NULL, 0);
    assert_true(is_right(&asked, 1));
    assert_true((int)taken > single);
    hop_graph_release(asked.graph);
    free_context(host);
}

static void persistent_with_its_fences(void **state) {
    (void)state;
    check_fences(HOP_PROBLEM_BFS, "persistent", -1);
}

static void speculate_needs_its_fences(void **state) {
    (void)state;
    check_fences(HOP_PROBLEM_SSSP, "speculate", 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(persistent_with_its_fences),
        cmocka_unit_test(speculate_needs_its_fences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
