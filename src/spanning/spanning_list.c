/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the list of edges; see spanning_internal.h. Of an undirected graph the edges of each block
 * are counted first; of others every place may be one. */
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "spanning/spanning_internal.h"

enum { BLOCK = 1 << 14 };

typedef struct list_job {
    hop_context *context;
    const hop__spanning_task *task;
    const hop_vertex *labels;
    hop__spanning_list *list;
} list_job;

static uint64_t blocks_of(const hop__spanning_task *task) {
    return task->places / BLOCK + (task->places % BLOCK != 0);
}

static hop__spanning_cursor begin_block(const hop__spanning_task *task, uint64_t block) {
    uint64_t first = block * BLOCK, left = task->places - first;
    return hop__spanning_begin(task, first, first + (left < BLOCK ? left : BLOCK));
}

static void count_blocks(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    list_job *job = arg;
    hop__spanning_edge edge;
    (void)thread;
    for (uint64_t block = begin; block < end && hop__progress_add(job->context, 1); block++) {
        hop__spanning_cursor cursor = begin_block(job->task, block);
        uint64_t count = 0;
        while (hop__spanning_next(job->task, &cursor, &edge))
            count++;
        job->list->counts[block] = count;
    }
}

static void fill_blocks(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    list_job *job = arg;
    const hop_vertex *labels = job->labels;
    (void)thread;
    for (uint64_t block = begin; block < end && hop__progress_add(job->context, 1); block++) {
        hop__spanning_cursor cursor = begin_block(job->task, block);
        hop__spanning_edge *out = job->list->edges + job->list->begins[block], *next = out, edge;
        while (hop__spanning_next(job->task, &cursor, &edge)) {
            if (labels) {
                edge.from = labels[edge.from];
                edge.to = labels[edge.to];
                if (edge.from == edge.to)
                    continue;
            }
            edge.key = hop__spanning_key(&job->task->order, edge.number);
            *next++ = edge;
        }
        job->list->counts[block] = (uint64_t)(next - out);
    }
}

void hop__spanning_list_blocks(hop__workspace *space, size_t at, const hop__spanning_task *task) {
    HOP__BLOCK_AT(space, at, "spanning: blocks of edges", blocks_of(task), hop__spanning_list,
                  begins);
    HOP__BLOCK_AT(space, at, "spanning: blocks of edges", blocks_of(task), hop__spanning_list,
                  counts);
    HOP__BLOCK_AT(space, at, "spanning: list of edges", task->listed, hop__spanning_list, edges);
}

hop_status hop__spanning_list_make(hop__workspace *space, const hop__spanning_task *task,
                                   const hop_vertex *labels, hop__spanning_list *list) {
    hop_context *context = space->context;
    list_job job = {context, task, labels, list};
    const bool halves = task->graph != NULL && !task->graph->directed;
    uint64_t next = 0;
    hop_status status;
    list->blocks = blocks_of(task);
    if (halves) {
        hop__progress_begin(context, "spanning: count of edges", list->blocks);
        hop__for(context, list->blocks, 1, count_blocks, &job);
        HOP_TRY(status, hop__progress_end(context));
    }
    for (uint64_t block = 0; block < list->blocks; block++) {
        list->begins[block] = next;
        next += halves ? list->counts[block] : BLOCK;
    }
    hop__progress_begin(context, "spanning: list of edges", list->blocks);
    hop__for(context, list->blocks, 1, fill_blocks, &job);
    HOP_TRY(status, hop__progress_end(context));
done:
    return status;
}
