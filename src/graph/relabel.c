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
#include "graph/id_map.h"

enum {
    GRAIN = 1 << 15,
    BITMAP_PER_EDGE =
        64 /* bits of bitmap that an edge is worth: 8 bytes, less than sorting takes */
};

typedef struct job {
    hop_context *context;
    const hop_edges *edges;
    uint64_t largest;
    uint64_t *map;
    uint64_t *ids;
    const hop__id_map *look;
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

static void rename_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    (void)thread;
    if (!hop__progress_add(work->context, end - begin))
        return;
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex u = hop__id_find(work->look, hop__edge_id(work->edges, work->edges->from, i));
        hop_vertex v = hop__id_find(work->look, hop__edge_id(work->edges, work->edges->to, i));
        work->result->from[i] = u;
        work->result->to[i] = v;
        if (u == HOP_NO_VERTEX || v == HOP_NO_VERTEX) {
            hop__lower_u64(&work->unknown_edge, i);
        }
    }
}

static hop_status rename_edges(job *work, const hop__id_map *look) {
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
    uint64_t words = work->largest / 64 + 1, count = 0;
    hop__id_map look = {0};
    HOP_TRY(status, hop__alloc_zero(context, "labels: ids", words, 8, &work->map));
    hop__progress_begin(context, "find the ids", work->edges->count);
    hop__for(context, work->edges->count, GRAIN, mark_range, work);
    HOP_TRY(status, hop__progress_end(context));
    HOP_TRY(status,
            hop__id_map_of_bits(context, &work->map, words, &look, &work->result->labels, &count));
    work->result->vertices = (hop_vertex)count;
    HOP_TRY(status, rename_edges(work, &look));
done:
    hop__free(work->map);
    hop__id_map_clear(&look);
    return status;
}

/* Renames by searching ascending labels, of which there are `count`. */
static hop_status rename_by_search(job *work, const uint64_t *labels, uint64_t count) {
    hop__id_map look = {0};
    hop_status status;
    HOP_TRY(status, hop__id_map_of_labels(work->context, labels, count, &look));
    HOP_TRY(status, rename_edges(work, &look));
done:
    hop__id_map_clear(&look);
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
        status = hop__id_too_many(context, count);
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
