/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks distances and parents against the graph, without searching.
 *
 * Let limit be the least of the cutoff and of the largest distance that a target has in the result
 * (no limit, when one has none). The rules:
 *  1. distances are numbers that can be (not below 0 without negative weights) and at most limit;
 *     sources are at most 0; what is not reached has no parent;
 *  2. no arc out of a vertex that is reached makes another nearer, or reaches a new one within
 *     limit;
 *  3. every other reached vertex v is supported: there is a tight arc to it from its parent, and
 *     parents lead to a source of distance 0, which is its own;
 *  4. if canonical, the parent is the one of sssp.h.
 *
 * Why they suffice. By 3, d[v] is the length of a path from a source, so not too small. By 2, along
 * a shortest path to v no distance is too large. So distances are right wherever either is within
 * limit; and the limit is the right one, because the distances of the targets are (a target that
 * claims not to be reached is farther than the cutoff, by 2). With negative weights there is no
 * limit here, and a negative cycle leaves no distances that obey 2.
 *
 * A tight arc is not enough for 3: tight arcs over weights of 0 can run in a cycle that no source
 * reaches. An arc from a nearer vertex is safe, since distances along parents fall; otherwise the
 * parents are followed up (certify_layers.c). Without parents the support is spread from what is
 * safe over tight arcs. For 4, layers are counted along parents, and no tight arc may skip one:
 * then they are the hops.
 *
 * Passes: vertices, arcs, vertices; where arcs join equal distances, or weights are negative, the
 * layers and one more pass over the arcs. One random access per arc, another if it is tight.
 * Negative floating-point weights are in certify_exact.c. A graph on disk is read block by block,
 * once for each pass over the arcs.
 *
 * Cost: O(n + m); n / 4 bytes, and 4 n where layers are counted. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "core/try.h"
#include "io/text/text_print.h"
#include "sssp/certify/checked_sum.h"
#include "sssp/certify/sssp_certificate.h"

/* Whether no floating-point distance is like that, whatever the weights are. */
static inline bool is_no_real(const certificate *state, double distance) {
    return isnan(distance) || (distance < 0 && isinf(distance)) ||
           (distance == 0 && signbit(distance) && state->canonical);
}

#define TEMPLATE "sssp/certify/certify_template.h"
#include "graph/each_domain.h"

static const certify_passes *passes_of(hop_weight_type type) {
#define ITEM(domain, type) [type] = &domain##_passes,
    static const certify_passes *const all[] = {HOP__EACH_DOMAIN(ITEM)};
#undef ITEM
    return all[type];
}

const char *hop__sssp_distance_text(const hop__sssp_query *query, const void *distances, uint64_t v,
                                    char text[HOP__SSSP_TEXT]) {
    char number[HOP__WEIGHT_TEXT];
    if (hop__sssp_distance(query, distances, v) == HUGE_VAL)
        return "not reached";
    snprintf(text, HOP__SSSP_TEXT, "%s away",
             hop__weight_text(query->distance_type, distances, v, number));
    return text;
}

/* The distance of v as text. */
static const char *distance_text(const certificate *state, uint64_t v, char text[HOP__SSSP_TEXT]) {
    return hop__sssp_distance_text(state->query, state->distances, v, text);
}

static hop_status explain_vertex(const certificate *state, vertex_fault fault, uint64_t v) {
    static const char *const rules[] = {
        [NOT_A_DISTANCE] = "which no distance is",
        [BEYOND_LIMIT] = "which targets or cutoff exclude",
        [SOURCE_DISTANCE] = "but it is a source",
        [SOURCE_PARENT] = "and a source, so it should be its own",
        [PARENT_EXTRA] = "so it should have none",
        [PARENT_RANGE] = "but its parent is no vertex that is reached",
        [PARENT_ITSELF] = "but only a source of distance 0 is its own",
    };
    char text[HOP__SSSP_TEXT], parent[96] = "";
    if (fault >= SOURCE_PARENT)
        snprintf(parent, sizeof parent, " and has parent %s",
                 hop__name(state->graph, state->parents[v]).s);
    hop__fail(state->context, HOP_ERR_CERTIFICATE, "sssp: certificate: vertex %s is %s%s, %s",
              hop__name(state->graph, v).s, distance_text(state, v, text), parent, rules[fault]);
    return hop__note_vertex(state->context, HOP_KIND_CERTIFICATE, v);
}

/* Arc number `arc` of the graph, number i of the block. */
static hop_status explain_arc(const certificate *state, arc_fault fault,
                              const hop__arc_block *block, uint64_t u, uint64_t i) {
    static const char *const rules[] = {
        [ARC_LEADS_ON] = "so that it can be reached",
        [ARC_SHORTER] = "so that it is nearer",
        [ARC_NEARER] = "and the parent should be nearer, as the start of this arc is",
        [ARC_SMALLER] = "and the start of this arc, which is smaller, should be the parent",
        [ARC_LAYER] = "and the start of this arc, which has fewer hops behind it, should be the "
                      "parent",
        [ARC_LAYER_PARENT] = "and the start of this arc, which is smaller, should be the parent",
    };
    hop_vertex v = block->targets[i];
    char from[HOP__SSSP_TEXT], to[HOP__SSSP_TEXT], parent[96] = "", weight[HOP__WEIGHT_TEXT];
    if (fault >= ARC_NEARER)
        snprintf(parent, sizeof parent, " by parent %s",
                 hop__name(state->graph, state->parents[v]).s);
    hop__fail(state->context, HOP_ERR_CERTIFICATE,
              "sssp: certificate: vertex %s is %s%s, but there is an arc to it of weight %s "
              "from %s, which is %s, %s",
              hop__name(state->graph, v).s, distance_text(state, v, to), parent,
              hop__weight_text(state->graph->weight_type, block->weights, i, weight),
              hop__name(state->graph, u).s, distance_text(state, u, from), rules[fault]);
    return hop__note_arc(state->context,
                         fault == ARC_SHORTER ? HOP_KIND_DISTANCE : HOP_KIND_CERTIFICATE, v,
                         block->begin + i);
}

/* ---- passes over the arcs -------------------------------------------------------------------- */

static void arcs_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    certificate *state = arg;
    const hop_graph *graph = state->graph;
    const unsigned char *weights = graph->weights;
    hop__arc_block block = {0, begin, end, graph->targets + begin, NULL};
    if (weights)
        block.weights = weights + begin * hop_type_size(graph->weight_type);
    state->pass(state, &block, thread);
}

/* Looks at all arcs, or at those of the blocks that are wanted of a graph on disk. */
static hop_status each_block(certificate *state, const uint64_t *wanted, hop__arc_fn pass) {
    state->wrong = UINT64_MAX;
    state->pass = pass;
    if (state->arcs)
        return hop__arcs_visit(state->context, state->arcs, wanted, pass, state);
    hop__for(state->context, state->graph->arcs, CERTIFY_GRAIN, arcs_range, state);
    return HOP_OK;
}

/* For explain: what is wrong with the arc that was noted, in its block. */
typedef struct explanation {
    const certificate *state;
    hop__arc_rule rule;
    hop_status status;
} explanation;

static void explain_block(void *arg, const hop__arc_block *block, unsigned thread) {
    explanation *why = arg;
    const certificate *state = why->state;
    uint64_t arc = state->wrong, i = arc - block->begin;
    (void)thread;
    if (arc < block->begin || arc >= block->end)
        return;
    hop__walk row = hop__walk_first(state->graph, block);
    while (row.next <= arc)
        hop__walk_next(state->graph, block, &row);
    why->status = explain_arc(state, why->rule(state, block, row.vertex, i), block, row.vertex, i);
}

/* Of a graph on disk its block is read once more. */
static hop_status explain_wrong(const certificate *state, hop__arc_rule rule) {
    explanation why = {state, rule, HOP_ERR_CERTIFICATE};
    const hop_graph *graph = state->graph;
    uint64_t *wanted = NULL, block = state->wrong / HOP__ARC_BLOCK;
    hop_status status = HOP_OK;
    if (!state->arcs) {
        const hop__arc_block all = {0, 0, graph->arcs, graph->targets, graph->weights};
        uint64_t u = hop__row_of_arc(graph, state->wrong);
        return explain_arc(state, rule(state, &all, u, state->wrong), &all, u, state->wrong);
    }
    HOP_TRY(status,
            hop__alloc_zero(state->context, "sssp: certificate: blocks",
                            hop__bitmap_words(hop__arc_blocks(graph)), sizeof *wanted, &wanted));
    hop__bitmap_set(wanted, block);
    HOP_TRY(status, hop__arcs_visit(state->context, state->arcs, wanted, explain_block, &why));
    status = why.status;
done:
    hop__free(wanted);
    return status;
}

/* Runs a pass over the arcs; what is wrong is explained by the rule. */
static hop_status check_arcs(certificate *state, hop__arc_fn pass, hop__arc_rule rule) {
    hop_status status = each_block(state, NULL, pass);
    return status != HOP_OK || state->wrong == UINT64_MAX ? status : explain_wrong(state, rule);
}

static hop_status explain_support(const certificate *state, uint64_t v) {
    char room[HOP__SSSP_TEXT], parent[HOP__SSSP_TEXT];
    const char *text = distance_text(state, v, room);
    if (!state->parents) {
        hop__fail(state->context, HOP_ERR_CERTIFICATE,
                  "sssp: certificate: vertex %s is %s, but no path from a source has that "
                  "length",
                  hop__name(state->graph, v).s, text);
    } else {
        hop__fail(state->context, HOP_ERR_CERTIFICATE,
                  "sssp: certificate: vertex %s is %s, but no arc from its parent %s, which "
                  "is %s, makes that distance",
                  hop__name(state->graph, v).s, text, hop__name(state->graph, state->parents[v]).s,
                  distance_text(state, state->parents[v], parent));
    }
    return hop__note_vertex(state->context, HOP_KIND_DISTANCE, v);
}

/* The largest distance of a target, if all have one. */
static void find_limit(certificate *state) {
    const hop__sssp_query *query = state->query;
    bool integer = query->distance_type == HOP_TYPE_INT64;
    int64_t farthest = INT64_MIN;
    double farthest_real = -HUGE_VAL;
    state->limit_integer =
        query->cutoff_integer == HOP_NO_DISTANCE - 1 ? INT64_MAX : query->cutoff_integer;
    state->limit_real = query->cutoff_real;
    if (query->target_count == 0)
        return;
    for (hop_vertex i = 0; i < query->target_count; i++) {
        double distance = hop__sssp_distance(query, state->distances, query->targets[i]);
        if (!(distance < HUGE_VAL)) /* NaN included */
            return;
        farthest_real = distance > farthest_real ? distance : farthest_real;
        int64_t exact = integer ? ((const int64_t *)state->distances)[query->targets[i]] : 0;
        farthest = exact > farthest ? exact : farthest;
    }
    if (farthest < state->limit_integer)
        state->limit_integer = farthest;
    if (farthest_real < state->limit_real)
        state->limit_real = farthest_real;
}

/* Of the nearest, that of the last. */
static void find_nearest(certificate *state) {
    hop_vertex v = hop__sssp_last_nearest(state->query, state->distances);
    if (v == HOP_NO_VERTEX)
        return;
    double real = hop__sssp_distance(state->query, state->distances, v);
    state->limit_real = real < state->limit_real ? real : state->limit_real;
    if (state->query->distance_type != HOP_TYPE_INT64)
        return;
    int64_t exact = ((const int64_t *)state->distances)[v];
    state->limit_integer = exact < state->limit_integer ? exact : state->limit_integer;
}

static void mark_sources(certificate *state) {
    for (hop_vertex i = 0; i < state->query->source_count; i++)
        hop__bitmap_set(state->sources, state->query->sources[i]);
}

static void find_unsupported(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    certificate *state = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        double distance = hop__sssp_distance(state->query, state->distances, v);
        bool root = distance == 0 && hop__bitmap_get(state->sources, v);
        if (distance < HUGE_VAL && !root && !hop__bitmap_get(state->supported, v)) {
            note_wrong(state, v);
            return;
        }
    }
}

/* The vertices that support is spread from: with negative weights the roots, else the supported
 * ones that have an arc to a vertex as far. */
static void queue_first(certificate *state) {
    uint64_t tail = 0;
    for (uint64_t v = 0; v < state->graph->vertices; v++) {
        bool source = hop__bitmap_get(state->sources, v);
        bool root = source && hop__sssp_distance(state->query, state->distances, v) == 0;
        bool level = !state->query->negative && hop__bitmap_get(state->level, v);
        if (state->query->negative ? root : level && (root || hop__bitmap_get(state->supported, v)))
            state->queue[tail++] = (hop_vertex)v;
    }
    atomic_store(&state->tail, tail);
}

/* The same on disk, without a queue: the blocks with rows that have an arc to a vertex as far are
 * read until one reading supports nothing new. */
static hop_status spread_on_disk(certificate *state, const certify_passes *passes) {
    const hop_graph *graph = state->graph;
    uint64_t *wanted = NULL;
    hop_status status;
    HOP_TRY(status,
            hop__alloc_zero(state->context, "sssp: certificate: blocks",
                            hop__bitmap_words(hop__arc_blocks(graph)), sizeof *wanted, &wanted));
    for (uint64_t v = 0; v < graph->vertices; v++)
        if (hop__bitmap_get(state->level, v))
            hop__want_row(wanted, hop__any_begin(graph, v), hop__any_degree(graph, v));
    do {
        atomic_store(&state->tail, 0);
        HOP_TRY(status, each_block(state, wanted, passes->extend_block));
    } while (atomic_load(&state->tail) > 0 && hop__progress_add(state->context, 0));
done:
    hop__free(wanted);
    return status;
}

static hop_status spread_in_memory(certificate *state, const certify_passes *passes) {
    hop_status status;
    HOP_TRY(status, hop__alloc(state->context, "sssp: certificate: queue", state->graph->vertices,
                               sizeof(hop_vertex), &state->queue));
    queue_first(state);
    for (state->head = 0;;) {
        uint64_t end = atomic_load(&state->tail);
        if (end == state->head || !hop__progress_add(state->context, 0))
            break;
        hop__for(state->context, end - state->head, 256, passes->extend, state);
        state->head = end;
    }
done:
    return status;
}

/* Without parents: every vertex that is open must be at the end of tight arcs. */
static hop_status spread_support(certificate *state, const certify_passes *passes) {
    hop_status status;
    uint64_t wrong, n = state->graph->vertices;
    HOP_TRY(status, state->arcs ? spread_on_disk(state, passes) : spread_in_memory(state, passes));
    if (!hop__progress_add(state->context, 0))
        goto done; /* cancelled: nothing can be said */
    if (find_wrong(state, n, find_unsupported, &wrong))
        status = explain_support(state, wrong);
done:
    return status;
}

/* With parents: none may lead round in a cycle, and layers must be hops. */
static hop_status check_layers(certificate *state, const certify_passes *passes) {
    hop_status status;
    HOP_TRY(status, hop__certify_layers(state, passes));
    if (state->canonical)
        status = check_arcs(state, passes->layer_arcs, passes->layer_arc_of);
done:
    return status;
}

static hop_status check_all(certificate *state) {
    const certify_passes *passes = passes_of(state->graph->weight_type);
    uint64_t wrong, n = state->graph->vertices;
    hop_status status;
    find_limit(state);
    find_nearest(state);
    mark_sources(state);
    if (find_wrong(state, n, passes->vertices, &wrong))
        return explain_vertex(state, passes->vertex_of(state, wrong), wrong);
    if (state->query->negative && state->query->distance_type != HOP_TYPE_INT64)
        return hop__certify_exact(state);
    HOP_TRY(status, check_arcs(state, passes->arcs, passes->arc_of));
    if (find_wrong(state, n, passes->support, &wrong))
        return explain_support(state, wrong);
    if (atomic_load(&state->open) > 0)
        status = state->parents ? check_layers(state, passes) : spread_support(state, passes);
done:
    return status;
}

uint64_t hop__sssp_certify_memory(const hop__sssp_query *query, bool parents) {
    uint64_t n = query->graph->vertices;
    uint64_t bytes = 3 * hop__block_bytes(hop__bitmap_words(n), sizeof(uint64_t));
    if (query->graph->store != NULL)
        bytes += hop__arcs_bytes(query->graph) +
                 hop__block_bytes(hop__bitmap_words(hop__arc_blocks(query->graph)), 8);
    if (query->negative && query->distance_type != HOP_TYPE_INT64)
        return bytes + hop__certify_exact_memory(query);
    if (query->increasing)
        return bytes;
    return bytes +
           (parents ? hop__certify_layers_memory(query) : hop__block_bytes(n, sizeof(hop_vertex)));
}

hop_status hop__sssp_certify(hop_context *context, const hop__sssp_query *query, bool canonical,
                             const void *distances, const hop_vertex *parents) {
    hop_status status, result = HOP_OK;
    uint64_t n = query->graph->vertices, words = hop__bitmap_words(n);
    static const char what[] = "sssp: certificate";
    certificate state = {.context = context,
                         .query = query,
                         .graph = query->graph,
                         .distances = distances,
                         .parents = parents,
                         .canonical = canonical};
    HOP_TRY(status, hop__alloc_zero(context, what, words, sizeof(uint64_t), &state.sources));
    HOP_TRY(status, hop__alloc_zero(context, what, words, sizeof(uint64_t), &state.supported));
    if (!parents)
        HOP_TRY(status, hop__alloc_zero(context, what, words, sizeof(uint64_t), &state.level));
    if (query->graph->store != NULL)
        HOP_TRY(status, hop__arcs_open(context, query->graph, true, &state.arcs));
    hop__progress_begin(context, what, 2 * n + query->graph->arcs);
    result = check_all(&state);
    status = hop__progress_end(context);
done:
    hop__arcs_close(state.arcs);
    hop__free(state.sources);
    hop__free(state.supported);
    hop__free(state.level);
    hop__free(state.layers);
    hop__free(state.queue);
    hop__free(state.weights);
    hop__free(state.sums);
    return status != HOP_OK ? status : result;
}
