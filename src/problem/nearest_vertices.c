/* SPDX-License-Identifier: Apache-2.0
 *
 * The vertices that a search found nearest, in order (hoplite/path.h).
 *
 * A heap holds the nearest so far with the farthest of them on top, so one pass over the values is
 * enough, whatever their order. Values become keys, unsigned numbers in the same order.
 * Cost: O(n log count), 16 bytes for each vertex that is listed and n bits. */
#include <math.h>

#include "core/bitmap.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/real_bits.h"
#include "core/try.h"
#include "hoplite/path.h"

enum { REPORT = 1 << 16 }; /* vertices between two reports */

typedef struct near_vertex {
    uint64_t key;
    hop_vertex vertex;
} near_vertex;

typedef struct near_heap {
    near_vertex *items;
    uint64_t count, most;
} near_heap;

static bool is_nearer(near_vertex a, near_vertex b) {
    return a.key < b.key || (a.key == b.key && a.vertex < b.vertex);
}

/* Puts an item where items[at] was, and moves it down to its place. */
static void sift_down(near_heap *heap, uint64_t at, near_vertex item) {
    for (uint64_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && is_nearer(heap->items[child], heap->items[child + 1]))
            child++;
        if (!is_nearer(item, heap->items[child]))
            break;
        heap->items[at] = heap->items[child];
    }
    heap->items[at] = item;
}

static void offer(near_heap *heap, near_vertex item) {
    if (heap->count == heap->most) {
        if (is_nearer(item, heap->items[0]))
            sift_down(heap, 0, item);
        return;
    }
    uint64_t at = heap->count++;
    for (; at > 0 && is_nearer(heap->items[(at - 1) / 2], item); at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = item;
}

/* Signed order as unsigned: negative numbers have their bits turned over, others the first one. */
static uint64_t real_key(double value) {
    uint64_t bits = hop__double_bits(value + 0.0); /* -0 is 0 */
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The key of a vertex; false: it was not reached, which the largest of an integer type
 * (HOP_NO_LEVEL, HOP_NO_DISTANCE) and infinity mean. */
static bool key_of(const hop_view *found, uint64_t v, uint64_t *key) {
    double real;
    int64_t whole;
    switch (found->type) {
    case HOP_TYPE_UINT32:
        *key = ((const uint32_t *)found->items)[v];
        return *key != UINT32_MAX;
    case HOP_TYPE_INT64:
        whole = ((const int64_t *)found->items)[v];
        *key = (uint64_t)whole ^ UINT64_C(1) << 63;
        return whole != INT64_MAX;
    default:
        real = found->type == HOP_TYPE_FLOAT32 ? (double)((const float *)found->items)[v]
                                               : ((const double *)found->items)[v];
        *key = real_key(real);
        return real < HUGE_VAL;
    }
}

static hop_status check_values(hop_context *context, const hop_view *found) {
    if (found == NULL || (found->items == NULL && found->count > 0))
        return hop__fail(context, HOP_ERR_ARGUMENT, "nearest: no levels and no distances");
    if (found->type != HOP_TYPE_UINT32 && found->type != HOP_TYPE_INT64 &&
        found->type != HOP_TYPE_FLOAT32 && found->type != HOP_TYPE_FLOAT64)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "nearest: values of type %s, expected levels (uint32) or distances "
                         "(int64, float32, float64)",
                         hop_type_name(found->type));
    if (found->count > HOP_MAX_VERTICES)
        return hop__fail(context, HOP_ERR_ARGUMENT, "nearest: more values than vertices can be");
    return HOP_OK;
}

/* A bit for each source. */
static hop_status mark_sources(hop_context *context, const hop_vertex *sources, size_t count,
                               uint64_t n, uint64_t **marks) {
    hop_status status;
    HOP_TRY(status, hop__alloc_zero(context, "nearest: sources", hop__bitmap_words(n), 8, marks));
    for (size_t i = 0; i < count; i++) {
        if (sources[i] >= n) {
            hop__fail(context, HOP_ERR_ARGUMENT,
                      "nearest: source %zu is vertex %u, but there are only %u", i, sources[i],
                      (unsigned)n);
            return hop__note_range(context, sources[i], n);
        }
        hop__bitmap_set(*marks, sources[i]);
    }
done:
    return status;
}

static hop_status gather(hop_context *context, const hop_view *found, const uint64_t *marks,
                         near_heap *heap) {
    near_vertex item;
    hop__progress_begin(context, "nearest", found->count);
    for (uint64_t v = 0; v < found->count; v++) {
        if (v % REPORT == 0 && !hop__progress_add(context, REPORT))
            break;
        item.vertex = (hop_vertex)v;
        if (key_of(found, v, &item.key) && !hop__bitmap_get(marks, v))
            offer(heap, item);
    }
    return hop__progress_end(context);
}

hop_status hop_nearest(hop_context *context, const hop_view *found, const hop_vertex *sources,
                       size_t source_count, hop_vertex *vertices, hop_vertex room,
                       hop_vertex *count) {
    near_heap heap = {0};
    uint64_t *marks = NULL;
    hop_status status;
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    if (count != NULL)
        *count = 0;
    HOP_TRY(status, check_values(context, found));
    if ((vertices == NULL && room > 0) || (sources == NULL && source_count > 0) || count == NULL)
        HOP_TRY(status, hop__fail(context, HOP_ERR_ARGUMENT, "nearest: %s NULL",
                                  count == NULL      ? "the count is"
                                  : vertices == NULL ? "the vertices are"
                                                     : "the sources are"));
    heap.most = room < found->count ? room : found->count;
    HOP_TRY(status, mark_sources(context, sources, source_count, found->count, &marks));
    HOP_TRY(status, hop__alloc(context, "nearest", heap.most, sizeof *heap.items, &heap.items));
    if (heap.most > 0)
        HOP_TRY(status, gather(context, found, marks, &heap));
    *count = (hop_vertex)heap.count;
    while (heap.count > 0) { /* the farthest comes first */
        near_vertex last = heap.items[heap.count - 1];
        vertices[--heap.count] = heap.items[0].vertex;
        sift_down(&heap, 0, last);
    }
done:
    hop__free(heap.items);
    hop__free(marks);
    return status;
}
