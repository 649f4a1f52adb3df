/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks at the queue of delta-stepping from outside, while nobody searches; see delta_queue.h. Each
 * goes through all entries, or all bins. */
#include "sssp/delta/delta_queue.h"

enum { CHUNK = HOP__DELTA_CHUNK };

typedef void (*entry_fn)(const hop__delta_queue *queue, void *arg, uint64_t entry);

/* One chunk in so many is looked at, in the order of lists. */
typedef struct visit_steps {
    uint32_t step, at;
} visit_steps;

static void visit_list(const hop__delta_queue *queue, hop__delta_bin from, visit_steps *steps,
                       entry_fn visit, void *arg) {
    while (from.chunk != HOP__DELTA_NONE) {
        const uint64_t *entries = hop__delta_entries(queue, from.chunk);
        if (steps->at++ % steps->step == 0)
            for (uint32_t i = 0; i < from.fill; i++)
                visit(queue, arg, entries[i]);
        from = (hop__delta_bin){queue->links[from.chunk], CHUNK, 0};
    }
}

static void visit_some(const hop__delta_queue *queue, uint32_t step, entry_fn visit, void *arg) {
    visit_steps steps = {step, 0};
    for (unsigned t = 0; t < queue->threads; t++) {
        const hop__delta_worker *worker = &queue->workers[t];
        visit_list(queue, (hop__delta_bin){worker->full, CHUNK, 0}, &steps, visit, arg);
        for (unsigned b = 0; b < HOP__DELTA_BINS; b++)
            visit_list(queue, worker->bins[b], &steps, visit, arg);
    }
}

static void lower_key(const hop__delta_queue *queue, void *arg, uint64_t entry) {
    uint32_t *least = arg;
    (void)queue;
    *least = entry >> 32 < *least ? (uint32_t)(entry >> 32) : *least;
}

uint32_t hop__delta_least(const hop__delta_queue *queue) {
    uint32_t least = UINT32_MAX;
    visit_some(queue, 1, lower_key, &least);
    for (unsigned t = 0; queue->exhausted && t < queue->threads; t++)
        for (unsigned b = 0; b < HOP__DELTA_BINS; b++) /* of what is lost */
            if (queue->workers[t].bins[b].least < least)
                least = queue->workers[t].bins[b].least;
    return least;
}

/* A list of vertices that are visited. */
typedef struct live_visit {
    void (*visit)(void *arg, hop_vertex v);
    void *arg;
} live_visit;

static void visit_live(const hop__delta_queue *queue, void *arg, uint64_t entry) {
    const live_visit *live = arg;
    if (entry >> 32 <= queue->key_of(queue->key_arg, (hop_vertex)entry))
        live->visit(live->arg, (hop_vertex)entry);
}

void hop__delta_each(const hop__delta_queue *queue, uint32_t step,
                     void (*visit)(void *arg, hop_vertex v), void *arg) {
    live_visit live = {visit, arg};
    visit_some(queue, step, visit_live, &live);
}

bool hop__delta_is_empty(const hop__delta_queue *queue) {
    for (unsigned t = 0; t < queue->threads; t++) {
        const hop__delta_worker *worker = &queue->workers[t];
        if (worker->full != HOP__DELTA_NONE)
            return false;
        for (unsigned b = 0; b < HOP__DELTA_BINS; b++)
            if (worker->bins[b].chunk != HOP__DELTA_NONE)
                return false;
    }
    return true;
}

uint32_t hop__delta_farthest(const hop__delta_queue *queue) {
    uint32_t farthest = 0;
    for (unsigned t = 0; t < queue->threads; t++)
        farthest = queue->workers[t].last > farthest ? queue->workers[t].last : farthest;
    return farthest;
}
