/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions to an index.
 *
 * Distances of integers: by the hierarchy alone; with landmarks by searches from both ends that
 * take turns, where a vertex over which nothing shorter can lead is not gone on from.
 *
 * Distances of floating-point numbers, and paths by landmarks: by A* (Hart, Nilsson and Raphael
 * 1968), from one end, adding weights in the order of the path as hop_sssp does. What is taken next
 * is the vertex of least key, its distance plus a lower bound of what is left. The bound is a
 * metric distance: exact, by the hierarchy, or by landmarks. The search goes on until all keys
 * are above the distance of the end. Then every vertex on every shortest path, in rounded sums, has
 * been gone on from with its distance, because its key is no greater; so the distance is that of
 * hop_sssp, and so are the tight arcs that canonical parents are chosen among.
 *
 * Vertices may come back, where rounding makes a key a little too large: one that comes nearer
 * after it was taken is queued again. When that happens as often as there are vertices the bounds
 * are left out, and the search is Dijkstra's. */
#include "index/index_search.h"

#include "core/progress.h"
#include "core/try.h"

enum { POLL = 1 << 10, FIRST_ROOM = 1 << 11, GROWTH = 4 };

/* ---- the asker ------------------------------------------------------------------------------- */

static uint32_t room_of(const hop_index *index, uint64_t wanted) {
    uint32_t room = 2;
    while (room < wanted && room < index->graph->vertices && room < UINT32_C(1) << 31)
        room *= 2;
    return room;
}

hop_status hop__asker_open(hop_context *context, const hop_index *index, hop__asker *asker) {
    hop_status status;
    *asker = (hop__asker){.context = context, .index = index};
    for (unsigned i = 0; i < HOP__ASKER_TABLES; i++)
        HOP_TRY(status, hop__labels_open(context, &asker->labels[i], room_of(index, FIRST_ROOM)));
    asker->walk_room = asker->labels[0].room;
    HOP_TRY(status, hop__alloc(context, "index: path", asker->walk_room, sizeof *asker->walk,
                               &asker->walk));
    HOP_TRY(status, hop__alloc(context, "index: climb", index->hierarchy.depth,
                               sizeof *asker->stack, &asker->stack));
done:
    return status;
}

void hop__asker_close(hop__asker *asker) {
    for (unsigned i = 0; i < HOP__ASKER_TABLES; i++)
        hop__labels_close(&asker->labels[i]);
    hop__free(asker->walk);
    hop__free(asker->stack);
    *asker = (hop__asker){0};
}

hop_status hop__asker_grow(hop__asker *asker) {
    hop_status status = HOP_OK;
    for (unsigned i = 0; i < HOP__ASKER_TABLES; i++) {
        hop__labels *labels = &asker->labels[i];
        if (labels->count == labels->room)
            HOP_TRY(status,
                    hop__labels_open(asker->context, labels,
                                     room_of(asker->index, (uint64_t)labels->room * GROWTH)));
    }
    if (asker->walk_count == asker->walk_room) {
        uint64_t room = room_of(asker->index, asker->walk_room * GROWTH);
        HOP_TRY(status, hop__resize(asker->context, "index: path", room, sizeof *asker->walk,
                                    &asker->walk));
        asker->walk_room = room;
    }
done:
    return status;
}

/* ---- A* -------------------------------------------------------------------------------------- */

/* What is left to the end, at least, in units of the metric. */
static hop__asked bound_of(hop__asker *asker, hop_vertex v, hop_vertex to, uint64_t *bound) {
    *bound = 0;
    if (asker->plain)
        return HOP__ASK_DONE;
    if (asker->index->kind == HOP_INDEX_CONTRACTION)
        return hop__cone_value(asker, v, true, bound);
    *bound = hop__landmarks_bound(asker->index, v, to);
    return HOP__ASK_DONE;
}

/* A distance plus a bound, as a code: rounded down in any case. */
static inline uint64_t key_of(const hop_index *index, uint64_t code, uint64_t bound) {
    if (!index->metric.real)
        return code + bound;
    double sum = hop__double_from(code) + (double)bound * (1 - 0x1p-50) * index->metric.unit;
    return hop__double_bits(sum * (1 - 0x1p-50));
}

/* A path to v of this length has been found. */
static inline hop__asked reach(hop__asker *asker, hop_vertex v, hop_vertex to, uint64_t code) {
    hop__label *label = hop__labels_get(&asker->labels[0], v);
    uint64_t bound;
    if (!label)
        return HOP__ASK_ROOM;
    if (code >= label->distance)
        return HOP__ASK_DONE;
    label->distance = code;
    hop__asked asked = bound_of(asker, v, to, &bound);
    if (asked != HOP__ASK_DONE || bound == HOP__FAR) /* from there the end is not reached */
        return asked;
    label->key = key_of(asker->index, code, bound);
    hop__labels_push(&asker->labels[0], label);
    return HOP__ASK_DONE;
}

static hop__asked expand(hop__asker *asker, hop_vertex u, hop_vertex to, uint64_t code) {
    const hop_graph *graph = asker->index->graph;
    const uint64_t end = hop__offset(graph, u + UINT64_C(1));
    hop__asked asked = HOP__ASK_DONE;
    for (uint64_t i = hop__offset(graph, u); i < end && asked == HOP__ASK_DONE; i++) {
        uint64_t sum = hop__code_add(graph, code, i);
        if (sum != HOP__FAR)
            asked = reach(asker, graph->targets[i], to, sum);
        if (++asker->steps % POLL == 0 && !hop__progress_add(asker->context, 0))
            return HOP__ASK_STOP;
    }
    return asked;
}

static hop__asked search_by_bounds(hop__asker *asker, hop_vertex from, hop_vertex to,
                                   uint64_t *found) {
    hop__labels *labels = &asker->labels[0];
    uint64_t taken = 0;
    hop__labels_clear(labels);
    hop__asked asked = reach(asker, from, to, 0);
    *found = from == to ? 0 : HOP__FAR;
    while (asked == HOP__ASK_DONE && labels->waiting > 0 && hop__labels_least(labels) <= *found) {
        const hop__label *label = hop__labels_pop(labels);
        hop_vertex u = label->vertex;
        if (!asker->plain && taken++ > 2 * (uint64_t)asker->index->graph->vertices)
            return HOP__ASK_ASTRAY;
        asked = expand(asker, u, to, label->distance);
        const hop__label *end = hop__labels_find(labels, to);
        *found = end ? end->distance : HOP__FAR;
    }
    return asked;
}

/* With bounds, and if they do not hold for what was found, without them. */
static hop__asked search_one_way(hop__asker *asker, hop_vertex from, hop_vertex to,
                                 uint64_t *found) {
    const hop__metric *metric = &asker->index->metric;
    hop__asked asked = HOP__ASK_DONE;
    asker->plain = false;
    if (asker->index->kind == HOP_INDEX_CONTRACTION)
        asked = hop__cone_begin(asker, to, true);
    if (asked == HOP__ASK_DONE)
        asked = search_by_bounds(asker, from, to, found);
    bool beyond = asked == HOP__ASK_DONE && metric->real && *found != HOP__FAR &&
                  hop__double_from(*found) > metric->reach;
    if (asked == HOP__ASK_ASTRAY || beyond) {
        asker->plain = true;
        asked = search_by_bounds(asker, from, to, found);
    }
    return asked;
}

/* ---- both ways, by landmarks ----------------------------------------------------------------- */

static hop__asked expand_side(hop__asker *asker, unsigned side, const hop__label *label,
                              const hop_vertex ends[2], uint64_t best) {
    const hop_graph *graph = side == 0 ? asker->index->graph : asker->index->reverse;
    const hop_vertex u = label->vertex;
    const uint64_t code = label->distance, stop = hop__offset(graph, u + UINT64_C(1));
    const uint64_t bound = side == 0 ? hop__landmarks_bound(asker->index, u, ends[1])
                                     : hop__landmarks_bound(asker->index, ends[0], u);
    if (bound >= best - code)
        return HOP__ASK_DONE;
    for (uint64_t i = hop__offset(graph, u); i < stop; i++) {
        hop__label *next = hop__labels_get(&asker->labels[side], graph->targets[i]);
        if (!next)
            return HOP__ASK_ROOM;
        uint64_t sum = hop__code_add(graph, code, i);
        if (sum < next->distance) {
            next->distance = next->key = sum;
            hop__labels_push(&asker->labels[side], next);
        }
        if (++asker->steps % POLL == 0 && !hop__progress_add(asker->context, 0))
            return HOP__ASK_STOP;
    }
    return HOP__ASK_DONE;
}

static hop__asked search_both_ways(hop__asker *asker, hop_vertex from, hop_vertex to,
                                   uint64_t *found) {
    hop__labels *labels = asker->labels;
    const hop_vertex ends[2] = {from, to};
    uint64_t best = from == to ? 0 : HOP__FAR;
    hop__asked asked = HOP__ASK_DONE;
    for (unsigned side = 0; side < 2; side++) {
        hop__labels_clear(&labels[side]);
        hop__label *label = hop__labels_get(&labels[side], ends[side]);
        label->distance = label->key = 0;
        hop__labels_push(&labels[side], label);
    }
    while (asked == HOP__ASK_DONE && labels[0].waiting > 0 && labels[1].waiting > 0 &&
           hop__labels_least(&labels[0]) + hop__labels_least(&labels[1]) < best) {
        unsigned side = labels[1].waiting < labels[0].waiting;
        const hop__label *label = hop__labels_pop(&labels[side]);
        const hop__label *other = hop__labels_find(&labels[1 - side], label->vertex);
        if (other && other->distance + label->distance < best)
            best = other->distance + label->distance;
        asked = expand_side(asker, side, label, ends, best);
    }
    *found = best;
    return asked;
}

/* ---- questions ------------------------------------------------------------------------------- */

hop__asked hop__ask_distance(hop__asker *asker, hop_vertex from, hop_vertex to, uint64_t *found) {
    if (asker->index->metric.real)
        return search_one_way(asker, from, to, found);
    if (asker->index->kind == HOP_INDEX_CONTRACTION)
        return hop__cone_between(asker, from, to, found);
    return search_both_ways(asker, from, to, found);
}

hop__asked hop__ask_path(hop__asker *asker, hop_vertex from, hop_vertex to, uint64_t *found) {
    hop__asked asked;
    asker->walk_count = 0;
    if (asker->index->kind == HOP_INDEX_CONTRACTION && !asker->index->metric.real) {
        asked = hop__cone_begin(asker, from, false);
        if (asked == HOP__ASK_DONE)
            asked = hop__cone_value(asker, to, false, found);
    } else {
        asked = search_one_way(asker, from, to, found);
    }
    return asked == HOP__ASK_DONE && *found != HOP__FAR ? hop__walk_back(asker, from, to) : asked;
}
