/* SPDX-License-Identifier: Apache-2.0
 *
 * The engine of the searches with frontiers on devices; bfs_device_frontier.c says how it works.
 * direction-optimizing takes its top-down levels from it. */
#ifndef HOPLITE_BFS_BFS_DEVICE_FRONTIER_H
#define HOPLITE_BFS_BFS_DEVICE_FRONTIER_H

#include "bfs/bfs_device.h"

/* Parameters that all have, in this order; a variant's own follow. */
enum {
    HOP__FRONTIER_GROUP,
    HOP__FRONTIER_CUT,
    HOP__FRONTIER_SMALL,
    HOP__FRONTIER_THRESHOLD,
    HOP__FRONTIER_BALANCE,
    HOP__FRONTIER_READONLY,
    HOP__FRONTIER_AHEAD,
    HOP__FRONTIER_HUB,
    HOP__FRONTIER_PARAMETERS
};
#define HOP__FRONTIER_ROWS                                                                         \
    [HOP__FRONTIER_GROUP] = HOP__FORM_GROUP_ROW, [HOP__FRONTIER_CUT] = HOP__FORM_CUT_ROW,          \
    [HOP__FRONTIER_SMALL] = {.name = "small",                                                      \
                             .summary =                                                            \
                                 "small frontiers: one group goes on level after level in "        \
                                 "one launch, or the host does, or every level is a launch",       \
                             .type = HOP_PARAMETER_CHOICE,                                         \
                             .maximum = 2,                                                         \
                             .choices = "group host off"},                                         \
    [HOP__FRONTIER_THRESHOLD] = {.name = "threshold",                                              \
                                 .summary = "vertices of a small frontier at most",                \
                                 .type = HOP_PARAMETER_INTEGER,                                    \
                                 .maximum = 1 << 20,                                               \
                                 .standard = 2048},                                                \
    [HOP__FRONTIER_BALANCE] = {.name = "balance",                                                  \
                               .summary = "an item walks the row of a vertex, or the items of a "  \
                                          "group share the arcs of its vertices; auto: by form",   \
                               .type = HOP_PARAMETER_CHOICE,                                       \
                               .maximum = 2,                                                       \
                               .choices = "auto vertex edges"},                                    \
    [HOP__FRONTIER_READONLY] = {.name = "readonly",                                                \
                                .summary = "declare the graph's arrays as only read, for devices " \
                                           "with a cache for those",                               \
                                .type = HOP_PARAMETER_FLAG,                                        \
                                .maximum = 1,                                                      \
                                .standard = 1},                                                    \
    [HOP__FRONTIER_AHEAD] = HOP__AHEAD_ROW("levels"), [HOP__FRONTIER_HUB] = HOP__HUB_ROW

enum { HOP__SMALL_GROUP, HOP__SMALL_HOST, HOP__SMALL_OFF }; /* of `small` */
enum { HOP__SMALL_ARCS = 1 << 15 };                         /* of a small frontier */

/* As in bfs_frontiers.cl. */
enum {
    HOP__SLOT_BEGIN,
    HOP__SLOT_COUNT,
    HOP__SLOT_PIECES,
    HOP__SLOT_ARCS,
    HOP__SLOT_EXPLORED,
    HOP__SLOT_WORDS = 8,
    HOP__SLOTS = 4,
    HOP__TURNS = 8,
    HOP__ARCS_UNIT = 32,
    HOP__FRONTIER_LIST = 0,
    HOP__FRONTIER_MAP = 1
};
typedef struct hop__frontier_state {
    uint32_t slots[HOP__SLOTS][HOP__SLOT_WORDS];
    uint32_t levels[HOP__TURNS], forms[HOP__TURNS];
    uint32_t switches; /* to bitmaps */
    uint32_t none[15], listed;
} hop__frontier_state;

typedef struct hop__frontier {
    hop__bfs_device base;
    const double *values;
    hop__buffer *queue, *pieces, *state;
    hop_vertex *host_queue;       /* of hop__frontier_host */
    hop__frontier_state seen;     /* the device's state when the host looked last */
    uint32_t turn;                /* the next launch's */
    uint32_t level, begin, count; /* the frontier: level, place in the queue and vertices */
    uint32_t form;                /* HOP__FRONTIER_LIST or _MAP */
    uint64_t arcs;                /* of it, about; of the sources 0 */
    uint64_t unexplored;          /* of the vertices without a level, about */
    bool hubs;                    /* there are rows longer than `hub` */
    hop_vertex target;            /* one without a level; HOP_NO_VERTEX: there are no targets */
    uint64_t launches, small_launches, host_levels, reads;
} hop__frontier;

/* Which queues items append to, and what else the search is to have. */
typedef struct hop__frontier_plan {
    const char *phase;
    hop__blocks_fn blocks; /* the row's */
    int queue_levels;      /* 1 to 3 */
    int64_t queue, sub_queues;
    bool reverse;     /* rows of arcs in, where there are any */
    bool own_parents; /* parents are lowered on the way, not found at the end */
} hop__frontier_plan;

/* Begins a search, whose frontier is then that of the sources. Fails half-way in a state that
 * hop__frontier_end cleans up. */
hop_status hop__frontier_begin(hop_context *context, hop__bfs_task *task,
                               const hop__frontier_plan *plan, hop__frontier *search);
/* Whether the search is over: no frontier, or a limit of the query. */
hop_status hop__frontier_over(hop__frontier *search, bool *over);
/* Some levels, top-down. */
hop_status hop__frontier_step(hop__frontier *search);
/* bfs_device_host.c: some levels by the host, while frontiers are small. */
hop_status hop__frontier_host(hop__frontier *search);
/* The frontier becomes that of `level`, of `count` vertices: its slice begins at the end of what
 * the queue has had so far. */
hop_status hop__frontier_move(hop__frontier *search, uint32_t level, uint32_t count);
/* Levels of small frontiers by one group, and some of up to 2^20 vertices (2^15 on processors) by
 * all groups; not waited for. The latter end before a level that rises by `alpha`, as the kernels
 * say. */
hop_status hop__frontier_small(hop__frontier *search);
hop_status hop__frontier_blind(hop__frontier *search, uint32_t levels, uint32_t alpha);
/* Arcs of the graph in the unit of the state. */
uint32_t hop__frontier_units(const hop__frontier *search);
/* Whether launches that do nothing cost less than a look: not on processors. */
bool hop__frontier_far(const hop__frontier *search);
/* Where the search stands, after waiting for what is under way. */
hop_status hop__frontier_look(hop__frontier *search);
hop_status hop__frontier_finish(hop__frontier *search);
void hop__frontier_end(hop__frontier *search, hop_status status);
/* Lists what a search takes; it is the first member of the state. */
void hop__frontier_blocks(hop__workspace *space, const hop__bfs_task *task, bool reverse);

#endif
