/* SPDX-License-Identifier: Apache-2.0
 *
 * blocked: Floyd and Warshall's rounds taken BLOCK at a time. D2, algorithm 8 (Venkataraman,
 * Sahni, Mukhopadhyaya 2003).
 *
 * One step for each diagonal block:
 *   1. the block is closed: in the same way, INNER vertices at a time, and these by the plain
 *      triple loop, which reaches a tenth of what tiles in registers do;
 *   2. the cross: the blocks in its row are multiplied by it from the left, those in its column
 *      from the right. (D2 runs rounds over them; the closed block has them in it already, so that
 *      a product, least sums instead of sums of products, does the same.)
 *   3. the rest: every other block is given the product of its block in the column and its block
 *      in the row of the cross. Nearly all the work.
 * Products run over packed copies of the cross, a tile of the matrix in registers (min_plus.h).
 * The next diagonal block is done first in 3 and closed by the thread that did it, while the
 * others go on: so nobody waits for a step that one thread does alone.
 *
 * The same bits for every number of threads and level of instructions: what is added to what is
 * settled by BLOCK and INNER alone, and the least of several sums is the least in any order. Cross
 * and rest read packed copies, which nobody writes meanwhile.
 *
 * Integers. FAR, half of the largest number, stands for "not reached". So no sum of two wraps.
 * That is as if each pair that has no arc had one of weight FAR; with D = (n - 1) * max |w| < FAR /
 * 2 distances over none of these are at most D < FAR / 2, those over one or more are above. Int64
 * distances are worked out in 32 bits, twice as fast, where D allows, in the first half of the
 * matrix, and stretched out at the end.
 *
 * Floating point: sums along a path are added up in an order of their own, within the tolerance of
 * apsp.h: every addition that rounds joins two ways at a vertex, and a number goes through at most
 * one for each vertex (those of its block while that is closed, by the same argument inside it,
 * then one in the column or row of the cross, then one in the rest: all different, or what is added
 * is the 0 of a vertex to itself).
 *
 * Cost: n^3 sums; the matrix is loaded and stored n / BLOCK times; (2 n + 3 BLOCK) * BLOCK
 * distances of memory beside it. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "apsp/apsp_internal.h"
#include "apsp/apsp_matrix.h"
#include "apsp/min_plus.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"

enum {
    BLOCK = 256,       /* a multiple of every tile's columns and of HOP__TILE_ROWS */
    CHUNK = 2 * BLOCK, /* columns of a task: BLOCK rows of them stay in the second-level cache */
    INNER = 64         /* vertices of a diagonal block that are closed at a time */
};
_Static_assert(INNER % HOP__TILE_COLUMNS_MOST == 0 && INNER % HOP__TILE_ROWS == 0, "whole tiles");
_Static_assert(BLOCK % HOP__TILE_COLUMNS_MOST == 0 && BLOCK % HOP__TILE_ROWS == 0, "whole tiles");

/* Numbers in rows of `stride`. */
typedef struct grid {
    void *numbers;
    uint64_t stride;
} grid;

typedef struct blocked_job {
    hop_context *context;
    const hop_graph *graph;
    const hop__min_plus *kernel;
    void *matrix;
    uint64_t n, blocks;
    uint64_t first; /* vertex of the diagonal block */
    const hop__apsp_panels *panels;
    atomic_bool stopped;
} blocked_job;

static uint64_t block_size(const blocked_job *job, uint64_t first) {
    return job->n - first < BLOCK ? job->n - first : BLOCK;
}

static bool goes_on(blocked_job *job, uint64_t pairs) {
    if (pairs > 0 && !hop__progress_add(job->context, pairs))
        atomic_store_explicit(&job->stopped, true, memory_order_relaxed);
    return !atomic_load_explicit(&job->stopped, memory_order_relaxed);
}

#define TEMPLATE "apsp/blocked_template.h"
#include "graph/each_weighted.h"

/* The largest sum of a path, or UINT64_MAX. */
static uint64_t farthest(const hop__apsp_task *task) {
    return hop__apsp_times(task->query.graph->vertices - UINT64_C(1),
                           hop__apsp_heaviest(task->query.graph));
}

hop_weight_type hop__apsp_blocked_type(const hop__apsp_task *task) {
    if (task->distance_type == HOP_TYPE_INT64 && farthest(task) < HOP__FAR_32 / 2)
        return HOP_TYPE_INT32;
    return task->distance_type;
}

static bool refuse(const void *given, char reason[HOP__REASON]) {
    const hop__apsp_task *task = given;
    const hop__sssp_query *query = &task->query;
    if (query->distance_type != HOP_TYPE_INT64) {
        if (query->negative)
            snprintf(reason, HOP__REASON,
                     "with negative floating-point weights, sums that are rounded step by step "
                     "are not to be trusted; bellman-ford adds exactly");
        return query->negative;
    }
    bool narrow = task->distance_type == HOP_TYPE_INT32;
    if (query->graph->vertices == 0 ||
        farthest(task) < (narrow ? HOP__FAR_32 / 2 : HOP__FAR_64 / 2))
        return false;
    snprintf(reason, HOP__REASON,
             "sums of %u weights up to %llu may exceed a quarter of what %s holds, which it keeps "
             "free; %s",
             query->graph->vertices - 1, (unsigned long long)hop__apsp_heaviest(query->graph),
             hop_type_name(task->distance_type),
             narrow ? "use int64" : "floyd-warshall needs no such room");
    return true;
}

/* Numbers along one side of the cross, and of the diagonal block, packed; vertices of a block. */
typedef struct extent {
    uint64_t cross, block, depth;
    uint64_t inner; /* steps of the cross inside it, none if it is closed at once */
} extent;

static extent extent_of(uint64_t n) {
    uint64_t depth = n < BLOCK ? n : BLOCK;
    return (extent){n + HOP__TILE_COLUMNS_MOST, depth + HOP__TILE_COLUMNS_MOST, depth,
                    depth > INNER ? INNER : 0};
}

void hop__apsp_panel_blocks(hop__workspace *space, size_t at, hop_weight_type type, uint64_t n) {
    static const char what[] = "apsp: blocked";
    const extent e = extent_of(n);
    const size_t size = hop_type_size(type), step = e.depth * size;
    hop__block_add(space, what, e.cross, step, at + offsetof(hop__apsp_panels, left));
    hop__block_add(space, what, e.cross, step, at + offsetof(hop__apsp_panels, right));
    hop__block_add(space, what, e.block, step, at + offsetof(hop__apsp_panels, block));
    hop__block_add(space, what, e.block, step, at + offsetof(hop__apsp_panels, block_rows));
    hop__block_add(space, what, e.block, step, at + offsetof(hop__apsp_panels, block_columns));
    at += offsetof(hop__apsp_panels, inner);
    for (size_t i = 0; i < HOP_LENGTH(((hop__apsp_panels *)0)->inner) && e.inner > 0; i++)
        hop__block_add(space, what, e.block, e.inner * size, at + i * sizeof(void *));
}

static void blocked_blocks(const void *given, hop__workspace *space) {
    const hop__apsp_task *task = given;
    hop__apsp_panel_blocks(space, 0, hop__apsp_blocked_type(task), task->query.graph->vertices);
}

static blocked_job job_of(hop_context *context, hop_weight_type type, uint64_t n, void *matrix,
                          const hop__apsp_panels *panels) {
    return (blocked_job){.context = context,
                         .kernel = hop__min_plus_for(hop__cpu(), type),
                         .matrix = matrix,
                         .n = n,
                         .panels = panels,
                         .blocks = n / BLOCK + (n % BLOCK != 0)};
}

static void close_matrix(blocked_job *job, hop_weight_type type) {
#define ITEM(domain, type) [type] = domain##_close_all,
    static void (*const all[])(blocked_job * job) = {HOP__EACH_WEIGHTED(ITEM)};
#undef ITEM
    all[type](job);
}

hop_status hop__apsp_close(hop_context *context, hop_weight_type type, uint64_t n, void *matrix,
                           const hop__apsp_panels *panels) {
    blocked_job job = job_of(context, type, n, matrix, panels);
    close_matrix(&job, type);
    return goes_on(&job, 0) ? HOP_OK : HOP_ERR_CANCELLED;
}

static void fill_and_close(blocked_job *job, hop_weight_type type, hop_weight_type wanted) {
    hop__phase(job->context, "fill");
    if (!hop__apsp_fill_whole(job->context, job->graph, type, true, job->matrix))
        return;
    close_matrix(job, type);
    if (!goes_on(job, 0))
        return;
    hop__phase(job->context, "unreached");
    hop__apsp_finish(job->context, type, wanted, job->n * job->n, job->matrix);
}

static hop_status rows(hop_context *context, hop__apsp_task *task, hop_vertex first,
                       hop_vertex count, void *out) {
    const uint64_t n = task->query.graph->vertices, total = hop__apsp_times(n * n, n);
    hop_weight_type type = hop__apsp_blocked_type(task);
    hop__apsp_panels panels = {0};
    blocked_job job = job_of(context, type, n, out, &panels);
    hop__workspace space = {0};
    hop_status status;
    (void)first;
    (void)count;
    job.graph = task->query.graph;
    /* Rows of a tile are far apart: in small pages each would have one of its own. */
    hop__advise_huge(out, n * n * hop_type_size(task->distance_type));
    HOP_TRY(status, hop__workspace_open(context, NULL, blocked_blocks, task, &panels, &space));
    hop__progress_begin(context, "apsp: blocked", total == UINT64_MAX ? 0 : total);
    fill_and_close(&job, type, task->distance_type);
    task->rounds = job.blocks;
    task->relaxations = total;
    HOP_TRY(status, hop__progress_end(context));
done:
    hop__workspace_close(&space, status);
    return status;
}

const hop__apsp_variant hop__apsp_blocked = {
    .row = {.about = {.name = "blocked",
                      .summary = "the triple loop by blocks, in registers, on all threads",
                      .source = "Kemp 2012, algorithm 8 (Venkataraman et al. 2003)",
                      .place = HOP_PLACE_HOST},
            .refuse = refuse,
            .blocks = blocked_blocks},
    .whole = true,
    .rows = rows,
};
