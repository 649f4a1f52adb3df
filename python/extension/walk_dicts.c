/* SPDX-License-Identifier: Apache-2.0
 *
 * From NetworkX's dicts of dicts to rows in the order of the dicts.
 *
 * Only exact dicts are walked: a subclass, or the view of a subgraph, may give other items than
 * its table has. Looking up a node may call its __eq__, which is anybody's code, so what is in use
 * is owned, and no more is written than the arrays hold.
 *
 * Where node i is the integer i, as in many graphs, a node's number is its value: no look-up. */
#include "walk.h"

#include <math.h>

enum { KIND_REAL = 0, KIND_WHOLE = 1, KIND_MISSING = 2 }; /* of a weight */
enum { WALKED = 0, NEEDS_INDEX = 1, NOT_DICTS = 2 };      /* what walk_rows returns, or a text */

PyObject *walk_nodes(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *adjacency;
    if (!PyArg_ParseTuple(arguments, "O!", &PyDict_Type, &adjacency))
        return NULL;
    PyObject *nodes = PyDict_Keys(adjacency);
    if (nodes == NULL)
        return NULL;
    Py_ssize_t count = PyList_Size(nodes), i = 0;
    for (; i < count; i++) {
        PyObject *node = PyList_GetItem(nodes, i);
        if (!PyLong_CheckExact(node))
            break;
        int overflow = 0;
        if (PyLong_AsLongLongAndOverflow(node, &overflow) != i || overflow != 0)
            break;
    }
    return Py_BuildValue("(NO)", nodes, i == count ? Py_True : Py_False);
}

PyObject *walk_count(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *adjacency, *row;
    if (!PyArg_ParseTuple(arguments, "O", &adjacency))
        return NULL;
    if (!PyDict_CheckExact(adjacency))
        return PyLong_FromLong(-1);
    Py_ssize_t at = 0, count = 0;
    while (PyDict_Next(adjacency, &at, NULL, &row)) {
        if (!PyDict_CheckExact(row))
            return PyLong_FromLong(-1);
        count += PyDict_Size(row);
    }
    return PyLong_FromSsize_t(count);
}

/* What a walk knows. */
typedef struct walk {
    PyObject *index;     /* node -> number, or NULL: node i is i */
    PyObject *attribute; /* NULL: no weights */
    bool multigraph;
    array offsets, targets, weights, kinds;
    size_t filled;
    PyObject *reason; /* a text: these weights cannot be used */
} walk;

typedef struct weight {
    number value;
    uint8_t kind;
} weight;

static int refuse(walk *w, const char *format, PyObject *object) {
    PyObject *name = PyType_GetName(Py_TYPE(object));
    if (name != NULL)
        w->reason = PyUnicode_FromFormat(format, name);
    Py_XDECREF(name);
    return -1;
}

/* The weight in a dict of attributes. -1: an exception, or a reason. */
static int weight_of(walk *w, PyObject *data, weight *found) {
    PyObject *value = PyDict_GetItemWithError(data, w->attribute);
    if (value == NULL) {
        *found = (weight){{.whole = 1}, KIND_MISSING};
        return PyErr_Occurred() ? -1 : 0;
    }
    if (PyFloat_Check(value)) {
        *found = (weight){{.real = PyFloat_AsDouble(value)}, KIND_REAL};
        if (isfinite(found->value.real))
            return 0;
        return refuse(w, "a weight (%U) is infinite or not a number", value);
    }
    if (!PyLong_Check(value) && !PyIndex_Check(value))
        return refuse(w, "a weight is of type %U, neither an integer nor a float", value);
    PyObject *whole = PyNumber_Index(value);
    if (whole == NULL)
        return -1;
    int overflow = 0;
    found->kind = KIND_WHOLE;
    found->value.whole = PyLong_AsLongLongAndOverflow(whole, &overflow);
    Py_DECREF(whole);
    return overflow == 0 ? 0 : refuse(w, "a weight (%U) does not fit 64 bits", value);
}

static bool lighter(weight a, weight b) {
    if (a.kind != KIND_REAL && b.kind != KIND_REAL)
        return a.value.whole < b.value.whole;
    double x = a.kind == KIND_REAL ? a.value.real : (double)a.value.whole;
    double y = b.kind == KIND_REAL ? b.value.real : (double)b.value.whole;
    return x < y;
}

/* Of parallel edges the lightest counts, as it does in NetworkX. 1: not dicts. */
static int edge_weight(walk *w, PyObject *data) {
    weight found = {{.whole = 1}, KIND_MISSING};
    if (!PyDict_CheckExact(data))
        return NOT_DICTS;
    if (!w->multigraph) {
        if (weight_of(w, data, &found) < 0)
            return -1;
    } else {
        PyObject *edge;
        Py_ssize_t at = 0;
        bool first = true;
        while (PyDict_Next(data, &at, NULL, &edge)) {
            weight next;
            if (!PyDict_CheckExact(edge))
                return NOT_DICTS;
            if (weight_of(w, edge, &next) < 0)
                return -1;
            if (first || lighter(next, found))
                found = next;
            first = false;
        }
    }
    ((number *)w->weights.data)[w->filled] = found.value;
    ((uint8_t *)w->kinds.data)[w->filled] = found.kind;
    return WALKED;
}

static int target_of(walk *w, PyObject *node, long long *id) {
    PyObject *found = node;
    if (w->index != NULL) {
        found = PyDict_GetItemWithError(w->index, node);
        if (found == NULL) {
            if (!PyErr_Occurred())
                PyErr_SetObject(PyExc_KeyError, node);
            return -1;
        }
    } else if (!PyLong_CheckExact(node)) {
        return NEEDS_INDEX;
    }
    *id = PyLong_AsLongLong(found);
    if (*id >= 0 && (size_t)*id + 1 < w->offsets.count)
        return WALKED;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "the graph changed while it was converted");
    return -1;
}

static int walk_row(walk *w, PyObject *row) {
    PyObject *node, *data;
    Py_ssize_t at = 0;
    while (PyDict_Next(row, &at, &node, &data)) {
        long long id = 0;
        if (w->filled >= w->targets.count) {
            PyErr_SetString(PyExc_RuntimeError, "the graph changed while it was converted");
            return -1;
        }
        Py_INCREF(node);
        Py_INCREF(data);
        int result = target_of(w, node, &id);
        if (result == WALKED && w->attribute != NULL)
            result = edge_weight(w, data);
        Py_DECREF(node);
        Py_DECREF(data);
        if (result != WALKED)
            return result;
        ((uint32_t *)w->targets.data)[w->filled++] = (uint32_t)id;
    }
    return WALKED;
}

static int walk_all(walk *w, PyObject *adjacency) {
    int64_t *offsets = w->offsets.data;
    PyObject *row;
    Py_ssize_t at = 0;
    size_t v = 0;
    offsets[0] = 0;
    while (PyDict_Next(adjacency, &at, NULL, &row)) {
        if (!PyDict_CheckExact(row))
            return NOT_DICTS;
        if (v + 1 >= w->offsets.count)
            break;
        Py_INCREF(row);
        int result = walk_row(w, row);
        Py_DECREF(row);
        if (result != WALKED)
            return result;
        offsets[++v] = (int64_t)w->filled;
    }
    if (v + 1 == w->offsets.count && w->filled == w->targets.count)
        return WALKED;
    PyErr_SetString(PyExc_RuntimeError, "the graph changed while it was converted");
    return -1;
}

PyObject *walk_rows(PyObject *module, PyObject *arguments) {
    (void)module;
    walk w = {.filled = 0};
    PyObject *adjacency, *index, *attribute, *arrays[4], *result = NULL;
    int multigraph;
    if (!PyArg_ParseTuple(arguments, "O!OOpOOOO", &PyDict_Type, &adjacency, &index, &attribute,
                          &multigraph, &arrays[0], &arrays[1], &arrays[2], &arrays[3]))
        return NULL;
    w.multigraph = multigraph != 0;
    w.index = index == Py_None ? NULL : index;
    bool weighted = arrays[2] != Py_None;
    w.attribute = weighted ? attribute : NULL;
    if (array_hold(&w.offsets, arrays[0], sizeof(int64_t), 1, WRITE) &&
        array_hold(&w.targets, arrays[1], sizeof(uint32_t), 0, WRITE) &&
        array_hold(&w.weights, arrays[2], sizeof(number), w.targets.count, WRITE) &&
        array_hold(&w.kinds, arrays[3], 1, weighted ? w.targets.count : 0, WRITE)) {
        int code = walk_all(&w, adjacency);
        if (code >= 0)
            result = PyLong_FromLong(code);
        else if (w.reason != NULL && !PyErr_Occurred())
            result = Py_NewRef(w.reason);
    }
    Py_XDECREF(w.reason);
    array_release(&w.offsets);
    array_release(&w.targets);
    array_release(&w.weights);
    array_release(&w.kinds);
    return result;
}
