/* SPDX-License-Identifier: Apache-2.0
 * A forest over ids; see components_id_forest.h. */
#include "components/components_id_forest.h"

#include <stdatomic.h>
#include <string.h>

#include "components/components_forest.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "core/try.h"

enum {
    GRAIN = 1 << 13,
    AHEAD = 16,
    LEAST_PART = 1 << 14, /* edges whose ids are looked up at once */
    PART_SHARE = 128      /* bytes of what is left of the budget per edge of a part */
};

typedef struct edges_job {
    hop__id_forest *forest;
    const void *from, *to;
    size_t id_bytes;
    uint64_t largest;  /* atomic */
    uint64_t *unknown; /* ids that are new, not sorted */
    atomic_uint_fast64_t unknown_count;
} edges_job;

static inline uint64_t id_at(const void *ids, size_t bytes, uint64_t i) {
    return bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

void hop__id_forest_clear(hop__id_forest *forest) {
    hop__free(forest->parents);
    hop__free(forest->present);
    hop__free(forest->ids);
    hop__id_map_clear(&forest->map);
    *forest = (hop__id_forest){0};
}

static uint64_t room_left(const hop_context *context) {
    hop__memory_usage usage = hop__pool_usage(context->pool);
    return usage.budget > usage.used ? usage.budget - usage.used : 0;
}

/* The failure of too many vertices, so far: more may follow. */
static hop_status too_many(hop_context *context, const hop__id_forest *forest, uint64_t bytes) {
    uint64_t used = hop__pool_usage(context->pool).used;
    return hop__fail_total(context, "components: stream", used + bytes, forest->room, forest->edges,
                           true);
}

/* ---- ids that are places -------------------------------------------------------------------- */

/* Room for `room` ids. */
static hop_status grow_places(hop_context *context, hop__id_forest *forest, uint64_t room) {
    uint64_t old = forest->room, words = (room + 63) / 64, had = (old + 63) / 64;
    hop_status status;
    HOP_TRY(status, hop__resize(context, "components: parents", room, 4, &forest->parents));
    for (uint64_t v = old; v < room; v++)
        forest->parents[v] = (hop_vertex)v;
    if (forest->labels) {
        HOP_TRY(status, hop__resize(context, "components: ids", words, 8, &forest->present));
        memset(forest->present + had, 0, (words - had) * 8);
    }
    forest->room = room;
done:
    return status;
}

static bool places_fit(const hop_context *context, const hop__id_forest *forest, uint64_t room) {
    return room <= (uint64_t)HOP_MAX_VERTICES + 1 &&
           (room - forest->room) / 8 * 33 + 4096 <= room_left(context) / 4 * 3;
}

/* The ids that occur as a sorted array, parents between their places there. */
static hop_status sort_places(hop_context *context, hop__id_forest *forest) {
    hop__id_map map = {0};
    uint64_t *labels = NULL, count = 0;
    hop_status status;
    if (forest->present == NULL)
        HOP_TRY(status, hop__alloc_zero(context, "components: ids", 1, 8, &forest->present));
    HOP_TRY(status, hop__id_map_of_bits(context, &forest->present, (forest->room + 63) / 64, &map,
                                        &labels, &count));
    for (uint64_t i = 0; i < count; i++) /* i is at most its id: what comes is not overwritten */
        forest->parents[i] = hop__id_rank(&map, forest->parents[labels[i]]);
    HOP_TRY(status, hop__resize(context, "components: parents", count, 4, &forest->parents));
    forest->ids = labels;
    forest->room = count;
    hop__id_map_clear(&map);
    status = hop__id_map_of_labels(context, labels, count, &forest->map);
done:
    hop__id_map_clear(&map);
    return status;
}

/* Room for ids up to `largest`, which becomes the largest, as places or sorted. */
static hop_status fit_ids(hop_context *context, hop__id_forest *forest, uint64_t largest) {
    uint64_t more = forest->room + forest->room / 2;
    if (forest->ids != NULL || largest < forest->room)
        return HOP_OK;
    if (largest < more && places_fit(context, forest, more))
        return grow_places(context, forest, more);
    if (largest <= HOP_MAX_VERTICES && places_fit(context, forest, largest + 1))
        return grow_places(context, forest, largest + 1);
    if (!forest->labels)
        return too_many(context, forest, 4 * (largest + 1 - forest->room));
    hop_status status = sort_places(context, forest);
    return status == HOP_ERR_BUDGET ? too_many(context, forest, 8 * forest->room) : status;
}

/* ---- ids that are searched ------------------------------------------------------------------ */

static void unknown_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    edges_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        for (int side = 0; side < 2; side++) {
            uint64_t id = id_at(side == 0 ? work->from : work->to, work->id_bytes, i);
            if (hop__id_find(&work->forest->map, id) == HOP_NO_VERTEX)
                work->unknown[atomic_fetch_add(&work->unknown_count, 1)] = id;
        }
}

static uint64_t drop_repeated(uint64_t *sorted, uint64_t count) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            sorted[kept++] = sorted[i];
    return kept;
}

/* How many of the sorted ids are below `id`. */
static uint64_t count_below(const uint64_t *sorted, uint64_t count, uint64_t id) {
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (sorted[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merges new ids, sorted and distinct, from the end on: what is below place i has not moved when
 * i does. */
static void merge_ids(hop__id_forest *forest, const uint64_t *fresh, uint64_t count) {
    uint64_t i = forest->room, j = count;
    for (uint64_t k = i + j; k-- > 0;) {
        if (j > 0 && (i == 0 || fresh[j - 1] > forest->ids[i - 1])) {
            forest->ids[k] = fresh[--j];
            forest->parents[k] = (hop_vertex)k;
            continue;
        }
        hop_vertex parent = forest->parents[--i];
        uint64_t moved = parent == i ? k - parent : count_below(fresh, count, forest->ids[parent]);
        forest->ids[k] = forest->ids[i];
        forest->parents[k] = (hop_vertex)(parent + moved);
    }
    forest->room += count;
}

static hop_status learn_ids(hop_context *context, hop__id_forest *forest, uint64_t *fresh,
                            uint64_t count) {
    hop_status status;
    uint64_t largest = 0;
    for (uint64_t i = 0; i < count; i++)
        largest = fresh[i] > largest ? fresh[i] : largest;
    HOP_TRY(status, hop__sort_u64(context, fresh, count, hop__bit_width(largest)));
    count = drop_repeated(fresh, count);
    if (forest->room + count > HOP_MAX_VERTICES)
        HOP_TRY(status, hop__id_too_many(context, forest->room + count));
    HOP_TRY(status, hop__resize(context, "components: ids", forest->room + count, 8, &forest->ids));
    HOP_TRY(status,
            hop__resize(context, "components: parents", forest->room + count, 4, &forest->parents));
    merge_ids(forest, fresh, count);
    hop__id_map_clear(&forest->map);
    HOP_TRY(status, hop__id_map_of_labels(context, forest->ids, forest->room, &forest->map));
done:
    return status == HOP_ERR_BUDGET ? too_many(context, forest, 12 * count) : status;
}

static void find_and_join(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const edges_job *work = arg;
    const hop__id_forest *forest = work->forest;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        hop__rem_join(forest->parents,
                      hop__id_find(&forest->map, id_at(work->from, work->id_bytes, i)),
                      hop__id_find(&forest->map, id_at(work->to, work->id_bytes, i)));
}

static hop_status add_searched(hop_context *context, const edges_job *all, uint64_t count) {
    uint64_t part = room_left(context) / PART_SHARE;
    hop_status status = HOP_OK;
    edges_job work = {.forest = all->forest, .id_bytes = all->id_bytes};
    part = part < LEAST_PART ? LEAST_PART : part;
    part = part > count ? count : part;
    HOP_TRY(status, hop__alloc(context, "components: ids", 2 * part, 8, &work.unknown));
    for (uint64_t first = 0, now; first < count; first += now) {
        now = count - first < part ? count - first : part;
        work.from = (const unsigned char *)all->from + first * all->id_bytes;
        work.to = (const unsigned char *)all->to + first * all->id_bytes;
        atomic_store(&work.unknown_count, 0);
        hop__for(context, now, GRAIN, unknown_range, &work);
        if (atomic_load(&work.unknown_count) > 0)
            HOP_TRY(status, learn_ids(context, work.forest, work.unknown,
                                      atomic_load(&work.unknown_count)));
        hop__for(context, now, GRAIN, find_and_join, &work);
    }
done:
    hop__free(work.unknown);
    return status;
}

/* ---- adding --------------------------------------------------------------------------------- */

static void largest_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    edges_job *work = arg;
    uint64_t most = 0;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t u = id_at(work->from, work->id_bytes, i), v = id_at(work->to, work->id_bytes, i);
        most = u > most ? u : most;
        most = v > most ? v : most;
    }
    hop__raise_u64(&work->largest, most);
}

static void join_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const edges_job *work = arg;
    const hop__id_forest *forest = work->forest;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t ahead = i + AHEAD < end ? i + AHEAD : i;
        __builtin_prefetch(&forest->parents[id_at(work->from, work->id_bytes, ahead)]);
        __builtin_prefetch(&forest->parents[id_at(work->to, work->id_bytes, ahead)]);
        uint64_t u = id_at(work->from, work->id_bytes, i), v = id_at(work->to, work->id_bytes, i);
        if (forest->present != NULL) {
            hop__bitmap_claim(forest->present, u);
            hop__bitmap_claim(forest->present, v);
        }
        hop__rem_join(forest->parents, (hop_vertex)u, (hop_vertex)v);
    }
}

hop_status hop__id_forest_add(hop_context *context, hop__id_forest *forest, const void *from,
                              const void *to, size_t id_bytes, uint64_t count) {
    edges_job work = {.forest = forest, .from = from, .to = to, .id_bytes = id_bytes};
    hop_status status;
    if (count == 0)
        return HOP_OK;
    hop__for(context, count, GRAIN, largest_range, &work);
    HOP_TRY(status, fit_ids(context, forest, work.largest));
    if (forest->ids != NULL)
        HOP_TRY(status, add_searched(context, &work, count));
    else
        hop__for(context, count, GRAIN, join_range, &work);
    forest->edges += count;
done:
    return status;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Ascending: when v comes up, its parent points to the root already. */
static void flatten(hop__id_forest *forest) {
    for (uint64_t v = 0; v < forest->room; v++)
        forest->parents[v] = forest->parents[forest->parents[v]];
}

/* The least and the greatest id that occur, and how many there are. */
static uint64_t count_present(const hop__id_forest *forest, uint64_t *first, uint64_t *last) {
    uint64_t sum = 0;
    for (uint64_t i = 0; forest->present != NULL && i < (forest->room + 63) / 64; i++) {
        uint64_t word = forest->present[i];
        if (word == 0)
            continue;
        if (sum == 0)
            *first = i * 64 + (uint64_t)__builtin_ctzll(word);
        *last = i * 64 + 63 - (uint64_t)__builtin_clzll(word);
        sum += (uint64_t)__builtin_popcountll(word);
    }
    return sum;
}

/* Ids in a row: no array says what they are. */
static hop_status number_row(hop_context *context, hop__id_forest *forest, uint64_t first,
                             uint64_t count) {
    for (uint64_t v = 0; v < count; v++)
        forest->parents[v] = (hop_vertex)(forest->parents[first + v] - first);
    forest->room = count;
    return hop__resize(context, "components: parents", count, 4, &forest->parents);
}

hop_status hop__id_forest_number(hop_context *context, hop__id_forest *forest, uint64_t **labels,
                                 uint64_t *first_id, uint64_t *count) {
    uint64_t first = 0, last = 0;
    hop_status status = HOP_OK;
    *labels = NULL;
    *first_id = 0;
    if (forest->ids == NULL) {
        uint64_t sum = count_present(forest, &first, &last);
        if (sum == 0 || last - first == sum - 1) {
            *first_id = first;
            *count = sum;
            return sum == 0 ? HOP_OK : number_row(context, forest, first, sum);
        }
        status = sort_places(context, forest);
        if (status == HOP_ERR_BUDGET)
            status = too_many(context, forest, 8 * sum);
        HOP_TRY(status, status);
    }
    *count = forest->room;
    hop__id_map_clear(&forest->map);
    if (forest->ids[*count - 1] - forest->ids[0] == *count - 1) {
        *first_id = forest->ids[0];
        hop__free(forest->ids);
    } else {
        *labels = forest->ids;
    }
    forest->ids = NULL;
done:
    return status;
}

/* Labels of vertices that are in another order than the ids: of a tree the least rank. */
static hop_status rank_labels(hop_context *context, const hop__id_forest *forest, uint64_t count,
                              const uint32_t *ranks, hop_vertex **labels) {
    hop_vertex *least = NULL;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "components: labels", count, 4, labels));
    HOP_TRY(status, hop__alloc(context, "components: least", forest->room, 4, &least));
    memset(least, 0xff, forest->room * sizeof *least);
    for (uint64_t v = 0; v < forest->room; v++) {
        hop_vertex *best = &least[forest->parents[v]];
        *best = ranks[v] < *best ? ranks[v] : *best;
    }
    for (uint64_t v = 0; v < forest->room; v++)
        if (ranks[v] != HOP_NO_VERTEX)
            (*labels)[ranks[v]] = least[forest->parents[v]];
done:
    hop__free(least);
    return status;
}

hop_status hop__id_forest_finish(hop_context *context, hop__id_forest *forest, uint64_t count,
                                 hop__id_ranks ranks, hop_vertex **labels) {
    const uint64_t ids = ranks.at != NULL ? ranks.count : count;
    hop_status status = HOP_OK;
    forest->labels = false; /* all vertices are known */
    if (ids > forest->room)
        status = grow_places(context, forest, ids);
    else /* places that were made ahead */
        status = hop__resize(context, "components: parents", ids, 4, &forest->parents);
    if (status == HOP_ERR_BUDGET)
        status = too_many(context, forest, 4 * (ids - forest->room));
    HOP_TRY(status, status);
    forest->room = ids;
    flatten(forest);
    if (ranks.at != NULL) {
        status = rank_labels(context, forest, count, ranks.at, labels);
    } else {
        *labels = forest->parents;
        forest->parents = NULL;
    }
done:
    hop__id_forest_clear(forest);
    return status;
}
