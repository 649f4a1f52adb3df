/* SPDX-License-Identifier: Apache-2.0
 *
 * Canonical parents from final distances, for every variant that does not find them on its way.
 *
 * No negative weight: one pass over the arcs offers each u to the targets of its tight arcs that
 * are farther than u; the smallest offer stays. Vertices that got none (they are as far as all
 * their tight neighbours: weights of 0, or so small that rounding swallows them) are reached in
 * layers, from the marked vertices that have a parent, over tight arcs between equal distances.
 * Some negative weight: layers over all tight arcs, from the sources of distance 0.
 *
 * A layer is a part of one queue. While a layer is expanded, `layered` has the vertices of it and
 * of those before; parents of others are lowered to the smallest offer, which only vertices of this
 * layer make. So the result depends neither on the order nor on the threads. A layer of many arcs
 * is expanded from the other side, as in a breadth-first search: who has no layer takes the first
 * of its neighbours that is in this one.
 *
 * Cost: O(n + m), two random accesses per arc; 4 bytes and 3 bits per vertex. Layers that are
 * narrow run on one thread. */
#include <math.h>
#include <string.h>

#include "core/bitmap.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/try.h"
#include "sssp/sssp_internal.h"
#include "store/arc_visit.h"

enum {
    VERTEX_GRAIN = 1 << 16,
    ARC_GRAIN = 1 << 16,
    QUEUE_GRAIN = 1 << 8,
    PULL_GRAIN = 1 << 10,
    WORD_GRAIN = 1 << 12,
    PULL_SHARE = 8,
    POLL_ARCS = 1 << 18
};

typedef struct parents_job {
    hop_context *context;
    const hop_graph *graph;
    const hop__sssp_query *query;
    const void *distances;
    void *all;            /* the same, to be written */
    const uint64_t *sums; /* exact ones, or NULL */
    hop_vertex *parents;
    bool level_only;          /* only arcs between equal distances make layers */
    const hop_graph *reverse; /* NULL: there is none, and no pull */
    uint64_t *level, *layered, *current;
    hop__arcs *arcs;  /* of a graph on disk, else NULL */
    uint64_t *wanted; /* its blocks with rows of a layer */
    hop_vertex *queue;
    uint64_t head; /* the layer under way begins here */
    atomic_uint_fast64_t tail;
    atomic_uint_fast64_t layer_arcs; /* of the vertices of the next layer */
    atomic_uint_fast64_t missing;    /* vertices that are reached and have no parent */
} parents_job;

/* Lowers a parent; true when it was the first offer. */
static inline bool offer_parent(hop_vertex *parent, hop_vertex u) {
    hop_vertex known = __atomic_load_n(parent, __ATOMIC_RELAXED);
    while (u < known)
        if (__atomic_compare_exchange_n(parent, &known, u, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return known == HOP_NO_VERTEX;
    return false;
}

/* What the passes compare, for the arcs of one graph. */
typedef struct parents_view {
    const void *distances, *weights;
    const uint64_t *sums;
    hop__exact scale;
} parents_view;

static inline parents_view view_of(const parents_job *job, const hop_graph *graph) {
    return (parents_view){job->distances, graph->weights, job->sums, job->query->exact};
}

#define SUMS     plain
#define TEMPLATE "sssp/parents_template.h"
#include "graph/each_domain.h"
#undef SUMS

#define SUMS exact
#define PARENTS_EXACT
#define DOMAIN float32
#include "sssp/parents_template.h"
#define DOMAIN float64
#include "sssp/parents_template.h"

typedef struct passes {
    hop__range_fn nearer, next_layer, pull_layer;
    hop__arc_fn block_layer;
} passes;

static passes passes_of(const hop__sssp_query *query) {
#define ITEM(sums, domain)                                                                         \
    {                                                                                              \
        sums##_##domain##_nearer, sums##_##domain##_next_layer, sums##_##domain##_pull_layer,      \
            sums##_##domain##_block_layer                                                          \
    }
#define PLAIN_ITEM(domain, type) [type] = ITEM(plain, domain),
    static const passes plain[] = {HOP__EACH_DOMAIN(PLAIN_ITEM)};
    static const passes exact[] = {
        [HOP_TYPE_FLOAT32] = ITEM(exact, float32), [HOP_TYPE_FLOAT64] = ITEM(exact, float64)};
#undef PLAIN_ITEM
#undef ITEM
    bool real = query->distance_type != HOP_TYPE_INT64;
    return query->negative && real ? exact[query->graph->weight_type]
                                   : plain[query->graph->weight_type];
}

static bool is_zero(const parents_job *job, uint64_t v) {
    const hop__exact *scale = &job->query->exact;
    if (!job->sums) /* rounding is no matter for 0 without negative weights */
        return hop__sssp_distance(job->query, job->distances, v) == 0;
    for (unsigned i = 0; i < scale->words; i++)
        if (job->sums[v * scale->words + i] != 0)
            return false;
    return true;
}

static void clear_parents(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++)
        job->parents[v] = HOP_NO_VERTEX;
}

/* Sources of distance 0 are their own parents. With negative weights they are the first layer. */
static void root_sources(parents_job *job, bool queued) {
    uint64_t tail = 0;
    for (hop_vertex i = 0; i < job->query->source_count; i++) {
        hop_vertex s = job->query->sources[i];
        if (job->parents[s] == s || !is_zero(job, s))
            continue;
        job->parents[s] = s;
        if (queued)
            job->queue[tail++] = s;
    }
    atomic_store(&job->tail, tail);
}

/* Who has a parent is in no later layer. The grain is a multiple of 64: no word is shared. */
static void mark_layered(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    uint64_t missing = 0;
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        if (job->parents[v] != HOP_NO_VERTEX)
            hop__bitmap_set(job->layered, v);
        else
            missing += hop__sssp_distance(job->query, job->distances, v) < HUGE_VAL;
    }
    atomic_fetch_add(&job->missing, missing);
}

static void mark_queued(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    (void)thread;
    for (uint64_t at = job->head + begin; at < job->head + end; at++)
        (void)hop__bitmap_claim(job->layered, job->queue[at]);
}

static void queue_level(parents_job *job) {
    uint64_t tail = 0;
    for (uint64_t word = 0; word < hop__bitmap_words(job->graph->vertices); word++)
        for (uint64_t bits = job->level[word] & job->layered[word]; bits != 0; bits &= bits - 1)
            job->queue[tail++] = (hop_vertex)(word * 64 + (unsigned)__builtin_ctzll(bits));
    atomic_store(&job->tail, tail);
}

static void mark_current(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    (void)thread;
    for (uint64_t at = job->head + begin; at < job->head + end; at++)
        (void)hop__bitmap_claim(job->current, job->queue[at]);
}

static void clear_current(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    (void)thread;
    for (uint64_t word = begin; word < end; word++)
        job->current[word] = 0;
}

/* Whether the next layer is found faster by those who look for it: the layer has `arcs`, and at
 * most `missing` vertices are left, which look at a share of theirs only. */
static bool is_pull_better(const parents_job *job, uint64_t arcs, uint64_t missing) {
    const uint64_t n = job->graph->vertices;
    return job->reverse && arcs / PULL_SHARE > n / 64 &&
           (double)arcs * PULL_SHARE > (double)job->graph->arcs / (double)n * (double)missing;
}

static void want_queued(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    (void)thread;
    for (uint64_t at = job->head + begin; at < job->head + end; at++)
        hop__want_row(job->wanted, hop__any_begin(job->graph, job->queue[at]),
                      hop__any_degree(job->graph, job->queue[at]));
}

static void unmark_current(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    (void)thread;
    for (uint64_t at = job->head + begin; at < job->head + end; at++)
        __atomic_store_n(&job->current[job->queue[at] / 64], 0, __ATOMIC_RELAXED);
}

/* The next layer of a graph on disk, by the blocks that this one is in. */
static hop_status layer_on_disk(parents_job *job, uint64_t count, hop__arc_fn block_layer) {
    memset(job->wanted, 0, hop__bitmap_words(hop__arc_blocks(job->graph)) * sizeof *job->wanted);
    hop__for(job->context, count, QUEUE_GRAIN, mark_current, job);
    hop__for(job->context, count, QUEUE_GRAIN, want_queued, job);
    hop_status status = hop__arcs_visit(job->context, job->arcs, job->wanted, block_layer, job);
    hop__for(job->context, count, QUEUE_GRAIN, unmark_current, job);
    return status;
}

/* Layer after layer, beginning with queue[0 .. tail-1]; at most `missing` vertices lack one. */
static hop_status run_layers(parents_job *job, uint64_t missing) {
    const passes steps = passes_of(job->query);
    const uint64_t n = job->graph->vertices;
    hop_status status = HOP_OK, ended;
    hop__progress_begin(job->context, "sssp: parents by layers", 0);
    job->head = 0;
    atomic_store(&job->layer_arcs, 0);
    for (;;) {
        uint64_t end = atomic_load(&job->tail), count = end - job->head;
        uint64_t arcs = atomic_exchange(&job->layer_arcs, 0);
        hop__for(job->context, count, QUEUE_GRAIN, mark_queued, job);
        if (count == 0 || status != HOP_OK || !hop__progress_add(job->context, 0))
            break;
        if (job->arcs) {
            status = layer_on_disk(job, count, steps.block_layer);
        } else if (is_pull_better(job, arcs, missing)) {
            hop__for(job->context, hop__bitmap_words(n), WORD_GRAIN, clear_current, job);
            hop__for(job->context, count, QUEUE_GRAIN, mark_current, job);
            hop__for(job->context, n, PULL_GRAIN, steps.pull_layer, job);
        } else {
            hop__for(job->context, count, QUEUE_GRAIN, steps.next_layer, job);
        }
        job->head = end;
        uint64_t found = atomic_load(&job->tail) - end;
        missing -= found < missing ? found : missing;
    }
    ended = hop__progress_end(job->context);
    return status != HOP_OK ? status : ended;
}

void hop__sssp_level_block(hop__workspace *space, size_t at, const hop__sssp_query *query) {
    uint64_t words = hop__bitmap_words(query->graph->vertices);
    HOP__BLOCK_AT(space, at, "sssp: parents: level arcs", words, hop__sssp_layers, level)->zero =
        true;
}

void hop__sssp_layers_blocks(hop__workspace *space, size_t at, const hop__sssp_query *query) {
    uint64_t n = query->graph->vertices, words = hop__bitmap_words(n);
    HOP__BLOCK_AT(space, at, "sssp: parents: queue", n, hop__sssp_layers, queue)->on_demand = true;
    hop__block *layered =
        HOP__BLOCK_AT(space, at, "sssp: parents: layers", words, hop__sssp_layers, layered);
    layered->zero = layered->on_demand = true;
    if (!query->reverse && query->graph->store == NULL)
        return;
    hop__block *current =
        HOP__BLOCK_AT(space, at, "sssp: parents: layer", words, hop__sssp_layers, current);
    current->zero = current->on_demand = true;
}

void hop__sssp_parents_blocks(hop__workspace *space, size_t at, const hop__sssp_query *query) {
    if (!query->negative) {
        hop__sssp_level_block(space, at, query);
        space->blocks[space->count - 1].on_demand = true;
    }
    if (!query->increasing)
        hop__sssp_layers_blocks(space, at, query);
}

static hop_status take_layers(hop__workspace *space, hop__sssp_layers *layers, parents_job *job) {
    hop_status status;
    uint64_t n = job->graph->vertices, words = hop__bitmap_words(n);
    HOP_TRY(status, hop__workspace_take(space, &layers->queue, n));
    HOP_TRY(status, hop__workspace_take(space, &layers->layered, words));
    if (job->reverse || job->graph->store != NULL)
        HOP_TRY(status, hop__workspace_take(space, &layers->current, words));
    job->queue = layers->queue;
    job->layered = layers->layered;
    job->current = layers->current;
    job->arcs = layers->arcs;
    job->wanted = layers->wanted;
done:
    return status;
}

static parents_job job_of(hop_context *context, const hop__sssp_task *task) {
    return (parents_job){.context = context,
                         .graph = task->query.graph,
                         .reverse = task->query.reverse,
                         .query = &task->query,
                         .distances = task->distances,
                         .parents = task->parents};
}

hop_status hop__sssp_level_parents(hop__workspace *space, hop__sssp_layers *layers,
                                   hop__sssp_task *task) {
    hop_context *context = space->context;
    hop_status status;
    parents_job job = job_of(context, task);
    job.level = layers->level;
    job.level_only = true;
    hop__phase(context, "parents by layers");
    HOP_TRY(status, take_layers(space, layers, &job));
    hop__for(context, job.graph->vertices, VERTEX_GRAIN, mark_layered, &job);
    queue_level(&job);
    if (atomic_load(&job.missing) > 0)
        HOP_TRY(status, run_layers(&job, atomic_load(&job.missing)));
done:
    return status;
}

/* Marks that are there already, of the variant, do no harm. */
static hop_status nearer_parents(hop__workspace *space, hop__sssp_layers *layers,
                                 hop__sssp_task *task) {
    hop_context *context = space->context;
    hop_status status;
    parents_job job = job_of(context, task);
    HOP_TRY(status,
            hop__workspace_take(space, &layers->level, hop__bitmap_words(job.graph->vertices)));
    job.level = layers->level;
    hop__phase(context, "parents");
    hop__phase_items(context, job.graph->arcs);
    hop__for(context, job.graph->vertices, VERTEX_GRAIN, clear_parents, &job);
    root_sources(&job, false);
    hop__progress_begin(context, "sssp: parents", job.graph->arcs);
    hop__for(context, job.graph->arcs, ARC_GRAIN, passes_of(&task->query).nearer, &job);
    HOP_TRY(status, hop__progress_end(context));
    if (!task->query.increasing)
        HOP_TRY(status, hop__sssp_level_parents(space, layers, task));
done:
    return status;
}

static hop_status layered_parents(hop__workspace *space, hop__sssp_layers *layers,
                                  hop__sssp_task *task, const uint64_t *sums) {
    hop_context *context = space->context;
    hop_status status;
    parents_job job = job_of(context, task);
    job.sums = sums;
    hop__phase(context, "parents by layers");
    HOP_TRY(status, take_layers(space, layers, &job));
    hop__for(context, job.graph->vertices, VERTEX_GRAIN, clear_parents, &job);
    root_sources(&job, true);
    HOP_TRY(status, run_layers(&job, job.graph->vertices));
done:
    return status;
}

static void fill_zero(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    size_t bytes = hop_type_size(job->query->distance_type);
    (void)thread;
    memset((char *)job->all + begin * bytes, 0, (end - begin) * bytes);
}

static void take_out_unlayered(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    parents_job *job = arg;
    (void)thread;
    for (uint64_t v = begin; v < end; v++) {
        if (job->parents[v] != HOP_NO_VERTEX)
            continue;
        if (job->query->distance_type == HOP_TYPE_INT64)
            ((int64_t *)job->all)[v] = HOP_NO_DISTANCE;
        else if (job->query->distance_type == HOP_TYPE_FLOAT32)
            ((float *)job->all)[v] = (float)HUGE_VAL;
        else
            ((double *)job->all)[v] = HUGE_VAL;
    }
}

hop_status hop__sssp_all_zero(hop__workspace *space, hop__sssp_layers *layers,
                              hop__sssp_task *task) {
    hop_context *context = space->context;
    hop_status status;
    parents_job job = job_of(context, task);
    job.all = task->distances;
    hop__for(context, job.graph->vertices, VERTEX_GRAIN, fill_zero, &job);
    HOP_TRY(status, layered_parents(space, layers, task, NULL));
    hop__for(context, job.graph->vertices, VERTEX_GRAIN, take_out_unlayered, &job);
    task->rounds = 1;
    task->relaxations = job.graph->arcs;
done:
    return status;
}

hop_status hop__sssp_parents(hop__workspace *space, hop__sssp_layers *layers, hop__sssp_task *task,
                             const uint64_t *sums) {
    return task->query.negative ? layered_parents(space, layers, task, sums)
                                : nearer_parents(space, layers, task);
}
