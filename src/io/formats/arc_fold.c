/* SPDX-License-Identifier: Apache-2.0
 *
 * Folding arcs into edges (see arc_fold.h).
 *
 * The two halves are compared by sums of hashes, one per arc, which do not depend on the order: a
 * difference that cancels by chance has probability 2^-64. Only when they differ are the hashes
 * sorted, to name an arc. Folding is done within ranges in parallel, then the ranges are pushed
 * together. Work O(m); no memory besides the list. */
#include "io/formats/arc_fold.h"

#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "core/try.h"
#include "graph/graph_internal.h"

enum { RANGE = 1 << 16 };

typedef struct job {
    hop__edge_list *list;
    uint64_t upper, lower; /* sums over arcs with from < to, from > to */
    uint64_t upper_count, lower_count;
    uint64_t *kept; /* per range */
} job;

static uint64_t arc_hash(const hop__edge_list *list, uint64_t arc) {
    uint32_t from = ((const uint32_t *)list->from)[arc], to = ((const uint32_t *)list->to)[arc];
    uint64_t ends = from < to ? (uint64_t)from << 32 | to : (uint64_t)to << 32 | from, bits = 0;
    size_t size = hop_type_size(list->weight_type);
    if (size > 0)
        memcpy(&bits, (const char *)list->weights + arc * size, size);
    return hop__mix64(hop__mix64(ends + 1) + bits);
}

static void sum_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    job *work = arg;
    const uint32_t *from = work->list->from, *to = work->list->to;
    uint64_t sums[2] = {0, 0}, counts[2] = {0, 0};
    for (uint64_t i = begin; i < end; i++) {
        if (from[i] == to[i])
            continue;
        sums[from[i] > to[i]] += arc_hash(work->list, i);
        counts[from[i] > to[i]]++;
    }
    __atomic_fetch_add(&work->upper, sums[0], __ATOMIC_RELAXED);
    __atomic_fetch_add(&work->lower, sums[1], __ATOMIC_RELAXED);
    __atomic_fetch_add(&work->upper_count, counts[0], __ATOMIC_RELAXED);
    __atomic_fetch_add(&work->lower_count, counts[1], __ATOMIC_RELAXED);
}

/* Moves what is kept of each range to the range's beginning. */
static void fold_ranges(void *arg, uint64_t first, uint64_t last, unsigned thread) {
    (void)thread;
    job *work = arg;
    hop__edge_list *list = work->list;
    uint32_t *from = list->from, *to = list->to;
    size_t size = hop_type_size(list->weight_type);
    char *weights = list->weights;
    for (uint64_t range = first; range < last; range++) {
        uint64_t begin = range * RANGE, put = begin;
        uint64_t end = begin + RANGE < list->count ? begin + RANGE : list->count;
        for (uint64_t i = begin; i < end; i++) {
            if (from[i] > to[i])
                continue;
            from[put] = from[i];
            to[put] = to[i];
            if (size > 0)
                memmove(weights + put * size, weights + i * size, size);
            put++;
        }
        work->kept[range] = put - begin;
    }
}

static void push_together(job *work, uint64_t ranges) {
    hop__edge_list *list = work->list;
    size_t size = hop_type_size(list->weight_type);
    uint64_t put = 0;
    for (uint64_t range = 0; range < ranges; range++) {
        uint64_t begin = range * RANGE, count = work->kept[range];
        memmove((uint32_t *)list->from + put, (uint32_t *)list->from + begin, count * 4);
        memmove((uint32_t *)list->to + put, (uint32_t *)list->to + begin, count * 4);
        if (size > 0)
            memmove((char *)list->weights + put * size, (char *)list->weights + begin * size,
                    count * size);
        put += count;
    }
    list->count = put;
}

/* A hash that one of the sorted arrays has more often than the other. */
static uint64_t differing(const uint64_t *a, uint64_t a_count, const uint64_t *b,
                          uint64_t b_count) {
    uint64_t i = 0, j = 0;
    while (i < a_count && j < b_count && a[i] == b[j]) {
        i++;
        j++;
    }
    if (i == a_count)
        return b[j];
    return j == b_count || a[i] < b[j] ? a[i] : b[j];
}

/* The number of an arc without its reverse, of which there is one. */
static hop_status find_culprit(hop_context *context, const job *work, uint64_t *culprit) {
    const hop__edge_list *list = work->list;
    const uint32_t *from = list->from, *to = list->to;
    uint64_t *keys = NULL, upper = 0, lower = work->upper_count;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "asymmetric arcs", work->upper_count + work->lower_count,
                               sizeof *keys, &keys));
    for (uint64_t i = 0; i < list->count; i++)
        if (from[i] != to[i])
            keys[from[i] < to[i] ? upper++ : lower++] = arc_hash(list, i);
    uint64_t *second = keys + work->upper_count;
    HOP_TRY(status, hop__sort_u64(context, keys, work->upper_count, 64));
    HOP_TRY(status, hop__sort_u64(context, second, work->lower_count, 64));
    uint64_t hash = differing(keys, work->upper_count, second, work->lower_count);
    *culprit = 0;
    while (from[*culprit] == to[*culprit] || arc_hash(list, *culprit) != hash)
        ++*culprit;
done:
    hop__free(keys);
    return status;
}

hop_status hop__arcs_compare(hop_context *context, hop__edge_list *list, bool *symmetric,
                             uint64_t *culprit) {
    job work = {.list = list};
    hop__for(context, list->count, RANGE, sum_range, &work);
    *symmetric = work.upper == work.lower && work.upper_count == work.lower_count;
    return *symmetric ? HOP_OK : find_culprit(context, &work, culprit);
}

uint64_t hop__arcs_edges(hop_context *context, hop__edge_list *list) {
    job work = {.list = list};
    hop__for(context, list->count, RANGE, sum_range, &work);
    return list->count - work.lower_count;
}

hop_status hop__arcs_fold(hop_context *context, hop__edge_list *list) {
    job work = {.list = list};
    uint64_t ranges = list->count / RANGE + (list->count % RANGE != 0);
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "edges", ranges, sizeof *work.kept, &work.kept));
    hop__for(context, ranges, 1, fold_ranges, &work);
    push_together(&work, ranges);
    HOP_TRY(status, hop__resize(context, "edges", list->count, 4, &list->from));
    HOP_TRY(status, hop__resize(context, "edges", list->count, 4, &list->to));
    if (list->weights != NULL)
        HOP_TRY(status, hop__resize(context, "weights", list->count,
                                    hop_type_size(list->weight_type), &list->weights));
done:
    hop__free(work.kept);
    return status;
}
