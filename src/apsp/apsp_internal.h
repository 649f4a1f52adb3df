/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants of apsp see. A variant is a file apsp_<variant>.c that exports one const
 * hop__apsp_variant, and a line in the table of apsp.c.
 *
 * The front has done this before a variant starts: the graph is sound and has a vertex, no weight
 * is -infinity, no cycle has a negative sum, distances of the type fit (int32) or are looked after
 * (query.wide: see rows() below). A variant is started once, asked for blocks of rows in ascending
 * order, and finished. */
#ifndef HOPLITE_APSP_APSP_INTERNAL_H
#define HOPLITE_APSP_APSP_INTERNAL_H

#include "hoplite/apsp.h"
#include "sssp/sssp_internal.h"

typedef struct hop__apsp_turns hop__apsp_turns;

typedef struct hop__apsp_task {
    hop__sssp_query query;         /* the graph, and what its weights demand */
    hop_weight_type distance_type; /* int32, int64, or the floating-point type of the weights */
    bool by_rows;                  /* the caller takes blocks; else the matrix is the caller's */
    bool facts_only;               /* of the rows nothing is wanted but what facts() says */
    const hop_vertex *sources;     /* of the rows that are wanted; NULL: all vertices */
    hop_vertex row_count;          /* of them; n without sources */
    uint64_t free_bytes;           /* of the budget, before the call */
    unsigned threads;              /* of the context */
    const hop__tuning *tuning;     /* of the context */
    unsigned workers;              /* threads that there is memory for: at least 1 */
    const double *values;          /* of the row's parameters, in its order */
    uint64_t device_bytes;         /* that may be used of the device's memory; 0: all */
    const char *scratch;           /* a file for the matrix, or NULL */
    /* For rows with wants_potentials, integer weights of which some are negative: n of them, such
     * that w + potentials[u] - potentials[v] >= 0 for each arc, none above 0. Else NULL. */
    int64_t *potentials;
    void *state; /* of the variant, from start to finish: row.state_bytes, which are 0 before */
    hop__apsp_turns *turns; /* see hop__apsp_take_rows */
    bool helps;             /* this is the task of a device after the context's own */
    hop__workspace *space;  /* of that state: start() opens it, it is closed after finish() */
    bool succeeded;         /* known in finish(): every row has been handed over, or proved */
    /* To be counted by the variant. */
    uint64_t rounds;      /* sources, or rounds over the matrix */
    uint64_t relaxations; /* arcs, or pairs, looked at */
} hop__apsp_task;

/* What one row says as a whole; see hop_apsp_summary. */
typedef struct hop__apsp_facts {
    double sum;
    double number;       /* the greatest distance; */
    int64_t whole;       /* of integers exactly */
    hop_vertex farthest; /* so far away, of several the first; HOP_NO_VERTEX: not known */
    hop_vertex reached;  /* itself included */
} hop__apsp_facts;

typedef struct hop__apsp_variant {
    hop__variant row;   /* blocks() is for task->workers, without the rows themselves */
    size_t state_bytes; /* of task->state; 0: it is NULL */
    bool whole;         /* rows() is called once, for all vertices, whatever the sources */
    bool exact;         /* floating-point distances have the bits of hop_sssp */
    bool wants_potentials;
    bool keeps_file; /* that a later call can go on from: finish() comes after the proof */
    /* The bytes of that file; NULL: there is none. */
    uint64_t (*file_bytes)(const hop__apsp_task *task);
    /* May fail; finish() is called in any case after it. */
    hop_status (*start)(hop_context *context, hop__apsp_task *task);
    /* Rows first .. first+count-1 into `rows`, which is not initialised; row i is that of
     * hop__apsp_vertex(task, i). With query.wide and no
     * negative weight a sum of INT64_MAX or more must not win over HOP_NO_DISTANCE; the front
     * finds out whether such a sum was the only one. */
    hop_status (*rows)(hop_context *context, hop__apsp_task *task, hop_vertex first,
                       hop_vertex count, void *rows);
    /* In the place of rows(), with facts_only: what they say, without making them; farthest need
     * not be known. NULL: it makes them. */
    hop_status (*facts)(hop_context *context, hop__apsp_task *task, hop_vertex first,
                        hop_vertex count, hop__apsp_facts *facts);
    void (*finish)(hop__apsp_task *task);
} hop__apsp_variant;

/* Blocks of rows are that large at most, unless one row per worker is more. */
enum { HOP__APSP_BLOCK_BYTES = 1 << 26 };

extern const hop__problem hop__apsp_problem;
extern const hop__apsp_variant hop__apsp_floyd_warshall, hop__apsp_bfs, hop__apsp_bfs_bits,
    hop__apsp_dijkstra, hop__apsp_bellman_ford, hop__apsp_johnson, hop__apsp_blocked,
    hop__apsp_blocked_disk, hop__apsp_device_katz_kider, hop__apsp_device_tran,
    hop__apsp_device_tran_squaring, hop__apsp_device_oocore, hop__apsp_device_harish_narayanan,
    hop__apsp_device_bfs_bits;

/* Of rows that count arcs: refuses weights that differ, or whose sums may not fit. */
bool hop__apsp_refuse_weights(const void *task, char reason[HOP__REASON]);
/* Whether the budget is enough for the smallest tiles of `blocked-disk`. */
bool hop__apsp_disk_fits(const hop__apsp_task *task);
/* The type that `blocked` works in, for a task that it does not refuse. */
hop_weight_type hop__apsp_blocked_type(const hop__apsp_task *task);

/* For rows on the matrix: device_work, of katz-kider. */
hop__device_work hop__apsp_device_work(const void *task);

/* Sums of bytes that may be UINT64_MAX, "cannot be expressed". */
static inline uint64_t hop__apsp_add(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t hop__apsp_times(uint64_t a, uint64_t b) {
    return b > 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static inline size_t hop__apsp_row_bytes(const hop__apsp_task *task) {
    return (size_t)task->query.graph->vertices * hop_type_size(task->distance_type);
}

/* apsp_crew.c: for rows() and facts() of variants whose row `divides`. */

/* The next of `count` rows for this device to make, at most `most` of them, which it counts as
 * rounds; 0: there are no more. */
hop_vertex hop__apsp_take_rows(hop__apsp_task *task, hop_vertex count, hop_vertex most,
                               hop_vertex *first);
/* Counts rows as made; false when the work is to stop. */
bool hop__apsp_made_rows(hop_context *context, const hop__apsp_task *task, hop_vertex rows);

/* The vertex whose distances are row `row` of what the caller gets. */
static inline hop_vertex hop__apsp_vertex(const hop__apsp_task *task, hop_vertex row) {
    return task->sources ? task->sources[row] : row;
}

/* apsp_query.c */

/* Reads everything of a call that says what is asked, and checks it: fills in query,
 * distance_type, threads and free_bytes. */
hop_status hop__apsp_take(hop_context *context, const hop_graph *graph,
                          const hop_apsp_options *given, hop_apsp_options *options, hop_run *run,
                          hop__apsp_task *task);
/* max |w|; 1 without weights, 0 without arcs. Integers. */
uint64_t hop__apsp_heaviest(const hop_graph *graph);
/* HOP_ERR_BUDGET: `what` needs `bytes`, and what to do about it. */
hop_status hop__apsp_refuse_bytes(hop_context *context, const char *what,
                                  const hop__apsp_task *task, uint64_t bytes, bool matrix);
/* HOP_ERR_UNSUPPORTED: the distance of a pair does not fit. */
hop_status hop__apsp_refuse_distance(hop_context *context, const hop__apsp_task *task,
                                     hop_vertex source, hop_vertex target);

/* apsp_checks.c */

/* HOP_ERR_NEGATIVE_CYCLE, with context->cycle, when there is one. Some weight is negative. Fills in
 * task->potentials if `potentials`; they are the caller's to free. */
hop_status hop__apsp_find_cycle(hop_context *context, hop__apsp_task *task, bool potentials);
uint64_t hop__apsp_find_cycle_memory(const hop__apsp_task *task);
/* With query.wide and no negative weight: HOP_ERR_UNSUPPORTED when a vertex is not reached in one
 * of the rows only because its distance does not fit. */
hop_status hop__apsp_check_range(hop_context *context, const hop__apsp_task *task, hop_vertex first,
                                 hop_vertex count, const void *rows);

/* apsp_summary.c */

/* Adds rows first .. first+count-1 to the summary, which is 0 at first but for its size, and puts
 * their eccentricities (NULL: not wanted) into their places. */
void hop__apsp_summarize(hop_context *context, const hop__apsp_task *task, hop_vertex first,
                         hop_vertex count, const void *rows, hop_apsp_summary *summary,
                         void *eccentricities);

/* The same from what variant->facts() said. */
void hop__apsp_sum_up(const hop__apsp_task *task, hop_vertex first, hop_vertex count,
                      const hop__apsp_facts *facts, hop_apsp_summary *summary,
                      void *eccentricities);
/* What one row says. */
hop__apsp_facts hop__apsp_look(const hop__apsp_task *task, hop_vertex source, const void *row);

/* apsp_certify.c */

/* What is certified. */
typedef struct hop__apsp_claim {
    const hop__sssp_query *query;
    hop_weight_type distance_type;
    bool exact;                /* floating point: nothing but the bits of hop_sssp */
    const uint64_t *chosen;    /* a bit for each row that is to be checked; NULL: all */
    const hop_vertex *sources; /* whose rows they are; NULL: row i is that of vertex i */
    unsigned workers;
} hop__apsp_claim;

hop_status hop__apsp_certify(hop_context *context, const hop__apsp_claim *claim, hop_vertex first,
                             hop_vertex count, const void *rows);
uint64_t hop__apsp_certify_memory(const hop__apsp_claim *claim);
/* The bits of `wanted` of the rows first .. first+count-1, drawn by the context's seed. NULL when
 * that is all. */
hop_status hop__apsp_draw(hop_context *context, hop_vertex rows, hop_vertex first, hop_vertex count,
                          hop_vertex wanted, uint64_t **chosen);

#endif
