/* SPDX-License-Identifier: Apache-2.0
 *
 * The transitive closure, in blocks of up to 512 rows, a bit each. Vertices of a strong component
 * are reached together, so a component has the bits of all its vertices; components are in an order
 * in which arcs lead forward, so each is complete when its turn comes, and hands its bits on.
 *
 * Positions are those of the components in that order. members[starts[p]] .. are the vertices of
 * the one at position p, ascending.
 *
 * Invariants
 *  1. bits[p] is not 0 for exactly the positions in `touched`, and `found` has their vertices;
 *     what a block touched is cleared before the next one, so that little costs little.
 *  2. bits[p] has the row of a source at p, whether or not a path leads back there. Only the source
 *     itself can then be too many in its row, if it is the only one of its component: so whether a
 *     vertex is in its own row is looked at vertex by vertex.
 *  3. With `together` bit 0 says that it is a source or is reached, bit 1 that it is reached.
 *
 * Source: Purdom, "A transitive closure algorithm", 1970 (components, then their order); bits side
 * by side as in bfs_many.h.
 * Cost: see closure.h. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/options.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "strong/strong_closure.h"
#include "strong/strong_internal.h"

enum {
    WORDS = 8,
    SOURCES = 64 * WORDS,
    ROOM = 1 << 18,   /* vertices that are handed over at once, unless a row has more */
    REPORT = 1 << 12, /* vertices between two looks at whether to stop */
    PLANES = 6
};

typedef struct closure_block {
    uint64_t *bits, *touched, *found;
    hop_vertex first, count; /* rows */
    uint64_t relaxations;
    bool stopped;
    uint32_t counts[SOURCES];
} closure_block;

typedef struct closure_task {
    hop__closure_query query;
    hop_vertex components; /* n until they are known */
    uint64_t room;
    unsigned words, workers, threads;
    bool listed; /* rows are made, not counted only */
    bool certify;
} closure_task;

typedef struct closure_state {
    const closure_task *task;
    hop_context *context;
    hop_vertex *labels, *order; /* of vertices; of components, by their labels */
    uint64_t *into;
    hop_vertex *positions, *members, *starts;
    uint64_t *cyclic; /* a bit per position: a path of one or more arcs leads back */
    uint64_t *named;  /* sources, where they are together */
    closure_block *blocks;
    unsigned made; /* blocks of this round; how many are taken, and done */
    atomic_uint taken, done;
    hop__closure_search *searches;
    hop_vertex *vertices; /* what is handed over: */
    uint64_t offsets[SOURCES + 1];
    const closure_block *block;
    hop_vertex from, past; /* rows of the block that are being written */
} closure_state;

typedef struct closure_call {
    hop__call base; /* first: the operations get it */
    closure_task task;
    const hop_graph *graph; /* the caller's */
    hop_graph *turned;
    uint64_t free_bytes;
    hop_closure_rows_fn rows; /* NULL: not wanted */
    void *user;
    hop_vertex *counts; /* NULL: not wanted */
    uint64_t pairs;
} closure_call;

/* --- memory ---------------------------------------------------------------------------------- */

static uint64_t search_bytes(const closure_task *task) {
    hop__strong_task strong = {.graph = task->query.graph};
    return hop__variant_need(&hop__strong_tarjan.row, &strong, NULL).bytes[HOP__MEMORY_HOST];
}

static void closure_blocks(const void *given, hop__workspace *space) {
    const closure_task *task = given;
    const hop_vertex n = task->query.graph->vertices, p = task->components;
    const uint64_t bits = hop__bitmap_words(n);
    HOP__BLOCK(space, "closure: positions", n, closure_state, positions);
    HOP__BLOCK(space, "closure: members", n, closure_state, members);
    HOP__BLOCK(space, "closure: components", n + UINT64_C(1), closure_state, starts);
    HOP__BLOCK(space, "closure: cycles", bits, closure_state, cyclic)->zero = true;
    if (task->query.together)
        HOP__BLOCK(space, "closure: sources", bits, closure_state, named)->zero = true;
    hop__block_stage(space, 1);
    HOP__BLOCK(space, "closure: labels", n, closure_state, labels);
    HOP__BLOCK(space, "closure: order", n, closure_state, order);
    HOP__BLOCK(space, "closure: arcs in", n, closure_state, into)->zero = true;
    hop__block_reserve(space, HOP__MEMORY_HOST, "closure: strong components", search_bytes(task));
    hop__block_stage(space, 2);
    hop__block *blocks = HOP__BLOCK(space, "closure: blocks", task->workers, closure_state, blocks);
    blocks->zero = true;
    hop__block_within(space, blocks);
    HOP__BLOCK(space, "closure: bits", (uint64_t)p * task->words, closure_block, bits)->zero = true;
    HOP__BLOCK(space, "closure: touched", hop__bitmap_words(p), closure_block, touched)->zero =
        true;
    HOP__BLOCK(space, "closure: found", bits, closure_block, found)->zero = true;
    hop__block_within(space, NULL);
    if (task->listed)
        HOP__BLOCK(space, "closure: rows", task->room, closure_state, vertices);
    if (!task->certify)
        return;
    hop__block *searches =
        HOP__BLOCK(space, "closure: certify", task->threads, closure_state, searches);
    searches->zero = true;
    hop__block_within(space, searches);
    HOP__BLOCK(space, "closure: certify", bits, hop__closure_search, seen)->zero = true;
    HOP__BLOCK(space, "closure: certify", bits, hop__closure_search, named)->zero = true;
    HOP__BLOCK(space, "closure: certify", n, hop__closure_search, queue);
    hop__block_within(space, NULL);
}

/* Arcs turned round, beside `rest`: keys, sort buffers, and buffers that are an eighth of the
 * budget at most. Where the budget does not do, that is an eighth of the one that would. */
static uint64_t turned_bytes(const closure_call *call, uint64_t rest) {
    const hop_graph *graph = call->graph;
    uint64_t arcs = graph->arcs * 28 + (uint64_t)graph->vertices * 12, most = 64 << 20;
    uint64_t eighth = call->free_bytes / 8, least = (rest + arcs) / 7 + 1;
    eighth = eighth > least ? eighth : least;
    return call->task.query.turn ? arcs + (eighth < most ? eighth : most) : 0;
}

/* As many words and threads as there is memory for. */
static hop_status closure_fit(hop_context *context, hop__call *given) {
    closure_call *call = (closure_call *)given;
    closure_task *task = &call->task;
    uint64_t need, rows = task->query.rows;
    (void)context;
    task->words = WORDS;
    while (task->words > 1 && rows <= 32 * task->words)
        task->words /= 2;
    const uint64_t batches = (rows + 64 * task->words - 1) / (64 * task->words);
    task->workers = call->task.threads < batches ? call->task.threads : (unsigned)batches;
    task->workers += task->workers == 0;
    for (;;) {
        need = hop__variant_need(given->row, task, NULL).bytes[HOP__MEMORY_HOST];
        const uint64_t turned = turned_bytes(call, need);
        need = need + turned < need ? UINT64_MAX : need + turned;
        if (need <= call->free_bytes || (task->words == 1 && task->workers == 1))
            break;
        if (task->workers > 1)
            task->workers--;
        else
            task->words /= 2;
    }
    given->report.memory_bytes = need;
    return HOP_OK;
}

/* --- components and their order -------------------------------------------------------------- */

/* Members of each label in ascending order: into[label] is then where they end. */
static void list_members(closure_state *state) {
    const hop_vertex n = state->task->query.graph->vertices;
    uint64_t sum = 0;
    memset(state->into, 0, n * sizeof *state->into);
    for (hop_vertex v = 0; v < n; v++)
        state->into[state->labels[v]]++;
    for (hop_vertex v = 0; v < n; v++) {
        const uint64_t size = state->into[v];
        state->into[v] = sum;
        sum += size;
    }
    for (hop_vertex v = 0; v < n; v++)
        state->positions[state->into[state->labels[v]]++] = v;
}

/* Whether to go on; asked for each vertex. */
static bool goes_on(const closure_state *state, uint64_t at) {
    return at % REPORT != 0 || hop__progress_add(state->context, 0);
}

/* The labels in an order in which arcs lead forward: Kahn's, those that nothing is before first. A
 * component's members are at places `ends[label]` backwards from there, found by their label. */
static hop_vertex order_components(closure_state *state) {
    const hop_graph *graph = state->task->query.graph;
    const hop_vertex n = graph->vertices, *labels = state->labels, *members = state->positions;
    hop_vertex *ends = state->starts, count = 0;
    uint64_t steps = 0;
    list_members(state);
    for (hop_vertex v = 0; v < n; v++) {
        ends[v] = (hop_vertex)state->into[v]; /* of its members, if it is a label */
        state->into[v] = 0;
    }
    for (hop_vertex v = 0; v < n && goes_on(state, v); v++)
        for (uint64_t i = hop__offset(graph, v), end = hop__offset(graph, v + UINT64_C(1)); i < end;
             i++)
            state->into[labels[graph->targets[i]]] += labels[graph->targets[i]] != labels[v];
    for (hop_vertex v = 0; v < n; v++)
        if (labels[v] == v && state->into[v] == 0)
            state->order[count++] = v;
    for (hop_vertex at = 0; at < count; at++)
        for (hop_vertex k = ends[state->order[at]]; k > 0; k--) {
            const hop_vertex v = members[k - 1];
            if (labels[v] != state->order[at])
                break;
            if (!goes_on(state, ++steps))
                return count;
            for (uint64_t i = hop__offset(graph, v), end = hop__offset(graph, v + UINT64_C(1));
                 i < end; i++) {
                const hop_vertex to = labels[graph->targets[i]];
                if (to != labels[v] && --state->into[to] == 0)
                    state->order[count++] = to;
            }
        }
    return count;
}

/* Positions, members and starts from labels and their order; and which positions have a cycle. */
static void place_components(closure_state *state, hop_vertex count) {
    const hop_graph *graph = state->task->query.graph;
    const hop_vertex n = graph->vertices;
    uint64_t sum = 0;
    for (hop_vertex at = 0; at < count; at++)
        state->into[state->order[at]] = at;
    for (hop_vertex v = 0; v < n; v++)
        state->positions[v] = (hop_vertex)state->into[state->labels[v]];
    memset(state->starts, 0, (n + (size_t)1) * sizeof *state->starts);
    for (hop_vertex v = 0; v < n; v++)
        state->starts[state->positions[v]]++;
    for (hop_vertex at = 0; at <= count; at++) {
        const hop_vertex size = at < count ? state->starts[at] : 0;
        if (size > 1)
            hop__bitmap_set(state->cyclic, at);
        state->starts[at] = (hop_vertex)sum;
        sum += size;
    }
    for (hop_vertex v = 0; v < n; v++)
        state->members[state->starts[state->positions[v]]++] = v;
    for (hop_vertex at = count; at > 0; at--)
        state->starts[at] = state->starts[at - 1];
    state->starts[0] = 0;
    for (hop_vertex v = 0; v < n; v++)
        for (uint64_t i = hop__offset(graph, v), end = hop__offset(graph, v + UINT64_C(1)); i < end;
             i++)
            if (graph->targets[i] == v)
                hop__bitmap_set(state->cyclic, state->positions[v]);
}

static hop_status find_components(hop_context *context, closure_state *state,
                                  hop_vertex *components) {
    const hop_graph *graph = state->task->query.graph;
    const hop__strong_variant *tarjan = &hop__strong_tarjan;
    hop_report report = {0};
    hop_vertex count = 0;
    const hop__strong_task strong = {
        .graph = graph, .labels = state->labels, .count = &count, .report = &report};
    hop_status status;
    HOP_TRY(status, tarjan->run(context, &strong));
    hop__phase(context, "order");
    hop__phase_items(context, graph->arcs);
    hop__progress_begin(context, "closure: order", 0);
    *components = order_components(state);
    HOP_TRY(status, hop__progress_end(context));
    place_components(state, *components);
    status = hop__progress_ask(context, "closure: order");
done:
    return status;
}

/* --- a block --------------------------------------------------------------------------------- */

/* Hands the bits of a position on. */
static void expand(const closure_state *state, closure_block *block, hop_vertex p) {
    const hop_graph *graph = state->task->query.graph;
    const unsigned words = state->task->words;
    uint64_t give[WORDS];
    memcpy(give, block->bits + (size_t)p * words, words * sizeof *give);
    if (state->task->query.together)
        give[0] = 3;
    for (hop_vertex k = state->starts[p]; k < state->starts[p + 1]; k++) {
        const hop_vertex v = state->members[k];
        const uint64_t begin = hop__offset(graph, v), end = hop__offset(graph, v + UINT64_C(1));
        hop__bitmap_set(block->found, v);
        block->relaxations += end - begin;
        for (uint64_t i = begin; i < end; i++) {
            const hop_vertex to = state->positions[graph->targets[i]];
            if (to == p)
                continue;
            hop__bitmap_set(block->touched, to);
            for (unsigned w = 0; w < words; w++)
                block->bits[(size_t)to * words + w] |= give[w];
        }
    }
}

static void seed(const closure_state *state, closure_block *block) {
    const hop__closure_query *query = &state->task->query;
    const hop_vertex first = query->together ? 0 : block->first,
                     count = query->together ? query->source_count : block->count;
    for (hop_vertex i = 0; i < count; i++) {
        const hop_vertex p = state->positions[hop__closure_source(query, first + i)];
        const hop_vertex bit = query->together ? 0 : i;
        block->bits[(size_t)p * state->task->words + bit / 64] |= UINT64_C(1) << bit % 64;
        hop__bitmap_set(block->touched, p);
    }
}

/* Goes through what is touched, which grows ahead. */
static void propagate(const closure_state *state, closure_block *block) {
    const uint64_t words = hop__bitmap_words(state->task->components);
    hop_vertex steps = 0;
    seed(state, block);
    for (uint64_t w = 0; w < words; w++) {
        uint64_t done = 0, left;
        while ((left = block->touched[w] & ~done) != 0) {
            const unsigned bit = (unsigned)__builtin_ctzll(left);
            done |= UINT64_C(1) << bit;
            expand(state, block, (hop_vertex)(w * 64 + bit));
            if (++steps % REPORT == 0 && !hop__progress_add(state->context, 0)) {
                block->stopped = true;
                return;
            }
        }
    }
}

/* Counts of bits, 63 words at a time: plane k has bit k of the number of each. */
typedef struct tally {
    uint64_t planes[PLANES];
    unsigned added;
} tally;

static void tally_end(tally *sum, uint32_t *counts) {
    for (unsigned bit = 0; bit < 64 && sum->added > 0; bit++)
        for (unsigned k = 0; k < PLANES; k++)
            counts[bit] += (uint32_t)(sum->planes[k] >> bit & 1) << k;
    memset(sum, 0, sizeof *sum);
}

static void tally_add(tally *sum, uint64_t word, uint32_t *counts) {
    for (unsigned k = 0; k < PLANES && word != 0; k++) {
        const uint64_t carry = sum->planes[k] & word;
        sum->planes[k] ^= word;
        word = carry;
    }
    if (++sum->added == (1u << PLANES) - 1)
        tally_end(sum, counts);
}

/* Whether the source of a row is not in it. */
static bool is_dropped(const closure_state *state, hop_vertex source) {
    const hop_closure_self self = state->task->query.self;
    return self == HOP_CLOSURE_NEVER || (self == HOP_CLOSURE_CYCLES &&
                                         !hop__bitmap_get(state->cyclic, state->positions[source]));
}

static void count_rows(const closure_state *state, closure_block *block) {
    const unsigned words = state->task->words;
    const uint64_t past = hop__bitmap_words(state->task->components);
    tally sums[WORDS] = {{{0}, 0}};
    memset(block->counts, 0, sizeof block->counts);
    for (uint64_t at = 0; at < past; at++)
        for (uint64_t left = block->touched[at]; left != 0; left &= left - 1) {
            const uint64_t p = at * 64 + (unsigned)__builtin_ctzll(left);
            const hop_vertex size = state->starts[p + 1] - state->starts[p];
            for (unsigned w = 0; w < words; w++) {
                uint64_t word = block->bits[p * words + w];
                if (size == 1)
                    tally_add(&sums[w], word, block->counts + 64 * w);
                for (; size > 1 && word != 0; word &= word - 1)
                    block->counts[64 * w + (unsigned)__builtin_ctzll(word)] += size;
            }
        }
    for (unsigned w = 0; w < words; w++)
        tally_end(&sums[w], block->counts + 64 * w);
    for (hop_vertex i = 0; i < block->count; i++)
        block->counts[i] -=
            is_dropped(state, hop__closure_source(&state->task->query, block->first + i));
}

/* Of one row for all sources: what does not belong is taken out of what was found. */
static void count_together(const closure_state *state, closure_block *block) {
    const hop_closure_self self = state->task->query.self;
    const uint64_t words = hop__bitmap_words(state->task->query.graph->vertices);
    block->counts[0] = 0;
    for (uint64_t at = 0; at < words; at++) {
        for (uint64_t left = block->found[at] & state->named[at]; left != 0; left &= left - 1) {
            const uint64_t v = at * 64 + (unsigned)__builtin_ctzll(left);
            const hop_vertex p = state->positions[v];
            if (self == HOP_CLOSURE_NEVER ||
                (self == HOP_CLOSURE_CYCLES && !hop__bitmap_get(state->cyclic, p) &&
                 !(block->bits[(size_t)p * state->task->words] & 2)))
                block->found[at] &= ~(left & (~left + 1));
        }
        block->counts[0] += (uint32_t)__builtin_popcountll(block->found[at]);
    }
}

static void make_block(const closure_state *state, closure_block *block) {
    propagate(state, block);
    if (block->stopped)
        return;
    if (state->task->query.together)
        count_together(state, block);
    else
        count_rows(state, block);
}

/* The caller, who alone can be told to stop, goes on asking while others are at theirs. */
static void make_blocks(void *arg, unsigned thread, unsigned threads) {
    closure_state *state = arg;
    (void)threads;
    for (unsigned i; (i = atomic_fetch_add(&state->taken, 1)) < state->made;) {
        make_block(state, &state->blocks[i]);
        atomic_fetch_add(&state->done, 1);
    }
    while (thread == 0 && atomic_load(&state->done) < state->made) {
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
        (void)!hop__progress_add(state->context, 0);
    }
}

static void clear_block(const closure_state *state, closure_block *block) {
    const unsigned words = state->task->words;
    const uint64_t past = hop__bitmap_words(state->task->components);
    for (uint64_t at = 0; at < past; at++) {
        for (uint64_t left = block->touched[at]; left != 0; left &= left - 1)
            memset(block->bits + (at * 64 + (unsigned)__builtin_ctzll(left)) * words, 0,
                   words * sizeof(uint64_t));
        block->touched[at] = 0;
    }
    memset(block->found, 0,
           hop__bitmap_words(state->task->query.graph->vertices) * sizeof(uint64_t));
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Writes the rows of one word of bits, of those that are being written. */
static void write_word(const closure_state *state, uint64_t word) {
    const closure_block *block = state->block;
    const hop__closure_query *query = &state->task->query;
    const uint64_t words = hop__bitmap_words(query->graph->vertices);
    uint64_t cursors[64] = {0}, mask = 0;
    hop_vertex own[64];
    for (hop_vertex bit = 0; bit < 64; bit++) {
        const uint64_t row = word * 64 + bit;
        own[bit] = HOP_NO_VERTEX;
        if (row < state->from || row >= state->past)
            continue;
        const hop_vertex source = hop__closure_source(query, block->first + (hop_vertex)row);
        mask |= UINT64_C(1) << bit;
        cursors[bit] = state->offsets[row - state->from];
        if (!query->together && is_dropped(state, source))
            own[bit] = source;
    }
    for (uint64_t at = 0; at < words && goes_on(state, at * 64); at++)
        for (uint64_t left = block->found[at]; left != 0; left &= left - 1) {
            const hop_vertex v = (hop_vertex)(at * 64 + (unsigned)__builtin_ctzll(left));
            uint64_t bits =
                mask & block->bits[(size_t)state->positions[v] * state->task->words + word];
            bits = query->together ? mask : bits;
            for (; bits != 0; bits &= bits - 1) {
                const unsigned bit = (unsigned)__builtin_ctzll(bits);
                if (own[bit] != v)
                    state->vertices[cursors[bit]++] = v;
            }
        }
}

static void write_words(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const closure_state *state = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++)
        write_word(state, state->from / 64 + i);
}

static hop_status hand_over(hop_context *context, closure_call *call, closure_state *state) {
    const hop_vertex first = state->block->first + state->from, count = state->past - state->from;
    hop_status status = HOP_OK;
    hop__run_end(context, &call->base);
    if (call->task.certify) {
        hop__certify_begin(&call->base);
        status = hop__closure_check(context, &call->task.query, state->searches, first, count,
                                    state->offsets, state->vertices);
        hop__certify_end(&call->base);
    }
    if (status == HOP_OK && call->rows) {
        call->base.final = true; /* rows cannot be taken back */
        if (!call->rows(call->user, first, count, state->offsets, state->vertices))
            status = hop__fail(context, HOP_ERR_CANCELLED,
                               "closure: stopped by the caller after row %u of %u",
                               first + count - 1, call->task.query.rows);
    }
    hop__run_begin(context, &call->base);
    return status;
}

/* The rows of a block, as many at a time as there is room for. */
static hop_status deliver(hop_context *context, closure_call *call, closure_state *state) {
    const closure_block *block = state->block;
    hop_status status = HOP_OK;
    for (hop_vertex i = 0; i < block->count; i++) {
        call->pairs += block->counts[i];
        if (call->counts)
            call->counts[block->first + i] = block->counts[i];
    }
    for (state->past = 0; call->task.listed && state->past < block->count;) {
        state->from = state->past;
        state->offsets[0] = 0;
        for (uint64_t used = 0; state->past < block->count; state->past++) {
            used += block->counts[state->past];
            if (used > call->task.room)
                break;
            state->offsets[state->past - state->from + 1] = used;
        }
        hop__phase(context, "rows");
        hop__progress_resume(context, "closure: rows", call->task.query.rows,
                             (uint64_t)block->first + state->from);
        hop__for(context, (state->past - 1) / 64 - state->from / 64 + 1, 1, write_words, state);
        HOP_TRY(status, hop__progress_end(context));
        HOP_TRY(status, hand_over(context, call, state));
    }
done:
    return status;
}

/* As many blocks as there are threads, side by side; their rows one block after the other. */
static hop_status make_round(hop_context *context, closure_call *call, closure_state *state,
                             hop_vertex *next) {
    const hop_vertex rows = call->task.query.rows, most = 64 * call->task.words;
    unsigned count = 0;
    hop_status status = HOP_OK;
    for (; count < call->task.workers && *next < rows; count++) {
        closure_block *block = &state->blocks[count];
        block->first = *next;
        block->count = rows - *next < most ? rows - *next : most;
        *next += block->count;
    }
    hop__phase(context, "blocks");
    hop__progress_begin(context, "closure", rows);
    (void)!hop__progress_add(context, state->blocks[0].first);
    state->made = count;
    atomic_store(&state->taken, 0);
    atomic_store(&state->done, 0);
    hop__team_loose(context, count, make_blocks, state);
    HOP_TRY(status, hop__progress_end(context));
    for (unsigned i = 0; i < count; i++) {
        state->block = &state->blocks[i];
        HOP_TRY(status, deliver(context, call, state));
        call->base.report.relaxations += state->block->relaxations;
        state->blocks[i].relaxations = 0;
        call->base.report.rounds++;
        clear_block(state, &state->blocks[i]);
    }
done:
    return status;
}

static hop_status closure_run(hop_context *context, hop__call *given) {
    closure_call *call = (closure_call *)given;
    closure_task *task = &call->task;
    closure_state state = {.task = task, .context = context};
    hop__workspace space;
    hop_status status;
    hop__workspace_clear(&space);
    if (task->query.turn) {
        hop__phase(context, "turn");
        HOP_TRY(status, hop_graph_reverse(context, call->graph, &call->turned));
        task->query.graph = call->turned;
        task->query.turn = false;
    }
    HOP_TRY(status, hop__workspace_open(context, NULL, closure_blocks, task, &state, &space));
    HOP_TRY(status, hop__workspace_stage(&space, 1));
    HOP_TRY(status, find_components(context, &state, &task->components));
    HOP_TRY(status, hop__workspace_stage(&space, 2));
    for (hop_vertex i = 0; task->query.together && i < task->query.source_count; i++)
        hop__bitmap_set(state.named, hop__closure_source(&task->query, i));
    for (hop_vertex next = 0; next < task->query.rows;)
        HOP_TRY(status, make_round(context, call, &state, &next));
done:
    hop__workspace_close(&space, status);
    return status;
}

/* --- the front ------------------------------------------------------------------------------- */

static const hop__variant blocks_row = {
    .about = {.name = "blocks",
              .summary = "strong components in their order; up to 512 rows at once, a bit each",
              .source = "Purdom 1970",
              .place = HOP_PLACE_HOST},
    .blocks = closure_blocks};
static const hop__variant *const closure_rows[] = {&blocks_row};

static const hop__variant *closure_pick(const void *task, char reason[HOP__REASON]) {
    (void)task;
    snprintf(reason, HOP__REASON, "it is the only one");
    return &blocks_row;
}

/* Rows were certified before they were handed over. */
static hop_status closure_certify(hop_context *context, hop__call *call, hop_status ended) {
    (void)context, (void)call, (void)ended;
    return HOP_OK;
}

const hop__problem hop__closure_problem = {.name = "closure",
                                           .rows = closure_rows,
                                           .row_count = 1,
                                           .pick = closure_pick,
                                           .fit = closure_fit,
                                           .run = closure_run,
                                           .certify = closure_certify};

hop_status hop__closure_take(hop_context *context, const hop_graph *graph,
                             const hop_closure_options *given, hop__closure_query *query,
                             hop_run *run) {
    hop_closure_options options = HOP_CLOSURE_OPTIONS_INIT;
    hop_status status;
    if (!graph)
        return hop__fail(context, HOP_ERR_ARGUMENT, "closure: the graph is NULL");
    HOP_TRY(status, hop__options_take(context, "HOP_CLOSURE_OPTIONS_INIT", given, &options,
                                      sizeof options));
    if ((unsigned)options.self > HOP_CLOSURE_ALWAYS)
        return hop__fail(context, HOP_ERR_ARGUMENT, "closure: self is %d, which is none of 0 to 2",
                         (int)options.self);
    HOP_TRY(status, hop__run_take(context, options.run, run));
    HOP_TRY(status, hop_graph_check(context, graph));
    HOP_TRY(status, hop__vertices_check(context, "closure", "source", options.sources,
                                        options.source_count, graph->vertices));
    const hop_graph *reverse = hop_graph_prepared_reverse(graph);
    const bool backward = options.backward && graph->directed;
    query->graph = backward && reverse ? reverse : graph;
    query->turn = backward && !reverse;
    query->sources = options.sources;
    query->source_count = options.sources ? options.source_count : graph->vertices;
    query->self = options.self;
    query->together = options.together;
    query->rows = options.together ? query->source_count > 0 : query->source_count;
done:
    return status;
}

static hop_status solve(hop_context *context, const hop_graph *graph,
                        const hop_closure_options *options, closure_call *call, uint64_t *pairs) {
    closure_task *task = &call->task;
    hop__memory_usage usage = hop__pool_usage(context->pool);
    hop_status status;
    call->base.problem = &hop__closure_problem;
    call->base.task = task;
    call->graph = graph;
    HOP_TRY(status, hop__closure_take(context, graph, options, &task->query, &call->base.run));
    task->components = graph->vertices;
    task->room = graph->vertices > ROOM ? graph->vertices : ROOM;
    if (task->query.rows < task->room / (graph->vertices + UINT64_C(1)))
        task->room = (uint64_t)graph->vertices * task->query.rows;
    task->threads = hop__team_limit(context);
    task->certify = call->base.run.certify != HOP_CERTIFY_NONE;
    task->listed = call->rows != NULL || task->certify;
    call->free_bytes = usage.budget > usage.used ? usage.budget - usage.used : 0;
    call->base.empty = task->query.rows == 0;
done:
    status = hop__solve(context, &call->base, status);
    hop_graph_release(call->turned);
    if (status == HOP_OK && pairs && !call->base.run.plan)
        *pairs = call->pairs;
    return status;
}

hop_status hop_closure_rows(hop_context *context, const hop_graph *graph,
                            const hop_closure_options *options, hop_closure_rows_fn rows,
                            void *user, uint64_t *pairs) {
    closure_call call = {.rows = rows, .user = user};
    if (!context)
        return HOP_ERR_ARGUMENT;
    if (!rows)
        return hop__fail(context, HOP_ERR_ARGUMENT, "closure: the callback is NULL");
    return solve(context, graph, options, &call, pairs);
}

hop_status hop_closure_counts(hop_context *context, const hop_graph *graph,
                              const hop_closure_options *options, hop_vertex *counts,
                              uint64_t *pairs) {
    closure_call call = {.counts = counts};
    if (!context)
        return HOP_ERR_ARGUMENT;
    return solve(context, graph, options, &call, pairs);
}
