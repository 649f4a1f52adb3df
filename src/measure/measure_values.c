/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of measures, and how each is made of what the distances from the vertices say. Sums
 * over vertices are in ascending order, on one thread: the same bits whatever found the facts. */
#include <string.h>

#include "hoplite/spanning.h"
#include "hoplite/strong.h"
#include "measure/measure_internal.h"

static hop_vertex vertices_of(const hop__measure_task *task) {
    return task->graph->vertices;
}

static double sum_of(const hop__measure_task *task, const hop__measure_facts *facts) {
    return hop__measure_is_whole(task) ? (double)facts->sum.whole : facts->sum.real;
}

static hop_status closeness(hop_context *context, const hop__measure_task *task, void *values,
                            hop_vertex *count) {
    double *value = values;
    (void)context;
    for (hop_vertex i = 0; i < task->count; i++) {
        const hop__measure_facts *facts = &task->facts[i];
        double others = (double)(facts->reached - 1), sum = sum_of(task, facts);
        value[i] = sum > 0 ? others / sum : 0;
        if (task->scaled && vertices_of(task) > 1)
            value[i] *= others / (double)(vertices_of(task) - 1);
    }
    *count = task->count;
    return HOP_OK;
}

static hop_status harmonic(hop_context *context, const hop__measure_task *task, void *values,
                           hop_vertex *count) {
    (void)context;
    for (hop_vertex i = 0; i < task->count; i++)
        ((double *)values)[i] = task->facts[i].inverse;
    *count = task->count;
    return HOP_OK;
}

static void put_distance(const hop__measure_task *task, void *values, uint64_t at,
                         hop__measure_number distance) {
    if (task->query.distance_type == HOP_TYPE_FLOAT32)
        ((float *)values)[at] = (float)distance.real;
    else if (task->query.distance_type == HOP_TYPE_FLOAT64)
        ((double *)values)[at] = distance.real;
    else
        ((int64_t *)values)[at] = (int64_t)distance.whole;
}

static hop_status eccentricity(hop_context *context, const hop__measure_task *task, void *values,
                               hop_vertex *count) {
    (void)context;
    for (hop_vertex i = 0; i < task->count; i++)
        put_distance(task, values, i, task->facts[i].farthest);
    *count = task->count;
    return HOP_OK;
}

static bool is_less(const hop__measure_task *task, hop__measure_number a, hop__measure_number b) {
    return hop__measure_is_whole(task) ? a.whole < b.whole : a.real < b.real;
}

/* The greatest eccentricity, or the least. */
static hop__measure_number extreme(const hop__measure_task *task, bool greatest) {
    hop__measure_number best = task->facts[0].farthest;
    for (hop_vertex v = 1; v < task->count; v++) {
        hop__measure_number each = task->facts[v].farthest;
        if (greatest ? is_less(task, best, each) : is_less(task, each, best))
            best = each;
    }
    return best;
}

static hop_status diameter(hop_context *context, const hop__measure_task *task, void *values,
                           hop_vertex *count) {
    (void)context;
    put_distance(task, values, 0, extreme(task, true));
    *count = 1;
    return HOP_OK;
}

static hop_status radius(hop_context *context, const hop__measure_task *task, void *values,
                         hop_vertex *count) {
    (void)context;
    put_distance(task, values, 0, extreme(task, false));
    *count = 1;
    return HOP_OK;
}

/* The vertices of that eccentricity. */
static void put_those(const hop__measure_task *task, hop__measure_number wanted, void *values,
                      hop_vertex *count) {
    *count = 0;
    for (hop_vertex v = 0; v < task->count; v++)
        if (!is_less(task, task->facts[v].farthest, wanted) &&
            !is_less(task, wanted, task->facts[v].farthest))
            ((hop_vertex *)values)[(*count)++] = v;
}

static hop_status center(hop_context *context, const hop__measure_task *task, void *values,
                         hop_vertex *count) {
    (void)context;
    put_those(task, extreme(task, false), values, count);
    return HOP_OK;
}

static hop_status periphery(hop_context *context, const hop__measure_task *task, void *values,
                            hop_vertex *count) {
    (void)context;
    put_those(task, extreme(task, true), values, count);
    return HOP_OK;
}

/* Of the vertices that reach the most, those with the least sum. */
static hop_status barycenter(hop_context *context, const hop__measure_task *task, void *values,
                             hop_vertex *count) {
    const hop__measure_facts *facts = task->facts;
    hop_vertex best = 0;
    (void)context;
    for (hop_vertex v = 1; v < task->count; v++)
        if (facts[v].reached > facts[best].reached ||
            (facts[v].reached == facts[best].reached &&
             is_less(task, facts[v].sum, facts[best].sum)))
            best = v;
    *count = 0;
    for (hop_vertex v = best; v < task->count; v++)
        if (facts[v].reached == facts[best].reached &&
            !is_less(task, facts[best].sum, facts[v].sum))
            ((hop_vertex *)values)[(*count)++] = v;
    return HOP_OK;
}

/* The sum over all vertices; false when it does not fit. */
static bool add_up(const hop__measure_task *task, hop__measure_number *sum, uint64_t *pairs) {
    bool fits = true;
    memset(sum, 0, sizeof *sum);
    *pairs = 0;
    for (hop_vertex v = 0; v < task->count; v++) {
        *pairs += task->facts[v].reached - 1;
        if (hop__measure_is_whole(task))
            fits &= !__builtin_add_overflow(sum->whole, task->facts[v].sum.whole, &sum->whole);
        else
            sum->real += task->facts[v].sum.real;
    }
    return fits;
}

static hop_status wiener(hop_context *context, const hop__measure_task *task, void *values,
                         hop_vertex *count) {
    hop__measure_number sum;
    uint64_t pairs;
    bool fits = add_up(task, &sum, &pairs);
    *count = 1;
    if (!hop__measure_is_whole(task)) {
        *(double *)values = task->graph->directed ? sum.real : sum.real / 2;
        return HOP_OK;
    }
    if (!task->graph->directed)
        sum.whole /= 2;
    if (!fits || sum.whole > INT64_MAX)
        return hop__measure_refuse_sum(context, task);
    *(int64_t *)values = (int64_t)sum.whole;
    return HOP_OK;
}

static hop_status mean_distance(hop_context *context, const hop__measure_task *task, void *values,
                                hop_vertex *count) {
    hop__measure_number sum;
    uint64_t pairs;
    if (!add_up(task, &sum, &pairs))
        return hop__measure_refuse_sum(context, task);
    double all = hop__measure_is_whole(task) ? (double)sum.whole : sum.real;
    *(double *)values = pairs > 0 ? all / (double)pairs : 0;
    *count = 1;
    return HOP_OK;
}

static hop_status efficiency(hop_context *context, const hop__measure_task *task, void *values,
                             hop_vertex *count) {
    double sum = 0, n = vertices_of(task);
    (void)context;
    for (hop_vertex v = 0; v < task->count; v++)
        sum += task->facts[v].inverse;
    *(double *)values = n > 1 ? sum / (n * (n - 1)) : 0;
    *count = 1;
    return HOP_OK;
}

static hop_status reach(hop_context *context, const hop__measure_task *task, void *values,
                        hop_vertex *count) {
    (void)context;
    for (hop_vertex i = 0; i < task->count; i++)
        ((uint64_t *)values)[i] = task->facts[i].reached - 1;
    *count = task->count;
    return HOP_OK;
}

static hop_status histogram(hop_context *context, const hop__measure_task *task, void *values,
                            hop_vertex *count) {
    uint64_t *pairs = values;
    (void)context;
    *count = 0;
    for (hop_vertex d = 0; d < vertices_of(task) && task->levels[d] > 0; d++)
        pairs[(*count)++] = task->levels[d];
    return HOP_OK;
}

static hop_status strong_components(hop_context *context, const hop_graph *graph,
                                    const hop_measure_options *options, void *values,
                                    hop_vertex *count) {
    hop_strong_options own = HOP_STRONG_OPTIONS_INIT;
    (void)count;
    own.run = options->run;
    return hop_strong_components(context, graph, &own, values, NULL);
}

static hop_status topological_order(hop_context *context, const hop_graph *graph,
                                    const hop_measure_options *options, void *values,
                                    hop_vertex *count) {
    hop_strong_options own = HOP_STRONG_OPTIONS_INIT;
    (void)count;
    own.run = options->run;
    return hop_topological_order(context, graph, &own, values, NULL, NULL);
}

static hop_status spanning_forest(hop_context *context, const hop_graph *graph,
                                  const hop_measure_options *options, void *values,
                                  hop_vertex *count) {
    hop_spanning_options own = HOP_SPANNING_OPTIONS_INIT;
    own.run = options->run;
    return hop_spanning_forest(context, graph, &own, values, count);
}

static bool any_matters(uint64_t low, uint64_t high, uint64_t least_high, uint64_t most_low) {
    (void)least_high, (void)most_low;
    return low < high;
}
static bool diameter_matters(uint64_t low, uint64_t high, uint64_t least_high, uint64_t most_low) {
    (void)least_high;
    return low < high && high > most_low;
}
static bool periphery_matters(uint64_t low, uint64_t high, uint64_t least_high, uint64_t most_low) {
    (void)least_high;
    return low < high && high >= most_low;
}
static bool radius_matters(uint64_t low, uint64_t high, uint64_t least_high, uint64_t most_low) {
    (void)most_low;
    return low < high && low < least_high;
}
static bool center_matters(uint64_t low, uint64_t high, uint64_t least_high, uint64_t most_low) {
    (void)most_low;
    return low < high && low <= least_high;
}

#define TAKES "Takes and Kosters, \"Computing the eccentricity distribution of large graphs\", 2013"

#define OF_EACH   (HOP_MEASURE_TAKES_DIRECTION | HOP_MEASURE_TAKES_VERTICES)
#define ESTIMATED (HOP_MEASURE_TAKES_SCALED | HOP_MEASURE_TAKES_SAMPLES)

const hop__measure_row hop__measures[] = {
    {.about = {.name = "closeness",
               .summary = "how near a vertex is to those that reach it",
               .definition = "r / sum of d(u, v) over the r vertices u that reach v, times r / (n "
                             "- 1) if scaled; 0 where r is 0",
               .source = "Freeman, \"Centrality in social networks\", 1979; scaled: Wasserman and "
                         "Faust, \"Social network analysis\", 1994",
               .shape = HOP_MEASURE_VERTEX,
               .inward = true,
               .takes = OF_EACH | ESTIMATED,
               .bounded = "1 / value, by the greatest distance"},
     .kind = HOP__MEASURE_REAL,
     .sums = true,
     .sample = hop__sampled_closeness,
     .bound = hop__closeness_bound,
     .finish = closeness},
    {.about = {.name = "harmonic",
               .summary = "the same by inverse distances",
               .definition = "sum of 1 / d(u, v) over the vertices u that reach v, u not v",
               .source = "Boldi and Vigna, \"Axioms for centrality\", 2014",
               .shape = HOP_MEASURE_VERTEX,
               .inward = true,
               .takes = OF_EACH | HOP_MEASURE_TAKES_SAMPLES},
     .kind = HOP__MEASURE_REAL,
     .sample = hop__sampled_harmonic,
     .bound = hop__harmonic_bound,
     .finish = harmonic},
    {.about = {.name = "eccentricity",
               .summary = "how far away the farthest vertex is",
               .definition = "e(v) = greatest d(v, u) over the vertices u that v reaches, itself "
                             "included",
               .source = TAKES,
               .shape = HOP_MEASURE_VERTEX,
               .takes = OF_EACH},
     .kind = HOP__MEASURE_DISTANCE,
     .farthest_only = true,
     .matters = any_matters,
     .finish = eccentricity},
    {.about = {.name = "reach",
               .summary = "how many other vertices a vertex reaches",
               .definition = "number of vertices u, not v, with d(v, u) at most `within`; arcs "
                             "counted",
               .source = "Then et al., \"The more the merrier\", 2014",
               .shape = HOP_MEASURE_VERTEX,
               .takes = OF_EACH | HOP_MEASURE_TAKES_WITHIN},
     .kind = HOP__MEASURE_COUNT,
     .counts_arcs = true,
     .finish = reach},
    {.about = {.name = "diameter",
               .summary = "the greatest eccentricity",
               .definition = "greatest e(v)",
               .source = TAKES,
               .shape = HOP_MEASURE_NUMBER,
               .takes = HOP_MEASURE_TAKES_DIRECTION},
     .kind = HOP__MEASURE_DISTANCE,
     .farthest_only = true,
     .matters = diameter_matters,
     .finish = diameter},
    {.about = {.name = "radius",
               .summary = "the least eccentricity",
               .definition = "least e(v)",
               .source = TAKES,
               .shape = HOP_MEASURE_NUMBER,
               .takes = HOP_MEASURE_TAKES_DIRECTION},
     .kind = HOP__MEASURE_DISTANCE,
     .farthest_only = true,
     .matters = radius_matters,
     .finish = radius},
    {.about = {.name = "center",
               .summary = "the vertices with the least eccentricity",
               .definition = "all v with e(v) = radius",
               .source = TAKES,
               .shape = HOP_MEASURE_SET,
               .takes = HOP_MEASURE_TAKES_DIRECTION},
     .kind = HOP__MEASURE_VERTICES,
     .farthest_only = true,
     .matters = center_matters,
     .finish = center},
    {.about = {.name = "periphery",
               .summary = "the vertices with the greatest eccentricity",
               .definition = "all v with e(v) = diameter",
               .source = TAKES,
               .shape = HOP_MEASURE_SET,
               .takes = HOP_MEASURE_TAKES_DIRECTION},
     .kind = HOP__MEASURE_VERTICES,
     .farthest_only = true,
     .matters = periphery_matters,
     .finish = periphery},
    {.about = {.name = "barycenter",
               .summary = "the vertices with the least sum of distances",
               .definition = "of the v that reach the most vertices, those with the least sum of "
                             "d(v, u)",
               .source = "West, \"Introduction to graph theory\", 2001",
               .shape = HOP_MEASURE_SET,
               .takes = HOP_MEASURE_TAKES_DIRECTION},
     .kind = HOP__MEASURE_VERTICES,
     .sums = true,
     .finish = barycenter},
    {.about = {.name = "wiener",
               .summary = "the sum of all distances",
               .definition = "sum of d(u, v) over the pairs that have a distance; of an undirected "
                             "graph each pair once",
               .source = "Wiener, \"Structural determination of paraffin boiling points\", 1947",
               .shape = HOP_MEASURE_NUMBER,
               .takes = HOP_MEASURE_TAKES_DIRECTION},
     .kind = HOP__MEASURE_SUM,
     .sums = true,
     .finish = wiener},
    {.about = {.name = "mean-distance",
               .summary = "the mean of all distances",
               .definition =
                   "sum of d(u, v) over the ordered pairs, u not v, that have a distance, "
                   "by their number; 0 where there is none",
               .source =
                   "Watts and Strogatz, \"Collective dynamics of small-world networks\", 1998",
               .shape = HOP_MEASURE_NUMBER,
               .takes = HOP_MEASURE_TAKES_DIRECTION},
     .kind = HOP__MEASURE_REAL,
     .sums = true,
     .finish = mean_distance},
    {.about = {.name = "efficiency",
               .summary = "the mean of all inverse distances",
               .definition = "sum of 1 / d(u, v) over the ordered pairs, u not v, that have a "
                             "distance, by n (n - 1)",
               .source =
                   "Latora and Marchiori, \"Efficient behavior of small-world networks\", 2001",
               .shape = HOP_MEASURE_NUMBER,
               .takes = HOP_MEASURE_TAKES_DIRECTION},
     .kind = HOP__MEASURE_REAL,
     .finish = efficiency},
    {.about = {.name = "histogram",
               .summary = "how many pairs are how far apart",
               .definition = "for k = 0, 1, 2 ... the number of ordered pairs with d(u, v) = k; "
                             "arcs counted; the n pairs of k = 0 are the vertices themselves",
               .source = "Then et al., \"The more the merrier\", 2014",
               .shape = HOP_MEASURE_LEVELS,
               .takes = HOP_MEASURE_TAKES_DIRECTION},
     .kind = HOP__MEASURE_COUNT,
     .counts_arcs = true,
     .finish = histogram},
    {.about = {.name = "local-efficiency",
               .summary = "how near the neighbours of a vertex are to each other without it",
               .definition =
                   "sum of 1 / d(u, w) over the ordered pairs of the k vertices that v has arcs "
                   "to, by paths among these alone, by k (k - 1); 0 where k is below 2; arcs "
                   "counted",
               .source =
                   "Latora and Marchiori, \"Efficient behavior of small-world networks\", 2001",
               .shape = HOP_MEASURE_VERTEX,
               .takes = HOP_MEASURE_TAKES_VERTICES},
     .kind = HOP__MEASURE_REAL,
     .counts_arcs = true,
     .solve = hop__local_solve},
    {.about = {.name = "betweenness",
               .summary = "which share of the shortest paths a vertex lies on",
               .definition =
                   "sum over ordered pairs s, t, neither v, of the share of their shortest "
                   "paths that v lies on; by (n - 1) (n - 2) if scaled, else of an "
                   "undirected graph each pair once",
               .source = "Brandes, \"A faster algorithm for betweenness centrality\", 2001",
               .shape = HOP_MEASURE_VERTEX,
               .takes = ESTIMATED},
     .kind = HOP__MEASURE_REAL,
     .solve = hop__between_solve,
     .bound = hop__between_bound},
    {.about = {.name = "edge-betweenness",
               .summary = "which share of the shortest paths an edge lies on",
               .definition =
                   "sum over ordered pairs s, t of the share of their shortest paths that the edge "
                   "lies on; by n (n - 1) if scaled, else of an undirected graph each pair once",
               .source = "Girvan and Newman, \"Community structure in social and biological "
                         "networks\", 2002; Brandes, \"On variants of shortest-path betweenness "
                         "centrality\", 2008",
               .shape = HOP_MEASURE_ARC,
               .takes = ESTIMATED},
     .kind = HOP__MEASURE_REAL,
     .solve = hop__between_edges,
     .bound = hop__between_edges_bound},
    {.about = {.name = "voronoi",
               .summary = "which of some centers is nearest to a vertex",
               .definition = "the smallest of the centers c with the least d(c, v)",
               .source = "Erwig, \"The graph Voronoi diagram with applications\", 2000",
               .shape = HOP_MEASURE_CELLS,
               .inward = true,
               .takes = HOP_MEASURE_TAKES_DIRECTION | HOP_MEASURE_TAKES_CENTERS},
     .kind = HOP__MEASURE_VERTICES,
     .solve = hop__voronoi_solve},
    {.about = {.name = "strong-components",
               .summary = "which vertices reach each other",
               .definition = "the smallest u that v reaches and that reaches v",
               .source = "Tarjan, \"Depth-first search and linear graph algorithms\", 1972",
               .shape = HOP_MEASURE_LABELS},
     .kind = HOP__MEASURE_VERTICES,
     .solve = strong_components},
    {.about = {.name = "topological-order",
               .summary = "all vertices, so that every arc leads forward",
               .definition =
                   "by the most arcs of a path that ends at v, then by number; a cycle is "
                   "an error that names it",
               .source = "Kahn, \"Topological sorting of large networks\", 1962",
               .shape = HOP_MEASURE_ORDER},
     .kind = HOP__MEASURE_VERTICES,
     .solve = topological_order},
    {.about = {.name = "spanning-forest",
               .summary = "the edges of least weight that join what is connected",
               .definition =
                   "of the sets of edges without a cycle that join all that is connected, the one "
                   "of the least weight; of equal edges the first",
               .source = "Boruvka, \"O jistem problemu minimalnim\", 1926",
               .shape = HOP_MEASURE_ARCS},
     .kind = HOP__MEASURE_COUNT,
     .solve = spanning_forest},
};
const size_t hop__measures_count = sizeof hop__measures / sizeof hop__measures[0];
