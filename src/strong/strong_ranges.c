/* SPDX-License-Identifier: Apache-2.0
 *
 * ranges: for graphs whose neighbours have near numbers, such as lattices. Each thread searches a
 * range of the vertices in depth, along the arcs inside it; then the components of the ranges are
 * the vertices of one more search, along the arcs between the ranges.
 *
 *  1. Trim, where a sample says that most vertices lie on no cycle (strong_trim.c).
 *  2. Each range by itself (strong_search.h), by one thread each. A component knows whether it
 *     leads out of its range, and by which of its vertices.
 *  3. A component of the graph that is in several ranges enters one by an arc and leaves it by
 *     another. So the search starts from targets of such arcs, and goes along components that lead
 *     out: where ranges hang together by a border, few of them, and of a large one its border.
 *  4. The label of a joined component's label is that of all its vertices.
 *
 * Ranges are as many as threads; their bounds do not show in the labels.
 *
 * Cost: O(n + m); 2 in parallel, 3 not. 28 bytes and 2 bits per vertex. */
#include <string.h>

#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "strong/strong_search.h"

enum { RANGES = 64, SMALL_RANGE = 1 << 12, GRAIN = 1 << 16, REPORT = 1 << 14 };

static const hop_parameter ranges_parameters[] = {
    {.name = "ranges",
     .summary = "into how many ranges the vertices are cut; 0: one for each thread, of at least "
                "4096 vertices",
     .type = HOP_PARAMETER_INTEGER,
     .maximum = RANGES},
};

/* A vertex on the path of step 3, left for one further on. */
typedef struct join_frame {
    hop_vertex vertex, low;
    uint64_t at; /* the arc that comes next */
} join_frame;

typedef struct ranges_state {
    hop__strong_search all; /* of which each range has its part; step 3 has it whole */
    join_frame *frames;
    uint64_t *done;
    unsigned count; /* of ranges */
    hop_vertex bounds[RANGES + 1];
    atomic_bool stopped;
    atomic_uint next_range;
} ranges_state;

static void ranges_blocks(const void *given, hop__workspace *space) {
    const hop_vertex n = ((const hop__strong_task *)given)->graph->vertices;
    HOP__BLOCK(space, "strong: ranks", n, ranges_state, all.ranks);
    HOP__BLOCK(space, "strong: stack", n, ranges_state, all.stack);
    HOP__BLOCK(space, "strong: path", n, ranges_state, frames);
    HOP__BLOCK(space, "strong: next", n, ranges_state, all.next);
    HOP__BLOCK(space, "strong: heads", hop__bitmap_words(n), ranges_state, all.heads)->zero = true;
    HOP__BLOCK(space, "strong: trimmed", hop__bitmap_words(n), ranges_state, done)->zero = true;
}

/* Cuts the vertices into ranges of about as many arcs and vertices each. */
static void cut_ranges(ranges_state *state, unsigned threads, unsigned given) {
    const hop_graph *graph = state->all.graph;
    uint64_t n = graph->vertices, whole = n + graph->arcs, most = n / SMALL_RANGE + 1;
    unsigned count = threads < RANGES ? threads : RANGES;
    state->count = given > 0 ? given : count < most ? count : (unsigned)most;
    for (unsigned i = 1; i < state->count; i++) {
        uint64_t wanted = hop__share(whole, i, state->count), low = state->bounds[i - 1], high = n;
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            if (middle + hop__offset(graph, middle) < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        state->bounds[i] = (hop_vertex)low;
    }
    state->bounds[state->count] = graph->vertices;
}

/* Marks what is trimmed in a range, and searches the rest of it. */
static void search_range(ranges_state *state, unsigned range) {
    hop__strong_search search = state->all;
    search.begin = state->bounds[range];
    search.end = state->bounds[range + 1];
    search.stack += search.begin;
    if (state->count == 1)
        search.next = NULL; /* nothing leads out of it */
    else
        memset(search.next + search.begin, 0, (search.end - search.begin) * sizeof *search.next);
    for (hop_vertex v = search.begin; v < search.end; v++)
        search.ranks[v] = hop__bitmap_get(state->done, v) ? HOP__STRONG_DONE : HOP__STRONG_OPEN;
    for (hop_vertex v = search.begin; v < search.end && !search.stopped; v++)
        if (search.ranks[v] == HOP__STRONG_OPEN)
            hop__strong_search_from(&search, v);
    if (search.stopped)
        atomic_store(&state->stopped, true);
}

static void search_ranges(void *arg, unsigned thread, unsigned threads) {
    ranges_state *state = arg;
    (void)thread, (void)threads;
    for (;;) {
        unsigned range = atomic_fetch_add(&state->next_range, 1);
        if (range >= state->count || atomic_load(&state->stopped))
            return;
        search_range(state, range);
    }
}

/* The components that were found from stack[from] on become one; their smallest is the label of
 * their labels. */
static void join_labels(hop__strong_search *all, hop_vertex from) {
    hop_vertex smallest = all->stack[from];
    for (hop_vertex i = from + 1; i < all->held; i++)
        smallest = all->stack[i] < smallest ? all->stack[i] : smallest;
    for (hop_vertex i = from; i < all->held; i++) {
        all->labels[all->stack[i]] = smallest;
        all->ranks[all->stack[i]] = HOP__STRONG_DONE;
    }
    all->held = from;
}

/* The search along components, from the one of label `root`; as Tarjan has it, where
 * HOP__STRONG_LEAVES means not visited, and v runs along the ring of its component's vertices that
 * lead on. */
static void join_from(ranges_state *state, hop_vertex root) {
    hop__strong_search *all = &state->all;
    const hop_graph *graph = all->graph;
    join_frame *frame = state->frames;
    hop_vertex node = root, v = root, low = ++all->clock;
    uint64_t at = hop__offset(graph, v);
    all->ranks[node] = low;
    all->stack[all->held++] = node;
    for (;;) {
        uint64_t stop = hop__offset(graph, (uint64_t)v + 1);
        hop_vertex entered = HOP_NO_VERTEX;
        while (at < stop && entered == HOP_NO_VERTEX) {
            hop_vertex to = all->labels[graph->targets[at++]], rank = all->ranks[to];
            if (rank == HOP__STRONG_LEAVES)
                entered = to;
            else if (rank < low)
                low = rank;
        }
        if (entered != HOP_NO_VERTEX) {
            *frame++ = (join_frame){v, low, at};
            node = v = entered;
            all->ranks[node] = low = ++all->clock;
            all->stack[all->held++] = node;
            at = hop__offset(graph, v);
            continue;
        }
        if (++all->visited % REPORT == 0 && !hop__progress_add(all->context, 0)) {
            all->stopped = true;
            return;
        }
        v = all->next[v];
        at = hop__offset(graph, v);
        if (v != node)
            continue;
        if (low == all->ranks[node]) {
            hop_vertex from = all->held;
            while (all->stack[--from] != node)
                ;
            join_labels(all, from);
        }
        if (frame == state->frames)
            return;
        frame--;
        v = frame->vertex;
        node = all->labels[v];
        low = frame->low < low ? frame->low : low;
        at = frame->at;
    }
}

static void label_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop_vertex *labels = ((ranges_state *)arg)->all.labels;
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        hop_vertex label = hop__load_u32(&labels[v]);
        hop__store_u32(&labels[v], hop__load_u32(&labels[label]));
    }
}

/* Steps 3 and 4. */
static void join_ranges(ranges_state *state) {
    hop__strong_search *all = &state->all;
    const uint64_t words = hop__bitmap_words(all->graph->vertices);
    hop__phase(all->context, "join");
    for (uint64_t word = 0; word < words && !all->stopped; word++)
        for (uint64_t bits = all->heads[word]; bits && !all->stopped; bits &= bits - 1) {
            hop_vertex label = all->labels[word * 64 + (unsigned)__builtin_ctzll(bits)];
            if (all->ranks[label] == HOP__STRONG_LEAVES)
                join_from(state, label);
        }
    if (all->visited > 0)
        hop__for(all->context, all->graph->vertices, GRAIN, label_range, state);
}

static hop_status ranges_run(hop_context *context, const hop__strong_task *task) {
    const hop_vertex n = task->graph->vertices;
    ranges_state state = {
        .all = {.context = context, .graph = task->graph, .labels = task->labels, .end = n}};
    hop__workspace space;
    hop_status status;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, ranges_blocks, task, &state, &space));
    hop__strong_trim trim = {
        .context = context, .graph = task->graph, .done = state.done, .labels = task->labels};
    cut_ranges(&state, hop__team_limit(context), (unsigned)task->values[0]);
    if (n % 64 != 0)
        state.done[n / 64] = UINT64_MAX << n % 64;
    hop__progress_begin(context, "strong: ranges", n);
    hop__phase(context, "trim");
    if (hop__strong_trim_pays(&trim))
        hop__strong_trim_all(&trim);
    if (atomic_load(&trim.count) < n && hop__progress_add(context, 0)) {
        hop__phase(context, "ranges");
        hop__phase_items(context, task->graph->arcs);
        hop__team_loose(context, state.count, search_ranges, &state);
        if (!atomic_load(&state.stopped) && hop__progress_add(context, 0))
            join_ranges(&state);
    }
    HOP_TRY(status, hop__progress_end(context));
    hop__count(context, "trimmed", atomic_load(&trim.count));
    hop__count(context, "joined", state.all.visited);
    task->report->rounds = state.count;
done:
    hop__workspace_close(&space, status);
    return status;
}

const hop__strong_variant hop__strong_ranges = {
    .row = {.about = {.name = "ranges",
                      .summary = "a search in depth in each range of the vertices, then one along "
                                 "their components",
                      .source = "Tarjan 1972, by parts",
                      .place = HOP_PLACE_HOST,
                      HOP__PARAMETERS(ranges_parameters)},
            .blocks = ranges_blocks},
    .run = ranges_run,
};
