/* SPDX-License-Identifier: Apache-2.0
 *
 * The search of apsp_bfs.c for entries of one DOMAIN (graph/numbers.h). */
#include "graph/domain_begin.h"

#define BREADTH(name) HOP__JOIN(DOMAIN, name)

/* Every place not reached; false when cancelled. */
static bool BREADTH(clear)(breadth_run *run, ENTRY *row) {
    uint64_t n = run->graph->vertices;
    for (uint64_t begin = 0; begin < n; begin += FILL_VERTICES) {
        uint64_t end = n - begin < FILL_VERTICES ? n : begin + FILL_VERTICES;
        for (uint64_t v = begin; v < end; v++)
            row[v] = NUMBER(no_entry)();
        if (!hop__progress_add(run->context, 0))
            return false;
    }
    return true;
}

/* The next level, from the arcs of the vertices in the queue before `end`. */
static bool BREADTH(top_down)(breadth_run *run, const hop_vertex *end, ENTRY next, ENTRY *row) {
    const hop_graph *graph = run->graph;
    hop_vertex *tail = run->tail;
    for (const hop_vertex *head = run->head; head < end; head++) {
        uint64_t arc = hop__offset(graph, *head), stop = hop__offset(graph, (uint64_t)*head + 1);
        run->unreported++; /* vertices without arcs take time too */
        do {
            uint64_t piece = stop - arc < REPORT_ARCS ? stop : arc + REPORT_ARCS;
            run->unreported += piece - arc;
            run->relaxations += piece - arc;
            for (; arc < piece; arc++) {
                hop_vertex v = graph->targets[arc];
                if (row[v] != NUMBER(no_entry)())
                    continue;
                row[v] = next;
                *tail++ = v;
            }
            if (run->unreported >= REPORT_ARCS && !report(run))
                return false;
        } while (arc < stop);
    }
    run->tail = tail;
    return true;
}

/* The same from the other side: each vertex that is not reached looks for an arc from the level
 * `last`, and at no more when it has found one. */
static bool BREADTH(bottom_up)(breadth_run *run, ENTRY last, ENTRY next, ENTRY *row) {
    const hop_graph *reverse = run->reverse;
    hop_vertex *tail = run->tail;
    for (hop_vertex v = 0; v < reverse->vertices; v++) {
        if (row[v] != NUMBER(no_entry)())
            continue;
        uint64_t arc = hop__offset(reverse, v), stop = hop__offset(reverse, (uint64_t)v + 1);
        bool found = false;
        while (arc < stop && !found) {
            uint64_t begin = arc, piece = stop - arc < REPORT_ARCS ? stop : arc + REPORT_ARCS;
            while (arc < piece && !found)
                found = row[reverse->targets[arc++]] == last;
            run->relaxations += arc - begin;
            run->unreported += arc - begin;
            if (run->unreported >= REPORT_ARCS && !report(run))
                return false;
        }
        if (!found)
            continue;
        row[v] = next;
        *tail++ = v;
    }
    run->tail = tail;
    run->unreported += reverse->vertices;
    return true;
}

/* False when cancelled. Nobody looks at arcs once every vertex is reached; before that a distance
 * is at most n - 2 steps, so that the next one fits too. */
static bool BREADTH(search)(breadth_run *run, hop_vertex source, ENTRY *row) {
    const hop_vertex *full = run->head + run->graph->vertices;
    ENTRY last = 0;
    if (!BREADTH(clear)(run, row))
        return false;
    row[source] = 0;
    *run->tail++ = source;
    while (run->head < run->tail && run->tail < full) {
        const hop_vertex *end = run->tail;
        ENTRY next = last + (ENTRY)run->step;
        if (!(from_below(run) ? BREADTH(bottom_up)(run, last, next, row)
                              : BREADTH(top_down)(run, end, next, row)))
            return false;
        run->head = end;
        last = next;
    }
    return report(run);
}

#undef BREADTH
#include "graph/domain_end.h"
