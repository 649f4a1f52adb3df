/* SPDX-License-Identifier: Apache-2.0
 *
 * Ids of a file, which may be any, become the numbers of vertices 0 .. n - 1, in the order of the
 * ids, as on one machine.
 *
 *     sort the different ids that are here
 *     splitters from SAMPLES of each rank's; ids to the rank of their range
 *     equal ids have come to the same rank: their number is how many different ones are below, here
 *     and on the ranks before
 *     numbers go back, in the order in which the ids came; labels go to the owners of the vertices
 *
 * Bytes sent: 16 for each different id of this rank that is in another's range, and 8 for each of
 * the vertices here (none where ids are in a row). Memory: 8 bytes for each different id four times
 * (here, their numbers, in the range, sorted). */
#include "cluster/cluster_labels.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/try.h"

enum { SAMPLES = 64 };

static const char phase[] = "read: ids";

void hop__numbering_clear(hop__numbering *numbering) {
    hop__free(numbering->ids);
    hop__free(numbering->numbers);
    hop__free(numbering->labels);
    *numbering = (hop__numbering){NULL, 0, NULL, 0, 0, NULL};
}

static hop_status sort_distinct(hop_context *context, uint64_t *ids, uint64_t *count) {
    uint64_t most = 0, kept = 0;
    for (uint64_t i = 0; i < *count; i++)
        most |= ids[i];
    hop_status status = hop__sort_u64(context, ids, *count, hop__bit_width(most));
    for (uint64_t i = 0; status == HOP_OK && i < *count; i++)
        if (i == 0 || ids[i] != ids[kept - 1])
            ids[kept++] = ids[i];
    *count = status == HOP_OK ? kept : *count;
    return status;
}

/* A sample: an id, and how many it stands for. */
typedef struct sample {
    uint64_t id, weight;
} sample;

static int sample_order(const void *left, const void *right) {
    const sample *a = left, *b = right;
    return a->id == b->id ? 0 : a->id < b->id ? -1 : 1;
}

/* counts: how many of the ascending ids go to each rank. A range ends where the weights of the
 * samples, which are in order, pass the share of its rank. */
static void ranges_count(const sample *samples, uint64_t sample_count,
                         const hop__numbering *numbering, uint32_t ranks, uint64_t *counts) {
    uint64_t total = 0, before = 0, next = 0, begin = 0;
    for (uint64_t i = 0; i < sample_count; i++)
        total += samples[i].weight;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint64_t share = hop__even_start(total, ranks, rank + UINT64_C(1)), end = begin;
        while (next < sample_count && before < share)
            before += samples[next++].weight;
        uint64_t high = numbering->count;
        if (next == sample_count || rank + 1 == ranks)
            end = high;
        while (end < high) {
            uint64_t middle = end + (high - end) / 2;
            if (numbering->ids[middle] < samples[next].id)
                end = middle + 1;
            else
                high = middle;
        }
        counts[rank] = end - begin;
        begin = end;
    }
}

static hop_status ranges_make(hop_cluster *cluster, hop_status status,
                              const hop__numbering *numbering, uint64_t *counts) {
    uint64_t sample_count = (uint64_t)SAMPLES * cluster->ranks;
    sample mine[SAMPLES] = {{0, 0}}, *samples = NULL;
    if (status == HOP_OK)
        status = hop__alloc(cluster->context, phase, sample_count, sizeof *samples, &samples);
    HOP_TRY(status, hop__agree(cluster, status));
    for (uint64_t i = 0; i < SAMPLES; i++) {
        mine[i].weight = hop__even_size(numbering->count, SAMPLES, i);
        if (mine[i].weight > 0)
            mine[i].id = numbering->ids[hop__even_start(numbering->count, SAMPLES, i)];
    }
    HOP_TRY(status,
            hop__gather_all(cluster, (const uint64_t *)mine, SAMPLES * 2, (uint64_t *)samples));
    qsort(samples, (size_t)sample_count, sizeof *samples, sample_order);
    ranges_count(samples, sample_count, numbering, cluster->ranks, counts);
done:
    hop__free(samples);
    return status;
}

/* The different ids of this rank's range. */
typedef struct id_range {
    uint64_t *ids, count, before;
} id_range;

static hop_status range_take(hop_context *context, const hop__inbox *inbox, id_range *range) {
    hop_status status;
    HOP_TRY(status, hop__alloc(context, phase, inbox->count, sizeof *range->ids, &range->ids));
    if (inbox->count > 0)
        memcpy(range->ids, inbox->records, inbox->count * sizeof *range->ids);
    range->count = inbox->count;
    status = sort_distinct(context, range->ids, &range->count);
done:
    return status;
}

/* What came becomes the numbers. */
static void range_answer(const id_range *range, hop__inbox *inbox) {
    uint64_t *records = inbox->records;
    for (uint64_t i = 0; i < inbox->count; i++) {
        uint64_t low = 0, count = range->count;
        while (count > 1) {
            uint64_t half = count / 2;
            low += range->ids[low + half] <= records[i] ? half : 0;
            count -= half;
        }
        records[i] = range->before + low;
    }
}

/* The ids of the ranges, in order over all ranks, to the owners of these vertices; unless they are
 * in a row. */
static hop_status labels_spread(hop_cluster *cluster, const id_range *range, uint64_t *counts,
                                hop__numbering *numbering) {
    uint64_t ends[2] = {UINT64_MAX, UINT64_MAX}, total = numbering->vertices;
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    hop_status status;
    if (range->count > 0) {
        ends[0] = range->ids[0];
        ends[1] = ~range->ids[range->count - 1]; /* the smallest is that of the largest id */
    }
    HOP_TRY(status, hop__min_all(cluster, ends, 2));
    if (total == 0 || ~ends[1] - ends[0] == total - 1) {
        numbering->first_id = total == 0 ? 0 : ends[0];
        goto done;
    }
    memset(counts, 0, cluster->ranks * sizeof *counts);
    for (uint64_t at = range->before, end = at + range->count; at < end;) {
        uint64_t rank = hop__even_part(total, cluster->ranks, at);
        uint64_t stop = hop__even_start(total, cluster->ranks, rank + 1);
        counts[rank] = (stop < end ? stop : end) - at;
        at += counts[rank];
    }
    HOP_TRY(status,
            hop__exchange_kept(cluster, "read: labels", HOP_OK, 8, range->ids, counts, &inbox));
    numbering->labels = inbox.records;
    inbox.records = NULL;
done:
    hop__inbox_clear(&inbox);
    return status;
}

hop_status hop__cluster_number(hop_cluster *cluster, hop_status status, hop__numbering *numbering) {
    hop_context *context = cluster->context;
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    id_range range = {NULL, 0, 0};
    uint64_t *counts = NULL;
    if (status == HOP_OK)
        status = hop__alloc(context, phase, cluster->ranks, sizeof *counts, &counts);
    if (status == HOP_OK)
        status = sort_distinct(context, numbering->ids, &numbering->count);
    if (status == HOP_OK)
        status = hop__alloc(context, phase, numbering->count, sizeof *numbering->numbers,
                            &numbering->numbers);
    HOP_TRY(status, ranges_make(cluster, status, numbering, counts));
    HOP_TRY(status, hop__exchange_kept(cluster, phase, HOP_OK, 8, numbering->ids, counts, &inbox));
    status = range_take(context, &inbox, &range);
    numbering->vertices = range.count;
    HOP_TRY(status, hop__sum_agreed(cluster, status, &numbering->vertices, 1));
    HOP_TRY(status, hop__sum_before(cluster, range.count, &range.before));
    range_answer(&range, &inbox);
    HOP_TRY(status, hop__exchange_known(cluster, phase, 8, inbox.records, inbox.counts,
                                        numbering->numbers, counts));
    HOP_TRY(status, labels_spread(cluster, &range, counts, numbering));
done:
    hop__inbox_clear(&inbox);
    hop__free(range.ids);
    hop__free(counts);
    return status;
}
