/* SPDX-License-Identifier: Apache-2.0
 *
 * The certifier for floating-point weights of which some are negative: distances are exact sums,
 * rounded once. The rounded ones do not say what is tight; the parents do. So:
 *  1. each parent has an arc to its vertex, the lightest of which counts; parents lead to sources;
 *  2. the exact sums along parents, vertex after vertex in the order of layers, round to the
 *     distances;
 *  3. no arc makes an exact sum less, or reaches what is not reached;
 *  4. if canonical: layers are hops over arcs that are tight exactly, and parents the smallest.
 *
 * Cost: O(n + m), exact additions in 3 and 4; 20 bytes per vertex and the exact sums (16 as a
 * rule). */
#include <float.h>
#include <math.h>

#include "core/try.h"
#include "io/text/text_print.h"
#include "sssp/certify/sssp_certificate.h"

enum { ROW_GRAIN = 1 << 10 };

static double weight_at(const hop_graph *graph, uint64_t arc) {
    return graph->weight_type == HOP_TYPE_FLOAT32 ? (double)((const float *)graph->weights)[arc]
                                                  : ((const double *)graph->weights)[arc];
}

static bool is_reached(const certificate *state, uint64_t v) {
    return hop__sssp_distance(state->query, state->distances, v) < HUGE_VAL;
}

static bool is_root(const certificate *state, uint64_t v) {
    return state->parents[v] == v;
}

static uint64_t *sum_of(const certificate *state, uint64_t v) {
    return state->sums + v * state->query->exact.words;
}

static void clear_weights(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    certificate *state = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        state->weights[v] = HUGE_VAL;
}

/* The lightest arc from each parent. Ranges of rows: only one thread writes to a vertex. */
static void parent_weights(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    certificate *state = arg;
    const hop_graph *graph = state->graph;
    uint64_t arcs = 0;
    (void)thread;
    for (uint64_t u = begin; u < end; u++) {
        uint64_t stop = hop__offset(graph, u + 1);
        for (uint64_t i = hop__offset(graph, u); i < stop; i++) {
            hop_vertex v = graph->targets[i];
            double weight = weight_at(graph, i);
            if (++arcs % CERTIFY_POLL == 0 && !hop__progress_add(state->context, CERTIFY_POLL))
                return;
            if (state->parents[v] == u && weight < state->weights[v])
                state->weights[v] = weight;
        }
    }
    (void)hop__progress_add(state->context, arcs % CERTIFY_POLL);
}

static void missing_weights(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    certificate *state = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        if (is_reached(state, v) && !is_root(state, v) && state->weights[v] == HUGE_VAL) {
            note_wrong(state, v);
            return;
        }
}

/* Vertices queue[begin .. end-1], whose parents have their sums. */
static void add_sums(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    certificate *state = arg;
    const hop__exact *scale = &state->query->exact;
    (void)thread;
    for (uint64_t at = state->head + begin; at < state->head + end; at++) {
        hop_vertex v = state->queue[at];
        if (is_root(state, v))
            hop__exact_clear(scale, sum_of(state, v));
        else
            hop__exact_add(scale, sum_of(state, state->parents[v]),
                           hop__exact_real(scale, state->weights[v]), sum_of(state, v));
    }
}

/* Puts the reached vertices into the queue by layers and adds up layer after layer. */
static hop_status sum_layers(certificate *state) {
    hop_status status;
    uint64_t n = state->graph->vertices, deepest = 0;
    hop_vertex *ends = NULL; /* of each layer in the queue */
    HOP_TRY(status, hop__alloc_zero(state->context, "sssp: certificate: layer ends", n + 1,
                                    sizeof *ends, &ends));
    for (uint64_t v = 0; v < n; v++)
        if (is_reached(state, v)) {
            ends[state->layers[v] + 1]++;
            deepest = state->layers[v] > deepest ? state->layers[v] : deepest;
        }
    for (uint64_t layer = 1; layer <= deepest && layer < n; layer++)
        ends[layer] += ends[layer - 1];
    for (uint64_t v = 0; v < n; v++)
        if (is_reached(state, v))
            state->queue[ends[state->layers[v]]++] = (hop_vertex)v;
    state->head = 0;
    for (uint64_t layer = 0; layer <= deepest && layer < n; layer++) {
        if (!hop__progress_add(state->context, 0))
            break;
        hop__for(state->context, ends[layer] - state->head, CERTIFY_GRAIN, add_sums, state);
        state->head = ends[layer];
    }
done:
    hop__free(ends);
    return status;
}

static bool rounds_to_distance(const certificate *state, uint64_t v) {
    return hop__exact_round(&state->query->exact, sum_of(state, v), state->query->distance_type) ==
           hop__sssp_distance(state->query, state->distances, v);
}

static void check_rounding(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    certificate *state = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        if (is_reached(state, v) && !rounds_to_distance(state, v)) {
            note_wrong(state, v);
            return;
        }
}

static arc_fault exact_arc(const certificate *state, uint64_t u, uint64_t arc) {
    const hop__exact *scale = &state->query->exact;
    uint64_t sum[HOP__EXACT_WORDS];
    hop_vertex v = state->graph->targets[arc];
    double weight = weight_at(state->graph, arc);
    if (isinf(weight))
        return ARC_SOUND;
    if (!is_reached(state, v))
        return ARC_LEADS_ON;
    hop__exact_add(scale, sum_of(state, u), hop__exact_real(scale, weight), sum);
    int order = hop__exact_compare(scale, sum, sum_of(state, v));
    if (order != 0)
        return order < 0 ? ARC_SHORTER : ARC_SOUND;
    if (!state->canonical || is_root(state, v) || state->layers[u] + 1 > state->layers[v])
        return ARC_SOUND;
    if (state->layers[u] + 1 < state->layers[v])
        return ARC_LAYER;
    return u < state->parents[v] ? ARC_LAYER_PARENT : ARC_SOUND;
}

static void check_arcs(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    certificate *state = arg;
    const hop_graph *graph = state->graph;
    (void)thread;
    if (!hop__progress_add(state->context, end - begin))
        return;
    for (uint64_t u = hop__row_of_arc(graph, begin); begin < end; u++) {
        uint64_t stop = hop__offset(graph, u + 1) < end ? hop__offset(graph, u + 1) : end;
        for (uint64_t i = begin; i < stop && is_reached(state, u); i++)
            if (exact_arc(state, u, i) != ARC_SOUND) {
                note_wrong(state, i);
                return;
            }
        begin = stop;
    }
}

static hop_status explain_missing(const certificate *state, uint64_t v) {
    hop__fail(state->context, HOP_ERR_CERTIFICATE,
              "sssp: certificate: vertex %s has parent %s, but no arc from it",
              hop__name(state->graph, v).s, hop__name(state->graph, state->parents[v]).s);
    return hop__note_vertex(state->context, HOP_KIND_CERTIFICATE, v);
}

static hop_status explain_rounding(const certificate *state, uint64_t v) {
    char text[HOP__SSSP_TEXT], other[HOP__SSSP_TEXT];
    hop_weight_type type = state->query->distance_type;
    double sum = hop__exact_round(&state->query->exact, sum_of(state, v), type);
    float single = (float)sum;
    const void *rounded = type == HOP_TYPE_FLOAT32 ? (const void *)&single : (const void *)&sum;
    hop__fail(state->context, HOP_ERR_CERTIFICATE,
              "sssp: certificate: vertex %s is %s, but the weights along its parents, added "
              "up and rounded, make it %s",
              hop__name(state->graph, v).s,
              hop__sssp_distance_text(state->query, state->distances, v, text),
              hop__sssp_distance_text(state->query, rounded, 0, other));
    return hop__note_vertex(state->context, HOP_KIND_DISTANCE, v);
}

static hop_status explain_arc(const certificate *state, uint64_t arc) {
    uint64_t u = hop__row_of_arc(state->graph, arc);
    hop_vertex v = state->graph->targets[arc];
    hop__vertex_text from = hop__name(state->graph, u), to = hop__name(state->graph, v);
    char text[HOP__WEIGHT_TEXT];
    const char *weight =
        hop__weight_text(state->graph->weight_type, state->graph->weights, arc, text);
    hop_error_kind kind = HOP_KIND_CERTIFICATE;
    switch (exact_arc(state, u, arc)) {
    case ARC_LEADS_ON:
        hop__fail(state->context, HOP_ERR_CERTIFICATE,
                  "sssp: certificate: vertex %s is not reached, but %s is, and there is "
                  "an arc of weight %s",
                  to.s, from.s, weight);
        break;
    case ARC_SHORTER:
        kind = HOP_KIND_DISTANCE; /* perhaps by rounding only */
        hop__fail(state->context, HOP_ERR_CERTIFICATE,
                  "sssp: certificate: the arc from %s to %s of weight %s makes the "
                  "path to the latter shorter",
                  from.s, to.s, weight);
        break;
    default:
        hop__fail(state->context, HOP_ERR_CERTIFICATE,
                  "sssp: certificate: the parent of vertex %s is %s, but it should be "
                  "%s, which %s",
                  to.s, hop__name(state->graph, state->parents[v]).s, from.s,
                  state->layers[u] + 1 < state->layers[v] ? "has fewer hops behind it"
                                                          : "is smaller");
        break;
    }
    return hop__note_arc(state->context, kind, v, arc);
}

uint64_t hop__certify_exact_memory(const hop__sssp_query *query) {
    uint64_t n = query->graph->vertices;
    return hop__certify_layers_memory(query) + hop__block_bytes(n, sizeof(double)) +
           hop__block_bytes(n, sizeof(hop_vertex)) + hop__block_bytes(n + 1, sizeof(hop_vertex)) +
           hop__block_bytes(n, query->exact.words * sizeof(uint64_t));
}

static bool base_is_root(const certificate *state, uint64_t v) {
    return is_root(state, v);
}

hop_status hop__certify_exact(certificate *state) {
    static const certify_passes passes = {.is_base = base_is_root};
    static const char what[] = "sssp: certificate: exact sums";
    uint64_t wrong, n = state->graph->vertices;
    hop_status status;
    HOP_TRY(status, hop__alloc(state->context, what, n, sizeof(double), &state->weights));
    HOP_TRY(status, hop__alloc(state->context, what, n, sizeof(hop_vertex), &state->queue));
    HOP_TRY(status, hop__alloc(state->context, what, n,
                               state->query->exact.words * sizeof(uint64_t), &state->sums));
    hop__for(state->context, n, CERTIFY_GRAIN, clear_weights, state);
    hop__for(state->context, n, ROW_GRAIN, parent_weights, state);
    if (!hop__progress_add(state->context, 0))
        goto done; /* cancelled: nothing can be said */
    if (find_wrong(state, n, missing_weights, &wrong))
        return explain_missing(state, wrong);
    HOP_TRY(status, hop__certify_layers(state, &passes));
    if (!hop__progress_add(state->context, 0))
        goto done;
    HOP_TRY(status, sum_layers(state));
    if (!hop__progress_add(state->context, 0))
        goto done;
    if (find_wrong(state, n, check_rounding, &wrong))
        return explain_rounding(state, wrong);
    if (find_wrong(state, state->graph->arcs, check_arcs, &wrong))
        return explain_arc(state, wrong);
done:
    return status;
}
