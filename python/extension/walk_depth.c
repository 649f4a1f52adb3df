/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders of graphs with directions, as NetworkX has them.
 *
 * deep: depth-first search that looks at neighbours in NetworkX's order.
 * peel: topological order, generation by generation: a vertex follows when the last arc into it has
 *   been looked at.
 * longest: the longest path that ends at each vertex, along a topological order. */
#include "walk.h"

#include <stdlib.h>

typedef struct deep_state {
    const rows *graph;
    uint32_t *order, *parents, *post; /* parents: NONE for roots; post may be NULL */
    int64_t *next;                    /* the arc to look at, of vertices on the stack; by vertex */
    uint8_t *seen;
    size_t found, left;
} deep_state;

/* Everything that one root leads to. The stack is made of parents: a vertex of depth 0, or less
 * than `limit`, is gone into; `depth` is that of u. */
static void deep_from(deep_state *at, uint32_t root, uint32_t limit) {
    const int64_t *offsets = row_offsets(at->graph);
    const uint32_t *targets = row_targets(at->graph);
    uint32_t u = root, depth = 0;
    at->seen[root] = 1;
    at->parents[root] = NONE;
    at->order[at->found++] = root;
    at->next[root] = offsets[root];
    while (u != NONE) {
        int64_t arc = at->next[u], end = offsets[u + 1];
        while (arc < end && at->seen[targets[arc]])
            arc++;
        if (arc == end) {
            if (at->post != NULL)
                at->post[at->left++] = u;
            u = at->parents[u];
            depth--;
            continue;
        }
        uint32_t v = targets[arc];
        at->next[u] = arc + 1;
        at->seen[v] = 1;
        at->parents[v] = u;
        at->order[at->found++] = v;
        if (depth + 1 < limit) {
            at->next[v] = offsets[v];
            u = v;
            depth++;
        }
    }
}

PyObject *walk_deep(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *o[6], *result = NULL;
    unsigned int limit;
    rows graph;
    array held[4] = {{.data = NULL}};
    if (!PyArg_ParseTuple(arguments, "OOOIOOO", &o[0], &o[1], &o[2], &limit, &o[3], &o[4], &o[5]) ||
        !rows_hold(&graph, o[0], o[1], Py_None))
        return NULL;
    deep_state at = {.graph = &graph,
                     .seen = calloc(graph.n + 1, 1),
                     .next = malloc((graph.n + 1) * sizeof(int64_t))};
    if (at.seen == NULL || at.next == NULL) {
        PyErr_NoMemory();
    } else if (array_hold(&held[0], o[2], sizeof(uint32_t), 0, READ) &&
               array_hold(&held[1], o[3], sizeof(uint32_t), graph.n, WRITE) &&
               array_hold(&held[2], o[4], sizeof(uint32_t), graph.n, WRITE) &&
               array_hold(&held[3], o[5], sizeof(uint32_t), o[5] == Py_None ? 0 : graph.n, WRITE)) {
        const uint32_t *roots = held[0].data;
        at.order = held[1].data;
        at.parents = held[2].data;
        at.post = held[3].data;
        Py_BEGIN_ALLOW_THREADS for (size_t i = 0; i < held[0].count; i++) {
            if (!at.seen[roots[i]])
                deep_from(&at, roots[i], limit);
        }
        Py_END_ALLOW_THREADS result =
            Py_BuildValue("nn", (Py_ssize_t)at.found, (Py_ssize_t)at.left);
    }
    free(at.seen);
    free(at.next);
    arrays_release(held, 4);
    rows_release(&graph);
    return result;
}

/* `missing`: arcs into each vertex that were not looked at yet. Returns the generations. */
static size_t peel(const rows *graph, uint32_t *missing, uint32_t *order, uint32_t *starts) {
    const int64_t *offsets = row_offsets(graph);
    const uint32_t *targets = row_targets(graph);
    size_t filled = 0, levels = 0, first = 0;
    for (int64_t arc = 0; arc < offsets[graph->n]; arc++)
        missing[targets[arc]]++;
    for (size_t v = 0; v < graph->n; v++) {
        if (missing[v] == 0)
            order[filled++] = (uint32_t)v;
    }
    starts[0] = 0;
    while (first < filled) {
        size_t last = filled;
        starts[++levels] = (uint32_t)last;
        for (; first < last; first++) {
            uint32_t u = order[first];
            for (int64_t arc = offsets[u]; arc < offsets[u + 1]; arc++) {
                if (--missing[targets[arc]] == 0)
                    order[filled++] = targets[arc];
            }
        }
    }
    return levels;
}

PyObject *walk_peel(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *o[4], *result = NULL;
    rows graph;
    array held[2] = {{.data = NULL}};
    if (!PyArg_ParseTuple(arguments, "OOOO", &o[0], &o[1], &o[2], &o[3]) ||
        !rows_hold(&graph, o[0], o[1], Py_None))
        return NULL;
    uint32_t *missing = calloc(graph.n + 1, sizeof(*missing));
    if (missing == NULL) {
        PyErr_NoMemory();
    } else if (array_hold(&held[0], o[2], sizeof(uint32_t), graph.n, WRITE) &&
               array_hold(&held[1], o[3], sizeof(uint32_t), graph.n + 1, WRITE)) {
        size_t levels;
        Py_BEGIN_ALLOW_THREADS levels = peel(&graph, missing, held[0].data, held[1].data);
        Py_END_ALLOW_THREADS result = PyLong_FromSize_t(levels);
    }
    free(missing);
    arrays_release(held, 2);
    rows_release(&graph);
    return result;
}

static inline number longer_by(number before, const rows *graph, int64_t arc) {
    number sum = before, weight = {.whole = 1};
    if (graph->weights.data != NULL)
        weight = weight_at(graph, (size_t)arc);
    if (graph->real)
        sum.real += weight.real;
    else
        sum.whole += weight.whole;
    return sum;
}

/* Whether a > b; a sum of -0.0 is no less than 0. */
static inline bool exceeds(number a, number b, bool real) {
    return real ? a.real > b.real : a.whole > b.whole;
}

/* Of several predecessors the first counts, and one whose sum is below 0 not at all: a path may
 * begin anywhere. */
static void longest(const rows *into, const uint32_t *order, number *sums, uint32_t *parents) {
    const int64_t *offsets = row_offsets(into);
    const uint32_t *tails = row_targets(into);
    for (size_t i = 0; i < into->n; i++) {
        uint32_t v = order[i];
        number best = {.whole = 0};
        uint32_t from = NONE;
        for (int64_t arc = offsets[v]; arc < offsets[v + 1]; arc++) {
            number sum = longer_by(sums[tails[arc]], into, arc);
            if (from == NONE || exceeds(sum, best, into->real)) {
                best = sum;
                from = tails[arc];
            }
        }
        number nothing = {.whole = 0};
        bool counts = from != NONE && !exceeds(nothing, best, into->real);
        sums[v] = counts ? best : nothing;
        parents[v] = counts ? from : v;
    }
}

PyObject *walk_longest(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *o[6], *result = NULL;
    rows into;
    array held[3] = {{.data = NULL}};
    if (!PyArg_ParseTuple(arguments, "OOOOOO", &o[0], &o[1], &o[2], &o[3], &o[4], &o[5]) ||
        !rows_hold(&into, o[0], o[1], o[2]))
        return NULL;
    if (array_hold(&held[0], o[3], sizeof(uint32_t), into.n, READ) &&
        array_hold(&held[1], o[4], sizeof(number), into.n, WRITE) &&
        array_hold(&held[2], o[5], sizeof(uint32_t), into.n, WRITE)) {
        Py_BEGIN_ALLOW_THREADS longest(&into, held[0].data, held[1].data, held[2].data);
        Py_END_ALLOW_THREADS result = Py_NewRef(Py_None);
    }
    arrays_release(held, 3);
    rows_release(&into);
    return result;
}
