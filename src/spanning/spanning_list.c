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
    const hop__spanning_choice *choice;
    hop__spanning_list *list;
} list_job;

static uint64_t blocks_of(const hop__spanning_task *task) {
    return task->places / BLOCK + (task->places % BLOCK != 0);
}

/* The places of a block. */
static uint64_t block_begin(const hop__spanning_task *task, uint64_t block) {
    uint64_t begin = block * BLOCK;
    return begin < task->places ? begin : task->places;
}

/* The part of a row of a graph that is in a block, and the rows' edges there: of an undirected
 * graph those to greater vertices, which are the last of the row. */
typedef struct row_part {
    uint64_t row, first, past, end; /* end: of the block */
} row_part;

static row_part begin_rows(const hop__spanning_task *task, uint64_t block) {
    const uint64_t first = block_begin(task, block);
    return (row_part){.row = hop__row_of_arc(task->graph, first) - 1,
                      .past = first,
                      .end = block_begin(task, block + 1)};
}

static inline bool next_row(const hop_graph *graph, row_part *part) {
    if (part->past == part->end)
        return false;
    uint64_t stop = hop__offset(graph, ++part->row + 1);
    part->first = part->past;
    part->past = stop < part->end ? stop : part->end;
    if (!graph->directed) {
        uint64_t greater = hop__first_arc(graph, part->row, part->row + 1);
        part->first = greater < part->first  ? part->first
                      : greater > part->past ? part->past
                                             : greater;
    }
    return true;
}

static void count_blocks(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    list_job *job = arg;
    (void)thread;
    for (uint64_t block = begin; block < end && hop__progress_add(job->context, 1); block++) {
        row_part part = begin_rows(job->task, block);
        uint64_t count = 0;
        while (next_row(job->task->graph, &part))
            count += part.past - part.first;
        job->list->counts[block] = count;
    }
}

static inline hop_vertex label_of(const hop_vertex *labels, hop_vertex v) {
    return labels ? labels[v] : v;
}

/* Adds an edge, if it is chosen; `from` is a label, `to` a vertex. What is seldom so is looked at
 * first: that a weight is light, or that the ends of a heavy edge have different labels. */
static inline __attribute__((always_inline)) hop__spanning_edge *
add_edge(const hop__spanning_order *order, const hop__spanning_choice *choice, hop_vertex from,
         hop_vertex to, uint64_t number, hop__spanning_edge *next) {
    if (choice->low > 0 && from == label_of(choice->labels, to))
        return next;
    const uint64_t key = hop__spanning_key(order, number);
    if (key < choice->low || key > choice->high)
        return next;
    to = label_of(choice->labels, to);
    *next = (hop__spanning_edge){key, number, from, to};
    return next + (from != to);
}

static hop__spanning_edge *fill_from_rows(const hop__spanning_task *task, uint64_t block,
                                          const hop__spanning_choice choice,
                                          hop__spanning_edge *next) {
    const hop_graph *graph = task->graph;
    const hop__spanning_order order = task->order;
    row_part part = begin_rows(task, block);
    while (next_row(graph, &part)) {
        const hop_vertex from = label_of(choice.labels, (hop_vertex)part.row);
        for (uint64_t i = part.first; i < part.past; i++)
            next = add_edge(&order, &choice, from, graph->targets[i], i, next);
    }
    return next;
}

static hop__spanning_edge *fill_from_edges(const hop__spanning_task *task, uint64_t block,
                                           const hop__spanning_choice choice,
                                           hop__spanning_edge *next) {
    const hop_edges *edges = &task->edges;
    const uint64_t past = block_begin(task, block + 1);
    for (uint64_t i = block_begin(task, block); i < past; i++)
        next = add_edge(&task->order, &choice,
                        label_of(choice.labels, (hop_vertex)hop__edge_id(edges, edges->from, i)),
                        (hop_vertex)hop__edge_id(edges, edges->to, i), i, next);
    return next;
}

static void fill_blocks(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    list_job *job = arg;
    (void)thread;
    for (uint64_t block = begin; block < end && hop__progress_add(job->context, 1); block++) {
        hop__spanning_edge *out = job->list->edges + job->list->begins[block], *past;
        past = job->task->graph ? fill_from_rows(job->task, block, *job->choice, out)
                                : fill_from_edges(job->task, block, *job->choice, out);
        job->list->counts[block] = (uint64_t)(past - out);
    }
}

void hop__spanning_list_blocks(hop__workspace *space, size_t at, const hop__spanning_task *task) {
    HOP__BLOCK_AT(space, at, "spanning: blocks of edges", blocks_of(task), hop__spanning_list,
                  begins);
    HOP__BLOCK_AT(space, at, "spanning: blocks of edges", blocks_of(task), hop__spanning_list,
                  counts);
    HOP__BLOCK_AT(space, at, "spanning: list of edges", task->listed, hop__spanning_list, edges);
}

hop_status hop__spanning_list_plan(hop__workspace *space, const hop__spanning_task *task,
                                   hop__spanning_list *list) {
    hop_context *context = space->context;
    list_job job = {context, task, NULL, list};
    const bool halves = task->graph != NULL && !task->graph->directed;
    uint64_t next = 0;
    hop_status status = HOP_OK;
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
done:
    return status;
}

hop_status hop__spanning_list_fill(hop__workspace *space, const hop__spanning_task *task,
                                   const hop__spanning_choice *choice, hop__spanning_list *list) {
    hop_context *context = space->context;
    list_job job = {context, task, choice, list};
    hop__progress_begin(context, "spanning: list of edges", list->blocks);
    hop__for(context, list->blocks, 1, fill_blocks, &job);
    return hop__progress_end(context);
}
