/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of vertices, from their owners: the ids go there, the values come back in the same order.
 * Bytes sent: 8 for each id of another rank's, and as many values as others ask for. For the ends
 * of a graph's arcs the owners know the ids, and only values are sent. */
#include <string.h>

#include "cluster/cluster_graph.h"
#include "core/memory.h"
#include "core/try.h"

/* Answers take the places of the questions. */
hop_status hop__fetch(hop_cluster *cluster, const hop_cluster_graph *graph, const char *phase,
                      hop_status status, const uint64_t *ids, uint64_t count,
                      const uint64_t *values, uint64_t *fetched) {
    uint64_t *counts = NULL;
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    if (status == HOP_OK)
        status = hop__alloc(cluster->context, phase, cluster->ranks, sizeof *counts, &counts);
    if (status == HOP_OK)
        hop__count_owners(graph, ids, count, counts);
    HOP_TRY(status, hop__exchange(cluster, phase, status, sizeof *ids, ids, counts, &inbox));
    uint64_t *answers = inbox.records;
    for (uint64_t i = 0; i < inbox.count; i++)
        answers[i] = values[answers[i] - graph->first_vertex];
    HOP_TRY(status, hop__exchange_known(cluster, phase, sizeof *answers, answers, inbox.counts,
                                        fetched, counts));
done:
    hop__inbox_clear(&inbox);
    hop__free(counts);
    return status;
}

/* A copy of a size that the compiler knows is one instruction. */
static void answers_pick(const uint32_t *known, uint64_t count, size_t bytes,
                         const unsigned char *values, unsigned char *answers) {
    if (bytes == 8)
        for (uint64_t i = 0; i < count; i++)
            memcpy(answers + i * 8, values + (size_t)known[i] * 8, 8);
    else
        for (uint64_t i = 0; i < count; i++)
            memcpy(answers + i * bytes, values + known[i] * bytes, bytes);
}

hop_status hop__fetch_ends(hop_cluster *cluster, const hop_cluster_graph *graph, const char *phase,
                           hop_status status, size_t bytes, const void *values, void *fetched) {
    uint64_t count = graph->known_starts[graph->ranks];
    unsigned char *answers = NULL;
    if (status == HOP_OK)
        status = hop__alloc(cluster->context, phase, count, bytes, &answers);
    if (status == HOP_OK)
        answers_pick(graph->known, count, bytes, values, answers);
    HOP_TRY(status, hop__agree(cluster, status));
    HOP_TRY(status, hop__exchange_known(cluster, phase, bytes, answers, graph->known_counts,
                                        fetched, graph->id_counts));
done:
    hop__free(answers);
    return status;
}

/* The place of an id that is one of them. */
static uint64_t find(const uint64_t *ids, uint64_t count, uint64_t id) {
    uint64_t low = 0;
    while (count > 1) {
        uint64_t half = count / 2;
        low += ids[low + half] <= id ? half : 0;
        count -= half;
    }
    return low;
}

/* One id often follows itself: then nothing is sorted or sought. */
hop_status hop__fetch_any(hop_cluster *cluster, const hop_cluster_graph *graph, const char *phase,
                          hop_status status, const uint64_t *ids, uint64_t count,
                          const uint64_t *values, uint64_t *fetched) {
    uint64_t *sorted = NULL, *answers = NULL, some = 0, kept = 0;
    if (status == HOP_OK)
        status = hop__alloc(cluster->context, phase, count, sizeof *sorted, &sorted);
    for (uint64_t i = 0; status == HOP_OK && i < count; i++)
        if (i == 0 || ids[i] != ids[i - 1])
            sorted[some++] = ids[i];
    if (status == HOP_OK)
        status = hop__sort_u64(cluster->context, sorted, some, hop__id_bits(graph->vertices));
    for (uint64_t i = 0; status == HOP_OK && i < some; i++)
        if (kept == 0 || sorted[i] != sorted[kept - 1])
            sorted[kept++] = sorted[i];
    if (status == HOP_OK)
        status = hop__alloc(cluster->context, phase, kept, sizeof *answers, &answers);
    HOP_TRY(status, hop__fetch(cluster, graph, phase, status, sorted, kept, values, answers));
    for (uint64_t i = 0, place = 0; i < count; i++) {
        if (sorted[place] != ids[i])
            place = find(sorted, kept, ids[i]);
        fetched[i] = answers[place];
    }
done:
    hop__free(sorted);
    hop__free(answers);
    return status;
}
