/* SPDX-License-Identifier: Apache-2.0
 *
 * What the searches for shortest paths on devices share: rows and weights on the device, distances
 * as keys (sssp_numbers.cl), the sources, the look for a negative cycle, and the results.
 *
 *     HOP_TRY(status, hop__sssp_device_begin(context, task, &plan, &search)); (plan.blocks)
 *     HOP_TRY(status, hop__sssp_device_sources(&search, queue, counter, word));
 *     ... lowers search.keys until no arc lowers any more, taking no key below search.low nor
 *     above search.limit; sets search.tree[v] = u where an arc from u has lowered v, if it is there
 *     HOP_TRY(status, hop__sssp_device_finish(&search));
 * done:
 *     hop__sssp_device_end(&search, status);
 *
 * Canonical parents are found from the distances when these are final: on the device, for rows that
 * list hop__sssp_device_parents_blocks; where that leaves vertices out, which happens only with
 * arcs of weight 0 or too small to count, with negative weights, and where the device is a
 * processor, on the host (hop__sssp_parents), whose own pass is quicker than one behind a driver.
 *
 * What devices do: integers of any sign, float32 and float64 of no negative weight. Where a bound
 * proves that all distances fit into 32 bits, keys have 32, and no 64-bit atomics are needed. What
 * they decline, with the reason (hop__sssp_device_refuse): negative floating-point weights, whose
 * distances are exact sums; negative integers whose sums may leave int64; wide keys on a device
 * without 64-bit atomics; floating point on one that takes subnormal numbers for 0.
 *
 * Negative cycles. In the tree every arc has lowered its end. The arcs of a cycle in it are arcs of
 * the graph between vertices that are reached, so a negative sum proves a negative cycle, however
 * items have raced for the tree; hop__sssp_device_cycle looks for one. A search with negative
 * weights looks after 2, 4, 8 ... rounds, and when a key would fall below `low`, which no path
 * without a cycle can reach. If n rounds have not ended the search there is a negative cycle
 * (Bellman and Ford); should the tree not show it, hop__sssp_device_retreat leaves it to the host.
 */
#ifndef HOPLITE_SSSP_SSSP_DEVICE_H
#define HOPLITE_SSSP_SSSP_DEVICE_H

#include "core/try.h"
#include "kernels/programs.h"
#include "problem/device_search.h"
#include "sssp/sssp_internal.h"

/* As in sssp_numbers.cl. */
typedef enum hop__sssp_kind {
    HOP__KEY_U32 = 0,
    HOP__KEY_I32 = 1,
    HOP__KEY_U64 = 2,
    HOP__KEY_I64 = 3,
    HOP__KEY_F32 = 4,
    HOP__KEY_F64 = 5
} hop__sssp_kind;

typedef struct hop__sssp_device_plan {
    const char *phase; /* of the progress: "sssp: harish-narayanan" */
    const hop__program_source *program;
    const hop__define *defines; /* beside WIDE_OFFSETS, KIND and WEIGHT, which it always gets */
    size_t define_count;
    const double *form;    /* values of the form's parameters */
    bool wide;             /* 64-bit keys for integers even where 32 bits would do */
    bool bare;             /* `keys` and `results` are the caller's to make, and to free */
    hop__blocks_fn blocks; /* the row's */
} hop__sssp_device_plan;

typedef struct hop__sssp_device {
    hop_context *context;
    hop__sssp_task *task;
    hop__device *device;
    hop__workspace space; /* its state begins with this struct */
    hop__sweeper sweeper; /* of the variant's program */
    hop__sweeper common;  /* of the program that all searches share */
    uint64_t n, arcs, max_degree;
    hop__sssp_kind kind;
    uint64_t key_bytes;     /* 4 or 8 */
    uint64_t low, limit;    /* keys: the least and the largest that are taken */
    hop__device_graph rows; /* weights is `targets` where there are none */
    hop__buffer *keys;
    hop__buffer *results; /* NULL where the keys stand in the caller's array */
    hop__buffer *tree;    /* NULL without negative weights */
    hop__buffer *parents; /* NULL: they are not found here */
    hop__buffer *missing; /* one word, where a vertex may get no parent here; NULL: none can */
    hop__buffer *sources, *source_count;
    hop_vertex *host_tree; /* while a cycle is looked for */
    uint32_t *walks;
    hop__sssp_layers layers;
    bool bare;          /* as in the plan */
    bool parents_found; /* set by a search that has found canonical parents itself */
} hop__sssp_device;

/* Lists what is here for a task: a row's `blocks` begins with it. `wide` and `bare` as in the
 * plan. */
void hop__sssp_device_blocks(hop__workspace *space, const hop__sssp_task *task, bool wide,
                             bool bare);
/* Lists what parents on the device take, where they are wanted and can be found there. */
void hop__sssp_device_parents_blocks(hop__workspace *space, const hop__sssp_task *task);
/* The bytes of a key. */
size_t hop__sssp_device_key_bytes(const hop__sssp_query *query, bool wide);
/* Opens the device and the workspace, gets the program; nothing is reached. Fails half-way in a
 * state that hop__sssp_device_end cleans up. */
hop_status hop__sssp_device_begin(hop_context *context, hop__sssp_task *task,
                                  const hop__sssp_device_plan *plan, hop__sssp_device *search);
/* Nothing is reached, once more: for searches one after the other. */
hop_status hop__sssp_device_clear(hop__sssp_device *search);
/* The distances of the keys into `results`, if it is not NULL, or in their place where keys are of
 * the size of distances. */
hop_status hop__sssp_device_decode(hop__sssp_device *search);
/* The key of distance 0. */
uint64_t hop__sssp_device_zero(hop__sssp_kind kind);
/* The sources get distance 0 and, each once, the first places of `queue` (n words; NULL: none).
 * Word `word` of `counter` gets their number. Nothing when the cutoff excludes 0. */
hop_status hop__sssp_device_sources(hop__sssp_device *search, hop__buffer *queue,
                                    hop__buffer *counter, unsigned word);
/* Looks for a negative cycle in the tree, on the host: O(n). HOP_ERR_NEGATIVE_CYCLE with a message,
 * and context->cycle is it; HOP_OK when there is none. Waits for the device. */
hop_status hop__sssp_device_cycle(hop__sssp_device *search);
/* Finds the parents on the device, brings results to the caller, waits, applies the limits; finds
 * parents on the host that were not found yet. */
hop_status hop__sssp_device_finish(hop__sssp_device *search);
/* Frees; what is under way after a failure is waited for. */
void hop__sssp_device_end(hop__sssp_device *search, hop_status status);
/* The whole task on the host, by bellman-ford: after hop__sssp_device_end. */
hop_status hop__sssp_device_retreat(hop_context *context, hop__sssp_task *task);

/* A key as an argument of a kernel. */
static inline hop__argument hop__sssp_arg_key(const hop__sssp_device *search, uint64_t key) {
    return search->key_bytes == 4 ? hop__arg_u32((uint32_t)key) : hop__arg_u64(key);
}

/* The kind of keys that the task gets. */
hop__sssp_kind hop__sssp_device_kind(const hop__sssp_query *query, bool wide);
/* For rows: `copy`. All have the same to copy, so it decides nothing between them. */
hop__graph_copy hop__sssp_device_copy(const void *task, hop__device *device);
/* For rows: device_work, of delta-stepping. */
hop__device_work hop__sssp_device_work(const void *task);
/* For rows: refuse_device. */
bool hop__sssp_device_refuse(const void *task, const hop_device_info *device,
                             char reason[HOP__REASON]);

#endif
