/* SPDX-License-Identifier: Apache-2.0
 *
 * Delta-stepping for one domain (graph/numbers.h) and one form of cells; see sssp_delta_stepping.c.
 * Before including: DOMAIN; CELLS, the form, with functions <form>_length(cell),
 * <form>_cell(length, parent) and <form>_key(job, length), of the queue; PICK_WEIGHTS if weights
 * are int32: arcs are chosen by comparing these alone. */
#include "graph/domain_begin.h"

#define DELTA(name) HOP__JOIN(CELLS, HOP__JOIN(DOMAIN, name))
#define LENGTH      SUM
#define LENGTH_OF   HOP__JOIN(CELLS, length)
#define CELL_OF     HOP__JOIN(CELLS, cell)
#define KEY         HOP__JOIN(CELLS, key)
#define LIMIT(job)  HOP__FIELD(job, limit, DOMAIN)
#define LOW(job)    HOP__FIELD(job, low, DOMAIN)
#define WHOLE(job)  HOP__FIELD(job, whole, DOMAIN)

/* Lowers the cell of v; true if it came nearer and must be queued. */
static inline bool DELTA(lower)(hop__delta_job *job, hop__delta_worker *worker, hop_vertex v,
                                uint64_t wanted) {
    uint64_t *cell = &job->cells[v], known = hop__load_u64(cell);
    while (wanted < known) {
        if (job->alone)
            *cell = wanted;
        else if (!__atomic_compare_exchange_n(cell, &known, wanted, true, __ATOMIC_RELAXED,
                                              __ATOMIC_RELAXED))
            continue;
        if (LENGTH_OF(known) == LENGTH_OF(wanted) || (job->leaves && is_leaf(job->graph, v)))
            return false;
        worker->reached += known == job->none;
        return true;
    }
    return false;
}

/* The cell that an arc from u offers. */
static inline uint64_t DELTA(offer)(hop__delta_job *job, hop_vertex u, LENGTH own, LENGTH sum) {
    hop_vertex parent = u;
    if (sum == own) {
        parent = HOP_NO_VERTEX; /* is found later, by layers */
        mark_level(job, u);
    }
    return CELL_OF(sum, parent);
}

/* Relaxes arc i. */
static inline void DELTA(relax)(hop__delta_job *job, hop__delta_worker *worker, hop_vertex u,
                                LENGTH own, LENGTH sum, uint64_t i) {
    hop_vertex v = job->graph->targets[i];
    if (DELTA(lower)(job, worker, v, DELTA(offer)(job, u, own, sum)))
        hop__delta_put(worker, KEY(job, sum), v);
}

/* Arcs begin .. end-1 of u whose sums are at most the limit. */
static inline void DELTA(relax_all)(hop__delta_job *job, hop__delta_worker *worker, hop_vertex u,
                                    LENGTH own, uint64_t begin, uint64_t end) {
    const hop_vertex *targets = job->graph->targets;
    const LENGTH limit = (LENGTH)LIMIT(job);
    const WEIGHT *weights = job->graph->weights;
    for (uint64_t i = begin; i < end; i++) {
        if (i + ROW_AHEAD < end)
            __builtin_prefetch(&job->cells[targets[i + ROW_AHEAD]]);
        LENGTH sum = NUMBER(add)(own, weights, i);
        if (sum <= limit)
            DELTA(relax)(job, worker, u, own, sum, i);
    }
}

/* Picks those of `count` arcs from `begin` on whose sums are at most the limit (and above `low`):
 * few of them, so that they are looked for first, and only their targets are touched. */
static inline uint32_t DELTA(pick)(const hop__delta_job *job, LENGTH own, uint64_t begin,
                                   uint32_t count, bool above, uint32_t *picks) {
    const hop_vertex *targets = job->graph->targets;
    const WEIGHT *weights = job->graph->weights;
    const LENGTH limit = (LENGTH)LIMIT(job), low = (LENGTH)LOW(job);
#if defined(PICK_WEIGHTS)
    uint32_t picked = job->pick(weights + begin, targets + begin, count,
                                weights_within(own, above, low, limit), picks);
#else
    uint32_t picked = 0;
    for (uint32_t k = 0; k < count; k++) {
        LENGTH sum = NUMBER(add)(own, weights, begin + k);
        picks[picked] = k;
        picked += (unsigned)(sum <= limit) & (unsigned)(!above || sum > low);
    }
#endif
    for (uint32_t k = 0; k < picked; k++)
        __builtin_prefetch(&job->cells[targets[begin + picks[k]]]);
    return picked;
}

static inline void DELTA(relax_picks)(hop__delta_job *job, hop__delta_worker *worker, hop_vertex u,
                                      LENGTH own, uint64_t begin, uint32_t picked,
                                      const uint32_t *picks) {
    const WEIGHT *weights = job->graph->weights;
    for (uint32_t k = 0; k < picked; k++) {
        uint64_t i = begin + picks[k];
        DELTA(relax)(job, worker, u, own, NUMBER(add)(own, weights, i), i);
    }
}

static inline void DELTA(relax_some)(hop__delta_job *job, hop__delta_worker *worker, hop_vertex u,
                                     LENGTH own, uint64_t begin, uint64_t end, bool above) {
    uint32_t picks[PICKS];
    for (; begin < end; begin += PICKS) {
        uint32_t count = end - begin < PICKS ? (uint32_t)(end - begin) : PICKS;
        uint32_t picked = DELTA(pick)(job, own, begin, count, above, picks);
        DELTA(relax_picks)(job, worker, u, own, begin, picked, picks);
    }
}

/* Arcs begin .. end-1 of u, which are many or not worth preparing; false when cancelled. */
static bool DELTA(relax_row)(hop__delta_job *job, hop__delta_worker *worker, hop_vertex u,
                             LENGTH own, uint64_t begin, uint64_t end) {
    if (job->pruned)
        DELTA(relax_some)(job, worker, u, own, begin, end, false);
    else
        DELTA(relax_all)(job, worker, u, own, begin, end);
    return report_arcs(job, worker, end - begin);
}

/* Slices of the row that this member shares, or the one that it has taken from another. If u has
 * come nearer meanwhile, so much the better: it has another entry then. */
static bool DELTA(relax_slice)(hop__delta_job *job, hop__delta_worker *worker) {
    hop__delta_slice slice = worker->slice;
    LENGTH own = LENGTH_OF(hop__load_u64(&job->cells[slice.vertex]));
    return DELTA(relax_row)(job, worker, slice.vertex, own, slice.begin, slice.end);
}

/* A row of any length. */
static bool DELTA(relax_whole)(hop__delta_job *job, hop__delta_worker *worker, hop_vertex u,
                               LENGTH own, uint64_t begin, uint64_t end) {
    if (end - begin <= LONG_ROW)
        return DELTA(relax_row)(job, worker, u, own, begin, end);
    bool go_on = true;
    hop__delta_share(worker, u, begin, end);
    while (hop__delta_own_slice(worker))
        go_on = go_on && DELTA(relax_slice)(job, worker);
    return go_on;
}

/* Goes from u from vertex to vertex, while one at a time is all that there is to do: nothing need
 * go through the queue then. */
static void DELTA(follow)(hop__delta_job *job, hop__delta_worker *worker, hop_vertex u) {
    const hop_graph *graph = job->graph;
    const LENGTH limit = (LENGTH)LIMIT(job);
    hop_vertex next = u;
    const WEIGHT *weights = graph->weights;
    while (next != HOP_NO_VERTEX) {
        u = next;
        LENGTH own = LENGTH_OF(hop__load_u64(&job->cells[u]));
        uint64_t i = hop__offset(graph, u), end = hop__offset(graph, (uint64_t)u + 1);
        if (end - i > TINY_ROW || !hop__delta_is_only(worker, KEY(job, own))) {
            hop__delta_put(worker, KEY(job, own), u);
            return;
        }
        worker->settled++;
        worker->processed += end - i;
        (void)report_arcs(job, worker, end - i);
        next = HOP_NO_VERTEX;
        for (; i < end; i++) {
            LENGTH sum = NUMBER(add)(own, weights, i);
            hop_vertex v = graph->targets[i];
            if (sum > limit || !DELTA(lower)(job, worker, v, DELTA(offer)(job, u, own, sum)))
                continue;
            if (next != HOP_NO_VERTEX)
                hop__delta_put(worker, KEY(job, LENGTH_OF(hop__load_u64(&job->cells[next]))), next);
            next = v;
        }
    }
}

/* So few entries that preparing them takes longer than waiting for them. */
static void DELTA(work_few)(hop__delta_job *job, hop__delta_worker *worker, const uint64_t *entries,
                            uint32_t count) {
    for (uint32_t at = 0; at < count; at++) {
        hop_vertex u = (hop_vertex)entries[at];
        LENGTH own = LENGTH_OF(hop__load_u64(&job->cells[u]));
        if (KEY(job, own) != entries[at] >> 32)
            continue;
        uint64_t begin = hop__offset(job->graph, u), end = hop__offset(job->graph, (uint64_t)u + 1);
        if (count == 1 && end - begin <= TINY_ROW && hop__delta_is_only(worker, KEY(job, own))) {
            DELTA(follow)(job, worker, u);
            return;
        }
        worker->settled++;
        worker->processed += end - begin;
        if (!DELTA(relax_whole)(job, worker, u, own, begin, end))
            return;
    }
}

/* What the arcs of some entries offer: targets and cells. */
typedef struct DELTA(offers) {
    uint32_t count;
    hop_vertex targets[OFFERS];
    uint64_t cells[OFFERS];
} DELTA(offers);

/* Lowers what the offers are below. That is found out first, without a branch: it cannot be
 * foreseen, and a wrong guess would cost more than the look. */
static void DELTA(take_offers)(hop__delta_job *job, hop__delta_worker *worker,
                               DELTA(offers) * offers) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < offers->count; k++) {
        hop_vertex v = offers->targets[k];
        uint64_t wanted = offers->cells[k];
        offers->targets[kept] = v;
        offers->cells[kept] = wanted;
        kept += wanted < hop__load_u64(&job->cells[v]);
    }
    for (uint32_t k = 0; k < kept; k++)
        if (DELTA(lower)(job, worker, offers->targets[k], offers->cells[k]))
            hop__delta_put(worker, KEY(job, LENGTH_OF(offers->cells[k])), offers->targets[k]);
    offers->count = 0;
}

/* The arcs of a row that is at most TINY_ROW long become offers. Rows are gone through in fours, so
 * that their lengths, which cannot be foreseen, matter less. */
static inline void DELTA(make_offers)(hop__delta_job *job, hop_vertex u, LENGTH own, uint64_t begin,
                                      uint64_t end, DELTA(offers) * offers) {
    const hop_vertex *targets = job->graph->targets;
    const LENGTH limit = (LENGTH)LIMIT(job);
    uint32_t count = offers->count;
    const WEIGHT *weights = job->graph->weights;
    for (; begin < end; begin += 4)
        for (uint64_t k = 0; k < 4; k++) {
            uint64_t i = begin + k < end ? begin + k : end - 1;
            LENGTH sum = NUMBER(add)(own, weights, i);
            __builtin_prefetch(&job->cells[targets[i]]);
            offers->targets[count] = targets[i];
            offers->cells[count] = DELTA(offer)(job, u, own, sum);
            count += (unsigned)(begin + k < end) & (unsigned)(sum <= limit);
        }
    offers->count = count;
}

/* The entries of a chunk, most with short rows, and no horizon: step by step for all of them. */
static void DELTA(work_short)(hop__delta_job *job, hop__delta_worker *worker,
                              const uint64_t *entries, uint32_t count) {
    const hop_graph *graph = job->graph;
    hop_vertex vertices[HOP__DELTA_CHUNK];
    uint64_t begins[HOP__DELTA_CHUNK], ends[HOP__DELTA_CHUNK];
    LENGTH owns[HOP__DELTA_CHUNK];
    uint32_t live = 0;
    uint64_t arcs = 0;
    DELTA(offers) offers;
    const WEIGHT *weights = graph->weights;
    for (uint32_t k = 0; k < count; k++) {
        __builtin_prefetch(&job->cells[(hop_vertex)entries[k]]);
        prefetch_offset(graph, (hop_vertex)entries[k]);
    }
    for (uint32_t k = 0; k < count; k++) {
        hop_vertex v = (hop_vertex)entries[k];
        vertices[live] = v;
        owns[live] = LENGTH_OF(hop__load_u64(&job->cells[v]));
        live += KEY(job, owns[live]) == entries[k] >> 32;
    }
    for (uint32_t k = 0; k < live; k++) {
        begins[k] = hop__offset(graph, vertices[k]);
        ends[k] = hop__offset(graph, (uint64_t)vertices[k] + 1);
        __builtin_prefetch(&graph->targets[begins[k]]);
        NUMBER(prefetch)(weights, begins[k]);
    }
    offers.count = 0;
    for (uint32_t k = 0; k < live; k++) {
        uint64_t length = ends[k] - begins[k];
        arcs += length;
        if (length <= TINY_ROW) {
            DELTA(make_offers)(job, vertices[k], owns[k], begins[k], ends[k], &offers);
            if (offers.count > OFFERS - TINY_ROW - 4)
                DELTA(take_offers)(job, worker, &offers);
        } else {
            (void)DELTA(relax_whole)(job, worker, vertices[k], owns[k], begins[k], ends[k]);
            arcs -= length; /* has been reported */
            worker->processed += length;
        }
    }
    DELTA(take_offers)(job, worker, &offers);
    worker->settled += live;
    worker->processed += arcs;
    (void)report_arcs(job, worker, arcs);
}

/* The entries of a chunk, in a pipeline: cells and offsets are asked for first, then the rows, then
 * the cells of their targets, then they are relaxed. */
static void DELTA(work)(hop__delta_job *job, hop__delta_worker *worker, const uint64_t *entries,
                        uint32_t count) {
    const hop_graph *graph = job->graph;
    uint64_t begins[HOP__DELTA_CHUNK], ends[HOP__DELTA_CHUNK];
    uint32_t picks[SLOTS][SHORT_ROW], picked[SLOTS];
    const WEIGHT *weights = graph->weights;
    for (uint32_t step = 0; step < count + 3 * AHEAD; step++) {
        if (step < count) {
            hop_vertex v = (hop_vertex)entries[step];
            __builtin_prefetch(&job->cells[v]);
            prefetch_offset(graph, v);
        }
        uint32_t at = step - AHEAD;
        if (at < count) { /* or it wraps, and is larger */
            hop_vertex v = (hop_vertex)entries[at];
            uint64_t cell = hop__load_u64(&job->cells[v]);
            begins[at] = ends[at] = 0;
            if (KEY(job, LENGTH_OF(cell)) == entries[at] >> 32) {
                begins[at] = hop__offset(graph, v);
                ends[at] = hop__offset(graph, (uint64_t)v + 1);
                uint64_t i = begins[at], stop = i + (job->pruned ? 64 : 16);
                for (stop = stop < ends[at] ? stop : ends[at]; i < stop; i += 16) {
                    __builtin_prefetch(&graph->targets[i]);
                    NUMBER(prefetch)(weights, i);
                }
            }
        }
        at = step - 2 * AHEAD;
        if (at < count && job->pruned) {
            /* Short rows are looked through here already. */
            hop_vertex u = (hop_vertex)entries[at];
            LENGTH own = LENGTH_OF(hop__load_u64(&job->cells[u]));
            if (KEY(job, own) != entries[at] >> 32)
                begins[at] = ends[at];
            else if (ends[at] - begins[at] <= SHORT_ROW)
                picked[at % SLOTS] =
                    DELTA(pick)(job, own, begins[at], (uint32_t)(ends[at] - begins[at]), false,
                                picks[at % SLOTS]);
        } else if (at < count) {
            uint64_t stop = begins[at] + ROW_AHEAD < ends[at] ? begins[at] + ROW_AHEAD : ends[at];
            for (uint64_t i = begins[at]; i < stop; i++)
                __builtin_prefetch(&job->cells[graph->targets[i]]);
        }
        at = step - 3 * AHEAD;
        if (at >= count || begins[at] == ends[at])
            continue;
        hop_vertex u = (hop_vertex)entries[at];
        LENGTH own = LENGTH_OF(hop__load_u64(&job->cells[u]));
        if (KEY(job, own) != entries[at] >> 32)
            continue; /* has come nearer, and has another entry */
        worker->settled++;
        worker->processed += ends[at] - begins[at];
        if (job->pruned && ends[at] - begins[at] <= SHORT_ROW) {
            DELTA(relax_picks)
            (job, worker, u, own, begins[at], picked[at % SLOTS], picks[at % SLOTS]);
            if (!report_arcs(job, worker, ends[at] - begins[at]))
                return;
            continue;
        }
        if (!DELTA(relax_whole)(job, worker, u, own, begins[at], ends[at]))
            return;
    }
}

/* Until nothing is left within the limit, or the job pauses. */
static void DELTA(search)(void *arg, unsigned thread, unsigned threads) {
    hop__delta_job *job = arg;
    hop__delta_worker *worker = &job->queue.workers[thread];
    uint32_t chunk, count;
    hop__delta_begin(&job->queue, thread, threads);
    while ((chunk = hop__delta_take(worker, &count)) != HOP__DELTA_NONE) {
        if (chunk == HOP__DELTA_SLICE) {
            (void)DELTA(relax_slice)(job, worker);
            continue;
        }
        const uint64_t *entries = hop__delta_entries(&job->queue, chunk);
        if (count <= FEW)
            DELTA(work_few)(job, worker, entries, count);
        else if (job->short_rows)
            DELTA(work_short)(job, worker, entries, count);
        else
            DELTA(work)(job, worker, entries, count);
        hop__delta_done(worker, chunk);
    }
}

/* Vertices begin .. end-1: those that are settled relax the arcs that they left out before. */
static void DELTA(resume)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__delta_job *job = arg;
    hop__delta_worker *worker = &job->queue.workers[thread];
    const LENGTH low = (LENGTH)LOW(job);
    for (uint64_t u = begin; u < end; u++) {
        LENGTH own = LENGTH_OF(hop__load_u64(&job->cells[u]));
        if (own > low)
            continue;
        uint64_t from = hop__offset(job->graph, u), to = hop__offset(job->graph, u + 1);
        DELTA(relax_some)(job, worker, (hop_vertex)u, own, from, to, true);
        if (!report_arcs(job, worker, to - from))
            return;
    }
}

/* Vertices begin .. end-1, whole words: a bit for each that is settled. */
static void DELTA(mark)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__delta_job *job = arg;
    const LENGTH low = (LENGTH)LOW(job);
    (void)thread;
    for (uint64_t v = begin; v < end; v += 64) {
        uint64_t word = 0, stop = end - v < 64 ? end - v : 64;
        for (uint64_t k = 0; k < stop; k++)
            word |= (uint64_t)(LENGTH_OF(job->cells[v + k]) <= low) << k;
        job->settled[v / 64] = word;
    }
}

/* What arc i to v gives, if it comes from a settled vertex: a cell that may be the best. */
static inline uint64_t DELTA(pull_arc)(const hop__delta_job *job, uint64_t best, uint64_t i,
                                       bool *open) {
    const hop_graph *graph = job->reverse;
    hop_vertex u = graph->targets[i];
    LENGTH own = LENGTH_OF(hop__load_u64(&job->cells[u]));
    const WEIGHT *weights = graph->weights;
    if (own > (LENGTH)LOW(job)) {
        *open = true;
        return best;
    }
    LENGTH sum = NUMBER(add)(own, weights, i);
    if (sum > (LENGTH)LIMIT(job))
        return best;
    uint64_t cell = CELL_OF(sum, u);
    return cell < best ? cell : best;
}

/* Picks of `count` arcs those with which `whole` comes to at most `most`, and to more than `above`
 * if that is asked for. */
static inline uint32_t DELTA(pull_picks)(const hop__delta_job *job, bool bounded, LENGTH above,
                                         LENGTH most, uint64_t begin, uint32_t count,
                                         uint32_t *picks) {
    const hop_graph *graph = job->reverse;
    const LENGTH whole = (LENGTH)WHOLE(job);
    const WEIGHT *weights = graph->weights;
#if defined(PICK_WEIGHTS)
    uint32_t picked = job->pick(weights + begin, graph->targets + begin, count,
                                weights_within(whole, bounded, above, most), picks);
#else
    uint32_t picked = 0;
    for (uint32_t k = 0; k < count; k++) {
        LENGTH sum = NUMBER(add)(whole, weights, begin + k);
        picks[picked] = k;
        picked += (unsigned)(!bounded || sum > above) & (unsigned)(sum <= most);
    }
#endif
    for (uint32_t k = 0; k < picked; k++)
        __builtin_prefetch(&job->cells[graph->targets[begin + picks[k]]]);
    return picked;
}

/* The best cell for v. A vertex that has not relaxed all its arcs is at least `whole` away: so arcs
 * with which that is more than the best so far need no look at where they come from. First come
 * those up to `near`, `picked` of which were chosen before if the row is short. */
static inline uint64_t DELTA(pull_row)(hop__delta_job *job, hop_vertex v, LENGTH near,
                                       uint32_t picked, uint32_t *picks, bool *open) {
    const hop_graph *graph = job->reverse;
    const uint64_t begin = hop__offset(graph, v), end = hop__offset(graph, (uint64_t)v + 1);
    const uint64_t none = job->none;
    uint64_t best = hop__load_u64(&job->cells[v]);
    bool is_short = end - begin <= SHORT_ROW;
    uint64_t looked = 0;
    for (uint64_t from = begin; from < end; from += PICKS) {
        uint32_t count = end - from < PICKS ? (uint32_t)(end - from) : PICKS;
        if (!is_short)
            picked = DELTA(pull_picks)(job, false, near, near, from, count, picks);
        looked += picked;
        for (uint32_t k = 0; k < picked; k++)
            best = DELTA(pull_arc)(job, best, from + picks[k], open);
    }
    if (looked < end - begin && LENGTH_OF(best) > near)
        for (uint64_t from = begin; from < end; from += PICKS) {
            uint32_t count = end - from < PICKS ? (uint32_t)(end - from) : PICKS;
            LENGTH most = best < none ? LENGTH_OF(best) : (LENGTH)LIMIT(job);
            picked = DELTA(pull_picks)(job, true, near, most, from, count, picks);
            looked += picked;
            for (uint32_t k = 0; k < picked; k++)
                best = DELTA(pull_arc)(job, best, from + picks[k], open);
        }
    if (looked < end - begin && !*open) {
        *open = !is_short; /* who cares */
        for (uint64_t i = begin; i < end && !*open; i++)
            *open = !hop__bitmap_get(job->settled, graph->targets[i]) && graph->targets[i] != v;
    }
    return best;
}

/* Vertices begin .. end-1: those that are not settled take the best from those that are, and are
 * queued if they may be of use to others. */
static void DELTA(pull)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__delta_job *job = arg;
    const hop_graph *graph = job->reverse;
    hop__delta_worker *worker = &job->queue.workers[thread];
    const WEIGHT *weights = graph->weights;
    const LENGTH low = (LENGTH)LOW(job), near = low + (low - (LENGTH)WHOLE(job)) / 2;
    hop_vertex list[HOP__DELTA_PULL_GRAIN];
    uint32_t picks[PULL_SLOTS][PICKS], picked[PULL_SLOTS], count = 0;
    uint64_t arcs = 0;
    for (uint64_t v = begin; v < end; v++) {
        list[count] = (hop_vertex)v;
        count +=
            !hop__bitmap_get(job->settled, v) && hop__offset(graph, v) < hop__offset(graph, v + 1);
    }
    for (uint32_t step = 0; step < count + PULL_AHEAD; step++) {
        if (step + PULL_AHEAD < count) {
            uint64_t from = hop__offset(graph, list[step + PULL_AHEAD]);
            __builtin_prefetch(&graph->targets[from]);
            NUMBER(prefetch)(weights, from);
        }
        if (step < count) {
            uint64_t from = hop__offset(graph, list[step]);
            uint64_t length = hop__offset(graph, (uint64_t)list[step] + 1) - from;
            arcs += length;
            if (length <= SHORT_ROW)
                picked[step % PULL_SLOTS] = DELTA(pull_picks)(
                    job, false, near, near, from, (uint32_t)length, picks[step % PULL_SLOTS]);
        }
        uint32_t at = step - PULL_AHEAD;
        if (at >= count)
            continue;
        hop_vertex v = list[at];
        bool open = job->graph->directed; /* which arcs lead on is not known then */
        uint64_t best =
            DELTA(pull_row)(job, v, near, picked[at % PULL_SLOTS], picks[at % PULL_SLOTS], &open);
        if (open && best < job->none) {
            worker->reached += job->cells[v] == job->none;
            hop__delta_put(worker, KEY(job, LENGTH_OF(best)), v);
        }
        hop__store_u64(&job->cells[v], best);
    }
    (void)report_arcs(job, worker, arcs);
}

static uint32_t DELTA(key_of)(const void *arg, hop_vertex v) {
    const hop__delta_job *job = arg;
    (void)job;
    return KEY(job, LENGTH_OF(hop__load_u64(&job->cells[v])));
}

static const hop__delta_steps DELTA(steps) = {DELTA(search), DELTA(resume), DELTA(mark),
                                              DELTA(pull), DELTA(key_of)};

#undef DELTA
#undef LENGTH
#undef LENGTH_OF
#undef CELL_OF
#undef KEY
#undef LIMIT
#undef LOW
#undef WHOLE
#undef CELLS
#undef PICK_WEIGHTS
#include "graph/domain_end.h"
