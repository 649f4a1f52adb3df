/* SPDX-License-Identifier: Apache-2.0
 * Ids and vertex numbers; see id_map.h. */
#include "graph/id_map.h"

#include <string.h>

#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "core/try.h"

enum { GRAIN = 1 << 15, TABLE_BITS = 20, LEAST_PART = 1 << 14 };

/* ---- maps ------------------------------------------------------------------------------------ */

hop_status hop__id_too_many(hop_context *context, uint64_t count) {
    return hop__fail(context, HOP_ERR_INPUT, "edges: %llu different ids, at most %u are possible",
                     (unsigned long long)count, (unsigned)HOP_MAX_VERTICES);
}

static void list_bits(const uint64_t *bits, uint64_t words, uint64_t *labels) {
    uint64_t next = 0;
    for (uint64_t i = 0; i < words; i++)
        for (uint64_t rest = bits[i]; rest; rest &= rest - 1)
            labels[next++] = i * 64 + (uint64_t)__builtin_ctzll(rest);
}

hop_status hop__id_map_of_bits(hop_context *context, uint64_t **bits, uint64_t words,
                               hop__id_map *map, uint64_t **labels, uint64_t *count) {
    uint64_t sum = 0;
    hop_status status;
    *map = (hop__id_map){0};
    *labels = NULL;
    HOP_TRY(status,
            hop__alloc(context, "labels: ranks", words / HOP__RANK_WORDS + 1, 8, &map->ranks));
    for (uint64_t i = 0; i < words; i++) {
        if (i % HOP__RANK_WORDS == 0)
            map->ranks[i / HOP__RANK_WORDS] = sum;
        sum += (uint64_t)__builtin_popcountll((*bits)[i]);
    }
    HOP_TRY(status, sum > HOP_MAX_VERTICES ? hop__id_too_many(context, sum) : HOP_OK);
    HOP_TRY(status, hop__alloc(context, "labels", sum, 8, labels));
    list_bits(*bits, words, *labels);
    *count = sum;
    map->map = *bits;
    *bits = NULL;
done:
    if (status != HOP_OK)
        hop__id_map_clear(map);
    return status;
}

hop_status hop__id_map_of_labels(hop_context *context, const uint64_t *labels, uint64_t count,
                                 hop__id_map *map) {
    hop_status status = HOP_OK;
    uint64_t largest = count ? labels[count - 1] : 0, next = 0;
    /* No more entries than labels, or the table would be the work for a small graph. */
    unsigned width = hop__bit_width(largest), bits = hop__bit_width(count);
    bits = bits < TABLE_BITS ? bits : TABLE_BITS;
    *map = (hop__id_map){.labels = labels,
                         .count = count,
                         .shift = width > bits ? width - bits : 0,
                         .largest = largest};
    uint64_t entries = (largest >> map->shift) + 2;
    HOP_TRY(status, hop__alloc(context, "labels: table", entries, 4, &map->table));
    for (uint64_t entry = 0; entry < entries; entry++) {
        while (next < count && labels[next] >> map->shift < entry)
            next++;
        map->table[entry] = (uint32_t)next;
    }
done:
    return status;
}

void hop__id_map_clear(hop__id_map *map) {
    hop__free(map->map);
    hop__free(map->ranks);
    hop__free(map->table);
    *map = (hop__id_map){0};
}

/* ---- sets ------------------------------------------------------------------------------------ */

typedef struct id_job {
    const void *ids;
    size_t id_bytes;
    uint64_t *bits;   /* to be marked */
    uint64_t *wide;   /* or to be filled with the ids */
    uint64_t largest; /* atomic */
} id_job;

static inline uint64_t id_at(const id_job *work, uint64_t i) {
    return work->id_bytes == 4 ? ((const uint32_t *)work->ids)[i]
                               : ((const uint64_t *)work->ids)[i];
}

static void largest_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    id_job *work = arg;
    uint64_t most = 0;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        most = id_at(work, i) > most ? id_at(work, i) : most;
    hop__raise_u64(&work->largest, most);
}

static void mark_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const id_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        hop__bitmap_claim(work->bits, id_at(work, i));
}

static void widen_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const id_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        work->wide[i] = id_at(work, i);
}

static uint64_t room_left(const hop_context *context) {
    hop__memory_usage usage = hop__pool_usage(context->pool);
    return usage.budget > usage.used ? usage.budget - usage.used : 0;
}

/* Room in the bitmap for ids up to `largest`, if it may be so large; else the set becomes a sorted
 * array. */
static hop_status fit_bits(hop_context *context, hop__id_set *set, uint64_t largest) {
    uint64_t words = largest / 64 + 1, more = set->words + set->words / 2;
    hop_status status = HOP_OK;
    if (words <= set->words)
        return HOP_OK;
    words = words < more ? more : words;
    if (words <= room_left(context) / 8 / 4) {
        if (set->bits == NULL)
            HOP_TRY(status, hop__alloc(context, "labels: ids", words, 8, &set->bits));
        else
            HOP_TRY(status, hop__resize(context, "labels: ids", words, 8, &set->bits));
        memset(set->bits + set->words, 0, (words - set->words) * 8);
        set->words = words;
        return HOP_OK;
    }
    for (uint64_t i = 0; i < set->words; i++)
        set->count += (uint64_t)__builtin_popcountll(set->bits[i]);
    HOP_TRY(status, hop__alloc(context, "labels", set->count, 8, &set->sorted));
    list_bits(set->bits, set->words, set->sorted);
    hop__free(set->bits);
    set->bits = NULL;
done:
    return status;
}

static uint64_t drop_repeated(uint64_t *sorted, uint64_t count) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            sorted[kept++] = sorted[i];
    return kept;
}

/* Merges sorted, distinct ids into the set. */
static hop_status merge_ids(hop_context *context, hop__id_set *set, const uint64_t *ids,
                            uint64_t count) {
    uint64_t *merged = NULL, i = 0, j = 0, kept = 0;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "labels", set->count + count, 8, &merged));
    while (i < set->count || j < count) {
        bool old = j == count || (i < set->count && set->sorted[i] <= ids[j]);
        uint64_t id = old ? set->sorted[i] : ids[j];
        i += i < set->count && set->sorted[i] == id;
        j += j < count && ids[j] == id;
        merged[kept++] = id;
    }
    hop__free(set->sorted);
    set->sorted = merged;
    set->count = kept;
    HOP_TRY(status, hop__resize(context, "labels", kept, 8, &set->sorted));
done:
    return status;
}

static hop_status add_sorted(hop_context *context, hop__id_set *set, const id_job *ids,
                             uint64_t count) {
    uint64_t part = room_left(context) / 64, *wide = NULL;
    hop_status status;
    part = part < LEAST_PART ? LEAST_PART : part;
    part = part > count ? count : part;
    HOP_TRY(status, hop__alloc(context, "labels: ids", part, 8, &wide));
    for (uint64_t first = 0, now; first < count; first += now) {
        now = count - first < part ? count - first : part;
        id_job work = {(const unsigned char *)ids->ids + first * ids->id_bytes, ids->id_bytes, NULL,
                       wide, 0};
        hop__for(context, now, GRAIN, widen_range, &work);
        HOP_TRY(status, hop__sort_u64(context, wide, now, hop__bit_width(ids->largest)));
        HOP_TRY(status, merge_ids(context, set, wide, drop_repeated(wide, now)));
    }
done:
    hop__free(wide);
    return status;
}

hop_status hop__id_set_add(hop_context *context, hop__id_set *set, const void *ids, size_t id_bytes,
                           uint64_t count) {
    id_job work = {ids, id_bytes, NULL, NULL, 0};
    hop_status status = HOP_OK;
    if (count == 0)
        return HOP_OK;
    hop__for(context, count, GRAIN, largest_range, &work);
    if (set->sorted == NULL)
        HOP_TRY(status, fit_bits(context, set, work.largest));
    if (set->sorted != NULL)
        return add_sorted(context, set, &work, count);
    work.bits = set->bits;
    hop__for(context, count, GRAIN, mark_range, &work);
done:
    return status;
}

hop_status hop__id_set_finish(hop_context *context, hop__id_set *set, hop__id_map *map,
                              uint64_t **labels, uint64_t *count) {
    hop_status status;
    if (set->sorted == NULL)
        return hop__id_map_of_bits(context, &set->bits, set->words, map, labels, count);
    HOP_TRY(status, set->count > HOP_MAX_VERTICES ? hop__id_too_many(context, set->count) : HOP_OK);
    *count = set->count;
    *labels = set->sorted;
    set->sorted = NULL;
    HOP_TRY(status, hop__id_map_of_labels(context, *labels, *count, map));
done:
    return status;
}

void hop__id_set_clear(hop__id_set *set) {
    hop__free(set->bits);
    hop__free(set->sorted);
    *set = (hop__id_set){0};
}
