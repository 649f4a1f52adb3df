/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders of NetworkX, which looks at neighbours in the order in which edges were added.
 *
 * search: breadth-first search in that order, level after level.
 * meet: NetworkX's bidirectional search, step by step, so that of several shortest paths it finds
 *   the same.
 * settle: the order in which Dijkstra's algorithm with a heap of (distance, time of the push)
 *   settles vertices, from distances that are known. A vertex is pushed with its distance by the
 *   first settled vertex that has a tight arc to it (d[u] + w = d[v]). So: vertices are sorted by
 *   distance; those of equal distance share a range of the order, which fills up in the order of
 *   the pushes, zero-weight arcs inside the range included. No heap: O(n + m), and the sort. */
#include "walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct search_arrays {
    array sources, order, starts, parents;
} search_arrays;

/* Writes order and starts[0 .. levels]; the number of levels. */
static size_t search(const rows *graph, search_arrays *out, uint8_t *seen, uint32_t limit) {
    const int64_t *offsets = row_offsets(graph);
    const uint32_t *targets = row_targets(graph), *sources = out->sources.data;
    uint32_t *order = out->order.data, *starts = out->starts.data, *parents = out->parents.data;
    size_t filled = 0, levels = 0, first = 0;
    for (size_t i = 0; i < out->sources.count; i++) {
        if (!seen[sources[i]]) {
            seen[sources[i]] = 1;
            order[filled++] = sources[i];
        }
    }
    starts[0] = 0;
    while (first < filled) {
        size_t last = filled;
        starts[++levels] = (uint32_t)last;
        if (levels > limit)
            break;
        for (size_t i = first; i < last; i++) {
            uint32_t u = order[i];
            for (int64_t arc = offsets[u]; arc < offsets[u + 1]; arc++) {
                uint32_t v = targets[arc];
                if (seen[v])
                    continue;
                seen[v] = 1;
                order[filled++] = v;
                if (parents != NULL)
                    parents[v] = u;
            }
        }
        first = last;
    }
    return levels;
}

PyObject *walk_search(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *o[6], *result = NULL;
    unsigned int limit;
    rows graph;
    search_arrays out = {.order = {.data = NULL}};
    if (!PyArg_ParseTuple(arguments, "OOOIOOO", &o[0], &o[1], &o[2], &limit, &o[3], &o[4], &o[5]) ||
        !rows_hold(&graph, o[0], o[1], Py_None))
        return NULL;
    uint8_t *seen = calloc(graph.n + 1, 1);
    if (seen == NULL) {
        PyErr_NoMemory();
    } else if (array_hold(&out.sources, o[2], sizeof(uint32_t), 0, READ) &&
               array_hold(&out.order, o[3], sizeof(uint32_t), graph.n, WRITE) &&
               array_hold(&out.starts, o[4], sizeof(uint32_t), graph.n + 1, WRITE) &&
               array_hold(&out.parents, o[5], sizeof(uint32_t), o[5] == Py_None ? 0 : graph.n,
                          WRITE)) {
        size_t levels;
        if (out.parents.data != NULL)
            memset(out.parents.data, 0xff, graph.n * sizeof(uint32_t));
        Py_BEGIN_ALLOW_THREADS levels = search(&graph, &out, seen, limit);
        Py_END_ALLOW_THREADS result = PyLong_FromSize_t(levels);
    }
    free(seen);
    array_release(&out.sources);
    array_release(&out.order);
    array_release(&out.starts);
    array_release(&out.parents);
    rows_release(&graph);
    return result;
}

/* One side of a bidirectional search. `from` has the vertex that each was reached from, NONE where
 * it was not; an end is reached from itself. */
typedef struct side {
    const rows *graph;
    uint32_t *from, *queue;
    size_t first, last;
} side;

/* One level; the vertex where both sides meet, or NONE. */
static uint32_t side_advance(side *here, const side *there) {
    const int64_t *offsets = row_offsets(here->graph);
    const uint32_t *targets = row_targets(here->graph);
    size_t last = here->last;
    for (; here->first < last; here->first++) {
        uint32_t v = here->queue[here->first];
        for (int64_t arc = offsets[v]; arc < offsets[v + 1]; arc++) {
            uint32_t w = targets[arc];
            if (here->from[w] == NONE) {
                here->from[w] = v;
                here->queue[here->last++] = w;
            }
            if (there->from[w] != NONE)
                return w;
        }
    }
    return NONE;
}

static uint32_t meet(side *forward, side *backward) {
    uint32_t met = NONE;
    while (met == NONE && forward->first < forward->last && backward->first < backward->last) {
        if (forward->last - forward->first <= backward->last - backward->first)
            met = side_advance(forward, backward);
        else
            met = side_advance(backward, forward);
    }
    return met;
}

static PyObject *meeting_path(const side *forward, const side *backward, uint32_t met) {
    PyObject *path = PyList_New(0);
    bool good = path != NULL;
    for (uint32_t v = met; good; v = forward->from[v]) {
        PyObject *id = PyLong_FromUnsignedLong(v);
        good = id != NULL && PyList_Append(path, id) == 0;
        Py_XDECREF(id);
        if (forward->from[v] == v)
            break;
    }
    good = good && PyList_Reverse(path) == 0;
    for (uint32_t v = met; good && backward->from[v] != v;) {
        v = backward->from[v];
        PyObject *id = PyLong_FromUnsignedLong(v);
        good = id != NULL && PyList_Append(path, id) == 0;
        Py_XDECREF(id);
    }
    if (!good)
        Py_CLEAR(path);
    return path;
}

PyObject *walk_meet(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *o[4], *result = NULL;
    unsigned int source, target;
    rows graph = {.n = 0}, back = {.n = 0};
    if (!PyArg_ParseTuple(arguments, "OOOOII", &o[0], &o[1], &o[2], &o[3], &source, &target))
        return NULL;
    uint32_t *memory = NULL;
    if (!rows_hold(&graph, o[0], o[1], Py_None) || !rows_hold(&back, o[2], o[3], Py_None))
        goto done;
    memory = malloc((4 * graph.n + 1) * sizeof(uint32_t));
    if (memory == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    if (source >= graph.n || target >= graph.n || back.n != graph.n) {
        PyErr_SetString(PyExc_ValueError, "not a vertex");
        goto done;
    }
    side forward = {&graph, memory, memory + 2 * graph.n, 0, 1};
    side backward = {&back, memory + graph.n, memory + 3 * graph.n, 0, 1};
    memset(memory, 0xff, 2 * graph.n * sizeof(uint32_t));
    forward.from[source] = forward.queue[0] = source;
    backward.from[target] = backward.queue[0] = target;
    uint32_t met = source == target ? source : meet(&forward, &backward);
    result = met == NONE ? Py_NewRef(Py_None) : meeting_path(&forward, &backward, met);
done:
    free(memory);
    rows_release(&graph);
    rows_release(&back);
    return result;
}

/* Vertices with their distances as keys that sort as unsigned integers: distances are not
 * negative, and the bits of such doubles are in order. */
typedef struct keyed {
    uint64_t key;
    uint32_t vertex;
} keyed;

enum { DIGIT = 11, DIGITS = 6, BUCKETS = 1 << DIGIT };

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

static void settle_ranges(settling *s) {
    uint64_t key;
    uint32_t start = 0;
    s->count = 0;
    for (size_t v = 0; v < s->graph.n; v++) {
        s->slots[v] = NONE;
        if (reached(s, v, &key))
            s->items[s->count++] = (keyed){key, (uint32_t)v};
    }
    const keyed *sorted = radix_sort(s->items, s->count, s->histogram);
    for (size_t i = 0; i < s->count; i++) {
        if (i == 0 || sorted[i].key != sorted[i - 1].key)
            start = s->fill[i] = (uint32_t)i;
        s->slots[sorted[i].vertex] = start;
    }
}

static void settle_push(settling *s, uint32_t v, uint32_t from, int64_t arc) {
    uint32_t *order = s->order.data, *parents = s->parents.data;
    order[s->fill[s->slots[v]]++] = v;
    s->slots[v] = NONE;
    parents[v] = from;
    whole_sum(&s->kinds, &s->whole, v, from, arc);
}

/* False: the distances are not those of this graph. */
static bool settle(settling *s) {
    const int64_t *offsets = row_offsets(&s->graph);
    const uint32_t *targets = row_targets(&s->graph), *sources = s->sources.data;
    const uint32_t *order = s->order.data;
    const bool real = s->graph.real;
    settle_ranges(s);
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
               array_hold(&s.parents, o[6], sizeof(uint32_t), n, WRITE) &&
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
