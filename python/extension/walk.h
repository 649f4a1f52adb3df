/* SPDX-License-Identifier: Apache-2.0
 *
 * The optional extension module hoplite._walk: what the backend for NetworkX and hoplite.csgraph do
 * per node or per edge, at the speed of C. Only the limited API of Python 3.11 is used, so one
 * binary serves every later Python. hoplite/_slow.py has the same functions in Python; tests run
 * both.
 *
 * Arrays arrive as buffers (of NumPy). The module is private and trusts their contents, which the
 * package made, but not their sizes. */
#ifndef HOPLITE_WALK_H
#define HOPLITE_WALK_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#define NONE UINT32_MAX /* no vertex, no level */

/* A buffer that is held. `data` is NULL for None. */
typedef struct array {
    Py_buffer view;
    void *data;
    size_t count;
} array;

enum { READ = 0, WRITE = 1 };

/* Holds the buffer of `object`, whose items have `item` bytes and are at least `least`; on failure
 * an exception is set. None gives an array without data. */
bool array_hold(array *held, PyObject *object, size_t item, size_t least, int access);
void array_release(array *held);
/* All of several; those that were never held are zero. */
void arrays_release(array *held, size_t count);

/* Rows of a graph: offsets int64, targets uint32, weights int64 or double or none. */
typedef struct rows {
    array offsets, targets, weights;
    size_t n;
    bool real; /* weights are doubles */
} rows;

bool rows_hold(rows *held, PyObject *offsets, PyObject *targets, PyObject *weights);
void rows_release(rows *held);

static inline const int64_t *row_offsets(const rows *graph) {
    return graph->offsets.data;
}

static inline const uint32_t *row_targets(const rows *graph) {
    return graph->targets.data;
}

/* A distance or a weight. */
typedef union number {
    int64_t whole;
    double real;
} number;

static inline number number_at(const void *array_data, size_t i, bool real) {
    number found;
    if (real)
        found.real = ((const double *)array_data)[i];
    else
        found.whole = ((const int64_t *)array_data)[i];
    return found;
}

static inline number weight_at(const rows *graph, size_t arc) {
    if (graph->weights.data == NULL)
        return (number){.whole = 1};
    return number_at(graph->weights.data, arc, graph->real);
}

static inline number number_sum(number a, number b, bool real) {
    if (real)
        return (number){.real = a.real + b.real};
    return (number){.whole = a.whole + b.whole};
}

static inline bool number_less(number a, number b, bool real) {
    return real ? a.real < b.real : a.whole < b.whole;
}

static inline bool number_equal(number a, number b, bool real) {
    return real ? !(a.real < b.real) && !(a.real > b.real) : a.whole == b.whole;
}

/* In Python a sum is an integer where all that was added is. `kinds` says which weights are (NULL:
 * none), `whole` which distances; without `whole` there is nothing to do. The sum of nothing is. */
static inline void whole_sum(const array *kinds, const array *whole, uint32_t v, uint32_t from,
                             int64_t arc) {
    if (whole->data == NULL)
        return;
    uint8_t *sums = whole->data;
    const uint8_t *kind = kinds->data;
    sums[v] = from == NONE || (kind != NULL && sums[from] && kind[arc]);
}

/* Breadth-first search in the order of the rows (walk_order.c). `seen` is n zero bytes, `order` and
 * `starts` have room for n + 1, `parents` (which may be NULL) for n; the sources' parents are left
 * as they are. Returns the number of levels: level l is order[starts[l] .. starts[l + 1]). */
size_t search(const rows *graph, const uint32_t *sources, size_t source_count, uint32_t limit,
              uint8_t *seen, uint32_t *order, uint32_t *starts, uint32_t *parents);

/* Its steps. The sources, each once, into `order`: how many; and the level that follows
 * order[first .. last): returns where that ends. */
size_t search_start(const uint32_t *sources, size_t count, uint8_t *seen, uint32_t *order);
size_t search_level(const rows *graph, size_t first, size_t last, uint8_t *seen, uint32_t *order,
                    uint32_t *parents);

/* Objects that are made here all live until they are handed over: a collection meanwhile would
 * look at each of them, some several times, and find nothing. What collecting_pause returned goes
 * to collecting_resume. */
static inline int collecting_pause(void) {
    return PyGC_Disable();
}

static inline void collecting_resume(int before) {
    if (before)
        PyGC_Enable();
}

/* Nodes by number, some at a time, so that the memory brings many of them at once; borrowed. */
enum { BLOCK = 32 };
bool nodes_gather(PyObject *nodes, const uint32_t *ids, size_t count, PyObject **block);

/* A dict of the paths to all of order[0 .. count) along parents, in this order: a vertex comes
 * after its parent. None: they have more than `most` nodes together. (walk_objects.c) */
PyObject *ways_of(PyObject *nodes, const uint32_t *order, size_t count, const uint32_t *parents,
                  bool forward, size_t most);

/* The functions of the module. */
PyObject *walk_nodes(PyObject *module, PyObject *arguments);
PyObject *walk_count(PyObject *module, PyObject *arguments);
PyObject *walk_rows(PyObject *module, PyObject *arguments);
PyObject *walk_sort(PyObject *module, PyObject *arguments);
PyObject *walk_take(PyObject *module, PyObject *arguments);
PyObject *walk_lists(PyObject *module, PyObject *arguments);
PyObject *walk_sets(PyObject *module, PyObject *arguments);
PyObject *walk_table(PyObject *module, PyObject *arguments);
PyObject *walk_path(PyObject *module, PyObject *arguments);
PyObject *walk_paths(PyObject *module, PyObject *arguments);
PyObject *walk_near(PyObject *module, PyObject *arguments);
PyObject *walk_ways(PyObject *module, PyObject *arguments);
PyObject *walk_search(PyObject *module, PyObject *arguments);
PyObject *walk_deep(PyObject *module, PyObject *arguments);
PyObject *walk_peel(PyObject *module, PyObject *arguments);
PyObject *walk_longest(PyObject *module, PyObject *arguments);
PyObject *walk_addresses(PyObject *module, PyObject *arguments);
PyObject *walk_layers(PyObject *module, PyObject *arguments);
PyObject *walk_meet(PyObject *module, PyObject *arguments);
PyObject *walk_between(PyObject *module, PyObject *arguments);
PyObject *walk_settle(PyObject *module, PyObject *arguments);
PyObject *walk_relax(PyObject *module, PyObject *arguments);

#endif
