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

/* The pieces of rows that a tile has: `vertices` from v on, and the sources of a word. Entries of
 * the levels are in the table. */
static void BITS(turn_tile)(const hop__many *many, const uint8_t *levels, const ENTRY *table,
                            hop_vertex v, hop_vertex vertices, unsigned word, ENTRY *rows) {
    const uint64_t n = many->graph->vertices;
    unsigned sources = many->count - TILE * word < TILE ? many->count - TILE * word : TILE;
    uint8_t tile[TILE][TILE];
    for (hop_vertex i = 0; i < vertices; i++)
        memcpy(tile[i], levels + (((uint64_t)v + i) * many->words + word) * TILE, TILE);
    for (unsigned s = 0; s < sources; s++) {
        ENTRY *row = rows + (TILE * word + s) * n + v;
        for (hop_vertex i = 0; i < vertices; i++)
            row[i] = table[tile[i][s]];
    }
}

/* The rows of a batch, from the levels that were noted; false when cancelled. */
static bool BITS(turn)(const batch_job *job, const hop__many *many, const uint8_t *levels,
                       ENTRY *rows) {
    const hop_vertex n = many->graph->vertices;
    ENTRY table[UNNOTED + 1];
    for (unsigned level = 0; level < UNNOTED; level++) /* what nobody has noted may not fit */
        table[level] = level < many->level ? (ENTRY)(level * job->step) : 0;
    table[UNNOTED] = NUMBER(no_entry)();
    for (hop_vertex v = 0, vertices; v < n; v += vertices) {
        vertices = n - v < TILE ? n - v : TILE;
        for (unsigned w = 0; TILE * w < many->count; w++)
            BITS(turn_tile)(many, levels, table, v, vertices, w, rows);
        if (!hop__progress_add(many->context, 0))
            return false;
    }
    return true;
}

/* The rows of a batch that has begun. */
static void BITS(batch)(const batch_job *job, hop__many *many, ENTRY *rows) {
    const uint64_t n = many->graph->vertices;
    uint8_t *levels = levels_of(job, many);
    bool more = true;
    if (levels) {
        memset(levels, UNNOTED, n * many->words * TILE);
        for (; more && many->level < UNNOTED; more = hop__many_step(many))
            note_level(many, levels);
        if (many->cancelled || !BITS(turn)(job, many, levels, rows))
            return;
    } else {
        for (uint64_t i = 0; i < n * many->count; i++)
            rows[i] = NUMBER(no_entry)();
    }
    for (; more; more = hop__many_step(many))
        BITS(put_level)(many, rows, (ENTRY)(many->level * job->step));
}

#undef BITS
#include "graph/domain_end.h"
