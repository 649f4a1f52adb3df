/* SPDX-License-Identifier: Apache-2.0
 * Many searches at once; see bfs_many.h. Here is what does not depend on the number of words: the
 * choice of the loops, and of the direction of a level. */
#include "bfs/bfs_many.h"

#include <string.h>

#include "bfs/bfs_many_loops.h"
#include "core/cpu.h"
#include "core/parallel.h"
#include "core/progress.h"

/* From the other end: when that looks at fewer arcs than PULL_SHARE times those of the list. Both
 * touch the words of a vertex per arc, but from the other end many are not looked at. */
enum { PULL_SHARE = 2, CLEAR_VERTICES = 1 << 18 };

unsigned hop__many_words(uint64_t sources, unsigned most) {
    unsigned words = 1;
    while (words < most && 64 * words < sources)
        words *= 2;
    return words;
}

void hop__many_blocks(hop__workspace *space, size_t at, hop_vertex vertices, unsigned words) {
    const uint64_t all = (uint64_t)vertices * words, n = vertices;
    HOP__BLOCK_AT(space, at, "bfs: reached by", all, hop__many, seen)->zero = true;
    HOP__BLOCK_AT(space, at, "bfs: reached now", all, hop__many, now)->zero = true;
    HOP__BLOCK_AT(space, at, "bfs: reached next", all, hop__many, next)->zero = true;
    HOP__BLOCK_AT(space, at, "bfs: frontier bits", hop__bitmap_words(n), hop__many, active);
    HOP__BLOCK_AT(space, at, "bfs: frontier", n + 1, hop__many, list);
    HOP__BLOCK_AT(space, at, "bfs: next frontier", n + 1, hop__many, fresh);
    HOP__BLOCK_AT(space, at, "bfs: not reached", n, hop__many, open);
    HOP__BLOCK_AT(space, at, "bfs: reached", n, hop__many, touched);
}

static const hop__many_form *form_of(unsigned words) {
    static const hop__many_form *const forms[HOP__CPU_LEVELS] = {
        [HOP__CPU_PLAIN] = hop__many_plain,
        [HOP__CPU_AVX2] = hop__many_avx2,
        [HOP__CPU_AVX512] = hop__many_avx512,
    };
    unsigned row = (unsigned)__builtin_ctz(words);
    const hop__many_form *form = &forms[hop__cpu()][row];
    return form->push ? form : &hop__many_plain[row];
}

void hop__many_open(hop__many *many, hop_context *context, const hop_graph *graph,
                    const hop_graph *reverse, unsigned words) {
    many->context = context;
    many->graph = graph;
    many->reverse = reverse;
    many->words = words;
    many->form = form_of(words);
    many->listed = 0;
}

/* The words of what is in the list are 0 again. */
static void forget_list(hop__many *many) {
    for (hop_vertex i = 0; i < many->listed; i++)
        memset(many->now + (uint64_t)many->list[i] * many->words, 0, 8 * many->words);
    many->listed = 0;
}

/* Notes that what is in the list is in seen[]. */
static void touch_list(hop__many *many) {
    uint64_t count = (uint64_t)many->touched_count + many->listed;
    many->many_touched = many->many_touched || count > many->graph->vertices;
    if (many->many_touched)
        return;
    memcpy(many->touched + many->touched_count, many->list, 4 * (size_t)many->listed);
    many->touched_count = (hop_vertex)count;
}

/* Nothing is reached; false when cancelled. */
static bool clear(hop__many *many) {
    const uint64_t n = many->graph->vertices, bytes = 8 * many->words;
    forget_list(many);
    for (hop_vertex i = 0; i < many->touched_count && !many->many_touched; i++)
        memset(many->seen + (uint64_t)many->touched[i] * many->words, 0, bytes);
    for (uint64_t end, begin = many->many_touched ? 0 : n; begin < n; begin = end) {
        end = n - begin < CLEAR_VERTICES ? n : begin + CLEAR_VERTICES;
        memset(many->seen + begin * many->words, 0, bytes * (end - begin));
        if (!hop__progress_add(many->context, 0))
            return false;
    }
    many->touched_count = 0;
    many->many_touched = many->open_made = false;
    many->open_arcs = many->graph->arcs;
    return true;
}

bool hop__many_begin(hop__many *many, const hop_vertex *sources, unsigned count) {
    const unsigned words = many->words;
    many->cancelled = !clear(many);
    if (many->cancelled)
        return false;
    memset(many->all, 0, sizeof many->all);
    many->count = count;
    many->level = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t *now = many->now + (uint64_t)sources[i] * words, any = 0;
        for (unsigned w = 0; w < words; w++)
            any |= now[w];
        if (any == 0)
            many->list[many->listed++] = sources[i];
        hop__bitmap_set(now, i);
        hop__bitmap_set(many->seen + (uint64_t)sources[i] * words, i);
        hop__bitmap_set(many->all, i);
    }
    touch_list(many);
    return true;
}

static bool from_below(const hop__many *many) {
    uint64_t arcs = 0;
    if (!many->reverse)
        return false;
    for (hop_vertex i = 0; i < many->listed; i++)
        arcs += hop__offset(many->graph, (uint64_t)many->list[i] + 1) -
                hop__offset(many->graph, many->list[i]);
    return arcs > many->open_arcs / PULL_SHARE;
}

static bool pull(hop__many *many) {
    if (!many->open_made)
        for (hop_vertex v = 0; v < many->graph->vertices; v++)
            many->open[v] = v;
    many->opened = many->open_made ? many->opened : many->graph->vertices;
    many->open_made = true;
    memset(many->active, 0, 8 * hop__bitmap_words(many->graph->vertices));
    for (hop_vertex i = 0; i < many->listed; i++)
        hop__bitmap_set(many->active, many->list[i]);
    return many->form->pull(many);
}

bool hop__many_step(hop__many *many) {
    many->found = 0;
    many->cancelled = !(from_below(many) ? pull(many) : many->form->push(many));
    if (many->cancelled)
        return false;
    forget_list(many);
    uint64_t *now = many->now;
    hop_vertex *list = many->list;
    many->now = many->next;
    many->next = now;
    many->list = many->fresh;
    many->fresh = list;
    many->listed = many->found;
    many->level++;
    touch_list(many);
    return many->listed > 0;
}

void hop__many_count(const hop__many *many, uint32_t *counts) {
    many->form->count(many, counts);
}

static void run_batches(void *arg, unsigned thread, unsigned threads) {
    hop__many_batches *work = arg;
    hop__many *many = &work->searches[thread];
    hop_vertex sources[HOP__MANY_SOURCES];
    (void)threads;
    for (;;) {
        uint64_t at = work->batch * atomic_fetch_add_explicit(&work->next, 1, memory_order_relaxed);
        if (at >= work->count)
            return;
        unsigned count =
            (unsigned)(work->count - at < work->batch ? work->count - at : work->batch);
        for (unsigned i = 0; i < count; i++)
            sources[i] = work->source(work->user, at + i);
        if (!hop__many_begin(many, sources, count))
            return;
        work->search(work->user, many, at);
        if (many->cancelled || !hop__progress_add(work->context, count))
            return;
    }
}

uint64_t hop__many_run(hop__many_batches *work) {
    const unsigned workers = work->workers, lanes = 64 * work->searches[0].words;
    uint64_t batches = (work->count - 1) / lanes + 1;
    if (batches < workers && work->count >= workers)
        batches = workers;
    work->batch = (work->count - 1) / batches + 1;
    atomic_init(&work->next, 0);
    hop__team_loose(work->context, workers < batches ? workers : (unsigned)batches, run_batches,
                    work);
    return batches;
}
