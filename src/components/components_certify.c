/* SPDX-License-Identifier: Apache-2.0
 *
 * Certifies labels of components, from the labels alone.
 *
 * 1. Labels are equal along every arc: so every component has one label.
 * 2. Canonical: label[v] <= v and label[label[v]] = label[v]. So the classes of equal labels are
 *    as many as the vertices with label[v] = v, `count`, and the label of a class is a member that
 *    none of its members is below.
 * 3. A union-find of our own makes n - count unions, so there are `count` components. By 1 every
 *    class is a union of components, and there are as many of each: so classes are components.
 *
 * By 1 there can be no more than n - count unions, so the union-find stops when it has made them.
 * It looks at the first arcs of all vertices first: in most graphs that is nearly enough. In an
 * undirected graph each edge has an arc at both ends. So 1 is checked at the larger end only; and
 * once the first arcs are done, vertices that are joined already with the largest part (as a
 * sample tells) are left out, since an edge from them to another part is met at its other end.
 *
 * VALID drops 2: the labels of the roots of the union-find, which then looks at every arc, must
 * all be different.
 *
 * The union-find links roots by compare-and-swap, the larger below the smaller, from all threads;
 * each success is one union. It shares no code with the variants.
 *
 * Of a graph on disk all of 1 and 3 is done in one reading of the arcs, every one of them joined.
 *
 * Labels of neighbours are looked up at random. Where most vertices have the same label, it is
 * enough to look up whether they have that one, in a bitmap that is small enough for a cache.
 *
 * Cost: O(n + m), in parallel; 4 bytes and a bit per vertex, VALID at most 8 bytes more. */
#include "components/components_internal.h"

#include <stdio.h>

#include "core/atomic.h"
#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/sort.h"
#include "core/try.h"
#include "store/arc_visit.h"

enum { GRAIN = 1 << 12, FIRST_ARCS = 3, SAMPLE = 1 << 10 };

typedef struct job {
    hop_context *context;
    const hop_graph *graph;
    const hop_vertex *labels;
    bool canonical;
    hop_vertex *parents;
    hop_vertex common;    /* a label that many vertices have */
    uint64_t *has_common; /* a bit for each vertex: its label is that */
    uint64_t wanted;      /* unions after which to stop */
    bool rest;            /* all arcs but the first FIRST_ARCS of each vertex; else only these */
    hop_vertex most; /* with all that are left: a vertex of the largest part, or HOP_NO_VERTEX */
    atomic_uint_fast64_t unions, roots;
    uint64_t bad_vertex; /* smallest with a fault, or UINT64_MAX */
    uint64_t bad_arc;    /* on disk: the first with a fault, from << 32 | to, or UINT64_MAX */
} job;

/* The number that more than half of a sample of the array is, if there is one; else any of them. */
static hop_vertex vote(const hop_vertex *numbers, hop_vertex n) {
    uint64_t step = 1 + n / SAMPLE, votes = 0;
    hop_vertex winner = 0;
    for (uint64_t v = 0; v < n; v += step) {
        if (votes == 0)
            winner = numbers[v];
        votes += numbers[v] == winner ? 1 : UINT64_MAX; /* that is, - 1 */
    }
    return winner;
}

/* Whether the neighbours of v, in the row [i, end), have the common label. */
static bool row_common(const job *work, uint64_t v, uint64_t i, uint64_t end) {
    const hop_graph *graph = work->graph;
    uint64_t all = 1, limit = graph->directed ? UINT64_MAX : v;
    for (; i < end && graph->targets[i] < limit; i++)
        all &= work->has_common[graph->targets[i] / 64] >> graph->targets[i] % 64;
    return all & 1;
}

/* Whether v's own label is canonical, and, in memory, equal to those of its neighbours. */
static bool vertex_sound(const job *work, uint64_t v) {
    const hop_graph *graph = work->graph;
    hop_vertex label = work->labels[v], different = 0;
    if (work->canonical && (label > v || work->labels[label] != label))
        return false;
    if (graph->store != NULL)
        return true;
    uint64_t i = hop__offset(graph, v), end = hop__offset(graph, v + 1);
    if (label == work->common)
        return row_common(work, v, i, end);
    if (graph->directed)
        for (; i < end; i++)
            different |= work->labels[graph->targets[i]] ^ label;
    for (; i < end && graph->targets[i] < v; i++)
        different |= work->labels[graph->targets[i]] ^ label;
    return different == 0;
}

static void labels_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    uint64_t roots = 0;
    (void)thread;
    if (!hop__progress_add(work->context, 0))
        return;
    for (uint64_t v = begin; v < end; v++) {
        roots += work->labels[v] == v;
        if (!vertex_sound(work, v)) {
            hop__lower_u64(&work->bad_vertex, v);
            return;
        }
        work->parents[v] = (hop_vertex)v;
    }
    atomic_fetch_add(&work->roots, roots);
    (void)hop__progress_add(work->context, end - begin);
}

/* Any number of words of the bitmap. */
static void common_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    uint64_t n = work->graph->vertices;
    (void)thread;
    for (uint64_t word = begin; word < end; word++) {
        uint64_t bits = 0, first = word * 64, count = n - first < 64 ? n - first : 64;
        for (uint64_t i = 0; i < count; i++)
            bits |= (uint64_t)(work->labels[first + i] == work->common) << i;
        work->has_common[word] = bits;
    }
}

static hop_vertex climb(hop_vertex *parents, hop_vertex v) {
    for (;;) {
        hop_vertex parent = __atomic_load_n(&parents[v], __ATOMIC_RELAXED);
        if (parent == v)
            return v;
        hop_vertex grand = __atomic_load_n(&parents[parent], __ATOMIC_RELAXED);
        /* Only ever lowers a parent to an ancestor, so losing a race does no harm. */
        if (grand != parent)
            __atomic_compare_exchange_n(&parents[v], &parent, grand, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
        v = grand;
    }
}

/* Joins the trees of two vertices; 1 when they were two. */
static uint64_t join(hop_vertex *parents, hop_vertex u, hop_vertex v) {
    for (;;) {
        u = climb(parents, u);
        v = climb(parents, v);
        if (u == v)
            return 0;
        hop_vertex low = u < v ? u : v, high = u < v ? v : u, root = high;
        if (__atomic_compare_exchange_n(&parents[high], &root, low, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return 1;
    }
}

static bool is_most(const job *work, hop_vertex v) {
    return work->most != HOP_NO_VERTEX &&
           climb(work->parents, v) == climb(work->parents, work->most);
}

static void union_range(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    job *work = arg;
    const hop_graph *graph = work->graph;
    uint64_t unions = 0;
    (void)thread;
    if (atomic_load_explicit(&work->unions, memory_order_relaxed) >= work->wanted ||
        !hop__progress_add(work->context, 0))
        return;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t arc = hop__offset(graph, v), stop = hop__offset(graph, v + 1);
        if (!work->rest && stop - arc > FIRST_ARCS)
            stop = arc + FIRST_ARCS;
        if (work->rest && (stop - arc <= FIRST_ARCS || is_most(work, (hop_vertex)v)))
            continue;
        arc += work->rest ? FIRST_ARCS : 0;
        for (; arc < stop; arc++)
            unions += join(work->parents, (hop_vertex)v, graph->targets[arc]);
    }
    atomic_fetch_add(&work->unions, unions);
    (void)hop__progress_add(work->context, end - begin);
}

/* Canonical labels are vertices; others may be anything. */
static hop__vertex_text name_of_label(const job *work, hop_vertex label) {
    hop__vertex_text text;
    if (work->canonical)
        return hop__name(work->graph, label);
    snprintf(text.s, sizeof text.s, "%u", label);
    return text;
}

static hop_status report_edge(const job *work, uint64_t u, uint64_t v) {
    hop__fail(work->context, HOP_ERR_CERTIFICATE,
              "components: the edge between %s and %s joins labels %s and %s",
              hop__name(work->graph, u).s, hop__name(work->graph, v).s,
              name_of_label(work, work->labels[u]).s, name_of_label(work, work->labels[v]).s);
    return hop__note_vertex(work->context, HOP_KIND_CERTIFICATE, u);
}

static hop_status report_vertex(const job *work, uint64_t v) {
    const hop_graph *graph = work->graph;
    hop_vertex label = work->labels[v];
    hop__vertex_text name = hop__name(graph, v);
    if (work->canonical && (label > v || work->labels[label] != label)) {
        hop__fail(work->context, HOP_ERR_CERTIFICATE,
                  "components: vertex %s has label %s, which is %s", name.s,
                  name_of_label(work, label).s,
                  label > v ? "not the smallest of its component" : "not its own label");
        return hop__note_vertex(work->context, HOP_KIND_CERTIFICATE, v);
    }
    for (uint64_t i = hop__offset(graph, v); i < hop__offset(graph, v + 1); i++)
        if (work->labels[graph->targets[i]] != label) {
            report_edge(work, v, graph->targets[i]);
            return hop__note_arc(work->context, HOP_KIND_CERTIFICATE, v, i);
        }
    hop__fail(work->context, HOP_ERR_CERTIFICATE, "components: vertex %s is wrong", name.s);
    return hop__note_vertex(work->context, HOP_KIND_CERTIFICATE, v);
}

/* Counts unions until there are `wanted`, or no arcs are left. */
static hop_status count_unions(job *work) {
    hop_context *context = work->context;
    hop__progress_begin(context, "components: certify unions", (uint64_t)work->graph->vertices * 2);
    hop__for(context, work->graph->vertices, GRAIN, union_range, work);
    work->rest = true;
    work->most = work->graph->directed ? HOP_NO_VERTEX : vote(work->parents, work->graph->vertices);
    hop__for(context, work->graph->vertices, GRAIN, union_range, work);
    return hop__progress_end(context);
}

/* Equal labels along the arcs of a block, and their unions. */
static void certify_block(void *arg, const hop__arc_block *block, unsigned thread) {
    job *work = arg;
    const hop_graph *graph = work->graph;
    uint64_t unions = 0;
    (void)thread;
    for (hop__walk row = hop__walk_first(graph, block); row.begin < block->end;
         hop__walk_next(graph, block, &row))
        for (uint64_t i = row.begin; i < row.end; i++) {
            hop_vertex v = (hop_vertex)row.vertex, w = block->targets[i - block->begin];
            if (work->labels[v] != work->labels[w])
                hop__lower_u64(&work->bad_arc, row.vertex << 32 | w);
            unions += join(work->parents, v, w);
        }
    atomic_fetch_add(&work->unions, unions);
    (void)hop__progress_add(work->context, block->end - block->begin);
}

/* Reads every arc of a graph on disk, once. */
static hop_status certify_stream(job *work) {
    hop_context *context = work->context;
    hop__arcs *arcs = NULL;
    hop_status status, ended;
    HOP_TRY(status, hop__arcs_open(context, work->graph, false, &arcs));
    hop__progress_begin(context, "components: certify arcs", work->graph->arcs);
    status = hop__arcs_visit(context, arcs, NULL, certify_block, work);
    ended = hop__progress_end(context);
    if (status == HOP_OK)
        status = ended;
    uint64_t bad = hop__load_u64(&work->bad_arc);
    if (status == HOP_OK && bad != UINT64_MAX)
        status = report_edge(work, bad >> 32, bad & UINT32_MAX);
done:
    hop__arcs_close(arcs);
    return status;
}

/* The labels of the roots must differ from each other. */
static hop_status check_distinct(job *work) {
    hop_context *context = work->context;
    hop_vertex *roots = NULL, n = work->graph->vertices;
    uint64_t count = 0;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "components: roots", n - atomic_load(&work->unions),
                               sizeof *roots, &roots));
    for (hop_vertex v = 0; v < n; v++)
        if (work->parents[v] == v)
            roots[count++] = work->labels[v];
    HOP_TRY(status, hop__sort_u32(context, roots, count, 32));
    for (uint64_t i = 1; i < count; i++)
        if (roots[i] == roots[i - 1]) {
            status = hop__fail(context, HOP_ERR_CERTIFICATE,
                               "components: two components have the same label %s",
                               name_of_label(work, roots[i]).s);
            goto done;
        }
done:
    hop__free(roots);
    return status;
}

static hop_status check_counts(const job *work, hop_vertex claimed) {
    hop_vertex n = work->graph->vertices;
    uint64_t components = n - atomic_load(&work->unions);
    if (work->canonical && components != atomic_load(&work->roots))
        return hop__fail(work->context, HOP_ERR_CERTIFICATE,
                         "components: the labels tell %llu components apart, but edges join their "
                         "vertices to %llu",
                         (unsigned long long)atomic_load(&work->roots),
                         (unsigned long long)components);
    if (claimed != HOP_NO_VERTEX && components != claimed)
        return hop__fail(work->context, HOP_ERR_CERTIFICATE,
                         "components: %u are claimed, there are %llu", claimed,
                         (unsigned long long)components);
    return HOP_OK;
}

uint64_t hop__components_certify_memory(const hop_context *context, const hop_graph *graph,
                                        hop_certify mode) {
    const uint64_t n = graph->vertices, labels = hop__block_bytes(n, sizeof(hop_vertex));
    return labels + hop__block_bytes(hop__bitmap_words(n), sizeof(uint64_t)) +
           (graph->store != NULL ? hop__arcs_bytes(graph) : 0) +
           (mode == HOP_CERTIFY_VALID ? labels + hop__sort_memory(context, n, 32, sizeof(uint32_t))
                                      : 0);
}

hop_status hop__components_certify(hop_context *context, const hop_graph *graph, hop_certify mode,
                                   const hop_vertex *labels, hop_vertex count) {
    hop_status status;
    job work = {.context = context,
                .graph = graph,
                .labels = labels,
                .canonical = mode != HOP_CERTIFY_VALID};
    work.bad_vertex = work.bad_arc = UINT64_MAX;
    HOP_TRY(status, hop__alloc(context, "components: certify", graph->vertices,
                               sizeof *work.parents, &work.parents));
    HOP_TRY(status, hop__alloc(context, "components: certify", hop__bitmap_words(graph->vertices),
                               sizeof *work.has_common, &work.has_common));
    work.common = vote(labels, graph->vertices);
    hop__for(context, hop__bitmap_words(graph->vertices), GRAIN, common_range, &work);
    hop__progress_begin(context, "components: certify labels", graph->vertices);
    hop__for(context, graph->vertices, GRAIN, labels_range, &work);
    HOP_TRY(status, hop__progress_end(context));
    if (hop__load_u64(&work.bad_vertex) != UINT64_MAX) {
        status = report_vertex(&work, hop__load_u64(&work.bad_vertex));
        goto done;
    }
    work.wanted = work.canonical ? graph->vertices - atomic_load(&work.roots) : UINT64_MAX;
    HOP_TRY(status, graph->store != NULL ? certify_stream(&work) : count_unions(&work));
    HOP_TRY(status, check_counts(&work, count));
    if (!work.canonical)
        HOP_TRY(status, check_distinct(&work));
done:
    hop__free(work.has_common);
    hop__free(work.parents);
    return status;
}
