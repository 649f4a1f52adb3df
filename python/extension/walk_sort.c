/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows in ascending order, as the library wants them, from rows in the order of dicts. Rows are
 * short as a rule, and then an insertion sort is quickest. */
#include "walk.h"

#include <stdlib.h>

enum { INSERTION = 24 };

typedef struct arc {
    uint32_t target;
    number weight;
} arc;

static int by_target(const void *a, const void *b) {
    uint32_t x = ((const arc *)a)->target, y = ((const arc *)b)->target;
    return (x > y) - (x < y);
}

static void sort_row(arc *row, size_t count) {
    if (count > INSERTION) {
        qsort(row, count, sizeof(*row), by_target);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        arc moving = row[i];
        size_t at = i;
        for (; at > 0 && row[at - 1].target > moving.target; at--)
            row[at] = row[at - 1];
        row[at] = moving;
    }
}

static void sort_rows(const rows *graph, arc *scratch, uint32_t *targets, number *weights) {
    const int64_t *offsets = row_offsets(graph);
    for (size_t v = 0; v < graph->n; v++) {
        size_t first = (size_t)offsets[v], count = (size_t)(offsets[v + 1] - offsets[v]);
        for (size_t i = 0; i < count; i++)
            scratch[i] = (arc){row_targets(graph)[first + i], weight_at(graph, first + i)};
        sort_row(scratch, count);
        for (size_t i = 0; i < count; i++) {
            targets[first + i] = scratch[i].target;
            if (weights != NULL)
                weights[first + i] = scratch[i].weight;
        }
    }
}

PyObject *walk_sort(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *o[5], *result = NULL;
    rows graph;
    array held[2] = {{.data = NULL}, {.data = NULL}};
    if (!PyArg_ParseTuple(arguments, "OOOOO", &o[0], &o[1], &o[2], &o[3], &o[4]) ||
        !rows_hold(&graph, o[0], o[1], o[2]))
        return NULL;
    int64_t longest = 0;
    for (size_t v = 0; v < graph.n; v++)
        if (row_offsets(&graph)[v + 1] - row_offsets(&graph)[v] > longest)
            longest = row_offsets(&graph)[v + 1] - row_offsets(&graph)[v];
    arc *scratch = malloc(((size_t)longest + 1) * sizeof(*scratch));
    size_t arcs = graph.targets.count;
    if (scratch == NULL) {
        PyErr_NoMemory();
    } else if (array_hold(&held[0], o[3], sizeof(uint32_t), arcs, WRITE) &&
               array_hold(&held[1], o[4], sizeof(number), o[4] == Py_None ? 0 : arcs, WRITE)) {
        Py_BEGIN_ALLOW_THREADS sort_rows(&graph, scratch, held[0].data, held[1].data);
        Py_END_ALLOW_THREADS result = Py_NewRef(Py_None);
    }
    free(scratch);
    arrays_release(held, 2);
    rows_release(&graph);
    return result;
}
