/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows that grow and shrink: see index_rows.h. */
#include "index/index_rows.h"

#include <string.h>

#include "core/checked.h"
#include "core/progress.h"
#include "core/try.h"

enum { POLL_VERTICES = 1 << 14, LEAST_ROOM = 4 };

void hop__rows_close(hop__rows *rows) {
    hop__free(rows->rows);
    hop__free(rows->arcs);
    *rows = (hop__rows){0};
}

static uint64_t weight_at(const hop_graph *graph, uint64_t arc) {
    return graph->weight_type == HOP_TYPE_INT32   ? (uint64_t)((const int32_t *)graph->weights)[arc]
           : graph->weight_type == HOP_TYPE_INT64 ? (uint64_t)((const int64_t *)graph->weights)[arc]
                                                  : 1;
}

/* Joins row v of the graph and of the reverse, which are both sorted, at the end of the pool. */
static void join_row(hop__rows *rows, const hop_graph *graph, const hop_graph *reverse,
                     hop_vertex v) {
    uint64_t at[2] = {hop__offset(graph, v), hop__offset(reverse, v)};
    const uint64_t end[2] = {hop__offset(graph, (uint64_t)v + 1),
                             hop__offset(reverse, (uint64_t)v + 1)};
    hop__row_arc *arcs = rows->arcs + rows->used;
    uint32_t count = 0;
    while (at[0] < end[0] || at[1] < end[1]) {
        hop_vertex out = at[0] < end[0] ? graph->targets[at[0]] : HOP_NO_VERTEX;
        hop_vertex in = at[1] < end[1] ? reverse->targets[at[1]] : HOP_NO_VERTEX;
        hop_vertex to = out < in ? out : in;
        hop__row_arc arc = {to, HOP__FAR, HOP__FAR};
        for (; at[0] < end[0] && graph->targets[at[0]] == to; at[0]++)
            arc.out = weight_at(graph, at[0]) < arc.out ? weight_at(graph, at[0]) : arc.out;
        for (; at[1] < end[1] && reverse->targets[at[1]] == to; at[1]++)
            arc.in = weight_at(reverse, at[1]) < arc.in ? weight_at(reverse, at[1]) : arc.in;
        if (to != v)
            arcs[count++] = arc;
    }
    rows->rows[v] = (hop__row){rows->used, count, count};
    rows->used += count;
    rows->live += count;
}

hop_status hop__rows_open(hop_context *context, hop__rows *rows, const hop_graph *graph,
                          const hop_graph *reverse) {
    hop_status status;
    bool begun = false;
    uint64_t room = graph->directed ? 2 * graph->arcs : graph->arcs;
    *rows = (hop__rows){0};
    HOP_TRY(status,
            hop__alloc(context, "index: rows", graph->vertices, sizeof *rows->rows, &rows->rows));
    HOP_TRY(status, hop__alloc(context, "index: arcs", room, sizeof *rows->arcs, &rows->arcs));
    rows->room = room;
    begun = hop__progress_join(context, "index: rows");
    for (uint64_t v = 0; v < graph->vertices; v++) {
        join_row(rows, graph, reverse, (hop_vertex)v);
        if (v % POLL_VERTICES == 0 && !hop__progress_add(context, 0))
            break;
    }
    status = hop__progress_leave(context, begun);
done:
    if (status != HOP_OK)
        hop__rows_close(rows);
    return status;
}

/* Room for 2^class arcs. */
static hop_status take_room(hop_context *context, hop__rows *rows, unsigned class,
                            uint64_t *begin) {
    const uint64_t size = UINT64_C(1) << class;
    if (rows->spare[class] != 0) {
        *begin = rows->spare[class] - 1;
        rows->spare[class] = rows->arcs[*begin].out;
        return HOP_OK;
    }
    if (rows->room - rows->used < size) {
        uint64_t room = rows->room + rows->room / 4 + size;
        hop_status status =
            hop__resize(context, "index: arcs", room, sizeof *rows->arcs, &rows->arcs);
        if (status != HOP_OK)
            return status;
        rows->room = room;
    }
    *begin = rows->used;
    rows->used += size;
    return HOP_OK;
}

static hop_status grow(hop_context *context, hop__rows *rows, hop__row *row) {
    unsigned class = row->room < LEAST_ROOM ? 2 : 32 - (unsigned)__builtin_clz(row->room);
    uint64_t begin;
    hop_status status = take_room(context, rows, class, &begin);
    if (status != HOP_OK)
        return status;
    memcpy(rows->arcs + begin, rows->arcs + row->begin, row->count * sizeof *rows->arcs);
    if (row->room >= LEAST_ROOM && (row->room & (row->room - 1)) == 0) {
        unsigned old = (unsigned)__builtin_ctz(row->room);
        rows->arcs[row->begin].out = rows->spare[old];
        rows->spare[old] = row->begin + 1;
    }
    row->begin = begin;
    row->room = UINT32_C(1) << class;
    return HOP_OK;
}

/* What is between u and v, in row u; made if there is nothing. */
static hop_status find_arc(hop_context *context, hop__rows *rows, hop_vertex u, hop_vertex v,
                           hop__row_arc **arc) {
    hop__row *row = &rows->rows[u];
    for (uint32_t i = 0; i < row->count; i++)
        if (rows->arcs[row->begin + i].to == v) {
            *arc = &rows->arcs[row->begin + i];
            return HOP_OK;
        }
    if (row->count == row->room) {
        hop_status status = grow(context, rows, row);
        if (status != HOP_OK)
            return status;
    }
    *arc = &rows->arcs[row->begin + row->count++];
    **arc = (hop__row_arc){v, HOP__FAR, HOP__FAR};
    rows->live++;
    return HOP_OK;
}

hop_status hop__rows_add(hop_context *context, hop__rows *rows, hop_vertex u, hop_vertex v,
                         uint64_t weight, bool directed) {
    hop__row_arc *arc;
    hop_status status;
    HOP_TRY(status, find_arc(context, rows, u, v, &arc));
    if (weight >= arc->out)
        goto done;
    arc->out = weight;
    if (!directed)
        arc->in = weight;
    HOP_TRY(status, find_arc(context, rows, v, u, &arc));
    arc->in = weight;
    if (!directed)
        arc->out = weight;
done:
    return status;
}

void hop__rows_remove(hop__rows *rows, hop_vertex u, hop_vertex v) {
    hop__row *row = &rows->rows[u];
    hop__row_arc *arcs = rows->arcs + row->begin;
    uint32_t i = 0;
    while (arcs[i].to != v)
        i++;
    arcs[i] = arcs[--row->count];
    rows->live--;
}
