/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for names (see name_index.h).
 *
 * A slot of the short table is two words: the first 8 bytes of the name, and the 4 that follow with
 * the number and 1. Zeros are behind the name, and a name has no zero byte: so a first word of 0 is
 * an empty slot, a second word of 0 is a slot whose name is not settled yet, and names are the same
 * when 12 bytes are.
 *  1. The first word is set once, from 0; then the second word is, from 0.
 *  2. Who finds its own first word and no second one may set the second, whoever set the first.
 *     The others go on behind the slot, which will never be theirs or is theirs when they look.
 *  3. So threads with the same name look at the same slots in the same order, and each of them
 *     passes only slots that have another name for good. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "io/formats/name_index.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/parallel.h"
#include "core/try.h"
#include "io/formats/name_order.h"

enum { PLACE_BITS = 40, FIRST_SLOTS = 1 << 10, FIRST_BYTES = 1 << 15 };

typedef struct short_slot {
    _Atomic uint64_t first, second;
} short_slot;

_Static_assert(sizeof(short_slot) == HOP__SHORT_BYTES, "a slot is what name_order.h says");

/* What is in `second`, in this order in memory. */
typedef struct short_end {
    char bytes[HOP__SHORT_NAME - 8];
    uint32_t number; /* and 1; 0: none */
} short_end;

struct hop__name_index {
    short_slot *shorts;
    _Atomic uint64_t *longs;
    uint64_t short_slots, long_slots; /* powers of 2 */
    uint64_t most_shorts, most_longs; /* names that may be there before the table grows */
    char *arena;                      /* of long names */
    uint64_t capacity;
    atomic_bool full_shorts, full_longs, full_arena, full;
    uint64_t seeds[2]; /* of the hashes: nobody can write names that all fall into the same slots */
    uint64_t cut;      /* while a table is made anew: names with this number and above are left */
    /* What new names change, apart from what every name is looked up by. */
    _Alignas(64) atomic_uint_fast64_t used; /* of the arena */
    atomic_uint_fast64_t count, short_count, long_count;
};

/* Where the system has no random bits (yet), the address of the index is as good as any. Answers do
 * not depend on it: the names are sorted at the end. By number: glibc before 2.25 has no
 * getrandom(). */
static void make_seeds(hop__name_index *index) {
    long size = (long)sizeof index->seeds;
    if (syscall(SYS_getrandom, index->seeds, (size_t)size, GRND_NONBLOCK) != size)
        index->seeds[0] = index->seeds[1] = (uint64_t)(uintptr_t)index;
    index->seeds[1] |= 1;
}

/* ---- tables --------------------------------------------------------------------------------- */

static uint64_t most_of(uint64_t slots, unsigned eighths) {
    uint64_t most = slots / 8 * eighths;
    return most < HOP_MAX_VERTICES ? most : HOP_MAX_VERTICES;
}

static hop_status make_shorts(hop_context *context, hop__name_index *index, uint64_t slots) {
    hop_status status =
        hop__alloc_zero(context, "names: table", slots, sizeof *index->shorts, &index->shorts);
    index->short_slots = slots;
    index->most_shorts = most_of(slots, 6);
    return status;
}

static hop_status make_longs(hop_context *context, hop__name_index *index, uint64_t slots) {
    hop_status status = hop__alloc_zero(context, "names: table", slots, 8, &index->longs);
    index->long_slots = slots;
    index->most_longs = most_of(slots, 5);
    return status;
}

hop_status hop__name_index_create(hop_context *context, hop__name_index **slot) {
    hop__name_index *index = NULL;
    hop_status status;
    *slot = NULL;
    HOP_TRY(status, hop__alloc_zero(context, "names", 1, sizeof *index, &index));
    make_seeds(index);
    HOP_TRY(status, hop__alloc(context, "names: bytes", FIRST_BYTES, 1, &index->arena));
    index->capacity = FIRST_BYTES;
    HOP_TRY(status, make_shorts(context, index, FIRST_SLOTS));
    HOP_TRY(status, make_longs(context, index, FIRST_SLOTS));
    *slot = index;
    index = NULL;
done:
    hop__name_index_free(index);
    return status;
}

void hop__name_index_free(hop__name_index *index) {
    if (index == NULL)
        return;
    hop__free((void *)index->shorts);
    hop__free((void *)index->longs);
    hop__free(index->arena);
    hop__free(index);
}

/* A number for one more name of a table; false when there is no room. */
static bool new_number(hop__name_index *index, bool is_short, uint32_t *id) {
    atomic_uint_fast64_t *names = is_short ? &index->short_count : &index->long_count;
    if (atomic_fetch_add_explicit(names, 1, memory_order_relaxed) >=
        (is_short ? index->most_shorts : index->most_longs)) {
        atomic_store_explicit(is_short ? &index->full_shorts : &index->full_longs, true,
                              memory_order_relaxed);
        return false;
    }
    uint64_t number = atomic_fetch_add_explicit(&index->count, 1, memory_order_relaxed);
    if (number >= HOP_MAX_VERTICES) {
        atomic_store_explicit(&index->full, true, memory_order_relaxed);
        return false;
    }
    *id = (uint32_t)number;
    return true;
}

/* ---- short names ---------------------------------------------------------------------------- */

static inline uint64_t hash_short(const hop__name_index *index, uint64_t first, uint64_t end) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(first ^ index->seeds[0]) * (end ^ index->seeds[1]);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Up to 12 bytes, and zeros behind them. */
static inline void look_short(const hop__name_index *index, hop__name_word *word) {
    static const unsigned char masks[2 * HOP__SHORT_NAME] = {255, 255, 255, 255, 255, 255,
                                                             255, 255, 255, 255, 255, 255};
    const unsigned char *mask = masks + HOP__SHORT_NAME - word->length;
    uint64_t first, first_mask;
    uint32_t last, last_mask;
    short_end parts = {.number = 0};
    memcpy(&first, word->at, 8);
    memcpy(&first_mask, mask, 8);
    memcpy(&last, word->at + 8, 4);
    memcpy(&last_mask, mask + 8, 4);
    last &= last_mask;
    memcpy(parts.bytes, &last, 4);
    word->first = first & first_mask;
    memcpy(&word->end, &parts, 8);
    word->hash = hash_short(index, word->first, word->end);
    __builtin_prefetch((const void *)&index->shorts[word->hash & (index->short_slots - 1)]);
}

static inline short_end parts_of(uint64_t second) {
    short_end parts;
    memcpy(&parts, &second, sizeof parts);
    return parts;
}

/* `second` of a slot for a name, with its number. */
static uint64_t with_number(uint64_t end, uint32_t id) {
    short_end parts = parts_of(end);
    uint64_t second;
    parts.number = id + 1;
    memcpy(&second, &parts, sizeof second);
    return second;
}

static bool same_end(uint64_t second, uint64_t end) {
    short_end a = parts_of(second), b = parts_of(end);
    return memcmp(a.bytes, b.bytes, sizeof a.bytes) == 0;
}

/* A slot is taken by who has a number for it, so slots are never all taken, however many threads
 * come without finding a number: the loop ends. */
static inline bool number_short(hop__name_index *index, hop__name_word *own) {
    uint64_t mask = index->short_slots - 1, second = 0;
    bool has_number = false;
    for (uint64_t i = own->hash & mask;; i = (i + 1) & mask) {
        short_slot *slot = &index->shorts[i];
        uint64_t first = atomic_load_explicit(&slot->first, memory_order_acquire);
        if (first == 0) {
            if (!has_number && !new_number(index, true, &own->id))
                return false;
            has_number = true;
            if (atomic_compare_exchange_strong_explicit(&slot->first, &first, own->first,
                                                        memory_order_acq_rel, memory_order_acquire))
                first = own->first;
        }
        if (first != own->first)
            continue;
        second = atomic_load_explicit(&slot->second, memory_order_acquire);
        if (second == 0) {
            if (!has_number && !new_number(index, true, &own->id))
                return false;
            has_number = true;
            if (atomic_compare_exchange_strong_explicit(&slot->second, &second,
                                                        with_number(own->end, own->id),
                                                        memory_order_acq_rel, memory_order_acquire))
                return true;
        }
        if (same_end(second, own->end)) {
            own->id =
                parts_of(second).number - 1; /* a number of its own, if it has one, is unused */
            return true;
        }
    }
}

/* ---- long names ----------------------------------------------------------------------------- */

static uint64_t hash_long(const hop__name_index *index, const char *name, size_t length) {
    return XXH3_64bits_withSeed(name, length, index->seeds[0]);
}

static uint64_t slot_of(uint64_t hash, uint64_t place) {
    return hash >> PLACE_BITS << PLACE_BITS | place;
}

static bool same_tag(uint64_t slot, uint64_t hash) {
    return (slot ^ hash) >> PLACE_BITS == 0;
}

/* Where the record of a slot is in the arena. */
static uint64_t offset_of(uint64_t slot) {
    return (slot & ((UINT64_C(1) << PLACE_BITS) - 1)) - 1;
}

static const char *record_at(const hop__name_index *index, uint64_t slot, hop__record_head *head) {
    const char *record = index->arena + offset_of(slot);
    memcpy(head, record, sizeof *head);
    return record + HOP__RECORD_HEAD;
}

/* Writes a new name into the arena; 0 when there is no room. Else its offset and 1. */
static uint64_t write_record(hop__name_index *index, const hop__name_word *word, uint32_t *id) {
    uint64_t bytes = HOP__RECORD_HEAD + word->length;
    uint64_t at = atomic_fetch_add_explicit(&index->used, bytes, memory_order_relaxed);
    if (at + bytes > index->capacity) {
        atomic_store_explicit(&index->full_arena, true, memory_order_relaxed);
        return 0;
    }
    if (!new_number(index, false, id))
        return 0;
    hop__record_head head = {*id, word->length};
    memcpy(index->arena + at, &head, sizeof head);
    memcpy(index->arena + at + HOP__RECORD_HEAD, word->at, word->length);
    return at + 1;
}

/* `begin`: the first slot that may be the one of the name. */
static bool number_long(hop__name_index *index, hop__name_word *word, uint64_t begin) {
    const uint64_t mask = index->long_slots - 1, hash = word->hash;
    uint64_t own = 0;
    uint32_t own_id = 0;
    for (uint64_t i = begin;; i = (i + 1) & mask) {
        uint64_t slot = atomic_load_explicit(&index->longs[i], memory_order_acquire);
        if (slot == 0) {
            if (own == 0 && (own = write_record(index, word, &own_id)) == 0)
                return false;
            if (atomic_compare_exchange_strong_explicit(&index->longs[i], &slot, slot_of(hash, own),
                                                        memory_order_acq_rel,
                                                        memory_order_acquire)) {
                word->id = own_id;
                return true;
            }
        }
        hop__record_head head;
        if (!same_tag(slot, hash))
            continue;
        const char *name = record_at(index, slot, &head);
        if (head.length == word->length && memcmp(name, word->at, word->length) == 0) {
            word->id = head.id; /* a number of its own, if it has one, is not used */
            return true;
        }
    }
}

/* The line in which the record begins, and the next one if a short name goes on there. */
static inline void prefetch_record(const hop__name_index *index, uint64_t slot) {
    const char *record = index->arena + offset_of(slot);
    __builtin_prefetch(record);
    __builtin_prefetch(record + 24);
}

/* From the home of a hash to the first slot that is empty or has its tag; the record that this
 * leads to is fetched. Slots that were passed by stay what they are: nobody looks at them again. */
static uint64_t seek(const hop__name_index *index, uint64_t hash) {
    uint64_t mask = index->long_slots - 1, i = hash & mask, slot;
    while ((slot = atomic_load_explicit(&index->longs[i], memory_order_relaxed)) != 0 &&
           !same_tag(slot, hash))
        i = (i + 1) & mask;
    if (slot != 0)
        prefetch_record(index, slot);
    return i;
}

/* ---- batches -------------------------------------------------------------------------------- */

void hop__name_index_look(const hop__name_index *index, hop__name_word *words, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        hop__name_word *word = &words[i];
        if (word->length <= HOP__SHORT_NAME) {
            look_short(index, word);
            continue;
        }
        word->hash = hash_long(index, word->at, word->length);
        __builtin_prefetch((const void *)&index->longs[word->hash & (index->long_slots - 1)]);
    }
}

/* The long names among the words, `which` of them. */
static bool number_longs(hop__name_index *index, hop__name_word *words, const uint8_t *which,
                         unsigned count) {
    uint64_t begins[HOP__NAME_BATCH];
    for (unsigned i = 0; i < count; i++)
        begins[i] = seek(index, words[which[i]].hash);
    for (unsigned i = 0; i < count; i++)
        if (!number_long(index, &words[which[i]], begins[i]))
            return false;
    return true;
}

bool hop__name_index_number(hop__name_index *index, hop__name_word *words, unsigned count) {
    uint8_t longs[HOP__NAME_BATCH];
    unsigned long_count = 0;
    for (unsigned i = 0; i < count; i++) {
        if (words[i].length > HOP__SHORT_NAME)
            longs[long_count++] = (uint8_t)i;
        else if (!number_short(index, &words[i]))
            return false;
    }
    return long_count == 0 || number_longs(index, words, longs, long_count);
}

/* ---- growing -------------------------------------------------------------------------------- */

/* From an old table, which nobody uses any more, into that of the index. */
typedef struct moving {
    hop__name_index *index;
    const short_slot *shorts;
    const _Atomic uint64_t *longs;
} moving;

/* No name comes twice here: a slot that is taken is another's. */
static void put_short(hop__name_index *index, uint64_t first, uint64_t second, uint64_t hash) {
    uint64_t mask = index->short_slots - 1, i = hash & mask, empty = 0;
    while (!atomic_compare_exchange_strong_explicit(&index->shorts[i].first, &empty, first,
                                                    memory_order_relaxed, memory_order_relaxed)) {
        i = (i + 1) & mask;
        empty = 0;
    }
    atomic_store_explicit(&index->shorts[i].second, second, memory_order_relaxed);
}

static void move_shorts(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    enum { BATCH = 32 };
    const moving *work = arg;
    hop__name_index *index = work->index;
    const uint64_t mask = index->short_slots - 1;
    uint64_t firsts[BATCH], seconds[BATCH], hashes[BATCH];
    unsigned count = 0;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t second = atomic_load_explicit(&work->shorts[i].second, memory_order_relaxed);
        short_end parts = parts_of(second);
        if (second != 0 && parts.number <= index->cut) {
            parts.number = 0;
            uint64_t own;
            memcpy(&own, &parts, sizeof own);
            firsts[count] = atomic_load_explicit(&work->shorts[i].first, memory_order_relaxed);
            seconds[count] = second;
            hashes[count] = hash_short(index, firsts[count], own);
            __builtin_prefetch((const void *)&index->shorts[hashes[count] & mask], 1);
            count++;
        }
        if (count < BATCH && i + 1 < end)
            continue;
        for (; count > 0; count--)
            put_short(index, firsts[count - 1], seconds[count - 1], hashes[count - 1]);
    }
}

static void put_long(hop__name_index *index, uint64_t hash, uint64_t slot) {
    uint64_t mask = index->long_slots - 1, i = hash & mask, empty = 0;
    while (!atomic_compare_exchange_strong_explicit(&index->longs[i], &empty, slot,
                                                    memory_order_relaxed, memory_order_relaxed)) {
        i = (i + 1) & mask;
        empty = 0;
    }
}

static void move_longs(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const moving *work = arg;
    hop__name_index *index = work->index;
    const uint64_t mask = index->long_slots - 1;
    uint64_t slots[HOP__NAME_BATCH], hashes[HOP__NAME_BATCH];
    unsigned count = 0;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t slot = atomic_load_explicit(&work->longs[i], memory_order_relaxed);
        if (slot != 0) {
            slots[count++] = slot;
            prefetch_record(index, slot);
        }
        if (count < HOP__NAME_BATCH && i + 1 < end)
            continue;
        unsigned kept = 0;
        for (unsigned k = 0; k < count; k++) {
            hop__record_head head;
            const char *name = record_at(index, slots[k], &head);
            if (head.id >= index->cut)
                continue;
            hashes[kept] = hash_long(index, name, head.length);
            __builtin_prefetch((const void *)&index->longs[hashes[kept] & mask], 1);
            slots[kept++] = slots[k];
        }
        for (; kept > 0; kept--)
            put_long(index, hashes[kept - 1], slots[kept - 1]);
        count = 0;
    }
}

/* Makes a table anew, with so many slots and the names whose numbers are below `cut`. */
static hop_status remake_shorts(hop_context *context, hop__name_index *index, uint64_t slots) {
    moving work = {.index = index, .shorts = index->shorts};
    uint64_t before = index->short_slots;
    hop_status status = make_shorts(context, index, slots);
    if (status == HOP_OK)
        hop__for(context, before, 1 << 12, move_shorts, &work);
    hop__free((void *)work.shorts);
    return status;
}

static hop_status remake_longs(hop_context *context, hop__name_index *index, uint64_t slots) {
    moving work = {.index = index, .longs = index->longs};
    uint64_t before = index->long_slots;
    hop_status status = make_longs(context, index, slots);
    if (status == HOP_OK)
        hop__for(context, before, 1 << 12, move_longs, &work);
    hop__free((void *)work.longs);
    return status;
}

static hop_status grow_arena(hop_context *context, hop__name_index *index) {
    uint64_t more =
        index->capacity < UINT64_C(1) << 28 ? 2 * index->capacity : index->capacity / 2 * 3;
    if (more < index->capacity + 4 * (HOP_MAX_NAME + HOP__RECORD_HEAD))
        more = index->capacity + 4 * (HOP_MAX_NAME + HOP__RECORD_HEAD);
    if (more >> PLACE_BITS != 0)
        return hop__fail(context, HOP_ERR_UNSUPPORTED, "names: more than 1 TiB of them");
    hop_status status = hop__resize(context, "names: bytes", more, 1, &index->arena);
    if (status != HOP_OK)
        return status;
    if (atomic_load(&index->used) > index->capacity) /* what did not fit was not written */
        atomic_store(&index->used, index->capacity);
    index->capacity = more;
    return HOP_OK;
}

static uint64_t more_slots(uint64_t slots) {
    return slots * (slots < 1 << 20 ? 4 : 2);
}

hop_status hop__name_index_grow(hop_context *context, hop__name_index *index) {
    hop_status status = HOP_OK;
    index->cut = HOP_MAX_VERTICES;
    if (atomic_load(&index->full))
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "names: more than %u vertices, which is the most that is possible",
                         (unsigned)HOP_MAX_VERTICES);
    if (atomic_exchange(&index->full_arena, false))
        HOP_TRY(status, grow_arena(context, index));
    if (atomic_exchange(&index->full_shorts, false)) {
        atomic_store(&index->short_count, index->most_shorts);
        HOP_TRY(status, remake_shorts(context, index, more_slots(index->short_slots)));
    }
    if (atomic_exchange(&index->full_longs, false)) {
        atomic_store(&index->long_count, index->most_longs);
        HOP_TRY(status, remake_longs(context, index, more_slots(index->long_slots)));
    }
done:
    return status;
}

uint64_t hop__name_index_count(const hop__name_index *index) {
    uint64_t count = atomic_load(&index->count);
    return count < HOP_MAX_VERTICES ? count : HOP_MAX_VERTICES;
}

hop_status hop__name_index_cut(hop_context *context, hop__name_index *index, uint64_t count) {
    hop_status status;
    index->cut = count;
    HOP_TRY(status, remake_shorts(context, index, index->short_slots));
    HOP_TRY(status, remake_longs(context, index, index->long_slots));
    atomic_store(&index->count, count);
    atomic_store(&index->short_count, count < index->most_shorts ? count : index->most_shorts);
    atomic_store(&index->long_count, count < index->most_longs ? count : index->most_longs);
done:
    return status;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Moves the names to the front of their table; how many there are. */
static uint64_t gather_shorts(hop__name_index *index) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < index->short_slots; i++) {
        short_slot *from = &index->shorts[i], *to = &index->shorts[count];
        uint64_t first = atomic_load_explicit(&from->first, memory_order_relaxed);
        uint64_t second = atomic_load_explicit(&from->second, memory_order_relaxed);
        if (second == 0) /* empty, or without a number, for which there was no room */
            continue;
        atomic_store_explicit(&to->first, first, memory_order_relaxed);
        atomic_store_explicit(&to->second, second, memory_order_relaxed);
        count++;
    }
    return count;
}

/* The same; offsets instead of slots. */
static uint64_t gather_longs(hop__name_index *index) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < index->long_slots; i++) {
        uint64_t slot = atomic_load_explicit(&index->longs[i], memory_order_relaxed);
        if (slot != 0)
            atomic_store_explicit(&index->longs[count++], offset_of(slot), memory_order_relaxed);
    }
    return count;
}

hop_status hop__name_index_finish(hop_context *context, hop__name_index *index,
                                  hop__vertex_names **names, uint32_t **ranks) {
    hop__unsorted_names from = {.short_count = gather_shorts(index),
                                .long_count = gather_longs(index),
                                .arena = index->arena,
                                .given = hop__name_index_count(index)};
    hop_status status;
    HOP_TRY(status, hop__resize(context, "names: table", from.short_count, sizeof(short_slot),
                                &index->shorts));
    HOP_TRY(status, hop__resize(context, "names: table", from.long_count, 8, &index->longs));
    from.shorts = (const char *)index->shorts;
    from.longs = (const uint64_t *)(const void *)index->longs;
    status = hop__names_sort(context, &from, names, ranks);
done:
    return status;
}
