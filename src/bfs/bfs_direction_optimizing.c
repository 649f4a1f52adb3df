/* SPDX-License-Identifier: Apache-2.0
 *
 * direction-optimizing: breadth-first search on all threads, with levels and canonical parents.
 * The same bits for every number of threads.
 *
 * Top-down, the vertices of a level look for new ones; bottom-up, the vertices without a level look
 * for a neighbour in the frontier and stop at the first (Beamer, Asanovic, Patterson: "Direction-
 * optimizing breadth-first search", SC'12). Which is cheaper is estimated for each level from
 * the arcs out of the frontier and from what is left. Top-down has three forms, by the size of the
 * level: one member alone, all members on lists, all members through bins. Their files say how
 * each finds the smallest parent: bfs_sparse.c, bfs_binned.c, bfs_dense.c.
 *
 * Directed graphs go bottom-up only when their reverse arcs are prepared.
 *
 * Cost: at most every arc once per direction, O(n + m + levels), in practice a fraction of the arcs
 * where the diameter is small. Memory: three bits per vertex, and for all members together lists of
 * a byte per vertex and bins of half a one, for small graphs 1 MiB per member. Nothing is allocated
 * while it searches. */
#include "bfs/bfs_search.h"
#include "core/bitmap.h"
#include "core/machine_share.h"
#include "core/parallel.h"
#include "core/try.h"

/* Costs in nanoseconds of one core, measured; only their ratios matter. */
typedef struct cost_table {
    double top_down_arc, open_vertex, look, densify_vertex, dense_word;
} cost_table;
static const cost_table costs_plain = {4.0, 2.5, 1.0, 0.5, 2.0};
static const cost_table costs_lanes = {7.0, 1.5, 1.5, 0.5, 2.0};

enum { FORCE_NONE, FORCE_ALONE, FORCE_SHARED, FORCE_BINNED, FORCE_BOTTOM_UP };
enum {
    ALONE_MOST = 512,     /* vertices and arcs of a level that one member does alone */
    BUSY_MOST = 1 << 17,  /* the same of a narrow graph, where others want the cores */
    TELL_WORK = 1 << 17,  /* vertices and arcs between two looks whether they do: half a ms */
    BIN_VERTICES = 4096,  /* of a bin, or more when there would be too many bins */
    NARROW_DEGREE = 8,    /* average, up to which marks are used */
    LOCAL_SAMPLES = 16,   /* vertices that are looked at for how far neighbours are */
    LOCAL_SHARE = 64,     /* near: within such a part of all vertices */
    FEW_DEGREE = 12,      /* largest, up to which arcs need not be counted */
    NARROW_COST = 10,     /* nanoseconds, of a vertex or arc of a graph with few arcs per vertex */
    MEMBER_WORK = 1 << 15 /* vertices and arcs of a graph that are worth one more member */
};

static const hop_parameter parameters[] = {
    {.name = "step",
     .summary = "how levels are found; auto: by an estimate for each",
     .type = HOP_PARAMETER_CHOICE,
     .maximum = 4,
     .standard = 0,
     .choices = "auto alone shared binned bottom-up"},
    {.name = "alone",
     .summary = "vertices and arcs of a level up to which one thread goes on alone",
     .type = HOP_PARAMETER_INTEGER,
     .maximum = 1 << 30,
     .standard = ALONE_MOST},
};

/* Whether v has a level, written or not. */
static bool reached(const hop__bfs_search *search, hop_vertex v) {
    if (search->lazy)
        return hop__bfs_lazy_marks(search)[v] != 0;
    return search->levels[v] != HOP_NO_LEVEL ||
           (search->marks && search->marked && search->marks[v] != 0);
}

bool hop__bfs_ended(hop__bfs_search *search) {
    const hop__bfs_query *query = &search->task->query;
    if (search->count == 0 || search->next - 1 >= query->max_level ||
        search->reached >= search->enough)
        return true;
    while (search->target < query->target_count && reached(search, query->targets[search->target]))
        search->target++;
    return query->target_count > 0 && search->target == query->target_count;
}

/* Whether the level is cheaper bottom-up. Of the arcs into open vertices those from the frontier
 * are a share of arcs / open_arcs, so a vertex looks at the inverse of that, if it has so many. */
static bool prefers_bottom_up(const hop__bfs_search *search) {
    if (!search->reverse)
        return false;
    const cost_table *cost = search->cpu >= HOP__CPU_AVX512 ? &costs_lanes : &costs_plain;
    double open = (double)search->open_count, left = (double)search->open_arcs;
    double looks = left / ((double)search->arcs + 1), degree = left / (open + 1);
    double up = open * (cost->open_vertex + cost->look * (looks < degree ? looks : degree)) +
                (double)search->words * cost->dense_word;
    if (!search->dense && search->count + search->arcs <= search->capacity)
        up += (double)search->n * cost->densify_vertex; /* which lists would not need */
    return up < (double)search->arcs * cost->top_down_arc;
}

void hop__bfs_tell(hop__bfs_search *search, uint64_t work) {
    search->untold += work;
    if (search->threads == 1 || search->untold < TELL_WORK)
        return;
    search->untold = 0;
    hop__share_tell();
    search->alone = hop__crowded() ? search->alone_busy : search->alone_quiet;
}

static hop__bfs_step choose(const hop__bfs_search *search) {
    uint64_t work = search->count + search->arcs;
    bool fits = work <= search->capacity;
    switch (search->forced) {
    case FORCE_BINNED:
        return HOP__BFS_SCATTER;
    case FORCE_BOTTOM_UP:
        return search->reverse ? HOP__BFS_BOTTOM_UP : HOP__BFS_SCATTER;
    case FORCE_ALONE:
        return fits ? HOP__BFS_ALONE : HOP__BFS_SCATTER;
    case FORCE_SHARED:
        return fits ? HOP__BFS_SHARED : HOP__BFS_SCATTER;
    default:
        break;
    }
    if (work <= search->alone && fits)
        return HOP__BFS_ALONE;
    if (prefers_bottom_up(search))
        return HOP__BFS_BOTTOM_UP;
    if (!fits)
        return HOP__BFS_SCATTER;
    return search->threads > 1 ? HOP__BFS_SHARED : HOP__BFS_ALONE;
}

/* The next step for the frontier that is there; if it has the wrong form, a change of form. */
static void plan(hop__bfs_search *search) {
    atomic_store_explicit(&search->cursor, 0, memory_order_relaxed);
    bool narrow = search->marks != NULL;
    hop__bfs_step step = hop__bfs_ended(search) ? HOP__BFS_DONE : choose(search);
    bool sparse = step == HOP__BFS_ALONE || step == HOP__BFS_SHARED;
    if (search->lazy && (!sparse || search->next >= HOP__BFS_LAZY_MOST)) {
        search->step = HOP__BFS_SETTLE;
        return;
    }
    if (narrow && !sparse && !search->dense && !search->adopted) {
        search->step = HOP__BFS_ADOPT;
        return;
    }
    if (narrow && sparse && !search->marked) {
        search->step = HOP__BFS_REMARK;
        return;
    }
    if (step != HOP__BFS_DONE && sparse == search->dense) {
        search->step = sparse ? HOP__BFS_SPARSIFY : HOP__BFS_DENSIFY;
        return;
    }
    if (step != HOP__BFS_DONE && (step == HOP__BFS_BOTTOM_UP) != search->up)
        search->switches++;
    search->up = step == HOP__BFS_BOTTOM_UP;
    search->step = step;
    search->first_gather = true;
    search->hubs_ready = false;
    atomic_store_explicit(&search->hub_count, 0, memory_order_relaxed);
    atomic_store_explicit(&search->slice_cursor, 0, memory_order_relaxed);
}

/* Adds up what the members have found in a level, which is now the frontier. */
static void finish_level(hop__bfs_search *search) {
    search->count = search->arcs = 0;
    for (unsigned t = 0; t < search->threads; t++) {
        hop__bfs_lane *lane = &search->lanes[t];
        search->count += lane->found;
        search->arcs += lane->arcs;
        lane->found = lane->arcs = 0;
        if (!search->dense) {
            hop_vertex *list = lane->other;
            lane->other = lane->list;
            lane->list = list;
            lane->list_count = lane->other_count;
        }
    }
    if (search->dense) {
        uint64_t *found = search->found;
        search->found = search->front;
        search->front = found;
    }
    hop__bfs_close(search);
    search->next++;
    search->task->rounds++;
    search->adopted = false;
}

static void add_source(hop__bfs_search *search, hop_vertex s) {
    if (search->lazy)
        hop__bfs_lazy_marks(search)[s] = 1;
    else if (search->marks)
        search->marks[s] = hop__bfs_mark(0);
    search->levels[s] = 0; /* if lazy, it will be written again */
    if (search->parents)
        search->parents[s] = s;
}

/* The sources are level 0. If they do not fit into a list, `dense` is as good. */
static void add_sources(hop__bfs_search *search) {
    const hop__bfs_query *query = &search->task->query;
    hop__bfs_lane *lane = &search->lanes[0];
    search->next = 1;
    search->marked = true;
    for (hop_vertex i = 0; i < query->source_count; i++) {
        hop_vertex s = query->sources[i];
        if (i % 65536 == 0 && !hop__bfs_report(search, 0))
            return;
        if (search->lazy ? hop__bfs_lazy_marks(search)[s] != 0 : search->levels[s] == 0)
            continue;
        add_source(search, s);
        if (search->count < search->capacity)
            lane->list[search->count] = s;
        search->count++;
        search->arcs += hop__offset(search->graph, (uint64_t)s + 1) - hop__offset(search->graph, s);
    }
    lane->list_count = search->count;
    search->adopted = true;
    hop__bfs_close(search);
    search->enough = query->nearest == 0 ? UINT64_MAX : search->reached + query->nearest;
}

/* After a scatter: if nobody has anything left, and the hubs have had their turn, the gather that
 * follows ends the level. */
static void after_scatter(hop__bfs_search *search) {
    bool hubs = atomic_load_explicit(&search->hub_count, memory_order_relaxed) > 0;
    bool waiting = hubs && !search->hubs_ready;
    search->last_gather =
        !waiting && atomic_load_explicit(&search->unfinished, memory_order_relaxed) == 0;
    search->hubs_ready =
        atomic_load_explicit(&search->cursor, memory_order_relaxed) >= search->words;
}

/* After a gather: the level is done, or there is more of the frontier to scatter. */
static void after_gather(hop__bfs_search *search) {
    atomic_store_explicit(&search->bin_cursor, 0, memory_order_relaxed);
    atomic_store_explicit(&search->unfinished, 0, memory_order_relaxed);
    search->first_gather = false;
    if (search->last_gather) {
        finish_level(search);
        plan(search);
    } else {
        search->step = HOP__BFS_SCATTER;
    }
}

/* What follows the step that all have done. */
static void advance(hop__bfs_search *search) {
    if (atomic_load_explicit(&search->cancelled, memory_order_relaxed)) {
        search->step = HOP__BFS_DONE;
        return;
    }
    switch (search->step) {
    case HOP__BFS_CLEAR:
        add_sources(search);
        break;
    case HOP__BFS_DENSIFY:
        search->dense = true;
        search->marked = false;
        break;
    case HOP__BFS_SPARSIFY:
        search->dense = false;
        search->adopted = true;
        break;
    case HOP__BFS_SETTLE:
        search->lazy = search->marked = false;
        search->adopted = true;
        break;
    case HOP__BFS_ADOPT:
        search->adopted = true;
        break;
    case HOP__BFS_REMARK:
        search->marked = true;
        break;
    case HOP__BFS_SCATTER:
        search->step = HOP__BFS_GATHER;
        after_scatter(search);
        return;
    case HOP__BFS_GATHER:
        after_gather(search);
        return;
    case HOP__BFS_SHARED:
        hop__bfs_tell(search, search->count + search->arcs);
        finish_level(search);
        break;
    case HOP__BFS_BOTTOM_UP:
        finish_level(search);
        break;
    default: /* a member alone has finished its levels itself */
        break;
    }
    plan(search);
}

typedef struct step_row {
    const char *phase;
    hop__bfs_step_fn run;
} step_row;

static const step_row steps[] = {
    [HOP__BFS_CLEAR] = {"clear", hop__bfs_clear},
    [HOP__BFS_ALONE] = {"alone", hop__bfs_alone},
    [HOP__BFS_SHARED] = {"shared", hop__bfs_shared},
    [HOP__BFS_SETTLE] = {"settle", hop__bfs_settle},
    [HOP__BFS_ADOPT] = {"adopt", hop__bfs_adopt},
    [HOP__BFS_REMARK] = {"remark", hop__bfs_remark},
    [HOP__BFS_DENSIFY] = {"densify", hop__bfs_densify},
    [HOP__BFS_SPARSIFY] = {"sparsify", hop__bfs_sparsify},
    [HOP__BFS_SCATTER] = {"scatter", hop__bfs_scatter},
    [HOP__BFS_GATHER] = {"gather", hop__bfs_gather},
    [HOP__BFS_BOTTOM_UP] = {"bottom-up", hop__bfs_bottom_up},
};

/* Member 0 is the thread that made the call: it alone may mark phases. */
static void member(void *arg, unsigned thread, unsigned threads) {
    hop__bfs_search *search = arg;
    hop__bfs_step marked = HOP__BFS_DONE;
    if (thread == 0) {
        search->threads = threads;
        hop__gate_init(&search->gate, threads);
    }
    hop__team_barrier();
    while (search->step != HOP__BFS_DONE) {
        if (thread == 0 && search->step != marked) {
            marked = search->step;
            hop__phase(search->context, steps[marked].phase);
        }
        steps[search->step].run(search, thread);
        if (hop__gate_arrive(&search->gate)) {
            advance(search);
            hop__gate_open(&search->gate);
        }
    }
}

/* Sizes, from the question alone. */
typedef struct layout {
    unsigned threads;
    uint64_t words, marks, capacity;
    bool lazy;
    uint32_t bin_count, bin_capacity;
} layout;

static bool is_narrow(const hop_graph *graph) {
    return !graph->directed && graph->arcs <= NARROW_DEGREE * (uint64_t)graph->vertices;
}

/* Whether most neighbours have numbers near each other, by a few vertices. */
static bool is_local(const hop_graph *graph) {
    uint64_t step = graph->vertices / LOCAL_SAMPLES + 1, looked = 0, local = 0;
    for (uint64_t v = step / 2; v < graph->vertices; v += step)
        for (uint64_t arc = hop__offset(graph, v); arc < hop__offset(graph, v + 1); arc++) {
            uint64_t u = graph->targets[arc];
            looked++;
            local += (u < v ? v - u : u - v) <= graph->vertices / LOCAL_SHARE;
        }
    return 2 * local > looked;
}

/* Whether levels are likely to be many and none of them large, as on a grid: with larger degrees
 * some level soon needs what is written. Paths and shuffled numbers gained nothing. */
static bool is_lazy(const hop_graph *graph) {
    uint64_t degree = graph->shared->facts.max_degree;
    return degree > 2 && degree <= HOP__BFS_LAZY_DEGREE && is_local(graph);
}

static uint64_t all_of(const hop_graph *graph) {
    return graph->vertices + graph->arcs;
}

uint64_t hop__bfs_work(const hop_graph *graph) {
    /* A narrow graph is searched level by level, and random accesses cost what they cost. */
    return is_narrow(graph) ? NARROW_COST * all_of(graph) : all_of(graph);
}

static layout lay_out(const hop__bfs_task *task) {
    const hop_graph *graph = task->query.graph;
    uint64_t n = graph->vertices, all = all_of(graph);
    /* With marks a vertex may be counted twice, and `nearest` is a number of vertices. */
    const bool marked = is_narrow(graph) && task->query.nearest == 0;
    layout l = {.threads = task->threads, .lazy = marked && is_lazy(graph), .bin_count = 1};
    bool forced = task->values[0] != FORCE_NONE;
    if (!forced && all / MEMBER_WORK < l.threads)
        l.threads = (unsigned)(all / MEMBER_WORK) + 1;
    l.words = hop__bitmap_words(n);
    if (marked)
        l.marks = l.lazy ? 2 * (n + 1) : n; /* one more may be read with the last */
    l.capacity = n / (8 * (uint64_t)l.threads);
    l.capacity = l.capacity > 1 << 16 ? l.capacity : 1 << 16;
    l.capacity = l.capacity < all ? l.capacity : all;
    while (2 * l.bin_count <= HOP__BFS_BINS_MOST && n / BIN_VERTICES >= 2 * l.bin_count)
        l.bin_count *= 2;
    uint64_t room = n / 16 / l.threads > 1 << 16 ? n / 16 / l.threads : 1 << 16;
    room = (room < all ? room : all) / l.bin_count;
    l.bin_capacity = room < 16 ? 16 : room < 1 << 20 ? (uint32_t)room : 1 << 20;
    l.bin_capacity = (l.bin_capacity & ~15u) | 8; /* an odd number of lines: sets differ */
    return l;
}

static void direction_blocks(const void *given, hop__workspace *space) {
    layout l = lay_out(given);
    HOP__BLOCK(space, "bfs: members", l.threads, hop__bfs_search, lanes);
    HOP__BLOCK(space, "bfs: lists", 2 * l.threads * l.capacity, hop__bfs_search, lists);
    HOP__BLOCK(space, "bfs: bins", (uint64_t)l.threads * l.bin_count * l.bin_capacity,
               hop__bfs_search, bins);
    HOP__BLOCK(space, "bfs: bitmaps", 3 * l.words, hop__bfs_search, open);
    if (l.marks > 0)
        HOP__BLOCK(space, "bfs: marks", l.marks, hop__bfs_search, marks)->zero = l.lazy;
}

/* Deals out what was allocated. */
static void deal(hop__bfs_search *search, const layout *l) {
    search->front = search->open + l->words;
    search->found = search->front + l->words;
    for (unsigned t = 0; t < l->threads; t++) {
        hop__bfs_lane *lane = &search->lanes[t];
        lane->list = search->lists + 2 * t * l->capacity;
        lane->other = lane->list + l->capacity;
        lane->bins = search->bins + (uint64_t)t * l->bin_count * l->bin_capacity;
        lane->list_count = lane->other_count = 0;
        lane->batch_next = lane->batch_count = 0;
        lane->found = lane->arcs = lane->looked = 0;
    }
}

/* A member goes on alone in its own list only. A narrow graph has many short levels: members that
 * lose their cores wait for each other in each, unless the caller has said what he wants. */
static void set_alone(hop__bfs_search *search) {
    uint64_t quiet = search->alone_quiet;
    uint64_t busy = search->marks && quiet == ALONE_MOST ? BUSY_MOST : quiet;
    search->alone_quiet = quiet < search->capacity ? quiet : search->capacity;
    search->alone_busy = busy < search->capacity ? busy : search->capacity;
    search->alone = hop__crowded() ? search->alone_busy : search->alone_quiet;
}

static void begin(hop__bfs_search *search, const layout *l) {
    const hop_graph *graph = search->graph;
    search->n = graph->vertices;
    search->cpu = hop__cpu();
    search->words = l->words;
    search->capacity = l->capacity;
    search->bin_count = l->bin_count;
    search->stripe_shift = 9;
    while (graph->shared->facts.max_degree < search->n / 4 &&
           l->bin_count * (UINT64_C(1) << search->stripe_shift) < search->n)
        search->stripe_shift++;
    search->bin_capacity = l->bin_capacity;
    set_alone(search);
    search->open_count = search->n - (graph->directed ? 0 : graph->shared->facts.isolated);
    search->open_arcs = graph->arcs;
    search->reverse = hop_graph_prepared_reverse(graph);
    search->max_degree = graph->shared->facts.max_degree;
    if (search->max_degree <= FEW_DEGREE)
        search->few = search->capacity / (search->max_degree + 1);
    search->lazy = l->lazy;
    search->step = HOP__BFS_CLEAR;
    atomic_init(&search->cursor, 0);
    atomic_init(&search->bin_cursor, 0);
    atomic_init(&search->unfinished, 0);
    atomic_init(&search->hub_count, 0);
    atomic_init(&search->slice_cursor, 0);
    atomic_init(&search->cancelled, false);
}

static hop_status direction_run(hop_context *context, hop__bfs_task *task) {
    hop_status status;
    const hop_graph *graph = task->query.graph;
    uint64_t work = hop__bfs_work(graph);
    unsigned expected = hop__team_expect(context, work);
    task->threads = expected < task->threads ? expected : task->threads;
    layout l = lay_out(task);
    hop__workspace space = {0};
    hop__bfs_search search = {.context = context,
                              .task = task,
                              .graph = graph,
                              .levels = task->levels,
                              .parents = task->parents,
                              .forced = (unsigned)task->values[0],
                              .alone_quiet = (uint64_t)task->values[1]};
    HOP_TRY(status, hop__workspace_open(context, NULL, direction_blocks, task, &search, &space));
    deal(&search, &l);
    begin(&search, &l);
    hop__advise_huge(task->levels, 4 * (uint64_t)graph->vertices);
    if (task->parents)
        hop__advise_huge(task->parents, 4 * (uint64_t)graph->vertices);
    hop__progress_begin(context, "bfs: direction-optimizing", graph->arcs + graph->vertices);
    hop__team_of(context, l.threads, work, member, &search);
    for (unsigned t = 0; t < search.threads; t++)
        task->relaxations += search.lanes[t].looked;
    hop__count(context, "switches", search.switches);
    HOP_TRY(status, hop__progress_end(context));
done:
    hop__workspace_close(&space, status);
    return status;
}

const hop__bfs_variant hop__bfs_direction_optimizing = {
    .row = {.about = {.name = "direction-optimizing",
                      .summary = "top-down or bottom-up, whichever is cheaper for the level",
                      .source = "Beamer et al., SC'12",
                      .place = HOP_PLACE_HOST,
                      .uses = HOP_PREPARE_REVERSE,
                      HOP__PARAMETERS(parameters)},
            .blocks = direction_blocks},
    .run = direction_run,
};
