/* SPDX-License-Identifier: Apache-2.0
 *
 * bfs-bits: searches breadth first from 64 to 512 vertices at once, where each arc counts the same.
 *
 * bfs_many.h has the search: one look at an arc serves all of them. In parallel over such batches,
 * each of which one thread searches for from beginning to end. Where nobody wants the rows, the
 * bits of a level are only counted, 512 of them with a few instructions: the sums, the reached and
 * the farthest of all rows cost no n * n.
 *
 * Rows lie far apart, so that an entry at a time would touch another line of memory each. What is
 * found in a level is noted beside the vertex instead, a byte for each source, eight of them by one
 * instruction; at the end tiles of 64 vertices and 64 sources are turned into pieces of rows.
 * Levels from 255 on do not fit into a byte: before them the tiles are turned, and what is found
 * later is written into the rows an entry at a time.
 *
 * Weights as in bfs: none, or all the same integer.
 *
 * Source: Then et al., "The more the merrier: efficient multi-source graph traversal", VLDB 2014.
 * Cost: O(n (n + m)) work in words of 64 bits, without the rows about 1/50 of that of bfs; per
 * thread 40 to 208 bytes per vertex, by the number of words, and 64 to 512 more for the rows. */
#include <string.h>

#include "apsp/apsp_internal.h"
#include "bfs/bfs_many.h"
#include "core/progress.h"
#include "core/try.h"

enum {
    TILE = 64,          /* vertices and sources */
    UNNOTED = UINT8_MAX /* in place of a level */
};

typedef struct bits_state {
    hop__many *searches; /* one for each worker */
    /* Of each worker, for each vertex, the levels in which the sources of its batch have found it:
     * 64 * words. NULL: no more than one row is wanted. */
    uint8_t *levels;
} bits_state;

/* What the levels of a vertex take, per worker. */
static uint64_t level_bytes(const hop__apsp_task *task, unsigned words) {
    return task->facts_only ? 0 : 64 * words;
}

/* What a vertex takes beside the graph, per worker. */
static uint64_t vertex_bytes(const hop__apsp_task *task, unsigned words) {
    return 24 * words + 17 + level_bytes(task, words);
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
           hop__apsp_times(n * task->workers, vertex_bytes(task, words)) > task->free_bytes / 4)
        words /= 2;
    return words;
}

static void bits_blocks(const void *given, hop__workspace *space) {
    const hop__apsp_task *task = given;
    const uint64_t all = (uint64_t)task->query.graph->vertices * task->workers;
    hop__block *searches = HOP__BLOCK(space, "apsp: searches", task->workers, bits_state, searches);
    searches->zero = true;
    hop__block_within(space, searches);
    hop__many_blocks(space, 0, task->query.graph->vertices, words_of(task));
    hop__block_within(space, NULL);
    if (!task->facts_only)
        HOP__BLOCK(space, "apsp: levels of a batch", all * level_bytes(task, words_of(task)),
                   bits_state, levels);
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

/* The levels that the worker of a search notes, or NULL. */
static uint8_t *levels_of(const batch_job *job, const hop__many *many) {
    const bits_state *state = job->task->state;
    uint64_t worker = (uint64_t)(many - state->searches);
    uint64_t at = worker * many->graph->vertices * 64 * many->words;
    return state->levels ? state->levels + at : NULL;
}

/* 0xff for each bit of eight, the first in the first byte of memory. */
static inline uint64_t spread_bits(uint64_t eight) {
    static const uint8_t one_each[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t picked;
    memcpy(&picked, one_each, 8);
    return ((((eight * each & picked) + 0x7f * each) >> 7) & each) * 0xff;
}

/* Notes what is found in this level, which nobody has noted yet. */
static void note_level(const hop__many *many, uint8_t *levels) {
    const uint64_t level = many->level * UINT64_C(0x0101010101010101);
    for (hop_vertex i = 0; i < many->listed; i++) {
        uint64_t at = (uint64_t)many->list[i] * many->words;
        for (unsigned w = 0; w < many->words; w++) {
            uint64_t bits = many->now[at + w], eight;
            uint8_t *to = levels + (at + w) * 64;
            for (; bits != 0; bits >>= 8, to += 8) {
                memcpy(&eight, to, 8);
                eight &= ~spread_bits(bits & 0xff) | level;
                memcpy(to, &eight, 8);
            }
        }
    }
}

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
