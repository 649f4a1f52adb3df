/* SPDX-License-Identifier: Apache-2.0
 *
 * The canonical path (docs/sssp.md), from its end: the parent of v is the smallest u that is nearer
 * and has a tight arc to v. Where there is none, v is as far as all those with tight arcs to it: it
 * has a layer, the number of steps over tight arcs between equal distances from a vertex that has
 * a nearer parent or is the source; its parent is the smallest u one layer before.
 *
 * A layer is found by a search from v over such arcs against their direction, in labels[3]: the
 * first vertex with layer 0 is as many steps away. Whoever is on a path of so many steps to one of
 * layer 0 is `mark`ed, from the far end, and the path goes over the smallest of those. */
#include "core/progress.h"
#include "index/index_search.h"

enum { POLL = 1 << 10 };

typedef enum walk_step { STEP_NEARER, STEP_LEVEL, STEP_END } walk_step;

static hop__asked distance_of(hop__asker *asker, hop_vertex v, uint64_t *code) {
    if (asker->index->kind == HOP_INDEX_CONTRACTION && !asker->index->metric.real)
        return hop__cone_value(asker, v, false, code);
    const hop__label *label = hop__labels_find(&asker->labels[0], v);
    *code = label ? label->distance : HOP__FAR;
    return HOP__ASK_DONE;
}

/* The first u with a tight arc to v that is nearer; STEP_LEVEL: there is none. */
static hop__asked nearer_parent(hop__asker *asker, hop_vertex from, hop_vertex v, uint64_t code,
                                hop_vertex *parent, walk_step *step) {
    const hop_graph *reverse = asker->index->reverse;
    uint64_t end = hop__offset(reverse, v + UINT64_C(1));
    *step = v == from ? STEP_END : STEP_LEVEL;
    for (uint64_t i = hop__offset(reverse, v); i < end && *step == STEP_LEVEL; i++) {
        uint64_t own;
        hop__asked asked = distance_of(asker, reverse->targets[i], &own);
        if (asked != HOP__ASK_DONE)
            return asked;
        if (own < code && hop__code_add(reverse, own, i) == code) {
            *parent = reverse->targets[i];
            *step = STEP_NEARER;
        }
        if (++asker->steps % POLL == 0 && !hop__progress_add(asker->context, 0))
            return HOP__ASK_STOP;
    }
    return HOP__ASK_DONE;
}

/* Labels, one step farther, of those with tight arcs to a vertex that are as far. */
static hop__asked spread(hop__asker *asker, const hop__label *label, uint64_t code) {
    const hop_graph *reverse = asker->index->reverse;
    const hop_vertex v = label->vertex;
    const uint64_t steps = label->distance + 1, end = hop__offset(reverse, v + UINT64_C(1));
    for (uint64_t i = hop__offset(reverse, v); i < end; i++) {
        uint64_t own;
        hop__asked asked = distance_of(asker, reverse->targets[i], &own);
        if (asked != HOP__ASK_DONE)
            return asked;
        if (own != code || hop__code_add(reverse, own, i) != code)
            continue;
        hop__label *next = hop__labels_get(&asker->labels[3], reverse->targets[i]);
        if (!next)
            return HOP__ASK_ROOM;
        next->distance = next->distance == HOP__FAR ? steps : next->distance;
    }
    return HOP__ASK_DONE;
}

/* The first marked vertex one step farther with a tight arc, or HOP_NO_VERTEX. */
static hop_vertex marked_before(const hop__asker *asker, const hop__label *label, uint64_t code) {
    const hop_graph *reverse = asker->index->reverse;
    const uint64_t end = hop__offset(reverse, label->vertex + UINT64_C(1));
    for (uint64_t i = hop__offset(reverse, label->vertex); i < end; i++) {
        const hop__label *next = hop__labels_find(&asker->labels[3], reverse->targets[i]);
        if (next && next->mark && next->distance == label->distance + 1 &&
            hop__code_add(reverse, code, i) == code)
            return reverse->targets[i];
    }
    return HOP_NO_VERTEX;
}

static bool take(hop__asker *asker, hop_vertex v) {
    if (asker->walk_count == asker->walk_room)
        return false;
    asker->walk[asker->walk_count++] = v;
    return true;
}

/* Looks for layer 0 from v, and marks. */
static hop__asked find_layers(hop__asker *asker, hop_vertex from, hop_vertex v, uint64_t code) {
    hop__labels *labels = &asker->labels[3];
    uint64_t layer = HOP__FAR;
    hop__asked asked = HOP__ASK_DONE;
    hop__labels_clear(labels);
    hop__labels_get(labels, v)->distance = 0;
    for (uint32_t i = 0; i < labels->count && labels->items[i].distance <= layer; i++) {
        hop_vertex parent;
        walk_step step;
        asked = nearer_parent(asker, from, labels->items[i].vertex, code, &parent, &step);
        if (asked == HOP__ASK_DONE && step != STEP_LEVEL) {
            labels->items[i].mark = 1;
            layer = labels->items[i].distance;
        } else if (asked == HOP__ASK_DONE && layer == HOP__FAR) {
            asked = spread(asker, &labels->items[i], code);
        }
        if (asked != HOP__ASK_DONE)
            return asked;
    }
    for (uint32_t i = labels->count; i-- > 0;)
        if (labels->items[i].distance < layer &&
            marked_before(asker, &labels->items[i], code) != HOP_NO_VERTEX)
            labels->items[i].mark = 1;
    return asked;
}

/* From v, which has no nearer parent, to the first vertex of layer 0, which is *v in the end. */
static hop__asked walk_level(hop__asker *asker, hop_vertex from, hop_vertex *v, uint64_t code) {
    hop__asked asked = find_layers(asker, from, *v, code);
    if (asked == HOP__ASK_DONE && !hop__labels_find(&asker->labels[3], *v)->mark)
        return HOP__ASK_WRONG;
    while (asked == HOP__ASK_DONE) {
        hop_vertex next = marked_before(asker, hop__labels_find(&asker->labels[3], *v), code);
        if (next == HOP_NO_VERTEX)
            break;
        *v = next;
        if (!take(asker, next))
            asked = HOP__ASK_ROOM;
    }
    return asked;
}

hop__asked hop__walk_back(hop__asker *asker, hop_vertex from, hop_vertex to) {
    hop_vertex v = to;
    uint64_t code;
    walk_step step = STEP_NEARER;
    asker->walk_count = 0;
    if (!take(asker, to))
        return HOP__ASK_ROOM;
    while (step != STEP_END) {
        hop_vertex parent;
        hop__asked asked = distance_of(asker, v, &code);
        if (asked == HOP__ASK_DONE)
            asked = nearer_parent(asker, from, v, code, &parent, &step);
        if (asked == HOP__ASK_DONE && step == STEP_LEVEL)
            asked = walk_level(asker, from, &v, code);
        else if (asked == HOP__ASK_DONE && step == STEP_NEARER) {
            v = parent;
            asked = take(asker, v) ? asked : HOP__ASK_ROOM;
        }
        if (asked != HOP__ASK_DONE)
            return asked;
    }
    return HOP__ASK_DONE;
}
