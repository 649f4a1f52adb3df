/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of delta-stepping share; what it is about stands in sssp_delta_stepping.c.
 *   delta_plan.c      what is chosen: width, keys, limits
 *   delta_kernels.c   what is compiled for each type: search, resume, pull (delta_template.h)
 *   delta_pick.c      which weights of a row are near enough
 *   delta_cells.c     from cells to results
 *   delta_guard.c     what bounds the work
 *   delta_queue.c     the queue */
#ifndef HOPLITE_SSSP_DELTA_JOB_H
#define HOPLITE_SSSP_DELTA_JOB_H

#include <string.h>

#include "core/atomic.h"
#include "core/parallel.h"
#include "core/real_bits.h"
#include "sssp/delta/delta_pick.h"
#include "sssp/delta/delta_queue.h"
#include "sssp/sssp_dijkstra.h"

enum {
    HOP__DELTA_FILL_GRAIN = 1 << 16,
    HOP__DELTA_PULL_GRAIN = 1 << 9,
    HOP__DELTA_REACH = 1 << 10,
    HOP__DELTA_FAR_ARCS = 1 << 16, /* no horizon with fewer */
    HOP__DELTA_SAMPLES = 256,
};
/* Distances of packed cells: HOP_NO_DISTANCE is a cell of 2^31 - 1 and HOP_NO_VERTEX. */
#define HOP__DELTA_PACKED_MOST ((UINT64_C(1) << 31) - 2)

typedef struct hop__delta_job hop__delta_job;

/* The vertices that the sources reach, if they are few. */
typedef struct hop__delta_reach {
    hop_vertex list[HOP__DELTA_REACH];
    hop_vertex count;
    bool whole; /* all of them are in the list */
} hop__delta_reach;

/* What members have done, as far as they have told, and when that is too much; delta_guard.c. */
typedef struct hop__delta_guard {
    bool on;
    uint64_t grain; /* arcs after which a member tells what it has done */
    double spare;   /* arcs to relax beside those of settled vertices, in those of reached ones */
    atomic_uint_fast64_t arcs, entries, reached;
    atomic_uint_fast64_t next; /* arcs at which somebody looks again */
    uint64_t between;          /* arcs from one look to the next */
    atomic_bool tripped;       /* that was too much: the members have left */
    bool forgiven;             /* and went on */
    atomic_bool crowded;       /* other programs want the cores */
    unsigned sample_count;
    hop_vertex samples[HOP__DELTA_SAMPLES]; /* the starts of some arcs */
} hop__delta_guard;

/* What is compiled for each type. */
typedef struct hop__delta_steps {
    hop__team_fn search;
    hop__range_fn resume, mark, pull;
    hop__delta_key_fn key_of;
} hop__delta_steps;

struct hop__delta_job {
    hop_context *context;
    hop__sssp_task *task;
    const hop_graph *graph;
    const hop_graph *reverse; /* NULL: there is none, and no pull */
    const hop__delta_steps *steps;
    hop__delta_pick_fn pick;
    hop__delta_queue queue;
    uint64_t *cells, *own_cells;
    uint64_t *level; /* see hop__sssp_level_parents; NULL: not needed */
    uint64_t none;   /* the cell of a vertex that is not reached */
    unsigned team;   /* members at most */
    bool packed, alone;
    bool leaves;        /* there are so many that they are told apart, and not queued */
    bool short_rows;    /* most have a few arcs */
    bool pruned;        /* sums beyond the limit are not the last word */
    unsigned key_drop;  /* bits of an integer length below its key */
    double key_scale;   /* from a real length to its key */
    uint64_t base_cell; /* of key 0: what is below is settled, and has no key */
    uint64_t key_base;  /* its length; packed integers: 0 */
    double key_base_real;
    double delta;        /* the width of a bucket */
    uint64_t pause_arcs; /* a member that has relaxed so many ends the search; 0: none does */
    /* Sums up to limit are relaxed; up to low all is settled; what is nearer than whole has relaxed
     * all its arcs. */
    uint64_t limit_integer, low_integer, whole_integer;
    double limit_real, low_real, whole_real;
    hop__delta_reach reach;
    uint64_t *settled; /* a bit each; only while there is a horizon */
    uint64_t farthest;
    atomic_uint_fast64_t missing; /* vertices that are reached and have no parent */
    uint64_t from_cell;           /* for hop__delta_requeue */
    unsigned widenings;           /* how often keys began anew */
    hop__delta_guard guard;
    uint64_t *open;          /* a bit each: what is left to dijkstra */
    hop__dijkstra rest;      /* which it then does */
    hop__sssp_layers layers; /* has `level` */
    hop__workspace *space;
};

/* The distance of a cell that has the parent in its lower half. */
static inline float hop__float_of(uint64_t cell) {
    return hop__float_from((uint32_t)(cell >> 32));
}

static inline bool hop__delta_is_real(const hop__delta_job *job) {
    return job->task->query.distance_type != HOP_TYPE_INT64;
}

/* A field of all members together. */
static inline uint64_t hop__delta_total(const hop__delta_job *job, size_t field) {
    uint64_t sum = 0;
    for (unsigned t = 0; t < job->queue.threads; t++)
        sum += *(const uint64_t *)((const char *)&job->queue.workers[t] + field);
    return sum;
}

/* delta_kernels.c */

const hop__delta_steps *hop__delta_steps_of(hop_weight_type type, bool packed);

/* delta_plan.c */

/* What the automatic choices rest on. */
typedef struct hop__delta_plan {
    double delta;    /* the width of a bucket: a power of two, at least 1 for integers */
    uint32_t stride; /* of the horizon, in buckets; 0: there is none */
    bool short_rows; /* few arcs per vertex */
    bool leaves;     /* many vertices have no arc but one back */
} hop__delta_plan;

/* Whether cells hold parents: float64 never, integers at first if one weight fits. Without weights
 * distances are below n, so 31 bits may be too few only for paths of 2^31 arcs. */
bool hop__delta_starts_packed(const hop_graph *graph);
/* `wanted` is the width that the caller asks for; 0: none. */
hop__delta_plan hop__delta_make_plan(const hop__delta_job *job, double wanted);
/* Keys and buckets for a width. Key 0 is the length of cell `base`; a bucket has 2^fine keys (at
 * most, for integers). */
void hop__delta_set_keys(hop__delta_job *job, double delta, uint64_t base, unsigned fine);
enum {
    HOP__DELTA_FINE = 10,     /* of the first keys */
    HOP__DELTA_FINE_LATE = 6, /* where keys have turned out to be too fine */
};
/* No horizon: what the caller allows, and the cells. */
void hop__delta_open_limit(hop__delta_job *job);
/* A horizon at the end of a bucket; false when there is nothing beyond it. */
bool hop__delta_set_limit(hop__delta_job *job, uint64_t bucket, double delta);
/* No entry has a key below this. */
void hop__delta_set_whole(hop__delta_job *job, uint32_t key);

/* delta_cells.c */

/* Looks whether the sources reach few vertices: then the results of the others are written once,
 * and what is left to do is small whatever the size of the graph. */
void hop__delta_probe(hop__delta_job *job);
/* Fills the cells and queues the sources. */
void hop__delta_start(hop__delta_job *job);
/* Whether packed cells were too small: a sum that did not fit was all that led to some vertex. */
bool hop__delta_is_too_small(hop__delta_job *job);
/* Then the search goes on where it was cut off: cells become distances, and vertices whose arcs led
 * too far are queued again. */
void hop__delta_enlarge(hop__delta_job *job);
/* Packed cells become distances and parents; counts the vertices that lack one. */
void hop__delta_unpack(hop__delta_job *job);
/* Empties the queue, and queues every vertex that is reached and has a cell of at least this. */
void hop__delta_requeue(hop__delta_job *job, uint64_t cell);

/* delta_guard.c */

void hop__delta_guard_start(hop__delta_job *job, bool horizon);
/* A member has relaxed `grain` arcs or more; false when the search is cancelled. */
bool hop__delta_report(hop__delta_job *job, hop__delta_worker *worker);
/* After a search: whether it has to be left to dijkstra. False when it has ended, or was stopped
 * for nothing. */
bool hop__delta_is_wasteful(hop__delta_job *job);
/* The least cell of a vertex that may not have relaxed its arcs; UINT64_MAX: all have. */
uint64_t hop__delta_open_cell(const hop__delta_job *job);
/* Sets the bits of those vertices: all that are queued, or, where that is not known (entries were
 * lost, or there is a horizon), all that are reached and have a cell of at least this; and those of
 * the next. Whether there are any. */
bool hop__delta_mark_open(const hop__delta_job *job, uint64_t cell, uint64_t *marks);
/* Those with an arc whose sum did not fit into packed cells, and which is to be relaxed again. */
bool hop__delta_mark_cut_off(const hop__delta_job *job, uint64_t *marks);
/* After a search that came to the last key: the next keys, from there on, wider by what is left.
 * False when that has been done often enough. */
bool hop__delta_widen(hop__delta_job *job);

#endif
