/* SPDX-License-Identifier: Apache-2.0
 *
 * afforest: union-find on a sample of the arcs, then on what the sample left over.
 *
 * 1. `rounds` times: the next arc of every vertex is joined, then trees are flattened. Two arcs per
 *    vertex join most of a giant component.
 * 2. The label that most of a sample of vertices have is taken for the giant's.
 * 3. The remaining arcs of vertices with other labels are joined. An edge has its other arc at its
 *    other end, so one between the giant and another vertex comes up there. A directed graph has it
 *    only if its reverse arcs are prepared; if not, the remaining arcs of the giant's vertices are
 *    looked at too, and joined where the other end has another label.
 *
 * The parents that are needed 16 arcs later are prefetched: most of the time goes into waiting for
 * them otherwise. Which vertices are sampled changes the time, never the answer.
 *
 * Source: Sutton, Ben-Nun, Barak, "Optimizing parallel graph connectivity computation via subgraph
 * sampling", IPDPS 2018.
 * Cost: O((n + m) log n) at worst, nearly O(n) where there is a giant component; no memory. */
#include "components/components_afforest.h"
#include "components/components_forest.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "core/try.h"

enum {
    GRAIN = 1 << 13, /* vertices */
    AHEAD = 16,
    SLOTS = 2 * HOP__AFFOREST_SAMPLES_MOST, /* of the table in which the sample is counted */
};

const hop_parameter hop__afforest_parameters[HOP__AFFOREST_ALL] = {
    [HOP__AFFOREST_ROUNDS] = {.name = "rounds",
                              .summary = "arcs of each vertex that are joined before the sample",
                              .type = HOP_PARAMETER_INTEGER,
                              .maximum = 64,
                              .standard = 2},
    [HOP__AFFOREST_SAMPLES] = {.name = "samples",
                               .summary = "vertices in the sample",
                               .type = HOP_PARAMETER_INTEGER,
                               .minimum = 1,
                               .maximum = HOP__AFFOREST_SAMPLES_MOST,
                               .standard = 1024},
    [HOP__AFFOREST_OWN + HOP__FORM_GROUP] = HOP__FORM_GROUP_ROW,
    [HOP__AFFOREST_OWN + HOP__FORM_CUT] = HOP__FORM_CUT_ROW,
    [HOP__AFFOREST_STEPS] = HOP__STEPS_ROW,
};

typedef struct job {
    hop_context *context;
    const hop_graph *graph, *reverse; /* reverse: of a directed graph, or NULL */
    hop_vertex *parents;
    uint64_t round;
    hop_vertex giant;
    atomic_uint_fast64_t arcs;
    atomic_bool stopped;
} job;

static bool stopped(const job *work) {
    return atomic_load_explicit(&work->stopped, memory_order_relaxed);
}

static void range_end(job *work, uint64_t vertices, uint64_t arcs) {
    atomic_fetch_add_explicit(&work->arcs, arcs, memory_order_relaxed);
    if (!hop__progress_add(work->context, vertices))
        atomic_store_explicit(&work->stopped, true, memory_order_relaxed);
}

/* Arc number work->round of each vertex. */
static void sample_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    const hop_graph *graph = work->graph;
    uint64_t arcs = 0;
    (void)thread;
    if (stopped(work))
        return;
    for (uint64_t v = begin; v < end; v++) {
        if (v + 2 * AHEAD < end) {
            uint64_t ahead = hop__offset(graph, v + 2 * AHEAD) + work->round;
            if (ahead < graph->arcs)
                __builtin_prefetch(&graph->targets[ahead]);
        }
        if (v + AHEAD < end) {
            uint64_t ahead = hop__offset(graph, v + AHEAD) + work->round;
            if (ahead < graph->arcs)
                __builtin_prefetch(&work->parents[graph->targets[ahead]]);
        }
        uint64_t arc = hop__offset(graph, v) + work->round;
        if (arc >= hop__offset(graph, v + 1))
            continue;
        arcs++;
        hop__forest_join(work->parents, (hop_vertex)v, graph->targets[arc]);
    }
    range_end(work, end - begin, arcs);
}

static void compress_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    hop_vertex *parents = work->parents;
    (void)thread;
    if (stopped(work))
        return;
    for (uint64_t v = begin; v < end; v++) {
        hop_vertex parent = hop__load_u32(&parents[v]), root = parent, above;
        if (v + AHEAD < end)
            __builtin_prefetch(&parents[hop__load_u32(&parents[v + AHEAD])]);
        while ((above = hop__load_u32(&parents[root])) != root)
            root = above;
        if (root != parent)
            hop__store_u32(&parents[v], root);
    }
    range_end(work, end - begin, 0);
}

/* Joins the arcs [i, end) of v; those to a vertex with the giant's label are left out if asked. */
static void join_rest(job *work, const hop_graph *graph, hop_vertex v, uint64_t i, uint64_t end,
                      bool from_giant) {
    for (; i < end; i++) {
        if (i + AHEAD < graph->arcs)
            __builtin_prefetch(&work->parents[graph->targets[i + AHEAD]]);
        hop_vertex w = graph->targets[i];
        if (!from_giant || hop__load_u32(&work->parents[w]) != work->giant)
            hop__forest_join(work->parents, v, w);
    }
}

static void rest_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    const hop_graph *graph = work->graph;
    bool one_way = graph->directed && !work->reverse;
    uint64_t arcs = 0;
    (void)thread;
    if (stopped(work))
        return;
    for (uint64_t v = begin; v < end; v++) {
        bool inside = hop__load_u32(&work->parents[v]) == work->giant;
        if (inside && !one_way)
            continue;
        uint64_t i = hop__offset(graph, v) + work->round, past = hop__offset(graph, v + 1);
        if (i < past) {
            join_rest(work, graph, (hop_vertex)v, i, past, inside);
            arcs += past - i;
        }
        if (work->reverse) {
            i = hop__offset(work->reverse, v);
            past = hop__offset(work->reverse, v + 1);
            join_rest(work, work->reverse, (hop_vertex)v, i, past, false);
            arcs += past - i;
        }
    }
    range_end(work, end - begin, arcs);
}

hop_vertex hop__afforest_vertex(uint64_t i, hop_vertex n) {
    return (hop_vertex)hop__random_below(hop__random_at(0, 1, i), n);
}

/* Counted in an open table. */
hop_vertex hop__afforest_giant(const hop_vertex *labels, uint64_t samples, hop_vertex n,
                               bool picked) {
    struct {
        hop_vertex label;
        uint32_t count;
    } slots[SLOTS] = {{0, 0}};
    hop_vertex best = 0;
    uint32_t most = 0;
    for (uint64_t i = 0; i < samples; i++) {
        hop_vertex label = labels[picked ? i : hop__afforest_vertex(i, n)];
        uint64_t slot = hop__mix64(label) % SLOTS;
        while (slots[slot].count > 0 && slots[slot].label != label)
            slot = (slot + 1) % SLOTS;
        slots[slot].label = label;
        if (++slots[slot].count > most) {
            most = slots[slot].count;
            best = label;
        }
    }
    return best;
}

static hop_status afforest_run(hop_context *context, const hop__components_task *task) {
    const hop_graph *graph = task->graph;
    uint64_t n = graph->vertices, rounds = (uint64_t)task->values[HOP__AFFOREST_ROUNDS];
    job work = {.context = context, .graph = graph, .parents = task->labels};
    hop__forest forest = {.context = context, .graph = graph, .parents = task->labels};
    hop_status status;
    if (graph->directed)
        work.reverse = hop_graph_prepared_reverse(graph);
    hop__progress_begin(context, "components: afforest", n * (2 * rounds + 1));
    hop__phase(context, "start");
    hop__phase_bytes(context, 4 * n);
    hop__forest_start(context, work.parents, n);
    for (; work.round < rounds; work.round++) {
        hop__phase(context, "sample");
        hop__for(context, n, GRAIN, sample_range, &work);
        hop__phase(context, "compress");
        hop__for(context, n, GRAIN, compress_range, &work);
    }
    hop__phase(context, "rest");
    work.giant = hop__afforest_giant(work.parents, (uint64_t)task->values[HOP__AFFOREST_SAMPLES],
                                     (hop_vertex)n, false);
    hop__for(context, n, GRAIN, rest_range, &work);
    HOP_TRY(status, hop__progress_end(context));
    HOP_TRY(status, hop__forest_flatten(&forest));
    task->report->rounds = rounds;
    task->report->relaxations = atomic_load(&work.arcs);
    *task->count = forest.roots;
done:
    return status;
}

const hop__components_variant hop__components_afforest = {
    .row = {.about = {.name = "afforest",
                      .summary = "joins two arcs per vertex, then what is outside the largest tree",
                      .source = "Sutton, Ben-Nun, Barak, IPDPS 2018",
                      .place = HOP_PLACE_HOST,
                      .uses = HOP_PREPARE_REVERSE,
                      HOP__FIRST_PARAMETERS(hop__afforest_parameters, HOP__AFFOREST_OWN)}},
    .run = afforest_run,
};
