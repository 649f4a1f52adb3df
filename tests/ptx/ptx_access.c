/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads, stores and atomics of the items of a warp, one after the other: where an address is,
 * whether it is allowed, and what is there. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ptx/ptx_internal.h"

/* One item's access. */
typedef struct place {
    const ptx_run *run;
    ptx_group *group;
    ptx_warp *warp;
    const ptx_instruction *what;
    uint32_t lane;
} place;

__attribute__((format(printf, 3, 4))) static void *refuse(const place *at, ptx_error error,
                                                          const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const ptx_group *group = at->group;
    ptx_fail(at->run->machine, error, "kernel %s, line %u, group (%u, %u, %u), item %u: %s",
             at->run->kernel->name, at->what->line, group->id[0], group->id[1], group->id[2],
             at->warp->first + at->lane, text);
    return NULL;
}

/* --- races ----------------------------------------------------------------------------------- */

static bool race(const place *at, uint64_t offset, const char *this, uint16_t other,
                 const char *that) {
    refuse(at, PTX_RACE, "it %s the shared word at %llu that item %u %s since the last barrier",
           this, (unsigned long long)offset, other, that);
    return false;
}

static bool written_by_another(const ptx_shadow *word, uint32_t epoch, uint16_t item, bool strong) {
    return word->written == epoch && (word->writer != item || word->several_writers) &&
           !(strong && word->write_strong);
}

static bool note_write(const place *at, uint64_t offset, ptx_shadow *word, uint16_t item,
                       bool strong) {
    uint32_t epoch = at->group->epoch;
    if (written_by_another(word, epoch, item, strong))
        return race(at, offset, "writes", word->writer, "has written");
    if (word->read == epoch && (word->reader != item || word->several_readers) &&
        !(strong && word->read_strong))
        return race(at, offset, "writes", word->reader, "has read");
    bool again = word->written == epoch;
    word->several_writers = again && (word->several_writers || word->writer != item);
    word->write_strong = strong && (!again || word->write_strong);
    word->written = epoch;
    word->writer = item;
    return true;
}

static bool note_read(const place *at, uint64_t offset, ptx_shadow *word, uint16_t item,
                      bool strong) {
    uint32_t epoch = at->group->epoch;
    if (written_by_another(word, epoch, item, strong))
        return race(at, offset, "reads", word->writer, "has written");
    bool again = word->read == epoch;
    word->several_readers = again && (word->several_readers || word->reader != item);
    word->read_strong = strong && (!again || word->read_strong);
    word->read = epoch;
    word->reader = item;
    return true;
}

/* Bytes and half-words are not looked at. */
static bool note(const place *at, uint64_t offset, uint32_t bytes) {
    const ptx_instruction *what = at->what;
    bool strong = what->access.strong || what->kind == PTX_ATOMIC, fine = true;
    uint16_t item = (uint16_t)(at->warp->first + at->lane);
    if (what->access.bytes < 4)
        return true;
    for (uint64_t word = offset / 4; fine && word < (offset + bytes) / 4; word++) {
        ptx_shadow *shadow = &at->group->shadow[word];
        fine = what->kind == PTX_LOAD ? note_read(at, 4 * word, shadow, item, strong)
                                      : note_write(at, 4 * word, shadow, item, strong);
    }
    return fine;
}

/* --- addresses ------------------------------------------------------------------------------- */

static void *shared_place(const place *at, uint64_t address, uint32_t bytes) {
    uint32_t size = at->run->kernel->facts.shared_bytes;
    if (address > size || bytes > size - address)
        return refuse(at, PTX_BAD_ADDRESS, "%u bytes at %llu of shared memory, which has %u", bytes,
                      (unsigned long long)address, size);
    if (at->group->shadow != NULL && !note(at, address, bytes))
        return NULL;
    return at->group->shared + address;
}

static void *local_place(const place *at, uint64_t address, uint32_t bytes) {
    uint32_t size = at->run->kernel->facts.local_bytes;
    if (address > size || bytes > size - address)
        return refuse(at, PTX_BAD_ADDRESS, "%u bytes at %llu of local memory, which has %u", bytes,
                      (unsigned long long)address, size);
    return at->warp->local + (size_t)at->lane * size + address;
}

static void *global_place(const place *at, uint64_t address, uint32_t bytes) {
    if (at->run->machine->options.integrated && PTX_WINDOW(address) == 0 && address != 0)
        return (void *)(uintptr_t)address;
    if (ptx_block_of(at->run->machine, address, bytes) == NULL)
        return refuse(at, PTX_BAD_ADDRESS, "%u bytes at %llx are in no allocation", bytes,
                      (unsigned long long)(address & ~PTX_GLOBAL_WINDOW));
    return (void *)(uintptr_t)(address - PTX_GLOBAL_WINDOW);
}

static void *place_of(const place *at, uint64_t address) {
    const ptx_access *access = &at->what->access;
    uint32_t bytes = (uint32_t)access->bytes * access->vector;
    ptx_space space = access->space;
    if (space == PTX_GENERIC) {
        uint64_t window = PTX_WINDOW(address) << 56;
        space = window == PTX_SHARED_WINDOW  ? PTX_SHARED
                : window == PTX_LOCAL_WINDOW ? PTX_LOCAL
                                             : PTX_GLOBAL;
        if (space != PTX_GLOBAL)
            address -= window;
    }
    if ((address & (bytes - 1)) != 0)
        return refuse(at, PTX_MISALIGNED, "%u bytes at %llx are not aligned", bytes,
                      (unsigned long long)address);
    if (space == PTX_SHARED)
        return shared_place(at, address, bytes);
    return space == PTX_LOCAL ? local_place(at, address, bytes) : global_place(at, address, bytes);
}

/* --- values ---------------------------------------------------------------------------------- */

static inline uint64_t fetch(const void *from, uint32_t bytes) {
    uint64_t value = 0;
    switch (bytes) {
    case 4:
        return *(const uint32_t *)from;
    case 8:
        return *(const uint64_t *)from;
    default:
        memcpy(&value, from, bytes);
        return value;
    }
}

static inline void put(void *to, uint32_t bytes, uint64_t value) {
    memcpy(to, &value, bytes);
}

/* As signed, in 64 bits. */
static int64_t extended(uint64_t value, uint32_t bytes) {
    uint32_t unused = 64 - 8 * bytes;
    return (int64_t)(value << unused) >> unused;
}

static uint64_t float_sum(uint64_t old, uint64_t value, uint32_t bytes) {
    if (bytes == 4) {
        float x, y;
        memcpy(&x, &old, 4);
        memcpy(&y, &value, 4);
        x += y;
        old = 0;
        memcpy(&old, &x, 4);
    } else {
        double x, y;
        memcpy(&x, &old, 8);
        memcpy(&y, &value, 8);
        x += y;
        memcpy(&old, &x, 8);
    }
    return old;
}

static uint64_t updated(const ptx_access *access, uint64_t old, uint64_t b, uint64_t c) {
    bool less = access->class == PTX_SIGNED
                    ? extended(b, access->bytes) < extended(old, access->bytes)
                    : b < old;
    switch (access->update) {
    case PTX_ADD:
        return access->class == PTX_FLOAT ? float_sum(old, b, access->bytes) : old + b;
    case PTX_AND:
        return old & b;
    case PTX_OR:
        return old | b;
    case PTX_XOR:
        return old ^ b;
    case PTX_EXCHANGE:
        return b;
    case PTX_SWAP_IF:
        return old == b ? c : old;
    case PTX_MIN:
        return less ? b : old;
    case PTX_MAX:
        return less ? old : b;
    case PTX_INCREMENT:
        return old >= b ? 0 : old + 1;
    default:
        return old == 0 || old > b ? b : old - 1;
    }
}

/* Whether others see a store to this place late. */
static bool is_weak(const place *at, uint64_t address) {
    ptx_space space = at->what->access.space;
    return at->run->machine->options.weak &&
           (space == PTX_GLOBAL ||
            (space == PTX_GENERIC && PTX_WINDOW(address) << 56 != PTX_SHARED_WINDOW &&
             PTX_WINDOW(address) << 56 != PTX_LOCAL_WINDOW));
}

static void load(const place *at, const char *from) {
    const ptx_instruction *what = at->what;
    uint32_t bytes = what->access.bytes;
    for (uint32_t i = 0; i < what->access.vector; i++) {
        uint64_t value = fetch(from + i * bytes, bytes);
        if (what->access.class == PTX_SIGNED)
            value = (uint64_t)extended(value, bytes) & what->wide;
        if (what->values[i] != PTX_NONE)
            at->warp->registers[(size_t)what->values[i] * PTX_LANES + at->lane] = value;
    }
}

static void store(const place *at, char *to) {
    const ptx_instruction *what = at->what;
    for (uint32_t i = 0; i < what->access.vector; i++)
        put(to + i * what->access.bytes, what->access.bytes,
            at->warp->registers[(size_t)what->values[i] * PTX_LANES + at->lane]);
}

uint64_t ptx_update_word(const ptx_access *access, void *word, uint64_t b, uint64_t c) {
    uint64_t old = fetch(word, access->bytes);
    put(word, access->bytes, updated(access, old, b, c));
    return old;
}

static void update(const place *at, char *word, bool weak) {
    const ptx_instruction *what = at->what;
    const uint64_t *registers = at->warp->registers + at->lane;
    uint32_t item = at->warp->first + at->lane;
    uint64_t b = registers[(size_t)what->b * PTX_LANES], c = registers[(size_t)what->c * PTX_LANES];
    if (weak && what->unread) {
        ptx_weak_update_late(at->group, item, word, &what->access, b, c);
        return;
    }
    if (weak) {
        ptx_weak_update(at->group, word, what->access.bytes);
        ptx_weak_changes(at->group, word, what->access.bytes);
    }
    uint64_t old = ptx_update_word(&what->access, word, b, c);
    if (what->values[0] != PTX_NONE)
        at->warp->registers[(size_t)what->values[0] * PTX_LANES + at->lane] = old;
}

bool ptx_memory(const ptx_run *run, ptx_group *group, ptx_warp *warp, const ptx_instruction *what,
                uint32_t lanes) {
    const uint64_t *bases = warp->registers + (size_t)what->a * PTX_LANES;
    place at = {run, group, warp, what, 0};
    for (; lanes != 0; lanes &= lanes - 1) {
        at.lane = (uint32_t)__builtin_ctz(lanes);
        if (what->access.space == PTX_PARAMETER) {
            load(&at, (const char *)run->parameters + what->offset);
            continue;
        }
        uint64_t address = bases[at.lane] + (uint64_t)what->offset;
        _Alignas(16) char late[32];
        char *memory = place_of(&at, what->narrow ? (uint32_t)address : address);
        if (memory == NULL)
            return false;
        bool weak = is_weak(&at, address);
        uint32_t bytes = (uint32_t)what->access.bytes * what->access.vector;
        if (what->kind == PTX_LOAD) {
            if (weak)
                ptx_weak_load(group, memory, late, bytes);
            load(&at, weak ? late : memory);
        } else if (what->kind == PTX_STORE) {
            store(&at, weak ? late : memory);
            if (weak)
                ptx_weak_store(group, warp->first + at.lane, memory, late, bytes);
        } else {
            update(&at, memory, weak);
        }
    }
    return true;
}
