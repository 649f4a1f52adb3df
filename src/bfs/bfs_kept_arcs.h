/* SPDX-License-Identifier: Apache-2.0
 *
 * Arcs of a directed graph on disk that are kept in memory from one reading of the file: all that
 * can still matter to the levels after the one that the reading finds. Those levels then read
 * nothing. Where levels are few and large, each would read nearly all blocks.
 *
 * In a reading that finds level `first`, the arcs of each row without a level before it are kept,
 * as far as their targets have no level. A vertex needs one parent only, the smallest: once a row
 * of level `first` that points to w has passed, w is *settled*, at level first + 1 or before, and
 * the rows behind need not be kept for it. Rows come in ascending order from one window of blocks
 * to the next, so bits of `settled` are set between windows only. When the room runs short, arcs
 * are dropped whose targets have got a level, or a smaller parent, meanwhile. So random graphs need
 * about two arcs per vertex at a time, and skewed ones a few hundredths. Where that does not
 * fit, the caller goes on without.
 *
 * Arcs are in chunks of CHUNK words, as records: vertex, count, targets. A thread fills a chunk of
 * its own.
 *
 * Cost: a look at each arc of rows without a level; each later level looks at all arcs that are
 * left. Memory: what the cache of blocks lends. */
#ifndef HOPLITE_BFS_BFS_KEPT_ARCS_H
#define HOPLITE_BFS_BFS_KEPT_ARCS_H

#include <stdatomic.h>

#include "store/arc_visit.h"

typedef struct hop__kept_arcs {
    /* The caller's: */
    hop_context *context;
    hop_vertex *levels, *parents; /* parents or NULL */
    uint64_t *settled;            /* bits of vertices */
    hop_vertex first;
    /* Ours: */
    uint32_t *words;
    uint32_t *used;    /* of each chunk: words */
    uint32_t *filling; /* of each thread: its chunk, or NO_CHUNK */
    uint32_t *marks;   /* of each thread: the words in it before this window */
    uint32_t chunks;   /* that there is room for */
    uint32_t begun;    /* chunks before this window */
    unsigned threads;
    atomic_uint_fast32_t count; /* chunks that are taken */
    atomic_bool full;
    atomic_uint_fast64_t looked, left; /* arcs, of a level and after it */
} hop__kept_arcs;

/* Takes over memory of so many bytes; false: too little. */
bool hop__kept_take(hop__kept_arcs *kept, unsigned threads, void *memory, uint64_t bytes);
/* Before a reading; `settled` is clear. */
void hop__kept_begin(hop__kept_arcs *kept);
/* In a reading: keeps arcs of u, which has no level, or the first. Any thread. */
void hop__kept_row(hop__kept_arcs *kept, unsigned thread, hop_vertex u, const hop_vertex *targets,
                   uint64_t count);
/* After each window of a reading, on the calling thread. False: there is no room for them all. */
bool hop__kept_window(hop__kept_arcs *kept);
/* After the reading: drops what does not matter. */
void hop__kept_end(hop__kept_arcs *kept);
/* A later level: calls fn with the arcs of each row, which returns whether the row is of the level
 * before: then it is dropped, and else those of its arcs whose targets have got a level. Returns
 * how many arcs there were. */
typedef bool (*hop__kept_fn)(void *user, hop_vertex u, const hop_vertex *targets, uint32_t count);
uint64_t hop__kept_visit(hop__kept_arcs *kept, hop__kept_fn fn, void *user);

#endif
