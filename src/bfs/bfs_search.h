/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of the direction-optimizing search, and its steps. The driver is in
 * bfs_direction_optimizing.c: all members of the team do the same step, meet at the gate, and the
 * last to arrive decides on the next.
 *
 * A frontier (the vertices of level next - 1) has one of two forms:
 *   sparse  the lists of all members, one after the other, in any order;
 *   dense   the bitmap `front`.
 *
 * Invariants between two steps:
 *  1. levels[v] and parents[v] are final for every level below `next`; elsewhere HOP_NO_LEVEL and
 *     HOP_NO_VERTEX (except in the middle of a binned level, which has several steps).
 *  2. `count` and `arcs` are the number of vertices in the frontier and of arcs out of it. In a
 *     search with marks they may be more: two members may list the same vertex.
 *  3. When the frontier is dense, `open` has the vertices without a level, as far as they can have
 *     one: those without an arc in may be left out. When it is sparse, `open` is stale.
 *  4. A sparse step is done only if count + arcs <= capacity, so no member can find more than fits
 *     into its list. `arcs` may be too large, never too small.
 *  5. In a narrow search (bfs_narrow.c) a sparse frontier that is not `adopted` has marks only:
 *     its levels and parents are not written yet. When it is dense the marks are stale.
 *  6. While such a search is `lazy` (bfs_lazy.c) no level and no parent is written: the marks tell
 *     all, and the frontier is sparse. */
#ifndef HOPLITE_BFS_BFS_SEARCH_H
#define HOPLITE_BFS_BFS_SEARCH_H

#include <stdatomic.h>

#include "bfs/bfs_internal.h"
#include "core/cpu.h"
#include "core/gate.h"
#include "core/progress.h"
#include "graph/graph_internal.h"

enum {
    HOP__BFS_BATCH = 2048,    /* vertices that a member takes at a time in binned steps */
    HOP__BFS_BINS_MOST = 128, /* so that the open end of each stays in the first-level cache */
    HOP__BFS_HUBS_MOST = 64,  /* rows that are a larger part of a frontier's arcs are shared */
    HOP__BFS_PIECE = 64       /* words of a bitmap that a member takes at a time */
};

typedef enum hop__bfs_step {
    HOP__BFS_CLEAR,     /* levels and parents */
    HOP__BFS_ALONE,     /* sparse to sparse, level after level, by member 0 */
    HOP__BFS_SHARED,    /* sparse to sparse, one level */
    HOP__BFS_SETTLE,    /* narrow: writes all levels and parents; the search is no longer lazy */
    HOP__BFS_ADOPT,     /* narrow: writes the levels and parents of the frontier */
    HOP__BFS_REMARK,    /* narrow: makes the marks from the levels */
    HOP__BFS_DENSIFY,   /* makes front and open from the levels */
    HOP__BFS_SPARSIFY,  /* makes lists from front */
    HOP__BFS_SCATTER,   /* dense: arcs of the frontier into bins, until they are full */
    HOP__BFS_GATHER,    /* empties the bins; back to SCATTER, or the level is done */
    HOP__BFS_BOTTOM_UP, /* dense to dense, one level */
    HOP__BFS_DONE
} hop__bfs_step;

/* An arc out of the frontier, on its way to whoever owns the range that `to` is in. */
typedef struct hop__bfs_arc {
    hop_vertex from, to;
} hop__bfs_arc;

/* What a member has for itself. */
typedef struct hop__bfs_lane {
    _Alignas(64) hop_vertex *list; /* its part of a sparse frontier: list_count vertices */
    hop_vertex *other;             /* where the part of the next one is written */
    uint64_t list_count, other_count;
    hop__bfs_arc *bins; /* bin_count bins of bin_capacity */
    uint32_t filled[HOP__BFS_BINS_MOST];
    /* A batch of a binned level that was interrupted by a full bin. */
    hop_vertex batch[HOP__BFS_BATCH];
    uint32_t batch_next, batch_count;
    uint64_t batch_arc;  /* of vertex batch_next: arcs of it that are done */
    uint64_t batch_stop; /* arcs of it that are in the batch, if it has so many */
    bool batch_fresh;    /* it was taken after the last gather, which was not the level before's */
    /* Of the step under way. */
    uint64_t found, arcs, looked;
} hop__bfs_lane;

typedef struct hop__bfs_search {
    hop_context *context;
    hop__bfs_task *task;
    const hop_graph *graph, *reverse; /* reverse NULL: no bottom-up */
    hop_vertex *levels, *parents;     /* parents NULL: not wanted */
    hop__bfs_lane *lanes;
    hop_vertex *lists; /* of all lanes */
    hop__bfs_arc *bins;
    unsigned threads;
    uint64_t n, words, capacity;
    /* Vertices and arcs of a level that one member does alone: now, and on a quiet and on a busy
     * machine; and how many were done since it was looked which it is. */
    uint64_t alone, alone_quiet, alone_busy, untold;
    uint64_t max_degree, few; /* the arcs of so few vertices always fit: they are not counted */
    uint64_t *open, *front, *found;                 /* bitmaps; `found` becomes `front` */
    uint8_t *marks;                                 /* one per vertex; NULL: not narrow */
    uint32_t bin_count, bin_capacity, stripe_shift; /* bin_count is a power of two */
    unsigned forced;                                /* the setting `step` */
    hop__cpu_level cpu;

    hop__bfs_step step;
    hop_vertex next;             /* the level that is being found */
    bool dense, adopted, marked; /* narrow: the frontier is adopted; the marks are right */
    bool lazy;                   /* narrow: marks have two bytes, and are levels, plus 1 */
    bool first_gather, last_gather;
    bool hubs_ready;                     /* no more will be put aside in this level */
    hop_vertex hubs[HOP__BFS_HUBS_MOST]; /* of a binned level: vertices that are done in slices */
    uint64_t count, arcs;                /* of the frontier */
    uint64_t open_count, open_arcs;      /* of what has no level yet, as far as is known */
    hop_vertex target;                   /* number of the first target without a level */
    uint64_t reached, enough;            /* vertices with a level; how many end the search */
    uint64_t switches;                   /* between top-down and bottom-up */
    bool up;                             /* the last level was found bottom-up */

    hop__gate gate;
    _Alignas(64) atomic_uint_fast64_t cursor; /* how much of the vertices is taken in this step */
    atomic_uint_fast64_t bin_cursor;          /* how many ranges are, in a gather */
    atomic_uint unfinished;                   /* members with a batch left in this scatter */
    atomic_uint hub_count;
    atomic_uint_fast64_t slice_cursor; /* how many slices of hubs are taken in this level */
    atomic_bool cancelled;
} hop__bfs_search;

/* So much of a sparse level was done: looks now and then whether others want the cores. One member
 * at a time. */
void hop__bfs_tell(hop__bfs_search *search, uint64_t work);

typedef void (*hop__bfs_step_fn)(hop__bfs_search *search, unsigned thread);

/* bfs_sparse.c */
void hop__bfs_alone(hop__bfs_search *search, unsigned thread);
void hop__bfs_shared(hop__bfs_search *search, unsigned thread);
/* bfs_narrow.c */
void hop__bfs_adopt(hop__bfs_search *search, unsigned thread);
void hop__bfs_remark(hop__bfs_search *search, unsigned thread);
static inline uint8_t hop__bfs_mark(hop_vertex level) {
    return (uint8_t)(level % 3 + 1);
}
hop_vertex *hop__bfs_expand_narrow(const hop__bfs_search *search, const hop_vertex *list,
                                   uint64_t count, hop_vertex *tail, uint64_t *looked);
/* Goes on from a frontier of one or two vertices, for at most `most` levels, while each has exactly
 * one way on; `list` is then the frontier. Returns the levels. One member alone. */
uint64_t hop__bfs_follow_chains(hop__bfs_search *search, hop_vertex *list, uint64_t count,
                                uint64_t most);
/* bfs_lazy.c */
enum {
    HOP__BFS_LAZY_MOST = UINT16_MAX - 1, /* levels that marks can tell apart */
    HOP__BFS_LAZY_DEGREE = 8             /* no vertex of a lazy search has more neighbours */
};
static inline uint16_t *hop__bfs_lazy_marks(const hop__bfs_search *search) {
    return (uint16_t *)(void *)search->marks;
}
hop_vertex *hop__bfs_expand_lazy(const hop__bfs_search *search, const hop_vertex *list,
                                 uint64_t count, hop_vertex *tail, uint64_t *looked);
void hop__bfs_settle(hop__bfs_search *search, unsigned thread);
/* bfs_settle_avx512.c: settles vertices begin .. end-1; false, and nothing done, if it cannot. */
bool hop__bfs_settle_avx512(const hop__bfs_search *search, uint64_t begin, uint64_t end);
/* bfs_binned.c */
void hop__bfs_scatter(hop__bfs_search *search, unsigned thread);
void hop__bfs_gather(hop__bfs_search *search, unsigned thread);
/* bfs_dense.c */
void hop__bfs_clear(hop__bfs_search *search, unsigned thread);
void hop__bfs_densify(hop__bfs_search *search, unsigned thread);
void hop__bfs_sparsify(hop__bfs_search *search, unsigned thread);
void hop__bfs_bottom_up(hop__bfs_search *search, unsigned thread);
/* bfs_lanes_avx512.c: one piece of a bottom-up step; false, and nothing done, if it has too many
 * arcs. */
bool hop__bfs_sweep_avx512(hop__bfs_search *search, hop__bfs_lane *lane, uint64_t begin,
                           uint64_t end);

/* Ends the search for a reason of the query: no frontier, the depth limit, the targets, enough. */
bool hop__bfs_ended(hop__bfs_search *search);

/* The frontier has levels and is no longer open. What is left is for estimates only: vertices
 * without arcs may have been left out of it, and may be sources. */
static inline void hop__bfs_close(hop__bfs_search *search) {
    search->reached += search->count;
    search->open_count -= search->count < search->open_count ? search->count : search->open_count;
    search->open_arcs -= search->arcs < search->open_arcs ? search->arcs : search->open_arcs;
}

/* Loops are made twice, for both widths of offsets: `width` is a constant where this is inlined. */
static inline uint64_t hop__bfs_offset(const void *offsets, size_t width, uint64_t vertex) {
    return width == 4 ? ((const uint32_t *)offsets)[vertex] : ((const uint64_t *)offsets)[vertex];
}

/* Counts work, and notes when the caller wants no more of it. */
static inline bool hop__bfs_report(hop__bfs_search *search, uint64_t amount) {
    if (hop__progress_add(search->context, amount))
        return true;
    atomic_store_explicit(&search->cancelled, true, memory_order_relaxed);
    return false;
}

/* The next piece of [0, count) in steps of `size`; false when there is none. */
static inline bool hop__bfs_take(atomic_uint_fast64_t *cursor, uint64_t count, uint64_t size,
                                 uint64_t *begin, uint64_t *end) {
    *begin = atomic_fetch_add_explicit(cursor, size, memory_order_relaxed);
    if (*begin >= count)
        return false;
    *end = count - *begin < size ? count : *begin + size;
    return true;
}

#endif
