/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether edges are those of the minimum spanning forest:
 *  1. They are edges, ascending, and close no cycle.
 *  2. The ends of every other edge are joined by them.
 *  3. No other edge comes before the last one, in the order of edges, on the path in the forest
 *     between its ends. (By weight alone where any forest of least weight will do.)
 *
 * By the cycle property that is all there is to it. The last edge of a path: the forest's edges are
 * joined in order, the smaller tree under the larger, each link with its time. Then times grow on
 * the way up, no way up is longer than log n, and of two vertices the one of the earlier link goes
 * up until they meet: the last link of that walk is the edge (Hu 1961, as a walk up such a tree).
 *
 * Nothing is shared with the variants but the order of edges.
 *
 * Cost: O(m log n), most of it parallel; 12 bytes per vertex, 16 per edge of the forest, twice. */
#include "core/atomic.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/sort.h"
#include "core/try.h"
#include "spanning/spanning_internal.h"

enum { GRAIN = 1 << 14 };

#define NEVER UINT32_MAX

typedef struct spanning_proof {
    hop_context *context;
    const hop__spanning_task *task;
    bool weights_only;
    hop__u128 *sorted;                   /* the forest: key, then number */
    hop_vertex *parents, *sizes, *times; /* times: place in `sorted` of the link up */
    uint64_t wrong;                      /* the smallest number of an edge that breaks 2. or 3. */
} spanning_proof;

static hop__vertex_text name_of(const spanning_proof *proof, hop_vertex v) {
    const hop__names plain = {0};
    return proof->task->graph ? hop__name(proof->task->graph, v) : hop__names_text(&plain, v);
}

/* The edge of a number; false when there is none. */
static bool edge_at(const hop__spanning_task *task, uint64_t number, hop__spanning_edge *edge) {
    if (number >= task->places)
        return false;
    hop__spanning_cursor cursor = hop__spanning_begin(task, number, number + 1);
    edge->key = hop__spanning_key(&task->order, number);
    return hop__spanning_next(task, &cursor, edge);
}

static hop_status refuse(const spanning_proof *proof, const hop__spanning_edge *edge,
                         const char *what) {
    hop__fail(proof->context, HOP_ERR_CERTIFICATE, "spanning: edge %llu, from %s to %s, %s",
              (unsigned long long)edge->number, name_of(proof, edge->from).s,
              name_of(proof, edge->to).s, what);
    return hop__note_vertex(proof->context, HOP_KIND_CERTIFICATE, edge->from);
}

static hop_vertex top_of(const spanning_proof *proof, hop_vertex v) {
    while (proof->parents[v] != v)
        v = proof->parents[v];
    return v;
}

/* 1., and the tree of links. */
static hop_status link_forest(spanning_proof *proof, uint64_t count) {
    const hop_vertex n = proof->task->vertices;
    hop__spanning_edge edge;
    for (hop_vertex v = 0; v < n; v++) {
        proof->parents[v] = v;
        proof->sizes[v] = 1;
        proof->times[v] = NEVER;
    }
    for (uint64_t time = 0; time < count && hop__progress_add(proof->context, 1); time++) {
        (void)edge_at(proof->task, (uint64_t)proof->sorted[time], &edge);
        hop_vertex small = top_of(proof, edge.from), large = top_of(proof, edge.to);
        if (small == large)
            return refuse(proof, &edge, "closes a cycle of the forest");
        if (proof->sizes[small] > proof->sizes[large]) {
            hop_vertex swap = small;
            small = large;
            large = swap;
        }
        proof->parents[small] = large;
        proof->sizes[large] += proof->sizes[small];
        proof->times[small] = (hop_vertex)time;
    }
    return HOP_OK;
}

/* When the two were joined; NEVER. */
static hop_vertex joined_at(const spanning_proof *proof, hop_vertex u, hop_vertex v) {
    hop_vertex last = NEVER;
    while (u != v) {
        hop_vertex *lower = proof->times[u] <= proof->times[v] ? &u : &v;
        last = proof->times[*lower];
        if (last == NEVER)
            return NEVER;
        *lower = proof->parents[*lower];
    }
    return last;
}

static bool is_wrong(const spanning_proof *proof, const hop__spanning_edge *edge) {
    const hop_vertex time = joined_at(proof, edge->from, edge->to);
    if (time == NEVER)
        return true;
    const hop__u128 last = proof->sorted[time];
    if (proof->weights_only)
        return edge->key < (uint64_t)(last >> 64);
    return ((hop__u128)edge->key << 64 | edge->number) < last;
}

static void look_at_edges(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    spanning_proof *proof = arg;
    hop__spanning_cursor cursor = hop__spanning_begin(proof->task, begin, end);
    hop__spanning_edge edge;
    (void)thread;
    if (!hop__progress_add(proof->context, end - begin))
        return;
    while (hop__spanning_next(proof->task, &cursor, &edge)) {
        edge.key = hop__spanning_key(&proof->task->order, edge.number);
        if (is_wrong(proof, &edge)) {
            hop__lower_u64(&proof->wrong, edge.number);
            return;
        }
    }
}

/* 2. and 3. */
static hop_status look_at_all(spanning_proof *proof) {
    const hop__spanning_task *task = proof->task;
    hop__spanning_edge edge;
    proof->wrong = UINT64_MAX;
    hop__for(proof->context, task->places, GRAIN, look_at_edges, proof);
    if (proof->wrong == UINT64_MAX)
        return HOP_OK;
    (void)edge_at(task, proof->wrong, &edge);
    return refuse(proof, &edge,
                  joined_at(proof, edge.from, edge.to) == NEVER
                      ? "leads from one tree of the forest to another"
                      : "comes before an edge of the forest that it could replace");
}

static hop_status take_forest(spanning_proof *proof, const uint64_t *numbers, uint64_t count) {
    hop__spanning_edge edge;
    for (uint64_t i = 0; i < count; i++) {
        if (!edge_at(proof->task, numbers[i], &edge) || (i > 0 && numbers[i] <= numbers[i - 1]))
            return hop__fail(proof->context, HOP_ERR_CERTIFICATE,
                             "spanning: number %llu of the forest is %llu, which is %s",
                             (unsigned long long)i, (unsigned long long)numbers[i],
                             edge_at(proof->task, numbers[i], &edge)
                                 ? "not greater than the one before"
                                 : "no edge, or not from the smaller end");
        proof->sorted[i] = (hop__u128)edge.key << 64 | edge.number;
    }
    return hop__sort_u128(proof->context, proof->sorted, count, 128);
}

uint64_t hop__spanning_certify_memory(const hop_context *context, const hop__spanning_task *task) {
    const uint64_t n = task->vertices;
    return 3 * hop__block_bytes(n, sizeof(hop_vertex)) + hop__block_bytes(n, sizeof(hop__u128)) +
           hop__sort_memory(context, n, 128, sizeof(hop__u128));
}

static hop_status prove(spanning_proof *proof, const uint64_t *numbers, uint64_t count) {
    hop_status status, ended;
    HOP_TRY(status, take_forest(proof, numbers, count));
    hop__progress_begin(proof->context, "spanning: certify", count + proof->task->places);
    status = link_forest(proof, count);
    if (status == HOP_OK && hop__progress_add(proof->context, 0))
        status = look_at_all(proof);
    ended = hop__progress_end(proof->context);
    status = ended != HOP_OK ? ended : status;
done:
    return status;
}

hop_status hop__spanning_certify(hop_context *context, const hop__spanning_task *task,
                                 hop_certify mode, const uint64_t *numbers, uint64_t count) {
    const uint64_t n = task->vertices;
    spanning_proof proof = {
        .context = context, .task = task, .weights_only = mode == HOP_CERTIFY_VALID};
    hop_status status;
    if (count > 0 && count >= n)
        return hop__fail(context, HOP_ERR_CERTIFICATE,
                         "spanning: a forest of %llu vertices has not %llu edges",
                         (unsigned long long)n, (unsigned long long)count);
    HOP_TRY(status,
            hop__alloc(context, "spanning: certify", n, sizeof *proof.sorted, &proof.sorted));
    HOP_TRY(status,
            hop__alloc(context, "spanning: certify", n, sizeof *proof.parents, &proof.parents));
    HOP_TRY(status, hop__alloc(context, "spanning: certify", n, sizeof *proof.sizes, &proof.sizes));
    HOP_TRY(status, hop__alloc(context, "spanning: certify", n, sizeof *proof.times, &proof.times));
    status = prove(&proof, numbers, count);
done:
    hop__free(proof.sorted);
    hop__free(proof.parents);
    hop__free(proof.sizes);
    hop__free(proof.times);
    return status;
}
