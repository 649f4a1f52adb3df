/* SPDX-License-Identifier: Apache-2.0
 *
 * layers: an iterator over the levels of a breadth-first search, each a list of nodes. A level is
 * searched when it is asked for, as NetworkX does it, and its list made at once: what the search
 * has found is still in the cache, and who stops early pays for no more.
 *
 * Nodes, their places and rows lie all over the memory, and to wait for them is most of the time.
 * So when a level is known, all that it will need is fetched: first where the nodes and the rows
 * are, then these. Lists do not say where their items are; hence `addresses`, which has the items
 * of a tuple, which cannot change and keeps them. */
#include "walk.h"

#include <stdlib.h>

/* Python keeps functions as void pointers, which ISO C leaves open. */
#define AS_SLOT(function)         (__extension__(void *)(function))
#define SLOT_AS(type, held, slot) (__extension__(type) PyType_GetSlot(held, slot))

enum { AHEAD = 1024 }; /* vertices of a level that are fetched ahead: a cache has room for them */

typedef struct layers {
    PyObject_HEAD        /* of a type that is made at run time, as the limited API wants it */
        PyObject *nodes; /* a tuple */
    array addresses;     /* of its items */
    rows graph;
    uint8_t *seen;
    uint32_t *order;
    size_t first, last; /* the level that comes next is order[first .. last) */
} layers;

static int layers_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((layers *)self)->nodes);
    return 0;
}

static int layers_clear(PyObject *self) {
    Py_CLEAR(((layers *)self)->nodes);
    return 0;
}

static void layers_dealloc(PyObject *self) {
    layers *s = (layers *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_CLEAR(s->nodes);
    array_release(&s->addresses);
    rows_release(&s->graph);
    free(s->seen);
    free(s->order);
    freefunc release = SLOT_AS(freefunc, type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* What the level that comes next needs. */
static void layers_fetch(const layers *s) {
    PyObject *const *node = s->addresses.data;
    const int64_t *offsets = row_offsets(&s->graph);
    const uint32_t *targets = row_targets(&s->graph), *order = s->order;
    size_t end = s->last - s->first < AHEAD ? s->last : s->first + AHEAD;
    for (size_t i = s->first; i < end; i++) {
        __builtin_prefetch(&node[order[i]]);
        __builtin_prefetch(&offsets[order[i]]);
    }
    for (size_t i = s->first; i < end; i++) {
        __builtin_prefetch(node[order[i]], 1);
        __builtin_prefetch(&targets[offsets[order[i]]]);
    }
}

static PyObject *layers_list(const layers *s) {
    PyObject *const *node = s->addresses.data;
    const uint32_t *level = s->order + s->first;
    size_t count = s->last - s->first;
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        if (i + BLOCK < count)
            __builtin_prefetch(node[level[i + BLOCK]], 1);
        if (PyList_SetItem(list, (Py_ssize_t)i, Py_NewRef(node[level[i]])) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *layers_next(PyObject *self) {
    layers *s = (layers *)self;
    if (s->nodes == NULL || s->first == s->last)
        return NULL;
    PyObject *list = layers_list(s);
    if (list == NULL)
        return NULL;
    size_t end = search_level(&s->graph, s->first, s->last, s->seen, s->order, NULL);
    s->first = s->last;
    s->last = end;
    layers_fetch(s);
    return list;
}

static PyType_Slot slots[] = {
    {Py_tp_dealloc, AS_SLOT(layers_dealloc)}, {Py_tp_traverse, AS_SLOT(layers_traverse)},
    {Py_tp_clear, AS_SLOT(layers_clear)},     {Py_tp_iter, AS_SLOT(PyObject_SelfIter)},
    {Py_tp_iternext, AS_SLOT(layers_next)},   {0, NULL},
};

static PyType_Spec specification = {
    "_walk.Layers",
    sizeof(layers),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots,
};

/* What a new iterator needs; false with an exception. */
static bool layers_begin(layers *s, PyObject *nodes, PyObject *const *o) {
    array sources;
    if (!rows_hold(&s->graph, o[0], o[1], Py_None))
        return false;
    size_t n = s->graph.n;
    if (!array_hold(&s->addresses, o[3], sizeof(PyObject *), n, READ))
        return false;
    if ((size_t)PyTuple_Size(nodes) != n) {
        PyErr_SetString(PyExc_ValueError, "not the nodes of this graph");
        return false;
    }
    s->seen = calloc(n + 1, 1);
    s->order = malloc((n + 1) * sizeof(*s->order));
    if (s->seen == NULL || s->order == NULL) {
        PyErr_NoMemory();
        return false;
    }
    if (!array_hold(&sources, o[2], sizeof(uint32_t), 0, READ))
        return false;
    bool good = true;
    for (size_t i = 0; i < sources.count; i++)
        good = good && ((const uint32_t *)sources.data)[i] < n;
    if (good)
        s->last = search_start(sources.data, sources.count, s->seen, s->order);
    else
        PyErr_SetString(PyExc_ValueError, "not a vertex");
    array_release(&sources);
    s->nodes = Py_NewRef(nodes);
    return good;
}

PyObject *walk_layers(PyObject *module, PyObject *arguments) {
    static PyObject *type = NULL; /* made once, and kept as long as the module, which is for ever */
    PyObject *nodes, *o[4];
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!OOOO", &PyTuple_Type, &nodes, &o[3], &o[0], &o[1], &o[2]))
        return NULL;
    if (type == NULL && (type = PyType_FromSpec(&specification)) == NULL)
        return NULL;
    allocfunc make = SLOT_AS(allocfunc, (PyTypeObject *)type, Py_tp_alloc);
    PyObject *made = make((PyTypeObject *)type, 0); /* all zero */
    if (made != NULL && !layers_begin((layers *)made, nodes, o))
        Py_CLEAR(made);
    return made;
}

PyObject *walk_addresses(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *nodes, *out;
    array held;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyTuple_Type, &nodes, &out))
        return NULL;
    size_t n = (size_t)PyTuple_Size(nodes);
    if (!array_hold(&held, out, sizeof(PyObject *), n, WRITE))
        return NULL;
    PyObject **address = held.data;
    for (size_t i = 0; i < n; i++)
        address[i] = PyTuple_GetItem(nodes, (Py_ssize_t)i);
    array_release(&held);
    return Py_NewRef(Py_None);
}
