/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel of persistent: what a work-item does with a vertex, on the scheduler of
 * kernels/scheduler_template.cl. What it is for is said in bfs_device_persistent.c. */
#include "bfs/bfs_rows.cl"
#include "kernels/shim.h"

#ifndef SKIP_LEAVES /* vertices without arcs out are not put into the queue (D4: early leaves) */
#define SKIP_LEAVES 1
#endif

typedef struct search {
    GLOBAL const OFFSET *offsets;
    GLOBAL const u32 *targets;
    GLOBAL u32 *levels;
    u32 wanted;    /* a vertex with whose level the search stops; NO_VERTEX: there is none */
    u32 max_level; /* vertices of this level are not expanded */
} search;

FN void search_open(const search *job, u32 q, u32 vertex, u64 *at, u64 *end) {
    (void)q;
    *at = job->offsets[vertex];
    *end = job->offsets[vertex + 1];
}

/* A vertex gets its level once, by whoever swaps first; all that try are of the same stage, so all
 * would give it the same. */
FN u32 search_step(const search *job, u32 vertex, u64 at, u32 stage, u32 *found) {
    u32 other = job->targets[at];
    (void)vertex;
    *found = other;
    if (relaxed_load_u32(&job->levels[other]) != NO_LEVEL ||
        atomic_cas_u32(&job->levels[other], NO_LEVEL, stage + 1) != NO_LEVEL)
        return 0;
#if SKIP_LEAVES
    if (job->offsets[other] == job->offsets[other + 1])
        return 0;
#endif
    return 1;
}

FN void search_close(const search *job, u32 vertex, u32 stage) {
    (void)job;
    (void)vertex;
    (void)stage;
}

/* A level that has not come through yet is NO_LEVEL, which no stage is. */
FN u32 search_stage(const search *job, u32 vertex) {
    return relaxed_load_u32(&job->levels[vertex]);
}

FN u32 search_advance(const search *job, u32 stage) {
    if (stage + 1 >= job->max_level)
        return 0;
    return job->wanted == NO_VERTEX || relaxed_load_u32(&job->levels[job->wanted]) == NO_LEVEL;
}

#define JOB             search
#define SCHEDULED(name) search_##name
#include "kernels/scheduler_template.cl"

KERNEL_WG(WG)
void persist(GLOBAL u32 *control, GLOBAL u32 *states, GLOBAL u32 *slots, GLOBAL u32 *slots_behind,
             u32 trips, u32 patience, GLOBAL const OFFSET *offsets, GLOBAL const u32 *targets,
             GLOBAL u32 *levels, u32 wanted, u32 max_level) {
    LOCALV scheduler_group group;
    search job;
    job.offsets = offsets;
    job.targets = targets;
    job.levels = levels;
    job.wanted = wanted;
    job.max_level = max_level;
    search_scheduler_run(&job, control, states, slots, slots_behind, trips, patience, &group);
}
