/* SPDX-License-Identifier: Apache-2.0
 *
 * The passes of sssp_certify.c for one DOMAIN (graph/numbers.h, certify/checked_sum.h). */
#include "graph/domain_begin.h"

#define CERTIFY(name) HOP__JOIN(DOMAIN, name)
#define LIMIT(state)  (DISTANCE) HOP__FIELD(state, limit, DOMAIN)

static inline bool CERTIFY(is_no_distance)(const certificate *state, DISTANCE distance) {
    return (distance < 0 && !state->query->negative) ||
           (NUMBER(is_real) && is_no_real(state, (double)distance));
}

static vertex_fault CERTIFY(vertex_of)(const certificate *state, uint64_t v) {
    const DISTANCE *d = state->distances;
    hop_vertex n = state->graph->vertices;
    hop_vertex parent = state->parents ? state->parents[v] : HOP_NO_VERTEX;
    bool source = hop__bitmap_get(state->sources, v);
    if (CERTIFY(is_no_distance)(state, d[v]))
        return NOT_A_DISTANCE;
    if (!NUMBER(is_reached)(d[v])) {
        if (source && LIMIT(state) >= 0)
            return SOURCE_DISTANCE;
        return parent != HOP_NO_VERTEX ? PARENT_EXTRA : VERTEX_SOUND;
    }
    if (d[v] > LIMIT(state))
        return BEYOND_LIMIT;
    if (source && d[v] > 0)
        return SOURCE_DISTANCE;
    if (!state->parents)
        return VERTEX_SOUND;
    if (source && d[v] == 0 && state->canonical && parent != v)
        return SOURCE_PARENT;
    if (parent >= n || !NUMBER(is_reached)(d[parent]))
        return PARENT_RANGE;
    return parent == v && !(source && d[v] == 0) ? PARENT_ITSELF : VERTEX_SOUND;
}

static void CERTIFY(vertices)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    certificate *state = arg;
    (void)thread;
    if (!hop__progress_add(state->context, end - begin))
        return;
    for (uint64_t v = begin; v < end; v++)
        if (CERTIFY(vertex_of)(state, v) != VERTEX_SOUND) {
            note_wrong(state, v);
            return;
        }
}

/* What a tight arc from u means for its target v. */
static inline arc_fault CERTIFY(tight)(const certificate *state, uint64_t u, hop_vertex v) {
    const DISTANCE *d = state->distances;
    bool nearer = d[u] < d[v] && !state->query->negative;
    if (!state->parents) {
        if (nearer)
            (void)hop__bitmap_claim(state->supported, v);
        else if (!state->query->negative && u != v)
            (void)hop__bitmap_claim(state->level, u);
        return ARC_SOUND;
    }
    hop_vertex parent = state->parents[v];
    if (parent == u)
        (void)hop__bitmap_claim(state->supported, v);
    if (!state->canonical || !nearer)
        return ARC_SOUND;
    if (!(d[parent] < d[v]))
        return ARC_NEARER;
    return u < parent ? ARC_SMALLER : ARC_SOUND;
}

/* Arc i of the block, from u. */
static inline arc_fault CERTIFY(arc)(const certificate *state, const hop__arc_block *block,
                                     uint64_t u, uint64_t i) {
    const DISTANCE *d = state->distances;
    hop_vertex v = block->targets[i];
    const NUMBER(checked) sum = NUMBER(check)(d[u], (const WEIGHT *)block->weights, i);
    if (!NUMBER(is_reached)(d[v]))
        return NUMBER(is_within)(sum, LIMIT(state)) ? ARC_LEADS_ON : ARC_SOUND;
    if (NUMBER(is_below)(sum, d[v]))
        return ARC_SHORTER;
    return NUMBER(is_equal)(sum, d[v]) ? CERTIFY(tight)(state, u, v) : ARC_SOUND;
}

/* Looks at the arcs of a block whose start is reached. */
static inline void CERTIFY(each_arc)(certificate *state, const hop__arc_block *block,
                                     arc_fault (*fault)(const certificate *, const hop__arc_block *,
                                                        uint64_t, uint64_t)) {
    const hop_graph *graph = state->graph;
    const DISTANCE *d = state->distances;
    if (!hop__progress_add(state->context, block->end - block->begin))
        return;
    for (hop__walk row = hop__walk_first(graph, block); row.begin < block->end;
         hop__walk_next(graph, block, &row))
        for (uint64_t i = row.begin; i < row.end && NUMBER(is_reached)(d[row.vertex]); i++)
            if (fault(state, block, row.vertex, i - block->begin) != ARC_SOUND) {
                note_wrong(state, i);
                return;
            }
}

/* No arc out of a vertex that is reached can make another nearer; tight ones support. */
static void CERTIFY(arcs)(void *arg, const hop__arc_block *block, unsigned thread) {
    (void)thread;
    CERTIFY(each_arc)(arg, block, CERTIFY(arc));
}

static bool CERTIFY(is_base)(const certificate *state, uint64_t v) {
    const DISTANCE *d = state->distances;
    hop_vertex parent = state->parents[v];
    return parent == v || (!state->query->negative && d[parent] < d[v]);
}

/* After the arcs: who is supported, and who can only be by layers. With parents, the bits of the
 * latter stay. The grain is a multiple of 64: no word is shared. */
static void CERTIFY(support)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    certificate *state = arg;
    uint64_t open = 0;
    const DISTANCE *d = state->distances;
    (void)thread;
    if (!hop__progress_add(state->context, end - begin))
        return;
    for (uint64_t v = begin; v < end; v++) {
        bool supported = hop__bitmap_get(state->supported, v);
        if (!NUMBER(is_reached)(d[v]))
            continue;
        if (!state->parents) {
            open += !supported && !(hop__bitmap_get(state->sources, v) && d[v] == 0);
        } else if (state->parents[v] != v && !supported) {
            note_wrong(state, v);
            return;
        } else if (CERTIFY(is_base)(state, v)) {
            state->supported[v / 64] &= ~(UINT64_C(1) << (v % 64));
        } else {
            open++;
        }
    }
    atomic_fetch_add_explicit(&state->open, open, memory_order_relaxed);
}

static inline arc_fault CERTIFY(layer_arc)(const certificate *state, const hop__arc_block *block,
                                           uint64_t u, uint64_t i) {
    const DISTANCE *d = state->distances;
    hop_vertex v = block->targets[i];
    if (!hop__bitmap_get(state->supported, v))
        return ARC_SOUND; /* layer 0, or not reached */
    const NUMBER(checked) sum = NUMBER(check)(d[u], (const WEIGHT *)block->weights, i);
    if (!NUMBER(is_equal)(sum, d[v]))
        return ARC_SOUND;
    if (state->layers[u] + 1 < state->layers[v])
        return ARC_LAYER;
    return state->layers[u] + 1 == state->layers[v] && u < state->parents[v] ? ARC_LAYER_PARENT
                                                                             : ARC_SOUND;
}

/* Layers along parents are hops over tight arcs, and parents the smallest. */
static void CERTIFY(layer_arcs)(void *arg, const hop__arc_block *block, unsigned thread) {
    (void)thread;
    CERTIFY(each_arc)(arg, block, CERTIFY(layer_arc));
}

/* Whether arc i of the block, from u, which is supported, supports a new vertex, v. (Between equal
 * distances, when no weight is negative: the others do already.) */
static inline bool CERTIFY(supports)(const certificate *state, const hop__arc_block *block,
                                     uint64_t u, uint64_t i, hop_vertex v) {
    const DISTANCE *d = state->distances;
    if (is_supported(state, v) || !NUMBER(is_reached)(d[v]) ||
        (d[v] == 0 && hop__bitmap_get(state->sources, v)))
        return false; /* a source of distance 0 needs no support */
    const NUMBER(checked) sum = NUMBER(check)(d[u], (const WEIGHT *)block->weights, i);
    return NUMBER(is_equal)(sum, d[v]) && hop__bitmap_claim(state->supported, v);
}

/* Without parents: vertices queue[begin .. end-1], which are supported, support the targets of
 * their tight arcs. */
static void CERTIFY(extend)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    certificate *state = arg;
    const hop_graph *graph = state->graph;
    const hop__arc_block all = {0, 0, graph->arcs, graph->targets, graph->weights};
    uint64_t arcs = 0;
    (void)thread;
    for (uint64_t at = state->head + begin; at < state->head + end; at++) {
        hop_vertex u = state->queue[at];
        uint64_t stop = hop__offset(graph, (uint64_t)u + 1);
        for (uint64_t i = hop__offset(graph, u); i < stop; i++) {
            if (++arcs % CERTIFY_POLL == 0 && !hop__progress_add(state->context, 0))
                return;
            if (CERTIFY(supports)(state, &all, u, i, graph->targets[i]))
                state->queue[atomic_fetch_add_explicit(&state->tail, 1, memory_order_relaxed)] =
                    graph->targets[i];
        }
    }
}

/* The same for a block of a graph on disk, in which all that is supported supports others. */
static void CERTIFY(extend_block)(void *arg, const hop__arc_block *block, unsigned thread) {
    certificate *state = arg;
    const DISTANCE *d = state->distances;
    uint64_t found = 0;
    (void)thread;
    for (hop__walk row = hop__walk_first(state->graph, block); row.begin < block->end;
         hop__walk_next(state->graph, block, &row)) {
        bool root = hop__bitmap_get(state->sources, row.vertex) && d[row.vertex] == 0;
        if (!hop__bitmap_get(state->level, row.vertex) || !NUMBER(is_reached)(d[row.vertex]) ||
            !(root || is_supported(state, row.vertex)))
            continue;
        for (uint64_t i = row.begin - block->begin; i < row.end - block->begin; i++)
            found += CERTIFY(supports)(state, block, row.vertex, i, block->targets[i]);
    }
    atomic_fetch_add_explicit(&state->tail, found, memory_order_relaxed);
}

static const certify_passes CERTIFY(passes) = {
    CERTIFY(vertices),   CERTIFY(support),      CERTIFY(extend),    CERTIFY(arcs),
    CERTIFY(layer_arcs), CERTIFY(extend_block), CERTIFY(vertex_of), CERTIFY(arc),
    CERTIFY(layer_arc),  CERTIFY(is_base)};

#undef CERTIFY
#undef LIMIT
#include "graph/domain_end.h"
