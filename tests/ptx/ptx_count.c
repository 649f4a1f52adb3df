/* SPDX-License-Identifier: Apache-2.0
 *
 * What a GPU charges for, counted: sectors of global memory, passes over the banks of shared
 * memory, atomics on one word. By the rules of NVIDIA's GPUs since Volta, which are those of AMD's
 * and Intel's but for sizes:
 *  1. An access of a warp to global memory costs as many sectors of 32 bytes as it touches; the
 *     same sector counts again in the next access. `touched` counts it once per launch: what has
 *     to come from memory however large the caches are, as caches keep nothing between launches
 *     that the next one could rely on.
 *  2. Shared memory has 32 banks of 4 bytes. A pass serves one word of each bank, to any number of
 *     items. Accesses of 8 bytes are made by halves of a warp, those of 16 by quarters.
 *  3. Atomics of a warp on one word are done one after the other: all but the first collide.
 *
 * Counting takes the order of items as compilers make it: the lowest place of a warp goes on, so
 * that items which went apart meet again (ptx_warp.c). */
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx_internal.h"

enum { SECTOR = 32, BANKS = 32, BANK_BYTES = 4, SLOTS = 128 };

const char *const ptx_work_names[PTX_WORKS] = {
    [PTX_WORK_MOVE] = "move",           [PTX_WORK_INTEGER] = "integer",
    [PTX_WORK_INTEGER64] = "integer64", [PTX_WORK_FLOAT] = "float",
    [PTX_WORK_FLOAT64] = "float64",     [PTX_WORK_BRANCH] = "branch",
    [PTX_WORK_LOAD] = "load",           [PTX_WORK_STORE] = "store",
    [PTX_WORK_ATOMIC] = "atomic",       [PTX_WORK_SHARED] = "shared",
    [PTX_WORK_LOCAL] = "local",         [PTX_WORK_PARAMETER] = "parameter",
    [PTX_WORK_BARRIER] = "barrier",     [PTX_WORK_FENCE] = "fence",
    [PTX_WORK_TOGETHER] = "together",
};

/* --- instructions ---------------------------------------------------------------------------- */

static ptx_work work_of_memory(const ptx_instruction *what) {
    switch (what->access.space) {
    case PTX_SHARED:
        return PTX_WORK_SHARED;
    case PTX_LOCAL:
        return PTX_WORK_LOCAL;
    case PTX_PARAMETER:
        return PTX_WORK_PARAMETER;
    default:
        return what->kind == PTX_LOAD    ? PTX_WORK_LOAD
               : what->kind == PTX_STORE ? PTX_WORK_STORE
                                         : PTX_WORK_ATOMIC;
    }
}

static ptx_work work_of_arithmetic(const char *mnemonic) {
    const char *type = strrchr(mnemonic, '.');
    if (strncmp(mnemonic, "mov", 3) == 0 || strncmp(mnemonic, "cvta", 4) == 0)
        return PTX_WORK_MOVE;
    if (type == NULL || strstr(mnemonic, ".wide.") != NULL)
        return PTX_WORK_INTEGER;
    if (type[1] == 'f')
        return strcmp(type, ".f64") == 0 ? PTX_WORK_FLOAT64 : PTX_WORK_FLOAT;
    return strcmp(type + 2, "64") == 0 ? PTX_WORK_INTEGER64 : PTX_WORK_INTEGER;
}

ptx_work ptx_work_of(const char *mnemonic, const ptx_instruction *what) {
    switch (what->kind) {
    case PTX_COMPUTE:
    case PTX_CLOCK:
        return work_of_arithmetic(mnemonic);
    case PTX_LOAD:
    case PTX_STORE:
    case PTX_ATOMIC:
        return work_of_memory(what);
    case PTX_BARRIER:
        return PTX_WORK_BARRIER;
    case PTX_FENCE:
        return PTX_WORK_FENCE;
    case PTX_TOGETHER:
        return PTX_WORK_TOGETHER;
    default:
        return PTX_WORK_BRANCH;
    }
}

/* --- sets of at most 32 numbers -------------------------------------------------------------- */

typedef struct number_set {
    uint64_t key[SLOTS];
    uint32_t added[SLOTS]; /* by which use of the set */
    uint32_t use;
} number_set;

/* The machine has one lock around it. */
static number_set set;

static void set_clear(void) {
    if (++set.use == 0) {
        memset(set.added, 0, sizeof set.added);
        set.use = 1;
    }
}

/* True when the number was not there. */
static bool set_add(uint64_t number) {
    uint32_t slot = (uint32_t)(number * 0x9e3779b97f4a7c15ull >> 57);
    for (; set.added[slot] == set.use; slot = (slot + 1) % SLOTS)
        if (set.key[slot] == number)
            return false;
    set.added[slot] = set.use;
    set.key[slot] = number;
    return true;
}

/* --- blocks of memory ------------------------------------------------------------------------ */

struct ptx_block_counts {
    uint64_t touched_in, updated_in; /* launches that the arrays are of */
    uint8_t *touched;                /* a bit per sector */
    uint32_t *updates;               /* atomics per 4 bytes */
};

ptx_block_counts *ptx_count_block(void) {
    ptx_block_counts *made = calloc(1, sizeof *made);
    if (made == NULL)
        abort();
    return made;
}

void ptx_count_release(ptx_block_counts *counts) {
    if (counts == NULL)
        return;
    free(counts->touched);
    free(counts->updates);
    free(counts);
}

/* An array that is zero when a launch first asks for it. */
static void *cleared(void *array, size_t bytes, uint64_t *of, uint64_t launch) {
    if (array != NULL && *of == launch)
        return array;
    if (array == NULL && (array = malloc(bytes)) == NULL)
        abort();
    *of = launch;
    return memset(array, 0, bytes);
}

static void touch(const ptx_run *run, uint64_t sector) {
    ptx_machine *machine = run->machine;
    uint64_t address = sector * SECTOR;
    const ptx_block *block = ptx_block_of(machine, address, 1);
    if (block == NULL || block->counts == NULL)
        return;
    ptx_block_counts *counts = block->counts;
    counts->touched = cleared(counts->touched, block->bytes / SECTOR / 8 + 1, &counts->touched_in,
                              machine->launches);
    uint64_t number = (address - block->at) / SECTOR;
    uint8_t bit = (uint8_t)(1 << number % 8);
    run->kernel->facts.counters.touched += (counts->touched[number / 8] & bit) == 0;
    counts->touched[number / 8] |= bit;
}

static void update(const ptx_run *run, uint64_t address) {
    ptx_machine *machine = run->machine;
    const ptx_block *block = ptx_block_of(machine, address, 1);
    if (block == NULL || block->counts == NULL)
        return;
    ptx_block_counts *counts = block->counts;
    counts->updates =
        cleared(counts->updates, (block->bytes / BANK_BYTES + 1) * sizeof *counts->updates,
                &counts->updated_in, machine->launches);
    uint32_t now = ++counts->updates[(address - block->at) / BANK_BYTES];
    if (now > machine->launch_hottest)
        machine->launch_hottest = now;
}

void ptx_count_end(const ptx_run *run) {
    run->kernel->facts.counters.hottest += run->machine->launch_hottest;
    run->machine->launch_hottest = 0;
}

/* --- accesses -------------------------------------------------------------------------------- */

/* The addresses of the lanes that go to one kind of memory. */
typedef struct lane_addresses {
    uint64_t address[PTX_LANES];
    uint32_t lane[PTX_LANES];
    uint32_t count;
} lane_addresses;

/* How many are different. */
static uint32_t different(const lane_addresses *at) {
    uint32_t count = 0;
    set_clear();
    for (uint32_t i = 0; i < at->count; i++)
        count += set_add(at->address[i]);
    return count;
}

static void count_global(const ptx_run *run, const ptx_instruction *what,
                         const lane_addresses *at) {
    ptx_counters *counters = &run->kernel->facts.counters;
    ptx_traffic *traffic = what->kind == PTX_LOAD    ? &counters->load
                           : what->kind == PTX_STORE ? &counters->store
                                                     : &counters->update;
    uint32_t bytes = (uint32_t)what->access.bytes * what->access.vector, words = different(at);
    traffic->requests++;
    traffic->items += at->count;
    traffic->least += ((uint64_t)words * bytes + SECTOR - 1) / SECTOR;
    set_clear();
    for (uint32_t i = 0; i < at->count; i++) {
        uint64_t sector = at->address[i] / SECTOR;
        if (!set_add(sector))
            continue;
        traffic->sectors++;
        touch(run, sector);
    }
    if (what->kind != PTX_ATOMIC)
        return;
    counters->collisions += at->count - words;
    for (uint32_t i = 0; i < at->count; i++)
        update(run, at->address[i]);
}

/* Passes that the lanes of one part of the warp need, [first, end) of them. */
static uint32_t passes(const lane_addresses *at, uint32_t bytes, uint32_t first, uint32_t end) {
    uint32_t words_in[BANKS] = {0}, most = 0;
    set_clear();
    for (uint32_t i = 0; i < at->count; i++) {
        if (at->lane[i] < first || at->lane[i] >= end)
            continue;
        for (uint64_t word = at->address[i] / BANK_BYTES;
             word <= (at->address[i] + bytes - 1) / BANK_BYTES; word++)
            if (set_add(word) && ++words_in[word % BANKS] > most)
                most = words_in[word % BANKS];
    }
    return most;
}

static void count_shared(const ptx_run *run, const ptx_instruction *what,
                         const lane_addresses *at) {
    ptx_counters *counters = &run->kernel->facts.counters;
    uint32_t bytes = (uint32_t)what->access.bytes * what->access.vector;
    uint32_t part = bytes <= BANK_BYTES ? PTX_LANES : PTX_LANES * BANK_BYTES / bytes;
    counters->shared_requests++;
    for (uint32_t first = 0; first < PTX_LANES; first += part) {
        uint32_t needed = passes(at, bytes, first, first + part);
        counters->shared_passes += needed;
        counters->shared_few += needed > 0;
    }
    if (what->kind == PTX_ATOMIC)
        counters->shared_collisions += at->count - different(at);
}

void ptx_count_access(const ptx_run *run, const ptx_warp *warp, const ptx_instruction *what,
                      uint32_t lanes) {
    const uint64_t *bases = warp->registers + (size_t)what->a * PTX_LANES;
    lane_addresses global = {.count = 0}, shared = {.count = 0};
    ptx_space space = what->access.space;
    if (space == PTX_PARAMETER || space == PTX_LOCAL)
        return;
    for (; lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint64_t address = bases[lane] + (uint64_t)what->offset;
        if (what->narrow)
            address = (uint32_t)address;
        uint64_t window = space == PTX_GENERIC ? PTX_WINDOW(address) << 56 : 0;
        if (window == PTX_LOCAL_WINDOW)
            continue;
        lane_addresses *to = space == PTX_SHARED || window == PTX_SHARED_WINDOW ? &shared : &global;
        to->lane[to->count] = lane;
        to->address[to->count++] = address & ~(window == PTX_SHARED_WINDOW ? window : 0);
    }
    if (global.count > 0)
        count_global(run, what, &global);
    if (shared.count > 0)
        count_shared(run, what, &shared);
}
