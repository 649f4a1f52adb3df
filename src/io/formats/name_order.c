/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of names (see name_order.h).
 *
 * Radix sort by the bytes behind what all names have in common, as many as have room beside an
 * index in 64 bits; then the names that agree in those by a three-way quicksort on bytes (Bentley
 * and Sedgewick 1997), group by group in parallel. Whatever the names are: a bad split is followed
 * by one at the median, which is found by counting, so each name is looked at O(its bytes + log n)
 * times; and only parts of at most half the names are sorted by recursion, so the stack has
 * O(log n) frames. */
#include "io/formats/name_order.h"

#include <string.h>

#include "core/parallel.h"
#include "core/sort.h"
#include "core/try.h"

typedef struct sort_job {
    const hop__unsorted_names *from;
    uint64_t *keys;
    uint32_t *order; /* indexes: short names, then long ones */
    uint64_t count;
    unsigned index_bits; /* of a key; those above them are bytes of the name */
    size_t common;       /* bytes that all names begin with */
    uint64_t *offsets;
    char *bytes;
    uint32_t *ranks;
} sort_job;

typedef struct name {
    const char *at;
    size_t length;
} name;

static name name_of(const sort_job *work, uint64_t index) {
    const hop__unsorted_names *from = work->from;
    if (index < from->short_count) {
        const char *at = from->shorts + index * HOP__SHORT_BYTES;
        size_t length = HOP__SHORT_NAME;
        while (at[length - 1] == '\0')
            length--;
        return (name){at, length};
    }
    hop__record_head head;
    const char *record = from->arena + from->longs[index - from->short_count];
    memcpy(&head, record, sizeof head);
    return (name){record + HOP__RECORD_HEAD, head.length};
}

static uint32_t id_of(const sort_job *work, uint64_t index) {
    const hop__unsorted_names *from = work->from;
    hop__record_head head;
    uint32_t number;
    if (index < from->short_count) {
        memcpy(&number, from->shorts + index * HOP__SHORT_BYTES + HOP__SHORT_NAME, sizeof number);
        return number - 1;
    }
    memcpy(&head, from->arena + from->longs[index - from->short_count], sizeof head);
    return head.id;
}

/* ---- keys ----------------------------------------------------------------------------------- */

static size_t common_bytes(const sort_job *work) {
    if (work->count == 0)
        return 0;
    name first = name_of(work, 0);
    size_t common = first.length;
    for (uint64_t i = 1; i < work->count && common > 0; i++) {
        name other = name_of(work, i);
        common = other.length < common ? other.length : common;
        if (memcmp(first.at, other.at, common) == 0)
            continue;
        for (common = 0; first.at[common] == other.at[common];) /* they differ before either ends */
            common++;
    }
    return common;
}

/* The first bytes behind what is common, zeros behind the end, above the index. */
static void make_keys(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    sort_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        name own = name_of(work, i);
        size_t left = own.length - work->common;
        unsigned char bytes[8] = {0};
        uint64_t key = 0;
        memcpy(bytes, own.at + work->common, left < 8 ? left : 8);
        for (size_t k = 0; k < 8; k++)
            key = key << 8 | bytes[k];
        work->keys[i] = key >> work->index_bits << work->index_bits | i;
    }
}

/* ---- names that agree in their keys ---------------------------------------------------------- */

/* The byte at `depth` and 1; 0 behind the end, so that the shorter name comes first. */
static unsigned byte_at(const sort_job *work, uint32_t index, size_t depth) {
    name own = name_of(work, index);
    return depth < own.length ? (unsigned char)own.at[depth] + 1u : 0;
}

static void swap(uint32_t *a, uint32_t *b) {
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void sort_few(const sort_job *work, uint32_t *order, uint64_t count) {
    for (uint64_t i = 1; i < count; i++)
        for (uint64_t j = i; j > 0; j--) {
            name own = name_of(work, order[j]), before = name_of(work, order[j - 1]);
            if (hop__name_compare(before.at, before.length, own.at, own.length) <= 0)
                break;
            swap(&order[j], &order[j - 1]);
        }
}

/* Names that agree in their first `depth` bytes. */
typedef struct group {
    uint32_t *order;
    uint64_t count;
    size_t depth;
} group;

/* The median of three of the bytes at the group's depth. */
static unsigned guess_median(const sort_job *work, const group *all) {
    unsigned a = byte_at(work, all->order[0], all->depth),
             b = byte_at(work, all->order[all->count / 2], all->depth),
             c = byte_at(work, all->order[all->count - 1], all->depth);
    return a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b));
}

/* The median of all of them. */
static unsigned count_median(const sort_job *work, const group *all) {
    uint64_t counts[257] = {0}, below = 0;
    unsigned byte = 0;
    for (uint64_t i = 0; i < all->count; i++)
        counts[byte_at(work, all->order[i], all->depth)]++;
    while ((below += counts[byte]) <= all->count / 2)
        byte++;
    return byte;
}

/* Puts the names with a byte below the pivot first and those above it last. */
static void split_group(const sort_job *work, const group *all, unsigned pivot, group parts[3]) {
    uint64_t less = 0, more = all->count, i = 0;
    while (i < more) {
        unsigned byte = byte_at(work, all->order[i], all->depth);
        if (byte < pivot)
            swap(&all->order[less++], &all->order[i++]);
        else if (byte > pivot)
            swap(&all->order[i], &all->order[--more]);
        else
            i++;
    }
    /* Names are different, so at most one ends here: it is in its place. */
    uint64_t equal = pivot == 0 ? 0 : more - less;
    parts[0] = (group){all->order, less, all->depth};
    parts[1] = (group){all->order + less, equal, all->depth + 1};
    parts[2] = (group){all->order + more, all->count - more, all->depth};
}

static void sort_group(const sort_job *work, group all) {
    bool bad = false; /* the last split was */
    while (all.count > 12) {
        group parts[3];
        unsigned largest = 0;
        split_group(work, &all, bad ? count_median(work, &all) : guess_median(work, &all), parts);
        for (unsigned i = 1; i < 3; i++)
            if (parts[i].count > parts[largest].count)
                largest = i;
        for (unsigned i = 0; i < 3; i++)
            if (i != largest)
                sort_group(work, parts[i]);
        bad = largest != 1 && parts[largest].count > all.count / 4 * 3;
        all = parts[largest];
    }
    sort_few(work, all.order, all.count);
}

static bool same_key(const sort_job *work, uint64_t a, uint64_t b) {
    return (work->keys[a] ^ work->keys[b]) >> work->index_bits == 0;
}

static void sort_ties(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    sort_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end;) {
        uint64_t stop = i + 1;
        if (i > 0 && same_key(work, i, i - 1)) { /* belongs to who began it */
            i++;
            continue;
        }
        while (stop < work->count && same_key(work, i, stop))
            stop++;
        if (stop - i > 1)
            sort_group(work, (group){work->order + i, stop - i, work->common});
        i = stop;
    }
}

/* Puts all names into their order. */
static hop_status sort_names(hop_context *context, sort_job *work) {
    const uint64_t mask = (UINT64_C(1) << work->index_bits) - 1;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "names: order", work->count, 8, &work->keys));
    work->common = common_bytes(work);
    hop__for(context, work->count, 1 << 12, make_keys, work);
    HOP_TRY(status, hop__sort_u64(context, work->keys, work->count, 64));
    HOP_TRY(status, hop__alloc(context, "names: order", work->count, 4, &work->order));
    for (uint64_t i = 0; i < work->count; i++)
        work->order[i] = (uint32_t)(work->keys[i] & mask);
    hop__for(context, work->count, 1 << 10, sort_ties, work);
done:
    hop__free(work->keys);
    work->keys = NULL;
    return status;
}

/* ---- the list ------------------------------------------------------------------------------- */

/* Names in their order are anywhere in memory: fetches what comes soon. */
static inline void look_ahead(const sort_job *work, uint64_t i) {
    enum { SOON = 12 };
    const hop__unsorted_names *from = work->from;
    if (i + 2 * SOON >= work->count)
        return;
    uint64_t later = work->order[i + 2 * SOON], soon = work->order[i + SOON];
    __builtin_prefetch(later < from->short_count
                           ? from->shorts + later * HOP__SHORT_BYTES
                           : (const char *)&from->longs[later - from->short_count]);
    if (soon >= from->short_count)
        __builtin_prefetch(from->arena + from->longs[soon - from->short_count]);
}

/* offsets[i + 1]: the length of name i. */
static void measure_names(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    sort_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        look_ahead(work, i);
        work->offsets[i + 1] = name_of(work, work->order[i]).length;
    }
}

static void copy_names(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    sort_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        look_ahead(work, i);
        name own = name_of(work, work->order[i]);
        memcpy(work->bytes + work->offsets[i], own.at, own.length);
        work->ranks[id_of(work, work->order[i])] = (uint32_t)i;
    }
}

/* The list itself; the order is known. */
static hop_status fill_list(hop_context *context, sort_job *work, hop__vertex_names *list) {
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "names: offsets", work->count + 1, 8, &list->own_offsets));
    work->offsets = list->own_offsets;
    work->offsets[0] = 0;
    hop__for(context, work->count, 1 << 12, measure_names, work);
    for (uint64_t i = 0; i < work->count; i++)
        work->offsets[i + 1] += work->offsets[i];
    list->size = work->offsets[work->count];
    list->count = work->count;
    HOP_TRY(status, hop__alloc(context, "names", list->size, 1, &list->own_bytes));
    work->bytes = list->own_bytes;
    hop__for(context, work->count, 1 << 12, copy_names, work);
    list->offsets = list->own_offsets;
    list->bytes = list->own_bytes;
done:
    return status;
}

hop_status hop__names_sort(hop_context *context, const hop__unsorted_names *from,
                           hop__vertex_names **names, uint32_t **ranks) {
    sort_job work = {.from = from, .count = from->short_count + from->long_count};
    hop__vertex_names *list = NULL;
    hop_status status;
    *ranks = NULL;
    work.index_bits = work.count == 0 ? 0 : hop__bit_width(work.count - 1);
    HOP_TRY(status, sort_names(context, &work));
    HOP_TRY(status, hop__vertex_names_create(context, &list));
    HOP_TRY(status, hop__alloc(context, "names: numbers", from->given, 4, &work.ranks));
    memset(work.ranks, 0xff, from->given * sizeof *work.ranks); /* HOP_NO_VERTEX */
    HOP_TRY(status, fill_list(context, &work, list));
    *names = list;
    *ranks = work.ranks;
    list = NULL;
    work.ranks = NULL;
done:
    hop__free(work.order);
    hop__free(work.ranks);
    hop__vertex_names_release(list);
    return status;
}
