/* SPDX-License-Identifier: Apache-2.0
 *
 * Distances by a contraction hierarchy. From each vertex searches go up only; what they see is its
 * cone. A shortest path goes up from one end and down to the other, so it has a vertex in both
 * cones.
 *
 * between: two searches upward take turns, the nearer one first, until neither can find anything
 * shorter. A vertex that a way down from above reaches sooner is on no shortest path upward, and
 * is not gone on from ("stall on demand", Geisberger et al. 2008).
 *
 * one to many: the cone of one end is searched once; the distance of any other vertex is that of
 * its label there, or by way of one of its neighbours above, whichever is least. Those are found
 * the same way and kept, so that vertices that are near each other, such as those of a path, cost
 * little (Strasser and Zeitz, "A Fast and Tight Heuristic for A* in Road Networks", 2021). */
#include "core/progress.h"
#include "index/index_search.h"

enum { POLL = 1 << 10 };

/* The rows of the hierarchy, as a search reads them. */
typedef struct cone_view {
    const uint64_t *offsets;
    const uint32_t *words;
    unsigned stride, weight_words;
    unsigned at[2]; /* where the weight is that leads up, and down, in the search's direction */
} cone_view;

static cone_view view_of(const hop_index *index, bool backward) {
    const hop__hierarchy *h = &index->hierarchy;
    unsigned back = 1 + (index->graph->directed ? h->weight_words : 0);
    return (cone_view){h->offsets,
                       h->words,
                       hop__arc_words(index),
                       h->weight_words,
                       {backward ? back : 1, backward ? 1 : back}};
}

static inline uint64_t weight_of(const cone_view *view, const uint32_t *arc, unsigned down) {
    const uint32_t *words = arc + view->at[down];
    if (view->weight_words == 1)
        return words[0] == UINT32_MAX ? HOP__FAR : words[0];
    return words[0] | (uint64_t)words[1] << 32;
}

/* Whether a distance plus a weight is less than another distance. In a file that was forged sums
 * may be beyond 64 bits, and by sums that wrap round a search could come back without end. */
static inline bool is_less(uint64_t distance, uint64_t weight, uint64_t other) {
    return distance < other && weight < other - distance;
}

static void start(hop__labels *labels, hop_vertex place) {
    hop__labels_clear(labels);
    hop__label *label = hop__labels_get(labels, place);
    label->distance = label->key = 0;
    hop__labels_push(labels, label);
}

/* Whether a way down from above is shorter. */
static inline bool is_stalled(const cone_view *view, const hop__labels *labels,
                              const hop__label *label) {
    for (uint64_t i = view->offsets[label->vertex]; i < view->offsets[label->vertex + UINT64_C(1)];
         i++) {
        const uint32_t *arc = view->words + i * view->stride;
        const hop__label *above = hop__labels_find(labels, arc[0]);
        if (above && is_less(above->distance, weight_of(view, arc, 1), label->distance))
            return true;
    }
    return false;
}

/* Goes on from a label, upward; false: no room. */
static inline bool climb(const cone_view *view, hop__labels *labels, const hop__label *from) {
    const uint64_t distance = from->distance, end = view->offsets[from->vertex + UINT64_C(1)];
    for (uint64_t i = view->offsets[from->vertex]; i < end; i++) {
        const uint32_t *arc = view->words + i * view->stride;
        uint64_t weight = weight_of(view, arc, 0);
        if (weight == HOP__FAR)
            continue;
        hop__label *label = hop__labels_get(labels, arc[0]);
        if (!label)
            return false;
        if (is_less(distance, weight, label->distance)) {
            label->distance = label->key = distance + weight;
            hop__labels_push(labels, label);
        }
    }
    return true;
}

hop__asked hop__cone_between(hop__asker *asker, hop_vertex from, hop_vertex to, uint64_t *found) {
    const hop_index *index = asker->index;
    const cone_view views[2] = {view_of(index, false), view_of(index, true)};
    hop__labels *labels = asker->labels;
    uint64_t best = HOP__FAR;
    start(&labels[0], index->hierarchy.places[from]);
    start(&labels[1], index->hierarchy.places[to]);
    for (;;) {
        uint64_t least[2] = {hop__labels_least(&labels[0]), hop__labels_least(&labels[1])};
        unsigned side = least[1] < least[0];
        if (least[side] >= best)
            break; /* both are FAR in the end */
        const hop__label *label = hop__labels_pop(&labels[side]);
        const hop__label *other = hop__labels_find(&labels[1 - side], label->vertex);
        if (other && is_less(other->distance, label->distance, best))
            best = other->distance + label->distance;
        if (++asker->steps % POLL == 0 && !hop__progress_add(asker->context, 0))
            return HOP__ASK_STOP;
        if (!is_stalled(&views[side], &labels[side], label) &&
            !climb(&views[side], &labels[side], label))
            return HOP__ASK_ROOM;
    }
    *found = best;
    return HOP__ASK_DONE;
}

hop__asked hop__cone_begin(hop__asker *asker, hop_vertex end, bool backward) {
    const cone_view view = view_of(asker->index, backward);
    hop__labels *labels = &asker->labels[1];
    start(labels, asker->index->hierarchy.places[end]);
    hop__labels_clear(&asker->labels[2]);
    while (labels->waiting > 0) {
        const hop__label *label = hop__labels_pop(labels);
        if (++asker->steps % POLL == 0 && !hop__progress_add(asker->context, 0))
            return HOP__ASK_STOP;
        if (!is_stalled(&view, labels, label) && !climb(&view, labels, label))
            return HOP__ASK_ROOM;
    }
    return HOP__ASK_DONE;
}

/* The distance of a place in the cone, or FAR. */
static uint64_t in_cone(const hop__asker *asker, hop_vertex place) {
    const hop__label *label = hop__labels_find(&asker->labels[1], place);
    return label ? label->distance : HOP__FAR;
}

/* Goes on with the last of the stack, until another place has to be known first, or it is known. */
static bool resume(hop__asker *asker, const cone_view *view, uint32_t *height, bool *room) {
    hop__climb *top = &asker->stack[*height - 1];
    hop__labels *known = &asker->labels[2];
    const uint64_t end = view->offsets[top->place + UINT64_C(1)];
    for (; top->arc < end; top->arc++) {
        const uint32_t *arc = view->words + top->arc * view->stride;
        uint64_t weight = weight_of(view, arc, 1);
        if (weight == HOP__FAR)
            continue;
        const hop__label *above = hop__labels_find(known, arc[0]);
        if (!above) {
            asker->stack[(*height)++] =
                (hop__climb){arc[0], view->offsets[arc[0]], in_cone(asker, arc[0])};
            return false;
        }
        if (is_less(above->distance, weight, top->least))
            top->least = above->distance + weight;
    }
    hop__label *label = hop__labels_get(known, top->place);
    *room = label != NULL;
    if (label)
        label->distance = top->least;
    --*height;
    return true;
}

hop__asked hop__cone_value(hop__asker *asker, hop_vertex vertex, bool backward, uint64_t *value) {
    const cone_view view = view_of(asker->index, backward);
    const hop_vertex place = asker->index->hierarchy.places[vertex];
    const hop__label *known = hop__labels_find(&asker->labels[2], place);
    uint32_t height = 1;
    bool room = true;
    if (!known) {
        asker->stack[0] = (hop__climb){place, view.offsets[place], in_cone(asker, place)};
        while (height > 0 && room) {
            if (resume(asker, &view, &height, &room) && ++asker->steps % POLL == 0 &&
                !hop__progress_add(asker->context, 0))
                return HOP__ASK_STOP;
        }
        if (!room)
            return HOP__ASK_ROOM;
        known = hop__labels_find(&asker->labels[2], place);
    }
    *value = known->distance;
    return HOP__ASK_DONE;
}
