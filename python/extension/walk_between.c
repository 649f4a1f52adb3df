/* SPDX-License-Identifier: Apache-2.0
 *
 * NetworkX's two-sided searches between two nodes, step by step, so that of several shortest paths
 * they find the same, and sums of floats are added in the same way.
 *
 * meet: by numbers of edges (bidirectional_shortest_path).
 * between: by weights, none below 0 (bidirectional_dijkstra). Its heaps have entries (distance,
 *   number of the push, node), no two of which are equal: so any heap takes them in the same order.
 *
 * Thousands of searches are made in one graph, and each looks at a few vertices. So their arrays,
 * the space, are made once per graph and come back as they were: all vertices that were touched are
 * listed, and what was written there is taken back. The space of n vertices, each array with the
 * forward side's half first:
 *   ends   4 n of uint32: from where each vertex was reached, NONE at rest; then the lists
 *   sums   2 n of 8 bytes: distances of what was reached (between only)
 *   flags  2 n bytes, 0 at rest (between only)
 *
 * Cost: that of the vertices touched; 34 bytes per vertex that stay with the graph. */
#include "walk.h"

#include <stdlib.h>

enum { SETTLED = 1, WHOLE = 2 }; /* flags: the distance is final; is an integer in Python */

/* An entry of a heap. */
typedef struct push {
    number distance;
    uint64_t count;
    uint32_t vertex;
} push;

/* One side of a search. An end is reached from itself. */
typedef struct side {
    const rows *graph;
    const uint8_t *kinds; /* which weights are integers; NULL: none, or all */
    uint32_t *from, *list;
    size_t first, last; /* of the list: the level, for meet */
    number *sums;
    uint8_t *flags;
    push *heap;
    size_t fill, room;
} side;

static void side_begin(side *s, uint32_t end) {
    s->from[end] = s->list[0] = end;
    s->last = 1;
}

static void side_rest(side *s) {
    for (size_t i = 0; i < s->last; i++) {
        s->from[s->list[i]] = NONE;
        if (s->flags != NULL)
            s->flags[s->list[i]] = 0;
    }
    free(s->heap);
}

/* The path over a vertex that both sides have reached: a list of ids. */
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

/* --- by numbers of edges --------------------------------------------------------------------- */

/* One level; the vertex where both sides meet, or NONE. */
static uint32_t side_advance(side *here, const side *there) {
    const int64_t *offsets = row_offsets(here->graph);
    const uint32_t *targets = row_targets(here->graph);
    size_t last = here->last;
    for (; here->first < last; here->first++) {
        uint32_t v = here->list[here->first];
        for (int64_t arc = offsets[v]; arc < offsets[v + 1]; arc++) {
            uint32_t w = targets[arc];
            if (here->from[w] == NONE) {
                here->from[w] = v;
                here->list[here->last++] = w;
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

/* Whether both ends are vertices of both graphs, and the space is theirs; else an exception. */
static bool ends_hold(const rows *graph, const rows *back, array *ends, PyObject *space,
                      unsigned int source, unsigned int target) {
    if (source >= graph->n || target >= graph->n || back->n != graph->n) {
        PyErr_SetString(PyExc_ValueError, "not a vertex");
        return false;
    }
    return array_hold(ends, space, sizeof(uint32_t), 4 * graph->n, WRITE);
}

static void sides_make(side *forward, side *backward, const rows *graph, const rows *back,
                       const array *ends) {
    uint32_t *from = ends->data;
    *forward = (side){.graph = graph, .from = from, .list = from + 2 * graph->n};
    *backward = (side){.graph = back, .from = from + graph->n, .list = from + 3 * graph->n};
}

PyObject *walk_meet(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *o[5], *result = NULL;
    unsigned int source, target;
    rows graph = {.n = 0}, back = {.n = 0};
    array ends = {.data = NULL};
    if (!PyArg_ParseTuple(arguments, "OOOOIIO", &o[0], &o[1], &o[2], &o[3], &source, &target,
                          &o[4]))
        return NULL;
    if (rows_hold(&graph, o[0], o[1], Py_None) && rows_hold(&back, o[2], o[3], Py_None) &&
        ends_hold(&graph, &back, &ends, o[4], source, target)) {
        side forward, backward;
        uint32_t met;
        sides_make(&forward, &backward, &graph, &back, &ends);
        side_begin(&forward, source);
        side_begin(&backward, target);
        Py_BEGIN_ALLOW_THREADS met = source == target ? source : meet(&forward, &backward);
        Py_END_ALLOW_THREADS result =
            met == NONE ? Py_NewRef(Py_None) : meeting_path(&forward, &backward, met);
        side_rest(&forward);
        side_rest(&backward);
    }
    array_release(&ends);
    rows_release(&graph);
    rows_release(&back);
    return result;
}

/* --- by weights ------------------------------------------------------------------------------ */

/* The search of both sides. */
typedef struct meeting {
    side sides[2]; /* forward, backward */
    bool real, some, whole;
    bool starved; /* there was no memory */
    uint64_t count;
    number distance; /* of the best path that was found, if there is `some` */
    uint32_t met;    /* which goes over this vertex */
} meeting;

static inline bool push_less(const push *a, const push *b, bool real) {
    if (number_less(a->distance, b->distance, real))
        return true;
    return !number_less(b->distance, a->distance, real) && a->count < b->count;
}

static bool heap_push(side *s, push entry, bool real) {
    if (s->fill == s->room) {
        size_t room = s->room > 0 ? 2 * s->room : 256;
        push *larger = realloc(s->heap, room * sizeof *larger);
        if (larger == NULL)
            return false;
        s->heap = larger;
        s->room = room;
    }
    size_t at = s->fill++;
    for (; at > 0 && push_less(&entry, &s->heap[(at - 1) / 2], real); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = entry;
    return true;
}

/* The least entry; there is one. */
static push heap_pop(side *s, bool real) {
    push least = s->heap[0], last = s->heap[--s->fill];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < s->fill; at = child) {
        if (child + 1 < s->fill && push_less(&s->heap[child + 1], &s->heap[child], real))
            child++;
        if (!push_less(&s->heap[child], &last, real))
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    return least;
}

/* Vertex w is `distance` from the side's end, by an arc from v. */
static bool reach(meeting *m, side *here, const side *there, uint32_t v, uint32_t w,
                  number distance, bool whole) {
    if (here->from[w] == NONE)
        here->list[here->last++] = w;
    here->from[w] = v;
    here->sums[w] = distance;
    here->flags[w] = whole ? WHOLE : 0;
    if (!heap_push(here, (push){distance, m->count++, w}, m->real))
        return false;
    if (there->from[w] == NONE)
        return true;
    number both = number_sum(distance, there->sums[w], m->real);
    if (!m->some || number_less(both, m->distance, m->real)) {
        m->some = true;
        m->distance = both;
        m->whole = whole && (there->flags[w] & WHOLE) != 0;
        m->met = w;
    }
    return true;
}

static bool expand(meeting *m, side *here, const side *there, uint32_t v) {
    const int64_t *offsets = row_offsets(here->graph);
    const uint32_t *targets = row_targets(here->graph);
    for (int64_t arc = offsets[v]; arc < offsets[v + 1]; arc++) {
        uint32_t w = targets[arc];
        if ((here->flags[w] & SETTLED) != 0)
            continue;
        number distance = number_sum(here->sums[v], weight_at(here->graph, (size_t)arc), m->real);
        if (here->from[w] != NONE && !number_less(distance, here->sums[w], m->real))
            continue;
        bool whole = (here->flags[v] & WHOLE) != 0 && here->kinds != NULL && here->kinds[arc];
        if (!reach(m, here, there, v, w, distance, whole))
            return false;
    }
    return true;
}

/* Whether the ends are joined; `distance` and `met` say how. The sides take turns, and it ends when
 * one takes a vertex that the other has settled: not before, so that ties are NetworkX's. */
static bool join(meeting *m) {
    unsigned way = 1;
    while (m->sides[0].fill > 0 && m->sides[1].fill > 0) {
        way = 1 - way;
        side *here = &m->sides[way], *there = &m->sides[1 - way];
        uint32_t v = heap_pop(here, m->real).vertex;
        if ((here->flags[v] & SETTLED) != 0)
            continue;
        here->flags[v] |= SETTLED;
        if ((there->flags[v] & SETTLED) != 0)
            return true;
        if (!expand(m, here, there, v)) {
            m->starved = true;
            return false;
        }
    }
    return false;
}

static bool start(meeting *m, unsigned way, uint32_t end) {
    side *s = &m->sides[way];
    side_begin(s, end);
    s->flags[end] = WHOLE;
    s->sums[end] = m->real ? (number){.real = 0} : (number){.whole = 0};
    return heap_push(s, (push){s->sums[end], m->count++, end}, m->real);
}

static PyObject *joined(meeting *m, unsigned int source, unsigned int target) {
    bool found = false;
    m->starved = !start(m, 0, source) || !start(m, 1, target);
    Py_BEGIN_ALLOW_THREADS found = !m->starved && join(m);
    Py_END_ALLOW_THREADS if (m->starved) return PyErr_NoMemory();
    if (!found)
        return Py_NewRef(Py_None);
    PyObject *path = meeting_path(&m->sides[0], &m->sides[1], m->met);
    if (path == NULL)
        return NULL;
    if (!m->real)
        return Py_BuildValue("LN", (long long)m->distance.whole, path);
    return m->whole ? Py_BuildValue("LN", (long long)m->distance.real, path)
                    : Py_BuildValue("dN", m->distance.real, path);
}

PyObject *walk_between(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *out[4], *in[4], *o[3], *result = NULL;
    unsigned int source, target;
    rows graph = {.n = 0}, back = {.n = 0};
    array ends = {.data = NULL}, held[4] = {{.data = NULL}};
    if (!PyArg_ParseTuple(arguments, "(OOOO)(OOOO)II(OOO)", &out[0], &out[1], &out[2], &out[3],
                          &in[0], &in[1], &in[2], &in[3], &source, &target, &o[0], &o[1], &o[2]))
        return NULL;
    if (!rows_hold(&graph, out[0], out[1], out[2]) || !rows_hold(&back, in[0], in[1], in[2]) ||
        !ends_hold(&graph, &back, &ends, o[0], source, target) ||
        !array_hold(&held[0], o[1], sizeof(number), 2 * graph.n, WRITE) ||
        !array_hold(&held[1], o[2], 1, 2 * graph.n, WRITE) ||
        !array_hold(&held[2], out[3], 1, out[3] == Py_None ? 0 : graph.targets.count, READ) ||
        !array_hold(&held[3], in[3], 1, in[3] == Py_None ? 0 : back.targets.count, READ))
        goto done;
    meeting m = {.real = graph.real};
    sides_make(&m.sides[0], &m.sides[1], &graph, &back, &ends);
    for (unsigned way = 0; way < 2; way++) {
        m.sides[way].sums = (number *)held[0].data + way * graph.n;
        m.sides[way].flags = (uint8_t *)held[1].data + way * graph.n;
        m.sides[way].kinds = held[2 + way].data;
    }
    result = joined(&m, source, target);
    side_rest(&m.sides[0]);
    side_rest(&m.sides[1]);
done:
    arrays_release(held, 4);
    array_release(&ends);
    rows_release(&graph);
    rows_release(&back);
    return result;
}
