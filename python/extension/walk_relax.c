/* SPDX-License-Identifier: Apache-2.0
 *
 * NetworkX's Bellman-Ford algorithm, step by step: its dicts are in the order in which vertices are
 * discovered, and its lists of predecessors and its verdict on negative cycles follow from the
 * order of its queue, so the order must be the same. (A queue of vertices; a vertex is passed over
 * while one of its predecessors waits in the queue; a vertex that its own recent update leads to,
 * or that is queued n times, is on a negative cycle.)
 *
 * Predecessors are linked lists in one pool: entries are only added, or dropped with their list. */
#include "walk.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 1 << 16 }; /* vertices between two looks at signals */

typedef struct pred_link {
    uint32_t vertex, next;
} pred_link;

typedef struct relaxing {
    rows graph;
    array sources, distances, order;
    array kinds, whole; /* see whole_sum */
    bool heuristic, failed;
    uint32_t discovered, found; /* found: a vertex of a negative cycle, or NONE */
    uint32_t *queue;            /* a ring of n + 1 */
    size_t head, tail;
    uint8_t *queued, *known;
    uint32_t *counts, *heads, *tails, *pred_edge, *recent; /* recent: pairs */
    pred_link *pool;
    size_t used, room;
    uint32_t spare; /* dropped links */
} relaxing;

static bool append(relaxing *r, uint32_t v, uint32_t from) {
    uint32_t at = r->spare;
    if (at != NONE) {
        r->spare = r->pool[at].next;
    } else {
        if (r->used == r->room) {
            size_t room = 2 * r->room;
            pred_link *pool = room < NONE ? realloc(r->pool, room * sizeof(*pool)) : NULL;
            if (pool == NULL) {
                r->failed = true;
                return false;
            }
            r->pool = pool;
            r->room = room;
        }
        at = (uint32_t)r->used++;
    }
    r->pool[at] = (pred_link){from, NONE};
    if (r->heads[v] == NONE)
        r->heads[v] = at;
    else
        r->pool[r->tails[v]].next = at;
    r->tails[v] = at;
    return true;
}

static void drop(relaxing *r, uint32_t v) {
    if (r->heads[v] == NONE)
        return;
    r->pool[r->tails[v]].next = r->spare;
    r->spare = r->heads[v];
    r->heads[v] = NONE;
}

static void enqueue(relaxing *r, uint32_t v) {
    r->queue[r->tail] = v;
    r->tail = r->tail == r->graph.n ? 0 : r->tail + 1;
    r->queued[v] = 1;
}

static void discover(relaxing *r, uint32_t v) {
    if (!r->known[v]) {
        r->known[v] = 1;
        ((uint32_t *)r->order.data)[r->discovered++] = v;
    }
}

/* The distance of v falls because of u. False: a negative cycle, or no memory. */
static bool improve(relaxing *r, uint32_t u, uint32_t v, number distance, int64_t arc) {
    if (r->heuristic) {
        uint32_t *recent = &r->recent[2 * (size_t)v], *from = &r->recent[2 * (size_t)u];
        if (from[0] == v || from[1] == v) {
            if (append(r, v, u))
                r->found = v;
            return false;
        }
        bool same = r->pred_edge[v] == u;
        recent[0] = same ? from[0] : u;
        recent[1] = same ? from[1] : v;
    }
    if (!r->queued[v]) {
        enqueue(r, v);
        if (++r->counts[v] == r->graph.n) {
            r->found = v;
            return false;
        }
    }
    /* No path is that short (nodes.py keeps the sums of n weights above), only a walk that has gone
     * round a negative cycle often; on the way to n visits of a vertex it could leave 64 bits. */
    if (!r->graph.real && distance.whole < -((int64_t)1 << 62)) {
        r->found = v;
        return false;
    }
    discover(r, v);
    ((number *)r->distances.data)[v] = distance;
    whole_sum(&r->kinds, &r->whole, v, u, arc);
    drop(r, v);
    r->pred_edge[v] = u;
    return append(r, v, u);
}

static bool scan(relaxing *r, uint32_t u) {
    const int64_t *offsets = row_offsets(&r->graph);
    const uint32_t *targets = row_targets(&r->graph);
    const bool real = r->graph.real;
    const number *distances = r->distances.data;
    for (uint32_t at = r->heads[u]; at != NONE; at = r->pool[at].next)
        if (r->queued[r->pool[at].vertex])
            return true;
    number here = distances[u];
    for (int64_t arc = offsets[u]; arc < offsets[u + 1]; arc++) {
        uint32_t v = targets[arc];
        number there = number_sum(here, weight_at(&r->graph, (size_t)arc), real);
        if (!r->known[v] || number_less(there, distances[v], real)) {
            if (!improve(r, u, v, there, arc))
                return false;
        } else if (number_equal(there, distances[v], real) && !append(r, v, u)) {
            return false;
        }
    }
    return true;
}

/* A number of steps; false when it is over. */
static bool run(relaxing *r) {
    for (int step = 0; step < STEPS; step++) {
        if (r->head == r->tail)
            return false;
        uint32_t u = r->queue[r->head];
        r->head = r->head == r->graph.n ? 0 : r->head + 1;
        r->queued[u] = 0;
        if (!scan(r, u))
            return false;
    }
    return true;
}

static bool prepare(relaxing *r) {
    size_t n = r->graph.n + 1, words = n * sizeof(uint32_t);
    r->queue = malloc(words);
    r->queued = calloc(n, 1);
    r->known = calloc(n, 1);
    r->counts = calloc(n, sizeof(uint32_t));
    r->heads = malloc(words);
    r->tails = malloc(words);
    r->pred_edge = malloc(words);
    r->recent = malloc(2 * words);
    r->room = n;
    r->pool = malloc(r->room * sizeof(*r->pool));
    if (r->queue == NULL || r->queued == NULL || r->known == NULL || r->counts == NULL ||
        r->heads == NULL || r->tails == NULL || r->pred_edge == NULL || r->recent == NULL ||
        r->pool == NULL)
        return false;
    memset(r->heads, 0xff, words);
    memset(r->pred_edge, 0xff, words);
    memset(r->recent, 0xff, 2 * words);
    r->spare = r->found = NONE;
    const uint32_t *sources = r->sources.data;
    for (size_t i = 0; i < r->sources.count; i++) {
        if (r->known[sources[i]])
            continue;
        discover(r, sources[i]);
        ((number *)r->distances.data)[sources[i]] =
            r->graph.real ? (number){.real = 0} : (number){.whole = 0};
        whole_sum(&r->kinds, &r->whole, sources[i], NONE, -1);
        enqueue(r, sources[i]);
    }
    return true;
}

/* (discovered, found or None, starts, predecessors): lists of predecessors by vertex, as bytes of
 * uint32. */
static PyObject *outcome(const relaxing *r) {
    size_t n = r->graph.n, filled = 0;
    uint32_t *starts = malloc((n + 1) * sizeof(*starts));
    uint32_t *items = malloc((r->used + 1) * sizeof(*items));
    PyObject *result = NULL;
    if (starts == NULL || items == NULL) {
        PyErr_NoMemory();
    } else {
        for (size_t v = 0; v < n; v++) {
            starts[v] = (uint32_t)filled;
            for (uint32_t at = r->heads[v]; at != NONE; at = r->pool[at].next)
                items[filled++] = r->pool[at].vertex;
        }
        starts[n] = (uint32_t)filled;
        PyObject *found = r->found == NONE ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(r->found);
        if (found != NULL)
            result = Py_BuildValue("(INy#y#)", r->discovered, found, (const char *)starts,
                                   (Py_ssize_t)((n + 1) * sizeof(*starts)), (const char *)items,
                                   (Py_ssize_t)(filled * sizeof(*items)));
    }
    free(starts);
    free(items);
    return result;
}

static void release(relaxing *r) {
    free(r->queue);
    free(r->queued);
    free(r->known);
    free(r->counts);
    free(r->heads);
    free(r->tails);
    free(r->pred_edge);
    free(r->recent);
    free(r->pool);
    array_release(&r->sources);
    array_release(&r->distances);
    array_release(&r->order);
    array_release(&r->kinds);
    array_release(&r->whole);
    rows_release(&r->graph);
}

PyObject *walk_relax(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *o[8], *result = NULL;
    int heuristic;
    relaxing r = {.used = 0};
    if (!PyArg_ParseTuple(arguments, "OOOOpOOOO", &o[0], &o[1], &o[2], &o[3], &heuristic, &o[4],
                          &o[5], &o[6], &o[7]) ||
        !rows_hold(&r.graph, o[0], o[1], o[2]))
        return NULL;
    r.heuristic = heuristic != 0;
    if (array_hold(&r.sources, o[3], sizeof(uint32_t), 0, READ) &&
        array_hold(&r.distances, o[4], sizeof(number), r.graph.n, WRITE) &&
        array_hold(&r.order, o[5], sizeof(uint32_t), r.graph.n, WRITE) &&
        array_hold(&r.kinds, o[6], 1, o[6] == Py_None ? 0 : r.graph.targets.count, READ) &&
        array_hold(&r.whole, o[7], 1, o[7] == Py_None ? 0 : r.graph.n, WRITE)) {
        bool more = prepare(&r);
        r.failed = !more;
        while (more) {
            Py_BEGIN_ALLOW_THREADS more = run(&r);
            Py_END_ALLOW_THREADS if (PyErr_CheckSignals() < 0) break;
        }
        if (r.failed)
            PyErr_NoMemory();
        if (!PyErr_Occurred())
            result = outcome(&r);
    }
    release(&r);
    return result;
}
