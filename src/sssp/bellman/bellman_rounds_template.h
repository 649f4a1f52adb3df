/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of sssp_bellman_rounds.c for one type of weights. Before including (undefined again at
 * the end):
 *   ROUNDS(name)      makes names unique
 *   WORDS             of a sum: 1, an int64 that is the distance; 2, an exact number beside it
 *   WEIGHT            the type of the weights
 *   SKIP(i)           arc i is as if it were not there
 *   TERM(i)           the weight of arc i as a sum */

#if WORDS == 1
#define SUM   int64_t
#define OFFER hop__rounds_offer64
#define ARRAYS(job)                                                                                \
    int64_t *d = (job)->distances;                                                                 \
    const WEIGHT *weights = (job)->graph->weights;                                                 \
    (void)d, (void)weights
#define SUM_OF(v)         d[v] /* the largest number where v is not reached */
#define SUM_AT(v)         d[v]
#define SET_SUM(v, s)     (d[v] = (s))
#define OFFERED(o)        (o)->sum
#define SET_OFFERED(o, s) ((o)->sum = (s))
#define LOWEST_SUM(job)   (job)->lowest64 /* what no path without a cycle is below */
#else
#define SUM   hop__i128
#define OFFER hop__rounds_offer128
#define ARRAYS(job)                                                                                \
    uint64_t *sums = (job)->sums;                                                                  \
    const hop__exact scale = (job)->query->exact;                                                  \
    const WEIGHT *weights = (job)->graph->weights;                                                 \
    (void)sums, (void)scale, (void)weights
#define SUM_OF(v)         hop__exact_load(sums + 2 * (uint64_t)(v))
#define SUM_AT(v)         sums[2 * (uint64_t)(v)]
#define SET_SUM(v, s)     store_sum(sums + 2 * (uint64_t)(v), s)
#define OFFERED(o)        hop__exact_load((o)->sum)
#define SET_OFFERED(o, s) store_sum((o)->sum, s)
#define LOWEST_SUM(job)   (job)->lowest128
#endif

/* Looks at the arcs begin .. end-1 of u; those that would lower their targets become offers. */
static inline void ROUNDS(offer_arcs)(hop__rounds_job *job, unsigned thread, hop_vertex u,
                                      uint64_t begin, uint64_t end) {
    const hop_vertex *targets = job->graph->targets;
    ARRAYS(job);
    SUM from = SUM_OF(u);
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex v = targets[i];
        if (SKIP(i))
            continue;
        SUM sum = from + TERM(i);
        if (sum >= SUM_OF(v))
            continue;
        OFFER *offer = (OFFER *)job->offers + hop__rounds_next_offer(job, thread, v >> job->shift);
        offer->v = v;
        offer->u = u;
        SET_OFFERED(offer, sum);
    }
}

static void ROUNDS(expand)(hop__rounds_job *job, unsigned thread, const hop__rounds_slice *part) {
    const hop_graph *graph = job->graph;
    uint64_t looked = 0;
    ARRAYS(job);
    for (uint64_t at = part->begin; at < part->end; at++) {
        hop_vertex u = job->queue[at];
        uint64_t begin = hop__offset(graph, u), end = hop__offset(graph, (uint64_t)u + 1);
        if (at + HOP__ROUNDS_AHEAD < part->end) {
            hop_vertex then = job->queue[at + HOP__ROUNDS_AHEAD];
            __builtin_prefetch(graph->targets + hop__offset(graph, then));
            __builtin_prefetch(&job->tree[then]);
        }
        if (at + 1 < part->end) {
            uint64_t next = hop__offset(graph, job->queue[at + 1]), most = next + HOP__ROUNDS_AHEAD;
            for (uint64_t i = next; i < most && i < graph->arcs; i++)
                __builtin_prefetch(&SUM_AT(graph->targets[i]));
        }
        begin = begin < part->from ? part->from : begin;
        end = end > part->to ? part->to : end;
        if (hop__rounds_is_stale(job, u))
            continue;
        looked += end - begin;
        ROUNDS(offer_arcs)(job, thread, u, begin, end);
    }
    job->lanes[thread].relaxations += looked;
}

/* All offers to vertices of a range. The least sum wins, and of equal ones the smallest u: the
 * order of the offers is no matter. */
static void ROUNDS(apply)(hop__rounds_job *job, uint32_t range) {
    ARRAYS(job);
    for (unsigned thread = 0; thread < job->threads; thread++) {
        hop__rounds_bin *from = hop__rounds_bin_of(job, thread, range);
        uint32_t used = from->used;
        for (uint32_t block = from->head; block != HOP__ROUNDS_NO_BLOCK;
             block = job->block_next[block]) {
            const OFFER *offer = (const OFFER *)job->offers + (uint64_t)block * HOP__ROUNDS_BLOCK;
            for (uint32_t i = 0; i < used; i++, offer++) {
                SUM sum = OFFERED(offer), known = SUM_OF(offer->v);
                if (sum > known)
                    continue;
                if (sum == known) {
                    if (offer->u < job->tree[offer->v])
                        job->tree[offer->v] = offer->u;
                    continue;
                }
                if (sum < LOWEST_SUM(job))
                    atomic_store_explicit(&job->suspicious, true, memory_order_relaxed);
                SET_SUM(offer->v, sum);
                job->tree[offer->v] = offer->u;
                hop__rounds_enlist(job, range, offer->v);
            }
            used = HOP__ROUNDS_BLOCK;
        }
        *from = (hop__rounds_bin){HOP__ROUNDS_NO_BLOCK, HOP__ROUNDS_BLOCK};
    }
}

/* A whole round by one member, each change seen at once. */
static void ROUNDS(alone)(hop__rounds_job *job) {
    const hop_graph *graph = job->graph;
    ARRAYS(job);
    for (uint32_t a = 0; a < job->active_count; a++) {
        uint64_t base = (uint64_t)job->active[a] << job->shift;
        for (uint64_t at = base; at < base + job->count[job->active[a]]; at++) {
            hop_vertex u = job->queue[at];
            uint64_t end = hop__offset(graph, (uint64_t)u + 1);
            SUM from = SUM_OF(u);
            hop__rounds_clear_bit(job->now, u);
            for (uint64_t i = hop__offset(graph, u); i < end; i++) {
                hop_vertex v = graph->targets[i];
                if (SKIP(i))
                    continue;
                SUM sum = from + TERM(i);
                if (sum >= SUM_OF(v))
                    continue;
                if (sum < LOWEST_SUM(job))
                    atomic_store_explicit(&job->suspicious, true, memory_order_relaxed);
                SET_SUM(v, sum);
                job->tree[v] = u;
                hop__rounds_enlist_alone(job, v);
            }
        }
    }
}

/* Whether the arcs that the tree leads round by, from `place` back to it, have a negative sum: the
 * lightest of parallel ones each. */
static bool ROUNDS(is_negative)(const hop__rounds_job *job, hop_vertex place) {
    const hop_graph *graph = job->graph;
    hop_vertex v = place;
    SUM total = 0;
    ARRAYS(job);
    do {
        hop_vertex u = job->tree[v];
        bool found = false;
        SUM least = 0;
        uint64_t end = hop__offset(graph, (uint64_t)u + 1);
        for (uint64_t i = hop__first_arc(graph, u, v); i < end && graph->targets[i] == v; i++) {
            if (SKIP(i))
                continue;
            SUM term = TERM(i);
            least = !found || term < least ? term : least;
            found = true;
        }
        if (!found)
            return false;
        total += least;
        v = u;
    } while (v != place);
    return total < 0;
}

static const hop__rounds_steps ROUNDS(steps) = {ROUNDS(expand), ROUNDS(apply), ROUNDS(alone),
                                                ROUNDS(is_negative)};

#undef ROUNDS
#undef WORDS
#undef WEIGHT
#undef SUM
#undef OFFER
#undef ARRAYS
#undef SUM_OF
#undef SUM_AT
#undef SET_SUM
#undef OFFERED
#undef SET_OFFERED
#undef LOWEST_SUM
#undef SKIP
#undef TERM
