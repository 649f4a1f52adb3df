/* SPDX-License-Identifier: Apache-2.0
 *
 * bellman-ford: vertices whose distance has changed relax their arcs, until none changes. Any
 * weights; a negative cycle is found and handed over. D2, 3.2.3 and D4, algorithm 5 (Bellman 1958,
 * Ford 1956), with a queue (Moore 1959) and Tarjan's check for cycles (1981; Cherkassky and
 * Goldberg, "Negative-cycle detection algorithms", 1999).
 *
 * Only vertices whose distance has changed are relaxed, first come, first served; a pass is what
 * was in the queue when it began.
 *
 * With negative weights the ways found so far are kept as a tree, in preorder with depths. When
 * the distance of v falls, everything behind v in the tree has a distance that is out of date and
 * will fall as well: it is taken out of the tree and out of the queue. If the vertex u that lowers
 * v is itself behind v, the way from v to u and the arc back have a negative sum: so a cycle is
 * found the moment it closes, at a cost that the changes have paid for already.
 *
 * Invariants, with negative weights (sums are exact then: int64 where a bound proves that it holds
 * them, else numbers of exact_sum.h):
 *  1. d[v] = d[tree[v]] + w for every v in the tree. So d[v] is the length of a simple path, and
 *     at most n weights are ever added up.
 *  2. What is out of the tree is not in the queue (or marked as dropped there), and will be hung
 *     in again: the way to it has become shorter.
 *  3. A vertex that waits for pass k has depth k or more. So there are at most n passes.
 * Without negative weights no cycle can be found, and rounded sums would break 1 and 2: no tree.
 *
 * That is the order `queue`, on one thread. The order `rounds` (sssp_bellman_rounds.c) is for all
 * threads; the choice between them is at takes_rounds().
 *
 * What bounds the work for the worst input: n passes of m arcs (3; without negative weights, where
 * `auto` never takes this variant, pass k ends with all ways of k arcs, so n passes too). Taking
 * subtrees out is paid for by the arcs that hung them in.
 *
 * Cost: O(n m), in practice some passes over parts of the graph; 5 bytes per vertex, 21 with
 * negative weights, and 16 (or more, see exact_sum.h) for exact sums. */
#include "sssp/bellman/sssp_bellman_ford.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/atomic.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "sssp/bellman/sssp_bellman_rounds.h"

enum { REPORT_ARCS = 1 << 16, FILL_VERTICES = 1 << 18, ROUND_GRAIN = 1 << 16 };
enum { ROUNDS_ARCS = 1 << 20, ROUNDS_DEGREE = 6 }; /* from these on rounds are taken */
enum { IDLE, QUEUED, DROPPED }; /* state; DROPPED: in the queue, but to be skipped */

typedef struct bellman_run {
    hop_context *context;
    hop__bellman_ford *space;
    const hop__sssp_query *query;
    const hop_graph *graph;
    void *distances;
    hop_vertex *parents;
    hop_vertex head, count; /* of the queue */
    hop_vertex pass_left;   /* still to come in this pass */
    hop_vertex place;
    uint64_t unreported;
} bellman_run;

static bool report(bellman_run *run) {
    uint64_t arcs = run->unreported;
    run->unreported = 0;
    run->space->relaxations += arcs;
    return hop__progress_add(run->context, arcs);
}

static inline void enqueue(bellman_run *run, hop_vertex v) {
    uint8_t *state = run->space->state;
    if (state[v] == IDLE) {
        uint64_t at = (uint64_t)run->head + run->count++, n = run->graph->vertices;
        run->space->queue[at < n ? at : at - n] = v;
    }
    state[v] = QUEUED;
}

/* Takes out the first; false when it was dropped. */
static inline bool dequeue(bellman_run *run, hop_vertex *v) {
    hop__bellman_ford *space = run->space;
    if (run->pass_left == 0) {
        run->pass_left = run->count;
        space->passes++;
    }
    run->pass_left--;
    run->count--;
    *v = space->queue[run->head];
    run->head = run->head + 1 < run->graph->vertices ? run->head + 1 : 0;
    bool wanted = space->state[*v] == QUEUED;
    space->state[*v] = IDLE;
    return wanted;
}

/* Takes v and what is behind it out of the tree; false, with the tree spoilt, when u is there. */
static bool cut_off(bellman_run *run, hop_vertex v, hop_vertex u) {
    hop__bellman_ford *space = run->space;
    hop_vertex *depth = space->depth, top = depth[v];
    if (u == v)
        return false;
    if (top == HOP_NO_VERTEX)
        return true; /* not in the tree */
    hop_vertex x = space->next[v];
    while (x != HOP_NO_VERTEX && depth[x] > top) {
        if (x == u)
            return false;
        depth[x] = HOP_NO_VERTEX;
        if (space->state[x] == QUEUED)
            space->state[x] = DROPPED;
        x = space->next[x];
    }
    hop_vertex before = space->previous[v];
    if (before != HOP_NO_VERTEX)
        space->next[before] = x;
    if (x != HOP_NO_VERTEX)
        space->previous[x] = before;
    return true;
}

static void hang_below(bellman_run *run, hop_vertex v, hop_vertex u) {
    hop__bellman_ford *space = run->space;
    hop_vertex after = space->next[u];
    space->tree[v] = u;
    space->depth[v] = space->depth[u] + 1;
    space->previous[v] = u;
    space->next[v] = after;
    space->next[u] = v;
    if (after != HOP_NO_VERTEX)
        space->previous[after] = v;
}

#define SEARCH plain
#define SEARCH_PLAIN
#define TEMPLATE "sssp/bellman/bellman_ford_template.h"
#include "graph/each_domain.h"
#undef SEARCH
#undef SEARCH_PLAIN

#define SEARCH tree
#define DOMAIN int32
#include "sssp/bellman/bellman_ford_template.h"
#define DOMAIN int64
#include "sssp/bellman/bellman_ford_template.h"
#undef SEARCH

#define SEARCH exact
#define SEARCH_EXACT
#define DOMAIN int64
#include "sssp/bellman/bellman_ford_template.h"
#define DOMAIN float32
#include "sssp/bellman/bellman_ford_template.h"
#define DOMAIN float64
#include "sssp/bellman/bellman_ford_template.h"

typedef hop__search_end (*search_fn)(bellman_run *run);

static search_fn search_of(const hop__sssp_query *query) {
#define ITEM(domain, type) [type] = plain_##domain##_search,
    static const search_fn plain[] = {HOP__EACH_DOMAIN(ITEM)};
#undef ITEM
    static const search_fn exact[] = {
        [HOP_TYPE_INT64] = exact_int64_search,
        [HOP_TYPE_FLOAT32] = exact_float32_search,
        [HOP_TYPE_FLOAT64] = exact_float64_search,
    };
    hop_weight_type type = query->graph->weight_type;
    if (!query->negative)
        return plain[type];
    if (query->exact.words > 0)
        return exact[type];
    return type == HOP_TYPE_INT32 ? tree_int32_search : tree_int64_search;
}

static void set_distance(const bellman_run *run, uint64_t v, bool zero) {
    switch (run->query->distance_type) {
    case HOP_TYPE_FLOAT32:
        ((float *)run->distances)[v] = zero ? 0 : (float)HUGE_VAL;
        break;
    case HOP_TYPE_FLOAT64:
        ((double *)run->distances)[v] = zero ? 0 : HUGE_VAL;
        break;
    default:
        ((int64_t *)run->distances)[v] = zero ? 0 : HOP_NO_DISTANCE;
        break;
    }
    if (run->space->sums) {
        const hop__exact *scale = &run->query->exact;
        uint64_t *sum = run->space->sums + v * scale->words;
        if (zero)
            hop__exact_clear(scale, sum);
        else
            hop__exact_set_none(scale, sum);
    }
}

/* Nothing is reached, nothing is in the queue or the tree. */
static bool fill(bellman_run *run) {
    hop__bellman_ford *space = run->space;
    uint64_t n = run->graph->vertices;
    for (uint64_t begin = 0; begin < n; begin += FILL_VERTICES) {
        uint64_t end = n - begin < FILL_VERTICES ? n : begin + FILL_VERTICES;
        for (uint64_t v = begin; v < end; v++)
            set_distance(run, v, false);
        memset(space->state + begin, IDLE, end - begin);
        if (space->depth)
            memset(space->depth + begin, 0xff, (end - begin) * sizeof *space->depth);
        if (run->parents)
            memset(run->parents + begin, 0xff, (end - begin) * sizeof *run->parents);
        if (!hop__progress_add(run->context, 0))
            return false;
    }
    return true;
}

static bool is_beyond_cutoff(const hop__sssp_query *query) {
    return !query->negative && (query->distance_type == HOP_TYPE_INT64 ? query->cutoff_integer < 0
                                                                       : query->cutoff_real < 0);
}

static void start(bellman_run *run, const hop_vertex *sources, hop_vertex source_count) {
    hop__bellman_ford *space = run->space;
    hop_vertex last = HOP_NO_VERTEX;
    if (is_beyond_cutoff(run->query))
        return;
    for (hop_vertex i = 0; i < source_count; i++) {
        hop_vertex s = sources[i];
        if (space->state[s] == QUEUED)
            continue;
        set_distance(run, s, true);
        if (run->parents)
            run->parents[s] = s;
        enqueue(run, s);
        if (!space->tree)
            continue;
        space->tree[s] = s;
        space->depth[s] = 0;
        space->previous[s] = last;
        space->next[s] = HOP_NO_VERTEX;
        if (last != HOP_NO_VERTEX)
            space->next[last] = s;
        last = s;
    }
}

typedef struct rounding {
    hop_context *context;
    const hop__sssp_query *query;
    const uint64_t *sums;
    void *distances;
    uint32_t beyond; /* the smallest vertex whose distance does not fit */
} rounding;

/* False when the distance does not fit. */
static bool round_sum(const rounding *job, uint64_t v) {
    const hop__exact *scale = &job->query->exact;
    const uint64_t *sum = job->sums + v * scale->words;
    if (hop__exact_is_none(scale, sum))
        return true;
    if (job->query->distance_type == HOP_TYPE_INT64)
        return hop__exact_to_integer(scale, sum, (int64_t *)job->distances + v);
    double value = hop__exact_round(scale, sum, job->query->distance_type);
    if (job->query->distance_type == HOP_TYPE_FLOAT32)
        ((float *)job->distances)[v] = (float)value;
    else
        ((double *)job->distances)[v] = value;
    return !isinf(value);
}

static void round_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    rounding *job = arg;
    (void)thread;
    if (!hop__progress_add(job->context, 0))
        return;
    for (uint64_t v = begin; v < end; v++) {
        if (round_sum(job, v))
            continue;
        hop__lower_u32(&job->beyond, (hop_vertex)v);
        return;
    }
}

/* Exact sums become distances. */
static hop__search_end round_sums(hop_context *context, const hop__bellman_ford *space,
                                  void *distances, hop_vertex *place) {
    rounding job = {context, space->query, space->sums, distances, HOP_NO_VERTEX};
    hop__for(context, space->query->graph->vertices, ROUND_GRAIN, round_range, &job);
    if (!hop__progress_add(context, 0))
        return HOP__SEARCH_CANCELLED;
    if (hop__load_u32(&job.beyond) == HOP_NO_VERTEX)
        return HOP__SEARCH_DONE;
    *place = (hop_vertex)hop__load_u32(&job.beyond);
    return HOP__SEARCH_BEYOND;
}

hop__search_end hop__bellman_ford_run(hop_context *context, hop__bellman_ford *space,
                                      const hop_vertex *sources, hop_vertex source_count,
                                      void *distances, hop_vertex *parents, hop_vertex *place) {
    bellman_run run = {.context = context,
                       .space = space,
                       .query = space->query,
                       .graph = space->query->graph,
                       .distances = distances,
                       .parents = parents};
    if (!fill(&run))
        return HOP__SEARCH_CANCELLED;
    start(&run, sources, source_count);
    hop__search_end end = search_of(run.query)(&run);
    if (!report(&run) && end == HOP__SEARCH_DONE)
        end = HOP__SEARCH_CANCELLED;
    *place = run.place;
    if (end == HOP__SEARCH_DONE && space->sums)
        end = round_sums(context, space, distances, place);
    return end;
}

/* Rounds were measured to be faster, even on one thread, where a vertex has several arcs and paths
 * are of few arcs. On lattices and roads the queue with its tree looks at far fewer arcs. */
static bool takes_rounds(const hop__sssp_query *query, hop__bellman_order order) {
    const hop_graph *graph = query->graph;
    if (order == HOP__BELLMAN_QUEUE || !hop__bellman_rounds_can(query))
        return false;
    return order == HOP__BELLMAN_ROUNDS ||
           (graph->arcs >= ROUNDS_ARCS && graph->arcs / ROUNDS_DEGREE >= graph->vertices);
}

/* What is there after the search as well. */
static void kept_blocks(hop__workspace *space, size_t at, const hop__sssp_query *query) {
    uint64_t n = query->graph->vertices;
    if (query->negative)
        HOP__BLOCK_AT(space, at, "bellman-ford: tree", n, hop__bellman_ford, tree);
    if (query->exact.words > 0)
        hop__block_add(space, "bellman-ford: exact sums", n, query->exact.words * sizeof(uint64_t),
                       at + offsetof(hop__bellman_ford, sums));
}

static void queue_blocks(hop__workspace *space, size_t at, const hop__sssp_query *query) {
    static const char what[] = "bellman-ford";
    uint64_t n = query->graph->vertices;
    HOP__BLOCK_AT(space, at, what, n, hop__bellman_ford, queue);
    HOP__BLOCK_AT(space, at, what, n, hop__bellman_ford, state);
    if (!query->negative)
        return;
    HOP__BLOCK_AT(space, at, what, n, hop__bellman_ford, next);
    HOP__BLOCK_AT(space, at, what, n, hop__bellman_ford, previous);
    HOP__BLOCK_AT(space, at, what, n, hop__bellman_ford, depth);
}

void hop__bellman_ford_blocks(hop__workspace *space, size_t at, const hop__sssp_query *query) {
    kept_blocks(space, at, query);
    queue_blocks(space, at, query);
}

void hop__bellman_search_blocks(hop__workspace *space, size_t at, const hop__sssp_query *query,
                                hop__bellman_order order, unsigned threads) {
    const size_t ford = at + offsetof(hop__bellman_search, ford);
    kept_blocks(space, ford, query);
    hop__block_stage(space, HOP__BELLMAN_STAGE);
    if (takes_rounds(query, order))
        hop__bellman_rounds_blocks(space, at + offsetof(hop__bellman_search, rounds), query,
                                   threads);
    else
        queue_blocks(space, ford, query);
    hop__block_stage(space, 0);
}

hop_status hop__bellman_search_run(hop__workspace *space, const hop__sssp_query *query,
                                   hop__bellman_order order, unsigned threads,
                                   const hop_vertex *sources, hop_vertex source_count,
                                   void *distances, hop_vertex *parents,
                                   hop__bellman_search *search) {
    hop_context *context = space->context;
    hop__bellman_ford *ford = &search->ford;
    hop_status status;
    HOP_TRY(status, hop__workspace_stage(space, HOP__BELLMAN_STAGE));
    ford->query = query;
    if (takes_rounds(query, order)) {
        hop__bellman_rounds_run(context, query, threads, sources, source_count, distances, search);
        if (search->end == HOP__SEARCH_DONE && ford->sums)
            search->end = round_sums(context, ford, distances, &search->place);
    } else {
        search->end = hop__bellman_ford_run(context, ford, sources, source_count, distances,
                                            parents, &search->place);
    }
    status = hop__workspace_stage(space, HOP__BELLMAN_STAGE + 1);
done:
    return status;
}

typedef struct bellman_state {
    hop__bellman_search search;
    hop__sssp_layers layers;
} bellman_state;

static void bellman_blocks(const void *given, hop__workspace *space) {
    const hop__sssp_task *task = given;
    hop__bellman_search_blocks(space, offsetof(bellman_state, search), &task->query,
                               (hop__bellman_order)task->values[0], task->threads);
    hop__block_stage(space, HOP__BELLMAN_STAGE + 1);
    if (task->wants_parents && !task->query.increasing)
        hop__sssp_parents_blocks(space, offsetof(bellman_state, layers), &task->query);
}

static hop_status report_beyond(hop_context *context, const hop__sssp_task *task,
                                const hop__bellman_ford *space, hop_vertex v) {
    const hop__exact *scale = &task->query.exact;
    double sum =
        hop__exact_round(scale, space->sums + (uint64_t)v * scale->words, HOP_TYPE_FLOAT64);
    hop__fail(context, HOP_ERR_UNSUPPORTED,
              "sssp: the distance of vertex %s is about %.9g, which does not fit %s",
              hop__name(task->query.graph, v).s, sum, hop_type_name(task->query.distance_type));
    hop__note_vertex(context, HOP_KIND_OVERFLOW, v);
    return hop__remedy(context, HOP_REMEDY_SCALE_WEIGHTS, "scale the weights down");
}

/* The cycle that a search has closed, or the distance that does not fit; HOP_OK: neither. */
static hop_status judge(hop_context *context, hop__sssp_task *task,
                        const hop__bellman_search *search) {
    if (search->end == HOP__SEARCH_BEYOND)
        return report_beyond(context, task, &search->ford, search->place);
    if (search->end != HOP__SEARCH_CYCLE)
        return HOP_OK;
    return hop__cycle_keep(context, "sssp", task->query.graph, search->ford.tree, search->place);
}

static hop_status bellman_run_row(hop_context *context, hop__sssp_task *task) {
    const hop__sssp_query *query = &task->query;
    bellman_state state = {0};
    hop__bellman_ford *ford = &state.search.ford;
    hop__workspace space = {0};
    hop_status status;
    hop__progress_begin(context, "sssp: bellman-ford", 0);
    hop__phase(context, "search");
    HOP_TRY(status, hop__workspace_open(context, NULL, bellman_blocks, task, &state, &space));
    HOP_TRY(status, hop__bellman_search_run(
                        &space, query, (hop__bellman_order)task->values[0], task->threads,
                        query->sources, query->source_count, task->distances,
                        query->increasing ? task->parents : NULL, &state.search));
    task->rounds = ford->passes;
    task->relaxations = ford->relaxations;
    hop__phase_items(context, ford->relaxations);
    HOP_TRY(status, hop__progress_end(context));
    HOP_TRY(status, judge(context, task, &state.search));
    hop__workspace_drop(&space, &ford->tree);
    hop__phase(context, "cut");
    if (!query->negative)
        hop__sssp_cut(context, task);
    if (task->parents && !query->increasing)
        HOP_TRY(status,
                hop__sssp_parents(&space, &state.layers, task,
                                  query->distance_type == HOP_TYPE_INT64 ? NULL : ford->sums));
done:
    hop__workspace_close(&space, status);
    return status;
}

static const hop_parameter parameters[] = {
    {.name = "order",
     .summary = "who is relaxed next: a queue on one thread, or rounds on all; auto: by the graph. "
                "Rounds are for negative weights",
     .type = HOP_PARAMETER_CHOICE,
     .maximum = 2,
     .standard = HOP__BELLMAN_AUTO,
     .choices = "auto queue rounds"},
};

const hop__sssp_variant hop__sssp_bellman_ford = {
    .row = {.about = {.name = "bellman-ford",
                      .summary = "what has changed relaxes its arcs; any weights, finds a negative "
                                 "cycle when it closes",
                      .source = "Kemp 2012, 3.2.3; Troendle 2019, algorithm 5 (Bellman 1958, Moore "
                                "1959, Tarjan 1981)",
                      .place = HOP_PLACE_HOST,
                      HOP__PARAMETERS(parameters)},
            .blocks = bellman_blocks},
    .run = bellman_run_row,
};
