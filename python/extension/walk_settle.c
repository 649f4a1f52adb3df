/* SPDX-License-Identifier: Apache-2.0
 *
 * The order in which NetworkX's Dijkstra algorithm, with its heap of (distance, time of the push),
 * settles vertices, from distances that are known. A vertex is pushed with its distance by the
 * first settled vertex that has a tight arc to it (d[u] + w = d[v]). So: vertices are sorted by
 * distance; those of equal distance share a range of the order, which fills up in the order of the
 * pushes, zero-weight arcs inside the range included. No heap: O(n + m), and the sort.
 *
 * Where no two distances are equal, as with most weights that are measured, the sort is the order;
 * a pass over the arcs is needed only where the parents are wanted, and it is a plain one. */
#include "walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Vertices with their distances as keys that sort as unsigned integers: distances are not
 * negative, and the bits of such doubles are in order. */
typedef struct keyed {
    uint64_t key;
    uint32_t vertex;
} keyed;

enum { DIGIT = 11, DIGITS = 6, BUCKETS = 1 << DIGIT };
enum { UNEVEN = 8 }; /* moves per item that a sort by insertion may take */

static inline double key_value(uint64_t key, bool real) {
    double value;
    if (!real)
        return (double)key;
    memcpy(&value, &key, sizeof(value));
    return value;
}

/* Sorts, least digit first, between the two halves of `items`; digits that are the same everywhere
 * are left out. Returns the half that has the result. */
static keyed *radix_sort(keyed *items, size_t count, size_t (*histogram)[BUCKETS]) {
    keyed *from = items, *to = items + count;
    memset(histogram, 0, DIGITS * sizeof(*histogram));
    for (size_t i = 0; i < count; i++)
        for (int d = 0; d < DIGITS; d++)
            histogram[d][(items[i].key >> (d * DIGIT)) & (BUCKETS - 1)]++;
    for (int d = 0; d < DIGITS; d++) {
        size_t *slots = histogram[d], sum = 0;
        if (count == 0 || slots[(items[0].key >> (d * DIGIT)) & (BUCKETS - 1)] == count)
            continue;
        for (size_t b = 0; b < BUCKETS; b++) {
            size_t here = slots[b];
            slots[b] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++)
            to[slots[(from[i].key >> (d * DIGIT)) & (BUCKETS - 1)]++] = from[i];
        keyed *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* Sorts by a bucket per item, as wide as the distances are on the average, and by insertion in the
 * buckets; where they are too uneven for that, by digits. Returns the half that has the result.
 * `ends` has room for one count per item and one more. */
static keyed *spread_sort(keyed *items, size_t count, bool real, uint32_t *ends,
                          size_t (*histogram)[BUCKETS]) {
    keyed *sorted = items + count;
    uint64_t low = UINT64_MAX, high = 0;
    size_t moves = 0;
    for (size_t i = 0; i < count; i++) {
        low = items[i].key < low ? items[i].key : low;
        high = items[i].key > high ? items[i].key : high;
    }
    if (count < 2 || low == high)
        return items;
    double first = key_value(low, real),
           scale = (double)(count - 1) / (key_value(high, real) - first);
    if (!isfinite(scale))
        return radix_sort(items, count, histogram);
    memset(ends, 0, (count + 1) * sizeof(*ends));
    for (size_t i = 0; i < count; i++)
        ends[(size_t)((key_value(items[i].key, real) - first) * scale) + 1]++;
    for (size_t b = 1; b < count; b++)
        ends[b + 1] += ends[b];
    for (size_t i = 0; i < count; i++)
        sorted[ends[(size_t)((key_value(items[i].key, real) - first) * scale)]++] = items[i];
    for (size_t i = 1; i < count; i++) {
        keyed moving = sorted[i];
        size_t at = i;
        for (; at > 0 && sorted[at - 1].key > moving.key; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = moving;
        moves += i - at;
        if (moves > UNEVEN * count)
            return radix_sort(items, count, histogram);
    }
    return sorted;
}

typedef struct settling {
    rows graph;
    array distances, sources, order, parents;
    array kinds, whole; /* see whole_sum */
    keyed *items;       /* 2 n */
    uint32_t *slots;    /* of a vertex that is reached and not pushed: where its range begins */
    uint32_t *fill;     /* of the beginning of a range: the next free place */
    size_t (*histogram)[BUCKETS];
    size_t count;
} settling;

static bool reached(const settling *s, size_t v, uint64_t *key) {
    memcpy(key, (const char *)s->distances.data + v * sizeof(*key), sizeof(*key));
    return s->graph.real ? isfinite(((const double *)s->distances.data)[v]) : *key != INT64_MAX;
}

/* The parents of the heads of u's arcs, where all distances differ: the first in the order that has
 * a tight arc. Without a branch, which would be foreseen badly; sums are compared by their bits,
 * since neither is negative. `costs` NULL: each arc counts 1. */
static inline void parent_of_heads(const settling *s, uint32_t u, const number *costs, bool real) {
    const int64_t *offsets = row_offsets(&s->graph);
    const uint32_t *targets = row_targets(&s->graph);
    const number *distances = s->distances.data, here = distances[u];
    uint32_t *parents = s->parents.data;
    for (int64_t arc = offsets[u], end = offsets[u + 1]; arc < end; arc++) {
        uint32_t v = targets[arc], before = parents[v];
        number there = number_sum(here, costs == NULL ? (number){.whole = 1} : costs[arc], real);
        uint32_t first = (there.whole == distances[v].whole) & (v != u) & (before == NONE);
        parents[v] = before ^ ((before ^ u) & (0 - first)); /* first ? u : before */
    }
}

static void settle_parents(const settling *s) {
    const uint32_t *order = s->order.data;
    const number *costs = s->graph.weights.data;
    uint32_t *parents = s->parents.data;
    for (size_t v = 0; v < s->graph.n; v++)
        parents[v] = NONE;
    for (size_t i = 0; s->graph.real && i < s->count; i++)
        parent_of_heads(s, order[i], costs, true);
    for (size_t i = 0; !s->graph.real && i < s->count; i++)
        parent_of_heads(s, order[i], costs, false);
}

/* Sorts what is reached into ranges. True: this is the order already, since all distances differ,
 * and it need not be known what sums are made of. */
static bool settle_ranges(settling *s) {
    uint64_t key;
    uint32_t start = 0, *order = s->order.data;
    bool equal = false;
    s->count = 0;
    for (size_t v = 0; v < s->graph.n; v++) {
        s->slots[v] = NONE;
        if (reached(s, v, &key))
            s->items[s->count++] = (keyed){key, (uint32_t)v};
    }
    const keyed *sorted = spread_sort(s->items, s->count, s->graph.real, s->fill, s->histogram);
    for (size_t i = 0; i < s->count; i++) {
        order[i] = sorted[i].vertex;
        equal |= i > 0 && sorted[i].key == sorted[i - 1].key;
    }
    if (!equal && s->kinds.data == NULL)
        return true;
    for (size_t i = 0; i < s->count; i++) {
        if (i == 0 || sorted[i].key != sorted[i - 1].key)
            start = s->fill[i] = (uint32_t)i;
        s->slots[sorted[i].vertex] = start;
    }
    return false;
}

static void settle_push(settling *s, uint32_t v, uint32_t from, int64_t arc) {
    uint32_t *order = s->order.data, *parents = s->parents.data;
    order[s->fill[s->slots[v]]++] = v;
    s->slots[v] = NONE;
    if (parents != NULL)
        parents[v] = from;
    whole_sum(&s->kinds, &s->whole, v, from, arc);
}

/* False: the distances are not those of this graph. */
static bool settle(settling *s) {
    const int64_t *offsets = row_offsets(&s->graph);
    const uint32_t *targets = row_targets(&s->graph), *sources = s->sources.data;
    const uint32_t *order = s->order.data;
    const bool real = s->graph.real;
    if (settle_ranges(s)) {
        if (s->whole.data != NULL && s->count > 0) {
            memset(s->whole.data, 0, s->graph.n);
            ((uint8_t *)s->whole.data)[order[0]] = 1; /* the source */
        }
        if (s->parents.data != NULL)
            settle_parents(s);
        return true;
    }
    memset(s->order.data, 0xff, s->count * sizeof(uint32_t));
    for (size_t i = 0; i < s->sources.count; i++)
        if (s->slots[sources[i]] != NONE)
            settle_push(s, sources[i], NONE, -1);
    for (size_t i = 0; i < s->count; i++) {
        uint32_t u = order[i];
        if (u == NONE)
            return false;
        number here = number_at(s->distances.data, u, real);
        for (int64_t arc = offsets[u]; arc < offsets[u + 1]; arc++) {
            uint32_t v = targets[arc];
            if (s->slots[v] != NONE &&
                number_equal(number_sum(here, weight_at(&s->graph, (size_t)arc), real),
                             number_at(s->distances.data, v, real), real))
                settle_push(s, v, u, arc);
        }
    }
    return true;
}

static void settle_release(settling *s) {
    free(s->items);
    free(s->slots);
    free(s->fill);
    free(s->histogram);
    array_release(&s->distances);
    array_release(&s->sources);
    array_release(&s->order);
    array_release(&s->parents);
    array_release(&s->kinds);
    array_release(&s->whole);
    rows_release(&s->graph);
}

PyObject *walk_settle(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *o[9], *result = NULL;
    settling s = {.count = 0};
    if (!PyArg_ParseTuple(arguments, "OOOOOOOOO", &o[0], &o[1], &o[2], &o[3], &o[4], &o[5], &o[6],
                          &o[7], &o[8]) ||
        !rows_hold(&s.graph, o[0], o[1], o[2]))
        return NULL;
    size_t n = s.graph.n;
    s.items = malloc((2 * n + 1) * sizeof(*s.items));
    s.slots = malloc((n + 1) * sizeof(*s.slots));
    s.fill = malloc((n + 1) * sizeof(*s.fill));
    s.histogram = malloc(DIGITS * sizeof(*s.histogram));
    if (s.items == NULL || s.slots == NULL || s.fill == NULL || s.histogram == NULL) {
        PyErr_NoMemory();
    } else if (array_hold(&s.distances, o[3], sizeof(int64_t), n, READ) &&
               array_hold(&s.sources, o[4], sizeof(uint32_t), 0, READ) &&
               array_hold(&s.order, o[5], sizeof(uint32_t), n, WRITE) &&
               array_hold(&s.parents, o[6], sizeof(uint32_t), o[6] == Py_None ? 0 : n, WRITE) &&
               array_hold(&s.kinds, o[7], 1, o[7] == Py_None ? 0 : s.graph.targets.count, READ) &&
               array_hold(&s.whole, o[8], 1, o[8] == Py_None ? 0 : n, WRITE)) {
        bool good;
        Py_BEGIN_ALLOW_THREADS good = settle(&s);
        Py_END_ALLOW_THREADS if (good) result = PyLong_FromSize_t(s.count);
        else PyErr_SetString(PyExc_RuntimeError, "the distances are not those of this graph");
    }
    settle_release(&s);
    return result;
}
