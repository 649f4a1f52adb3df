/* SPDX-License-Identifier: Apache-2.0
 *
 * Certifiers on small graphs: answers by brute force (small_answers.h) are accepted; after any
 * change they are refused, because a canonical answer is the only one. Tried are all changes of one
 * number into its neighbours, 0, its own index, a drawn one and the one for "none", then drawn ones
 * of two numbers.
 *
 *     test_certify_changes [SEED [SECONDS [NUMBER]]]
 *
 * draws graphs for so many seconds (default: a fixed number of graphs), or only the one of that
 * number, which a failure names. The last line counts graphs and certificates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/sanitized_testing.h"
#include "measure/measure_internal.h"
#include "problem/small_answers.h"
#include "sssp/sssp_all_paths.h"

enum { GRAPHS = SMALLER_TESTS ? 150 : 1500, PAIRS = 4 };

static struct {
    uint64_t seed, number, calls;
    hop_context *context;
    small_graph drawn;
    hop_graph *graph;
} now;

static void give_up(const char *what) {
    const small_graph *g = &now.drawn;
    printf("%s: test_certify_changes %llu 0 %llu\n%s\n%u vertices, %s, weights of type %d:", what,
           (unsigned long long)now.seed, (unsigned long long)now.number,
           hop_context_message(now.context), g->n, g->directed ? "directed" : "undirected",
           (int)g->type);
    for (unsigned u = 0; u < g->n; u++)
        for (unsigned v = 0; v < g->n; v++)
            if (g->arc[u][v])
                printf(" %u-%u:%g", u, v, g->weight[u][v]);
    printf("\n");
    exit(1);
}

/* ---- answers as arrays of any type, and their changes ---------------------------------------- */

typedef union answer_item {
    uint32_t id;
    int32_t whole_32;
    int64_t whole;
    uint64_t arc;
    float real_32;
    double real;
} answer_item;

typedef struct answer {
    const char *name;
    hop_type type;
    unsigned count;
    unsigned char items[SMALL_MOST * SMALL_MOST * sizeof(double)];
    hop_status (*certify)(struct answer *of);
    /* What else the certifier is given. */
    const struct answer *beside;
    hop_vertex number;
} answer;

static answer_item item_of(hop_type type, double value) {
    answer_item item = {0};
    bool none = value == HUGE_VAL;
    if (type == HOP_TYPE_UINT32)
        item.id = none ? UINT32_MAX : (uint32_t)(int64_t)value;
    else if (type == HOP_TYPE_INT32)
        item.whole_32 = none ? HOP_NO_DISTANCE_32 : (int32_t)value;
    else if (type == HOP_TYPE_FLOAT32)
        item.real_32 = (float)value;
    else if (type == HOP_TYPE_FLOAT64)
        item.real = value;
    else
        item.whole = none ? INT64_MAX : (int64_t)value;
    return item;
}

static void put(answer *to, unsigned i, double value) {
    answer_item item = item_of(to->type, value);
    memcpy(to->items + i * hop_type_size(to->type), &item, hop_type_size(to->type));
}

static double get(const answer *from, unsigned i) {
    answer_item item = {0};
    memcpy(&item, from->items + i * hop_type_size(from->type), hop_type_size(from->type));
    switch (from->type) {
    case HOP_TYPE_UINT32:
        return item.id == UINT32_MAX ? HUGE_VAL : item.id;
    case HOP_TYPE_INT32:
        return item.whole_32 == HOP_NO_DISTANCE_32 ? HUGE_VAL : item.whole_32;
    case HOP_TYPE_FLOAT32:
        return (double)item.real_32;
    case HOP_TYPE_FLOAT64:
        return item.real;
    default:
        return item.whole == INT64_MAX ? HUGE_VAL : (double)item.whole;
    }
}

static void expect(answer *given, bool right, const char *what) {
    hop_status status = given->certify(given);
    now.calls++;
    if (status != (right ? HOP_OK : HOP_ERR_CERTIFICATE)) {
        printf("%s: %s, status %d, should be %s:", given->name, what, (int)status,
               right ? "right" : "wrong");
        for (unsigned i = 0; i < given->count; i++)
            printf(" %g", get(given, i));
        printf("\n");
        give_up("a certifier is wrong");
    }
}

/* Puts another number there than the one that `of` has. */
static void put_drawn(const answer *of, answer *changed, unsigned i) {
    double was = get(of, i);
    do {
        unsigned kind = small_below(4);
        put(changed, i,
            kind == 0   ? HUGE_VAL
            : kind == 1 ? (double)small_below(of->count + 2)
            : kind == 2 ? get(of, small_below(of->count))
                        : (isfinite(was) ? was : 0) + (double)small_below(9) - 4);
    } while (get(changed, i) == was);
}

static void try_changes(answer *of) {
    answer changed = *of;
    for (unsigned i = 0; i < of->count; i++) {
        double was = get(of, i), near = isfinite(was) ? was : 3;
        double others[] = {near + 1, near - 1, 0, i, HUGE_VAL};
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            put(&changed, i, others[k]);
            if (get(&changed, i) != was)
                expect(&changed, false, "one number changed");
        }
        put_drawn(of, &changed, i);
        expect(&changed, false, "one number changed");
        put(&changed, i, was);
    }
    for (unsigned k = 0; k < PAIRS && of->count > 1; k++) {
        unsigned i = small_below(of->count), j = small_below(of->count);
        put_drawn(of, &changed, i);
        put_drawn(of, &changed, j);
        expect(&changed, false, "two numbers changed");
        put(&changed, i, get(of, i));
        put(&changed, j, get(of, j));
    }
}

static void expect_canonical(answer *of) {
    expect(of, true, "the canonical answer");
    try_changes(of);
}

/* ---- one certifier after the other ----------------------------------------------------------- */

static const hop_vertex *ids(const answer *of) {
    return (const hop_vertex *)(const void *)of->items;
}

static hop_status certify_levels(answer *of) {
    const hop_vertex *parents = of->beside ? ids(of->beside) : NULL;
    return hop_bfs_certify(now.context, now.graph, now.drawn.sources, now.drawn.source_count, NULL,
                           ids(of), parents);
}

static hop_status certify_parents(answer *of) {
    return hop_bfs_certify(now.context, now.graph, now.drawn.sources, now.drawn.source_count, NULL,
                           ids(of->beside), ids(of));
}

static hop_status certify_sssp(const answer *distances, const answer *parents) {
    hop_view view = {distances->items, distances->count, distances->type};
    return hop_sssp_certify(now.context, now.graph, now.drawn.sources, now.drawn.source_count, NULL,
                            &view, parents ? ids(parents) : NULL);
}

static hop_status certify_distances(answer *of) {
    return certify_sssp(of, of->beside);
}

static hop_status certify_path_parents(answer *of) {
    return certify_sssp(of->beside, of);
}

static void try_search(bool unit) {
    const small_graph *g = &now.drawn;
    answer lengths = {.name = unit ? "levels" : "distances",
                      .type = unit ? HOP_TYPE_UINT32 : hop_distance_type(g->type),
                      .count = g->n,
                      .certify = unit ? certify_levels : certify_distances};
    answer tree = {.name = unit ? "parents of bfs" : "parents of sssp",
                   .type = HOP_TYPE_UINT32,
                   .count = g->n,
                   .certify = unit ? certify_parents : certify_path_parents,
                   .beside = &lengths};
    double d[SMALL_MOST];
    hop_vertex parents[SMALL_MOST];
    small_distances(g, g->sources, g->source_count, unit, d);
    small_parents(g, unit, d, parents);
    for (unsigned v = 0; v < g->n; v++) {
        put(&lengths, v, d[v]);
        put(&tree, v, parents[v] == HOP_NO_VERTEX ? HUGE_VAL : parents[v]);
    }
    expect_canonical(&tree);
    lengths.beside = &tree;
    try_changes(&lengths);
    lengths.beside = NULL;
    if (unit || !small_is_negative(g))
        expect_canonical(&lengths);
}

static hop_status certify_labels(answer *of) {
    return hop_components_certify(now.context, now.graph, NULL, ids(of), of->number);
}

static hop_status certify_strong(answer *of) {
    return hop_strong_certify(now.context, now.graph, NULL, ids(of), of->number);
}

static void try_labels(bool strong) {
    answer labels = {.name = strong ? "labels of strong components" : "labels",
                     .type = HOP_TYPE_UINT32,
                     .count = now.drawn.n,
                     .certify = strong ? certify_strong : certify_labels};
    hop_vertex right[SMALL_MOST], count = small_labels(&now.drawn, strong, right);
    for (unsigned v = 0; v < now.drawn.n; v++)
        put(&labels, v, right[v]);
    labels.number = small_below(2) ? count : HOP_NO_VERTEX;
    expect_canonical(&labels);
    labels.number = count + 1 - 2 * small_below(2);
    expect(&labels, false, "another count");
}

static hop_status certify_forest(answer *of) {
    return hop_spanning_certify(now.context, now.graph, NULL,
                                (const uint64_t *)(const void *)of->items, of->number);
}

static void try_forest(void) {
    answer forest = {.name = "forest", .type = HOP_TYPE_UINT64, .certify = certify_forest};
    uint64_t arcs[SMALL_MOST];
    forest.number = forest.count = small_forest(&now.drawn, arcs);
    for (unsigned i = 0; i < forest.count; i++)
        put(&forest, i, (double)arcs[i]);
    expect_canonical(&forest);
    if (forest.count > 0) {
        forest.number = --forest.count;
        expect(&forest, false, "one arc less");
    }
}

static hop_status certify_matrix(answer *of) {
    hop_apsp_options options = HOP_APSP_OPTIONS_INIT;
    hop_view view = {of->items, of->count, of->type};
    options.distance_type = of->type;
    return hop_apsp_certify(now.context, now.graph, &options, 0, now.drawn.n, &view);
}

static void try_matrix(void) {
    const small_graph *g = &now.drawn;
    bool whole = hop_distance_type(g->type) == HOP_TYPE_INT64;
    answer matrix = {.name = "matrix",
                     .type = whole && small_below(2) ? HOP_TYPE_INT32 : hop_distance_type(g->type),
                     .count = g->n * g->n,
                     .certify = certify_matrix};
    for (hop_vertex u = 0; u < g->n; u++) {
        double d[SMALL_MOST];
        small_distances(g, &u, 1, false, d);
        for (unsigned v = 0; v < g->n; v++)
            put(&matrix, u * g->n + v, d[v]);
    }
    expect_canonical(&matrix);
}

static const hop_vertex *successors;

static hop_status certify_ranks(answer *of) {
    hop_rank_options options = HOP_RANK_OPTIONS_INIT;
    options.heads = of->number ? now.drawn.sources : NULL;
    options.head_count = of->number;
    return hop_rank_certify(now.context, successors, of->count, &options, ids(of));
}

/* Elements in a drawn order are cut into lists; with one list, sometimes, heads are not named. */
static void try_ranks(void) {
    hop_vertex order[SMALL_MOST], next[SMALL_MOST], n = now.drawn.n;
    answer ranks = {.name = "ranks", .type = HOP_TYPE_UINT32, .count = n, .certify = certify_ranks};
    hop_vertex lists = n < 3 || small_below(2) ? 1 : 1 + small_below(3);
    for (hop_vertex i = 0; i < n; i++) {
        hop_vertex at = small_below(i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (hop_vertex list = 0; list < lists; list++) {
        hop_vertex begin = list * n / lists, end = (list + 1) * n / lists;
        hop_vertex head = begin + (lists > 1 ? small_below(end - begin) : 0);
        for (hop_vertex i = begin; i < end; i++) {
            next[order[i]] = order[i + 1 < end ? i + 1 : i];
            put(&ranks, order[i], i < head ? HUGE_VAL : end - 1 - i);
        }
        now.drawn.sources[list] = order[head];
    }
    ranks.number = lists > 1 || order[0] != 0 ? lists : small_below(2);
    successors = next;
    expect_canonical(&ranks);
}

/* Cycles of negative sum are many: whether one is, is asked for each that is tried. */
static void try_cycles(void) {
    small_graph *g = &now.drawn;
    hop_vertex cycle[SMALL_MOST + 1];
    for (unsigned k = 0; k < 40; k++) {
        unsigned length = 1 + small_below(g->n);
        for (unsigned i = 0; i < length; i++)
            cycle[i] = small_below(g->n + (small_below(8) == 0));
        bool right = small_is_cycle(g, cycle, length);
        hop_status status = hop_cycle_certify(now.context, now.graph, cycle, length);
        now.calls++;
        if (status != (right ? HOP_OK : HOP_ERR_CERTIFICATE))
            give_up("cycle: the certifier is wrong");
    }
}

/* ---- rows, cells and paths ------------------------------------------------------------------- */

static struct {
    hop_closure_options options;
    hop_vertex rows;
    uint64_t offsets[SMALL_MOST + 1];
} closure;

static hop_status certify_closure(answer *of) {
    return hop_closure_certify(now.context, now.graph, &closure.options, 0, closure.rows,
                               closure.offsets, ids(of));
}

/* The row of one source, or of all of them; how many it has. */
static unsigned put_row(answer *rows, bool reach[SMALL_MOST][SMALL_MOST], unsigned first,
                        unsigned past) {
    const hop_closure_options *options = &closure.options;
    unsigned count = 0;
    for (unsigned v = 0; v < now.drawn.n; v++) {
        bool source = false, there = false;
        for (unsigned i = first; i < past; i++) {
            const hop_vertex u = options->sources ? options->sources[i] : i;
            source |= u == v;
            there |= reach[u][v];
        }
        there &= !source || options->self != HOP_CLOSURE_NEVER;
        if (there || (source && options->self == HOP_CLOSURE_ALWAYS))
            put(rows, rows->count + count++, v);
    }
    return count;
}

/* Also with an end of a row at another place. */
static void try_closure(void) {
    const small_graph *g = &now.drawn;
    answer rows = {.name = "closure", .type = HOP_TYPE_UINT32, .certify = certify_closure};
    bool reach[SMALL_MOST][SMALL_MOST];
    closure.options = (hop_closure_options)HOP_CLOSURE_OPTIONS_INIT;
    closure.options.backward = small_below(2);
    closure.options.self = (hop_closure_self)small_below(3);
    const bool named = small_below(2);
    closure.options.sources = named ? g->sources : NULL;
    closure.options.source_count = named ? g->source_count : 0;
    closure.options.together = named && small_below(2);
    closure.rows = closure.options.together ? 1 : named ? g->source_count : g->n;
    small_closure(g, closure.options.backward, reach);
    for (unsigned i = 0; i < closure.rows; i++) {
        rows.count += closure.options.together ? put_row(&rows, reach, 0, g->source_count)
                                               : put_row(&rows, reach, i, i + 1);
        closure.offsets[i + 1] = rows.count;
    }
    expect_canonical(&rows);
    for (unsigned i = 1; i <= closure.rows; i++)
        if (closure.offsets[i] > closure.offsets[i - 1]) {
            closure.offsets[i]--;
            expect(&rows, false, "the end of a row at another place");
            closure.offsets[i]++;
        }
}

static hop_status certify_cells(answer *of) {
    hop_measure_options options = HOP_MEASURE_OPTIONS_INIT;
    options.centers = now.drawn.sources;
    options.center_count = now.drawn.source_count;
    return hop__voronoi_certify(now.context, now.graph, &options, (hop_vertex *)(void *)of->items);
}

static void try_cells(void) {
    answer cells = {
        .name = "cells", .type = HOP_TYPE_UINT32, .count = now.drawn.n, .certify = certify_cells};
    hop_vertex right[SMALL_MOST];
    small_cells(&now.drawn, right);
    for (unsigned v = 0; v < now.drawn.n; v++)
        put(&cells, v, right[v] == HOP_NO_VERTEX ? HUGE_VAL : right[v]);
    expect_canonical(&cells);
}

static hop_path_dag paths;

static hop_status certify_paths(void) {
    hop_vertex left[SMALL_MOST], queue[SMALL_MOST];
    return hop__path_dag_certify(now.context, now.graph, &paths, left, queue);
}

static hop_status certify_before(answer *of) {
    paths.predecessors = (hop_vertex *)(void *)of->items;
    return certify_paths();
}

static hop_status certify_counts(answer *of) {
    paths.counts = (uint64_t *)(void *)of->items;
    return certify_paths();
}

/* Predecessors and counts; of cycles of weight 0 that they hold each other up. */
static void try_paths(void) {
    const small_graph *g = &now.drawn;
    answer lengths = {.type = hop_distance_type(g->type)};
    answer before = {.name = "predecessors", .type = HOP_TYPE_UINT32, .certify = certify_before};
    answer counts = {.name = "counts of paths",
                     .type = HOP_TYPE_UINT64,
                     .count = g->n,
                     .certify = certify_counts};
    uint64_t offsets[SMALL_MOST + 1] = {0};
    double d[SMALL_MOST], many[SMALL_MOST];
    bool is_before[SMALL_MOST][SMALL_MOST], cycle = false;
    small_distances(g, g->sources, 1, false, d);
    small_shortest_paths(g, d, is_before, many);
    for (unsigned v = 0; v < g->n; v++) {
        put(&lengths, v, d[v]);
        put(&counts, v, many[v]); /* -1: HOP_PATHS_UNKNOWN */
        cycle |= many[v] < 0;
        for (unsigned u = 0; u < g->n; u++)
            if (is_before[v][u])
                put(&before, before.count++, u);
        offsets[v + 1] = before.count;
    }
    paths = (hop_path_dag){g->n, g->sources[0], lengths.type, lengths.items, offsets, NULL, NULL};
    paths.counts = (uint64_t *)(void *)counts.items;
    expect_canonical(&before);
    paths.predecessors = (hop_vertex *)(void *)before.items;
    expect_canonical(&counts);
    for (unsigned v = 0; v < g->n; v++)
        if (many[v] < 0)
            put(&counts, v, -2); /* HOP_PATHS_MANY */
    if (cycle)
        expect(&counts, false, "many paths along a cycle");
}

/* From the sources to all, or from all to the sources, where they are searched. Its certificate is
 * that of its searches: the table itself is compared. */
static void try_table(void) {
    const small_graph *g = &now.drawn;
    hop_table_options options = HOP_TABLE_OPTIONS_INIT;
    hop_run run = HOP_RUN_INIT;
    answer table = {.type = hop_distance_type(g->type), .count = g->source_count * g->n};
    answer right = table;
    const bool to = small_below(2);
    const hop_vertex rows = to ? g->n : g->source_count, columns = to ? g->source_count : g->n;
    run.certify = HOP_CERTIFY_CANONICAL;
    options.run = &run;
    options.sources = to ? NULL : g->sources;
    options.source_count = to ? 0 : g->source_count;
    options.targets = to ? g->sources : NULL;
    options.target_count = to ? g->source_count : 0;
    for (hop_vertex i = 0; i < rows; i++) {
        const hop_vertex source = to ? i : g->sources[i];
        double d[SMALL_MOST];
        small_distances(g, &source, 1, false, d);
        for (hop_vertex k = 0; k < columns; k++)
            put(&right, i * columns + k, d[to ? g->sources[k] : k]);
    }
    now.calls++;
    if (hop_distance_table(now.context, now.graph, &options,
                           &(hop_span){table.items, table.count, table.type}) != HOP_OK ||
        memcmp(table.items, right.items, table.count * hop_type_size(table.type)) != 0)
        give_up("the table is wrong, or was refused");
}

/* Its certifiers search themselves, which takes longer than the others do: they take turns. */
static void try_many(void) {
    const small_graph *g = &now.drawn;
    const bool negative = small_is_negative(g),
               rounded = g->type == HOP_TYPE_FLOAT32 || g->type == HOP_TYPE_FLOAT64;
    if (now.number % 4 == 0)
        try_closure();
    if (now.number % 4 == 1 && !negative)
        try_cells();
    if (now.number % 4 == 2 && !(negative && rounded))
        try_paths();
    if (now.number % 4 == 3)
        try_table();
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static void build(void) {
    const small_graph *g = &now.drawn;
    hop_edges edges = HOP_EDGES_INIT;
    hop_build_options options = HOP_BUILD_OPTIONS_INIT;
    hop_vertex from[SMALL_MOST * SMALL_MOST], to[SMALL_MOST * SMALL_MOST];
    answer weights = {.type = g->type};
    for (unsigned u = 0; u < g->n; u++)
        for (unsigned v = g->directed ? 0 : u; v < g->n; v++)
            if (g->arc[u][v]) {
                if (g->type != HOP_TYPE_NONE)
                    put(&weights, (unsigned)edges.count, g->weight[u][v]);
                from[edges.count] = u;
                to[edges.count++] = v;
            }
    edges.from = from;
    edges.to = to;
    edges.weight_type = g->type;
    edges.weights = g->type == HOP_TYPE_NONE ? NULL : weights.items;
    options.vertices = g->n;
    options.directed = g->directed;
    if (hop_graph_from_edges(now.context, &edges, &options, &now.graph) != HOP_OK)
        give_up("no graph");
}

static void try_graph(uint64_t number) {
    now.number = number;
    small_state = now.seed * UINT64_C(0xD1342543DE82EF95) + number * UINT64_C(0x2545F4914F6CDD1D);
    small_draw(&now.drawn);
    build();
    try_search(true);
    try_search(false);
    try_labels(false);
    try_labels(true);
    try_forest();
    try_matrix();
    try_ranks();
    try_many();
    hop_graph_release(now.graph);
    if (now.drawn.directed && now.drawn.type != HOP_TYPE_NONE) {
        for (unsigned v = 0; v < now.drawn.n; v++)
            for (unsigned u = 0; u < now.drawn.n; u++)
                now.drawn.weight[u][v] -= small_below(4);
        build();
        try_cycles();
        hop_graph_release(now.graph);
    }
}

int main(int argc, char **argv) {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 0;
    time_t begin = time(NULL);
    uint64_t number = 0;
    now.seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    options.threads = 1;
    if (hop_context_create(&options, &now.context) != HOP_OK)
        return 1;
    if (argc > 3)
        try_graph(strtoull(argv[3], NULL, 10));
    else
        do
            try_graph(number);
        while (++number % 64 != 0 ||
               (argc > 2 ? difftime(time(NULL), begin) < seconds : number < GRAPHS));
    hop_context_free(now.context);
    printf("%llu graphs, %llu certificates\n", (unsigned long long)number,
           (unsigned long long)now.calls);
    return 0;
}
