/* SPDX-License-Identifier: Apache-2.0
 *
 * From arrays to what NetworkX returns: lists, sets and dicts of nodes. */
#include "walk.h"

#include <stdlib.h>

/* The node with this number, borrowed; NULL with an exception. */
static PyObject *node_at(PyObject *nodes, uint32_t id) {
    return PyList_GetItem(nodes, (Py_ssize_t)id);
}

bool nodes_gather(PyObject *nodes, const uint32_t *ids, size_t count, PyObject **block) {
    for (size_t i = 0; i < count; i++) {
        block[i] = node_at(nodes, ids[i]);
        if (block[i] == NULL)
            return false;
        __builtin_prefetch(block[i], 1);
    }
    return true;
}

static size_t block_of(size_t done, size_t count) {
    return count - done < BLOCK ? count - done : BLOCK;
}

static PyObject *list_of(PyObject *nodes, const uint32_t *ids, size_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count), *block[BLOCK];
    for (size_t i = 0, some; list != NULL && i < count; i += some) {
        some = block_of(i, count);
        bool good = nodes_gather(nodes, ids + i, some, block);
        for (size_t k = 0; good && k < some; k++)
            good = PyList_SetItem(list, (Py_ssize_t)(i + k), Py_NewRef(block[k])) == 0;
        if (!good)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *set_of(PyObject *nodes, const uint32_t *ids, size_t count) {
    PyObject *set = PySet_New(NULL), *block[BLOCK];
    for (size_t i = 0, some; set != NULL && i < count; i += some) {
        some = block_of(i, count);
        bool good = nodes_gather(nodes, ids + i, some, block);
        for (size_t k = 0; good && k < some; k++)
            good = PySet_Add(set, block[k]) == 0;
        if (!good)
            Py_CLEAR(set);
    }
    return set;
}

PyObject *walk_take(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *nodes, *ids, *list = NULL;
    array held;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyList_Type, &nodes, &ids))
        return NULL;
    if (array_hold(&held, ids, sizeof(uint32_t), 0, READ))
        list = list_of(nodes, held.data, held.count);
    array_release(&held);
    return list;
}

/* A list of what `make` makes of the parts of `ids` that `starts` separates. */
static PyObject *parts_of(PyObject *arguments,
                          PyObject *(*make)(PyObject *, const uint32_t *, size_t)) {
    PyObject *nodes, *ids, *starts, *list = NULL;
    array held[2] = {{.data = NULL}, {.data = NULL}};
    if (!PyArg_ParseTuple(arguments, "O!OO", &PyList_Type, &nodes, &ids, &starts))
        return NULL;
    if (array_hold(&held[0], ids, sizeof(uint32_t), 0, READ) &&
        array_hold(&held[1], starts, sizeof(uint32_t), 1, READ)) {
        const uint32_t *all = held[0].data, *start = held[1].data;
        size_t parts = held[1].count - 1;
        int collecting = collecting_pause();
        list = PyList_New((Py_ssize_t)parts);
        for (size_t i = 0; list != NULL && i < parts; i++) {
            PyObject *part = NULL;
            if (start[i] <= start[i + 1] && start[i + 1] <= held[0].count)
                part = make(nodes, all + start[i], start[i + 1] - start[i]);
            else
                PyErr_SetString(PyExc_ValueError, "starts are not ascending");
            if (part == NULL || PyList_SetItem(list, (Py_ssize_t)i, part) < 0)
                Py_CLEAR(list);
        }
        collecting_resume(collecting);
    }
    arrays_release(held, 2);
    return list;
}

PyObject *walk_lists(PyObject *module, PyObject *arguments) {
    (void)module;
    return parts_of(arguments, list_of);
}

PyObject *walk_sets(PyObject *module, PyObject *arguments) {
    (void)module;
    return parts_of(arguments, set_of);
}

/* Values by number, in one of three types; `whole` says which doubles are to be integers. */
typedef struct values {
    array data, whole;
    char type; /* as NumPy's dtype.char: L or I for uint32 or int64, d */
} values;

static PyObject *value_at(const values *from, uint32_t id) {
    if (from->type == 'I')
        return PyLong_FromUnsignedLong(((const uint32_t *)from->data.data)[id]);
    if (from->type == 'l')
        return PyLong_FromLongLong(((const int64_t *)from->data.data)[id]);
    double value = ((const double *)from->data.data)[id];
    if (from->whole.data != NULL && ((const uint8_t *)from->whole.data)[id])
        return PyLong_FromDouble(value);
    return PyFloat_FromDouble(value);
}

static PyObject *table_of(PyObject *nodes, const array *ids, const values *from) {
    const uint32_t *id = ids->data;
    PyObject *table = PyDict_New(), *block[BLOCK];
    for (size_t i = 0, some; table != NULL && i < ids->count; i += some) {
        some = block_of(i, ids->count);
        bool good = nodes_gather(nodes, id + i, some, block);
        for (size_t k = 0; good && k < some; k++) {
            PyObject *value = NULL;
            if (id[i + k] < from->data.count)
                value = value_at(from, id[i + k]);
            else
                PyErr_SetString(PyExc_ValueError, "too few values");
            good = value != NULL && PyDict_SetItem(table, block[k], value) == 0;
            Py_XDECREF(value);
        }
        if (!good)
            Py_CLEAR(table);
    }
    return table;
}

PyObject *walk_table(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *nodes, *ids, *data, *whole, *table = NULL;
    values from = {.type = 0};
    array held = {.data = NULL};
    const char *type;
    if (!PyArg_ParseTuple(arguments, "O!OOOs", &PyList_Type, &nodes, &ids, &data, &whole, &type))
        return NULL;
    from.type = type[0];
    size_t item = from.type == 'I' ? sizeof(uint32_t) : sizeof(int64_t);
    if (array_hold(&held, ids, sizeof(uint32_t), 0, READ) &&
        array_hold(&from.data, data, item, 0, READ) &&
        array_hold(&from.whole, whole, 1, whole == Py_None ? 0 : from.data.count, READ))
        table = table_of(nodes, &held, &from);
    array_release(&held);
    array_release(&from.data);
    array_release(&from.whole);
    return table;
}

/* The way from v along parents, in this order (forward) or in the other. */
static PyObject *way_of(PyObject *nodes, const uint32_t *parents, uint32_t v, size_t length,
                        bool forward) {
    PyObject *list = PyList_New((Py_ssize_t)length);
    for (size_t i = 0; list != NULL && i < length; i++, v = parents[v]) {
        PyObject *node = node_at(nodes, v);
        size_t at = forward ? i : length - 1 - i;
        if (node == NULL || PyList_SetItem(list, (Py_ssize_t)at, Py_NewRef(node)) < 0)
            Py_CLEAR(list);
    }
    return list;
}

PyObject *walk_path(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *nodes, *parents, *list = NULL;
    unsigned int end;
    int forward;
    array held;
    if (!PyArg_ParseTuple(arguments, "O!OIp", &PyList_Type, &nodes, &parents, &end, &forward))
        return NULL;
    if (array_hold(&held, parents, sizeof(uint32_t), 0, READ)) {
        const uint32_t *parent = held.data;
        size_t length = 0;
        for (uint32_t v = end; v < held.count && length <= held.count; v = parent[v])
            length++;
        if (length > held.count)
            PyErr_SetString(PyExc_ValueError, "parents go round in a circle");
        else
            list = way_of(nodes, parent, end, length, forward != 0);
    }
    array_release(&held);
    return list;
}

/* The number of vertices on all ways, with that of each in `lengths`. */
static size_t measure_ways(const uint32_t *order, size_t count, const uint32_t *parents,
                           uint32_t *lengths) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t v = order[i], from = parents[v];
        lengths[v] = from == NONE ? 1 : lengths[from] + 1;
        total += lengths[v];
    }
    return total;
}

/* Each way is its parent's and one node more, which is quicker to copy than to walk again.
 * `made` has room for one way of each node; they are the table's. */
static bool add_ways(PyObject *table, PyObject *nodes, const uint32_t *order, size_t count,
                     const uint32_t *parents, bool forward, PyObject **made) {
    PyObject *one = PyList_New(1);
    bool good = one != NULL;
    size_t done = 0;
    for (size_t i = 0; good && i < count; i++) {
        uint32_t v = order[i];
        PyObject *node = node_at(nodes, v), *before = parents[v] == NONE ? NULL : made[parents[v]];
        good = node != NULL && PyList_SetItem(one, 0, Py_NewRef(node)) == 0;
        if (!good)
            break;
        if (before == NULL)
            made[v] = PyList_GetSlice(one, 0, 1);
        else
            made[v] = forward ? PySequence_Concat(one, before) : PySequence_Concat(before, one);
        good = made[v] != NULL && PyDict_SetItem(table, node, made[v]) == 0;
        done = i + 1;
    }
    for (size_t i = 0; i < done; i++) /* not before: equal nodes would have dropped some */
        Py_XDECREF(made[order[i]]);
    Py_XDECREF(one);
    return good;
}

PyObject *ways_of(PyObject *nodes, const uint32_t *order, size_t count, const uint32_t *parents,
                  bool forward, size_t most) {
    size_t n = (size_t)PyList_Size(nodes) + 1;
    uint32_t *lengths = malloc(n * sizeof(*lengths));
    PyObject **made = malloc(n * sizeof(*made)), *table = NULL;
    if (made == NULL || lengths == NULL) {
        PyErr_NoMemory();
    } else if (measure_ways(order, count, parents, lengths) > most) {
        table = Py_NewRef(Py_None);
    } else {
        int collecting = collecting_pause();
        table = PyDict_New();
        if (table != NULL && !add_ways(table, nodes, order, count, parents, forward, made))
            Py_CLEAR(table);
        collecting_resume(collecting);
    }
    free(lengths);
    free(made);
    return table;
}

PyObject *walk_paths(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *nodes, *o[2], *table = NULL;
    int forward;
    Py_ssize_t most;
    array held[2] = {{.data = NULL}, {.data = NULL}};
    if (!PyArg_ParseTuple(arguments, "O!OOpn", &PyList_Type, &nodes, &o[0], &o[1], &forward, &most))
        return NULL;
    if (array_hold(&held[0], o[0], sizeof(uint32_t), 0, READ) &&
        array_hold(&held[1], o[1], sizeof(uint32_t), (size_t)PyList_Size(nodes), READ))
        table =
            ways_of(nodes, held[0].data, held[0].count, held[1].data, forward != 0, (size_t)most);
    arrays_release(held, 2);
    return table;
}
