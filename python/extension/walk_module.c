/* SPDX-License-Identifier: Apache-2.0
 *
 * The module itself, and how it holds arrays. */
#include "walk.h"

bool array_hold(array *held, PyObject *object, size_t item, size_t least, int access) {
    *held = (array){.data = NULL};
    if (object == Py_None)
        return true;
    int flags = PyBUF_C_CONTIGUOUS | (access == WRITE ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, &held->view, flags) < 0)
        return false;
    held->data = held->view.buf;
    held->count = (size_t)held->view.len / item;
    if (held->view.itemsize == (Py_ssize_t)item && held->count >= least)
        return true;
    PyErr_Format(PyExc_ValueError, "an array of %zd items of %zd bytes, at least %zu of %zu needed",
                 (Py_ssize_t)held->count, held->view.itemsize, least, item);
    array_release(held);
    return false;
}

void array_release(array *held) {
    if (held->data != NULL || held->view.obj != NULL)
        PyBuffer_Release(&held->view);
    *held = (array){.data = NULL};
}

void arrays_release(array *held, size_t count) {
    for (size_t i = 0; i < count; i++)
        array_release(&held[i]);
}

bool rows_hold(rows *held, PyObject *offsets, PyObject *targets, PyObject *weights) {
    *held = (rows){.n = 0};
    if (!array_hold(&held->offsets, offsets, sizeof(int64_t), 1, READ) ||
        !array_hold(&held->targets, targets, sizeof(uint32_t), 0, READ))
        goto failed;
    if (weights != Py_None) {
        PyObject *kind = PyObject_GetAttrString(weights, "dtype");
        PyObject *name = kind == NULL ? NULL : PyObject_GetAttrString(kind, "kind");
        held->real = name != NULL && PyUnicode_CompareWithASCIIString(name, "f") == 0;
        Py_XDECREF(kind);
        if (name == NULL)
            goto failed;
        Py_DECREF(name);
        if (!array_hold(&held->weights, weights, sizeof(int64_t), held->targets.count, READ))
            goto failed;
    }
    held->n = held->offsets.count - 1;
    if ((size_t)row_offsets(held)[held->n] <= held->targets.count)
        return true;
    PyErr_SetString(PyExc_ValueError, "offsets end beyond the targets");
failed:
    rows_release(held);
    return false;
}

void rows_release(rows *held) {
    array_release(&held->offsets);
    array_release(&held->targets);
    array_release(&held->weights);
}

static PyMethodDef functions[] = {
    {"nodes", walk_nodes, METH_VARARGS, "nodes(adjacency) -> (list, whether node i is i)"},
    {"count", walk_count, METH_VARARGS, "count(adjacency) -> arcs, or -1: not plain dicts"},
    {"rows", walk_rows, METH_VARARGS,
     "rows(adjacency, index, attribute, multigraph, undirected, offsets, targets, weights, kinds)"},
    {"sort", walk_sort, METH_VARARGS,
     "sort(offsets, targets, weights, sorted_targets, sorted_weights)"},
    {"take", walk_take, METH_VARARGS, "take(nodes, ids) -> list"},
    {"lists", walk_lists, METH_VARARGS, "lists(nodes, ids, starts) -> list of lists"},
    {"sets", walk_sets, METH_VARARGS, "sets(nodes, ids, starts) -> list of sets"},
    {"table", walk_table, METH_VARARGS, "table(nodes, ids, values, whole) -> dict"},
    {"path", walk_path, METH_VARARGS, "path(nodes, parents, id, reverse) -> list"},
    {"paths", walk_paths, METH_VARARGS,
     "paths(nodes, order, parents, forward, most) -> dict, or None: more than most nodes"},
    {"near", walk_near, METH_VARARGS,
     "near(nodes, addresses, offsets, targets, source, limit) -> dict of numbers of edges"},
    {"ways", walk_ways, METH_VARARGS,
     "ways(nodes, offsets, targets, source, limit, forward, most) -> dict of paths, or None: more "
     "than most nodes"},
    {"search", walk_search, METH_VARARGS,
     "search(offsets, targets, sources, limit, order, starts, parents) -> levels"},
    {"deep", walk_deep, METH_VARARGS,
     "deep(offsets, targets, roots, limit, order, parents, post) -> (found, left)"},
    {"peel", walk_peel, METH_VARARGS, "peel(offsets, targets, order, starts) -> generations"},
    {"longest", walk_longest, METH_VARARGS,
     "longest(offsets, targets, weights, order, sums, parents), of the rows backwards"},
    {"layers", walk_layers, METH_VARARGS,
     "layers(nodes, addresses, offsets, targets, sources) -> iterator over lists of nodes, level "
     "by "
     "level"},
    {"addresses", walk_addresses, METH_VARARGS,
     "addresses(nodes, out): where the items of a tuple are"},
    {"meet", walk_meet, METH_VARARGS,
     "meet(offsets, targets, back_offsets, back_targets, source, target, ends) -> ids or None"},
    {"between", walk_between, METH_VARARGS,
     "between((offsets, targets, weights, kinds), the same backwards, source, target, (ends, sums, "
     "flags)) -> (distance, ids) or None"},
    {"settle", walk_settle, METH_VARARGS,
     "settle(offsets, targets, weights, distances, sources, order, parents, kinds, whole) -> "
     "count"},
    {"relax", walk_relax, METH_VARARGS,
     "relax(offsets, targets, weights, sources, heuristic, distances, order, kinds, whole) -> "
     "(count, found, starts, predecessors)"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "_walk",
    "Walks the dicts of NetworkX; see python/extension/walk.h.",
    -1,
    functions,
    NULL,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__walk(void);

PyMODINIT_FUNC PyInit__walk(void) {
    return PyModule_Create(&definition);
}
