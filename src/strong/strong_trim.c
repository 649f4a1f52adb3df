/* SPDX-License-Identifier: Apache-2.0
 *
 * Vertices that lie on no cycle, cut off from the ends of the arcs; see strong_internal.h. McLendon
 * et al., "Finding strongly connected components in distributed graphs", 2005.
 *
 * A pass sees what it has cut off itself: where numbers rise along the arcs, one pass down takes
 * all of a graph without cycles. Each thread has a run of words of its own, and only it writes
 * them; of the others' it may see more or less, which changes when a vertex is found, not whether
 * it may be. So with t threads it may take t passes down, one for each run. */
#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "strong/strong_internal.h"

enum { PAYS_WORDS = 64, PAYS_PARTS = 16, GOES_ON = 16, REPORT_WORDS = 1 << 10 };
enum { ORDER_SAMPLE = 1 << 10, ORDER_GRAIN = 1 << 16 };

/* Whether no arc of v leads to a vertex that is left; `own` is the word of v. */
static bool leads_nowhere(const hop__strong_trim *trim, hop_vertex v, uint64_t word, uint64_t own) {
    const hop_graph *graph = trim->graph;
    uint64_t end = hop__offset(graph, (uint64_t)v + 1);
    for (uint64_t i = hop__offset(graph, v); i < end; i++) {
        hop_vertex w = graph->targets[i];
        uint64_t bits = w / 64 == word ? own : hop__load_u64(&trim->done[w / 64]);
        if (!(bits >> w % 64 & 1) && w != v)
            return false;
    }
    return true;
}

static uint64_t trim_word(const hop__strong_trim *trim, uint64_t word) {
    uint64_t own = trim->done[word], open = ~own, count = 0;
    while (open != 0) {
        unsigned bit =
            trim->down ? 63 - (unsigned)__builtin_clzll(open) : (unsigned)__builtin_ctzll(open);
        hop_vertex v = (hop_vertex)(word * 64 + bit);
        open &= ~(UINT64_C(1) << bit);
        if (!leads_nowhere(trim, v, word, own))
            continue;
        own |= UINT64_C(1) << bit;
        trim->labels[v] = v;
        count++;
    }
    hop__store_u64(&trim->done[word], own);
    return count;
}

static void trim_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__strong_trim *trim = arg;
    uint64_t count = 0;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        count += trim_word(trim, trim->down ? begin + end - 1 - i : i);
        if (i % REPORT_WORDS == 0 && !hop__progress_add(trim->context, 0))
            break;
    }
    atomic_fetch_add(&trim->count, count);
}

/* --- numbers in order ------------------------------------------------------------------------ */

/* Rows are sorted, so the first arc and the last one of each say it. */
static void order_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop__strong_trim *trim = arg;
    const hop_graph *graph = trim->graph;
    bool rises = true, falls = true;
    uint64_t at = hop__offset(graph, begin);
    (void)thread;
    for (uint64_t v = begin; v < end && (rises || falls); v++) {
        uint64_t next = hop__offset(graph, v + 1);
        if (at < next) {
            rises = rises && graph->targets[at] >= v;
            falls = falls && graph->targets[next - 1] <= v;
        }
        at = next;
    }
    if (!rises)
        atomic_store(&trim->rises, false);
    if (!falls)
        atomic_store(&trim->falls, false);
}

static void label_own(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    hop_vertex *labels = ((hop__strong_trim *)arg)->labels;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        labels[v] = (hop_vertex)v;
}

/* Whether no arc leads to a smaller number, or none to a greater one: then there is no cycle. */
static bool cut_ordered(hop__strong_trim *trim) {
    const uint64_t n = trim->graph->vertices;
    atomic_store(&trim->rises, true);
    atomic_store(&trim->falls, true);
    order_range(trim, 0, n < ORDER_SAMPLE ? n : ORDER_SAMPLE, 0);
    if (atomic_load(&trim->rises) || atomic_load(&trim->falls))
        hop__for(trim->context, n, ORDER_GRAIN, order_range, trim);
    if (!atomic_load(&trim->rises) && !atomic_load(&trim->falls))
        return false;
    hop__for(trim->context, n, ORDER_GRAIN, label_own, trim);
    atomic_store(&trim->count, n);
    return true;
}

void hop__strong_trim_all(hop__strong_trim *trim) {
    if (cut_ordered(trim))
        return;
    const uint64_t words = hop__bitmap_words(trim->graph->vertices);
    const uint64_t share = words / hop__team_limit(trim->context) + 1;
    const uint64_t n = trim->graph->vertices;
    uint64_t before, after = atomic_load(&trim->count);
    unsigned idle = 0; /* passes in a row that cut off little */
    trim->down = true;
    do {
        before = after;
        hop__for(trim->context, words, share, trim_range, trim);
        after = atomic_load(&trim->count);
        idle = (after - before) * GOES_ON >= n - after ? 0 : idle + 1;
        if (idle > 0)
            trim->down = !trim->down;
        trim->passes++;
    } while (after < n && idle < 2 && hop__progress_add(trim->context, 0));
}

bool hop__strong_trim_pays(hop__strong_trim *trim) {
    const uint64_t words = hop__bitmap_words(trim->graph->vertices);
    uint64_t some = words / PAYS_PARTS;
    some = some > PAYS_WORDS ? PAYS_WORDS : some;
    trim->down = true;
    trim_range(trim, words - some, words, 0);
    trim->down = false;
    trim_range(trim, 0, some, 0);
    return atomic_load(&trim->count) > some * 32;
}
