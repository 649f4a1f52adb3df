/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether labels are those of strong components, by the arcs alone:
 *  1. label[v] <= v, and a label is its own label: so it is the smallest vertex of its class.
 *  2. A search from all labels at once, along the arcs between vertices of one class, reaches every
 *     vertex; so does one against the arcs. So each class is strongly connected.
 *  3. Classes can be taken away one after another, each when no arc from another one that is left
 *     leads to it, until none is left (Kahn 1962). So no cycle goes through two of them.
 *
 * Nothing of this is a search in depth, and nothing is shared with the variants.
 *
 * Cost: O(n + m), by one thread; 21 bytes per vertex, and reverse arcs unless they are prepared. */
#include "core/bitmap.h"
#include "core/progress.h"
#include "core/sort.h"
#include "core/try.h"
#include "strong/strong_internal.h"

enum { REPORT = 1 << 14 };

typedef struct strong_proof {
    hop_context *context;
    const hop_graph *graph;
    const hop_vertex *labels; /* canonical */
    hop_vertex *queue;        /* n */
    uint64_t *seen;
    hop_vertex *members; /* n: class by class */
    hop_vertex *ends;    /* of a class at its label: where its members end */
    uint64_t *into;      /* of a class: arcs from others that are left */
    uint64_t steps;
} strong_proof;

/* False when the caller wants to stop. */
static bool goes_on(strong_proof *proof) {
    return ++proof->steps % REPORT != 0 || hop__progress_add(proof->context, REPORT);
}

static hop_status refuse_vertex(const strong_proof *proof, hop_vertex v, const char *what) {
    hop__fail(proof->context, HOP_ERR_CERTIFICATE, "strong: vertex %s has label %s, which %s",
              hop__name(proof->graph, v).s, hop__name(proof->graph, proof->labels[v]).s, what);
    return hop__note_vertex(proof->context, HOP_KIND_CERTIFICATE, v);
}

/* 1. */
static hop_status check_labels(strong_proof *proof, hop_vertex *count) {
    const hop_vertex n = proof->graph->vertices, *labels = proof->labels;
    *count = 0;
    for (hop_vertex v = 0; v < n; v++) {
        if (labels[v] >= n) {
            hop__fail(proof->context, HOP_ERR_CERTIFICATE,
                      "strong: vertex %s has label %u, and there are %u vertices",
                      hop__name(proof->graph, v).s, labels[v], n);
            return hop__note_vertex(proof->context, HOP_KIND_CERTIFICATE, v);
        }
        if (labels[v] > v)
            return refuse_vertex(proof, v, "is not the smallest of its component");
        if (labels[labels[v]] != labels[v])
            return refuse_vertex(proof, v, "is not its own label");
        *count += labels[v] == v;
    }
    return HOP_OK;
}

/* 2. Along the rows of `graph`: the arcs, or their reverse. */
static hop_status check_reach(strong_proof *proof, const hop_graph *graph, bool against) {
    const hop_vertex n = graph->vertices, *labels = proof->labels;
    hop_vertex height = 0;
    for (uint64_t word = 0; word < hop__bitmap_words(n); word++)
        proof->seen[word] = 0;
    for (hop_vertex v = 0; v < n; v++)
        if (labels[v] == v) {
            hop__bitmap_set(proof->seen, v);
            proof->queue[height++] = v;
        }
    while (height > 0 && goes_on(proof)) {
        uint64_t v = proof->queue[--height], end = hop__offset(graph, v + 1);
        for (uint64_t i = hop__offset(graph, v); i < end; i++) {
            hop_vertex w = graph->targets[i];
            if (labels[w] == labels[v] && !hop__bitmap_get(proof->seen, w)) {
                hop__bitmap_set(proof->seen, w);
                proof->queue[height++] = w;
            }
        }
    }
    for (hop_vertex v = 0; height == 0 && v < n; v++)
        if (!hop__bitmap_get(proof->seen, v))
            return refuse_vertex(proof, v, against ? "it does not reach" : "does not reach it");
    return HOP_OK;
}

/* The members of each class, one class after the other. */
static void gather_members(strong_proof *proof) {
    const hop_vertex n = proof->graph->vertices, *labels = proof->labels;
    hop_vertex end = 0;
    for (hop_vertex v = 0; v < n; v++)
        proof->ends[v] = 0;
    for (hop_vertex v = 0; v < n; v++)
        proof->ends[labels[v]]++;
    for (hop_vertex v = 0; v < n; v++) {
        hop_vertex size = proof->ends[v];
        proof->ends[v] = end; /* where it begins, until all members are there */
        end += size;
    }
    for (hop_vertex v = 0; v < n; v++)
        proof->members[proof->ends[labels[v]]++] = v;
}

/* Takes a class away; the ones that nothing leads to any more go to the queue. */
static hop_vertex take_away(strong_proof *proof, hop_vertex label, hop_vertex waiting) {
    const hop_graph *graph = proof->graph;
    for (hop_vertex at = proof->ends[label]; at > 0; at--) {
        uint64_t v = proof->members[at - 1];
        if (proof->labels[v] != label)
            break;
        uint64_t end = hop__offset(graph, v + 1);
        for (uint64_t i = hop__offset(graph, v); i < end; i++) {
            hop_vertex to = proof->labels[graph->targets[i]];
            if (to != label && --proof->into[to] == 0)
                proof->queue[waiting++] = to;
        }
        if (!goes_on(proof))
            break;
    }
    return waiting;
}

/* 3. */
static hop_status check_order(strong_proof *proof, hop_vertex count) {
    const hop_graph *graph = proof->graph;
    const hop_vertex n = graph->vertices, *labels = proof->labels;
    hop_vertex waiting = 0, taken = 0;
    gather_members(proof);
    for (hop_vertex v = 0; v < n; v++)
        proof->into[v] = 0;
    for (uint64_t v = 0; v < n; v++) {
        uint64_t end = hop__offset(graph, v + 1);
        for (uint64_t i = hop__offset(graph, v); i < end; i++)
            proof->into[labels[graph->targets[i]]] += labels[graph->targets[i]] != labels[v];
    }
    for (hop_vertex v = 0; v < n; v++)
        if (labels[v] == v && proof->into[v] == 0)
            proof->queue[waiting++] = v;
    while (taken < waiting && hop__progress_add(proof->context, 0))
        waiting = take_away(proof, proof->queue[taken++], waiting);
    if (taken < waiting || taken == count)
        return HOP_OK; /* or cancelled */
    for (hop_vertex v = 0; v < n; v++)
        if (labels[v] == v && proof->into[v] > 0) {
            hop__fail(proof->context, HOP_ERR_CERTIFICATE,
                      "strong: a cycle leads through several components, %u of which are on one or "
                      "behind one; the first of these has label %s",
                      count - taken, hop__name(graph, v).s);
            return hop__note_vertex(proof->context, HOP_KIND_CERTIFICATE, v);
        }
    return HOP_OK;
}

/* Any labels that tell the classes apart become those of the smallest vertices. */
static hop_status make_canonical(hop_context *context, const hop_vertex *labels, hop_vertex n,
                                 hop_vertex *made) {
    uint64_t *keys = NULL;
    hop_vertex first = 0;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "strong: certify", n, sizeof *keys, &keys));
    for (hop_vertex v = 0; v < n; v++)
        keys[v] = (uint64_t)labels[v] << 32 | v;
    HOP_TRY(status, hop__sort_u64(context, keys, n, 64));
    for (hop_vertex i = 0; i < n; i++) {
        if (i == 0 || keys[i] >> 32 != keys[i - 1] >> 32)
            first = (hop_vertex)keys[i];
        made[(hop_vertex)keys[i]] = first;
    }
done:
    hop__free(keys);
    return status;
}

uint64_t hop__strong_certify_memory(const hop_context *context, const hop_graph *graph,
                                    hop_certify mode) {
    const uint64_t n = graph->vertices, wide = hop__block_bytes(n, sizeof(uint64_t));
    const uint64_t narrow = hop__block_bytes(n, sizeof(hop_vertex));
    uint64_t bytes = 3 * narrow + wide + hop__block_bytes(hop__bitmap_words(n), sizeof(uint64_t));
    if (graph->directed && !hop_graph_prepared_reverse(graph))
        bytes += hop__reverse_bytes(graph);
    if (mode != HOP_CERTIFY_VALID)
        return bytes;
    /* The keys of make_canonical are gone before that is there. */
    uint64_t keys = wide + hop__sort_memory(context, n, 64, sizeof(uint64_t));
    return narrow + (keys > bytes ? keys : bytes);
}

static hop_status prove(strong_proof *proof, const hop_graph *reverse, hop_vertex claimed) {
    hop_context *context = proof->context;
    hop_vertex count;
    hop_status status, ended;
    HOP_TRY(status, check_labels(proof, &count));
    if (claimed != HOP_NO_VERTEX && claimed != count)
        return hop__fail(context, HOP_ERR_CERTIFICATE,
                         "strong: %u components are claimed, and the labels are %u", claimed,
                         count);
    hop__progress_begin(context, "strong: certify", 3 * (uint64_t)proof->graph->vertices);
    status = check_reach(proof, proof->graph, false);
    if (status == HOP_OK)
        status = check_reach(proof, reverse, true);
    if (status == HOP_OK)
        status = check_order(proof, count);
    ended = hop__progress_end(context);
    status = ended != HOP_OK ? ended : status;
done:
    return status;
}

hop_status hop__strong_certify(hop_context *context, const hop_graph *graph, hop_certify mode,
                               const hop_vertex *labels, hop_vertex count) {
    const hop_vertex n = graph->vertices;
    strong_proof proof = {.context = context, .graph = graph, .labels = labels};
    const hop_graph *reverse = graph->directed ? hop_graph_prepared_reverse(graph) : graph;
    hop_graph *turned = NULL;
    hop_vertex *canonical = NULL;
    hop_status status;
    if (mode == HOP_CERTIFY_VALID) {
        HOP_TRY(status, hop__alloc(context, "strong: certify", n, sizeof *canonical, &canonical));
        HOP_TRY(status, make_canonical(context, labels, n, canonical));
        proof.labels = canonical;
    }
    if (reverse == NULL)
        HOP_TRY(status, hop__graph_reverse_bare(context, graph, &turned));
    HOP_TRY(status, hop__alloc(context, "strong: certify", n, sizeof *proof.queue, &proof.queue));
    HOP_TRY(status,
            hop__alloc(context, "strong: certify", n, sizeof *proof.members, &proof.members));
    HOP_TRY(status, hop__alloc(context, "strong: certify", n, sizeof *proof.ends, &proof.ends));
    HOP_TRY(status, hop__alloc(context, "strong: certify", n, sizeof *proof.into, &proof.into));
    HOP_TRY(status, hop__alloc(context, "strong: certify", hop__bitmap_words(n), sizeof *proof.seen,
                               &proof.seen));
    status = prove(&proof, reverse ? reverse : turned, count);
done:
    hop__free(proof.queue);
    hop__free(proof.members);
    hop__free(proof.ends);
    hop__free(proof.into);
    hop__free(proof.seen);
    hop__free(canonical);
    hop_graph_release(turned);
    return status;
}
