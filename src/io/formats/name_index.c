/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for names (see name_index.h).
 *
 * The order of names: radix sort by the 4 bytes behind what all have in common, then the names that
 * agree in those by a three-way quicksort on bytes (Bentley and Sedgewick 1997), group by group in
 * parallel. Whatever the names are: a bad split is followed by one at the median, which is found by
 * counting, so each name is looked at O(its bytes + log n) times; and only parts of at most half
 * the names are sorted by recursion, so the stack has O(log n) frames. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "io/formats/name_index.h"

#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/parallel.h"
#include "core/sort.h"
#include "core/try.h"

enum { PLACE_BITS = 40, FIRST_SLOTS = 1 << 10, FIRST_BYTES = 1 << 15, HEAD = 8 };

typedef struct record_head {
    uint32_t id, length;
} record_head;

struct hop__name_index {
    _Atomic uint64_t *slots;
    uint64_t slot_count; /* a power of 2 */
    char *arena;
    uint64_t capacity; /* of the arena */
    uint64_t *places;  /* by number: where the name is in the arena, and 1; 0: not used */
    uint64_t most;     /* numbers that may be given before the table grows */
    atomic_bool full_arena, full_table;
    uint64_t seed; /* of the hash: nobody can write names that all fall into the same slots */
    /* What new names change, apart from what every name is looked up by. */
    _Alignas(64) atomic_uint_fast64_t used;
    atomic_uint_fast64_t count;
};

/* Where the system has no random bits (yet), the address of the index is as good as any. Answers do
 * not depend on it: the names are sorted at the end. By number: glibc before 2.25 has no
 * getrandom(). */
static uint64_t make_seed(const hop__name_index *index) {
    uint64_t seed;
    return syscall(SYS_getrandom, &seed, sizeof seed, GRND_NONBLOCK) == (long)sizeof seed
               ? seed
               : (uint64_t)(uintptr_t)index;
}

static uint64_t hash_of(const hop__name_index *index, const char *name, size_t length) {
    return XXH3_64bits_withSeed(name, length, index->seed);
}

static uint64_t most_of(uint64_t slots) {
    return slots / 8 * 5;
}

static hop_status make_table(hop_context *context, hop__name_index *index, uint64_t slots) {
    _Atomic uint64_t *table = NULL;
    hop_status status;
    uint64_t most = most_of(slots), before = index->most;
    if (most > HOP_MAX_VERTICES)
        most = HOP_MAX_VERTICES;
    if (index->places == NULL)
        HOP_TRY(status, hop__alloc(context, "names: places", most, 8, &index->places));
    else
        HOP_TRY(status, hop__resize(context, "names: places", most, 8, &index->places));
    memset(index->places + before, 0, (most - before) * 8);
    HOP_TRY(status, hop__alloc_zero(context, "names: table", slots, 8, &table));
    hop__free((void *)index->slots);
    index->slots = table;
    index->slot_count = slots;
    index->most = most;
done:
    return status;
}

hop_status hop__name_index_create(hop_context *context, hop__name_index **slot) {
    hop__name_index *index = NULL;
    hop_status status;
    *slot = NULL;
    HOP_TRY(status, hop__alloc_zero(context, "names", 1, sizeof *index, &index));
    index->seed = make_seed(index);
    HOP_TRY(status, hop__alloc(context, "names: bytes", FIRST_BYTES, 1, &index->arena));
    index->capacity = FIRST_BYTES;
    HOP_TRY(status, make_table(context, index, FIRST_SLOTS));
    *slot = index;
    index = NULL;
done:
    hop__name_index_free(index);
    return status;
}

void hop__name_index_free(hop__name_index *index) {
    if (index == NULL)
        return;
    hop__free((void *)index->slots);
    hop__free(index->arena);
    hop__free(index->places);
    hop__free(index);
}

/* ---- numbering ------------------------------------------------------------------------------ */

static uint64_t slot_of(uint64_t hash, uint64_t place) {
    return hash >> PLACE_BITS << PLACE_BITS | place;
}

static bool same_tag(uint64_t slot, uint64_t hash) {
    return (slot ^ hash) >> PLACE_BITS == 0;
}

static const char *record_at(const hop__name_index *index, uint64_t slot, record_head *head) {
    const char *record = index->arena + (slot & ((UINT64_C(1) << PLACE_BITS) - 1)) - 1;
    memcpy(head, record, sizeof *head);
    return record + HEAD;
}

/* Writes a new name into the arena; 0 when there is no room. Else its place and 1. */
static uint64_t write_record(hop__name_index *index, const hop__name_word *word, uint32_t *id) {
    uint64_t bytes = HEAD + word->length;
    uint64_t at = atomic_fetch_add_explicit(&index->used, bytes, memory_order_relaxed);
    if (at + bytes > index->capacity) {
        atomic_store_explicit(&index->full_arena, true, memory_order_relaxed);
        return 0;
    }
    uint64_t number = atomic_fetch_add_explicit(&index->count, 1, memory_order_relaxed);
    if (number >= index->most) {
        atomic_store_explicit(&index->full_table, true, memory_order_relaxed);
        return 0;
    }
    record_head head = {(uint32_t)number, word->length};
    memcpy(index->arena + at, &head, sizeof head);
    memcpy(index->arena + at + HEAD, word->at, word->length);
    *id = (uint32_t)number;
    return at + 1;
}

/* `begin`: the first slot that may be the one of the name. */
static bool number_one(hop__name_index *index, hop__name_word *word, uint64_t hash,
                       uint64_t begin) {
    uint64_t mask = index->slot_count - 1, own = 0;
    uint32_t own_id = 0;
    for (uint64_t i = begin;; i = (i + 1) & mask) {
        uint64_t slot = atomic_load_explicit(&index->slots[i], memory_order_acquire);
        if (slot == 0) {
            if (own == 0 && (own = write_record(index, word, &own_id)) == 0)
                return false;
            if (atomic_compare_exchange_strong_explicit(&index->slots[i], &slot, slot_of(hash, own),
                                                        memory_order_acq_rel,
                                                        memory_order_acquire)) {
                index->places[own_id] = own;
                word->id = own_id;
                return true;
            }
        }
        record_head head;
        if (!same_tag(slot, hash))
            continue;
        const char *name = record_at(index, slot, &head);
        if (head.length == word->length && memcmp(name, word->at, word->length) == 0) {
            word->id = head.id; /* a number of its own, if it has one, stays unused */
            return true;
        }
    }
}

/* The line in which the record begins, and the next one if a short name goes on there. */
static inline void prefetch_record(const hop__name_index *index, uint64_t place) {
    const char *record = index->arena + (place & ((UINT64_C(1) << PLACE_BITS) - 1)) - 1;
    __builtin_prefetch(record);
    __builtin_prefetch(record + 24);
}

/* From the home of a hash to the first slot that is empty or has its tag; the record that this
 * leads to is fetched. Slots that were passed by stay what they are: nobody looks at them again. */
static uint64_t seek(const hop__name_index *index, uint64_t hash) {
    uint64_t mask = index->slot_count - 1, i = hash & mask, slot;
    while ((slot = atomic_load_explicit(&index->slots[i], memory_order_relaxed)) != 0 &&
           !same_tag(slot, hash))
        i = (i + 1) & mask;
    if (slot != 0)
        prefetch_record(index, slot);
    return i;
}

bool hop__name_index_number(hop__name_index *index, hop__name_word *words, unsigned count) {
    uint64_t hashes[HOP__NAME_BATCH], begins[HOP__NAME_BATCH], mask = index->slot_count - 1;
    for (unsigned i = 0; i < count; i++) {
        hashes[i] = hash_of(index, words[i].at, words[i].length);
        __builtin_prefetch((const void *)&index->slots[hashes[i] & mask]);
    }
    for (unsigned i = 0; i < count; i++)
        begins[i] = seek(index, hashes[i]);
    for (unsigned i = 0; i < count; i++)
        if (!number_one(index, &words[i], hashes[i], begins[i]))
            return false;
    return true;
}

/* ---- growing -------------------------------------------------------------------------------- */

static void put_slot(hop__name_index *index, uint64_t hash, uint64_t place) {
    uint64_t mask = index->slot_count - 1, i = hash & mask, empty = 0;
    while (!atomic_compare_exchange_strong_explicit(&index->slots[i], &empty, slot_of(hash, place),
                                                    memory_order_relaxed, memory_order_relaxed)) {
        i = (i + 1) & mask;
        empty = 0;
    }
}

/* In batches too: the names come in the order of the arena, their slots in none. */
static void reinsert(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__name_index *index = arg;
    uint64_t hashes[HOP__NAME_BATCH], places[HOP__NAME_BATCH], mask = index->slot_count - 1;
    unsigned count = 0;
    (void)thread;
    for (uint64_t id = begin; id < end; id++) {
        record_head head;
        if (index->places[id] != 0) {
            const char *name = record_at(index, index->places[id], &head);
            hashes[count] = hash_of(index, name, head.length);
            __builtin_prefetch((const void *)&index->slots[hashes[count] & mask], 1);
            places[count++] = index->places[id];
        }
        if (count < HOP__NAME_BATCH && id + 1 < end)
            continue;
        while (count > 0) {
            count--;
            put_slot(index, hashes[count], places[count]);
        }
    }
}

hop_status hop__name_index_grow(hop_context *context, hop__name_index *index) {
    hop_status status = HOP_OK;
    uint64_t used = atomic_load(&index->used), given = atomic_load(&index->count);
    if (atomic_load(&index->full_arena)) {
        uint64_t more =
            index->capacity < UINT64_C(1) << 28 ? 2 * index->capacity : index->capacity / 2 * 3;
        if (more < index->capacity + 4 * (HOP_MAX_NAME + HEAD))
            more = index->capacity + 4 * (HOP_MAX_NAME + HEAD);
        if (more >> PLACE_BITS != 0)
            return hop__fail(context, HOP_ERR_UNSUPPORTED, "names: more than 1 TiB of them");
        HOP_TRY(status, hop__resize(context, "names: bytes", more, 1, &index->arena));
        if (used > index->capacity) /* what did not fit was not written */
            atomic_store(&index->used, index->capacity);
        index->capacity = more;
        atomic_store(&index->full_arena, false);
    }
    if (atomic_load(&index->full_table)) {
        if (index->most == HOP_MAX_VERTICES)
            return hop__fail(context, HOP_ERR_UNSUPPORTED,
                             "names: more than %u vertices, which is the most that is possible",
                             (unsigned)HOP_MAX_VERTICES);
        if (given > index->most)
            atomic_store(&index->count, given = index->most);
        HOP_TRY(status, make_table(context, index,
                                   index->slot_count * (index->slot_count < 1 << 20 ? 4 : 2)));
        hop__for(context, given, 1 << 12, reinsert, index);
        atomic_store(&index->full_table, false);
    }
done:
    return status;
}

uint64_t hop__name_index_count(const hop__name_index *index) {
    uint64_t count = atomic_load(&index->count);
    return count < index->most ? count : index->most;
}

void hop__name_index_cut(hop_context *context, hop__name_index *index, uint64_t count) {
    memset(index->places + count, 0, (index->most - count) * 8);
    memset((void *)index->slots, 0, index->slot_count * 8);
    atomic_store(&index->count, count);
    hop__for(context, count, 1 << 12, reinsert, index);
}

/* ---- order ---------------------------------------------------------------------------------- */

typedef struct sort_job {
    const hop__name_index *index;
    uint64_t *keys;
    uint32_t *ids;
    uint64_t count;
    size_t common; /* bytes that all names begin with */
    uint64_t *offsets;
    char *bytes;
    uint32_t *ranks;
} sort_job;

static const char *name_of(const sort_job *work, uint32_t id, size_t *length) {
    record_head head;
    const char *name = record_at(work->index, work->index->places[id], &head);
    *length = head.length;
    return name;
}

static size_t common_bytes(const sort_job *work) {
    size_t common, length;
    if (work->count == 0)
        return 0;
    const char *first = name_of(work, (uint32_t)work->keys[0], &common);
    for (uint64_t i = 1; i < work->count && common > 0; i++) {
        const char *name = name_of(work, (uint32_t)work->keys[i], &length);
        common = length < common ? length : common;
        if (memcmp(first, name, common) == 0)
            continue;
        for (common = 0; first[common] == name[common];) /* they differ before the end of either */
            common++;
    }
    return common;
}

/* Keys are numbers; they get the 4 bytes behind what is common above them. */
static void make_keys(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    sort_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        size_t length;
        const char *name = name_of(work, (uint32_t)work->keys[i], &length);
        uint64_t key = 0;
        for (size_t k = 0; k < 4; k++)
            key =
                key << 8 | (work->common + k < length ? (unsigned char)name[work->common + k] : 0);
        work->keys[i] |= key << 32;
    }
}

/* The byte at `depth` and 1; 0 behind the end, so that the shorter name comes first. */
static unsigned byte_at(const sort_job *work, uint32_t id, size_t depth) {
    size_t length;
    const char *name = name_of(work, id, &length);
    return depth < length ? (unsigned char)name[depth] + 1u : 0;
}

static void swap_ids(uint32_t *a, uint32_t *b) {
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void sort_few(const sort_job *work, uint32_t *ids, uint64_t count) {
    for (uint64_t i = 1; i < count; i++)
        for (uint64_t j = i; j > 0; j--) {
            size_t length, before_length;
            const char *name = name_of(work, ids[j], &length);
            const char *before = name_of(work, ids[j - 1], &before_length);
            if (hop__name_compare(before, before_length, name, length) <= 0)
                break;
            swap_ids(&ids[j], &ids[j - 1]);
        }
}

/* Names that agree in their first `depth` bytes. */
typedef struct group {
    uint32_t *ids;
    uint64_t count;
    size_t depth;
} group;

/* The median of three of the bytes at the group's depth. */
static unsigned guess_median(const sort_job *work, const group *all) {
    unsigned a = byte_at(work, all->ids[0], all->depth),
             b = byte_at(work, all->ids[all->count / 2], all->depth),
             c = byte_at(work, all->ids[all->count - 1], all->depth);
    return a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b));
}

/* The median of all of them. */
static unsigned count_median(const sort_job *work, const group *all) {
    uint64_t counts[257] = {0}, below = 0;
    unsigned byte = 0;
    for (uint64_t i = 0; i < all->count; i++)
        counts[byte_at(work, all->ids[i], all->depth)]++;
    while ((below += counts[byte]) <= all->count / 2)
        byte++;
    return byte;
}

/* Puts the names with a byte below the pivot first and those above it last. */
static void split_group(const sort_job *work, const group *all, unsigned pivot, group parts[3]) {
    uint64_t less = 0, more = all->count, i = 0;
    while (i < more) {
        unsigned byte = byte_at(work, all->ids[i], all->depth);
        if (byte < pivot)
            swap_ids(&all->ids[less++], &all->ids[i++]);
        else if (byte > pivot)
            swap_ids(&all->ids[i], &all->ids[--more]);
        else
            i++;
    }
    /* Names are different, so at most one ends here: it is in its place. */
    uint64_t equal = pivot == 0 ? 0 : more - less;
    parts[0] = (group){all->ids, less, all->depth};
    parts[1] = (group){all->ids + less, equal, all->depth + 1};
    parts[2] = (group){all->ids + more, all->count - more, all->depth};
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
    sort_few(work, all.ids, all.count);
}

static void sort_ties(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    sort_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end;) {
        uint64_t stop = i + 1;
        if (i > 0 && work->keys[i] >> 32 == work->keys[i - 1] >> 32) { /* belongs to who began it */
            i++;
            continue;
        }
        while (stop < work->count && work->keys[stop] >> 32 == work->keys[i] >> 32)
            stop++;
        if (stop - i > 1)
            sort_group(work, (group){work->ids + i, stop - i, work->common});
        i = stop;
    }
}

/* Names in their order are anywhere in the arena: fetches what comes soon. */
static inline void look_ahead(const sort_job *work, uint64_t i) {
    enum { SOON = 12 };
    if (i + 2 * SOON < work->count)
        __builtin_prefetch(&work->index->places[work->ids[i + 2 * SOON]]);
    if (i + SOON < work->count)
        prefetch_record(work->index, work->index->places[work->ids[i + SOON]]);
}

/* offsets[i + 1]: the length of name i. */
static void measure_names(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    sort_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        size_t length;
        look_ahead(work, i);
        (void)name_of(work, work->ids[i], &length);
        work->offsets[i + 1] = length;
    }
}

static void copy_names(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    sort_job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        size_t length;
        look_ahead(work, i);
        const char *name = name_of(work, work->ids[i], &length);
        memcpy(work->bytes + work->offsets[i], name, length);
        work->ranks[work->ids[i]] = (uint32_t)i;
    }
}

/* Puts all numbers that are used into the order of their names. */
static hop_status sort_names(hop_context *context, sort_job *work, uint64_t given) {
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "names: order", given, 8, &work->keys));
    for (uint64_t id = 0; id < given; id++)
        if (work->index->places[id] != 0)
            work->keys[work->count++] = id;
    work->common = common_bytes(work);
    hop__for(context, work->count, 1 << 12, make_keys, work);
    HOP_TRY(status, hop__sort_u64(context, work->keys, work->count, 64));
    HOP_TRY(status, hop__alloc(context, "names: order", work->count, 4, &work->ids));
    for (uint64_t i = 0; i < work->count; i++)
        work->ids[i] = (uint32_t)work->keys[i];
    hop__for(context, work->count, 1 << 10, sort_ties, work);
done:
    hop__free(work->keys);
    work->keys = NULL;
    return status;
}

hop_status hop__name_index_finish(hop_context *context, hop__name_index *index,
                                  hop__vertex_names **names, uint32_t **ranks) {
    sort_job work = {.index = index};
    hop__vertex_names *list = NULL;
    uint64_t given = atomic_load(&index->count), size;
    hop_status status;
    *ranks = NULL;
    given = given < index->most ? given : index->most;
    hop__free((void *)index->slots); /* names are not looked up any more */
    index->slots = NULL;
    HOP_TRY(status, sort_names(context, &work, given));
    HOP_TRY(status, hop__vertex_names_create(context, &list));
    HOP_TRY(status, hop__alloc(context, "names: offsets", work.count + 1, 8, &list->own_offsets));
    work.offsets = list->own_offsets;
    work.offsets[0] = 0;
    hop__for(context, work.count, 1 << 12, measure_names, &work);
    for (uint64_t i = 0; i < work.count; i++)
        work.offsets[i + 1] += work.offsets[i];
    size = work.offsets[work.count];
    HOP_TRY(status, hop__alloc(context, "names", size, 1, &list->own_bytes));
    HOP_TRY(status, hop__alloc(context, "names: numbers", given, 4, &work.ranks));
    work.bytes = list->own_bytes;
    hop__for(context, work.count, 1 << 12, copy_names, &work);
    list->offsets = list->own_offsets;
    list->bytes = list->own_bytes;
    list->count = work.count;
    list->size = size;
    *names = list;
    *ranks = work.ranks;
    list = NULL;
    work.ranks = NULL;
done:
    hop__free(work.ids);
    hop__free(work.ranks);
    hop__vertex_names_release(list);
    return status;
}
