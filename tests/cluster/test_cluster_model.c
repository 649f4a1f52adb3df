/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that are sent, of each rank and phase, and memory, against the model of docs/cluster.md,
 * whose formulas `hoplite plan` prints too (cluster_model.h): bytes within 5 %, memory of graphs
 * and calls within 10 %, at two sizes, one 16 times the other. Random graphs, of whose arcs' ends
 * the model knows how many are different. */
#include <math.h>

#include "apsp/tile_engine.h"
#include "cluster/cluster_matrix.h"
#include "cluster/cluster_model.h"
#include "cluster_testing.h"

enum { VERTICES = 40000, EDGES = 200000, SIZES = 16 };

static void check_near(const job *work, const char *what, uint64_t bytes, double model) {
    if (work->rank == 0)
        printf("%u ranks: %s: %llu bytes, model %.0f\n", (unsigned)work->ranks, what,
               (unsigned long long)bytes, model);
    CHECK(fabs((double)bytes - model) <= 0.05 * model);
}

static void check_within(const job *work, const char *what, uint64_t bytes, double model) {
    if (work->rank == 0)
        printf("%u ranks: %s: %llu bytes of memory, model %.0f\n", (unsigned)work->ranks, what,
               (unsigned long long)bytes, model);
    CHECK(fabs((double)bytes - model) <= 0.1 * model);
}

/* The mean of the ranks: where what a rank has is drawn, and little. */
static uint64_t mean_bytes(job *work, const char *name) {
    uint64_t bytes = bytes_of(work, name);
    CHECK_OK(work->context, hop__sum_all(work->cluster, &bytes, 1));
    return bytes / work->ranks;
}

/* A job on one graph, and what the model has of it. */
typedef struct trial {
    hop_cluster_graph *graph;
    hop__model model;
    uint64_t *ids;
    uint32_t *levels;
} trial;

/* Bytes to build a graph, and memory of it: what it has, and the most while it was built. */
static void check_built(job *work, const trial *made, uint64_t before) {
    const hop__model *model = &made->model;
    check_near(work, "build: arcs", bytes_of(work, "build: arcs"), hop__model_build(model));
    check_near(work, "build: ends", bytes_of(work, "build: ends"), hop__model_open(model));
    check_within(work, "graph", hop_context_memory_used(work->context) - before,
                 hop__model_graph_memory(model));
    double most = (double)(hop_context_memory_peak(work->context) - before);
    CHECK(most <= hop__model_build_memory(model) && most >= hop__model_build_memory(model) / 2);
}

/* `size` times the vertices and arcs; directed, each arc is drawn. */
static trial trial_begin(job *work, double size, bool directed) {
    double vertices = size * VERTICES, edges = size * EDGES * (directed ? 2 : 1);
    const recipe of = {"erdos-renyi", {{"n", vertices}, {"m", edges}, {"directed", directed}}, 3};
    hop_cluster_reset(work->cluster);
    hop__pool_reset_peak(work->context->pool);
    uint64_t before = hop_context_memory_used(work->context);
    trial made = {.graph = spread_graph(work, &of),
                  .model = hop__model_make(vertices, edges, work->ranks, directed, 0)};
    uint64_t own = hop_cluster_count(made.graph);
    made.ids = calloc(own + 1, 8);
    made.levels = calloc(own + 1, 4);
    check_built(work, &made, before);
    return made;
}

static void trial_end(trial *made) {
    hop_cluster_graph_free(made->graph);
    free(made->ids);
    free(made->levels);
}

/* Directed, so downwards only: every different target of others once. */
static void check_down(job *work, const trial *made) {
    uint64_t source = 0;
    hop_cluster_reset(work->cluster);
    CHECK_OK(work->context, hop_cluster_bfs(work->cluster, made->graph, &source, 1, NULL,
                                            made->levels, made->ids));
    check_near(work, "bfs, down", bytes_of(work, "bfs: "), hop__model_down(&made->model));
    CHECK(rounds_of(work, "bfs: bits") == 0);
}

static void check_up(job *work, const trial *made) {
    uint64_t source = 0;
    hop_cluster_reset(work->cluster);
    CHECK_OK(work->context, hop_cluster_bfs(work->cluster, made->graph, &source, 1, NULL,
                                            made->levels, made->ids));
    uint64_t rounds = rounds_of(work, "bfs: bits");
    check_near(work, "bfs, up", bytes_of(work, "bfs: bits"),
               hop__model_bits(&made->model, (double)rounds));
    CHECK(rounds >= 2);
    CHECK((double)bytes_of(work, "bfs: targets") < hop__model_down(&made->model) / 2);
}

/* How many vertices of all ranks are at each distance, which is below LEVELS. */
enum { LEVELS = 64 };
static void count_levels(job *work, const int64_t *distances, uint64_t own,
                         uint64_t counts[LEVELS]) {
    memset(counts, 0, LEVELS * sizeof *counts);
    for (uint64_t i = 0; i < own; i++) {
        CHECK(distances[i] == HOP_NO_DISTANCE || distances[i] < LEVELS);
        if (distances[i] != HOP_NO_DISTANCE)
            counts[distances[i]]++;
    }
    CHECK_OK(work->context, hop__sum_all(work->cluster, counts, LEVELS));
}

/* Without weights every end of others is told of once; and of those at a distance, which have an
 * arc from one nearer by 1 somewhere, the ranks that hold such an arc tell a parent. */
static void check_paths(job *work, const trial *made) {
    uint64_t own = hop_cluster_count(made->graph), source = 0, counts[LEVELS];
    hop_span distances = {calloc(own + 1, 8), own, HOP_TYPE_INT64};
    double parents = 0;
    hop_cluster_reset(work->cluster);
    CHECK_OK(work->context,
             hop_cluster_sssp(work->cluster, made->graph, &source, 1, NULL, &distances, made->ids));
    check_near(work, "sssp", bytes_of(work, "sssp: targets"), hop__model_targets(&made->model, 1));
    check_near(work, "sssp: distances", bytes_of(work, "sssp: distances"),
               hop__model_distances(&made->model));
    uint64_t told = mean_bytes(work, "sssp: parents");
    count_levels(work, distances.items, own, counts);
    for (size_t level = 1; level < LEVELS; level++)
        parents += hop__model_level_parents(&made->model, (double)counts[level],
                                            (double)counts[level - 1]);
    check_near(work, "sssp: parents", told, parents);
    CHECK((double)told <= hop__model_parents(&made->model));
    CHECK(bytes_of(work, "sssp: layers") == 0);
    free(distances.items);
}

static void check_components(job *work, const trial *made) {
    hop_cluster_reset(work->cluster);
    CHECK_OK(work->context, hop_cluster_components(work->cluster, made->graph, made->ids, NULL));
    check_near(work, "components: roots", bytes_of(work, "components: roots"),
               hop__model_roots(&made->model));
    /* Pairs are drawn, and where there are few some are found twice, as rows of the hub's group are
     * skipped. */
    check_near(work, "components", mean_bytes(work, "components: "),
               hop__model_roots(&made->model) + hop__model_pairs(&made->model));
    CHECK(rounds_of(work, "components: labels") == 0 && !hop__model_in_rounds(&made->model));
}

/* With a hub ends are told of by bits, in three rounds, and little else: D is that of the graph. */
static void check_hub(job *work, double scale) {
    const recipe made = {"rmat", {{"scale", scale}, {"edge-factor", 8}}, 2};
    hop_cluster_graph *graph = spread_graph(work, &made);
    hop__model model = {.ranks = work->ranks};
    uint64_t *labels = calloc(hop_cluster_count(graph) + 1, 8);
    for (uint32_t rank = 0; rank < work->ranks; rank++)
        model.ends += rank == work->rank ? 0 : (double)graph->known_counts[rank];
    hop_cluster_reset(work->cluster);
    CHECK_OK(work->context, hop_cluster_components(work->cluster, graph, labels, NULL));
    check_near(work, "components: bits", bytes_of(work, "components: bits"),
               hop__model_bits(&model, 3));
    uint64_t roots = mean_bytes(work, "components: roots");
    if (work->rank == 0)
        printf("%u ranks: what is not inside: %llu bytes of %.0f\n", (unsigned)work->ranks,
               (unsigned long long)roots, 4 * model.ends);
    /* Rows are not all on their owners: more ranks, more of these. */
    CHECK((double)roots < 2 * model.ends);
    free(labels);
    hop_cluster_graph_free(graph);
}

/* This rank's part of one list in random order, and room for the ranks. */
typedef struct list_trial {
    uint64_t first, count;
    uint64_t *successors, *ranks;
} list_trial;

static list_trial list_begin(job *work, hop_vertex elements) {
    hop_vertex *whole = calloc(elements, sizeof *whole);
    list_trial made;
    CHECK_OK(work->context, hop_list_generate(work->context, elements, 5, whole));
    hop_cluster_part(work->cluster, elements, &made.first, &made.count);
    made.successors = calloc(made.count + 1, 8);
    made.ranks = calloc(made.count + 1, 8);
    for (uint64_t i = 0; i < made.count; i++)
        made.successors[i] = whole[made.first + i];
    free(whole);
    return made;
}

static void list_end(list_trial *made) {
    free(made->successors);
    free(made->ranks);
}

static void check_list(job *work, hop_vertex elements) {
    hop__list_model model = hop__list_model_make(elements, work->ranks);
    list_trial made = list_begin(work, elements);
    hop_cluster_reset(work->cluster);
    hop__pool_reset_peak(work->context->pool);
    uint64_t before = hop_context_memory_used(work->context);
    CHECK_OK(work->context,
             hop_cluster_list_rank(work->cluster, made.successors, elements, NULL, made.ranks));
    double held = (double)(hop_context_memory_peak(work->context) - before);
    check_near(work, "rank: names", bytes_of(work, "rank: names"), hop__list_model_names(&model));
    check_near(work, "rank: waves and ranks",
               bytes_of(work, "rank: waves") + bytes_of(work, "rank: ranks"),
               hop__list_model_waves(&model));
    check_near(work, "rank: jumps", mean_bytes(work, "rank: jumps"), hop__list_model_jumps(&model));
    CHECK(bytes_of(work, "rank: labels") == 0);
    if (work->rank == 0)
        printf("%u ranks: list of %u: %.0f bytes in memory, model %.0f\n", (unsigned)work->ranks,
               (unsigned)elements, held, hop__list_model_memory(&model));
    CHECK(fabs(held - hop__list_model_memory(&model)) <= 0.1 * hop__list_model_memory(&model));
    list_end(&made);
}

/* What the library's kernels take for tiles of this side. */
static uint64_t engine_memory(job *work, const hop_cluster_matrix *matrix) {
    hop__tile_engine *engine = NULL;
    uint64_t before = hop_context_memory_used(work->context);
    CHECK_OK(work->context,
             hop__tile_engine_open(work->context, matrix->type, matrix->side, &engine));
    uint64_t used = hop_context_memory_used(work->context) - before;
    CHECK_OK(work->context, hop__tile_engine_free(engine));
    return used;
}

/* Tiles are dealt evenly to within one row and column of them. In a round nobody waits for all. */
static void check_matrix(job *work, double vertices) {
    const recipe made = {"erdos-renyi", {{"n", vertices}, {"m", 4 * vertices}}, 2};
    hop_cluster_graph *graph = spread_graph(work, &made);
    hop_cluster_matrix *matrix = NULL;
    hop_cluster_reset(work->cluster);
    hop__pool_reset_peak(work->context->pool);
    uint64_t before = work->cluster->collectives, used = hop_context_memory_used(work->context);
    CHECK_OK(work->context, hop_cluster_apsp(work->cluster, graph, &matrix));
    uint64_t held = hop_context_memory_peak(work->context) - used;
    CHECK(work->cluster->collectives - before <= 5);
    uint64_t rounds = rounds_of(work, "apsp: rows");
    double side = (double)matrix->side, down = matrix->down, across = matrix->across;
    uint64_t sent = mean_bytes(work, "apsp: diagonal") + mean_bytes(work, "apsp: rows") +
                    mean_bytes(work, "apsp: columns");
    check_near(work, "apsp: tiles", sent, hop__model_matrix(vertices, side, down, across, 4));
    check_near(work, "apsp: arcs", mean_bytes(work, "apsp: arcs"),
               16 * 8 * vertices / work->ranks * (1 - 1 / across)); /* rows are there already */
    CHECK(rounds == matrix->tiles);
    check_within(work, "apsp", held - engine_memory(work, matrix),
                 hop__model_matrix_memory(side, (double)matrix->rows, (double)matrix->columns, 4));
    hop_cluster_matrix_free(matrix);
    hop_cluster_graph_free(graph);
}

/* Calls of MPI that wait for all ranks, by problem: so many, and so many for each exchange of one
 * phase. Where records fit the spare blocks nobody asks whether all have room. */
typedef struct waits {
    const char *name, *phase;
    uint64_t once, each;
    hop_status (*solve)(job *work, const trial *made);
} waits;

static hop_status solve_bfs(job *work, const trial *made) {
    uint64_t source = 0;
    return hop_cluster_bfs(work->cluster, made->graph, &source, 1, NULL, made->levels, made->ids);
}

static hop_status solve_components(job *work, const trial *made) {
    return hop_cluster_components(work->cluster, made->graph, made->ids, NULL);
}

static hop_status solve_sssp(job *work, const trial *made) {
    uint64_t own = hop_cluster_count(made->graph), source = 0;
    hop_span distances = {calloc(own + 1, 8), own, HOP_TYPE_INT64};
    hop_status status =
        hop_cluster_sssp(work->cluster, made->graph, &source, 1, NULL, &distances, made->ids);
    free(distances.items);
    return status;
}

/* The list has as many elements as the graph has vertices. */
static hop_status solve_list(job *work, const trial *made) {
    hop_vertex elements = (hop_vertex)hop_cluster_graph_vertices(made->graph);
    list_trial list = list_begin(work, elements);
    hop_status status =
        hop_cluster_list_rank(work->cluster, list.successors, elements, NULL, list.ranks);
    list_end(&list);
    return status;
}

/* bfs: the call and the end; in a level who is left, rows and their arcs, and what was found.
 * components: the call, how many pairs, the pairs, how many components. sssp: the call, arrays,
 * the last limit (2), distances of ends, parents (2); in a round who is near, rows, what was
 * found, and a new limit (2). rank: the call, names and faults, the last waves, their ends, the
 * last ranks, whether all have one; 3 for each doubling, of which there are fewer than bits; in a
 * round who is under way, and waves, and again for the ranks. */
static const waits calls[] = {
    {"bfs", "bfs: targets", 2, 4, solve_bfs},
    {"components", "components: roots", 3, 1, solve_components},
    {"sssp", "sssp: near", 7, 5, solve_sssp},
    {"rank", "rank: waves", 8 + 3 * 7, 4, solve_list},
};

static void check_waits(job *work) {
    const recipe made = {"erdos-renyi", {{"n", 1500}, {"m", 4000}}, 2};
    trial small = {.graph = spread_graph(work, &made)};
    small.ids = calloc(hop_cluster_count(small.graph) + 1, 8);
    small.levels = calloc(hop_cluster_count(small.graph) + 1, 4);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        hop_cluster_reset(work->cluster);
        uint64_t before = work->cluster->collectives;
        CHECK_OK(work->context, calls[i].solve(work, &small));
        uint64_t made_of = work->cluster->collectives - before;
        uint64_t rounds = rounds_of(work, calls[i].phase);
        if (work->rank == 0)
            printf("%u ranks: %s: %llu waits in %llu rounds\n", (unsigned)work->ranks,
                   calls[i].name, (unsigned long long)made_of, (unsigned long long)rounds);
        CHECK(rounds > 0 && made_of <= calls[i].once + calls[i].each * rounds);
    }
    trial_end(&small);
}

/* Memory of a call beside the graph, at its peak; `model` has the arrays of results too, which are
 * not the context's here: so many bytes for each vertex of the rank. */
typedef struct memory_call {
    const char *name;
    double results;
    double (*model)(const hop__model *model);
    hop_status (*solve)(job *work, const trial *made);
} memory_call;

static const memory_call memory_calls[] = {
    {"components", 8, hop__model_components_memory, solve_components},
    {"bfs", 12, hop__model_bfs_memory, solve_bfs},
    {"sssp", 16, hop__model_sssp_memory, solve_sssp},
};

static void check_calls(job *work, const trial *made) {
    for (size_t i = 0; i < sizeof memory_calls / sizeof memory_calls[0]; i++) {
        const memory_call *call = &memory_calls[i];
        hop__pool_reset_peak(work->context->pool);
        uint64_t before = hop_context_memory_used(work->context);
        CHECK_OK(work->context, call->solve(work, made));
        check_within(work, call->name, hop_context_memory_peak(work->context) - before,
                     call->model(&made->model) - call->results * made->model.own);
    }
}

static void check_size(job *work, double size) {
    trial made = trial_begin(work, size, false);
    check_up(work, &made);
    check_components(work, &made);
    /* Where messages are cut the room for pairs is, too. */
    if (getenv("HOPLITE_TEST_MESSAGE_BYTES") == NULL)
        check_calls(work, &made);
    trial_end(&made);
    made = trial_begin(work, size, true);
    check_down(work, &made);
    check_paths(work, &made);
    trial_end(&made);
}

int main(void) {
    job work = job_begin();
    check_size(&work, 1);
    check_size(&work, SIZES);
    check_hub(&work, 14);
    check_hub(&work, 18);
    check_list(&work, 100000);
    check_list(&work, SIZES * 100000);
    check_matrix(&work, 500); /* of which n^2 is what grows */
    check_matrix(&work, 2000);
    check_waits(&work);
    job_end(&work);
    return 0;
}
