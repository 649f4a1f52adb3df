/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of sssp_bellman_rounds.c for one domain (graph/numbers.h). Before including: DOMAIN;
 * SUMS, their form, of which bellman_rounds_steps.c has
 *   <form>_number, <form>_word        types: a sum; what arrays of sums are made of
 *   <form>_offer
 *   <form>_sums(job)                  the array
 *   <form>_get(sums, v), <form>_set(sums, v, sum), <form>_prefetch(sums, v)
 *   <form>_offered(offer), <form>_set_offered(offer, sum)
 *   <form>_lowest(job)                what no path without a cycle is below
 *   <form>_<domain>_term(scale, weights, arc)   a weight as a sum */
#include "graph/domain_begin.h"

#define ROUNDS(name) HOP__JOIN(SUMS, HOP__JOIN(DOMAIN, name))
#define FORM(name)   HOP__JOIN(SUMS, name)

/* Looks at the arcs begin .. end-1 of u; those that would lower their targets become offers. */
static inline void ROUNDS(offer_arcs)(hop__rounds_job *job, unsigned thread, hop_vertex u,
                                      uint64_t begin, uint64_t end) {
    const hop_vertex *targets = job->graph->targets;
    const WEIGHT *weights = job->graph->weights;
    const hop__exact scale = job->query->exact;
    FORM(word) *sums = FORM(sums)(job);
    FORM(number) from = FORM(get)(sums, u);
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex v = targets[i];
        if (NUMBER(is_barrier)(weights, i))
            continue;
        FORM(number) sum = from + ROUNDS(term)(&scale, weights, i);
        if (sum >= FORM(get)(sums, v))
            continue;
        FORM(offer) *offer =
            (FORM(offer) *)job->offers + hop__rounds_next_offer(job, thread, v >> job->shift);
        offer->v = v;
        offer->u = u;
        FORM(set_offered)(offer, sum);
    }
}

static void ROUNDS(expand)(hop__rounds_job *job, unsigned thread, const hop__rounds_slice *part) {
    const hop_graph *graph = job->graph;
    uint64_t looked = 0;
    FORM(word) *sums = FORM(sums)(job);
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
                FORM(prefetch)(sums, graph->targets[i]);
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
    FORM(word) *sums = FORM(sums)(job);
    for (unsigned thread = 0; thread < job->threads; thread++) {
        hop__rounds_bin *from = hop__rounds_bin_of(job, thread, range);
        uint32_t used = from->used;
        for (uint32_t block = from->head; block != HOP__ROUNDS_NO_BLOCK;
             block = job->block_next[block]) {
            const FORM(offer) *offer =
                (const FORM(offer) *)job->offers + (uint64_t)block * HOP__ROUNDS_BLOCK;
            for (uint32_t i = 0; i < used; i++, offer++) {
                FORM(number) sum = FORM(offered)(offer), known = FORM(get)(sums, offer->v);
                if (sum > known)
                    continue;
                if (sum == known) {
                    if (offer->u < job->tree[offer->v])
                        job->tree[offer->v] = offer->u;
                    continue;
                }
                if (sum < FORM(lowest)(job))
                    atomic_store_explicit(&job->suspicious, true, memory_order_relaxed);
                FORM(set)(sums, offer->v, sum);
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
    const WEIGHT *weights = job->graph->weights;
    const hop__exact scale = job->query->exact;
    FORM(word) *sums = FORM(sums)(job);
    for (uint32_t a = 0; a < job->active_count; a++) {
        uint64_t base = (uint64_t)job->active[a] << job->shift;
        for (uint64_t at = base; at < base + job->count[job->active[a]]; at++) {
            hop_vertex u = job->queue[at];
            uint64_t end = hop__offset(graph, (uint64_t)u + 1);
            FORM(number) from = FORM(get)(sums, u);
            hop__rounds_clear_bit(job->now, u);
            for (uint64_t i = hop__offset(graph, u); i < end; i++) {
                hop_vertex v = graph->targets[i];
                if (NUMBER(is_barrier)(weights, i))
                    continue;
                FORM(number) sum = from + ROUNDS(term)(&scale, weights, i);
                if (sum >= FORM(get)(sums, v))
                    continue;
                if (sum < FORM(lowest)(job))
                    atomic_store_explicit(&job->suspicious, true, memory_order_relaxed);
                FORM(set)(sums, v, sum);
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
    FORM(number) total = 0;
    const WEIGHT *weights = job->graph->weights;
    const hop__exact scale = job->query->exact;
    do {
        hop_vertex u = job->tree[v];
        bool found = false;
        FORM(number) least = 0;
        uint64_t end = hop__offset(graph, (uint64_t)u + 1);
        for (uint64_t i = hop__first_arc(graph, u, v); i < end && graph->targets[i] == v; i++) {
            if (NUMBER(is_barrier)(weights, i))
                continue;
            FORM(number) term = ROUNDS(term)(&scale, weights, i);
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
#undef FORM
#undef SUMS
#include "graph/domain_end.h"
