/* SPDX-License-Identifier: Apache-2.0
 *
 * See cluster_reach.h. The hub's row says who is joined at first; then rows look for an end that is
 * joined, and are so themselves, at once: later rows find them. In all rounds but the last a row
 * looks at its first end only: while few are joined most looks are in vain. After each round owners
 * say which of their vertices are inside. */
#include "cluster/cluster_reach.h"

#include "cluster/cluster_look.h"
#include "core/bitmap.h"
#include "core/memory.h"
#include "core/try.h"

enum { HUB_SHARE = 64, ROUNDS = 3 };

bool hop__reach_pays(const hop_cluster_graph *graph) {
    return !graph->directed && graph->hub_arcs > graph->vertices / HUB_SHARE;
}

hop_status hop__reach_open(hop_cluster *cluster, const hop_cluster_graph *graph,
                           hop__reach *reach) {
    hop_context *context = cluster->context;
    uint64_t words = graph->id_count / 64 + 2, own = graph->vertex_count / 64 + 1;
    hop_status status;
    *reach = (hop__reach){.cluster = cluster, .graph = graph};
    HOP_TRY(status, hop__alloc_zero(context, "components: joined", words, 8, &reach->joined));
    HOP_TRY(status, hop__alloc(context, "components: agreed", words, 8, &reach->agreed));
    HOP_TRY(status, hop__alloc_zero(context, "components: inside", own, 8, &reach->inside));
    HOP_TRY(status, hop__bits_open(context, graph, &reach->bits));
done:
    return status;
}

void hop__reach_close(hop__reach *reach) {
    hop__free(reach->joined);
    hop__free(reach->agreed);
    hop__free(reach->inside);
    hop__bits_close(&reach->bits);
    reach->joined = reach->agreed = reach->inside = NULL;
}

static inline void end_join(hop__reach *reach, uint32_t end) {
    const hop_cluster_graph *graph = reach->graph;
    hop__bitmap_set(reach->joined, end);
    if (hop__is_own_end(reach->cluster, graph, end))
        hop__bitmap_set(reach->inside, graph->ids[end] - graph->first_vertex);
}

static void rows_join(void *user, const uint32_t *rows, const uint32_t *hits, uint64_t count) {
    (void)hits;
    for (uint64_t i = 0; i < count; i++)
        end_join(user, rows[i]);
}

/* The first of `count` numbers that is not below `wanted`: number(graph, i) ascends. */
static uint64_t seek(const hop_cluster_graph *graph, uint64_t count, uint64_t wanted,
                     uint64_t (*number)(const hop_cluster_graph *graph, uint64_t i)) {
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (number(graph, middle) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t id_at(const hop_cluster_graph *graph, uint64_t i) {
    return graph->ids[i];
}

/* The hub, where it is known, and the ends of its row, where that is. */
static void hub_join(hop__reach *reach) {
    const hop_cluster_graph *graph = reach->graph;
    uint64_t hub = graph->hub, place = seek(graph, graph->id_count, hub, id_at);
    uint64_t row = seek(graph, graph->row_count, hub, hop__row_vertex);
    if (hub - graph->first_vertex < graph->vertex_count)
        hop__bitmap_set(reach->inside, hub - graph->first_vertex);
    if (place < graph->id_count && graph->ids[place] == hub)
        end_join(reach, (uint32_t)place);
    if (row < graph->row_count && hop__row_vertex(graph, row) == hub)
        for (uint64_t arc = graph->starts[row]; arc < graph->starts[row + 1]; arc++)
            end_join(reach, graph->ends[arc]);
}

hop_status hop__reach_run(hop__reach *reach, uint64_t *smallest) {
    const hop_cluster_graph *graph = reach->graph;
    hop__look look = {reach->joined, reach->joined, true, rows_join, reach};
    hop_status status = HOP_OK;
    hub_join(reach);
    for (int round = 0; round < ROUNDS; round++) {
        look.brief = round + 1 < ROUNDS;
        hop__rows_look(graph, 0, graph->row_count, &look);
        HOP_TRY(status, hop__bits_share(reach->cluster, graph, "components: bits", &reach->bits,
                                        reach->inside, reach->agreed));
        for (uint64_t w = 0; w < hop__bitmap_words(graph->id_count); w++)
            reach->joined[w] |= reach->agreed[w];
    }
    uint64_t word = 0, words = hop__bitmap_words(graph->vertex_count);
    while (word < words && reach->inside[word] == 0)
        word++;
    *smallest = UINT64_MAX;
    if (word < words)
        *smallest =
            graph->first_vertex + 64 * word + (unsigned)__builtin_ctzll(reach->inside[word]);
    HOP_TRY(status, hop__min_all(reach->cluster, smallest, 1));
done:
    return status;
}
