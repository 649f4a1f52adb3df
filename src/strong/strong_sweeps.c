/* SPDX-License-Identifier: Apache-2.0
 *
 * sweeps: for graphs with a giant component, along the arcs as they are: no arcs are turned round.
 * After Fleischer, Hendrickson and Pinar, "On identifying strongly connected components in
 * parallel", 2000, and Slota, Rajamanickam and Madduri, "BFS and coloring-based parallel algorithms
 * for strongly connected components", 2014.
 *
 *  1. Trim: vertices that lie on no cycle (strong_trim.c).
 *  2. Forward: F, all that a pivot reaches, the vertex of the most arcs that is left. Passes over
 *     the words of a bitmap, up and down by turns, each vertex's arcs once; when a pass finds
 *     little, one thread does the rest from a stack.
 *  3. Back: K, those of F known to reach the pivot: v is one if an arc of it leads to one. In
 *     passes, as long as each finds a quarter of those that are left.
 *  4. The rest: K is part of one component. The search in depth from each vertex of F takes K as a
 *     vertex of rank 1 at the bottom of its stack: that adds arcs from the pivot to vertices that
 *     it reaches anyhow, and so no component. What is still on the stack in the end belongs to K.
 *     Then the search of what is not in F, for which F is done.
 *
 * In 2 and 3 a thread writes the bits of its own vertices only, but for F.
 *
 * Cost: O(n + m) work, in 1 and 3 times the passes over what is left; 8 bytes and 4 bits per
 * vertex. */
#include <string.h>

#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "strong/strong_search.h"

enum { GOES_ON = 4, REPORT_WORDS = 1 << 10, REPORT = 1 << 14 };

typedef struct sweeps_state {
    hop_context *context;
    const hop_graph *graph;
    uint64_t *done;    /* trimmed; and the bits behind n */
    uint64_t *forward; /* F */
    uint64_t *scanned; /* of F: those whose arcs were followed */
    uint64_t *core;    /* K */
    uint64_t words;
    bool down;
    atomic_uint_fast64_t count; /* of what a pass found */
    hop__strong_search search;
} sweeps_state;

static void sweeps_blocks(const void *given, hop__workspace *space) {
    const hop_vertex n = ((const hop__strong_task *)given)->graph->vertices;
    const uint64_t words = hop__bitmap_words(n);
    HOP__BLOCK(space, "strong: trimmed", words, sweeps_state, done)->zero = true;
    HOP__BLOCK(space, "strong: forward", words, sweeps_state, forward)->zero = true;
    HOP__BLOCK(space, "strong: scanned", words, sweeps_state, scanned)->zero = true;
    HOP__BLOCK(space, "strong: core", words, sweeps_state, core)->zero = true;
    HOP__BLOCK(space, "strong: ranks", n, sweeps_state, search.ranks);
    HOP__BLOCK(space, "strong: stack", n, sweeps_state, search.stack);
}

static unsigned next_bit(uint64_t word, bool down) {
    return down ? 63 - (unsigned)__builtin_clzll(word) : (unsigned)__builtin_ctzll(word);
}

/* --- forward --------------------------------------------------------------------------------- */

/* Follows the arcs of the vertices of a word, also of those that this finds in it. */
static uint64_t push_word(sweeps_state *state, uint64_t word) {
    const hop_graph *graph = state->graph;
    uint64_t count = 0, open;
    while ((open = hop__load_u64(&state->forward[word]) & ~state->scanned[word]) != 0) {
        unsigned bit = next_bit(open, state->down);
        uint64_t v = word * 64 + bit, end = hop__offset(graph, v + 1);
        state->scanned[word] |= UINT64_C(1) << bit;
        for (uint64_t i = hop__offset(graph, v); i < end; i++)
            (void)hop__bitmap_claim(state->forward, graph->targets[i]);
        count++;
    }
    return count;
}

/* By whose arcs a vertex of a word is known to reach the pivot. */
static uint64_t pull_word(sweeps_state *state, uint64_t word) {
    const hop_graph *graph = state->graph;
    uint64_t own = state->core[word], open = state->forward[word] & ~own, count = 0;
    while (open != 0) {
        unsigned bit = next_bit(open, state->down);
        uint64_t v = word * 64 + bit, end = hop__offset(graph, v + 1);
        open &= ~(UINT64_C(1) << bit);
        for (uint64_t i = hop__offset(graph, v); i < end; i++) {
            hop_vertex w = graph->targets[i];
            uint64_t bits = w / 64 == word ? own : hop__load_u64(&state->core[w / 64]);
            if (bits >> w % 64 & 1) {
                own |= UINT64_C(1) << bit;
                count++;
                break;
            }
        }
    }
    hop__store_u64(&state->core[word], own);
    return count;
}

/* A pass over some words by one of these two. */
static inline __attribute__((always_inline)) void
pass_range(sweeps_state *state, uint64_t begin, uint64_t end,
           uint64_t (*each)(sweeps_state *state, uint64_t word)) {
    uint64_t count = 0;
    for (uint64_t i = begin; i < end; i++) {
        count += each(state, state->down ? begin + end - 1 - i : i);
        if (i % REPORT_WORDS == 0 && !hop__progress_add(state->context, 0))
            break;
    }
    atomic_fetch_add(&state->count, count);
}

static void push_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    pass_range(arg, begin, end, push_word);
}

static void pull_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    (void)thread;
    pass_range(arg, begin, end, pull_word);
}

/* One pass; how many it found. */
static uint64_t pass(sweeps_state *state, hop__range_fn range) {
    atomic_store(&state->count, 0);
    hop__for(state->context, state->words, state->words / hop__team_limit(state->context) + 1,
             range, state);
    state->down = !state->down;
    return atomic_load(&state->count);
}

/* What the passes have left, from a stack. */
static void push_rest(sweeps_state *state) {
    const hop_graph *graph = state->graph;
    hop_vertex *stack = state->search.stack, height = 0;
    uint64_t visited = 0;
    for (uint64_t word = 0; word < state->words; word++)
        for (uint64_t open = state->forward[word] & ~state->scanned[word]; open; open &= open - 1)
            stack[height++] = (hop_vertex)(word * 64 + next_bit(open, false));
    while (height > 0) {
        uint64_t v = stack[--height], end = hop__offset(graph, v + 1);
        for (uint64_t i = hop__offset(graph, v); i < end; i++)
            if (!hop__bitmap_get(state->forward, graph->targets[i])) {
                hop__bitmap_set(state->forward, graph->targets[i]);
                stack[height++] = graph->targets[i];
            }
        if (++visited % REPORT == 0 && !hop__progress_add(state->context, 0))
            return;
    }
}

/* The vertex of the most arcs among those that are left, or n. */
static hop_vertex find_pivot(const sweeps_state *state) {
    const hop_graph *graph = state->graph;
    hop_vertex pivot = graph->shared->facts.max_degree_vertex;
    uint64_t most = 0;
    if (!hop__bitmap_get(state->done, pivot))
        return pivot;
    pivot = graph->vertices;
    for (uint64_t word = 0; word < state->words; word++)
        for (uint64_t open = ~state->done[word]; open; open &= open - 1) {
            uint64_t v = word * 64 + next_bit(open, false);
            uint64_t degree = hop__offset(graph, v + 1) - hop__offset(graph, v);
            if (degree > most) {
                most = degree;
                pivot = (hop_vertex)v;
            }
        }
    return pivot;
}

/* F and K of a pivot. */
static void find_core(sweeps_state *state, hop_vertex pivot) {
    uint64_t found, left = 0;
    hop__phase(state->context, "forward");
    hop__bitmap_set(state->forward, pivot);
    do {
        found = pass(state, push_range);
    } while (found >= state->words / 4 + 1 && hop__progress_add(state->context, 0));
    if (found > 0)
        push_rest(state);
    hop__phase(state->context, "back");
    for (uint64_t word = 0; word < state->words; word++) {
        state->forward[word] &= ~state->done[word];
        left += (uint64_t)__builtin_popcountll(state->forward[word]);
    }
    hop__bitmap_set(state->core, pivot);
    left--;
    while (left > 0 && hop__progress_add(state->context, 0)) {
        found = pass(state, pull_range);
        left -= found;
        if (found * GOES_ON < left)
            break;
    }
}

/* --- the rest -------------------------------------------------------------------------------- */

/* K gets rank 1; what was trimmed is done. */
static void rank_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const sweeps_state *state = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        state->search.ranks[v] = hop__bitmap_get(state->done, v)   ? HOP__STRONG_DONE
                                 : hop__bitmap_get(state->core, v) ? 1
                                                                   : HOP__STRONG_OPEN;
}

/* Labels K, and those that the search has left to it. */
static void label_core(sweeps_state *state) {
    hop__strong_search *search = &state->search;
    hop_vertex label = HOP_NO_VERTEX;
    for (hop_vertex i = 0; i < search->held; i++)
        hop__bitmap_set(state->core, hop__strong_members(search)[i]);
    search->held = 0;
    for (uint64_t word = 0; word < state->words; word++)
        for (uint64_t bits = state->core[word]; bits; bits &= bits - 1) {
            hop_vertex v = (hop_vertex)(word * 64 + next_bit(bits, false));
            label = label == HOP_NO_VERTEX ? v : label;
            search->labels[v] = label;
            search->ranks[v] = HOP__STRONG_DONE;
        }
}

static void search_rest(sweeps_state *state) {
    hop__strong_search *search = &state->search;
    hop__phase(state->context, "rest");
    hop__for(state->context, state->graph->vertices, 1 << 16, rank_range, state);
    search->clock = 1;
    for (uint64_t word = 0; word < state->words && !search->stopped; word++)
        for (uint64_t open = state->forward[word] & ~state->core[word]; open && !search->stopped;
             open &= open - 1) {
            hop_vertex v = (hop_vertex)(word * 64 + next_bit(open, false));
            if (search->ranks[v] == HOP__STRONG_OPEN)
                hop__strong_search_from(search, v);
        }
    label_core(state);
    for (hop_vertex v = 0; v < state->graph->vertices && !search->stopped; v++)
        if (search->ranks[v] == HOP__STRONG_OPEN)
            hop__strong_search_from(search, v);
}

static hop_status sweeps_run(hop_context *context, const hop__strong_task *task) {
    const hop_vertex n = task->graph->vertices;
    sweeps_state state = {.context = context, .graph = task->graph, .words = hop__bitmap_words(n)};
    hop__workspace space;
    hop_status status;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, sweeps_blocks, task, &state, &space));
    hop__strong_trim trim = {
        .context = context, .graph = task->graph, .done = state.done, .labels = task->labels};
    state.search.context = context;
    state.search.graph = task->graph;
    state.search.labels = task->labels;
    state.search.end = n;
    if (n % 64 != 0)
        state.done[n / 64] = UINT64_MAX << n % 64;
    hop__progress_begin(context, "strong: sweeps", n);
    hop__phase(context, "trim");
    hop__strong_trim_all(&trim);
    if (atomic_load(&trim.count) < n && hop__progress_add(context, 0)) {
        find_core(&state, find_pivot(&state));
        if (hop__progress_add(context, 0))
            search_rest(&state);
    }
    HOP_TRY(status, hop__progress_end(context));
    hop__count(context, "trimmed", atomic_load(&trim.count));
    hop__count(context, "searched", state.search.visited);
    task->report->rounds = trim.passes;
done:
    hop__workspace_close(&space, status);
    return status;
}

const hop__strong_variant hop__strong_sweeps = {
    .row = {.about = {.name = "sweeps",
                      .summary = "forward and back from a pivot in passes over all vertices, the "
                                 "rest in depth",
                      .source = "Fleischer et al. 2000, Slota et al. 2014",
                      .place = HOP_PLACE_HOST},
            .blocks = sweeps_blocks},
    .run = sweeps_run,
};
