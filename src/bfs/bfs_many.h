/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches breadth first from many sources at once, on one thread: a bit per source in a few words
 * of each vertex, so that one look at an arc serves 64 to 512 searches. For apsp and the measures,
 * which run as many of these side by side as there are threads.
 *
 *     if (hop__many_begin(&many, sources, count))      level 0: the sources themselves
 *         do {
 *             hop__many_count(&many, counts);          how many vertices each source has found
 *             ... or many.now[] of the vertices in many.list: which sources have found them
 *         } while (hop__many_step(&many));             the next level; false: it is empty
 *
 * Rules
 *  1. seen[v] has the bits of the sources that have reached v, now[v] of those that did so in this
 *     level; `words` words each.
 *  2. now[v] is not 0 for exactly the vertices in `list`, each of which is there once, in any
 *     order.
 *  3. next[] is 0 between the calls; the vertices that some source has not reached are in `open`,
 *     maybe beside others, once it is made.
 *  4. A batch that finds little takes little time: what it touched is cleared, not all of seen[].
 * What is found does not depend on how: levels from the frontier, or from what is not reached yet
 * where that is less work and the arcs in are known (Beamer, Asanovic and Patterson 2012).
 *
 * Source: Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo, "The more the merrier:
 * efficient multi-source graph traversal", PVLDB 8(4), 2014.
 * Cost: a vertex is expanded once for each level in which some source finds it, at most
 * min(sources, levels) times. Bytes: 24 * words + 16 per vertex, and a bit. */
#ifndef HOPLITE_BFS_BFS_MANY_H
#define HOPLITE_BFS_BFS_MANY_H

#include <stdatomic.h>

#include "graph/graph_internal.h"
#include "problem/workspace.h"

enum { HOP__MANY_WORDS = 8, HOP__MANY_SOURCES = 64 * HOP__MANY_WORDS };

typedef struct hop__many hop__many;

/* The loops for one number of words and one kind of processor; all give the same bits. */
typedef struct hop__many_form {
    /* From the list, or from what is open: next[], and its vertices in `fresh`; seen[] has them.
     * False when cancelled. */
    bool (*push)(hop__many *many);
    bool (*pull)(hop__many *many);
    void (*count)(const hop__many *many, uint32_t *counts);
} hop__many_form;

/* Rows 0 to 3: 1, 2, 4 and 8 words. NULL functions: the plain row serves. */
enum { HOP__MANY_FORMS = 4 };
extern const hop__many_form hop__many_plain[HOP__MANY_FORMS], hop__many_avx2[HOP__MANY_FORMS],
    hop__many_avx512[HOP__MANY_FORMS];

struct hop__many {
    uint64_t *seen, *now, *next; /* n * words each */
    uint64_t *active;            /* bits of the vertices in the list; of use in pull() only */
    hop_vertex *list, *fresh, *open;
    hop_vertex *touched; /* what is in seen[], if it is not `many_touched` */
    hop_context *context;
    const hop_graph *graph, *reverse; /* reverse: the arcs in; NULL: not known */
    const hop__many_form *form;
    unsigned words, count;         /* 1, 2, 4 or 8; sources, at most 64 * words */
    uint64_t all[HOP__MANY_WORDS]; /* the bits of the sources */
    hop_vertex listed, found, opened;
    hop_vertex level;
    hop_vertex touched_count;
    bool many_touched, open_made;
    uint64_t open_arcs; /* of what is open, about */
    uint64_t unreported, relaxations;
    bool cancelled;
};

/* The least number of words, of at most `most`, that holds so many sources. */
unsigned hop__many_words(uint64_t sources, unsigned most);
/* Lists the arrays of one that is `at` bytes from the beginning of the state (workspace.h). */
void hop__many_blocks(hop__workspace *space, size_t at, hop_vertex vertices, unsigned words);
/* Fills in the rest; the arrays are there. `reverse` may be NULL. */
void hop__many_open(hop__many *many, hop_context *context, const hop_graph *graph,
                    const hop_graph *reverse, unsigned words);
/* Searches from these, of which each may be there several times. What was searched for before is
 * forgotten, whether it had ended or not. False when cancelled. */
bool hop__many_begin(hop__many *many, const hop_vertex *sources, unsigned count);
/* The next level. False when it is empty, or the call was cancelled: many->cancelled. */
bool hop__many_step(hop__many *many);
/* How many vertices each source has found in this level: 64 * words counts. */
void hop__many_count(const hop__many *many, uint32_t *counts);

/* Searches from any number of sources, in batches, side by side: one thread makes a batch from its
 * beginning to its end. */
typedef struct hop__many_batches {
    hop_context *context;
    hop__many *searches; /* open, one for each worker, all with the same number of words */
    unsigned workers;
    uint64_t count; /* sources, at least 1 */
    hop_vertex (*source)(const void *user, uint64_t number);
    /* Makes the levels of sources first, first + 1 ... of which level 0 is there. Any thread. */
    void (*search)(const void *user, hop__many *many, uint64_t first);
    const void *user;
    uint64_t batch; /* sources of one; this and the next are filled in */
    atomic_uint_fast64_t next;
} hop__many_batches;

/* Returns the number of batches. Counts sources as progress, within a phase of the caller's, whose
 * end reports a cancel. */
uint64_t hop__many_run(hop__many_batches *work);

#endif
