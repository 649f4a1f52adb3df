/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that the arrays of a graph are what they claim to be, before anything relies on it:
 * invariants 1 to 5 of graph_internal.h. One parallel pass over offsets, targets and weights.
 *
 * Symmetry of an undirected graph is checked by a sum: every arc u->v with u < v adds a 64-bit
 * hash of (u, v, weight), every arc with u > v subtracts the hash of (v, u, weight). The sums
 * cancel when the two directions match; when they do not, they cancel by accident with
 * probability 2^-64. A file made to fool the hash gives an asymmetric graph, and so a wrong
 * answer about a graph that is a lie, but never an access out of bounds. */
#include <math.h>
#include <string.h>

#include "core/atomic.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/real_bits.h"
#include "graph/graph_facts.h"

enum { GRAIN = 1 << 13 };

typedef struct job {
    hop_context *context;
    const hop_graph *graph;
    uint64_t bad_vertex; /* smallest with a faulty row, or UINT64_MAX */
    atomic_uint_fast64_t loops;
    atomic_uint_fast64_t balance; /* the sum that must be 0 when undirected */
} job;

typedef enum fault { SOUND, OFFSETS, TARGET, ORDER, NOT_A_NUMBER } fault;

static bool weight_nan(const hop_graph *graph, uint64_t arc) {
    if (graph->weight_type == HOP_TYPE_FLOAT32)
        return isnan(((const float *)graph->weights)[arc]);
    return graph->weight_type == HOP_TYPE_FLOAT64 && isnan(((const double *)graph->weights)[arc]);
}

/* What is wrong with the row of `vertex`, and at which arc. */
static fault row_fault(const hop_graph *graph, uint64_t vertex, uint64_t *arc) {
    uint64_t begin = hop__offset(graph, vertex), end = hop__offset(graph, vertex + 1);
    hop_vertex last = 0;
    if (begin > end || end > graph->arcs)
        return OFFSETS;
    for (uint64_t i = begin; i < end; i++) {
        *arc = i;
        if (graph->targets[i] >= graph->vertices)
            return TARGET;
        if (graph->targets[i] < last)
            return ORDER;
        if (weight_nan(graph, i))
            return NOT_A_NUMBER;
        last = graph->targets[i];
    }
    return SOUND;
}

/* How many of targets[begin + 1 .. end - 1] are below the one before them. */
static uint64_t count_falls(const hop_vertex *targets, uint64_t begin, uint64_t end) {
    enum { BLOCK = 1 << 20 }; /* whose sum is of the targets' width, for the compiler's vectors */
    uint64_t all = 0;
    for (uint64_t from = begin + 1; from < end; from += BLOCK) {
        uint64_t to = end - from < BLOCK ? end : from + BLOCK;
        uint32_t falls = 0;
        for (uint64_t i = from; i < to; i++)
            falls += targets[i] < targets[i - 1];
        all += falls;
    }
    return all;
}

/* Targets fall where a row begins, or some row is not sorted: so long runs are looked at, not rows,
 * which are short in most graphs. */
bool hop__rows_are_sorted(const hop_graph *graph, uint64_t first, uint64_t last) {
    const hop_vertex *targets = graph->targets;
    const uint64_t begin = hop__offset(graph, first), end = hop__offset(graph, last);
    uint64_t start = begin, between = 0;
    for (uint64_t v = first; v < last; v++) {
        uint64_t stop = hop__offset(graph, v + 1);
        if (start > begin && start < stop)
            between += targets[start] < targets[start - 1];
        start = stop;
    }
    return count_falls(targets, begin, end) == between;
}

static bool targets_sound(const hop_graph *graph, uint64_t first, uint64_t last) {
    const hop_vertex *targets = graph->targets, vertices = graph->vertices;
    hop_vertex wrong = 0;
    for (uint64_t i = hop__offset(graph, first), end = hop__offset(graph, last); i < end; i++)
        wrong |= targets[i] >= vertices;
    return !wrong && hop__rows_are_sorted(graph, first, last);
}

static bool offsets_sound(const hop_graph *graph, uint64_t first, uint64_t last) {
    uint64_t begin = hop__offset(graph, first), wrong = 0;
    for (uint64_t v = first; v < last; v++) {
        uint64_t end = hop__offset(graph, v + 1);
        wrong |= begin > end;
        begin = end;
    }
    return !wrong && begin <= graph->arcs; /* none falls, and the last is in range: so are all */
}

/* Negative for NaN alone, whose bits without the sign are above those of infinity: a difference,
 * because compilers make vectors of it. */
static int64_t below_nan(double value) {
    return INT64_C(0x7ff0000000000000) - (int64_t)(hop__double_bits(value) & INT64_MAX);
}

static bool weights_sound(const hop_graph *graph, uint64_t first, uint64_t last) {
    uint64_t begin = hop__offset(graph, first), end = hop__offset(graph, last);
    const float *singles = graph->weights;
    const double *doubles = graph->weights;
    uint32_t wrong = 0;
    int64_t sign = 0;
    if (graph->weight_type == HOP_TYPE_FLOAT32)
        for (uint64_t i = begin; i < end; i++)
            wrong |= singles[i] != singles[i];
    else if (graph->weight_type == HOP_TYPE_FLOAT64)
        for (uint64_t i = begin; i < end; i++)
            sign |= below_nan(doubles[i]);
    return wrong == 0 && sign >= 0;
}

/* The bits of a weight, with one zero only. */
static uint64_t weight_bits(const hop_graph *graph, uint64_t arc) {
    uint64_t bits = 0;
    if (graph->weight_type == HOP_TYPE_FLOAT32) {
        float w = ((const float *)graph->weights)[arc] + 0.0f;
        memcpy(&bits, &w, sizeof w);
    } else if (graph->weight_type == HOP_TYPE_FLOAT64) {
        double w = ((const double *)graph->weights)[arc] + 0.0;
        memcpy(&bits, &w, sizeof w);
    } else if (graph->weight_type != HOP_TYPE_NONE) {
        size_t size = hop_type_size(graph->weight_type);
        memcpy(&bits, (const unsigned char *)graph->weights + arc * size, size);
    }
    return bits;
}

static uint64_t row_balance(const hop_graph *graph, uint64_t u, uint64_t begin, uint64_t end) {
    uint64_t sum = 0;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t v = graph->targets[i];
        uint64_t weight = graph->weight_type == HOP_TYPE_NONE ? 0 : weight_bits(graph, i);
        uint64_t key = u < v ? u << 32 | v : v << 32 | u;
        uint64_t hash = hop__mix64(key ^ weight * UINT64_C(0x9e3779b97f4a7c15));
        sum += u < v ? hash : u > v ? (uint64_t)0 - hash : 0;
    }
    return sum;
}

/* The first row of these that has a fault; there is one. */
static uint64_t faulty_row(const hop_graph *graph, uint64_t first, uint64_t last) {
    uint64_t arc, v = first;
    while (v + 1 < last && row_fault(graph, v, &arc) == SOUND)
        v++;
    return v;
}

static void verify_range(void *arg, uint64_t first, uint64_t last, unsigned thread) {
    job *work = arg;
    const hop_graph *graph = work->graph;
    uint64_t loops = 0, balance = 0;
    (void)thread;
    if (!hop__progress_add(work->context, last - first))
        return;
    if (!offsets_sound(graph, first, last) || !targets_sound(graph, first, last) ||
        !weights_sound(graph, first, last)) {
        hop__lower_u64(&work->bad_vertex, faulty_row(graph, first, last));
        return;
    }
    for (uint64_t v = first; v < last; v++) {
        loops += hop__row_loops(graph, v);
        if (!graph->directed)
            balance += row_balance(graph, v, hop__offset(graph, v), hop__offset(graph, v + 1));
    }
    atomic_fetch_add(&work->loops, loops);
    atomic_fetch_add(&work->balance, balance);
}

static hop_status report_row(hop_context *context, const hop_graph *graph, uint64_t vertex) {
    uint64_t arc = HOP_UNKNOWN;
    unsigned long long v = vertex;
    switch (row_fault(graph, vertex, &arc)) {
    case OFFSETS:
        hop__fail(context, HOP_ERR_INPUT,
                  "graph: row %llu goes from offset %llu to %llu; offsets must not fall "
                  "and end at the %llu arcs",
                  v, (unsigned long long)hop__offset(graph, vertex),
                  (unsigned long long)hop__offset(graph, vertex + 1),
                  (unsigned long long)graph->arcs);
        break;
    case TARGET:
        hop__fail(context, HOP_ERR_INPUT,
                  "graph: row %llu, arc %llu: target %u, but there are only %u vertices", v,
                  (unsigned long long)arc, graph->targets[arc], graph->vertices);
        break;
    case ORDER:
        hop__fail(context, HOP_ERR_INPUT,
                  "graph: row %llu, arc %llu: target %u after %u; rows must be sorted", v,
                  (unsigned long long)arc, graph->targets[arc], graph->targets[arc - 1]);
        break;
    default:
        hop__fail(context, HOP_ERR_INPUT,
                  "graph: row %llu, arc %llu: its weight is not a number (NaN)", v,
                  (unsigned long long)arc);
        break;
    }
    return hop__note_arc(context, HOP_KIND_DATA, vertex, arc);
}

/* The arcs from u to v: how many there are, and a sum over their weights in any order. */
typedef struct arcs_between {
    uint64_t count, sum;
} arcs_between;

static arcs_between arcs_of(const hop_graph *graph, uint64_t u, uint64_t v) {
    arcs_between arcs = {0, 0};
    uint64_t end = hop__offset(graph, u + 1);
    for (uint64_t i = hop__first_arc(graph, u, v); i < end && graph->targets[i] == v; i++) {
        arcs.count++;
        arcs.sum += hop__mix64(weight_bits(graph, i));
    }
    return arcs;
}

/* The end of a failure about an arc without its partner. */
static hop_status advise_directed(hop_context *context, uint64_t vertex, uint64_t arc) {
    hop__note_arc(context, HOP_KIND_DATA, vertex, arc);
    return hop__remedy(context, HOP_REMEDY_READ_DIRECTED, "read it as directed, or symmetrize it");
}

/* Names a pair whose arcs there and back differ; only called when one exists, so its cost does not
 * matter. */
static hop_status report_asymmetry(hop_context *context, const hop_graph *graph) {
    for (uint64_t u = 0; u < graph->vertices; u++)
        for (uint64_t i = hop__offset(graph, u), end = hop__offset(graph, u + 1); i < end; i++) {
            hop_vertex v = graph->targets[i];
            if (i > hop__offset(graph, u) && graph->targets[i - 1] == v)
                continue;
            arcs_between there = arcs_of(graph, u, v), back = arcs_of(graph, v, u);
            if (back.count == 0) {
                hop__fail(context, HOP_ERR_INPUT,
                          "graph: said to be undirected, but %s has an arc to %s and "
                          "none comes back",
                          hop__name(graph, u).s, hop__name(graph, v).s);
                return advise_directed(context, u, i);
            }
            if (there.count != back.count) {
                hop__fail(context, HOP_ERR_INPUT,
                          "graph: said to be undirected, but %llu arcs lead from %s to %s "
                          "and %llu back",
                          (unsigned long long)there.count, hop__name(graph, u).s,
                          hop__name(graph, v).s, (unsigned long long)back.count);
                return advise_directed(context, u, i);
            }
            if (there.sum != back.sum) {
                hop__fail(context, HOP_ERR_INPUT,
                          "graph: said to be undirected, but the arcs between %s and %s "
                          "have different weights",
                          hop__name(graph, u).s, hop__name(graph, v).s);
                return advise_directed(context, u, i);
            }
        }
    hop__fail(context, HOP_ERR_INPUT,
              "graph: said to be undirected, but some arcs have no partner");
    return advise_directed(context, HOP_UNKNOWN, HOP_UNKNOWN);
}

static hop_status check_frame(hop_context *context, const hop_graph *graph) {
    if (hop__offset(graph, 0) != 0 || hop__offset(graph, graph->vertices) != graph->arcs)
        return hop__fail(context, HOP_ERR_INPUT,
                         "graph: offsets run from %llu to %llu; they must run from 0 to the %llu "
                         "arcs",
                         (unsigned long long)hop__offset(graph, 0),
                         (unsigned long long)hop__offset(graph, graph->vertices),
                         (unsigned long long)graph->arcs);
    for (uint64_t v = 1; graph->labels && v < graph->vertices; v++)
        if (graph->labels[v] <= graph->labels[v - 1])
            return hop__fail(context, HOP_ERR_INPUT,
                             "graph: label %llu of vertex %llu does not exceed the one before; "
                             "labels must be strictly ascending",
                             (unsigned long long)graph->labels[v], (unsigned long long)v);
    return graph->names != NULL ? hop__vertex_names_check(context, graph->names) : HOP_OK;
}

hop_status hop__graph_verify(hop_context *context, const hop_graph *graph, hop__facts *facts) {
    job work = {context, graph, UINT64_MAX, 0, 0};
    hop_status status = check_frame(context, graph);
    if (status != HOP_OK)
        return status;
    hop__progress_begin(context, "check", graph->vertices);
    hop__for(context, graph->vertices, GRAIN, verify_range, &work);
    status = hop__progress_end(context);
    if (status != HOP_OK)
        return status;
    if (hop__load_u64(&work.bad_vertex) != UINT64_MAX)
        return report_row(context, graph, hop__load_u64(&work.bad_vertex));
    if (atomic_load(&work.balance) != 0)
        return report_asymmetry(context, graph);
    facts->loops = atomic_load(&work.loops);
    return hop__facts_measure(context, graph, facts);
}
