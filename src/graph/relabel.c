/* SPDX-License-Identifier: Apache-2.0
 * Sparse ids to vertex numbers; see relabel.h. */
#include "graph/relabel.h"

#include <string.h>

#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/sort.h"
#include "core/try.h"
#include "graph/edge_source.h"
#include "graph/graph_internal.h"

enum {
    GRAIN = 1 << 15,
    RANK_WORDS = 8, /* words of the bitmap per stored rank: one cache line */
    BITMAP_PER_EDGE =
        64, /* bits of bitmap that an edge is worth: 8 bytes, less than sorting takes */
    TABLE_BITS = 20
};

/* Where ids are looked up: in a bitmap with ranks, or in the sorted labels. */
typedef struct lookup {
    const uint64_t *map; /* NULL: search the labels */
    const uint64_t *ranks;
    const uint64_t *labels;
    uint64_t count;
    /* table[id >> shift] is the first label that has these high bits, or more. */
    const uint32_t *table;
    unsigned shift;
    uint64_t largest;
} lookup;

typedef struct job {
    hop_context *context;
    const hop_edges *edges;
    uint64_t largest;
    uint64_t *map;
    uint64_t *ids;
    const lookup *look;
    hop__relabelled *result;
    uint64_t unknown_edge;
} job;

static void mark_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    (void)thread;
    if (!hop__progress_add(work->context, end - begin))
        return;
    for (uint64_t i = begin; i < end; i++) {
        hop__bitmap_claim(work->map, hop__edge_id(work->edges, work->edges->from, i));
        hop__bitmap_claim(work->map, hop__edge_id(work->edges, work->edges->to, i));
    }
}

static void gather_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    (void)thread;
    if (!hop__progress_add(work->context, end - begin))
        return;
    for (uint64_t i = begin; i < end; i++) {
        work->ids[2 * i] = hop__edge_id(work->edges, work->edges->from, i);
        work->ids[2 * i + 1] = hop__edge_id(work->edges, work->edges->to, i);
    }
}

static inline uint64_t rank_in_map(const lookup *look, uint64_t id) {
    uint64_t word = id / 64, group = word / RANK_WORDS, rank = look->ranks[group];
    for (uint64_t i = group * RANK_WORDS; i < word; i++)
        rank += (uint64_t)__builtin_popcountll(look->map[i]);
    return rank +
           (uint64_t)__builtin_popcountll(look->map[word] & ((UINT64_C(1) << (id % 64)) - 1));
}

/* The vertex number of an id, or HOP_NO_VERTEX. */
static inline hop_vertex find(const lookup *look, uint64_t id) {
    if (look->map)
        return (hop_vertex)rank_in_map(look, id);
    if (id > look->largest || look->count == 0)
        return HOP_NO_VERTEX;
    uint64_t low = look->table[id >> look->shift], high = look->table[(id >> look->shift) + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (look->labels[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < look->count && look->labels[low] == id ? (hop_vertex)low : HOP_NO_VERTEX;
}

static void rename_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    (void)thread;
    if (!hop__progress_add(work->context, end - begin))
        return;
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex u = find(work->look, hop__edge_id(work->edges, work->edges->from, i));
        hop_vertex v = find(work->look, hop__edge_id(work->edges, work->edges->to, i));
        work->result->from[i] = u;
        work->result->to[i] = v;
        if (u == HOP_NO_VERTEX || v == HOP_NO_VERTEX) {
            hop__lower_u64(&work->unknown_edge, i);
        }
    }
}

static hop_status too_many(hop_context *context, uint64_t count) {
    return hop__fail(context, HOP_ERR_INPUT, "edges: %llu different ids, at most %u are possible",
                     (unsigned long long)count, (unsigned)HOP_MAX_VERTICES);
}

/* Labels and ranks from the bitmap. */
static hop_status labels_of_map(hop_context *context, const uint64_t *map, uint64_t words,
                                uint64_t *ranks, hop__relabelled *result) {
    hop_status status;
    uint64_t count = 0, next = 0;
    for (uint64_t i = 0; i < words; i++) {
        if (i % RANK_WORDS == 0)
            ranks[i / RANK_WORDS] = count;
        count += (uint64_t)__builtin_popcountll(map[i]);
    }
    if (count > HOP_MAX_VERTICES)
        return too_many(context, count);
    HOP_TRY(status, hop__alloc(context, "labels", count, 8, &result->labels));
    for (uint64_t i = 0; i < words; i++)
        for (uint64_t rest = map[i]; rest; rest &= rest - 1)
            result->labels[next++] = i * 64 + (uint64_t)__builtin_ctzll(rest);
    result->vertices = (hop_vertex)count;
done:
    return status;
}

static hop_status rename_edges(job *work, const lookup *look) {
    hop_status status;
    hop_context *context = work->context;
    uint64_t count = work->edges->count;
    HOP_TRY(status, hop__alloc(context, "labels: edges", count, 4, &work->result->from));
    HOP_TRY(status, hop__alloc(context, "labels: edges", count, 4, &work->result->to));
    work->look = look;
    hop__progress_begin(context, "number the vertices", count);
    hop__for(context, count, GRAIN, rename_range, work);
    HOP_TRY(status, hop__progress_end(context));
    uint64_t bad = hop__load_u64(&work->unknown_edge);
    if (bad != UINT64_MAX) {
        uint64_t from = hop__edge_id(work->edges, work->edges->from, bad);
        hop__fail(context, HOP_ERR_INPUT,
                  "edge %llu: from %llu to %llu, but one of them is not in the list of vertices",
                  (unsigned long long)bad, (unsigned long long)from,
                  (unsigned long long)hop__edge_id(work->edges, work->edges->to, bad));
        status = hop__note_arc(context, HOP_KIND_DATA, from, bad);
    }
done:
    return status;
}

static hop_status relabel_by_map(job *work) {
    hop_status status;
    hop_context *context = work->context;
    uint64_t words = work->largest / 64 + 1, *ranks = NULL;
    HOP_TRY(status, hop__alloc_zero(context, "labels: ids", words, 8, &work->map));
    HOP_TRY(status, hop__alloc(context, "labels: ranks", words / RANK_WORDS + 1, 8, &ranks));
    hop__progress_begin(context, "find the ids", work->edges->count);
    hop__for(context, work->edges->count, GRAIN, mark_range, work);
    HOP_TRY(status, hop__progress_end(context));
    HOP_TRY(status, labels_of_map(context, work->map, words, ranks, work->result));
    lookup look = {.map = work->map, .ranks = ranks};
    HOP_TRY(status, rename_edges(work, &look));
done:
    hop__free(work->map);
    hop__free(ranks);
    return status;
}

/* Renames by searching ascending labels, of which there are `count`. */
static hop_status rename_by_search(job *work, const uint64_t *labels, uint64_t count) {
    hop_status status = HOP_OK;
    uint32_t *table = NULL;
    uint64_t largest = count ? labels[count - 1] : 0, next = 0;
    /* No more entries than labels, or the table would be the work for a small graph. */
    unsigned width = hop__bit_width(largest), bits = hop__bit_width(count);
    bits = bits < TABLE_BITS ? bits : TABLE_BITS;
    unsigned shift = width > bits ? width - bits : 0;
    uint64_t entries = (largest >> shift) + 2;
    HOP_TRY(status, hop__alloc(work->context, "labels: table", entries, 4, &table));
    for (uint64_t entry = 0; entry < entries; entry++) {
        while (next < count && labels[next] >> shift < entry)
            next++;
        table[entry] = (uint32_t)next;
    }
    lookup look = {
        .labels = labels, .count = count, .table = table, .shift = shift, .largest = largest};
    HOP_TRY(status, rename_edges(work, &look));
done:
    hop__free(table);
    return status;
}

static hop_status relabel_by_sort(job *work) {
    hop_status status;
    hop_context *context = work->context;
    uint64_t ends = 2 * work->edges->count, count = 0;
    HOP_TRY(status, hop__alloc(context, "labels: ids", ends, 8, &work->ids));
    hop__progress_begin(context, "find the ids", work->edges->count);
    hop__for(context, work->edges->count, GRAIN, gather_range, work);
    HOP_TRY(status, hop__progress_end(context));
    HOP_TRY(status, hop__sort_u64(context, work->ids, ends, hop__bit_width(work->largest)));
    for (uint64_t i = 0; i < ends; i++)
        if (i == 0 || work->ids[i] != work->ids[i - 1])
            work->ids[count++] = work->ids[i];
    if (count > HOP_MAX_VERTICES) {
        status = too_many(context, count);
        goto done;
    }
    HOP_TRY(status, hop__resize(context, "labels", count, 8, &work->ids));
    work->result->labels = work->ids;
    work->result->vertices = (hop_vertex)count;
    work->ids = NULL;
    HOP_TRY(status, rename_by_search(work, work->result->labels, count));
done:
    hop__free(work->ids);
    return status;
}

static hop_status relabel_by_list(job *work, const uint64_t *labels, uint64_t count) {
    hop_status status;
    for (uint64_t i = 1; i < count; i++)
        if (labels[i] <= labels[i - 1])
            return hop__fail(work->context, HOP_ERR_INPUT,
                             "labels: number %llu is %llu, after %llu; they must be strictly "
                             "ascending",
                             (unsigned long long)i, (unsigned long long)labels[i],
                             (unsigned long long)labels[i - 1]);
    HOP_TRY(status, hop__alloc(work->context, "labels", count, 8, &work->result->labels));
    if (count > 0)
        memcpy(work->result->labels, labels, count * sizeof *labels);
    work->result->vertices = (hop_vertex)count;
    HOP_TRY(status, rename_by_search(work, labels, count));
done:
    return status;
}

hop_status hop__relabel(hop_context *context, const hop_edges *edges, const uint64_t *labels,
                        uint64_t label_count, hop__relabelled *result) {
    job work = {.context = context, .edges = edges, .result = result};
    hop_status status;
    memset(result, 0, sizeof *result);
    work.unknown_edge = UINT64_MAX;
    if (labels) {
        status = relabel_by_list(&work, labels, label_count);
    } else {
        work.largest = hop__edges_largest_id(context, edges);
        status = work.largest / BITMAP_PER_EDGE <= edges->count ? relabel_by_map(&work)
                                                                : relabel_by_sort(&work);
    }
    hop_vertex n = result->vertices;
    if (status == HOP_OK && hop__labels_plain(result->labels, n)) {
        result->first_id = n > 0 ? result->labels[0] : 0;
        hop__free(result->labels);
        result->labels = NULL;
    }
    if (status != HOP_OK)
        hop__relabelled_clear(result);
    return status;
}

void hop__relabelled_clear(hop__relabelled *result) {
    hop__free(result->from);
    hop__free(result->to);
    hop__free(result->labels);
    memset(result, 0, sizeof *result);
}
