/* SPDX-License-Identifier: Apache-2.0
 *
 * The k-core of an undirected graph: what is left when vertices with fewer than k neighbours are
 * taken away, again and again. The worked example of docs/scheduler.md: an irregular algorithm on
 * the queue, in as few lines as it takes.
 *
 * The token is a vertex that goes; its range are its arcs. A vertex is put by whoever takes its
 * degree from k to k - 1, which happens once: so n + items slots suffice, and nothing is refused.
 */
#include "kernels/shim.h"

#ifndef WG
#define WG 64
#endif

typedef struct peeling {
    GLOBAL const u32 *offsets, *targets;
    GLOBAL u32 *degrees;
    u32 k;
} peeling;

FN void peeling_open(const peeling *job, u32 q, u32 vertex, u64 *at, u64 *end) {
    (void)q;
    *at = job->offsets[vertex];
    *end = job->offsets[vertex + 1];
}

FN u32 peeling_step(const peeling *job, u32 vertex, u64 at, u32 stage, u32 *found) {
    (void)vertex;
    (void)stage;
    *found = job->targets[at];
    return atomic_add_u32(&job->degrees[*found], 0xffffffffu) == job->k;
}

FN void peeling_close(const peeling *job, u32 vertex, u32 stage) {
    (void)job;
    (void)vertex;
    (void)stage;
}

#define JOB             peeling
#define SCHEDULED(name) peeling_##name
#include "kernels/scheduler_template.cl"

KERNEL_WG(WG)
void peel(GLOBAL u32 *control, GLOBAL u32 *states, GLOBAL u32 *slots, GLOBAL u32 *slots_behind,
          u32 trips, u32 patience, GLOBAL const u32 *offsets, GLOBAL const u32 *targets,
          GLOBAL u32 *degrees, u32 k) {
    LOCALV scheduler_group group;
    peeling job;
    job.offsets = offsets;
    job.targets = targets;
    job.degrees = degrees;
    job.k = k;
    peeling_scheduler_run(&job, control, states, slots, slots_behind, trips, patience, &group);
}
