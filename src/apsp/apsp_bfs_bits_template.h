/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of apsp_bfs_bits.c, of entries of one DOMAIN (graph/numbers.h). */
#include "graph/domain_begin.h"

#define BITS(name) HOP__JOIN(DOMAIN, name)

/* The entry of v in the row of each bit. */
static inline void BITS(put)(ENTRY *rows, uint64_t n, hop_vertex v, unsigned word, uint64_t bits,
                             ENTRY entry) {
    for (; bits != 0; bits &= bits - 1)
        rows[(64 * word + (unsigned)__builtin_ctzll(bits)) * n + v] = entry;
}

/* The entries of all that is found in this level. */
static void BITS(put_level)(const hop__many *many, ENTRY *rows, ENTRY entry) {
    const uint64_t n = many->graph->vertices;
    for (hop_vertex i = 0; i < many->listed; i++) {
        hop_vertex v = many->list[i];
        for (unsigned w = 0; w < many->words; w++)
            BITS(put)(rows, n, v, w, many->now[(uint64_t)v * many->words + w], entry);
    }
}

/* The rows of a batch that has begun. */
static void BITS(batch)(const batch_job *job, hop__many *many, ENTRY *rows) {
    const hop_vertex n = many->graph->vertices;
    do {
        BITS(put_level)(many, rows, (ENTRY)(many->level * job->step));
    } while (hop__many_step(many));
    for (hop_vertex v = 0; v < n && !many->cancelled; v++)
        for (unsigned w = 0; w < many->words; w++)
            BITS(put)
    (rows, n, v, w, many->all[w] & ~many->seen[(uint64_t)v * many->words + w], NUMBER(no_entry)());
}

#undef BITS
#include "graph/domain_end.h"
