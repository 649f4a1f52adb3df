/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue of delta-stepping: work for a team, roughly nearest first, without barriers.
 *
 * An entry is a key of 32 bits above a vertex. Keys >> shift are bucket numbers. Every member of
 * the team has bins of its own, as in a radix heap: with `last` the bucket that it works on, bin
 * b > 0 has entries whose bucket differs from last in bit b - 1 and none above; bin 0 has those of
 * last, and of buckets before it, which others may still lead to. When bin 0 is empty, last becomes
 * the least bucket of the first bin that is not, and that bin is spread. So there are at most 33
 * bins whatever the keys are, and an outlier among them costs nothing.
 *
 * Bins are lists of chunks of one pool. The full chunks of bin 0 can be taken by others: a member
 * whose own next bucket is farther than the one another is at helps there first, and one that has
 * nothing takes anything. Each member's list has a lock of its own, taken once per chunk. A row
 * that is long is shared as well: its owner and whoever has nothing nearer take slices of it.
 *
 * Invariants:
 *  1. Entries with a key above that of their vertex now are useless. Where keys tell distances
 *     apart, at most one of a vertex is not, so that the pool (n entries, and some to spare) is
 *     enough if useless ones are dropped: a member that finds no free chunk asks all to do that.
 *     Where many distances have one key, as with buckets that are far too wide, there may be more.
 *     A member that still finds no chunk after a while says that the queue is exhausted: all
 *     leave, and the search has to be ended in another way.
 *  2. A member counts as active while it may have entries. Who takes from another becomes active
 *     before it takes. So when none is active, there are no entries (within the limit).
 *  3. Who shares a row takes slices of it until none is left, even if all are to stop.
 *  4. A bin's `least` is not above the key of an entry that it was given and has lost.
 *
 * Cost: an entry moves once per bin at most, and a purge looks at all of them. Nothing here bounds
 * how many entries there are, nor how often a purge frees little: the guard does (delta_guard.c).
 */
#ifndef HOPLITE_SSSP_DELTA_QUEUE_H
#define HOPLITE_SSSP_DELTA_QUEUE_H

#include <stdatomic.h>

#include "core/atomic.h"
#include "core/parallel.h"
#include "hoplite/graph.h"
#include "problem/workspace.h"

/* Smaller in tests that explore orders, so that a few entries are many chunks. */
#ifndef HOP__DELTA_CHUNK_ENTRIES
#define HOP__DELTA_CHUNK_ENTRIES 64
#define HOP__DELTA_SLICE_ARCS    (1 << 13)
#define HOP__DELTA_FREE_KEPT     64
#endif
enum { HOP__DELTA_CHUNK = HOP__DELTA_CHUNK_ENTRIES, HOP__DELTA_BINS = 33 };
#define HOP__DELTA_NONE  UINT32_MAX       /* no chunk */
#define HOP__DELTA_SLICE (UINT32_MAX - 1) /* no chunk, but the slice of the worker */

/* Arcs of a row that is so long that several members relax it. */
typedef struct hop__delta_slice {
    uint64_t begin, end;
    hop_vertex vertex;
} hop__delta_slice;

typedef struct hop__delta_bin {
    uint32_t chunk, fill; /* of the first chunk; the others are full. No chunk: counts as full */
    uint32_t least;       /* no key in it is below; after a purge none may be as low */
} hop__delta_bin;

typedef struct hop__delta_queue hop__delta_queue;

/* A member of the team. */
typedef struct hop__delta_worker {
    /* What others look at. */
    _Alignas(64) uint32_t lock;
    uint32_t full; /* list of the full chunks of bin 0, first come, first served */
    uint32_t full_tail;
    uint32_t full_count;  /* of them */
    uint32_t level;       /* last */
    uint32_t shares;      /* whether anything of the row is left */
    hop__delta_slice row; /* that it shares: what of it nobody has taken */
    /* Its own. */
    _Alignas(64) hop__delta_queue *queue;
    uint32_t last;
    uint64_t used; /* a bit for each bin above 0 that is not empty */
    uint32_t free; /* list of chunks */
    uint32_t free_count;
    unsigned number;
    uint32_t purges;      /* how many it has done or seen */
    uint64_t relaxations; /* arcs looked at */
    uint64_t processed;   /* arcs of entries that were not useless */
    uint64_t settled;     /* such entries */
    uint64_t reached;     /* vertices that it was the first to queue */
    uint64_t moved; /* entries that went from one bin to another, or were looked at by a purge */
    uint64_t steals;
    /* What the guard has not been told yet (delta_guard.c). */
    uint64_t unreported; /* arcs */
    uint64_t unpaused;   /* arcs since it last looked whether to pause */
    uint64_t told_settled, told_reached, told_moved;
    hop__delta_slice slice; /* to relax now */
    hop__delta_bin bins[HOP__DELTA_BINS];
} hop__delta_worker;

/* The key of a vertex now. */
typedef uint32_t (*hop__delta_key_fn)(const void *arg, hop_vertex v);

struct hop__delta_queue {
    hop_context *context;
    hop__delta_worker *workers;
    unsigned threads; /* of the largest team */
    unsigned shift;   /* from a key to its bucket */
    uint64_t *entries;
    uint32_t *links;      /* from each chunk to the next of its list */
    uint32_t chunk_count; /* without one for each member, where entries go once it is exhausted */
    hop__delta_key_fn key_of;
    const void *key_arg;
    _Alignas(64) uint64_t free;  /* a list of chunks: a count of changes above the first */
    _Alignas(64) uint32_t fresh; /* this chunk and those after it were never used */
    uint32_t purges;             /* how many were asked for */
    uint32_t limit;              /* no bucket beyond it is taken out */
    bool stop;                   /* all leave, entries stay */
    bool exhausted;              /* all leave, and entries are lost */
    _Alignas(64) uint32_t active;
    _Alignas(64) atomic_uint waiting; /* members that sleep on `news` */
    atomic_uint news;                 /* raised when something is offered while some do */
};

/* Lists the arrays of a queue for so many vertices at most; begin takes them. */
void hop__delta_queue_blocks(hop__workspace *space, size_t at, uint64_t vertices, unsigned threads);
hop_status hop__delta_queue_begin(hop__workspace *space, uint64_t vertices, unsigned threads,
                                  hop__delta_queue *queue);
/* No entry is left. Counts of the members stay. Outside of a search. */
void hop__delta_queue_reset(hop__delta_queue *queue);

/* Inside a team, by every member, before a search. */
void hop__delta_begin(hop__delta_queue *queue, unsigned thread, unsigned threads);
/* No entry has a key below, one that was lost neither; UINT32_MAX when there is none. Outside of a
 * search, as the next three. */
uint32_t hop__delta_least(const hop__delta_queue *queue);
bool hop__delta_is_empty(const hop__delta_queue *queue);
/* Visits the vertices of entries that are not useless, in one of `step` chunks. */
void hop__delta_each(const hop__delta_queue *queue, uint32_t step,
                     void (*visit)(void *arg, hop_vertex v), void *arg);
/* The farthest bucket that any member has come to. */
uint32_t hop__delta_farthest(const hop__delta_queue *queue);

/* Slow path of put: a chunk for a bin that is full. */
void hop__delta_grow(hop__delta_worker *worker, unsigned bin);

static inline unsigned hop__delta_bin_of(const hop__delta_worker *worker, uint32_t bucket) {
    return bucket <= worker->last ? 0 : 32 - (unsigned)__builtin_clz(bucket ^ worker->last);
}

static inline void hop__delta_put(hop__delta_worker *worker, uint32_t key, hop_vertex v) {
    const hop__delta_queue *queue = worker->queue;
    unsigned number = hop__delta_bin_of(worker, key >> queue->shift);
    hop__delta_bin *bin = &worker->bins[number];
    if (bin->fill == HOP__DELTA_CHUNK)
        hop__delta_grow(worker, number);
    if (key < bin->least)
        bin->least = key;
    queue->entries[(uint64_t)bin->chunk * HOP__DELTA_CHUNK + bin->fill++] = (uint64_t)key << 32 | v;
}

/* Takes a chunk of work, to be given back by hop__delta_done, or a slice; HOP__DELTA_NONE when the
 * search is over (or queue.stop). */
uint32_t hop__delta_take(hop__delta_worker *worker, uint32_t *count);
void hop__delta_done(hop__delta_worker *worker, uint32_t chunk);

/* Offers a row to all; then its owner calls hop__delta_own_slice until that is false. */
void hop__delta_share(hop__delta_worker *worker, hop_vertex vertex, uint64_t begin, uint64_t end);
/* The next slice of the row that this member shares, in worker->slice; false when none is left. */
bool hop__delta_own_slice(hop__delta_worker *worker);

/* Whether an entry of this key is next, because the member has no other, and is not ahead of what
 * others are at. */
static inline bool hop__delta_is_only(const hop__delta_worker *worker, uint32_t key) {
    const hop__delta_queue *queue = worker->queue;
    return worker->used == 0 && worker->bins[0].chunk == HOP__DELTA_NONE &&
           hop__load_u32(&worker->full_count) == 0 &&
           (key >> queue->shift <= worker->last ||
            (hop__load_u32(&queue->active) == 1 && key >> queue->shift <= queue->limit)) &&
           !__atomic_load_n(&queue->stop, __ATOMIC_RELAXED);
}

static inline const uint64_t *hop__delta_entries(const hop__delta_queue *queue, uint32_t chunk) {
    return queue->entries + (uint64_t)chunk * HOP__DELTA_CHUNK;
}

#endif
