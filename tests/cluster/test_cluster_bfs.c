/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches over the ranks: the levels and parents of the library, bit by bit; certified; every
 * wrong one is rejected; and written to a file that the library reads. */
#include "cluster_testing.h"

/* A result: the parts of this rank, and the whole ones of the library. */
typedef struct result {
    uint32_t *levels;
    uint64_t *parents;
    hop_vertex *whole_levels, *whole_parents;
} result;

static result result_make(const hop_cluster_graph *graph) {
    size_t own = (size_t)hop_cluster_count(graph) + 1;
    size_t all = (size_t)hop_cluster_graph_vertices(graph) + 1;
    result made = {calloc(own, 4), calloc(own, 8), calloc(all, 4), calloc(all, 4)};
    CHECK(made.levels && made.parents && made.whole_levels && made.whole_parents);
    return made;
}

static void result_free(result *made) {
    free(made->levels);
    free(made->parents);
    free(made->whole_levels);
    free(made->whole_parents);
}

static void check_search(job *work, const hop_cluster_graph *graph, const hop_graph *whole,
                         const uint64_t *sources, uint32_t count, uint32_t max_level) {
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    hop_vertex narrow[8];
    result made = result_make(graph);
    uint64_t first = hop_cluster_first(graph);
    options.max_level = max_level;
    for (uint32_t i = 0; i < count; i++)
        narrow[i] = (hop_vertex)sources[i];
    CHECK_OK(work->context, hop_bfs(work->context, whole, narrow, count, &options,
                                    made.whole_levels, made.whole_parents));
    CHECK_OK(work->context, hop_cluster_bfs(work->cluster, graph, sources, count, &options,
                                            made.levels, made.parents));
    for (uint64_t i = 0; i < hop_cluster_count(graph); i++) {
        hop_vertex parent = made.whole_parents[first + i];
        CHECK(made.levels[i] == made.whole_levels[first + i]);
        CHECK(made.parents[i] == (parent == HOP_NO_VERTEX ? HOP_NO_CLUSTER_VERTEX : parent));
    }
    CHECK_OK(work->context, hop_cluster_bfs_certify(work->cluster, graph, sources, count, &options,
                                                    made.levels, made.parents));
    result_free(&made);
}

static void check_recipes(job *work) {
    for (size_t i = 0; i < RECIPES; i++) {
        hop_graph *whole = whole_graph(work->context, &recipes[i]);
        hop_cluster_graph *graph = spread_graph(work, &recipes[i]);
        uint64_t n = hop_cluster_graph_vertices(graph);
        check_search(work, graph, whole, NULL, 0, HOP_NO_LEVEL);
        for (uint64_t trial = 0; n > 0 && trial < 3; trial++) {
            uint64_t sources[3];
            for (uint64_t k = 0; k < 3; k++)
                sources[k] = hop__random_at(i, trial, k) % n;
            /* Lists are long: a few levels of them. */
            bool list = strcmp(recipes[i].family, "list-graph") == 0;
            check_search(work, graph, whole, sources, trial == 2 ? 3 : 1,
                         list         ? 40
                         : trial == 1 ? 2
                                      : HOP_NO_LEVEL);
        }
        hop_cluster_graph_free(graph);
        hop_graph_release(whole);
    }
}

/* Every level and parent of a small graph, changed to every other value. */
static void check_wrong(job *work) {
    const recipe small = {"erdos-renyi", {{"n", 9}, {"m", 12}}, 2};
    hop_cluster_graph *graph = spread_graph(work, &small);
    result made = result_make(graph);
    uint64_t first = hop_cluster_first(graph), own = hop_cluster_count(graph), source = 4;
    CHECK_OK(work->context,
             hop_cluster_bfs(work->cluster, graph, &source, 1, NULL, made.levels, made.parents));
    for (uint64_t v = 0; v < 9; v++)
        for (uint64_t other = 0; other < 22; other++) {
            uint64_t at = v >= first && v - first < own ? v - first : UINT64_MAX;
            uint32_t level = at != UINT64_MAX ? made.levels[at] : 0;
            uint64_t parent = at != UINT64_MAX ? made.parents[at] : 0, same = 0;
            if (at != UINT64_MAX && other < 11)
                made.levels[at] = other == 10 ? HOP_NO_LEVEL : (uint32_t)other;
            else if (at != UINT64_MAX)
                made.parents[at] = other == 21 ? HOP_NO_CLUSTER_VERTEX : other - 11;
            same = at == UINT64_MAX || (made.levels[at] == level && made.parents[at] == parent);
            CHECK_OK(work->context, hop__min_all(work->cluster, &same, 1));
            hop_status status = hop_cluster_bfs_certify(work->cluster, graph, &source, 1, NULL,
                                                        made.levels, made.parents);
            CHECK(status == (same ? HOP_OK : HOP_ERR_CERTIFICATE));
            if (at != UINT64_MAX) {
                made.levels[at] = level;
                made.parents[at] = parent;
            }
        }
    result_free(&made);
    hop_cluster_graph_free(graph);
}

/* Level and parent of one vertex changed together, to all pairs: a wrong level whose parent fits
 * it, or a vertex that is said not to be reached, shows in the arcs only. */
static void check_wrong_pairs(job *work) {
    const recipe small = {"erdos-renyi", {{"n", 6}, {"m", 8}}, 2};
    hop_cluster_graph *graph = spread_graph(work, &small);
    result made = result_make(graph);
    uint64_t first = hop_cluster_first(graph), own = hop_cluster_count(graph), source = 2;
    CHECK_OK(work->context,
             hop_cluster_bfs(work->cluster, graph, &source, 1, NULL, made.levels, made.parents));
    for (uint64_t trial = 0; trial < 6 * 6 * 7; trial++) {
        uint64_t v = trial / 42, level = trial / 7 % 6, parent = trial % 7, same = 1;
        bool mine = v >= first && v - first < own;
        uint32_t right_level = mine ? made.levels[v - first] : 0;
        uint64_t right_parent = mine ? made.parents[v - first] : 0;
        if (mine) {
            made.levels[v - first] = level == 5 ? HOP_NO_LEVEL : (uint32_t)level;
            made.parents[v - first] = parent == 6 ? HOP_NO_CLUSTER_VERTEX : parent;
            same = made.levels[v - first] == right_level && made.parents[v - first] == right_parent;
        }
        CHECK_OK(work->context, hop__min_all(work->cluster, &same, 1));
        CHECK(hop_cluster_bfs_certify(work->cluster, graph, &source, 1, NULL, made.levels,
                                      made.parents) == (same ? HOP_OK : HOP_ERR_CERTIFICATE));
        if (mine) {
            made.levels[v - first] = right_level;
            made.parents[v - first] = right_parent;
        }
    }
    result_free(&made);
    hop_cluster_graph_free(graph);
}

static void check_refused(job *work) {
    hop_cluster_graph *graph = spread_graph(work, &recipes[3]);
    result made = result_make(graph);
    hop_bfs_options options = HOP_BFS_OPTIONS_INIT;
    uint64_t source = 500;
    CHECK(hop_cluster_bfs(work->cluster, graph, &source, 1, NULL, made.levels, made.parents) ==
          HOP_ERR_ARGUMENT);
    CHECK(strstr(hop_context_message(work->context), "500 vertices") != NULL);
    source = 3;
    options.nearest = 4;
    CHECK(hop_cluster_bfs(work->cluster, graph, &source, 1, &options, made.levels, made.parents) ==
          HOP_ERR_UNSUPPORTED);
    source = work->rank == 0 ? 1 : 2;
    CHECK(work->ranks == 1 || hop_cluster_bfs(work->cluster, graph, &source, 1, NULL, made.levels,
                                              made.parents) == HOP_ERR_ARGUMENT);
    result_free(&made);
    hop_cluster_graph_free(graph);
}

/* One file from all ranks, as the library writes it. */
static void check_file(job *work) {
    shared_path place = path_begin(work, "levels.npy");
    hop_cluster_graph *graph = spread_graph(work, &recipes[0]);
    result made = result_make(graph);
    uint64_t source = 1, first = hop_cluster_first(graph), own = hop_cluster_count(graph);
    CHECK_OK(work->context,
             hop_cluster_bfs(work->cluster, graph, &source, 1, NULL, made.levels, made.parents));
    hop_view levels = {made.levels, own, HOP_TYPE_UINT32};
    hop_view parents = {made.parents, own, HOP_TYPE_UINT64};
    const hop_view *both[2] = {&levels, &parents};
    for (int kind = 0; kind < 2; kind++) {
        hop_array_file *file = NULL;
        CHECK_OK(work->context,
                 hop_cluster_array_write(work->cluster, graph, place.path, both[kind]));
        CHECK_OK(work->context, hop_array_read(work->context, place.path, NULL, &file));
        const hop_array *array = hop_array_file_array(file);
        CHECK(array->type == HOP_TYPE_UINT32 && array->rows == hop_cluster_graph_vertices(graph));
        for (uint64_t i = 0; i < own; i++)
            CHECK(((const uint32_t *)array->items)[first + i] ==
                  (kind == 0 ? made.levels[i] : (uint32_t)made.parents[i]));
        hop_array_file_free(file);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    levels.count++;
    CHECK(hop_cluster_array_write(work->cluster, graph, place.path, &levels) == HOP_ERR_ARGUMENT);
    levels.count--;
    CHECK(hop_cluster_array_write(work->cluster, graph, "/nowhere/x.npy", &levels) == HOP_ERR_IO);
    result_free(&made);
    hop_cluster_graph_free(graph);
    path_end(work, &place); /* fails if a temporary file was left in the folder */
}

int main(void) {
    job work = job_begin();
    check_recipes(&work);
    check_wrong(&work);
    check_wrong_pairs(&work);
    check_refused(&work);
    check_file(&work);
    job_end(&work);
    return 0;
}
