/* SPDX-License-Identifier: Apache-2.0
 *
 * bits: the facts of up to 512 vertices at once, by searches breadth first (bfs_many.h): how many
 * vertices each has found is counted level by level, and no distance is ever written down.
 *
 * In parallel over batches of vertices. The facts of a vertex depend on its levels alone, so their
 * bits do not depend on the batches.
 *
 * Cost: see bfs_many.h; per thread 40 to 208 bytes per vertex. */
#include <stdio.h>
#include <string.h>

#include "bfs/bfs_many.h"
#include "core/progress.h"
#include "core/try.h"
#include "measure/measure_internal.h"

typedef struct bits_state {
    hop__many *searches; /* one for each worker */
} bits_state;

static bool refuse(const void *given, char reason[HOP__REASON]) {
    const hop__measure_task *task = given;
    if (task->graph->weight_type == HOP_TYPE_NONE)
        return false;
    snprintf(reason, HOP__REASON,
             "it counts arcs, and the graph has weights (%s); searches adds "
             "them up",
             hop_type_name(task->graph->weight_type));
    return true;
}

static void bits_blocks(const void *given, hop__workspace *space) {
    const hop__measure_task *task = given;
    hop__block *searches =
        HOP__BLOCK(space, "measure: searches", task->workers, bits_state, searches);
    searches->zero = true;
    hop__block_within(space, searches);
    hop__many_blocks(space, 0, task->graph->vertices, task->words);
    hop__block_within(space, NULL);
}

/* Adds a level, in which each search of the batch has found so many. */
static void add_level(const hop__measure_task *task, const hop__many *many, const uint32_t *counts,
                      hop__measure_facts *facts) {
    const uint64_t level = many->level;
    uint64_t all = 0;
    for (unsigned i = 0; i < many->count; i++) {
        if (counts[i] == 0)
            continue;
        all += counts[i];
        facts[i].reached += counts[i];
        facts[i].sum.whole += counts[i] * level;
        facts[i].farthest.whole = level;
        if (level > 0)
            facts[i].inverse += (double)counts[i] / (double)level;
    }
    if (task->levels)
        __atomic_fetch_add(&task->levels[level], all, __ATOMIC_RELAXED);
}

static hop_vertex source_of(const void *user, uint64_t number) {
    return hop__measure_vertex(user, number);
}

static void measure_batch(const void *user, hop__many *many, uint64_t at) {
    const hop__measure_task *task = user;
    uint32_t counts[HOP__MANY_SOURCES];
    hop__measure_facts own[HOP__MANY_SOURCES], *facts = task->facts ? task->facts + at : own;
    memset(facts, 0, many->count * sizeof *facts);
    do {
        hop__many_count(many, counts);
        add_level(task, many, counts, facts);
    } while (many->level < task->within && hop__many_step(many));
}

static hop_status bits_run(hop_context *context, hop__measure_task *task) {
    bits_state state = {0};
    hop__workspace space;
    hop_status status;
    hop__workspace_clear(&space);
    HOP_TRY(status, hop__workspace_open(context, NULL, bits_blocks, task, &state, &space));
    for (unsigned i = 0; i < task->workers; i++)
        hop__many_open(&state.searches[i], context, task->graph, task->into, task->words);
    hop__many_batches batches = {.context = context,
                                 .searches = state.searches,
                                 .workers = task->workers,
                                 .count = task->count,
                                 .source = source_of,
                                 .search = measure_batch,
                                 .user = task};
    hop__phase(context, "searches");
    hop__phase_items(context, task->count);
    hop__progress_begin(context, "measure: bits", task->count);
    uint64_t rounds = hop__many_run(&batches);
    HOP_TRY(status, hop__progress_end(context));
    task->rounds += rounds;
    for (unsigned i = 0; i < task->workers; i++)
        task->relaxations += state.searches[i].relaxations;
done:
    hop__workspace_close(&space, status);
    return status;
}

const hop__measure_variant hop__measure_bits = {
    .row = {.about = {.name = "bits",
                      .summary = "searches breadth first from up to 512 vertices at once, a bit "
                                 "each; no weights",
                      .source = "Then et al. 2014",
                      .place = HOP_PLACE_HOST},
            .refuse = refuse,
            .blocks = bits_blocks},
    .run = bits_run,
};
