/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks levels and parents against the graph, without searching.
 *
 * Let limit be the least of max_level and of the largest level that a target has in the result
 * (HOP_NO_LEVEL, when one has none). The rules:
 *  1. a vertex has level 0 if and only if it is a source; it is then its own parent;
 *  2. every level is at most limit and below n, or HOP_NO_LEVEL; the parent of what has no level
 *     is HOP_NO_VERTEX, and no other;
 *  3. an arc u -> v with level[u] < limit has level[v] <= level[u] + 1;
 *  4. every other reached vertex v is *justified*: there is an arc u -> v with
 *     level[u] = level[v] - 1, and parent[v] is such a u (the smallest, if canonical).
 *
 * Why they suffice. Let d be the true distance. By 4, a vertex of level k has a way of k arcs from
 * a vertex of level 0, a source by 1: so d <= level. By 1 and 3, along a shortest way to a vertex
 * with d = k <= limit, its level is at most k. So level = d wherever either is at most limit, and
 * by 2 nothing else has a level: the result is the search cut at limit. If all targets have
 * levels, these are their distances, and limit is the deepest of them (not above max_level, by
 * 2), as it should be. If one has none, its distance is above limit = max_level: it cannot be
 * reached, and nothing but max_level has cut the result.
 *
 * One pass over the vertices (1, 2), one over the arcs (3, 4), one over a bitmap: a bit per
 * vertex, set for sources and for what an arc justifies. Arcs are cut into pieces of equal size,
 * so that a long row is shared out too.
 *  - Directed: only arcs out of u are at hand, so u justifies its targets.
 *  - Undirected: the arcs of u are also those into u, so u looks for its own parent, whose level is
 *    the only random access. Rule 3 concerns an edge once, at its larger end: so of each sorted
 *    row only the part up to max(u, parent[u]) is read.
 *
 *  - On disk: every arc is looked at as a directed one, in blocks, in one reading.
 *
 * Cost: O(n + m), n / 8 bytes. */
#include <stdio.h>

#include "bfs/bfs_internal.h"
#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "graph/graph_internal.h"
#include "store/arc_visit.h"

enum {
    GRAIN = 1 << 16, /* vertices or arcs of a piece */
    BLOCK = 512,     /* arcs that are looked at together */
    AHEAD = 32       /* arcs between the prefetch of a level and its use */
};

typedef struct certificate {
    hop_context *context;
    const hop__bfs_query *query;
    const hop_graph *graph;
    const hop_vertex *levels, *parents; /* parents may be NULL */
    bool canonical;
    hop_vertex limit;
    uint64_t *justified;
    uint64_t deepest; /* largest level of a target */
    uint64_t wrong;   /* smallest vertex or arc that breaks a rule, or UINT64_MAX; on disk an arc
                         is from << 32 | to */
} certificate;

static void note_wrong(certificate *state, uint64_t index) {
    hop__lower_u64(&state->wrong, index);
}

/* The phases, in order. Pieces are handed out lowest first and end at their first fault, so the
 * smallest fault of a phase is found whatever the number of threads. */

static void mark_sources(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    certificate *state = arg;
    if (!hop__progress_add(state->context, 0))
        return;
    for (uint64_t i = begin; i < end; i++)
        hop__bitmap_claim(state->justified, state->query->sources[i]);
}

static void find_limit(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    certificate *state = arg;
    hop_vertex deepest = 0;
    if (!hop__progress_add(state->context, 0))
        return;
    for (uint64_t i = begin; i < end; i++) {
        hop_vertex level = state->levels[state->query->targets[i]];
        deepest = level > deepest ? level : deepest;
    }
    hop__raise_u64(&state->deepest, deepest);
}

typedef enum fault {
    SOUND,
    SOURCE_LEVEL,  /* a source whose level is not 0 */
    SOURCE_PARENT, /* a source whose parent is another */
    ZERO_LEVEL,    /* level 0 and not a source */
    LEVEL_BEYOND,  /* above the limit, or not below n */
    PARENT_RANGE,  /* reached, and the parent is no vertex */
    PARENT_EXTRA   /* not reached, and there is a parent */
} fault;

/* Rules 1 and 2. While this runs the bitmap holds the sources only. */
static inline fault vertex_fault(const certificate *state, uint64_t v) {
    hop_vertex level = state->levels[v], n = state->graph->vertices;
    hop_vertex parent = state->parents ? state->parents[v] : HOP_NO_VERTEX;
    if (hop__bitmap_get(state->justified, v)) {
        if (level != 0)
            return SOURCE_LEVEL;
        return state->parents && parent != v ? SOURCE_PARENT : SOUND;
    }
    if (level == HOP_NO_LEVEL)
        return parent != HOP_NO_VERTEX ? PARENT_EXTRA : SOUND;
    if (level == 0)
        return ZERO_LEVEL;
    if (level > state->limit || level >= n)
        return LEVEL_BEYOND;
    return state->parents && parent >= n ? PARENT_RANGE : SOUND;
}

static void check_vertices(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    certificate *state = arg;
    if (!hop__progress_add(state->context, end - begin))
        return;
    for (uint64_t v = begin; v < end; v++)
        if (vertex_fault(state, v) != SOUND) {
            note_wrong(state, v);
            return;
        }
}

/* Rules 3 and 4 for the arc u -> v, where level[u] is next - 1 and below the limit. */
static inline bool arc_out_sound(const certificate *state, hop_vertex u, hop_vertex v,
                                 hop_vertex next) {
    if (state->levels[v] != next || !state->parents || !state->canonical)
        return state->levels[v] <= next;
    return state->parents[v] <= u;
}

/* The same for a block of at most BLOCK arcs of u, which justify what they can. Which of them lead
 * to the next level is not predictable: they are picked out without a branch. */
static bool block_out_sound(const certificate *state, hop_vertex u, uint64_t begin, uint64_t end) {
    const hop_vertex *levels = state->levels, *parents = state->parents;
    const hop_vertex *targets = state->graph->targets;
    hop_vertex next = levels[u] + 1, largest = state->canonical ? u : HOP_NO_VERTEX;
    hop_vertex picked[BLOCK];
    uint64_t ahead = state->graph->arcs - (state->graph->arcs < AHEAD ? state->graph->arcs : AHEAD);
    unsigned count = 0;
    bool wrong = false;
    for (uint64_t i = begin; i < end; i++) {
        if (i < ahead)
            __builtin_prefetch(&levels[targets[i + AHEAD]]);
        hop_vertex level = levels[targets[i]];
        picked[count] = targets[i];
        count += level == next;
        wrong |= level > next;
    }
    for (unsigned k = 0; k < count; k++) {
        hop_vertex v = picked[k];
        if (!parents || parents[v] == u)
            hop__bitmap_claim(state->justified, v);
        else
            wrong |= parents[v] > largest;
    }
    return !wrong;
}

/* Rules 3 and 4 for arcs begin .. end-1, all of u, by their targets. The first faulty one, or
 * `end`. */
static uint64_t check_arcs_out(const certificate *state, hop_vertex u, uint64_t begin,
                               uint64_t end) {
    if (state->levels[u] >= state->limit) /* not reached included: such arcs show nothing */
        return end;
    while (begin < end) {
        uint64_t stop = end - begin < BLOCK ? end : begin + BLOCK;
        if (!block_out_sound(state, u, begin, stop))
            break;
        begin = stop;
    }
    while (begin < end &&
           arc_out_sound(state, u, state->graph->targets[begin], state->levels[u] + 1))
        begin++;
    return begin;
}

/* The levels that may stand beside level `own` of an undirected edge: low .. low + span, and
 * `other`. */
typedef struct beside {
    hop_vertex low, span, other;
} beside;

static inline beside beside_level(hop_vertex own, hop_vertex limit) {
    beside may;
    if (own == HOP_NO_LEVEL) {
        may.low = own;
        may.span = 0;
        may.other = limit;
    } else {
        may.low = own == 0 ? 0 : own - 1;
        may.span = own + 1 - may.low;
        may.other = own == limit ? HOP_NO_LEVEL : own;
    }
    return may;
}

static inline bool is_beside(beside may, hop_vertex level) {
    return level - may.low <= may.span || level == may.other;
}

/* The same for an undirected graph, where the arcs of u are also those into u. */
static uint64_t check_arcs_in(const certificate *state, hop_vertex u, uint64_t begin,
                              uint64_t end) {
    const hop_vertex *levels = state->levels, *targets = state->graph->targets;
    hop_vertex own = levels[u], parent = state->parents[u];
    beside may = beside_level(own, state->limit);
    bool has_parent = own != 0 && own != HOP_NO_LEVEL;
    hop_vertex wanted = has_parent ? own - 1 : HOP_NO_LEVEL - 1; /* which no vertex has */
    hop_vertex last = has_parent && parent > u ? parent : u;
    hop_vertex least = state->canonical ? parent : 0;
    for (uint64_t i = begin; i < end && targets[i] <= last; i++) {
        hop_vertex v = targets[i], level = levels[v];
        if (i + AHEAD < end && targets[i + AHEAD] <= last)
            __builtin_prefetch(&levels[targets[i + AHEAD]]);
        if (!is_beside(may, level) || (level == wanted && v < least))
            return i;
        if (v == parent && level == wanted)
            hop__bitmap_claim(state->justified, u);
    }
    return end;
}

/* The same without parents: one vertex of the level before is enough. */
static uint64_t check_levels_in(const certificate *state, hop_vertex u, uint64_t begin,
                                uint64_t end) {
    const hop_vertex *levels = state->levels, *targets = state->graph->targets;
    hop_vertex own = levels[u];
    beside may = beside_level(own, state->limit);
    bool found = own == 0 || own == HOP_NO_LEVEL;
    hop_vertex wanted = found ? HOP_NO_LEVEL - 1 : own - 1;
    for (uint64_t i = begin; i < end && (!found || targets[i] <= u); i++) {
        hop_vertex level = levels[targets[i]];
        if (!is_beside(may, level))
            return i;
        if (level == wanted && !found) {
            found = true;
            hop__bitmap_claim(state->justified, u);
        }
    }
    return end;
}

static void check_arcs(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    certificate *state = arg;
    const hop_graph *graph = state->graph;
    if (!hop__progress_add(state->context, end - begin))
        return;
    for (uint64_t u = hop__row_of_arc(graph, begin); begin < end; u++) {
        uint64_t row_end = hop__offset(graph, u + 1), wrong;
        row_end = row_end < end ? row_end : end;
        if (graph->directed)
            wrong = check_arcs_out(state, (hop_vertex)u, begin, row_end);
        else if (state->parents)
            wrong = check_arcs_in(state, (hop_vertex)u, begin, row_end);
        else
            wrong = check_levels_in(state, (hop_vertex)u, begin, row_end);
        if (wrong != row_end) {
            note_wrong(state, wrong);
            return;
        }
        begin = row_end;
    }
}

/* Rules 3 and 4 for the arcs of a block of a graph on disk. */
static void check_block(void *arg, const hop__arc_block *block, unsigned thread) {
    certificate *state = arg;
    (void)thread;
    for (hop__walk row = hop__walk_first(state->graph, block); row.begin < block->end;
         hop__walk_next(state->graph, block, &row)) {
        hop_vertex u = (hop_vertex)row.vertex, next = state->levels[u] + 1;
        if (state->levels[u] >= state->limit)
            continue;
        for (uint64_t i = row.begin; i < row.end; i++) {
            hop_vertex v = block->targets[i - block->begin];
            if (!arc_out_sound(state, u, v, next))
                note_wrong(state, row.vertex << 32 | v);
            else if (state->levels[v] == next && (!state->parents || state->parents[v] == u))
                hop__bitmap_claim(state->justified, v);
        }
    }
    (void)hop__progress_add(state->context, block->end - block->begin);
}

static void check_justified(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    certificate *state = arg;
    if (!hop__progress_add(state->context, end - begin))
        return;
    for (uint64_t v = begin; v < end; v++)
        if (state->levels[v] != HOP_NO_LEVEL && !hop__bitmap_get(state->justified, v)) {
            note_wrong(state, v);
            return;
        }
}

/* Runs a phase, then its explanation if something was wrong. */
typedef hop_status (*explain_fn)(const certificate *state, uint64_t wrong);
static hop_status phase(certificate *state, uint64_t count, hop__range_fn check,
                        explain_fn explain) {
    state->wrong = UINT64_MAX;
    hop__for(state->context, count, GRAIN, check, state);
    uint64_t wrong = hop__load_u64(&state->wrong);
    return wrong == UINT64_MAX ? HOP_OK : explain(state, wrong);
}

static hop_status explain_vertex(const certificate *state, uint64_t wrong) {
    hop_context *context = state->context;
    hop_vertex v = (hop_vertex)wrong, level = state->levels[v];
    hop_vertex parent = state->parents ? state->parents[v] : HOP_NO_VERTEX;
    hop__vertex_text name = hop__name(state->graph, v);
    hop__vertex_text parent_name = hop__name(state->graph, parent);
    switch (vertex_fault(state, v)) {
    case SOURCE_LEVEL:
        hop__fail(context, HOP_ERR_CERTIFICATE,
                  "bfs: certificate: vertex %s is a source, but its level is %u", name.s, level);
        break;
    case SOURCE_PARENT:
        hop__fail(context, HOP_ERR_CERTIFICATE,
                  "bfs: certificate: vertex %s is a source, but its parent is %s", name.s,
                  parent_name.s);
        break;
    case ZERO_LEVEL:
        hop__fail(context, HOP_ERR_CERTIFICATE,
                  "bfs: certificate: vertex %s has level 0, but is no source", name.s);
        break;
    case LEVEL_BEYOND:
        hop__fail(
            context, HOP_ERR_CERTIFICATE,
            "bfs: certificate: vertex %s has level %u, but the search ends at %u", name.s, level,
            state->limit < state->graph->vertices ? state->limit : state->graph->vertices - 1);
        break;
    case PARENT_RANGE:
        hop__fail(context, HOP_ERR_CERTIFICATE,
                  "bfs: certificate: vertex %s has level %u, but its parent is %s, which "
                  "is no vertex",
                  name.s, level, parent_name.s);
        break;
    default:
        hop__fail(context, HOP_ERR_CERTIFICATE,
                  "bfs: certificate: vertex %s is not reached, but its parent is %s", name.s,
                  parent_name.s);
        break;
    }
    return hop__note_vertex(context, HOP_KIND_CERTIFICATE, v);
}

/* The level as text: HOP_NO_LEVEL would puzzle. */
static const char *level_text(hop_vertex level, char text[32]) {
    if (level == HOP_NO_LEVEL)
        snprintf(text, 32, "is not reached");
    else
        snprintf(text, 32, "has level %u", level);
    return text;
}

static hop_status explain_between(const certificate *state, hop_vertex from, hop_vertex to) {
    char text[32], other[32];
    if (state->levels[from] < state->limit && state->levels[to] == state->levels[from] + 1) {
        hop__fail(state->context, HOP_ERR_CERTIFICATE,
                  "bfs: certificate: vertex %s has parent %s, but vertex %s, which has an arc to "
                  "it from one level nearer, is smaller",
                  hop__name(state->graph, to).s, hop__name(state->graph, state->parents[to]).s,
                  hop__name(state->graph, from).s);
    } else {
        hop__fail(state->context, HOP_ERR_CERTIFICATE,
                  "bfs: certificate: vertex %s %s, but vertex %s, to which it has an arc, %s",
                  hop__name(state->graph, from).s, level_text(state->levels[from], text),
                  hop__name(state->graph, to).s, level_text(state->levels[to], other));
    }
    return hop__note_vertex(state->context, HOP_KIND_CERTIFICATE, to);
}

static hop_status explain_arc(const certificate *state, uint64_t wrong) {
    hop_vertex u = (hop_vertex)hop__row_of_arc(state->graph, wrong),
               v = state->graph->targets[wrong];
    /* Undirected edges are looked at from the far end, which may be u. */
    bool turn = !state->graph->directed && state->levels[u] > state->levels[v];
    explain_between(state, turn ? v : u, turn ? u : v);
    return hop__note_arc(state->context, HOP_KIND_CERTIFICATE, turn ? u : v, wrong);
}

/* The phase of the arcs, of a graph on disk. */
static hop_status stream_arcs(certificate *state) {
    hop__arcs *arcs = NULL;
    hop_status status;
    state->wrong = UINT64_MAX;
    HOP_TRY(status, hop__arcs_open(state->context, state->graph, false, &arcs));
    HOP_TRY(status, hop__arcs_visit(state->context, arcs, NULL, check_block, state));
    uint64_t wrong = hop__load_u64(&state->wrong);
    if (wrong != UINT64_MAX)
        status = explain_between(state, (hop_vertex)(wrong >> 32), (hop_vertex)wrong);
done:
    hop__arcs_close(arcs);
    return status;
}

static hop_status explain_unjustified(const certificate *state, uint64_t wrong) {
    hop_vertex v = (hop_vertex)wrong, level = state->levels[v];
    hop__vertex_text name = hop__name(state->graph, v);
    hop_vertex parent = state->parents ? state->parents[v] : HOP_NO_VERTEX;
    char text[32];
    if (!state->parents) {
        hop__fail(state->context, HOP_ERR_CERTIFICATE,
                  "bfs: certificate: vertex %s has level %u, but no vertex of level %u has "
                  "an arc to it",
                  name.s, level, level - 1);
    } else if (state->levels[parent] != level - 1) {
        hop__fail(state->context, HOP_ERR_CERTIFICATE,
                  "bfs: certificate: vertex %s has level %u, but its parent %s %s", name.s, level,
                  hop__name(state->graph, parent).s, level_text(state->levels[parent], text));
    } else {
        hop__fail(state->context, HOP_ERR_CERTIFICATE,
                  "bfs: certificate: vertex %s has parent %s, but there is no arc from it", name.s,
                  hop__name(state->graph, parent).s);
    }
    return hop__note_vertex(state->context, HOP_KIND_CERTIFICATE, v);
}

uint64_t hop__bfs_certify_memory(const hop__bfs_query *query) {
    return hop__block_bytes(hop__bitmap_words(query->graph->vertices), sizeof(uint64_t)) +
           (query->graph->store != NULL ? hop__arcs_bytes(query->graph) : 0);
}

hop_status hop__bfs_certify(hop_context *context, const hop__bfs_query *query, bool canonical,
                            const hop_vertex *levels, const hop_vertex *parents) {
    hop_status status, result = HOP_OK;
    const hop_graph *graph = query->graph;
    uint64_t n = graph->vertices;
    certificate state = {.context = context,
                         .query = query,
                         .graph = graph,
                         .levels = levels,
                         .parents = parents,
                         .canonical = canonical,
                         .limit = query->max_level};
    HOP_TRY(status, hop__alloc_zero(context, "bfs: certificate", hop__bitmap_words(n),
                                    sizeof *state.justified, &state.justified));
    hop__progress_begin(context, "bfs: certificate", 2 * n + graph->arcs);
    hop__for(context, query->source_count, GRAIN, mark_sources, &state);
    if (query->target_count > 0) {
        state.deepest = 0;
        hop__for(context, query->target_count, GRAIN, find_limit, &state);
        uint64_t deepest = hop__load_u64(&state.deepest);
        state.limit = deepest < state.limit ? (hop_vertex)deepest : state.limit;
    }
    hop_vertex nearest = hop__bfs_nearest_level(query, levels);
    state.limit = nearest < state.limit ? nearest : state.limit;
    result = phase(&state, n, check_vertices, explain_vertex);
    if (result == HOP_OK)
        result = graph->store != NULL ? stream_arcs(&state)
                                      : phase(&state, graph->arcs, check_arcs, explain_arc);
    if (result == HOP_OK)
        result = phase(&state, n, check_justified, explain_unjustified);
    status = hop__progress_end(context);
done:
    hop__free(state.justified);
    return status != HOP_OK ? status : result;
}
