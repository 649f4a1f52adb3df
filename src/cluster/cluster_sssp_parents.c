/* SPDX-License-Identifier: Apache-2.0
 *
 * Parents of shortest paths over the ranks: see cluster_sssp.c. */
#include "cluster/cluster_sssp_search.h"
#include "core/try.h"
#include "graph/graph_internal.h"

enum { LAYER_NONE, LAYER_LAST, LAYER_BEFORE, LAYER_NEW };

/* Ends whose least sum here is their distance. */
static void sources_keep(hop__paths *work) {
    work->found_count = 0;
    for (uint32_t end = 0; end < work->graph->id_count; end++)
        if (work->sources[end] != HOP__NO_END && work->best[end] == work->last[end] &&
            work->best[end] < work->none)
            work->found[work->found_count++] = end;
}

/* Whether an arc leads to an end as far as its row that has no layer yet, and is tight. */
static bool is_candidate(const hop__paths *work, uint64_t key, uint64_t arc) {
    uint32_t end = work->graph->ends[arc];
    return key == work->last[end] && work->end_layers[end] == LAYER_NONE &&
           hop__key_add(work->graph->weight_type, work->graph->weights, key, arc) == key;
}

/* Rows of the last layer, which are ascending: the first that reaches an end is the smallest. */
static void candidates_find(hop__paths *work) {
    const hop_cluster_graph *graph = work->graph;
    for (uint64_t i = 0; i < graph->id_count; i++)
        work->sources[i] = HOP__NO_END;
    work->found_count = 0;
    for (uint64_t row = 0; row < graph->row_count; row++) {
        uint32_t from = graph->rows[row];
        if (work->last[from] >= work->none || work->end_layers[from] != LAYER_LAST)
            continue;
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++)
            if (work->sources[graph->ends[arc]] == HOP__NO_END &&
                is_candidate(work, work->last[from], arc)) {
                work->sources[graph->ends[arc]] = from;
                work->found[work->found_count++] = graph->ends[arc];
            }
    }
}

static void parent_take(void *user, uint32_t at, uint64_t parent) {
    hop__paths *work = user;
    if (work->layers[at] != LAYER_NONE && work->layers[at] != LAYER_NEW)
        return; /* a source */
    work->layers[at] = LAYER_NEW;
    if (parent < work->parents[at])
        work->parents[at] = parent;
}

static hop_status layer_find(hop__paths *work, bool layered, uint64_t left[2]) {
    const hop_cluster_graph *graph = work->graph;
    hop__inbox inbox;
    hop_status status = HOP_OK;
    if (layered) {
        HOP_TRY(status, hop__fetch_ends(work->cluster, graph, "sssp: layers", HOP_OK, 1,
                                        work->layers, work->end_layers));
        candidates_find(work);
    } else {
        sources_keep(work);
    }
    hop__found_ends found = {work->found, work->found_count, graph->ids, work->sources};
    HOP_TRY(status, hop__words_tell(work->cluster, graph, "sssp: parents", HOP_OK, &found, &inbox));
    hop__words_take(work->cluster, graph, &found, &inbox, work, parent_take);
    hop__inbox_clear(&inbox);
    left[0] = left[1] = 0; /* without a parent; of this layer */
    for (uint64_t v = 0; v < graph->vertex_count; v++) {
        left[0] += work->layers[v] == LAYER_NONE && work->keys[v] < work->none;
        left[1] += work->layers[v] == LAYER_NEW;
        if (work->layers[v] == LAYER_LAST && layered)
            work->layers[v] = LAYER_BEFORE;
        if (work->layers[v] == LAYER_NEW)
            work->layers[v] = LAYER_LAST;
    }
    HOP_TRY(status, hop__sum_all(work->cluster, left, 2));
done:
    return status;
}

/* Sources have themselves, and are of the first layer with all that have a nearer parent. */
hop_status hop__paths_parents(hop__paths *work) {
    const hop_cluster_graph *graph = work->graph;
    uint64_t left[2];
    hop_status status;
    for (uint64_t v = 0; v < graph->vertex_count; v++)
        work->layers[v] = work->parents[v] == HOP_NO_CLUSTER_VERTEX ? LAYER_NONE : LAYER_LAST;
    HOP_TRY(status, layer_find(work, false, left));
    while (left[0] > 0) {
        HOP_TRY(status, layer_find(work, true, left));
        if (left[0] > 0 && left[1] == 0) {
            status = hop__fail(work->context, HOP_ERR_CERTIFICATE,
                               "sssp: %llu vertices with a distance have no parent",
                               (unsigned long long)left[0]);
            goto done;
        }
    }
done:
    return status;
}
