/* SPDX-License-Identifier: Apache-2.0
 *
 * All shortest paths from a source: the predecessors, and how many paths there are.
 *
 * Arcs are looked at in the order of their rows, so the predecessors of a vertex come ascending.
 * Counts are added up along arcs, from the source on, a vertex when all its predecessors are done
 * (Kahn 1962); what a cycle of weight 0 keeps from that, or one before it, is not counted.
 *
 * Cost: the search, and three times O(n + m) by one thread. */
#include <string.h>

#include "core/options.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/numbers.h"
#include "hoplite/all_paths.h"
#include "sssp/sssp_all_paths.h"
#include "sssp/sssp_internal.h"

enum { REPORT = 1 << 14 };

/* What a look at the arcs needs. */
typedef struct tight_arcs {
    hop_context *context;
    const hop_graph *graph;
    hop_path_dag *dag;
} tight_arcs;

#define TIGHT(domain, type)                                                                        \
    case type: {                                                                                   \
        const hop__##domain##_distance *d = dag->distances;                                        \
        return hop__##domain##_is_reached(d[to]) &&                                                \
               hop__##domain##_is_tight(d[from], graph->weights, arc, d[to]);                      \
    }

/* Whether an arc from a vertex that is reached is on a shortest path. */
static bool is_tight(const hop_graph *graph, const hop_path_dag *dag, hop_vertex from,
                     uint64_t arc) {
    const hop_vertex to = graph->targets[arc];
    if (to == from || to == dag->source)
        return false;
    switch (graph->weight_type) {
        HOP__EACH_DOMAIN(TIGHT)
    default:
        return false;
    }
}

#define REACHED(domain, type)                                                                      \
    case type:                                                                                     \
        return hop__##domain##_is_reached(((const hop__##domain##_distance *)dag->distances)[v]);

static bool is_reached(const hop_graph *graph, const hop_path_dag *dag, hop_vertex v) {
    switch (graph->weight_type) {
        HOP__EACH_DOMAIN(REACHED)
    default:
        return false;
    }
}

/* The next arc of row `from`, at *arc or behind, that is on a shortest path; of parallel ones the
 * first. Then *arc is behind it. False: there is none. */
static bool next_tight(const tight_arcs *arcs, hop_vertex from, uint64_t *arc, hop_vertex *to) {
    const hop_graph *graph = arcs->graph;
    const uint64_t end = hop__offset(graph, (uint64_t)from + 1);
    while (*arc < end && !is_tight(graph, arcs->dag, from, *arc))
        ++*arc;
    if (*arc == end)
        return false;
    *to = graph->targets[*arc];
    while (*arc < end && graph->targets[*arc] == *to)
        ++*arc;
    return true;
}

/* Calls `see` for each, in the order of the rows. */
static hop_status each_tight(const tight_arcs *arcs, const char *phase,
                             void (*see)(hop_path_dag *dag, hop_vertex from, hop_vertex to)) {
    const hop_vertex n = arcs->graph->vertices;
    hop_vertex to;
    hop__progress_begin(arcs->context, phase, n);
    for (hop_vertex v = 0; v < n; v++) {
        uint64_t arc = hop__offset(arcs->graph, v);
        while (is_reached(arcs->graph, arcs->dag, v) && next_tight(arcs, v, &arc, &to))
            see(arcs->dag, v, to);
        if (v % REPORT == 0 && !hop__progress_add(arcs->context, REPORT))
            break; /* the phase's end says so */
    }
    return hop__progress_end(arcs->context);
}

static void count_one(hop_path_dag *dag, hop_vertex from, hop_vertex to) {
    (void)from;
    dag->offsets[to + (uint64_t)1]++;
}

/* counts[v] is where the next predecessor of v goes. */
static void write_one(hop_path_dag *dag, hop_vertex from, hop_vertex to) {
    dag->predecessors[dag->counts[to]++] = from;
}

static hop_status make_predecessors(const tight_arcs *arcs) {
    hop_path_dag *dag = arcs->dag;
    const hop_vertex n = dag->vertices;
    hop_status status;
    memset(dag->offsets, 0, (n + (size_t)1) * sizeof *dag->offsets);
    HOP_TRY(status, each_tight(arcs, "all paths: count", count_one));
    for (hop_vertex v = 0; v < n; v++) {
        dag->counts[v] = dag->offsets[v];
        dag->offsets[v + (uint64_t)1] += dag->offsets[v];
    }
    HOP_TRY(status, hop__alloc(arcs->context, "all paths: predecessors", dag->offsets[n],
                               sizeof *dag->predecessors, &dag->predecessors));
    status = each_tight(arcs, "all paths: predecessors", write_one);
done:
    return status;
}

static uint64_t add_paths(uint64_t a, uint64_t b) {
    return a < HOP_PATHS_MANY - b ? a + b : HOP_PATHS_MANY;
}

/* `left` has how many predecessors of each vertex are not done; then, below `placed`, the queue is
 * in `queue`. */
static hop_status count_paths(const tight_arcs *arcs, hop_vertex *left, hop_vertex *queue) {
    hop_path_dag *dag = arcs->dag;
    const hop_vertex n = dag->vertices;
    hop_vertex placed = 0, to;
    for (hop_vertex v = 0; v < n; v++) {
        left[v] = (hop_vertex)(dag->offsets[v + (uint64_t)1] - dag->offsets[v]);
        dag->counts[v] = 0;
    }
    hop__progress_begin(arcs->context, "all paths: counts", 0);
    dag->counts[dag->source] = 1;
    queue[placed++] = dag->source;
    for (hop_vertex at = 0; at < placed; at++) {
        const hop_vertex v = queue[at];
        uint64_t arc = hop__offset(arcs->graph, v);
        while (next_tight(arcs, v, &arc, &to)) {
            dag->counts[to] = add_paths(dag->counts[to], dag->counts[v]);
            if (--left[to] == 0)
                queue[placed++] = to;
        }
        if (at % REPORT == 0 && !hop__progress_add(arcs->context, REPORT))
            break;
    }
    for (hop_vertex v = 0; v < n; v++)
        if (left[v] > 0)
            dag->counts[v] = HOP_PATHS_UNKNOWN;
    return hop__progress_end(arcs->context);
}

/* --- the certificate ------------------------------------------------------------------------- */

static hop_status refuse(const tight_arcs *arcs, hop_vertex v, const char *what) {
    hop__fail(arcs->context, HOP_ERR_CERTIFICATE, "all paths: certificate: vertex %s has %s",
              hop__name(arcs->graph, v).s, what);
    return hop__note_vertex(arcs->context, HOP_KIND_CERTIFICATE, v);
}

/* What the counts of its predecessors say about that of a vertex. */
static bool count_is_right(const hop_path_dag *dag, hop_vertex v) {
    uint64_t sum = v == dag->source, begin = dag->offsets[v], end = dag->offsets[v + (uint64_t)1];
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t more = dag->counts[dag->predecessors[i]];
        if (more == HOP_PATHS_UNKNOWN)
            return dag->counts[v] == HOP_PATHS_UNKNOWN;
        if (more == 0)
            return false;
        sum = add_paths(sum, more);
    }
    return dag->counts[v] == sum;
}

/* Goes through the arcs once more: each that is on a shortest path is the next one in the list of
 * its end, and nothing else is there. `seen` has room for n. */
static hop_status certify_predecessors(const tight_arcs *arcs, hop_vertex *seen) {
    const hop_path_dag *dag = arcs->dag;
    const hop_vertex n = dag->vertices;
    memset(seen, 0, n * sizeof *seen);
    for (hop_vertex u = 0; u < n; u++) {
        hop_vertex last = HOP_NO_VERTEX;
        if (!is_reached(arcs->graph, dag, u))
            continue;
        for (uint64_t i = hop__offset(arcs->graph, u), end = hop__offset(arcs->graph, u + 1ull);
             i < end; i++) {
            const hop_vertex v = arcs->graph->targets[i];
            if (v == last || !is_tight(arcs->graph, dag, u, i))
                continue;
            last = v;
            if (dag->offsets[v] + seen[v] >= dag->offsets[v + (uint64_t)1] ||
                dag->predecessors[dag->offsets[v] + seen[v]++] != u)
                return refuse(arcs, v, "other predecessors than the arcs say");
        }
    }
    for (hop_vertex v = 0; v < n; v++)
        if (dag->offsets[v] + seen[v] != dag->offsets[v + (uint64_t)1])
            return refuse(arcs, v, "a predecessor too many");
    return HOP_OK;
}

/* Whoever has a count is on no cycle. (Along one, counts cannot grow, unless all of them are
 * HOP_PATHS_MANY.) Takes away, from the source on, who has no predecessor left; `left` is the
 * number of these, and that of predecessors at first. */
static hop_status certify_order(const tight_arcs *arcs, hop_vertex *left, hop_vertex *queue) {
    const hop_path_dag *dag = arcs->dag;
    hop_vertex placed = 0, to;
    queue[placed++] = dag->source;
    for (hop_vertex at = 0; at < placed; at++) {
        uint64_t arc = hop__offset(arcs->graph, queue[at]);
        while (next_tight(arcs, queue[at], &arc, &to))
            if (--left[to] == 0)
                queue[placed++] = to;
    }
    for (hop_vertex v = 0; v < dag->vertices; v++)
        if (left[v] > 0 && dag->counts[v] != HOP_PATHS_UNKNOWN)
            return refuse(arcs, v, "a number of paths, and a cycle before it");
    return HOP_OK;
}

hop_status hop__path_dag_certify(hop_context *context, const hop_graph *graph, hop_path_dag *dag,
                                 hop_vertex *left, hop_vertex *queue) {
    const tight_arcs arcs = {context, graph, dag};
    hop_status status;
    HOP_TRY(status, certify_predecessors(&arcs, left));
    for (hop_vertex v = 0; v < dag->vertices; v++)
        if (!count_is_right(dag, v))
            return refuse(&arcs, v, "another number of paths than its predecessors together");
    status = certify_order(&arcs, left, queue);
done:
    return status;
}

/* --- the front ------------------------------------------------------------------------------- */

static hop_status take(hop_context *context, const hop_graph *graph, hop_vertex source,
                       const hop_path_dag_options *given, hop_sssp_options *search, hop_run *run) {
    hop_path_dag_options options = HOP_PATH_DAG_OPTIONS_INIT;
    hop__sssp_query facts;
    hop_status status;
    HOP_TRY(status, hop__options_take(context, "HOP_PATH_DAG_OPTIONS_INIT", given, &options,
                                      sizeof options));
    HOP_TRY(status, hop__run_take(context, options.run, run));
    HOP_TRY(status, hop_graph_check(context, graph));
    HOP_TRY(status,
            hop__vertices_check(context, "all paths", "source", &source, 1, graph->vertices));
    HOP_TRY(status, hop__sssp_describe(context, graph, &facts));
    if (facts.negative && facts.distance_type != HOP_TYPE_INT64)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "all paths: with floating-point weights below 0 distances are rounded "
                         "sums, which do not tell which arcs they are made of");
    search->run = run;
    if (facts.negative)
        return HOP_OK;
    search->targets = options.targets;
    search->target_count = options.target_count;
    search->cutoff = options.cutoff;
done:
    return status;
}

static hop_status make(hop_context *context, const hop_graph *graph, const hop_sssp_options *search,
                       hop_path_dag *dag) {
    const hop_vertex n = graph->vertices;
    const tight_arcs arcs = {context, graph, dag};
    const hop_type type = hop_distance_type(graph->weight_type);
    hop_vertex *left = NULL, *queue = NULL;
    hop_status status;
    dag->type = type;
    HOP_TRY(status,
            hop__alloc(context, "all paths: distances", n, hop_type_size(type), &dag->distances));
    HOP_TRY(status, hop_sssp(context, graph, &dag->source, 1, search,
                             &(hop_span){dag->distances, n, type}, NULL));
    if (search->run->plan)
        goto done;
    HOP_TRY(status, hop__alloc(context, "all paths: offsets", n + UINT64_C(1), sizeof *dag->offsets,
                               &dag->offsets));
    HOP_TRY(status, hop__alloc(context, "all paths: counts", n, sizeof *dag->counts, &dag->counts));
    HOP_TRY(status, make_predecessors(&arcs));
    HOP_TRY(status, hop__alloc(context, "all paths: queue", n, sizeof *left, &left));
    HOP_TRY(status, hop__alloc(context, "all paths: queue", n, sizeof *queue, &queue));
    HOP_TRY(status, count_paths(&arcs, left, queue));
    if (search->run->certify != HOP_CERTIFY_NONE)
        status = hop__path_dag_certify(context, graph, dag, left, queue);
done:
    hop__free(left);
    hop__free(queue);
    return status;
}

hop_status hop_path_dag_create(hop_context *context, const hop_graph *graph, hop_vertex source,
                               const hop_path_dag_options *options, hop_path_dag **dag) {
    hop_sssp_options search = HOP_SSSP_OPTIONS_INIT;
    hop_run run;
    hop_path_dag *made = NULL;
    hop_status status;
    if (!context || !graph || !dag)
        return hop__missing(context, "hop_path_dag_create");
    *dag = NULL;
    HOP_TRY(status, take(context, graph, source, options, &search, &run));
    HOP_TRY(status, hop__alloc_zero(context, "all paths", 1, sizeof *made, &made));
    made->vertices = graph->vertices;
    made->source = source;
    HOP_TRY(status, make(context, graph, &search, made));
    if (!run.plan) {
        *dag = made;
        made = NULL;
    }
done:
    hop_path_dag_free(made);
    return status;
}

void hop_path_dag_free(hop_path_dag *dag) {
    if (!dag)
        return;
    hop__free(dag->distances);
    hop__free(dag->offsets);
    hop__free(dag->predecessors);
    hop__free(dag->counts);
    hop__free(dag);
}

hop_vertex hop_path_dag_vertices(const hop_path_dag *dag) {
    return dag->vertices;
}

const uint64_t *hop_path_dag_offsets(const hop_path_dag *dag) {
    return dag->offsets;
}

const hop_vertex *hop_path_dag_predecessors(const hop_path_dag *dag) {
    return dag->predecessors;
}

const uint64_t *hop_path_dag_counts(const hop_path_dag *dag) {
    return dag->counts;
}

const void *hop_path_dag_distances(const hop_path_dag *dag, hop_type *type) {
    if (type)
        *type = dag->type;
    return dag->distances;
}
