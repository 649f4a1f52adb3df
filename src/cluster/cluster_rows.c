/* SPDX-License-Identifier: Apache-2.0
 *
 * The two ways of what a search sends: owners of vertices to the holders of their rows, and holders
 * of arcs to the owners of what these lead to. See cluster_graph.h. */
#include <string.h>

#include "cluster/cluster_graph.h"
#include "core/memory.h"
#include "core/try.h"

/* ---- owners to holders ----------------------------------------------------------------------- */

/* Each vertex to those who hold its row, in the order of the ranks: the holders of a later vertex
 * are not before the last one of this. Returns how many records that makes: one for each, and one
 * more for each rank that begins inside a row. */
static uint64_t orders_make(const hop_cluster_graph *graph, const hop__told_rows *told,
                            uint64_t *orders, uint64_t *counts) {
    size_t fields = told->values != NULL ? 2 : 1;
    uint64_t count = 0;
    uint32_t first = told->count > 0 ? hop__first_holder(graph, told->vertices[0]) : 0;
    memset(counts, 0, graph->ranks * sizeof *counts);
    for (uint64_t i = 0; i < told->count; i++) {
        uint64_t vertex = told->vertices[i];
        while (first < graph->ranks && graph->bounds[2 * (size_t)first + 1] < vertex)
            first++;
        for (uint32_t rank = first; hop__holds(graph, rank, vertex); rank++) {
            orders[fields * count] = vertex;
            if (fields == 2)
                orders[fields * count + 1] = told->values[vertex - graph->first_vertex];
            count++;
            counts[rank]++;
        }
    }
    return count;
}

/* The first row at or after `from` that is not before `vertex`. What comes is dense or sparse:
 * steps double until the row is passed. */
static uint64_t row_seek(const hop_cluster_graph *graph, uint64_t from, uint64_t vertex) {
    uint64_t step = 1, low = from, high = from;
    while (high < graph->row_count && hop__row_vertex(graph, high) < vertex) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    high = high < graph->row_count ? high : graph->row_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (hop__row_vertex(graph, middle) < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Vertices that came become their rows, and those without a row here go; the arcs of them. */
static uint64_t rows_find(const hop_cluster_graph *graph, size_t fields, hop__inbox *inbox) {
    uint64_t *records = inbox->records, arcs = 0, row = 0, kept = 0;
    for (uint64_t i = 0; i < inbox->count; i++) {
        uint64_t vertex = records[fields * i];
        row = row_seek(graph, row, vertex);
        if (row == graph->row_count || hop__row_vertex(graph, row) != vertex)
            continue;
        arcs += graph->starts[row + 1] - graph->starts[row];
        records[fields * kept] = row;
        if (fields == 2)
            records[fields * kept + 1] = records[fields * i + 1];
        kept++;
    }
    inbox->count = kept;
    return arcs;
}

hop_status hop__rows_tell(hop_cluster *cluster, const hop_cluster_graph *graph, const char *phase,
                          hop_status status, const hop__told_rows *told, hop__inbox *inbox,
                          uint64_t *arcs) {
    size_t fields = told->values != NULL ? 2 : 1;
    uint64_t *orders = NULL, *counts = NULL;
    *inbox = (hop__inbox){NULL, 0, NULL, NULL};
    if (status == HOP_OK)
        status =
            hop__alloc(cluster->context, phase, told->count + graph->ranks, 8 * fields, &orders);
    if (status == HOP_OK)
        status = hop__alloc(cluster->context, phase, graph->ranks, sizeof *counts, &counts);
    if (status == HOP_OK)
        (void)orders_make(graph, told, orders, counts);
    HOP_TRY(status, hop__exchange(cluster, phase, status, 8 * fields, orders, counts, inbox));
    *arcs = rows_find(graph, fields, inbox);
done:
    hop__free(orders);
    hop__free(counts);
    return status;
}

/* ---- holders to owners ----------------------------------------------------------------------- */

/* Ends that are asked for early: they were found in no order, or what they lead to was. */
enum { ENDS_AHEAD = 16 };

static inline void end_prefetch(const hop_cluster_graph *graph, const hop__found_ends *found,
                                uint64_t i) {
    if (i + ENDS_AHEAD >= found->count)
        return;
    uint32_t end = found->ends[i + ENDS_AHEAD];
    __builtin_prefetch(&graph->ids[end]);
    __builtin_prefetch(&found->values[found->index != NULL ? found->index[end] : end]);
}

static uint64_t value_of(const hop__found_ends *found, uint32_t end) {
    return found->values[found->index != NULL ? found->index[end] : end];
}

/* counts: how many words go to each rank but this one; returns all of them. */
static uint64_t words_count(const hop_cluster *cluster, const hop_cluster_graph *graph,
                            const hop__found_ends *found, uint64_t *counts) {
    uint64_t others = 0;
    memset(counts, 0, graph->ranks * sizeof *counts);
    for (uint64_t i = 0; graph->ranks > 1 && i < found->count; i++)
        if (!hop__is_own_end(cluster, graph, found->ends[i])) {
            counts[hop__id_owner(graph, found->ends[i])]++;
            others++;
        }
    return others;
}

static void words_make(const hop_cluster *cluster, const hop_cluster_graph *graph,
                       const hop__found_ends *found, const uint64_t *counts, uint64_t *places,
                       hop__word *words) {
    places[0] = 0;
    for (uint32_t rank = 1; rank < graph->ranks; rank++)
        places[rank] = places[rank - 1] + counts[rank - 1];
    for (uint64_t i = 0; i < found->count; i++) {
        uint32_t end = found->ends[i];
        end_prefetch(graph, found, i);
        if (hop__is_own_end(cluster, graph, end))
            continue;
        uint32_t owner = hop__id_owner(graph, end);
        uint64_t value = value_of(found, end);
        uint64_t at = graph->ids[end] - hop__even_start(graph->vertices, graph->ranks, owner);
        words[places[owner]++] =
            (hop__word){(uint32_t)at, (uint32_t)value, (uint32_t)(value >> 32)};
    }
}

hop_status hop__words_tell(hop_cluster *cluster, const hop_cluster_graph *graph, const char *phase,
                           hop_status status, const hop__found_ends *found, hop__inbox *inbox) {
    uint64_t *counts = NULL, *places = NULL, others = 0;
    hop__word *words = NULL;
    *inbox = (hop__inbox){NULL, 0, NULL, NULL};
    if (status == HOP_OK)
        status = hop__alloc(cluster->context, phase, graph->ranks, sizeof *counts, &counts);
    if (status == HOP_OK)
        status = hop__alloc(cluster->context, phase, graph->ranks, sizeof *places, &places);
    if (status == HOP_OK) {
        others = words_count(cluster, graph, found, counts);
        status = hop__alloc(cluster->context, phase, others, sizeof *words, &words);
    }
    if (status == HOP_OK && others > 0)
        words_make(cluster, graph, found, counts, places, words);
    HOP_TRY(status, hop__exchange(cluster, phase, status, sizeof *words, words, counts, inbox));
done:
    hop__free(counts);
    hop__free(places);
    hop__free(words);
    return status;
}

void hop__words_take(const hop_cluster *cluster, const hop_cluster_graph *graph,
                     const hop__found_ends *found, const hop__inbox *inbox, void *user,
                     void (*take)(void *user, uint32_t at, uint64_t value)) {
    const hop__word *words = inbox->records;
    for (uint64_t i = 0; i < found->count; i++) {
        uint32_t end = found->ends[i];
        end_prefetch(graph, found, i);
        if (hop__is_own_end(cluster, graph, end))
            take(user, (uint32_t)(graph->ids[end] - graph->first_vertex), value_of(found, end));
    }
    for (uint64_t i = 0; i < inbox->count; i++)
        take(user, words[i].at, (uint64_t)words[i].high << 32 | words[i].low);
}
