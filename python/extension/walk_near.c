/* SPDX-License-Identifier: Apache-2.0
 *
 * A breadth-first search and the dict that NetworkX makes of it in one step: where one is wanted
 * from every node, what stands between the two counts.
 *
 * near: numbers of edges from or to one node. All nodes of a level share one integer. With the
 *   addresses of the nodes, a tuple then, nodes are found without asking a list for each.
 * ways: paths. */
#include "walk.h"

#include <stdlib.h>
#include <string.h>

typedef struct nearby {
    rows graph;
    PyObject *nodes; /* a list, or a tuple if there are addresses; borrowed */
    array addresses;
    uint8_t *seen;
    uint32_t *order, *starts, *parents;
    size_t levels;
} nearby;

static void nearby_release(nearby *s) {
    free(s->seen);
    free(s->order);
    array_release(&s->addresses);
    rows_release(&s->graph);
}

/* The search; false with an exception. What s holds is to be released in any case. */
static bool nearby_search(nearby *s, PyObject *const *o, unsigned int source, unsigned int limit,
                          bool parents) {
    if (!rows_hold(&s->graph, o[0], o[1], Py_None))
        return false;
    size_t n = s->graph.n;
    if (source >= n || (size_t)PyObject_Size(s->nodes) != n) {
        PyErr_SetString(PyExc_ValueError, "not a vertex, or not the nodes of this graph");
        return false;
    }
    s->seen = calloc(n, 1);
    s->order = malloc((3 * n + 2) * sizeof(*s->order));
    if (s->seen == NULL || s->order == NULL) {
        PyErr_NoMemory();
        return false;
    }
    s->starts = s->order + n + 1;
    s->parents = parents ? s->starts + n + 1 : NULL;
    if (parents)
        s->parents[source] = NONE;
    Py_BEGIN_ALLOW_THREADS s->levels =
        search(&s->graph, &source, 1, limit, s->seen, s->order, s->starts, s->parents);
    Py_END_ALLOW_THREADS return true;
}

/* Adds a level, whose nodes are `level` away. */
static bool near_level(PyObject *table, const nearby *s, size_t level) {
    PyObject *block[BLOCK], *away = PyLong_FromSize_t(level), *const *at = s->addresses.data;
    bool good = away != NULL;
    if (at != NULL) {
        for (size_t i = s->starts[level]; good && i < s->starts[level + 1]; i++)
            good = PyDict_SetItem(table, at[s->order[i]], away) == 0;
        Py_XDECREF(away);
        return good;
    }
    for (size_t i = s->starts[level], end = s->starts[level + 1], some; good && i < end;
         i += some) {
        some = end - i < BLOCK ? end - i : BLOCK;
        good = nodes_gather(s->nodes, s->order + i, some, block);
        for (size_t k = 0; good && k < some; k++)
            good = PyDict_SetItem(table, block[k], away) == 0;
    }
    Py_XDECREF(away);
    return good;
}

PyObject *walk_near(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *o[2], *addresses, *table = NULL;
    unsigned int source, limit;
    nearby s = {.levels = 0};
    if (!PyArg_ParseTuple(arguments, "OOOOII", &s.nodes, &addresses, &o[0], &o[1], &source, &limit))
        return NULL;
    if (addresses == Py_None ? !PyList_Check(s.nodes) : !PyTuple_Check(s.nodes)) {
        PyErr_SetString(PyExc_TypeError, "nodes must be a list, or a tuple with addresses");
        return NULL;
    }
    size_t least = addresses == Py_None ? 0 : (size_t)PyTuple_Size(s.nodes);
    if (array_hold(&s.addresses, addresses, sizeof(PyObject *), least, READ) &&
        nearby_search(&s, o, source, limit, false))
        table = PyDict_New();
    for (size_t level = 0; table != NULL && level < s.levels; level++)
        if (!near_level(table, &s, level))
            Py_CLEAR(table);
    nearby_release(&s);
    return table;
}

PyObject *walk_ways(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *o[2], *table = NULL;
    unsigned int source, limit;
    int forward;
    Py_ssize_t most;
    nearby s = {.levels = 0};
    if (!PyArg_ParseTuple(arguments, "O!OOIIpn", &PyList_Type, &s.nodes, &o[0], &o[1], &source,
                          &limit, &forward, &most))
        return NULL;
    if (nearby_search(&s, o, source, limit, true))
        table =
            ways_of(s.nodes, s.order, s.starts[s.levels], s.parents, forward != 0, (size_t)most);
    nearby_release(&s);
    return table;
}
