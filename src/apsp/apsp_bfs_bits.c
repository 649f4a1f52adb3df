/* SPDX-License-Identifier: Apache-2.0
 *
 * bfs-bits: searches breadth first from 64 to 512 vertices at once, where each arc counts the same.
 *
 * bfs_many.h has the search: one look at an arc serves all of them. In parallel over such batches,
 * each of which one thread searches for from beginning to end. Who finds what in a level is written
 * into the rows, an entry for each bit; so no row is cleared. Where nobody wants the rows, the bits
 * of a level are only counted, 512 of them with a few instructions: the sums, the reached and the
 * farthest of all rows cost no n * n.
 *
 * Weights as in bfs: none, or all the same integer.
 *
 * Source: Then et al., "The more the merrier: efficient multi-source graph traversal", VLDB 2014.
 * Cost: O(n (n + m)) work in words of 64 bits, without the rows about 1/50 of that of bfs; per
 * thread 40 to 208 bytes per vertex, by the number of words. */
#include "apsp/apsp_internal.h"
#include "bfs/bfs_many.h"
#include "core/progress.h"
#include "core/try.h"

typedef struct bits_state {
    hop__many *searches; /* one for each worker */
} bits_state;

/* What a vertex takes beside the graph, per worker. */
static uint64_t vertex_bytes(unsigned words) {
    return 24 * words + 17;
}

/* As many words as the rows of a block fill, in a quarter of the budget. */
static unsigned words_of(const hop__apsp_task *task) {
    const uint64_t n = task->query.graph->vertices;
    uint64_t rows = task->row_count;
    if (task->by_rows && !task->facts_only &&
        HOP__APSP_BLOCK_BYTES / hop__apsp_row_bytes(task) < rows)
        rows = HOP__APSP_BLOCK_BYTES / hop__apsp_row_bytes(task);
    unsigned words = hop__many_words(rows / task->workers, HOP__MANY_WORDS);
    while (words > 1 &&
           hop__apsp_times(n * task->workers, vertex_bytes(words)) > task->free_bytes / 4)
        words /= 2;
    return words;
}

static void bits_blocks(const void *given, hop__workspace *space) {
    const hop__apsp_task *task = given;
    hop__block *searches = HOP__BLOCK(space, "apsp: searches", task->workers, bits_state, searches);
    searches->zero = true;
    hop__block_within(space, searches);
    hop__many_blocks(space, 0, task->query.graph->vertices, words_of(task));
    hop__block_within(space, NULL);
}

static hop_status start(hop_context *context, hop__apsp_task *task) {
    const hop_graph *graph = task->query.graph;
    bits_state *state = task->state;
    hop_status status;
    HOP_TRY(status,
            hop__workspace_open(context, NULL, bits_blocks, task, task->state, task->space));
    for (unsigned i = 0; i < task->workers; i++)
        hop__many_open(&state->searches[i], context, graph, hop_graph_prepared_reverse(graph),
                       words_of(task));
done:
    return status;
}

static void finish(hop__apsp_task *task) {
    bits_state *state = task->state;
    for (unsigned i = 0; state->searches && i < task->workers; i++)
        task->relaxations += state->searches[i].relaxations;
}

/* Rows first .. first+count-1 of a call. */
typedef struct batch_job {
    const hop__apsp_task *task;
    int64_t step; /* what an arc counts */
    hop_vertex first, count;
    void *rows;             /* or: */
    hop__apsp_facts *facts; /* of each */
} batch_job;

#define DOMAIN int32
#include "apsp/apsp_bfs_bits_template.h"
#define DOMAIN int64
#include "apsp/apsp_bfs_bits_template.h"

/* What the rows of a batch say, from how many each search finds in each level. */
static void count_batch(const batch_job *job, hop__many *many, hop__apsp_facts *facts) {
    uint32_t counts[HOP__MANY_SOURCES];
    uint64_t sums[HOP__MANY_SOURCES] = {0};
    for (unsigned i = 0; i < many->count; i++)
        facts[i] = (hop__apsp_facts){.reached = 1, .farthest = HOP_NO_VERTEX};
    while (hop__many_step(many)) {
        hop__many_count(many, counts);
        for (unsigned i = 0; i < many->count; i++) {
            sums[i] += (uint64_t)counts[i] * many->level;
            facts[i].reached += counts[i];
            if (counts[i] > 0)
                facts[i].whole = many->level * job->step;
        }
    }
    for (unsigned i = 0; i < many->count; i++) {
        facts[i].number = (double)facts[i].whole;
        facts[i].sum = (double)(sums[i] * (uint64_t)job->step); /* below 2^53 */
    }
}

static hop_vertex source_of(const void *user, uint64_t number) {
    const batch_job *job = user;
    return hop__apsp_vertex(job->task, job->first + (hop_vertex)number);
}

static void search_batch(const void *user, hop__many *many, uint64_t at) {
    const batch_job *job = user;
    char *rows = job->rows;
    if (job->facts)
        count_batch(job, many, job->facts + at);
    else if (job->task->distance_type == HOP_TYPE_INT32)
        int32_batch(job, many, (int32_t *)(rows + at * hop__apsp_row_bytes(job->task)));
    else
        int64_batch(job, many, (int64_t *)(rows + at * hop__apsp_row_bytes(job->task)));
}

static hop_status run_job(hop_context *context, hop__apsp_task *task, batch_job *job) {
    const hop_graph *graph = task->query.graph;
    hop__many_batches batches = {.context = context,
                                 .searches = ((bits_state *)task->state)->searches,
                                 .workers = task->workers,
                                 .count = job->count,
                                 .source = source_of,
                                 .search = search_batch,
                                 .user = job};
    job->task = task;
    job->step = graph->weight_type == HOP_TYPE_NONE ? 1 : graph->shared->facts.max_weight_int;
    hop__progress_resume(context, "apsp: bfs-bits", task->row_count, job->first);
    hop__phase(context, "searches");
    hop__phase_items(context, job->count);
    task->rounds += hop__many_run(&batches);
    return hop__progress_end(context);
}

static hop_status rows(hop_context *context, hop__apsp_task *task, hop_vertex first,
                       hop_vertex count, void *out) {
    batch_job job = {.first = first, .count = count, .rows = out};
    return run_job(context, task, &job);
}

static hop_status facts(hop_context *context, hop__apsp_task *task, hop_vertex first,
                        hop_vertex count, hop__apsp_facts *out) {
    batch_job job = {.first = first, .count = count, .facts = out};
    return run_job(context, task, &job);
}

const hop__apsp_variant hop__apsp_bfs_bits = {
    .row = {.about = {.name = "bfs-bits",
                      .summary = "searches breadth first from up to 512 vertices at once, a bit "
                                 "each; weights as in bfs",
                      .source = "Then et al. 2014",
                      .place = HOP_PLACE_HOST},
            .refuse = hop__apsp_refuse_weights,
            .blocks = bits_blocks},
    .state_bytes = sizeof(bits_state),
    .exact = true,
    .start = start,
    .rows = rows,
    .facts = facts,
    .finish = finish,
};
