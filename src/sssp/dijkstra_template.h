/* SPDX-License-Identifier: Apache-2.0
 *
 * Dijkstra's search for one domain (graph/numbers.h) and one form of entries; see sssp_dijkstra.c.
 * Before including: DOMAIN; QUEUED, the form, with a type <form>_entry and functions
 * <form>_make(run, distance, vertex), <form>_distance(run, entry), <form>_vertex(run, entry) and
 * <form>_key(distance), an unsigned number of the same order. */
#include "graph/domain_begin.h"

#define DIJKSTRA(name) HOP__JOIN(QUEUED, HOP__JOIN(DOMAIN, name))
#define ENTRIES(name)  HOP__JOIN(QUEUED, name)
#define LIMIT(run)     HOP__FIELD(run, limit, DOMAIN)

static inline ENTRIES(entry) * DIJKSTRA(chunk)(const dijkstra_run *run, uint32_t chunk) {
    return (ENTRIES(entry) *)run->space->entries + (uint64_t)chunk * CHUNK;
}

static void DIJKSTRA(purge)(dijkstra_run *run);

/* Puts an entry into its bucket. `last` is run->last, which the compiler cannot keep at hand. */
static inline void DIJKSTRA(put)(dijkstra_run *run, uint64_t last, ENTRIES(entry) entry,
                                 bool may_purge) {
    unsigned number = bucket_of(last, ENTRIES(key)(ENTRIES(distance)(run, entry)));
    bucket *to = &run->buckets[number];
    if (to->fill == CHUNK) {
        if (may_purge && run->free_count <= run->bucket_count + 1)
            DIJKSTRA(purge)(run);
        if (to->fill == CHUNK)
            bucket_grow(run, number);
    }
    DIJKSTRA(chunk)(run, to->chunk)[to->fill++] = entry;
}

/* Puts the entries of a bucket where they belong now, but for those that a better one of the same
 * vertex has made useless. */
static void DIJKSTRA(spread)(dijkstra_run *run, unsigned number) {
    const DISTANCE *distances = run->distances;
    const uint64_t last = run->last;
    bucket from = bucket_take(run, number);
    while (from.chunk != NO_CHUNK) {
        const ENTRIES(entry) *entries = DIJKSTRA(chunk)(run, from.chunk);
        run->space->moves += from.fill;
        for (uint32_t i = 0; i < from.fill; i++)
            if (ENTRIES(distance)(run, entries[i]) == distances[ENTRIES(vertex)(run, entries[i])])
                DIJKSTRA(put)(run, last, entries[i], false);
        from = chunk_free(run, from.chunk);
    }
}

static void DIJKSTRA(purge)(dijkstra_run *run) {
    for (unsigned number = 0; number < run->bucket_count; number++)
        DIJKSTRA(spread)(run, number);
}

/* The least distance in a bucket. */
static DISTANCE DIJKSTRA(least)(const dijkstra_run *run, unsigned number) {
    bucket from = run->buckets[number];
    DISTANCE least = NUMBER(none)();
    while (from.chunk != NO_CHUNK) {
        const ENTRIES(entry) *entries = DIJKSTRA(chunk)(run, from.chunk);
        for (uint32_t i = 0; i < from.fill; i++) {
            DISTANCE distance = ENTRIES(distance)(run, entries[i]);
            least = distance < least ? distance : least;
        }
        from = (bucket){run->space->links[from.chunk], CHUNK};
    }
    return least;
}

/* Makes bucket 0 hold the nearest entries; false when there are none within the limit. */
static bool DIJKSTRA(advance)(dijkstra_run *run) {
    unsigned number;
    while (run->buckets[0].chunk == NO_CHUNK) {
        if (!first_bucket(run, &number))
            return false;
        DISTANCE least = DIJKSTRA(least)(run, number);
        if (least > (DISTANCE)LIMIT(run))
            return false;
        run->last = ENTRIES(key)(least);
        DIJKSTRA(spread)(run, number);
    }
    return true;
}

/* Relaxes arcs begin .. end-1 of u. */
static inline void DIJKSTRA(relax)(dijkstra_run *run, hop_vertex u, uint64_t begin, uint64_t end,
                                   bool with_parents, bool with_trace) {
    const hop_vertex *targets = run->space->graph->targets;
    DISTANCE *distances = run->distances;
    hop_vertex *parents = run->parents;
    const DISTANCE own = distances[u];
    const DISTANCE limit = (DISTANCE)LIMIT(run);
    const uint64_t last = run->last;
    const WEIGHT *weights = run->space->graph->weights;
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex v = targets[i];
        SUM sum = NUMBER(add)((SUM)own, weights, i);
        if (sum < (SUM)distances[v]) {
            if (sum > (SUM)limit)
                continue;
            if (with_trace && distances[v] == NUMBER(none)())
                run->trace->reached[run->trace->count++] = v;
            distances[v] = (DISTANCE)sum;
            DIJKSTRA(put)(run, last, ENTRIES(make)(run, (DISTANCE)sum, v), true);
            if (!with_parents)
                continue;
            if ((DISTANCE)sum != own) {
                parents[v] = u;
            } else { /* as far as u, so final: its parent is found later, by layers */
                parents[v] = HOP_NO_VERTEX;
                run->level_count++;
                hop__bitmap_set(run->level, u);
            }
        } else if (with_parents && sum == (SUM)distances[v] && sum <= (SUM)limit) {
            if ((DISTANCE)sum != own)
                parents[v] = u < parents[v] ? u : parents[v];
            else if (parents[v] == HOP_NO_VERTEX)
                hop__bitmap_set(run->level, u);
        }
    }
}

/* The row of u, in pieces that are short enough to be cancelled between them. */
static bool DIJKSTRA(expand)(dijkstra_run *run, hop_vertex u) {
    const hop_graph *graph = run->space->graph;
    uint64_t begin = hop__offset(graph, u), end = hop__offset(graph, (uint64_t)u + 1);
    while (begin < end) {
        uint64_t stop = end - begin > REPORT_ARCS ? begin + REPORT_ARCS : end;
        if (run->parents)
            DIJKSTRA(relax)(run, u, begin, stop, true, false);
        else if (run->trace)
            DIJKSTRA(relax)(run, u, begin, stop, false, true);
        else
            DIJKSTRA(relax)(run, u, begin, stop, false, false);
        run->unreported += stop - begin;
        begin = stop;
        if (run->unreported >= REPORT_ARCS && !report(run))
            return false;
    }
    return true;
}

/* Queues what another search has left open. */
static bool DIJKSTRA(take_over)(dijkstra_run *run) {
    const DISTANCE *distances = run->distances;
    for (uint64_t v = 0; v < run->space->graph->vertices; v++) {
        if (hop__bitmap_get(run->known->open, v) && distances[v] != NUMBER(none)())
            DIJKSTRA(put)(run, run->last, ENTRIES(make)(run, distances[v], (hop_vertex)v), true);
        if (v % FILL_VERTICES == 0 && !hop__progress_add(run->context, 0))
            return false;
    }
    return true;
}

static bool DIJKSTRA(begin)(dijkstra_run *run) {
    DISTANCE *distances = run->distances;
    uint64_t n = run->space->graph->vertices;
    for (uint64_t begin = 0; begin < n; begin += FILL_VERTICES) {
        uint64_t end = n - begin < FILL_VERTICES ? n : begin + FILL_VERTICES;
        for (uint64_t v = begin; v < end; v++)
            distances[v] = NUMBER(none)();
        for (uint64_t v = begin; run->parents && v < end; v++)
            run->parents[v] = HOP_NO_VERTEX;
        if (!hop__progress_add(run->context, 0))
            return false;
    }
    for (hop_vertex i = 0; i < run->source_count; i++) {
        hop_vertex s = run->sources[i];
        if (distances[s] != NUMBER(none)() || LIMIT(run) < 0)
            continue;
        distances[s] = 0;
        if (run->parents)
            run->parents[s] = s;
        DIJKSTRA(put)(run, run->last, ENTRIES(make)(run, 0, s), true);
    }
    return true;
}

/* What was seen beyond the last target is in the queue still: it is not reached. */
static void DIJKSTRA(forget)(dijkstra_run *run) {
    DISTANCE *distances = run->distances;
    for (unsigned number = 0; number < run->bucket_count; number++) {
        bucket from = run->buckets[number];
        while (from.chunk != NO_CHUNK) {
            const ENTRIES(entry) *entries = DIJKSTRA(chunk)(run, from.chunk);
            for (uint32_t i = 0; i < from.fill; i++) {
                hop_vertex v = ENTRIES(vertex)(run, entries[i]);
                if (distances[v] <= (DISTANCE)LIMIT(run))
                    continue;
                distances[v] = NUMBER(none)();
                if (run->parents)
                    run->parents[v] = HOP_NO_VERTEX;
            }
            from = (bucket){run->space->links[from.chunk], CHUNK};
        }
    }
}

/* The next vertex to be settled, and its distance; false when there is none within the limit. */
static inline bool DIJKSTRA(settle)(dijkstra_run *run, hop_vertex *settled, DISTANCE *at) {
    const DISTANCE *distances = run->distances;
    while (DIJKSTRA(advance)(run)) {
        bucket *first = &run->buckets[0];
        ENTRIES(entry) entry = DIJKSTRA(chunk)(run, first->chunk)[--first->fill];
        *settled = ENTRIES(vertex)(run, entry);
        *at = ENTRIES(distance)(run, entry);
        if (first->fill == 0)
            bucket_shrink(run, 0);
        if (*at != distances[*settled])
            continue; /* was reached by a better way since, and is done */
        run->space->settled++;
        return true;
    }
    return false;
}

static bool DIJKSTRA(search)(dijkstra_run *run) {
    hop_vertex u;
    DISTANCE distance;
    if (!(run->known ? DIJKSTRA(take_over)(run) : DIJKSTRA(begin)(run)))
        return false;
    while (DIJKSTRA(settle)(run, &u, &distance)) {
        if (run->targets && hop__bitmap_get(run->targets, u) && --run->targets_left == 0)
            LIMIT(run) = distance; /* what is as far is settled too */
        if (run->settle_left > 0 && --run->settle_left == 0)
            LIMIT(run) = distance;
        if (!DIJKSTRA(expand)(run, u))
            return false;
    }
    DIJKSTRA(forget)(run);
    return report(run);
}

/* ---- from one vertex to some others, with a trace ------------------------------------------ */

static bool DIJKSTRA(clear)(const dijkstra_run *run) {
    DISTANCE *distances = run->distances;
    uint64_t n = run->space->graph->vertices;
    for (uint64_t v = 0; v < n; v++) {
        distances[v] = NUMBER(none)();
        if (v % FILL_VERTICES == 0 && !hop__progress_add(run->context, 0))
            return false;
    }
    return true;
}

static void DIJKSTRA(untrace)(const dijkstra_run *run) {
    DISTANCE *distances = run->distances;
    for (uint64_t i = 0; i < run->trace->count; i++)
        distances[run->trace->reached[i]] = NUMBER(none)();
    run->trace->count = 0;
}

static void DIJKSTRA(start)(dijkstra_run *run) {
    hop_vertex s = run->sources[0];
    ((DISTANCE *)run->distances)[s] = 0;
    run->trace->reached[run->trace->count++] = s;
    DIJKSTRA(put)(run, run->last, ENTRIES(make)(run, 0, s), true);
}

/* Until the last target is settled, or all that can be reached. */
static bool DIJKSTRA(reach)(dijkstra_run *run) {
    hop_vertex u;
    DISTANCE distance;
    DIJKSTRA(start)(run);
    while (DIJKSTRA(settle)(run, &u, &distance)) {
        if (hop__bitmap_get(run->targets, u) && --run->targets_left == 0)
            break;
        if (!DIJKSTRA(expand)(run, u))
            return false;
    }
    return report(run);
}

/* From both ends until they meet; see hop__dijkstra_between. Invariant: when x -> y is an arc of a
 * shortest path, x settled from the source and y from the target, the one that came second has
 * seen the distance of both, so that `best` is at most the length of the path. */
static bool DIJKSTRA(between)(dijkstra_run runs[2], void *found) {
    DISTANCE best = NUMBER(none)(), last[2] = {0, 0}, distance;
    uint64_t spent[2] = {0, 0};
    hop_vertex u;
    DIJKSTRA(start)(&runs[0]);
    DIJKSTRA(start)(&runs[1]);
    for (;;) {
        unsigned side = spent[1] < spent[0];
        dijkstra_run *run = &runs[side];
        if (!DIJKSTRA(settle)(run, &u, &distance))
            break;
        last[side] = distance;
        DISTANCE other = ((const DISTANCE *)runs[1 - side].distances)[u];
        if (other != NUMBER(none)() && (SUM)distance + (SUM)other < (SUM)best)
            best = (DISTANCE)((SUM)distance + (SUM)other);
        /* What neither end has settled is as far from it as what it settled last. */
        if (best != NUMBER(none)() && (SUM)last[0] + (SUM)last[1] >= (SUM)best)
            break;
        spent[side] +=
            1 + hop__offset(run->space->graph, (uint64_t)u + 1) - hop__offset(run->space->graph, u);
        if (!DIJKSTRA(expand)(run, u))
            return false;
    }
    *(DISTANCE *)found = best;
    return report(&runs[0]) && report(&runs[1]);
}

#undef DIJKSTRA
#undef ENTRIES
#undef LIMIT
#undef QUEUED
#include "graph/domain_end.h"
