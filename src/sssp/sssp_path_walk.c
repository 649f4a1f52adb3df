/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortest paths to a target, one after the other, in lexicographic order.
 *
 * Of the predecessors those are turned round that lead to the target: from each vertex that is left
 * the arcs on lead to it sooner or later. A search in depth along them, to the smaller ones first,
 * comes upon each path once. Where there is no cycle it never has to turn back before the target,
 * so that a path costs its length. Past cycles of weight 0 a step is made only to where the target
 * can be reached without what is on the path: found by a search back from the target before each
 * step (Read and Tarjan 1975).
 *
 * Invariants
 *  1. path[0] is the source; on_path has the bits of path[0] .. path[length - 1].
 *  2. next[i] is the place of the next arc to try from path[i].
 *  3. Successors of each vertex are ascending. */
#include <string.h>

#include "core/bitmap.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/try.h"
#include "sssp/sssp_all_paths.h"

enum { REPORT = 1 << 14 };

struct hop_path_walk {
    const hop_path_dag *dag;
    hop_vertex target;
    bool cycles;       /* a path may pass one */
    bool begun, ended; /* the first step was made; there are no more */
    bool given;        /* the path that ends at the target was handed out */
    uint64_t *offsets; /* n + 1, of the successors that lead to the target */
    hop_vertex *successors;
    hop_vertex *path;
    uint64_t *next;
    hop_vertex length;
    uint64_t *on_path;
    uint64_t *open;    /* bits: the target can be reached without what is on the path */
    hop_vertex *queue; /* n */
};

/* Marks what leads to the target and is not on the path, in `open`; the queue has it, and how many
 * it is is returned. */
static hop_vertex search_back(hop_path_walk *walk) {
    const hop_path_dag *dag = walk->dag;
    hop_vertex count = 0;
    memset(walk->open, 0, hop__bitmap_words(dag->vertices) * sizeof *walk->open);
    walk->queue[count++] = walk->target;
    hop__bitmap_set(walk->open, walk->target);
    for (hop_vertex at = 0; at < count; at++) {
        const uint64_t v = walk->queue[at];
        for (uint64_t i = dag->offsets[v]; i < dag->offsets[v + 1]; i++) {
            const hop_vertex u = dag->predecessors[i];
            if (hop__bitmap_get(walk->open, u) || hop__bitmap_get(walk->on_path, u))
                continue;
            hop__bitmap_set(walk->open, u);
            walk->queue[count++] = u;
        }
    }
    return count;
}

static hop_status make_successors(hop_context *context, hop_path_walk *walk) {
    const hop_path_dag *dag = walk->dag;
    const hop_vertex n = dag->vertices, count = search_back(walk);
    uint64_t sum = 0;
    hop_status status;
    for (hop_vertex at = 0; at < count; at++) {
        const uint64_t v = walk->queue[at];
        for (uint64_t i = dag->offsets[v]; i < dag->offsets[v + 1]; i++)
            walk->offsets[dag->predecessors[i]]++;
    }
    for (hop_vertex v = 0; v < n; v++) {
        const uint64_t size = walk->offsets[v];
        walk->offsets[v] = walk->next[v] = sum;
        sum += size;
    }
    walk->offsets[n] = sum;
    HOP_TRY(status, hop__alloc(context, "all paths: successors", sum, sizeof *walk->successors,
                               &walk->successors));
    for (hop_vertex v = 0; v < n; v++) /* ascending, so that successors are */
        for (uint64_t i = dag->offsets[v];
             hop__bitmap_get(walk->open, v) && i < dag->offsets[v + (uint64_t)1]; i++)
            walk->successors[walk->next[dag->predecessors[i]]++] = v;
    status = hop__progress_ask(context, "all paths: successors");
done:
    return status;
}

static hop_status open_walk(hop_context *context, hop_path_walk *walk) {
    const hop_vertex n = walk->dag->vertices;
    const uint64_t words = hop__bitmap_words(n);
    hop_status status;
    HOP_TRY(status, hop__alloc_zero(context, "all paths: offsets", n + UINT64_C(1),
                                    sizeof *walk->offsets, &walk->offsets));
    HOP_TRY(status, hop__alloc(context, "all paths: path", n, sizeof *walk->path, &walk->path));
    HOP_TRY(status, hop__alloc(context, "all paths: path", n, sizeof *walk->next, &walk->next));
    HOP_TRY(status, hop__alloc(context, "all paths: queue", n, sizeof *walk->queue, &walk->queue));
    HOP_TRY(status, hop__alloc_zero(context, "all paths: bits", words, sizeof *walk->on_path,
                                    &walk->on_path));
    HOP_TRY(status, hop__alloc(context, "all paths: bits", words, sizeof *walk->open, &walk->open));
    status = make_successors(context, walk);
done:
    return status;
}

hop_status hop_path_walk_create(hop_context *context, const hop_path_dag *dag, hop_vertex target,
                                hop_path_walk **walk) {
    hop_path_walk *made = NULL;
    hop_status status;
    if (!context || !dag || !walk)
        return hop__missing(context, "hop_path_walk_create");
    *walk = NULL;
    if (target >= dag->vertices) {
        hop__fail(context, HOP_ERR_ARGUMENT,
                  "all paths: the target is vertex %u, but there are only %u", target,
                  dag->vertices);
        return hop__note_range(context, target, dag->vertices);
    }
    HOP_TRY(status, hop__alloc_zero(context, "all paths", 1, sizeof *made, &made));
    made->dag = dag;
    made->target = target;
    made->cycles = dag->counts[target] == HOP_PATHS_UNKNOWN;
    made->ended = dag->counts[target] == 0;
    HOP_TRY(status, open_walk(context, made));
    *walk = made;
    made = NULL;
done:
    hop_path_walk_free(made);
    return status;
}

void hop_path_walk_free(hop_path_walk *walk) {
    if (!walk)
        return;
    hop__free(walk->offsets);
    hop__free(walk->successors);
    hop__free(walk->path);
    hop__free(walk->next);
    hop__free(walk->queue);
    hop__free(walk->on_path);
    hop__free(walk->open);
    hop__free(walk);
}

static void step_on(hop_path_walk *walk, hop_vertex v) {
    walk->next[walk->length] = walk->offsets[v];
    walk->path[walk->length++] = v;
    hop__bitmap_set(walk->on_path, v);
    if (walk->cycles && v != walk->target)
        (void)search_back(walk); /* for the steps from here, until one comes back */
}

static void step_back(hop_path_walk *walk) {
    const hop_vertex v = walk->path[--walk->length];
    walk->on_path[v / 64] &= ~(UINT64_C(1) << v % 64);
    if (walk->cycles && walk->length > 0)
        (void)search_back(walk);
}

/* One step on, or back. */
static void step(hop_path_walk *walk) {
    const hop_vertex v = walk->path[walk->length - 1];
    const uint64_t end = walk->offsets[v + (uint64_t)1];
    uint64_t *at = &walk->next[walk->length - 1];
    if (v != walk->target)
        for (; *at < end; ++*at)
            if (!walk->cycles || hop__bitmap_get(walk->open, walk->successors[*at])) {
                step_on(walk, walk->successors[(*at)++]);
                return;
            }
    step_back(walk);
}

hop_status hop_path_walk_next(hop_context *context, hop_path_walk *walk, const hop_vertex **path,
                              hop_vertex *length) {
    if (!context || !walk || !path || !length)
        return hop__missing(context, "hop_path_walk_next");
    *path = walk->path;
    *length = 0;
    if (walk->ended)
        return HOP_OK;
    hop__progress_begin(context, "all paths", 0);
    if (!walk->begun)
        step_on(walk, walk->dag->source);
    else if (walk->given)
        step_back(walk); /* from the target */
    walk->begun = true;
    walk->given = false; /* a call that was cancelled is gone on with */
    for (uint64_t steps = 1; walk->length > 0; steps++) {
        if (walk->path[walk->length - 1] == walk->target) {
            *length = walk->length;
            break;
        }
        step(walk);
        if ((walk->cycles || steps % REPORT == 0) && !hop__progress_add(context, 1))
            break;
    }
    walk->ended = walk->length == 0;
    const hop_status status = hop__progress_end(context);
    *length = status == HOP_OK ? *length : 0;
    walk->given = *length > 0;
    return status;
}
