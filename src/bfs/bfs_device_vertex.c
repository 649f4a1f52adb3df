/* SPDX-License-Identifier: Apache-2.0
 *
 * vertex-parallel: one work-item per vertex, in every level. Push: a vertex of the level that was
 * found last gives its neighbours the next one. Pull: a vertex without a level looks whether a
 * neighbour has that level (D3's first approach, the shape of Rodinia's bfs). No queue; the
 * baseline that frontiers are to beat. `ahead` levels are given to the device before the host looks
 * whether one has found nothing; not with targets.
 *
 * Pull wants rows of arcs in, as direction-optimizing does.
 *
 * Source: D3; D4 7.4. Cost: O(levels n + m) push, O(levels (n + m)) pull; on the device the rows, 4
 * bytes per vertex (8 with parents), 16 bytes per `hub` arcs where rows are longer. */
#include "bfs/bfs_device_frontier.h"
#include "kernels/launching.h"

extern const hop__program_source hop__program_bfs_dense;

enum { GROUP, CUT, DIRECTION, AHEAD, HUB, PARAMETERS };
enum { PUSH, PULL };
/* As in bfs_dense_program.cl. */
enum { FOUND, ARCS, PIECES, CHANGED, STATE_WORDS };

typedef struct search {
    hop__bfs_device base;
    hop__buffer *offsets, *targets, *pieces, *state;
    bool pull, hubs;
    uint32_t hub;
} search;

static bool has_hubs(const hop_graph *graph, const double *values) {
    return (double)graph->shared->facts.max_degree > values[HUB] || graph->directed;
}

static void vertex_blocks(const void *given, hop__workspace *space) {
    const hop__bfs_task *task = given;
    const double *values = task->values;
    hop__bfs_device_blocks(space, task, values[DIRECTION] == PULL);
    hop__buffer_add(space, "bfs: parts of rows",
                    hop__bfs_device_pieces(task->query.graph, values[HUB]), 8,
                    offsetof(search, pieces));
    hop__buffer_add(space, "bfs: state", STATE_WORDS, 4, offsetof(search, state))->zero = true;
}

static hop_status expand(search *s, uint32_t level) {
    hop_status status;
    hop__bfs_device *base = &s->base;
    hop__argument arguments[] = {hop__arg_buffer(s->offsets),   hop__arg_buffer(s->targets),
                                 hop__arg_buffer(base->levels), hop__arg_u32(level),
                                 hop__arg_buffer(s->pieces),    hop__arg_buffer(s->state),
                                 hop__arg_u32(s->hub)};
    if (s->hubs)
        HOP_TRY(status, hop__buffer_fill(s->state, PIECES * 4, 4, 0));
    HOP_TRY(status, hop__sweep_over(&base->sweeper, s->pull ? "vertex_pull" : "vertex_push",
                                    base->n, 4, arguments, HOP_LENGTH(arguments)));
    if (s->hubs) {
        base->sweeper.launches++;
        HOP_TRY(status, hop__launch_named(base->sweeper.program,
                                          s->pull ? "vertex_pull_pieces" : "vertex_push_pieces",
                                          hop__sweep_shape(&base->sweeper, base->n), arguments,
                                          HOP_LENGTH(arguments)));
    }
done:
    return status;
}

static hop_status find_levels(search *s, uint32_t ahead) {
    hop_status status;
    hop__bfs_device *base = &s->base;
    const hop__bfs_query *query = &base->task->query;
    hop_vertex target;
    bool reached;
    uint32_t level = 0, changed = 0;
    HOP_TRY(status, hop__bfs_device_sources(base, NULL, s->state, FOUND));
    while (level < query->max_level && changed == level) {
        uint32_t left = query->max_level - level;
        HOP_TRY(status, hop__bfs_device_targets(base, &reached, &target));
        if (reached)
            break;
        uint32_t some = target != HOP_NO_VERTEX ? 1 : left < ahead ? left : ahead;
        for (uint32_t i = 0; i < some; i++)
            HOP_TRY(status, expand(s, level++));
        HOP_TRY(status, hop__buffer_read_now(s->state, CHANGED * 4, 4, &changed));
    }
    base->task->rounds = changed;
done:
    return status;
}

static hop__graph_copy copy(const void *given, hop__device *device) {
    const double *values = ((const hop__bfs_task *)given)->values;
    return values && values[DIRECTION] == PULL ? hop__bfs_device_copy_both(given, device)
                                               : hop__bfs_device_copy(given, device);
}

static hop_status vertex_run(hop_context *context, hop__bfs_task *task) {
    hop_status status;
    const double *values = task->values;
    search s = {.pull = values[DIRECTION] == PULL, .hub = (uint32_t)values[HUB]};
    hop__bfs_device_plan plan = {.phase = "bfs: vertex-parallel",
                                 .program = &hop__program_bfs_dense,
                                 .blocks = vertex_blocks,
                                 .form = values,
                                 .reverse = s.pull};
    if (task->query.graph->vertices == 0)
        return HOP_OK;
    HOP_TRY(status, hop__bfs_device_begin(context, task, &plan, &s.base));
    s.offsets = s.pull ? s.base.rows.in_offsets : s.base.rows.offsets;
    s.targets = s.pull ? s.base.rows.in_targets : s.base.rows.targets;
    if (!s.offsets) {
        hop__fail(context, HOP_ERR_UNSUPPORTED,
                  "bfs: vertex-parallel pulls over arcs in, and this directed graph has them not "
                  "prepared");
        status = hop__remedy(context, HOP_REMEDY_PREPARE,
                             "prepare the reverse arcs, or set direction=push");
        goto done;
    }
    s.hubs = has_hubs(task->query.graph, values);
    HOP_TRY(status, find_levels(&s, (uint32_t)values[AHEAD]));
    HOP_TRY(status, hop__bfs_device_finish(&s.base));
done:
    hop__bfs_device_end(&s.base, status);
    return status;
}

static const hop_parameter parameters[PARAMETERS] = {
    [GROUP] = HOP__FORM_GROUP_ROW,
    [CUT] = HOP__FORM_CUT_ROW,
    [DIRECTION] = {.name = "direction",
                   .summary = "vertices of the level give it on, or vertices without one look",
                   .type = HOP_PARAMETER_CHOICE,
                   .maximum = 1,
                   .choices = "push pull"},
    [AHEAD] = HOP__AHEAD_ROW("levels"),
    [HUB] = HOP__HUB_ROW,
};

const hop__bfs_variant hop__bfs_device_vertex_parallel = {
    .row = {.about = {.name = "vertex-parallel",
                      .summary = "one work-item per vertex in every level, push or pull",
                      .source = "CSE 599 I; Troendle 2019, 7.4",
                      .place = HOP_PLACE_DEVICE,
                      .uses = HOP_PREPARE_REVERSE | HOP_PREPARE_DEVICE,
                      HOP__PARAMETERS(parameters)},
            .copy = copy,
            .blocks = vertex_blocks},
    .run = vertex_run,
};
