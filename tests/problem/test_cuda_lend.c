/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that are on the device already, on the driver that interprets PTX: results, lists and
 * graphs give the host's bits, and exactly their bytes do not go over the bus that go there without
 * them; the caller's stream is waited for; and what the host would have to read is refused. */
#include <cuda.h>

#include "core/try.h"
#include "device/cuda_testing.h"
#include "hoplite/hoplite.h"

enum { N = 700, ARCS = 6 * N, LEVELS = 4 * N };

/* The driver as another library of the process has it. */
static struct {
    CUcontext context;
    CUstream stream;
    CUresult (*init)(unsigned);
    CUresult (*retain)(CUcontext *, CUdevice);
    CUresult (*release)(CUdevice);
    CUresult (*push)(CUcontext);
    CUresult (*pop)(CUcontext *);
    CUresult (*allocate)(CUdeviceptr *, size_t);
    CUresult (*free)(CUdeviceptr);
    CUresult (*copy_in)(CUdeviceptr, const void *, size_t, CUstream);
    CUresult (*copy_out)(void *, CUdeviceptr, size_t, CUstream);
    CUresult (*stream_make)(CUstream *, unsigned);
    CUresult (*stream_end)(CUstream);
    CUresult (*wait)(CUstream);
} other;

static void other_begin(void) {
    find_stand_in();
    void *library = dlopen(getenv("HOPLITE_CUDA_LIB"), RTLD_NOW | RTLD_LOCAL);
    *(void **)&other.init = dlsym(library, "cuInit");
    *(void **)&other.retain = dlsym(library, "cuDevicePrimaryCtxRetain");
    *(void **)&other.release = dlsym(library, "cuDevicePrimaryCtxRelease_v2");
    *(void **)&other.push = dlsym(library, "cuCtxPushCurrent_v2");
    *(void **)&other.pop = dlsym(library, "cuCtxPopCurrent_v2");
    *(void **)&other.allocate = dlsym(library, "cuMemAlloc_v2");
    *(void **)&other.free = dlsym(library, "cuMemFree_v2");
    *(void **)&other.copy_in = dlsym(library, "cuMemcpyHtoDAsync_v2");
    *(void **)&other.copy_out = dlsym(library, "cuMemcpyDtoHAsync_v2");
    *(void **)&other.stream_make = dlsym(library, "cuStreamCreate");
    *(void **)&other.stream_end = dlsym(library, "cuStreamDestroy_v2");
    *(void **)&other.wait = dlsym(library, "cuStreamSynchronize");
    assert_int_equal(other.init(0), 0);
    assert_int_equal(other.retain(&other.context, 0), 0);
    assert_int_equal(other.push(other.context), 0);
    assert_int_equal(other.stream_make(&other.stream, CU_STREAM_NON_BLOCKING), 0);
}

static void other_end(void) {
    assert_int_equal(other.stream_end(other.stream), 0);
    assert_int_equal(other.pop(NULL), 0);
    assert_int_equal(other.release(0), 0);
    assert_int_equal(stand_in.live(), 0);
}

/* An array on the device, with these contents once the stream has come to it. */
static void *place(const void *from, size_t bytes) {
    CUdeviceptr at = 0;
    assert_int_equal(other.allocate(&at, bytes), 0);
    if (from)
        assert_int_equal(other.copy_in(at, from, bytes, other.stream), 0);
    return (void *)at; // NOLINT
}

static void fetch(void *to, const void *from, size_t bytes) {
    assert_int_equal(other.copy_out(to, (CUdeviceptr)from, bytes, other.stream), 0);
    assert_int_equal(other.wait(other.stream), 0);
}

static void drop(void *array) {
    assert_int_equal(other.free((CUdeviceptr)array), 0);
}

/* --- a graph --------------------------------------------------------------------------------- */

static uint32_t offsets[N + 1];
static hop_vertex targets[ARCS];
static int32_t weights[ARCS];
static int32_t weight_from = 1; /* the least weight; 0: arcs may count nothing */

static void make_arrays(bool sorted) {
    uint32_t state = 7;
    for (hop_vertex v = 0; v < N; v++) {
        offsets[v + 1] = offsets[v] + 6;
        hop_vertex *row = targets + offsets[v];
        for (uint32_t i = 0; i < 6; i++) {
            state = state * 1664525 + 1013904223;
            row[i] = (v + (state >> 12) % 60) % N;
            weights[offsets[v] + i] = weight_from + (int32_t)(state >> 20 & 31);
            for (uint32_t k = i; k > 0 && sorted && row[k - 1] > row[k]; k--) {
                hop_vertex last = row[k];
                row[k] = row[k - 1];
                row[k - 1] = last;
            }
        }
    }
}

static hop_csr csr_of(const void *o, const void *t, const void *w) {
    hop_csr csr = HOP_CSR_INIT;
    csr.vertices = N;
    csr.offsets = o;
    csr.targets = t;
    csr.weights = w;
    csr.weight_type = w ? HOP_TYPE_INT32 : HOP_TYPE_NONE;
    return csr;
}

static hop_graph *host_graph(hop_context *context) {
    hop_csr csr = csr_of(offsets, targets, weights);
    hop_graph *graph = NULL;
    assert_fine(context, hop_graph_from_csr(context, &csr, NULL, &graph));
    return graph;
}

/* --- calls ----------------------------------------------------------------------------------- */

static hop_vertex successors[N];

/* One call with the arrays given; second NULL where there is none. */
static hop_status solve(hop_context *context, const hop_graph *graph, hop_problem problem,
                        hop_run *run, const void *in, void *first, void *second) {
    hop_vertex source = 3;
    hop_rank_options rank = HOP_RANK_OPTIONS_INIT;
    hop_components_options components = HOP_COMPONENTS_OPTIONS_INIT;
    hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
    hop_sssp_options sssp = HOP_SSSP_OPTIONS_INIT;
    rank.run = components.run = bfs.run = sssp.run = run;
    switch (problem) {
    case HOP_PROBLEM_RANK:
        return hop_rank(context, in, N, &rank, first);
    case HOP_PROBLEM_COMPONENTS:
        return hop_components(context, graph, &components, first, NULL);
    case HOP_PROBLEM_BFS:
        return hop_bfs(context, graph, &source, 1, &bfs, first, second);
    default:
        return hop_sssp(context, graph, &source, 1, &sssp, HOP_SPAN((int64_t *)first, N), second);
    }
}

static size_t result_bytes(hop_problem problem) {
    return problem == HOP_PROBLEM_SSSP ? 8 * N : 4 * N;
}

static stand_in_counts counted_solve(hop_context *context, const hop_graph *graph,
                                     hop_problem problem, const char *variant, const void *in,
                                     void *first, void *second) {
    hop_run run = HOP_RUN_INIT;
    run.variant = variant;
    stand_in.fault(NULL, 0, 0);
    assert_fine(context, solve(context, graph, problem, &run, in, first, second));
    return stand_in.counted();
}

/* Whether one way moved this many bytes more than the other. How many rounds a variant needs can
 * depend on the order in which its work-items run, and each reads a counter or two: less than any
 * array of a byte per vertex. */
static bool is_more_by(uint64_t more, uint64_t less, uint64_t bytes) {
    return more + N / 4 > less + bytes && more < less + bytes + N / 4;
}

/* With arrays of the host, and with arrays on the device: the same bits, and the arrays' bytes are
 * what makes the difference. */
static void compare(hop_context *context, const hop_graph *graph, hop_problem problem,
                    const char *variant) {
    static int64_t right[N], got[N];
    static hop_vertex right_tree[N], got_tree[N];
    const size_t bytes = result_bytes(problem);
    bool tree = problem == HOP_PROBLEM_BFS || problem == HOP_PROBLEM_SSSP;
    bool list = problem == HOP_PROBLEM_RANK;
    void *first = place(NULL, bytes), *second = place(NULL, 4 * N);
    void *in = place(successors, sizeof successors);
    assert_fine(context, hop_device_lend(context, first, bytes));
    assert_fine(context, hop_device_lend(context, second, 4 * N));
    assert_fine(context, hop_device_lend(context, in, sizeof successors));
    assert_fine(context, hop_device_follow(context, other.stream));
    (void)counted_solve(context, graph, problem, variant, successors, right,
                        tree ? right_tree : NULL); /* the graph is there */
    stand_in_counts host = counted_solve(context, graph, problem, variant, successors, right,
                                         tree ? right_tree : NULL);
    stand_in_counts lent =
        counted_solve(context, graph, problem, variant, in, first, tree ? second : NULL);
    fetch(got, first, bytes);
    fetch(got_tree, second, sizeof got_tree);
    assert_memory_equal(got, right, bytes);
    if (tree)
        assert_memory_equal(got_tree, right_tree, sizeof right_tree);
    uint64_t out = bytes + (tree ? 4 * N : 0), to = list ? 4 * N : 0;
    if (!is_more_by(host.bytes_out, lent.bytes_out, out) ||
        !is_more_by(host.bytes_in, lent.bytes_in, to))
        fail_msg("%s %s: %lld bytes fewer from the device and %lld to it, not %llu and %llu",
                 hop_problem_name(problem), variant, (long long)(host.bytes_out - lent.bytes_out),
                 (long long)(host.bytes_in - lent.bytes_in), (unsigned long long)out,
                 (unsigned long long)to);
    assert_true(lent.bytes_out < 5000); /* counters of kernels, whatever N is */
    void *const all[] = {first, second, in};
    for (size_t i = 0; i < HOP_LENGTH(all); i++) {
        hop_device_take_back(context, all[i]);
        drop(all[i]);
    }
}

static void results_stay_there(void **state) {
    (void)state;
    unsigned rows = 0;
    other_begin();
    make_arrays(true);
    for (hop_vertex i = 0; i < N; i++)
        successors[i] = i + 1 < N ? i + 1 : i;
    hop_context *context = device_context("cuda:0");
    hop_graph *graph = host_graph(context);
    static const hop_problem problems[] = {HOP_PROBLEM_RANK, HOP_PROBLEM_COMPONENTS,
                                           HOP_PROBLEM_BFS, HOP_PROBLEM_SSSP};
    for (size_t p = 0; p < HOP_LENGTH(problems); p++)
        for (size_t i = 0; i < hop_variant_count(problems[p]); i++) {
            const hop_variant *row = hop_variant_at(problems[p], i);
            if (row->place != HOP_PLACE_DEVICE)
                continue;
            compare(context, graph, problems[p], row->name);
            rows++;
        }
    assert_true(rows > 15);
    hop_graph_release(graph);
    free_context(context);
    other_end();
}

/* --- graphs ---------------------------------------------------------------------------------- */

static void graphs_stay_there(void **state) {
    (void)state;
    static int64_t right[N], got[N];
    for (int sorted = 0; sorted < 2; sorted++) {
        other_begin();
        make_arrays(sorted);
        hop_context *context = device_context("cuda:0");
        void *o = place(offsets, sizeof offsets), *t = place(targets, sizeof targets),
             *w = place(weights, sizeof weights);
        hop_csr csr = csr_of(o, t, w);
        hop_graph *graph = NULL, *own = host_graph(context);
        assert_int_equal(hop_graph_from_device(context, &csr, NULL, &graph), HOP_ERR_ARGUMENT);
        assert_fine(context, hop_device_lend(context, o, sizeof offsets));
        assert_fine(context, hop_device_lend(context, t, sizeof targets));
        assert_fine(context, hop_device_lend(context, w, sizeof weights));
        assert_fine(context, hop_device_follow(context, other.stream));
        assert_fine(context, hop_graph_from_device(context, &csr, NULL, &graph));
        hop_graph_release(graph); /* the device's known answers were looked at with that */
        stand_in.fault(NULL, 0, 0);
        assert_fine(context, hop_graph_from_device(context, &csr, NULL, &graph));
        stand_in_counts made = stand_in.counted();
        const uint64_t bytes = sizeof offsets + sizeof targets + sizeof weights;
        /* Sorted rows are checked there: the last offset and what was found come back. Others the
         * host has to sort. */
        assert_true(made.bytes_in == 0 && made.bytes_out == 4 + 64 + (sorted ? 0 : bytes));
        stand_in_counts host =
            counted_solve(context, own, HOP_PROBLEM_SSSP, "delta-stepping", NULL, right, NULL);
        stand_in_counts there =
            counted_solve(context, graph, HOP_PROBLEM_SSSP, "delta-stepping", NULL, got, NULL);
        assert_memory_equal(got, right, sizeof right);
        assert_int_equal(host.bytes_in - there.bytes_in, sorted ? bytes : 0);
        hop_device_trim(context); /* what was lent does not go */
        there = counted_solve(context, graph, HOP_PROBLEM_SSSP, "delta-stepping", NULL, got, NULL);
        assert_int_equal(host.bytes_in - there.bytes_in, sorted ? bytes : 0);
        hop_graph_release(graph);
        hop_graph_release(own);
        assert_fine(context, hop_device_open(context, NULL)); /* copies of ended graphs go */
        free_context(context);
        drop(o), drop(t), drop(w);
        other_end();
    }
}

/* The graph on the device, and the same arrays as a graph of the host. */
typedef struct pair {
    hop_context *context;
    void *o, *t, *w;
    hop_graph *there, *here;
} pair;

static const uint64_t graph_bytes = sizeof offsets + sizeof targets + sizeof weights;

static pair pair_begin(void) {
    other_begin();
    make_arrays(true);
    pair p = {.context = device_context("cuda:0"),
              .o = place(offsets, sizeof offsets),
              .t = place(targets, sizeof targets),
              .w = place(weights, sizeof weights)};
    hop_csr csr = csr_of(p.o, p.t, p.w);
    assert_fine(p.context, hop_device_lend(p.context, p.o, sizeof offsets));
    assert_fine(p.context, hop_device_lend(p.context, p.t, sizeof targets));
    assert_fine(p.context, hop_device_lend(p.context, p.w, sizeof weights));
    assert_fine(p.context, hop_device_follow(p.context, other.stream));
    assert_fine(p.context, hop_graph_from_device(p.context, &csr, NULL, &p.there));
    hop_device_take_back(p.context, p.o); /* the graph has them still */
    hop_device_take_back(p.context, p.t);
    hop_device_take_back(p.context, p.w);
    p.here = host_graph(p.context);
    return p;
}

static void pair_end(pair *p) {
    hop_graph_release(p->there);
    hop_graph_release(p->here);
    assert_fine(p->context, hop_device_open(p->context, NULL)); /* copies of ended graphs go */
    free_context(p->context);
    drop(p->o), drop(p->t), drop(p->w);
    other_end();
}

/* No variant that has the graph on the device sends a byte of it either way. */
static void rows_on_the_device_alone_are_searched(void **state) {
    (void)state;
    static const hop_problem problems[] = {HOP_PROBLEM_COMPONENTS, HOP_PROBLEM_BFS,
                                           HOP_PROBLEM_SSSP};
    static int64_t right[N], got[N];
    static hop_vertex right_tree[N], got_tree[N];
    pair p = pair_begin();
    hop_graph_info info = HOP_GRAPH_INFO_INIT, same = HOP_GRAPH_INFO_INIT;
    assert_fine(p.context, hop_graph_describe(p.context, p.there, &info));
    assert_fine(p.context, hop_graph_describe(p.context, p.here, &same));
    assert_true(info.arcs == ARCS && info.loops == same.loops && info.checked);
    assert_true(info.max_degree == same.max_degree && info.isolated == same.isolated);
    assert_true(info.min_weight == same.min_weight && info.max_weight == same.max_weight);
    unsigned rows = 0;
    for (size_t i = 0; i < HOP_LENGTH(problems); i++)
        for (size_t k = 0; k < hop_variant_count(problems[i]); k++) {
            const hop_variant *row = hop_variant_at(problems[i], k);
            bool tree = problems[i] == HOP_PROBLEM_BFS;
            if (row->place != HOP_PLACE_DEVICE || (row->uses & HOP_PREPARE_DEVICE) == 0)
                continue;
            (void)counted_solve(p.context, p.here, problems[i], row->name, NULL, right,
                                tree ? right_tree : NULL); /* copies it */
            stand_in_counts once = counted_solve(p.context, p.here, problems[i], row->name, NULL,
                                                 right, tree ? right_tree : NULL);
            stand_in_counts counts = counted_solve(p.context, p.there, problems[i], row->name, NULL,
                                                   got, tree ? got_tree : NULL);
            assert_memory_equal(got, right, result_bytes(problems[i]));
            assert_memory_equal(got_tree, right_tree, sizeof got_tree);
            if (!is_more_by(counts.bytes_out, once.bytes_out, 0) ||
                !is_more_by(counts.bytes_in, once.bytes_in, 0))
                fail_msg("%s: %llu bytes from the device and %llu to it", row->name,
                         (unsigned long long)counts.bytes_out, (unsigned long long)counts.bytes_in);
            assert_null(hop_graph_targets(p.there));
            rows++;
        }
    assert_true(rows > 10);
    pair_end(&p);
}

/* What the host reads comes once, and the report says so. */
static void the_host_gets_the_rows_once(void **state) {
    (void)state;
    static hop_vertex levels[N], right[N];
    hop_vertex source = 3;
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_report *report = NULL;
    pair p = pair_begin();
    assert_fine(p.context, hop_report_create(0, &report));
    options.run = &run;
    run.report = report;
    assert_fine(p.context, hop_bfs(p.context, p.here, &source, 1, &options, right, NULL));
    assert_fine(p.context, hop_bfs(p.context, p.there, &source, 1, &options, levels, NULL));
    assert_null(strstr(hop_report_reason(report), "to the host"));
    run.variant = "sequential";
    for (int i = 0; i < 2; i++) {
        stand_in.fault(NULL, 0, 0);
        assert_fine(p.context, hop_bfs(p.context, p.there, &source, 1, &options, levels, NULL));
        assert_int_equal(stand_in.counted().bytes_out, i == 0 ? graph_bytes : 0);
        assert_true((strstr(hop_report_reason(report), "copied from cuda:0 to the host") != NULL) ==
                    (i == 0));
        assert_memory_equal(levels, right, sizeof right);
    }
    assert_memory_equal(hop_graph_targets(p.there), targets, sizeof targets);
    assert_memory_equal(hop_graph_weights(p.there, NULL), weights, sizeof weights);
    run.variant = NULL;
    run.certify = HOP_CERTIFY_CANONICAL; /* and the device goes on with what is there */
    stand_in.fault(NULL, 0, 0);
    assert_fine(p.context, hop_bfs(p.context, p.there, &source, 1, &options, levels, NULL));
    assert_true(stand_in.counted().bytes_in < 1000);
    hop_report_free(report);
    pair_end(&p);
}

/* Calls that need the rows, each of a graph that is still there alone; those with certificates, by
 * another context, by one without a device. Parents of shortest paths need them only if arcs may
 * count nothing. */
static void all_other_calls_bring_the_rows(void **state) {
    (void)state;
    static hop_vertex levels[N], right[N], tree[N], shortest_tree[N];
    static int64_t distances[N], shortest[N];
    hop_vertex source = 3;
    for (int call = 0; call < 7; call++) {
        weight_from = call != 6;
        pair p = pair_begin();
        hop_context *others = call == 4   ? device_context("cuda:0")
                              : call == 5 ? device_context(NULL)
                                          : NULL;
        hop_context *context = others != NULL ? others : p.context;
        hop_run run = HOP_RUN_INIT;
        hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
        bfs.run = &run;
        uint64_t hash = 0, same = 1;
        assert_fine(context, hop_bfs(context, p.here, &source, 1, &bfs, right, NULL));
        assert_fine(context, hop_sssp(context, p.here, &source, 1, NULL, HOP_SPAN(shortest, N),
                                      shortest_tree));
        if (call == 0) {
            run.certify = HOP_CERTIFY_CANONICAL;
            assert_fine(context, hop_bfs(context, p.there, &source, 1, &bfs, levels, NULL));
        } else if (call == 1 || call == 6) {
            assert_fine(context,
                        hop_sssp(context, p.there, &source, 1, NULL, HOP_SPAN(distances, N), tree));
        } else if (call == 2) {
            assert_fine(context, hop_bfs_certify(context, p.there, &source, 1, NULL, right, NULL));
        } else if (call == 3) {
            assert_fine(context, hop_graph_hash(context, p.there, &hash));
            assert_fine(context, hop_graph_hash(context, p.here, &same));
            assert_int_equal(hash, same);
        } else {
            assert_fine(context, hop_bfs(context, p.there, &source, 1, &bfs, levels, NULL));
            assert_int_equal(hop_graph_targets(p.there) == NULL, call == 4);
        }
        if (call == 0 || call == 4 || call == 5)
            assert_memory_equal(levels, right, sizeof right);
        if (call == 1 || call == 6) {
            assert_memory_equal(distances, shortest, sizeof shortest);
            assert_memory_equal(tree, shortest_tree, sizeof tree);
        }
        if (call == 1)
            assert_null(hop_graph_targets(p.there));
        else if (call != 4)
            assert_memory_equal(hop_graph_targets(p.there), targets, sizeof targets);
        if (others != NULL)
            free_context(others);
        pair_end(&p);
    }
    weight_from = 1;
}

/* --- refusals -------------------------------------------------------------------------------- */

static void refused(const hop_context *context, hop_status status, hop_status wanted,
                    const char *words) {
    if (status != wanted || strstr(hop_context_message(context), words) == NULL)
        fail_msg("%s: '%s' is not in '%s'", hop_status_name(status), words,
                 hop_context_message(context));
}

static void refuse_bfs(hop_context *context, const hop_graph *graph, hop_vertex *there) {
    static const hop_setting host_setting[] = {{"small", 1, NULL}};
    hop_vertex source = 3;
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    options.run = &run;
    run.certify = HOP_CERTIFY_VALID;
    refused(context, hop_bfs(context, graph, &source, 1, &options, there, NULL),
            HOP_ERR_UNSUPPORTED, "certificates are made by the host");
    run.certify = HOP_CERTIFY_NONE;
    run.variant = "sequential";
    refused(context, hop_bfs(context, graph, &source, 1, &options, there, NULL),
            HOP_ERR_UNSUPPORTED, "the variant is one of the host");
    run.variant = "frontier";
    run.settings = host_setting;
    run.setting_count = 1;
    refused(context, hop_bfs(context, graph, &source, 1, &options, there, NULL),
            HOP_ERR_UNSUPPORTED, "bfs: small=host: the array is in the memory of cuda:0");
    run.setting_count = 0;
    options.nearest = 5;
    refused(context, hop_bfs(context, graph, &source, 1, &options, there, NULL),
            HOP_ERR_UNSUPPORTED, "taken out by the host");
    options.nearest = 0;
    options.targets = there;
    options.target_count = 2 * N;
    refused(context, hop_bfs(context, graph, &source, 1, &options, there, NULL), HOP_ERR_ARGUMENT,
            "bfs: targets: 5600 bytes are needed");
    options.targets = NULL;
    options.target_count = 0;
    refused(context, hop_bfs(context, graph, there, 2 * N, &options, there, NULL), HOP_ERR_ARGUMENT,
            "bfs: sources: 5600 bytes are needed");
    refused(context, hop_bfs_certify(context, graph, &source, 1, &options, there, NULL),
            HOP_ERR_UNSUPPORTED, "bfs: certificate: levels: the array is in the memory");
    refused(context, hop_bfs(context, graph, &source, 1, &options, there + N / 2 + 1, NULL),
            HOP_ERR_ARGUMENT, "bytes are needed");
}

/* Sources on the device: they are read, checked, and searched from; 4 bytes of each are all. */
static void sources_may_be_there(void **state) {
    (void)state;
    static const hop_vertex sources[] = {3, 70, 3, 41};
    static const hop_vertex wrong[] = {3, N};
    static hop_vertex levels[N], right[N];
    static int64_t distances[N], shortest[N];
    other_begin();
    make_arrays(true);
    hop_context *context = device_context("cuda:0");
    hop_graph *graph = host_graph(context);
    hop_vertex *there = place(sources, sizeof sources), *bad = place(wrong, sizeof wrong);
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
    hop_sssp_options sssp = HOP_SSSP_OPTIONS_INIT;
    run.variant = "frontier";
    bfs.run = &run;
    assert_fine(context, hop_bfs(context, graph, sources, 4, &bfs, right, NULL)); /* copies it */
    stand_in.fault(NULL, 0, 0);
    assert_fine(context, hop_bfs(context, graph, sources, 4, &bfs, right, NULL));
    uint64_t out = stand_in.counted().bytes_out;
    assert_fine(context, hop_device_lend(context, there, sizeof sources));
    assert_fine(context, hop_device_lend(context, bad, sizeof wrong));
    stand_in.fault(NULL, 0, 0);
    assert_fine(context, hop_bfs(context, graph, there, 4, &bfs, levels, NULL));
    assert_int_equal(stand_in.counted().bytes_out, out + sizeof sources);
    assert_memory_equal(levels, right, sizeof right);
    refused(context, hop_bfs(context, graph, bad, 2, &bfs, levels, NULL), HOP_ERR_ARGUMENT,
            "source number 1 is vertex");
    run.variant = "sequential"; /* a variant of the host too */
    assert_fine(context, hop_bfs(context, graph, there, 4, &bfs, levels, NULL));
    assert_memory_equal(levels, right, sizeof right);
    assert_fine(context, hop_sssp(context, graph, sources, 4, &sssp, HOP_SPAN(shortest, N), NULL));
    assert_fine(context, hop_sssp(context, graph, there, 4, &sssp, HOP_SPAN(distances, N), NULL));
    assert_memory_equal(distances, shortest, sizeof shortest);
    hop_graph_release(graph);
    assert_fine(context, hop_device_open(context, NULL)); /* copies of ended graphs go */
    free_context(context);
    drop(there), drop(bad);
    other_end();
}

/* Targets on the device, with variants of both places, and with certificates. */
static void targets_may_be_there(void **state) {
    (void)state;
    static const hop_vertex sources[] = {3, 70}, wanted[] = {90, 3, 45}, wrong[] = {3, N + 7};
    static const char *const names[] = {"frontier", "direction-optimizing", "sequential"};
    static hop_vertex levels[N], right[N];
    static int64_t distances[N], shortest[N];
    other_begin();
    make_arrays(true);
    hop_context *context = device_context("cuda:0");
    hop_graph *graph = host_graph(context);
    hop_vertex *there = place(wanted, sizeof wanted), *bad = place(wrong, sizeof wrong);
    assert_fine(context, hop_device_lend(context, there, sizeof wanted));
    assert_fine(context, hop_device_lend(context, bad, sizeof wrong));
    assert_fine(context, hop_device_follow(context, other.stream));
    hop_run run = HOP_RUN_INIT;
    hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
    hop_sssp_options sssp = HOP_SSSP_OPTIONS_INIT;
    bfs.run = &run;
    run.certify = HOP_CERTIFY_CANONICAL;
    bfs.target_count = sssp.target_count = 3;
    for (size_t i = 0; i < HOP_LENGTH(names); i++) {
        run.variant = names[i];
        bfs.targets = wanted;
        assert_fine(context, hop_bfs(context, graph, sources, 2, &bfs, right, NULL));
        bfs.targets = there;
        stand_in.fault(NULL, 0, 0);
        assert_fine(context, hop_bfs(context, graph, sources, 2, &bfs, levels, NULL));
        assert_true(stand_in.counted().bytes_out >= sizeof wanted);
        assert_memory_equal(levels, right, sizeof right);
        assert_fine(context, hop_bfs_certify(context, graph, sources, 2, &bfs, levels, NULL));
    }
    bfs.targets = bad;
    bfs.target_count = 2;
    refused(context, hop_bfs(context, graph, sources, 2, &bfs, levels, NULL), HOP_ERR_ARGUMENT,
            "target number 1 is vertex 707");
    sssp.targets = wanted;
    assert_fine(context, hop_sssp(context, graph, sources, 2, &sssp, HOP_SPAN(shortest, N), NULL));
    sssp.targets = there;
    assert_fine(context, hop_sssp(context, graph, sources, 2, &sssp, HOP_SPAN(distances, N), NULL));
    assert_memory_equal(distances, shortest, sizeof shortest);
    assert_fine(context,
                hop_sssp_certify(context, graph, sources, 2, &sssp, HOP_VIEW(distances, N), NULL));
    hop_graph_release(graph);
    assert_fine(context, hop_device_open(context, NULL)); /* copies of ended graphs go */
    free_context(context);
    drop(there), drop(bad);
    other_end();
}

static void what_the_host_reads_is_refused(void **state) {
    (void)state;
    hop_vertex source = 3;
    static hop_vertex parents[N];
    other_begin();
    weight_from = 0;
    make_arrays(true);
    weight_from = 1;
    hop_context *context = device_context("cuda:0");
    hop_graph *graph = host_graph(context);
    hop_vertex *there = place(NULL, 2 * LEVELS);
    assert_int_equal(hop_device_lend(context, NULL, 4), HOP_ERR_ARGUMENT);
    assert_fine(context, hop_device_lend(context, there, 2 * LEVELS));
    refuse_bfs(context, graph, there + N / 2);
    hop_sssp_options sssp = HOP_SSSP_OPTIONS_INIT;
    const hop_span *distances = HOP_SPAN((int64_t *)there, N);
    refused(context, hop_sssp(context, graph, &source, 1, &sssp, distances, parents),
            HOP_ERR_UNSUPPORTED, "parents over arcs that may count nothing are found by the host");
    sssp.cutoff = 5;
    refused(context, hop_sssp(context, graph, &source, 1, &sssp, distances, NULL),
            HOP_ERR_UNSUPPORTED, "cut by the host");
    hop_apsp_options apsp = HOP_APSP_OPTIONS_INIT;
    apsp.sources = &source;
    apsp.source_count = 1;
    refused(context, hop_apsp(context, graph, &apsp, distances, NULL), HOP_ERR_UNSUPPORTED,
            "apsp: matrix: the array is in the memory");
    /* A device that fails is not followed by the host. */
    hop_bfs_options bfs = HOP_BFS_OPTIONS_INIT;
    stand_in.fault("cuLaunchKernel", 1, 1);
    refused(context, hop_bfs(context, graph, &source, 1, &bfs, there, NULL), HOP_ERR_DEVICE,
            "cuLaunchKernel");
    stand_in.fault(NULL, 0, 0);
    hop_device_take_back(context, there);
    hop_graph_release(graph);
    free_context(context);
    drop(there);
    other_end();
}

/* A list that is not one yet when the call begins. */
static void the_callers_stream_is_waited_for(void **state) {
    (void)state;
    static hop_vertex ranks[N];
    other_begin();
    for (hop_vertex i = 0; i < N; i++)
        successors[i] = i + 1 < N ? i + 1 : i;
    hop_context *context = device_context("cuda:0");
    for (int i = 0; i < 20; i++) {
        void *in = place(successors, sizeof successors), *out = place(NULL, sizeof ranks);
        assert_fine(context, hop_device_lend(context, in, sizeof successors));
        assert_fine(context, hop_device_lend(context, out, sizeof ranks));
        assert_fine(context, hop_device_follow(context, other.stream));
        assert_fine(context, solve(context, NULL, HOP_PROBLEM_RANK, NULL, in, out, NULL));
        fetch(ranks, out, sizeof ranks);
        for (hop_vertex v = 0; v < N; v++)
            assert_int_equal(ranks[v], N - 1 - v);
        hop_device_take_back(context, in);
        hop_device_take_back(context, out);
        drop(in), drop(out);
    }
    free_context(context);
    other_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_stay_there),
        cmocka_unit_test(graphs_stay_there),
        cmocka_unit_test(rows_on_the_device_alone_are_searched),
        cmocka_unit_test(the_host_gets_the_rows_once),
        cmocka_unit_test(all_other_calls_bring_the_rows),
        cmocka_unit_test(sources_may_be_there),
        cmocka_unit_test(targets_may_be_there),
        cmocka_unit_test(what_the_host_reads_is_refused),
        cmocka_unit_test(the_callers_stream_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
