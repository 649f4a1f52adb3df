/* SPDX-License-Identifier: Apache-2.0
 * Building on disk; see external_build.h. */
#include "store/external_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/sort.h"
#include "core/try.h"
#include "graph/graph_facts.h"
#include "io/bytes/disk_room.h"
#include "io/bytes/page_spool.h"
#include "io/formats/npz_stream.h"
#include "store/arc_rows.h"

static const char phase[] = "build on disk: partition";

enum {
    LEAST_PAGE = 4096,
    MOST_PAGE = 1 << 20,
    MOST_BITS = 14,        /* of buckets: more would be small pages */
    LEAST_WORK = 1 << 20,  /* bytes for buffers, and as much for each thread */
    LEAST_ROUND = 1 << 14, /* edges */
    SPOOLED_EDGE = 24      /* bytes of an edge that comes from disk */
};

/* ---- the plan -------------------------------------------------------------------------------- */

static uint64_t lanes_bytes(const hop_context *context, unsigned bits, uint64_t arc) {
    return hop__team_limit(context) * (UINT64_C(1) << bits) * (16 + 16 * arc);
}

/* The largest number of arcs that `bytes` are enough to sort. */
static uint64_t capacity_of(const hop_context *context, const hop__partition *layout,
                            uint64_t bytes) {
    uint64_t arcs = 0;
    for (uint64_t step = UINT64_C(1) << 40; step > 0; step /= 2)
        if (hop__arc_rows_bytes(context, layout, arcs + step) <= bytes)
            arcs += step;
    return arcs;
}

/* Buckets: four times as many as are sorted one by one, so that skewed ones differ less; but no
 * more than there is memory for their pages and for the threads' buffers. */
static unsigned choose_bits(const hop_context *context, uint64_t arcs, uint64_t capacity,
                            uint64_t work, unsigned source_bits, uint64_t arc) {
    unsigned bits = 0;
    while (bits < source_bits && bits < MOST_BITS && (capacity << bits) / 4 < arcs &&
           (UINT64_C(2) << bits) * LEAST_PAGE <= work / 4 &&
           lanes_bytes(context, bits + 1, arc) <= work / 4)
        bits++;
    return bits;
}

static size_t choose_page(uint64_t bytes, unsigned bits) {
    size_t page = MOST_PAGE;
    while (page > LEAST_PAGE && ((uint64_t)page << bits) > bytes)
        page /= 2;
    return page;
}

/* What is to be built. */
typedef struct build_shape {
    uint64_t vertices, edges;
    bool directed, wide;
    hop_weight_type type;
    hop__names names;
} build_shape;

/* Plans with `room` bytes; false if that is not enough. */
static bool plan_within(hop_context *context, const build_shape *shape, uint64_t room,
                        hop__external_plan *plan) {
    uint64_t vertices = shape->vertices, arcs = shape->directed ? shape->edges : 2 * shape->edges;
    uint64_t weight = hop_type_size(shape->type), team = hop__team_limit(context);
    unsigned bits = vertices > 1 ? hop__bit_width(vertices - 1) : 0;
    *plan = (hop__external_plan){.arcs = arcs};
    plan->vertices = (vertices + 1) * (arcs <= UINT32_MAX && !shape->wide ? 4 : 8);
    hop__npz_stream_head file = {vertices, arcs, shape->directed, shape->type, shape->names};
    /* The file's checksums and buffers, a page of weights and where it is, the output. */
    uint64_t fixed = plan->vertices + hop__npz_stream_bytes(context, &file) +
                     hop__output_bytes(context, false) + (UINT64_C(32) << 10) +
                     (weight > 0 ? MOST_PAGE + arcs * weight / MOST_PAGE * 12 : 0);
    if (room < fixed + (1 + team) * (uint64_t)LEAST_WORK + arcs / 256)
        return false;
    uint64_t work = room - fixed;
    hop__partition layout = {.high_bytes = 4, .weight_bytes = (unsigned)weight};
    plan->capacity = capacity_of(context, &layout, work / 16 * 15);
    plan->bucket_bits =
        choose_bits(context, arcs, plan->capacity, work, bits, hop__arc_bytes(&layout));
    hop__partition_shape keys = {.source_bits = bits,
                                 .target_bits = bits,
                                 .most_bucket_bits = plan->bucket_bits,
                                 .exact_bits = true};
    hop__partition_choose(&layout, &keys, arcs);
    plan->arc_bytes = (unsigned)hop__arc_bytes(&layout);
    plan->page_bytes = choose_page(work / 4, plan->bucket_bits);
    /* Numbers of pages are in memory, with room to grow; so are pages while buckets are read. */
    uint64_t chains =
        hop__arc_buckets_bytes(arcs, plan->arc_bytes, plan->page_bytes, plan->bucket_bits) +
        (UINT64_C(24) << plan->bucket_bits) + team * plan->page_bytes;
    work = work > chains ? work - chains : 0;
    plan->capacity = capacity_of(context, &layout, work / 16 * 15);
    uint64_t buffers = ((uint64_t)plan->page_bytes << plan->bucket_bits) +
                       lanes_bytes(context, plan->bucket_bits, plan->arc_bytes);
    uint64_t rest = work > buffers ? work - buffers : 0;
    plan->round =
        rest / 8 * 7 / ((shape->directed ? 1 : 2) * plan->arc_bytes + SPOOLED_EDGE + weight);
    return plan->round >= LEAST_ROUND && plan->capacity >= LEAST_ROUND;
}

/* About the least room that is enough: more than `room`, which is not. */
static uint64_t enough_room(hop_context *context, const build_shape *shape, uint64_t room) {
    hop__external_plan plan;
    uint64_t low = room, high = room > LEAST_WORK ? room : LEAST_WORK;
    do
        high *= 2;
    while (high < UINT64_C(1) << 50 && !plan_within(context, shape, high, &plan));
    while (high - low > high / 64) {
        uint64_t middle = low + (high - low) / 2;
        if (plan_within(context, shape, middle, &plan))
            high = middle;
        else
            low = middle;
    }
    return high;
}

hop_status hop__external_plan_make(hop_context *context, uint64_t vertices, uint64_t edges,
                                   bool directed, hop_weight_type type, bool wide, hop__names names,
                                   hop__external_plan *plan) {
    hop__memory_usage usage = hop__pool_usage(context->pool);
    uint64_t room = usage.budget > usage.used ? usage.budget - usage.used : 0;
    build_shape shape = {vertices, edges, directed, wide, type, names};
    if (plan_within(context, &shape, room, plan))
        return HOP_OK;
    /* With a larger budget, buffers of those that read are larger, too. */
    uint64_t total = usage.used + enough_room(context, &shape, room);
    total += (total - usage.budget) / 4;
    return hop__fail_total(context, "build on disk", total, vertices, edges, false);
}

/* ---- the first pass -------------------------------------------------------------------------- */

/* Some edges of a source, as a source of their own. */
typedef struct round_source {
    const hop__edge_source *all;
    uint64_t first;
} round_source;

static void round_fill(const void *user, uint64_t first, uint32_t count, hop_vertex *from,
                       hop_vertex *to, void *weights) {
    const round_source *round = user;
    round->all->fill(round->all->user, round->first + first, count, from, to, weights);
}

/* Reads the next edges, at most `most`, and adds their arcs to the buckets, which are made when the
 * first come. */
static hop_status read_round(hop_context *context, const hop__edge_source *source,
                             hop__partition_shape *shape, const hop__external_plan *plan,
                             hop__scratch *scratch, hop__arc_buckets *arcs) {
    uint64_t left = source->count - shape->first_edge;
    uint64_t count = left < plan->round ? left : plan->round;
    hop__partition parted = {0};
    hop_status status;
    if (source->next != NULL)
        HOP_TRY(status, source->next(context, (void *)(uintptr_t)source->user, count, &count));
    round_source user = {source, source->next != NULL ? 0 : shape->first_edge};
    hop__edge_source round = {count, source->weight_type, round_fill, &user, NULL};
    HOP_TRY(status, hop__partition_make(context, &round, shape, &parted));
    if (arcs->buckets == NULL)
        HOP_TRY(status, hop__arc_buckets_open(context, scratch, plan->page_bytes, &parted, arcs));
    HOP_TRY(status, hop__arc_buckets_add(context, arcs, &parted));
    shape->first_edge += count;
    HOP_TRY(status, hop__progress_end(context));
    hop__progress_resume(context, phase, 2 * source->count, 2 * shape->first_edge);
done:
    hop__partition_clear(&parted);
    return status;
}

static hop_status read_all(hop_context *context, const hop__edge_source *source,
                           const hop__build *build, hop__names names,
                           const hop__external_plan *plan, hop__scratch *scratch,
                           hop__arc_buckets *arcs) {
    uint64_t n = build->vertices;
    unsigned bits = n > 1 ? hop__bit_width(n - 1) : 0;
    hop__partition_shape shape = {.source_bits = bits,
                                  .target_bits = bits,
                                  .sources = n,
                                  .targets = n,
                                  .both = !build->directed,
                                  .drop_loops = build->loops == HOP_LOOPS_DROP,
                                  .most_bucket_bits = plan->bucket_bits,
                                  .what = build->what,
                                  .names = names,
                                  .exact_bits = true,
                                  .of_phase = true};
    hop_status status = HOP_OK, ended;
    hop__progress_begin(context, phase, 2 * source->count);
    do /* once for no edges: the buckets are wanted */
        status = read_round(context, source, &shape, plan, scratch, arcs);
    while (status == HOP_OK && shape.first_edge < source->count);
    if (status == HOP_OK)
        status = hop__arc_buckets_finish(context, arcs);
    ended = hop__progress_end(context);
    return status == HOP_OK ? ended : status;
}

/* ---- the second pass ------------------------------------------------------------------------- */

typedef struct file_build {
    hop__external *external;
    const hop__build *build;
    const hop__external_plan *plan;
    hop__names names;
    hop_weight_type type;
    hop__arc_buckets buckets;
    hop__page_spool weights;
    hop__npz_stream *stream;
    hop_graph *graph; /* what is to be known of it afterwards */
} file_build;

static hop_status append_rows(hop_context *context, void *user, const hop_vertex *targets,
                              const void *weights, uint64_t count) {
    file_build *work = user;
    hop_status status;
    work->graph->arcs += count;
    HOP_TRY(status, hop__npz_stream_targets(context, work->stream, targets, count));
    if (work->type != HOP_TYPE_NONE) {
        hop__facts_weights(context, work->type, weights, count, &work->graph->shared->facts);
        HOP_TRY(status, hop__spool_append(context, &work->weights, weights,
                                          count * hop_type_size(work->type)));
    }
done:
    return status;
}

/* Sorts the rows into the file; degrees and loops to the graph. */
static hop_status sort_rows(hop_context *context, file_build *work) {
    const hop__build *build = work->build;
    hop_graph *graph = work->graph;
    uint64_t n = build->vertices;
    hop_status status;
    hop__arc_rows sort = {.rows = {build->duplicates, work->type, NULL, 4, 0, UINT64_MAX, true},
                          .capacity = work->plan->capacity,
                          .round = work->plan->round,
                          .split_bits = work->plan->bucket_bits > 0 ? work->plan->bucket_bits : 1,
                          .take = append_rows,
                          .user = work,
                          .build = build,
                          .names = work->names};
    for (uint64_t i = 0; i < work->buckets.count; i++)
        sort.total += work->buckets.buckets[i].arcs;
    graph->offset_bytes = sort.rows.degree_bytes = sort.total <= UINT32_MAX && !build->wide ? 4 : 8;
    HOP_TRY(status, hop__alloc_zero(context, "build: offsets", n + 1, graph->offset_bytes,
                                    &graph->own_offsets));
    graph->offsets = sort.rows.degrees = graph->own_offsets;
    hop__facts_begin(n, &graph->shared->facts);
    HOP_TRY(status, hop__arc_rows_run(context, &sort, &work->buckets));
    hop__degrees_scan(context, graph->own_offsets, graph->offset_bytes, n);
    graph->shared->facts.loops = atomic_load(&sort.rows.loops);
done:
    return status;
}

/* ---- the rest of the file -------------------------------------------------------------------- */

static hop_status copy_weights(hop_context *context, file_build *work) {
    enum { PIECE = 1 << 16 };
    uint64_t left = work->graph->arcs, *piece = NULL;
    size_t size = hop_type_size(work->type);
    hop_status status;
    HOP_TRY(status, hop__spool_rewind(context, &work->weights));
    HOP_TRY(status, hop__alloc(context, "build: weights", PIECE, sizeof *piece, &piece));
    for (uint64_t count; left > 0; left -= count) {
        count = left < PIECE ? left : PIECE;
        HOP_TRY(status, hop__spool_read(context, &work->weights, piece, count * size));
        HOP_TRY(status, hop__npz_stream_weights(context, work->stream, piece, count));
    }
done:
    hop__free(piece);
    return status;
}

static hop_status write_rest(hop_context *context, file_build *work) {
    hop_status status = HOP_OK, ended;
    uint64_t n = work->graph->vertices, weights = work->graph->arcs * hop_type_size(work->type);
    hop__progress_begin(context, "build on disk: write", 2 * (weights + 8 * n));
    if (work->type != HOP_TYPE_NONE)
        status = copy_weights(context, work);
    if (status == HOP_OK)
        status = hop__npz_stream_graph_offsets(context, work->stream, work->graph);
    if (status == HOP_OK)
        status = hop__npz_stream_finish(context, work->stream, work->graph->shared->facts.loops);
    if (status == HOP_OK)
        hop__facts_end(context, work->graph, &work->graph->shared->facts);
    ended = hop__progress_end(context);
    return status == HOP_OK ? ended : status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static hop_status build_file(hop_context *context, file_build *work,
                             const hop__edge_source *source) {
    const hop__external_plan *plan = work->plan;
    hop__scratch *scratch = &work->external->scratch;
    hop__output *output = NULL;
    hop_status status;
    HOP_TRY(status,
            read_all(context, source, work->build, work->names, plan, scratch, &work->buckets));
    if (work->type != HOP_TYPE_NONE)
        HOP_TRY(status, hop__spool_open(context, scratch, MOST_PAGE, &work->weights));
    HOP_TRY(status, hop__output_open(context, work->external->path, false, &output));
    hop__npz_stream_head head = {work->build->vertices, plan->arcs, work->build->directed,
                                 work->type, work->names};
    if (work->external->drop_names)
        head.names = (hop__names){NULL, 0, NULL};
    HOP_TRY(status, hop__npz_stream_open(context, output, &head, &work->stream));
    HOP_TRY(status, sort_rows(context, work));
    HOP_TRY(status, write_rest(context, work));
    HOP_TRY(status, hop__progress_ask(context, "build on disk: write"));
done:
    return output == NULL ? status : hop__output_close(context, output, status);
}

static void build_close(file_build *work) {
    hop__npz_stream_close(work->stream);
    hop__spool_close(&work->weights);
    hop__arc_buckets_close(&work->buckets);
    hop_graph_release(work->graph);
}

static void say_plan(hop_context *context, const hop__external *external,
                     const hop__external_plan *plan, const hop__build *build) {
    char scratch[16], work[16];
    hop__log(context, HOP_LOG_INFO,
             "%ss: built on disk, because it does not fit the memory budget: %s of scratch in %s, "
             "%" PRIu64 " buckets, %s sorted at a time",
             build->what, hop__size_text(plan->arcs * plan->arc_bytes, scratch),
             external->scratch.folder, UINT64_C(1) << plan->bucket_bits,
             hop__size_text(plan->capacity * plan->arc_bytes, work));
}

static hop_status check_scratch(hop_context *context, const hop__external *external,
                                uint64_t bytes) {
    char inside[PATH_MAX];
    snprintf(inside, sizeof inside, "%s/scratch", external->scratch.folder);
    return hop__disk_check(context, inside, bytes);
}

static hop_status build_external(hop_context *context, hop__outsider *outsider,
                                 const hop__edge_source *source, const hop__build *build,
                                 hop__names names, hop_graph **result) {
    hop__external *external = (hop__external *)outsider;
    hop__external_plan plan;
    file_build work = {.external = external,
                       .build = build,
                       .plan = &plan,
                       .names = names,
                       .type = source->weight_type,
                       .weights = {.file = {.descriptor = -1}}};
    hop_status status;
    HOP_TRY(status,
            hop__external_plan_make(context, build->vertices, source->count, build->directed,
                                    source->weight_type, build->wide, names, &plan));
    HOP_TRY(status, check_scratch(context, external, plan.arcs * plan.arc_bytes));
    say_plan(context, external, &plan, build);
    HOP_TRY(status, hop__graph_create(context, &work.graph));
    work.graph->vertices = build->vertices;
    work.graph->edges_given = source->count;
    work.graph->directed = build->directed;
    work.graph->weight_type = source->weight_type;
    HOP_TRY(status, build_file(context, &work, source));
    atomic_store(&work.graph->shared->state, HOP__CHECKED);
    external->used = true;
    *result = work.graph;
    work.graph = NULL;
done:
    build_close(&work);
    return status;
}

hop_status hop__external_need(hop_context *context, const hop__external *external,
                              const hop__build_shape *shape, hop_convert_report *report) {
    const hop__names unnamed = {NULL, 0, NULL};
    uint64_t arcs = shape->directed ? shape->edges : 2 * shape->edges;
    uint64_t row = sizeof(hop_vertex) + hop_type_size(shape->type);
    uint64_t rows = arcs * row + (shape->vertices + 1) * (arcs <= UINT32_MAX ? 4 : 8);
    hop__external_plan plan;
    hop_status status;
    report->vertices = shape->vertices;
    report->edges = report->edges_given = shape->edges;
    report->arcs = arcs;
    report->output_bytes = rows + hop__blocks_of(rows) * sizeof(uint64_t);
    report->memory_bytes =
        hop__build_bytes(context, shape->vertices, shape->edges, shape->directed, shape->type);
    report->on_disk =
        !hop__build_fits(context, shape->vertices, shape->edges, shape->directed, shape->type);
    HOP_TRY(status, hop__disk_check(context, external->path, report->output_bytes));
    if (report->on_disk) {
        HOP_TRY(status,
                hop__external_plan_make(context, shape->vertices, shape->edges, shape->directed,
                                        shape->type, false, unnamed, &plan));
        report->scratch_bytes = plan.arcs * (plan.arc_bytes + hop_type_size(shape->type));
        HOP_TRY(status, check_scratch(context, external, plan.arcs * plan.arc_bytes));
    }
done:
    return status;
}

void hop__external_init(hop__external *external, const char *path, const char *folder) {
    *external = (hop__external){.outsider = {build_external, &external->scratch},
                                .path = path,
                                .scratch = {.folder = folder}};
}
