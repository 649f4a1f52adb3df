/* SPDX-License-Identifier: Apache-2.0
 *
 * shiloach-vishkin: the algorithm of Shiloach and Vishkin as D0 has it (4.2.4, 6.1.2, 6.1.3), on a
 * list of edges, every phase on all threads:
 *
 *   SV0  D[v] = v, Q[v] = 0
 *   SV1  D_s[v] = D_s-1[D_s-1[v]]; where that changes something, Q[D_s[v]] = s
 *   SV2  for both directions (a, b) of an edge: if a's parent was a root and stayed it, and b's is
 *        smaller, a's root is hooked below it, Q[D_s[b]] = s
 *   SV3  a root that nothing has happened to (Q < s) is hooked to any neighbouring tree
 *   SV4  D_s[v] = D_s[D_s[v]], and SV5 whether any Q[v] = s, in one pass
 *
 * and D_s and D_s-1 are swapped, until an iteration has done nothing. report.rounds is the number
 * of iterations. Concurrent writes are "arbitrary": any of them may win.
 *
 * In SV3, D0's listing for the CPU asks D_s[a] = D_s-1[a]; algorithm 4.5 and its other listing ask
 * that D_s[a] is a root, which is what is meant, and what is here.
 *
 * No cycles: SV2 hooks to smaller labels only. In SV3 a stagnant root is a star, and no neighbour
 * of it is stagnant too: of two such neighbours SV2 would have hooked the larger, or marked.
 * SV3 may hook to a larger label, so roots need not be the smallest vertices: at the end each tree
 * is given to its smallest.
 *
 * Cost: O((n + m) log n) work, at most log_3/2 n + 2 iterations as D0 counts them; 8 bytes per edge
 * and 8 per vertex. */
#include "components/components_edges.h"
#include "core/atomic.h"
#include "core/parallel.h"

/* scratch[0] is the D of the other parity, scratch[1] is Q; labels is D_s-1 at the beginning of an
 * iteration. `round` is s. */
typedef struct job {
    hop__edge_task *task;
    hop_vertex *now, *before; /* D_s, D_s-1 */
    uint32_t *marks;
    uint32_t round;
} job;

static void mark_none(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const job *work = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        work->marks[v] = 0;
}

static void shortcut_and_mark(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const job *work = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        hop_vertex parent = work->before[v], grand = work->before[parent];
        work->now[v] = grand;
        if (grand != parent)
            hop__store_u32(&work->marks[grand], work->round);
    }
    (void)hop__edge_task_goes_on(work->task, end - begin);
}

static void hook(const job *work, hop_vertex a, hop_vertex b) {
    hop_vertex root = hop__load_u32(&work->now[a]), other = hop__load_u32(&work->now[b]);
    if (other < root && root == work->before[a]) {
        hop__store_u32(&work->now[root], other);
        hop__store_u32(&work->marks[other], work->round);
    }
}

static void hook_edges(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t edge = work->task->edges.list[i];
        hook(work, hop__edge_from(edge), hop__edge_to(edge));
        hook(work, hop__edge_to(edge), hop__edge_from(edge));
    }
    (void)hop__edge_task_goes_on(work->task, end - begin);
}

static void hook_if_stagnant(const job *work, hop_vertex a, hop_vertex b) {
    hop_vertex root = hop__load_u32(&work->now[a]), other = hop__load_u32(&work->now[b]);
    if (root != other && hop__load_u32(&work->now[root]) == root && work->marks[root] < work->round)
        hop__store_u32(&work->now[root], other);
}

static void hook_stagnant(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const job *work = arg;
    (void)thread;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t edge = work->task->edges.list[i];
        hook_if_stagnant(work, hop__edge_from(edge), hop__edge_to(edge));
        hook_if_stagnant(work, hop__edge_to(edge), hop__edge_from(edge));
    }
    (void)hop__edge_task_goes_on(work->task, end - begin);
}

static void shortcut_and_check(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const job *work = arg;
    bool changed = false;
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        hop_vertex parent = hop__load_u32(&work->now[v]);
        hop__store_u32(&work->now[v], hop__load_u32(&work->now[parent]));
        changed |= work->marks[v] == work->round;
    }
    if (changed)
        atomic_store_explicit(&work->task->changed, true, memory_order_relaxed);
    (void)hop__edge_task_goes_on(work->task, end - begin);
}

static void least_clear(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const job *work = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        work->marks[v] = HOP_NO_VERTEX;
}

static void least_find(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const job *work = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        hop__lower_u32(&work->marks[work->before[v]], (hop_vertex)v);
}

/* `before` may be the labels: each is read just before it is written. */
static void least_give(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    const job *work = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        work->task->labels[v] = work->marks[work->before[v]];
}

/* Runs a phase; the ranges get the job, not the task. `bytes` of each item are what it reads and
 * writes in any case; the hooks that happen come on top. */
static void phase(const job *work, const char *name, uint64_t count, uint64_t bytes,
                  hop__range_fn fn) {
    hop__edge_task_for(work->task, name, count, bytes, fn, (void *)work);
}

void hop__shiloach_vishkin_edges(hop__edge_task *task) {
    uint64_t n = task->n, m = task->edges.count;
    job work = {task, task->scratch[0], task->labels, task->scratch[1], 0};
    phase(&work, "SV0", n, 4, mark_none);
    do {
        work.round++;
        atomic_store(&task->changed, false);
        phase(&work, "SV1", n, 12, shortcut_and_mark);
        phase(&work, "SV2", m, 24, hook_edges);
        phase(&work, "SV3", m, 24, hook_stagnant);
        phase(&work, "SV4,5", n, 16, shortcut_and_check);
        hop_vertex *swap = work.now;
        work.now = work.before;
        work.before = swap;
    } while (atomic_load(&task->changed) && !atomic_load(&task->stopped));
    task->report->rounds += work.round;
    task->report->relaxations += 4 * m * work.round; /* two phases, both directions */
    phase(&work, "least", n, 4, least_clear);
    phase(&work, "least", n, 8, least_find);
    phase(&work, "least", n, 12, least_give);
}

static hop_status shiloach_vishkin_run(hop_context *context, const hop__components_task *task) {
    return hop__edge_task_run(context, task, hop__edge_scratch_blocks,
                              "components: shiloach-vishkin", false, hop__shiloach_vishkin_edges);
}

const hop__components_variant hop__components_shiloach_vishkin = {
    .row = {.about = {.name = "shiloach-vishkin",
                      .summary = "hook trees along a list of edges and halve their height, in "
                                 "phases SV0 to SV5",
                      .source = "Yogaratnam 2010, 4.2.4, 6.1.3 (Shiloach and Vishkin 1982)",
                      .place = HOP_PLACE_HOST},
            .blocks = hop__edge_scratch_blocks},
    .run = shiloach_vishkin_run,
};
