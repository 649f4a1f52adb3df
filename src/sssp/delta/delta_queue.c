/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue of delta-stepping; see delta_queue.h. */
#include "sssp/delta/delta_queue.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include "core/patience.h"
#include "core/progress.h"
#include "core/try.h"
#include "core/wait.h"

enum { CHUNK = HOP__DELTA_CHUNK };
enum {
    FREE_KEPT = HOP__DELTA_FREE_KEPT,
    SLICE = HOP__DELTA_SLICE_ARCS,
    SPINS = 64,  /* turns between two times that the core is given away */
    YIELDS = 200 /* such times before it is for longer */
};
/* How long a member waits for chunks that others might give back: for much longer than any of them
 * takes between two looks, even one that has lost its core for a while. */
static const double patience_seconds = 0.25;
static const long longest_sleep_ns = 1000000;

static const hop__delta_bin no_bin = {HOP__DELTA_NONE, CHUNK, UINT32_MAX};

static inline void spin(unsigned *turns) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
    if (++*turns % SPINS != 0)
        return;
    if (*turns < SPINS * YIELDS)
        sched_yield();
    else
        nanosleep(&(struct timespec){0, 20000}, NULL);
}

static void lock(hop__delta_worker *worker) {
    unsigned turns = 0;
    while (__atomic_exchange_n(&worker->lock, 1, __ATOMIC_ACQUIRE) != 0)
        while (hop__load_u32(&worker->lock) != 0)
            spin(&turns);
}

static void unlock(hop__delta_worker *worker) {
    __atomic_store_n(&worker->lock, 0, __ATOMIC_RELEASE);
}

/* Wakes members that wait, after something was offered or the search is over. One that has just
 * decided to sleep may be missed: it does not sleep for long. */
static inline void tell(hop__delta_queue *queue) {
    if (atomic_load_explicit(&queue->waiting, memory_order_relaxed) == 0)
        return;
    atomic_fetch_add(&queue->news, 1);
    hop__rouse(&queue->news);
}

static uint64_t chunks_for(uint64_t vertices, unsigned threads) {
    /* Each bin of each member may begin a chunk, and each keeps some free ones and one at work. */
    return (vertices + vertices / 4) / CHUNK +
           (uint64_t)threads * (HOP__DELTA_BINS + FREE_KEPT + 8);
}

void hop__delta_queue_blocks(hop__workspace *space, size_t at, uint64_t vertices,
                             unsigned threads) {
    uint64_t chunks = chunks_for(vertices, threads) + threads;
    hop__block *entries = HOP__BLOCK_AT(space, at, "delta-stepping: queue", chunks * CHUNK,
                                        hop__delta_queue, entries);
    hop__block *links =
        HOP__BLOCK_AT(space, at, "delta-stepping: queue", chunks, hop__delta_queue, links);
    entries->later = links->later = true;
    HOP__BLOCK_AT(space, at, "delta-stepping: workers", threads, hop__delta_queue, workers)->later =
        true;
}

hop_status hop__delta_queue_begin(hop__workspace *space, uint64_t vertices, unsigned threads,
                                  hop__delta_queue *queue) {
    hop_status status;
    uint64_t chunks = chunks_for(vertices, threads);
    *queue = (hop__delta_queue){
        .context = space->context, .threads = threads, .chunk_count = (uint32_t)chunks};
    HOP_TRY(status, hop__workspace_take(space, &queue->entries, (chunks + threads) * CHUNK));
    HOP_TRY(status, hop__workspace_take(space, &queue->links, chunks + threads));
    HOP_TRY(status, hop__workspace_take(space, &queue->workers, threads));
    for (unsigned t = 0; t < threads; t++) {
        hop__delta_worker *worker = &queue->workers[t];
        memset(worker, 0, sizeof *worker);
        worker->queue = queue;
        worker->number = t;
    }
    hop__delta_queue_reset(queue);
done:
    return status;
}

void hop__delta_queue_reset(hop__delta_queue *queue) {
    queue->free = HOP__DELTA_NONE;
    queue->fresh = 0;
    queue->limit = UINT32_MAX;
    queue->stop = queue->exhausted = false;
    for (unsigned t = 0; t < queue->threads; t++) {
        hop__delta_worker *worker = &queue->workers[t];
        worker->full = worker->free = HOP__DELTA_NONE;
        worker->full_count = worker->free_count = worker->shares = 0;
        worker->last = worker->level = 0;
        worker->used = 0;
        worker->purges = queue->purges;
        queue->links[queue->chunk_count + t] = HOP__DELTA_NONE;
        for (unsigned b = 0; b < HOP__DELTA_BINS; b++)
            worker->bins[b] = no_bin;
    }
}

/* The pool. Chunks go to and from a member's own list; that is filled from and emptied into the
 * common one. */

static uint32_t pool_pop(hop__delta_queue *queue) {
    uint64_t head = __atomic_load_n(&queue->free, __ATOMIC_ACQUIRE);
    while ((uint32_t)head != HOP__DELTA_NONE) {
        /* May be of a chunk that is taken by now: then the count has changed. */
        uint32_t next = hop__load_u32(&queue->links[(uint32_t)head]);
        uint64_t wanted = ((head >> 32) + 1) << 32 | next;
        if (__atomic_compare_exchange_n(&queue->free, &head, wanted, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return (uint32_t)head;
    }
    if (hop__load_u32(&queue->fresh) >= queue->chunk_count)
        return HOP__DELTA_NONE;
    uint32_t chunk = __atomic_fetch_add(&queue->fresh, 1, __ATOMIC_RELAXED);
    if (chunk < queue->chunk_count)
        return chunk;
    hop__store_u32(&queue->fresh, queue->chunk_count);
    return HOP__DELTA_NONE;
}

static void pool_push(hop__delta_queue *queue, uint32_t chunk) {
    uint64_t head = __atomic_load_n(&queue->free, __ATOMIC_RELAXED);
    uint64_t wanted;
    do {
        hop__store_u32(&queue->links[chunk], (uint32_t)head);
        wanted = ((head >> 32) + 1) << 32 | chunk;
    } while (!__atomic_compare_exchange_n(&queue->free, &head, wanted, true, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
}

void hop__delta_done(hop__delta_worker *worker, uint32_t chunk) {
    if (worker->free_count >= FREE_KEPT) {
        pool_push(worker->queue, chunk);
        return;
    }
    hop__store_u32(&worker->queue->links[chunk], worker->free);
    worker->free = chunk;
    worker->free_count++;
}

static uint32_t chunk_get(hop__delta_worker *worker) {
    uint32_t chunk = worker->free;
    worker->free = hop__load_u32(&worker->queue->links[chunk]);
    worker->free_count--;
    return chunk;
}

/* Drops what is useless of a list of chunks, of which the first has `fill` entries, into another
 * list that is put together from the same chunks. Its least key is that of before: no entry has a
 * key below, but maybe none has this one either. */
static hop__delta_bin purge_list(hop__delta_worker *worker, hop__delta_bin from, uint32_t *count) {
    hop__delta_queue *queue = worker->queue;
    hop__delta_bin kept = no_bin;
    *count = 0;
    kept.least = from.least;
    while (from.chunk != HOP__DELTA_NONE) {
        uint64_t *entries = queue->entries + (uint64_t)from.chunk * CHUNK;
        uint32_t next = hop__load_u32(&queue->links[from.chunk]), stay = 0;
        worker->moved += from.fill;
        for (uint32_t i = 0; i < from.fill; i++)
            if (entries[i] >> 32 <= queue->key_of(queue->key_arg, (hop_vertex)entries[i]))
                entries[stay++] = entries[i];
        while (stay > 0 && kept.fill < CHUNK)
            queue->entries[(uint64_t)kept.chunk * CHUNK + kept.fill++] = entries[--stay];
        if (stay > 0) {
            hop__store_u32(&queue->links[from.chunk], kept.chunk);
            kept = (hop__delta_bin){from.chunk, stay, from.least};
            ++*count;
        } else {
            hop__delta_done(worker, from.chunk);
        }
        from = (hop__delta_bin){next, CHUNK, from.least};
    }
    return kept.chunk == HOP__DELTA_NONE ? no_bin : kept;
}

/* Appends a list of full chunks to those that others may take. */
static void append_full(hop__delta_worker *worker, uint32_t head, uint32_t tail, uint32_t count) {
    hop__store_u32(&worker->queue->links[tail], HOP__DELTA_NONE);
    lock(worker);
    if (worker->full == HOP__DELTA_NONE)
        worker->full = head;
    else
        hop__store_u32(&worker->queue->links[worker->full_tail], head);
    worker->full_tail = tail;
    hop__store_u32(&worker->full_count, worker->full_count + count);
    unlock(worker);
    tell(worker->queue);
}

/* Drops everything useless that this member has. */
static void purge(hop__delta_worker *worker) {
    uint32_t count;
    worker->purges = hop__load_u32(&worker->queue->purges);
    for (unsigned b = 0; b < HOP__DELTA_BINS; b++) {
        worker->bins[b] = purge_list(worker, worker->bins[b], &count);
        if (b > 0 && worker->bins[b].chunk == HOP__DELTA_NONE)
            worker->used &= ~(UINT64_C(1) << b);
    }
    /* The full chunks must stay full: what is left over goes to bin 0 entry by entry. */
    lock(worker);
    hop__delta_bin full = {worker->full, CHUNK, 0};
    worker->full = HOP__DELTA_NONE;
    hop__store_u32(&worker->full_count, 0);
    unlock(worker);
    full = purge_list(worker, full, &count);
    if (full.chunk == HOP__DELTA_NONE)
        return;
    if (full.fill < CHUNK) {
        uint32_t rest = full.chunk;
        full.chunk = hop__load_u32(&worker->queue->links[rest]);
        count--;
        uint64_t entries[CHUNK];
        memcpy(entries, hop__delta_entries(worker->queue, rest), sizeof entries);
        hop__delta_done(worker, rest); /* before a chunk is needed for them */
        for (uint32_t i = 0; i < full.fill; i++)
            hop__delta_put(worker, (uint32_t)(entries[i] >> 32), (hop_vertex)entries[i]);
    }
    if (full.chunk == HOP__DELTA_NONE)
        return;
    uint32_t tail = full.chunk;
    while (hop__load_u32(&worker->queue->links[tail]) != HOP__DELTA_NONE)
        tail = hop__load_u32(&worker->queue->links[tail]);
    append_full(worker, full.chunk, tail, count);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_exhausted(const hop__delta_queue *queue) {
    return __atomic_load_n(&queue->exhausted, __ATOMIC_RELAXED);
}

/* Makes sure of some free chunks, waiting until there are: see invariant 1. False when the queue is
 * exhausted. */
static bool stock(hop__delta_worker *worker, uint32_t count) {
    hop__delta_queue *queue = worker->queue;
    unsigned turns = 0;
    double until = 0;
    while (worker->free_count < count) {
        uint32_t chunk = pool_pop(queue);
        if (chunk != HOP__DELTA_NONE) {
            hop__delta_done(worker, chunk);
            continue;
        }
        if (is_exhausted(queue)) {
            /* Whoever found it may not have said so yet, and what is queued now is lost. */
            __atomic_store_n(&queue->stop, true, __ATOMIC_RELAXED);
            return false;
        }
        if (turns == 0)
            until = seconds_now() + (queue->threads > 1 ? patience_seconds : 0);
        else if (seconds_now() >= until) {
            __atomic_store_n(&queue->exhausted, true, __ATOMIC_RELAXED);
            __atomic_store_n(&queue->stop, true, __ATOMIC_RELAXED);
            return false;
        }
        __atomic_fetch_add(&queue->purges, 1, __ATOMIC_RELAXED);
        purge(worker);
        spin(&turns);
    }
    return true;
}

/* Offers the full chunk of bin 0 to all. */
static void publish(hop__delta_worker *worker) {
    uint32_t chunk = worker->bins[0].chunk;
    worker->bins[0] = no_bin;
    append_full(worker, chunk, chunk, 1);
}

void hop__delta_grow(hop__delta_worker *worker, unsigned number) {
    hop__delta_bin *bin = &worker->bins[number];
    const uint32_t own = worker->queue->chunk_count + worker->number;
    /* The entry has to go somewhere, and is not looked at again. A bin that has lost entries goes
     * on losing them, and keeps its least key, whatever others give back to the pool meanwhile. */
    if (bin->chunk == own || !stock(worker, 1)) {
        *bin = (hop__delta_bin){own, 0, bin->least};
        return;
    }
    if (bin->fill < CHUNK)
        return; /* there was a purge */
    uint32_t chunk = chunk_get(worker);
    if (number == 0 && bin->chunk != HOP__DELTA_NONE)
        publish(worker);
    hop__store_u32(&worker->queue->links[chunk], bin->chunk);
    *bin = (hop__delta_bin){chunk, 0, bin->least};
    if (number > 0)
        worker->used |= UINT64_C(1) << number;
}

/* A full chunk of bin 0 of `from`. */
static uint32_t take_full(hop__delta_worker *from) {
    uint32_t chunk = HOP__DELTA_NONE;
    if (hop__load_u32(&from->full_count) == 0)
        return HOP__DELTA_NONE;
    lock(from);
    if (from->full != HOP__DELTA_NONE) {
        chunk = from->full;
        from->full = hop__load_u32(&from->queue->links[chunk]);
        hop__store_u32(&from->full_count, from->full_count - 1);
    }
    unlock(from);
    return chunk;
}

/* A chunk of another member that is at a bucket before `bucket`, the nearest first. */
static uint32_t steal(hop__delta_worker *worker, uint32_t bucket) {
    hop__delta_queue *queue = worker->queue;
    hop__delta_worker *best = NULL;
    uint32_t nearest = bucket;
    for (unsigned i = 1; i < queue->threads; i++) {
        unsigned other = worker->number + i;
        hop__delta_worker *from =
            &queue->workers[other < queue->threads ? other : other - queue->threads];
        uint32_t level = hop__load_u32(&from->level);
        if (level < nearest && hop__load_u32(&from->full_count) > 0) {
            best = from;
            nearest = level;
        }
    }
    if (!best)
        return HOP__DELTA_NONE;
    uint32_t chunk = take_full(best);
    worker->steals += chunk != HOP__DELTA_NONE;
    return chunk;
}

void hop__delta_share(hop__delta_worker *worker, hop_vertex vertex, uint64_t begin, uint64_t end) {
    lock(worker);
    worker->row = (hop__delta_slice){begin, end, vertex};
    hop__store_u32(&worker->shares, begin < end);
    unlock(worker);
    tell(worker->queue);
}

/* Takes a slice of what `from` shares. */
static bool take_slice(hop__delta_worker *worker, hop__delta_worker *from) {
    if (hop__load_u32(&from->shares) == 0)
        return false;
    lock(from);
    hop__delta_slice slice = from->row;
    if (slice.end - slice.begin > SLICE)
        slice.end = slice.begin + SLICE;
    from->row.begin = slice.end;
    hop__store_u32(&from->shares, from->row.begin < from->row.end);
    unlock(from);
    worker->slice = slice;
    return slice.begin < slice.end;
}

bool hop__delta_own_slice(hop__delta_worker *worker) {
    return take_slice(worker, worker);
}

/* Takes a slice of another member that is at a bucket before `bucket`. */
static bool steal_slice(hop__delta_worker *worker, uint32_t bucket) {
    hop__delta_queue *queue = worker->queue;
    for (unsigned i = 1; i < queue->threads; i++) {
        unsigned other = worker->number + i;
        hop__delta_worker *from =
            &queue->workers[other < queue->threads ? other : other - queue->threads];
        if (hop__load_u32(&from->level) < bucket && take_slice(worker, from)) {
            worker->steals++;
            return true;
        }
    }
    return false;
}

/* The first bin above 0 that is not empty, and a bucket that none in it is before; false when there
 * is none. */
static bool next_bucket(const hop__delta_worker *worker, unsigned *number, uint32_t *bucket) {
    if (worker->used == 0)
        return false;
    *number = (unsigned)__builtin_ctzll(worker->used);
    *bucket = worker->bins[*number].least >> worker->queue->shift;
    return true;
}

/* Entries of other buckets were written long ago: asks for those of a chunk while the one before it
 * is spread. */
static inline void prefetch_chunk(const hop__delta_queue *queue, uint32_t chunk) {
    const uint64_t *entries = hop__delta_entries(queue, chunk);
    __builtin_prefetch(&queue->links[chunk]);
    for (uint32_t i = 0; i < CHUNK; i += 8)
        __builtin_prefetch(entries + i);
}

/* Puts the entries of a list of chunks where they belong. */
static void spread(hop__delta_worker *worker, hop__delta_bin from) {
    hop__delta_queue *queue = worker->queue;
    while (from.chunk != HOP__DELTA_NONE) {
        const uint64_t *entries = hop__delta_entries(queue, from.chunk);
        uint32_t next = hop__load_u32(&queue->links[from.chunk]);
        if (next != HOP__DELTA_NONE)
            prefetch_chunk(queue, next);
        worker->moved += from.fill;
        for (uint32_t i = 0; i < from.fill; i++)
            hop__delta_put(worker, (uint32_t)(entries[i] >> 32), (hop_vertex)entries[i]);
        hop__delta_done(worker, from.chunk);
        from = (hop__delta_bin){next, CHUNK, 0};
    }
}

/* Goes on to a bucket, the least of bin `number`. */
static void advance(hop__delta_worker *worker, unsigned number, uint32_t bucket) {
    if (!stock(worker, HOP__DELTA_BINS)) /* so that spreading needs none */
        return;
    hop__delta_bin from = worker->bins[number];
    worker->bins[number] = no_bin;
    worker->used &= ~(UINT64_C(1) << number);
    worker->last = bucket;
    hop__store_u32(&worker->level, bucket);
    spread(worker, from);
}

/* The chunk of bin `number` if it has one entry only, which need not be spread: what is left of a
 * path, or of a bucket, goes from hand to mouth. The entry may be of a later bucket than the bin,
 * after a purge, and then beyond the limit. */
static uint32_t take_single(hop__delta_worker *worker, unsigned number, uint32_t bucket) {
    hop__delta_queue *queue = worker->queue;
    hop__delta_bin *bin = &worker->bins[number];
    uint32_t chunk = bin->chunk;
    if (bin->fill != 1 || hop__load_u32(&queue->links[chunk]) != HOP__DELTA_NONE ||
        (uint32_t)(hop__delta_entries(queue, chunk)[0] >> 32) >> queue->shift != bucket)
        return HOP__DELTA_NONE;
    *bin = no_bin;
    worker->used &= ~(UINT64_C(1) << number);
    worker->last = bucket;
    hop__store_u32(&worker->level, bucket);
    return chunk;
}

/* Takes over all that a member has who is not in the team. */
static void adopt(hop__delta_worker *worker, hop__delta_worker *absent) {
    for (unsigned b = 0; b < HOP__DELTA_BINS; b++) {
        if (!stock(worker, HOP__DELTA_BINS))
            return;
        hop__delta_bin from = absent->bins[b];
        absent->bins[b] = no_bin;
        spread(worker, from);
    }
    absent->used = 0;
    if (!stock(worker, HOP__DELTA_BINS))
        return;
    hop__delta_bin full = {absent->full, CHUNK, 0};
    absent->full = HOP__DELTA_NONE;
    absent->full_count = 0;
    spread(worker, full);
}

void hop__delta_begin(hop__delta_queue *queue, unsigned thread, unsigned threads) {
    hop__delta_worker *worker = &queue->workers[thread];
    hop__store_u32(&worker->level, worker->last);
    if (thread == 0) {
        for (unsigned t = threads; t < queue->threads; t++) {
            adopt(worker, &queue->workers[t]);
            hop__store_u32(&queue->workers[t].level, UINT32_MAX);
        }
        __atomic_store_n(&queue->stop, is_exhausted(queue), __ATOMIC_RELAXED);
        __atomic_store_n(&queue->active, threads, __ATOMIC_RELAXED);
    }
    hop__team_barrier();
}

/* Waits for something to take, or for the end. */
static uint32_t wait_for_work(hop__delta_worker *worker) {
    hop__delta_queue *queue = worker->queue;
    unsigned turns = 0;
    hop__store_u32(&worker->level, UINT32_MAX);
    if (__atomic_fetch_sub(&queue->active, 1, __ATOMIC_ACQ_REL) == 1)
        tell(queue);
    for (;;) {
        unsigned seen = atomic_load_explicit(&queue->news, memory_order_relaxed);
        if (__atomic_load_n(&queue->active, __ATOMIC_ACQUIRE) == 0 ||
            __atomic_load_n(&queue->stop, __ATOMIC_RELAXED))
            return HOP__DELTA_NONE;
        if (hop__load_u32(&queue->purges) !=
            worker->purges) /* what is beyond the limit stays here */
            purge(worker);
        for (unsigned t = 0; t < queue->threads; t++) {
            if (hop__load_u32(&queue->workers[t].full_count) == 0 &&
                hop__load_u32(&queue->workers[t].shares) == 0)
                continue;
            __atomic_fetch_add(&queue->active, 1, __ATOMIC_ACQ_REL);
            uint32_t chunk = steal(worker, UINT32_MAX);
            if (chunk == HOP__DELTA_NONE && steal_slice(worker, UINT32_MAX))
                chunk = HOP__DELTA_SLICE;
            if (chunk != HOP__DELTA_NONE) {
                hop__store_u32(&worker->level, worker->last);
                return chunk;
            }
            __atomic_fetch_sub(&queue->active, 1, __ATOMIC_ACQ_REL);
        }
        if (turns++ < hop__patience()) {
            hop__relax();
            continue;
        }
        if (turns < hop__patience() + YIELDS) {
            sched_yield(); /* who sleeps on a crowded core loses its share of it, who yields not */
            continue;
        }
        atomic_fetch_add(&queue->waiting, 1);
        hop__sleep_at_most(&queue->news, seen, longest_sleep_ns);
        atomic_fetch_sub(&queue->waiting, 1);
        if (!hop__progress_add(queue->context, 0))
            __atomic_store_n(&queue->stop, true, __ATOMIC_RELAXED);
    }
}

uint32_t hop__delta_take(hop__delta_worker *worker, uint32_t *count) {
    hop__delta_queue *queue = worker->queue;
    unsigned number;
    uint32_t bucket, chunk;
    *count = CHUNK;
    for (;;) {
        if (__atomic_load_n(&queue->stop, __ATOMIC_RELAXED))
            return HOP__DELTA_NONE;
        if (hop__load_u32(&queue->purges) != worker->purges)
            purge(worker);
        chunk = take_full(worker);
        if (chunk != HOP__DELTA_NONE)
            return chunk;
        if (worker->bins[0].chunk != HOP__DELTA_NONE) {
            chunk = worker->bins[0].chunk;
            *count = worker->bins[0].fill;
            worker->bins[0] = no_bin;
            return chunk;
        }
        if (!next_bucket(worker, &number, &bucket) || bucket > queue->limit)
            return wait_for_work(worker);
        chunk = steal(worker, bucket);
        if (chunk != HOP__DELTA_NONE)
            return chunk;
        if (steal_slice(worker, bucket))
            return HOP__DELTA_SLICE;
        *count = 1;
        chunk = take_single(worker, number, bucket);
        if (chunk != HOP__DELTA_NONE)
            return chunk;
        *count = CHUNK;
        advance(worker, number, bucket);
    }
}
