/* SPDX-License-Identifier: Apache-2.0
 *
 * What bounds the work of delta-stepping. No width of buckets suits all weightings: within a bucket
 * vertices come in no order, so arcs may be relaxed again and again, on bad graphs without a bound
 * that is worth naming. So the members of a team tell what they have done, and now and then one of
 * them compares that with what is settled: a few arcs, drawn evenly, say by where they start how
 * many of all arcs are. When too much is in vain everyone leaves, and dijkstra ends the search with
 * what is known: cells are lengths of paths, and only vertices that are still queued, or come
 * nearer later, relax their arcs again.
 *
 * Signs that it is too much:
 *  1. more arcs were relaxed than those of settled vertices and 3/8 of those of reached ones (1/4
 *     where there is a horizon, which has arcs left out), and an eighth of the entries was in vain
 *     for certain; or 5/8, whether or not. In a team, where one who has lost its core makes others
 *     run ahead, once is no time: then it is 5/8, or 3/4. dijkstra relaxes the arcs of the others
 *     once at most: 1 + 3/4 of all arcs in all, what is relaxed between two looks (1/8), and the
 *     error of the sample. Where other programs want the cores a member is without one for as long
 *     as a million arcs take: in a search of so many, all arcs once more are spare there;
 *  2. the entries that were worked on are half as many again as the vertices that were reached:
 *     for parts of a graph that are so small that no sample hits them.
 * The first is judged by buckets while members are at work, and again when they stand still. A move
 * of an entry in the queue, or a look at it in a purge, counts as a sixteenth of an arc.
 *
 * Lengths beyond the largest key wait in the last bucket, which is never worked on, because it has
 * no order. When nothing else is left, keys begin anew at the nearest of them, in larger steps by
 * as much as vertices are left for each that is settled: so that is soon the last time. After
 * WIDENINGS of them dijkstra ends the search.
 *
 * Cost: O(samples) for each eighth of the arcs, O(n) for each widening. */
#include <math.h>
#include <stddef.h>

#include "core/bitmap.h"
#include "core/machine_share.h"
#include "core/progress.h"
#include "sssp/delta/delta_job.h"

enum {
    REPORT_ARCS = 1 << 16, /* between two calls for progress */
    GRAIN_MIN = 1 << 9,
    GRAINS = 32,       /* the arcs of the graph in so many reports at least */
    LOOKS = 8,         /* as many looks, */
    FAR_LOOKS = 3,     /* with a horizon fewer: all stand still while what is queued is surveyed */
    SAMPLE_ARCS = 256, /* one in so many is a sample, unless they are too few or too many */
    FEW_SAMPLES = 64,
    FEW_ENTRIES = 256,
    SURVEYED_CHUNKS = 2048, /* at least, of a long queue: the others wait meanwhile */
    MOVES_PER_ARC = 16,     /* that take as long as an arc */
    LOST_ARCS = 1 << 20,    /* while a member has no core */
    WIDENINGS = 6,
    IN_VAIN = 8, /* entries in vain, of all: fewer are none */
};

/* More to spare as long as nothing was in vain for certain. */
static const double unsure_spare = .25;
/* And after the first time, in a team: a member that lost its core leaves the others to run ahead.
 * Now all begin at the same place again. */
static const double forgiven_spare = .25;
/* And in a team whose members lose their cores again and again. */
static const double crowded_spare = 1;

void hop__delta_guard_start(hop__delta_job *job, bool horizon) {
    hop__delta_guard *guard = &job->guard;
    const uint64_t arcs = job->graph->arcs;
    uint64_t grain = arcs / GRAINS / job->team, count = arcs / SAMPLE_ARCS;
    grain = grain < GRAIN_MIN ? GRAIN_MIN : grain;
    guard->grain = grain < REPORT_ARCS ? grain : REPORT_ARCS;
    guard->spare = horizon ? .25 : .375;
    guard->between = arcs / (horizon ? FAR_LOOKS : LOOKS);
    atomic_store(&guard->next, (uint64_t)(guard->spare * (double)arcs));
    count = count < FEW_SAMPLES ? FEW_SAMPLES : count;
    count = count < HOP__DELTA_SAMPLES ? count : HOP__DELTA_SAMPLES;
    guard->sample_count = arcs > 0 ? (unsigned)count : 0;
    for (unsigned i = 0; i < guard->sample_count; i++)
        guard->samples[i] = (hop_vertex)hop__row_of_arc(
            job->graph, (uint64_t)(((double)i + .5) / (double)count * (double)arcs));
    atomic_store(&guard->crowded, hop__crowded());
    guard->on = true;
}

/* What is spare in addition where cores are lost: for the rest of the search, because who asks has
 * a core, and only the others may have none. */
static double spare_for_lost(hop__delta_job *job) {
    hop__delta_guard *guard = &job->guard;
    if (job->team == 1 || job->graph->arcs < LOST_ARCS)
        return 0;
    if (!atomic_load_explicit(&guard->crowded, memory_order_relaxed)) {
        hop__share_tell();
        atomic_store_explicit(&guard->crowded, hop__crowded(), memory_order_relaxed);
    }
    return atomic_load_explicit(&guard->crowded, memory_order_relaxed) ? crowded_spare : 0;
}

/* Whether more arcs were relaxed than those of settled vertices and what is spare, if so many of
 * the samples are settled and reached. */
static bool has_many_arcs(hop__delta_job *job, double settled, double reached, double more) {
    const hop__delta_guard *guard = &job->guard;
    double done = (double)atomic_load_explicit(&guard->arcs, memory_order_relaxed);
    double sampled = (double)job->graph->arcs / (double)guard->sample_count;
    double error = sqrt(reached); /* of the sample: twice the standard one at least */
    double most = sampled * (settled + (guard->spare + more) * reached + error);
    return done > most && done > most + sampled * spare_for_lost(job) * reached;
}

/* Whether entries alone show it. */
static bool has_many_entries(hop__delta_job *job) {
    const hop__delta_guard *guard = &job->guard;
    uint64_t entries = atomic_load_explicit(&guard->entries, memory_order_relaxed);
    uint64_t reached = atomic_load_explicit(&guard->reached, memory_order_relaxed);
    uint64_t most = reached + reached / 2 + FEW_ENTRIES;
    return entries > most && (double)entries > (double)most + spare_for_lost(job) * (double)reached;
}

/* By buckets before those that members are at: about what is settled. */
static bool seems_wasteful(hop__delta_job *job) {
    const hop__delta_queue *queue = &job->queue;
    uint32_t level = UINT32_MAX;
    double settled = 0, reached = 0;
    for (unsigned t = 0; t < job->team; t++) {
        uint32_t other = hop__load_u32(&queue->workers[t].level);
        level = other < level ? other : level;
    }
    for (unsigned i = 0; i < job->guard.sample_count; i++) {
        hop_vertex v = job->guard.samples[i];
        uint64_t cell = hop__load_u64(&job->cells[v]);
        reached += cell != job->none;
        settled += cell < job->base_cell || job->steps->key_of(job, v) >> queue->shift < level;
    }
    return has_many_arcs(job, settled, reached, 0);
}

/* Looks whether it is too much, if it is time to. */
static void look(hop__delta_job *job, uint64_t done) {
    hop__delta_guard *guard = &job->guard;
    uint_fast64_t next = atomic_load_explicit(&guard->next, memory_order_relaxed);
    bool many = has_many_entries(job);
    if (!many && done >= next &&
        atomic_compare_exchange_strong(&guard->next, &next, done + guard->between))
        many = seems_wasteful(job);
    if (!many)
        return;
    atomic_store_explicit(&guard->tripped, true, memory_order_relaxed);
    __atomic_store_n(&job->queue.stop, true, __ATOMIC_RELAXED);
}

/* Adds what a number has grown by since it was told. */
static void tell(atomic_uint_fast64_t *sum, uint64_t number, uint64_t *told) {
    atomic_fetch_add_explicit(sum, number - *told, memory_order_relaxed);
    *told = number;
}

bool hop__delta_report(hop__delta_job *job, hop__delta_worker *worker) {
    hop__delta_guard *guard = &job->guard;
    uint64_t arcs = worker->unreported;
    bool go_on = true;
    worker->unreported = 0;
    worker->unpaused += arcs;
    if (worker->unpaused >= REPORT_ARCS) {
        go_on = hop__progress_add(job->context, worker->unpaused);
        worker->unpaused = 0;
        if (!go_on || (job->pause_arcs > 0 && worker->processed > job->pause_arcs))
            __atomic_store_n(&job->queue.stop, true, __ATOMIC_RELAXED);
    }
    if (!guard->on)
        return go_on;
    arcs += (worker->moved - worker->told_moved) / MOVES_PER_ARC;
    worker->told_moved = worker->moved;
    tell(&guard->entries, worker->settled, &worker->told_settled);
    tell(&guard->reached, worker->reached, &worker->told_reached);
    look(job, atomic_fetch_add_explicit(&guard->arcs, arcs, memory_order_relaxed) + arcs);
    return go_on;
}

/* What is queued: how many vertices, the least cell, how many are as near (whatever the parent). */
typedef struct queued {
    const hop__delta_job *job;
    uint64_t count, least, nearest;
} queued;

static void add_queued(void *arg, hop_vertex v) {
    queued *q = arg;
    uint64_t cell = q->job->cells[v], parent = q->job->packed ? UINT32_MAX : 0;
    q->count++;
    if ((cell | parent) < (q->least | parent))
        q->nearest = 0;
    q->nearest += (cell | parent) <= (q->least | parent);
    q->least = cell < q->least ? cell : q->least;
}

/* One chunk in `step` is looked at, and stands for all of them. */
static queued survey(const hop__delta_job *job, uint32_t step) {
    queued q = {job, 0, UINT64_MAX, 0};
    hop__delta_each(&job->queue, step, add_queued, &q);
    q.count *= step;
    q.nearest *= step;
    return q;
}

uint64_t hop__delta_open_cell(const hop__delta_job *job) {
    uint64_t least = UINT64_MAX;
    if (!job->queue.exhausted)
        return survey(job, 1).least;
    /* Entries were lost: none with a key below this. */
    uint32_t key = hop__delta_least(&job->queue);
    for (uint64_t v = 0; v < job->graph->vertices; v++)
        if (job->cells[v] >= job->base_cell && job->cells[v] != job->none &&
            job->cells[v] < least && job->steps->key_of(job, (hop_vertex)v) >= key)
            least = job->cells[v];
    return least;
}

bool hop__delta_is_wasteful(hop__delta_job *job) {
    hop__delta_guard *guard = &job->guard;
    if (job->queue.exhausted)
        return true;
    if (!atomic_exchange(&guard->tripped, false))
        return false;
    if (has_many_entries(job))
        return true;
    /* Now that all stand still it can be said better: by lengths, not by buckets, and by what of it
     * was in vain for certain. A bucket may have that many arcs. */
    queued q = survey(job, 1 + job->queue.fresh / SURVEYED_CHUNKS);
    uint64_t entries = hop__delta_total(job, offsetof(hop__delta_worker, settled)) + q.count;
    uint64_t useful = hop__delta_total(job, offsetof(hop__delta_worker, reached));
    uint64_t open = job->packed ? q.least | UINT32_MAX : q.least;
    double reached = 0, settled = 0;
    for (unsigned i = 0; i < guard->sample_count; i++) {
        uint64_t cell = job->cells[guard->samples[i]];
        reached += cell != job->none;
        settled += cell != job->none && cell <= open;
    }
    settled -= (double)q.nearest / (double)job->graph->vertices * guard->sample_count;
    bool in_vain = entries > useful + entries / IN_VAIN;
    double more = in_vain ? 0 : guard->forgiven ? unsure_spare / 2 : unsure_spare;
    if (!has_many_arcs(job, settled, reached, more))
        return false;
    if (job->team == 1 || guard->forgiven)
        return true;
    guard->forgiven = true;
    guard->spare += forgiven_spare;
    return false;
}

static void mark_one(void *arg, hop_vertex v) {
    (void)hop__bitmap_claim(arg, v);
}

bool hop__delta_mark_open(const hop__delta_job *job, uint64_t cell, uint64_t *marks) {
    if (!job->pruned && !job->queue.exhausted)
        hop__delta_each(&job->queue, 1, mark_one, marks);
    else
        for (uint64_t v = 0; v < job->graph->vertices; v++)
            if (job->cells[v] != job->none && job->cells[v] >= cell)
                hop__bitmap_set(marks, v);
    return hop__delta_mark_cut_off(job, marks) || cell != UINT64_MAX;
}

/* How much longer keys must be: by the vertices that are left for each that was worked on, four
 * times, because farther arcs may be longer. */
static double longer_by(const hop__delta_job *job) {
    static const double margin = 4, least = 16, most = 0x1p40;
    double all = (double)(job->graph->vertices - job->graph->shared->facts.isolated);
    double done = 1 + (double)hop__delta_total(job, offsetof(hop__delta_worker, settled));
    double by = margin * (all - done) / done;
    return by < least ? least : by > most ? most : by;
}

bool hop__delta_widen(hop__delta_job *job) {
    static const double widest = 0x1p60, widest_real = 0x1p900;
    const bool real = hop__delta_is_real(job);
    uint64_t open = hop__delta_open_cell(job);
    int exponent;
    if (job->widenings++ == WIDENINGS)
        return false;
    double key = real ? 1 / job->key_scale : ldexp(1, (int)job->key_drop);
    (void)frexp(key * longer_by(job), &exponent);
    double delta = ldexp(1, exponent + HOP__DELTA_FINE_LATE);
    delta = delta < job->delta ? job->delta : delta;
    delta = real && delta > widest_real ? widest_real : !real && delta > widest ? widest : delta;
    hop__delta_set_keys(job, delta, open, HOP__DELTA_FINE_LATE);
    hop__delta_requeue(job, open);
    return true;
}
