/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders of NetworkX, which looks at neighbours in the order in which edges were added.
 *
 * search: breadth-first search in that order, level after level. */
#include "walk.h"

#include <stdlib.h>
#include <string.h>

enum { SOON = 8 };      /* vertices of the queue whose rows are fetched ahead */
enum { ROWS = 64 };     /* rows that are scanned together */
enum { SHORT = 4 };     /* arcs of a short row */
enum { TOGETHER = 16 }; /* arcs that are looked at together */

/* The row of a vertex that will be looked at soon: where it begins, and half as far ahead, what
 * stands there. */
static inline void fetch_rows(const int64_t *offsets, const uint32_t *targets,
                              const uint32_t *order, size_t i, size_t filled) {
    if (i + 2 * SOON < filled)
        __builtin_prefetch(&offsets[order[i + 2 * SOON]]);
    if (i + SOON < filled)
        __builtin_prefetch(&targets[offsets[order[i + SOON]]]);
}

/* Appends those of `count` heads that are new to the queue of `filled`, and returns how many it has
 * now. Without a branch per arc, which would be foreseen badly: what is written behind the end of
 * the queue counts for nothing. Where that is depends on what was seen before; so a processor that
 * has met a vertex twice in a row would hold back each look at `seen` until it knows. Hence sixteen
 * looks, then sixteen appends. */
static inline size_t append_new(const uint32_t *heads, size_t count, uint8_t *seen, uint32_t *order,
                                size_t filled) {
    size_t k = 0;
    for (; k + TOGETHER <= count; k += TOGETHER) {
        uint32_t fresh = 0;
        for (size_t j = 0; j < TOGETHER; j++) {
            fresh |= (seen[heads[k + j]] ^ 1u) << j;
            seen[heads[k + j]] = 1;
        }
        for (size_t j = 0; j < TOGETHER; j++) {
            order[filled] = heads[k + j];
            filled += (fresh >> j) & 1;
        }
    }
    for (; k < count; k++) {
        order[filled] = heads[k];
        filled += seen[heads[k]] ^ 1u;
        seen[heads[k]] = 1;
    }
    return filled;
}

/* The new ones of some rows. Short rows are put together first, four arcs whatever they have, since
 * where they end would be foreseen badly, too; and filled up with a vertex that was seen. */
static size_t scan_rows(const rows *graph, const uint32_t *some, size_t count, uint8_t *seen,
                        uint32_t *order, size_t filled) {
    const int64_t *offsets = row_offsets(graph), arcs = offsets[graph->n];
    const uint32_t *targets = row_targets(graph);
    uint32_t heads[SHORT * ROWS + TOGETHER];
    size_t laid = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t begin = offsets[some[i]], degree = offsets[some[i] + 1] - begin;
        if (degree <= SHORT && begin + SHORT <= arcs) {
            memcpy(heads + laid, targets + begin, SHORT * sizeof(*heads));
            laid += (size_t)degree;
        } else {
            filled = append_new(heads, laid, seen, order, filled);
            filled = append_new(targets + begin, (size_t)degree, seen, order, filled);
            laid = 0;
        }
    }
    for (size_t i = 0; i < TOGETHER; i++)
        heads[laid + i] = some[0];
    return append_new(heads, (laid + TOGETHER - 1) / TOGETHER * TOGETHER, seen, order, filled);
}

/* With parents: those of u's row. */
static inline size_t scan_tree(const rows *graph, uint32_t u, uint8_t *seen, uint32_t *order,
                               size_t filled, uint32_t *parents) {
    const int64_t *offsets = row_offsets(graph);
    const uint32_t *targets = row_targets(graph);
    for (int64_t arc = offsets[u]; arc < offsets[u + 1]; arc++) {
        uint32_t v = targets[arc], fresh = seen[v] ^ 1u;
        order[filled] = v;
        filled += fresh;
        seen[v] = 1;
        parents[v] ^= (parents[v] ^ u) & (0 - fresh); /* fresh ? u : as it is */
    }
    return filled;
}

size_t search_start(const uint32_t *sources, size_t count, uint8_t *seen, uint32_t *order) {
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        if (!seen[sources[i]]) {
            seen[sources[i]] = 1;
            order[filled++] = sources[i];
        }
    }
    return filled;
}

size_t search_level(const rows *graph, size_t first, size_t last, uint8_t *seen, uint32_t *order,
                    uint32_t *parents) {
    const int64_t *offsets = row_offsets(graph);
    const uint32_t *targets = row_targets(graph);
    size_t filled = last;
    for (size_t i = first, some; parents == NULL && i < last && filled < graph->n; i += some) {
        some = last - i < ROWS ? last - i : ROWS;
        for (size_t k = i + some; k < i + some + ROWS && k < filled; k++)
            __builtin_prefetch(&offsets[order[k]]);
        filled = scan_rows(graph, order + i, some, seen, order, filled);
    }
    for (size_t i = first; parents != NULL && i < last && filled < graph->n; i++) {
        fetch_rows(offsets, targets, order, i, filled);
        filled = scan_tree(graph, order[i], seen, order, filled, parents);
    }
    return filled;
}

size_t search(const rows *graph, const uint32_t *sources, size_t source_count, uint32_t limit,
              uint8_t *seen, uint32_t *order, uint32_t *starts, uint32_t *parents) {
    size_t filled = search_start(sources, source_count, seen, order), levels = 0, first = 0;
    starts[0] = 0;
    while (first < filled) {
        size_t last = filled;
        starts[++levels] = (uint32_t)last;
        if (levels > limit)
            break;
        filled = search_level(graph, first, last, seen, order, parents);
        first = last;
    }
    return levels;
}

typedef struct search_arrays {
    array sources, order, starts, parents;
} search_arrays;

PyObject *walk_search(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *o[6], *result = NULL;
    unsigned int limit;
    rows graph;
    search_arrays out = {.order = {.data = NULL}};
    if (!PyArg_ParseTuple(arguments, "OOOIOOO", &o[0], &o[1], &o[2], &limit, &o[3], &o[4], &o[5]) ||
        !rows_hold(&graph, o[0], o[1], Py_None))
        return NULL;
    uint8_t *seen = calloc(graph.n + 1, 1);
    if (seen == NULL) {
        PyErr_NoMemory();
    } else if (array_hold(&out.sources, o[2], sizeof(uint32_t), 0, READ) &&
               array_hold(&out.order, o[3], sizeof(uint32_t), graph.n + 1, WRITE) &&
               array_hold(&out.starts, o[4], sizeof(uint32_t), graph.n + 1, WRITE) &&
               array_hold(&out.parents, o[5], sizeof(uint32_t), o[5] == Py_None ? 0 : graph.n,
                          WRITE)) {
        size_t levels;
        if (out.parents.data != NULL)
            memset(out.parents.data, 0xff, graph.n * sizeof(uint32_t));
        Py_BEGIN_ALLOW_THREADS levels =
            search(&graph, out.sources.data, out.sources.count, limit, seen, out.order.data,
                   out.starts.data, out.parents.data);
        Py_END_ALLOW_THREADS result = PyLong_FromSize_t(levels);
    }
    free(seen);
    array_release(&out.sources);
    array_release(&out.order);
    array_release(&out.starts);
    array_release(&out.parents);
    rows_release(&graph);
    return result;
}
