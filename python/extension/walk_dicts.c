/* SPDX-License-Identifier: Apache-2.0
 *
 * From NetworkX's dicts of dicts to rows in the order of the dicts.
 *
 * Only exact dicts are walked: a subclass, or the view of a subgraph, may give other items than
 * its table has. Looking up a node may call its __eq__, which is anybody's code, so everything is
 * owned before the first look-up, and no more is written than the arrays hold.
 *
 * Dicts, nodes and attributes lie all over the memory, and each is a pointer away from the last: a
 * walk that follows them one by one waits for the memory most of the time. So it goes in stages,
 * each over all rows or arcs: collect the pointers, fetching what they point to some way ahead, and
 * only then look.
 *
 * Where node i is the integer i, as in many graphs, a node's number is its value: no look-up. */
#include "walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_REAL = 0, KIND_WHOLE = 1, KIND_MISSING = 2 }; /* of a weight */
enum { AHEAD = 12, SHORT = 16 };                          /* arcs to fetch ahead; a short row */
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

/* What a walk knows. Objects that it points to are owned while it goes on. */
typedef struct walk {
    PyObject *index;     /* node -> number, or NULL: node i is i */
    PyObject *attribute; /* NULL: no weights */
    bool multigraph, undirected;
    array offsets, targets, weights, kinds;
    PyObject **rows;   /* the dicts of the nodes */
    PyObject **keys;   /* of each arc: the neighbour, and the dict of attributes */
    PyObject **values; /* NULL without weights */
    size_t n, arcs;    /* as many as are filled in */
    PyObject *reason;  /* a text: these weights cannot be used */
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
    Py_INCREF(value); /* its __index__ is anybody's code */
    PyObject *whole = PyNumber_Index(value);
    int overflow = 0, result = -1;
    if (whole != NULL) {
        found->kind = KIND_WHOLE;
        found->value.whole = PyLong_AsLongLongAndOverflow(whole, &overflow);
        result = overflow == 0 ? 0 : refuse(w, "a weight (%U) does not fit 64 bits", value);
        Py_DECREF(whole);
    } else if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        result = refuse(w, "a weight is of type %U, neither an integer nor a float", value);
    }
    Py_DECREF(value);
    return result;
}

/* Where x, rounded down, is an integer of 64 bits: that; else the nearest of them. */
static int64_t floor_of(double x) {
    x = floor(x);
    return x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (int64_t)x;
}

/* As Python compares them, without rounding an integer. */
static bool lighter(weight a, weight b) {
    if (a.kind == KIND_REAL && b.kind == KIND_REAL)
        return a.value.real < b.value.real;
    if (a.kind == KIND_REAL)
        return a.value.real < 0x1p63 && floor_of(a.value.real) < b.value.whole;
    if (b.kind != KIND_REAL)
        return a.value.whole < b.value.whole;
    int64_t down = floor_of(b.value.real);
    return b.value.real >= 0x1p63 || a.value.whole < down ||
           (a.value.whole == down && (double)down < b.value.real);
}

/* Of parallel edges the lightest counts, as it does in NetworkX. */
static int edge_weight(walk *w, size_t arc) {
    PyObject *data = w->values[arc];
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
            Py_INCREF(edge); /* of a dict that an __index__ could change */
            int result = weight_of(w, edge, &next);
            Py_DECREF(edge);
            if (result < 0)
                return -1;
            if (first || lighter(next, found))
                found = next;
            first = false;
        }
    }
    ((number *)w->weights.data)[arc] = found.value;
    ((uint8_t *)w->kinds.data)[arc] = found.kind;
    return WALKED;
}

static int changed(void) {
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "the graph changed while it was converted");
    return -1;
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
    return *id >= 0 && (size_t)*id + 1 < w->offsets.count ? WALKED : changed();
}

/* A hint: the table of a dict that will be walked soon. Its address stands behind the head, the
 * count and the version in the dicts of CPython 3.11 to 3.14; where it does not, what is prefetched
 * is of no use, and does no harm: nothing is read but the dict itself. */
static void prefetch_table(PyObject *dict) {
    void *table;
    if (!PyDict_CheckExact(dict))
        return;
    memcpy(&table, (const char *)dict + 2 * sizeof(void *) + 16, sizeof(table));
    __builtin_prefetch(table);
    __builtin_prefetch((const char *)table + 64);
    __builtin_prefetch((const char *)table + 128);
}

/* The dicts of the nodes. */
static int collect_rows(walk *w, PyObject *adjacency) {
    PyObject *row;
    Py_ssize_t at = 0;
    size_t most = w->offsets.count - 1, n = 0; /* w->n of them are owned */
    while (PyDict_Next(adjacency, &at, NULL, &row)) {
        if (n == most)
            return changed();
        w->rows[n++] = row;
    }
    if (n != most)
        return changed();
    for (; w->n < n; w->n++) {
        if (w->n + 2 * AHEAD < n)
            __builtin_prefetch(w->rows[w->n + 2 * AHEAD]);
        Py_INCREF(w->rows[w->n]);
    }
    return WALKED;
}

/* The arcs of all rows, as pointers: what they point to is fetched later, many at a time. */
static int collect_arcs(walk *w) {
    int64_t *offsets = w->offsets.data;
    PyObject *node, *data;
    size_t filled = 0;
    offsets[0] = 0;
    for (size_t v = 0; v < w->n; v++) {
        Py_ssize_t at = 0;
        if (v + AHEAD < w->n)
            prefetch_table(w->rows[v + AHEAD]);
        if (!PyDict_CheckExact(w->rows[v]))
            return NOT_DICTS;
        while (PyDict_Next(w->rows[v], &at, &node, &data)) {
            if (filled == w->targets.count)
                return changed();
            w->keys[filled] = node;
            if (w->values != NULL)
                w->values[filled] = data;
            filled++;
        }
        offsets[v + 1] = (int64_t)filled;
    }
    if (filled != w->targets.count)
        return changed();
    for (; w->arcs < filled; w->arcs++) { /* no code of others has run until here */
        if (w->arcs + 2 * AHEAD < filled) {
            __builtin_prefetch(w->keys[w->arcs + 2 * AHEAD]);
            if (w->values != NULL)
                __builtin_prefetch(w->values[w->arcs + 2 * AHEAD]);
        }
        Py_INCREF(w->keys[w->arcs]);
        if (w->values != NULL)
            Py_INCREF(w->values[w->arcs]);
    }
    return WALKED;
}

static int find_targets(walk *w) {
    uint32_t *targets = w->targets.data;
    for (size_t arc = 0; arc < w->arcs; arc++) {
        long long id = 0;
        if (arc + 2 * AHEAD < w->arcs)
            __builtin_prefetch(w->keys[arc + 2 * AHEAD]);
        int result = target_of(w, w->keys[arc], &id);
        if (result != WALKED)
            return result;
        targets[arc] = (uint32_t)id;
    }
    return WALKED;
}

/* The weight of an undirected edge stands with its earlier end already. In a long row it would
 * take long to find. */
static bool weight_of_twin(walk *w, size_t from, size_t arc) {
    const int64_t *offsets = w->offsets.data;
    const uint32_t *targets = w->targets.data;
    size_t v = targets[arc];
    if (!w->undirected || v >= from || offsets[v + 1] - offsets[v] > SHORT)
        return false;
    for (int64_t twin = offsets[v]; twin < offsets[v + 1]; twin++) {
        if (targets[twin] != from)
            continue;
        ((number *)w->weights.data)[arc] = ((number *)w->weights.data)[twin];
        ((uint8_t *)w->kinds.data)[arc] = ((uint8_t *)w->kinds.data)[twin];
        return true;
    }
    return false;
}

static int find_weights(walk *w) {
    const int64_t *offsets = w->offsets.data;
    const uint32_t *targets = w->targets.data;
    for (size_t v = 0; v < w->n; v++) {
        for (size_t arc = (size_t)offsets[v]; arc < (size_t)offsets[v + 1]; arc++) {
            size_t soon = arc + AHEAD;
            if (soon < w->arcs && (!w->undirected || targets[soon] >= v))
                prefetch_table(w->values[soon]);
            if (soon + AHEAD < w->arcs)
                __builtin_prefetch(w->values[soon + AHEAD]);
            if (weight_of_twin(w, v, arc))
                continue;
            int result = edge_weight(w, arc);
            if (result != WALKED)
                return result;
        }
    }
    return WALKED;
}

static int walk_all(walk *w, PyObject *adjacency, bool weighted) {
    size_t arcs = w->targets.count + 1;
    w->rows = malloc(w->offsets.count * sizeof(*w->rows));
    w->keys = malloc(arcs * sizeof(*w->keys));
    w->values = weighted ? malloc(arcs * sizeof(*w->values)) : NULL;
    if (w->rows == NULL || w->keys == NULL || (weighted && w->values == NULL)) {
        PyErr_NoMemory();
        return -1;
    }
    int result = collect_rows(w, adjacency);
    if (result == WALKED)
        result = collect_arcs(w);
    if (result == WALKED)
        result = find_targets(w);
    if (result == WALKED && weighted)
        result = find_weights(w);
    return result;
}

static void walk_release(walk *w) {
    for (size_t arc = 0; arc < w->arcs; arc++) {
        Py_DECREF(w->keys[arc]);
        if (w->values != NULL)
            Py_DECREF(w->values[arc]);
    }
    for (size_t v = 0; v < w->n; v++)
        Py_DECREF(w->rows[v]);
    free(w->rows);
    free(w->keys);
    free(w->values);
    Py_XDECREF(w->reason);
    array_release(&w->offsets);
    array_release(&w->targets);
    array_release(&w->weights);
    array_release(&w->kinds);
}

PyObject *walk_rows(PyObject *module, PyObject *arguments) {
    (void)module;
    walk w = {.n = 0};
    PyObject *adjacency, *index, *arrays[4], *result = NULL;
    int multigraph, undirected;
    if (!PyArg_ParseTuple(arguments, "O!OOppOOOO", &PyDict_Type, &adjacency, &index, &w.attribute,
                          &multigraph, &undirected, &arrays[0], &arrays[1], &arrays[2], &arrays[3]))
        return NULL;
    w.multigraph = multigraph != 0;
    w.undirected = undirected != 0;
    w.index = index == Py_None ? NULL : index;
    bool weighted = arrays[2] != Py_None;
    if (array_hold(&w.offsets, arrays[0], sizeof(int64_t), 1, WRITE) &&
        array_hold(&w.targets, arrays[1], sizeof(uint32_t), 0, WRITE) &&
        array_hold(&w.weights, arrays[2], sizeof(number), w.targets.count, WRITE) &&
        array_hold(&w.kinds, arrays[3], 1, weighted ? w.targets.count : 0, WRITE)) {
        int code = walk_all(&w, adjacency, weighted);
        if (code >= 0)
            result = PyLong_FromLong(code);
        else if (w.reason != NULL && !PyErr_Occurred())
            result = Py_NewRef(w.reason);
    }
    walk_release(&w);
    return result;
}
