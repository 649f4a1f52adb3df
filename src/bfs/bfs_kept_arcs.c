/* SPDX-License-Identifier: Apache-2.0
 * Arcs that are kept from a reading of the file; see bfs_kept_arcs.h.
 *
 * Invariant: the records of a chunk are one after the other, and each is whole in it. They are
 * moved to the front in the order in which they are, so that none overtakes itself. */
#include "bfs/bfs_kept_arcs.h"

#include <string.h>

#include "core/atomic.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "hoplite/bfs.h"

enum {
    CHUNK = 4096, /* words */
    HEAD = 2,
    PIECE = 254,      /* targets of a record, at most */
    LEAST_CHUNKS = 8, /* per thread */
    ROOM = 8          /* one in so many chunks is to be free after arcs were dropped */
};
#define NO_CHUNK UINT32_MAX

bool hop__kept_take(hop__kept_arcs *kept, unsigned threads, void *memory, uint64_t bytes) {
    uint64_t tables = 2 * threads * sizeof *kept->filling;
    uint64_t chunks = bytes < tables ? 0 : (bytes - tables) / ((CHUNK + 1) * sizeof *kept->words);
    kept->threads = threads;
    kept->filling = memory;
    kept->marks = kept->filling + threads;
    kept->used = kept->marks + threads;
    kept->words = kept->used + chunks;
    kept->chunks = (uint32_t)(chunks < NO_CHUNK / 2 ? chunks : NO_CHUNK / 2);
    return chunks >= (uint64_t)threads * LEAST_CHUNKS;
}

static uint32_t *chunk_at(const hop__kept_arcs *kept, uint64_t chunk) {
    return kept->words + chunk * CHUNK;
}

static uint32_t taken_chunks(hop__kept_arcs *kept) {
    uint32_t count = (uint32_t)atomic_load(&kept->count);
    return count < kept->chunks ? count : kept->chunks;
}

/* What is kept from now on belongs to another window. */
static void begin_window(hop__kept_arcs *kept) {
    kept->begun = taken_chunks(kept);
    for (unsigned i = 0; i < kept->threads; i++)
        kept->marks[i] = kept->filling[i] != NO_CHUNK ? kept->used[kept->filling[i]] : 0;
}

void hop__kept_begin(hop__kept_arcs *kept) {
    atomic_store(&kept->count, 0);
    atomic_store(&kept->full, false);
    memset(kept->filling, 0xff, kept->threads * sizeof *kept->filling);
    begin_window(kept);
}

/* ---- a row ----------------------------------------------------------------------------------- */

static void append(hop__kept_arcs *kept, unsigned thread, const uint32_t *record, uint32_t size) {
    uint32_t chunk = kept->filling[thread];
    if (chunk == NO_CHUNK || kept->used[chunk] + size > CHUNK) {
        uint64_t next = atomic_fetch_add_explicit(&kept->count, 1, memory_order_relaxed);
        if (next >= kept->chunks) {
            atomic_store_explicit(&kept->full, true, memory_order_relaxed);
            return;
        }
        chunk = kept->filling[thread] = (uint32_t)next;
        kept->used[chunk] = 0;
    }
    memcpy(chunk_at(kept, chunk) + kept->used[chunk], record, size * sizeof *record);
    kept->used[chunk] += size;
}

void hop__kept_row(hop__kept_arcs *kept, unsigned thread, hop_vertex u, const hop_vertex *targets,
                   uint64_t count) {
    uint32_t record[HEAD + PIECE] = {u};
    for (uint64_t i = 0; i < count && !atomic_load_explicit(&kept->full, memory_order_relaxed);) {
        uint32_t size = 0;
        for (; i < count && size < PIECE; i++)
            if (hop__load_u32(&kept->levels[targets[i]]) == HOP_NO_LEVEL &&
                !hop__bitmap_get(kept->settled, targets[i]))
                record[HEAD + size++] = targets[i];
        record[1] = size;
        if (size > 0)
            append(kept, thread, record, HEAD + size);
    }
}

/* ---- what is settled, and dropped ------------------------------------------------------------ */

/* From the records of rows of the first level: their targets are settled; and, where arcs are to be
 * dropped, have a parent. */
static void settle(hop__kept_arcs *kept, uint64_t chunk, uint32_t from, bool parents) {
    uint32_t *words = chunk_at(kept, chunk);
    for (uint32_t at = from; at < kept->used[chunk]; at += HEAD + words[at + 1]) {
        if (kept->levels[words[at]] != kept->first)
            continue;
        for (uint32_t i = at + HEAD; i < at + HEAD + words[at + 1]; i++) {
            if (kept->levels[words[i]] != HOP_NO_LEVEL)
                continue;
            (void)hop__bitmap_claim(kept->settled, words[i]);
            if (parents)
                (void)hop__lower_u32(&kept->parents[words[i]], words[at]);
        }
    }
}

static void settle_window(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__kept_arcs *kept = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        if (i >= kept->threads)
            settle(kept, kept->begun + (i - kept->threads), 0, false);
        else if (kept->filling[i] != NO_CHUNK && kept->filling[i] < kept->begun)
            settle(kept, kept->filling[i], kept->marks[i], false);
}

static void settle_chunks(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__kept_arcs *kept = arg;
    (void)thread;
    for (uint64_t chunk = begin; chunk < end; chunk++)
        settle(kept, chunk, 0, kept->parents != NULL);
}

/* Without parents, any row of the first level will do. */
static bool matters(const hop__kept_arcs *kept, hop_vertex u, hop_vertex v) {
    if (kept->levels[v] != HOP_NO_LEVEL)
        return false;
    return kept->parents != NULL
               ? u <= hop__load_u32(&kept->parents[v])
               : kept->levels[u] == kept->first || !hop__bitmap_get(kept->settled, v);
}

static void drop_chunks(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__kept_arcs *kept = arg;
    (void)thread;
    for (uint64_t chunk = begin; chunk < end; chunk++) {
        uint32_t *words = chunk_at(kept, chunk), out = 0;
        for (uint32_t at = 0, next; at < kept->used[chunk]; at = next) {
            uint32_t u = words[at], count = 0;
            next = at + HEAD + words[at + 1];
            for (uint32_t i = at + HEAD; i < next; i++)
                if (matters(kept, u, words[i]))
                    words[out + HEAD + count++] = words[i];
            words[out] = u;
            words[out + 1] = count;
            out += count > 0 ? HEAD + count : 0;
        }
        kept->used[chunk] = out;
    }
}

/* Takes the parents back that settle_chunks gave: only of arcs that matter. */
static void clear_parents(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__kept_arcs *kept = arg;
    (void)thread;
    for (uint64_t chunk = begin; chunk < end; chunk++) {
        const uint32_t *words = chunk_at(kept, chunk);
        for (uint32_t at = 0; at < kept->used[chunk]; at += HEAD + words[at + 1])
            for (uint32_t i = at + HEAD; i < at + HEAD + words[at + 1]; i++)
                hop__store_u32(&kept->parents[words[i]], HOP_NO_VERTEX);
    }
}

/* Moves the records together. */
static void pack(hop__kept_arcs *kept) {
    uint32_t chunks = taken_chunks(kept), to = 0, out = 0;
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
        const uint32_t *words = chunk_at(kept, chunk);
        uint32_t size, used = kept->used[chunk];
        for (uint32_t at = 0; at < used; at += size) {
            size = HEAD + words[at + 1];
            if (out + size > CHUNK) {
                kept->used[to++] = out;
                out = 0;
            }
            memmove(chunk_at(kept, to) + out, words + at, size * sizeof *words);
            out += size;
        }
    }
    if (chunks > 0)
        kept->used[to] = out;
    atomic_store(&kept->count, chunks > 0 ? to + 1 : 0);
    memset(kept->filling, 0xff, kept->threads * sizeof *kept->filling);
}

static void drop(hop__kept_arcs *kept) {
    uint32_t chunks = taken_chunks(kept);
    hop__for(kept->context, chunks, 1, settle_chunks, kept);
    hop__for(kept->context, chunks, 1, drop_chunks, kept);
    if (kept->parents != NULL)
        hop__for(kept->context, chunks, 1, clear_parents, kept);
    pack(kept);
}

bool hop__kept_window(hop__kept_arcs *kept) {
    uint32_t taken = taken_chunks(kept), grown = taken - kept->begun + kept->threads;
    if (atomic_load(&kept->full))
        return false;
    hop__for(kept->context, kept->threads + taken - kept->begun, 1, settle_window, kept);
    if (kept->chunks - taken < 2 * grown) {
        drop(kept);
        taken = taken_chunks(kept);
        if (kept->chunks - taken < 2 * grown || kept->chunks - taken < kept->chunks / ROOM)
            return false;
    }
    begin_window(kept);
    return true;
}

void hop__kept_end(hop__kept_arcs *kept) {
    drop(kept);
}

/* ---- later levels ---------------------------------------------------------------------------- */

typedef struct visit {
    hop__kept_arcs *kept;
    hop__kept_fn fn;
    void *user;
} visit;

static void visit_chunks(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const visit *v = arg;
    hop__kept_arcs *kept = v->kept;
    uint64_t left = 0, looked = 0;
    (void)thread;
    for (uint64_t chunk = begin; chunk < end && hop__progress_add(kept->context, 0); chunk++) {
        uint32_t *words = chunk_at(kept, chunk), out = 0;
        for (uint32_t at = 0, next; at < kept->used[chunk]; at = next) {
            uint32_t u = words[at], count = 0;
            next = at + HEAD + words[at + 1];
            looked += words[at + 1];
            if (v->fn(v->user, u, words + at + HEAD, words[at + 1]))
                continue;
            for (uint32_t i = at + HEAD; i < next; i++)
                if (hop__load_u32(&kept->levels[words[i]]) == HOP_NO_LEVEL)
                    words[out + HEAD + count++] = words[i];
            words[out] = u;
            words[out + 1] = count;
            out += count > 0 ? HEAD + count : 0;
            left += count;
        }
        kept->used[chunk] = out;
    }
    atomic_fetch_add_explicit(&kept->left, left, memory_order_relaxed);
    atomic_fetch_add_explicit(&kept->looked, looked, memory_order_relaxed);
}

uint64_t hop__kept_visit(hop__kept_arcs *kept, hop__kept_fn fn, void *user) {
    visit v = {kept, fn, user};
    atomic_store(&kept->left, 0);
    atomic_store(&kept->looked, 0);
    hop__for(kept->context, taken_chunks(kept), 1, visit_chunks, &v);
    if (atomic_load(&kept->left) < (uint64_t)taken_chunks(kept) * CHUNK / 2)
        pack(kept);
    return atomic_load(&kept->looked);
}
