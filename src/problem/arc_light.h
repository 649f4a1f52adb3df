/* SPDX-License-Identifier: Apache-2.0
 *
 * The lightest arcs of a graph on disk, in memory: most shortest paths go along such arcs, so what
 * a label says is told far ahead before the blocks of the file come up in turn, and these are read
 * a few times less often.
 *
 * They are kept when their block is first read: of rows that begin there, the arcs up to a
 * weight that lets about as many be light as there is room for. A vertex whose label fell is put
 * into a ring of the thread, and its light arcs offer the label when the thread is done with the
 * block. What finds no room is left out: the row of its vertex is pending, as ever.
 *
 * Where weights are integers, each row that was read also has a guard: the largest label for which
 * one of its other arcs has anything to tell, label(v) - w at most, rounded up. Labels fall, so a
 * guard holds for good. While the label of the row is above it, its light arcs say all that there
 * is to say, and the row need not be read again.
 *
 * Cost: 5.2 bytes per vertex, 7.2 with guards, and a target and weight per arc, in frames that the
 * cache lends. */
#ifndef HOPLITE_PROBLEM_ARC_LIGHT_H
#define HOPLITE_PROBLEM_ARC_LIGHT_H

#include "store/arc_visit.h"

enum { HOP__LIGHT_RING = 1 << 14, HOP__LIGHT_ROW = 255 /* arcs of a vertex, at most */ };

typedef struct hop__light {
    uint32_t *place; /* of each vertex: its first light arc; valid where the count is not 0 */
    uint8_t *count;
    uint16_t *guards; /* of labels >> guard_shift; NULL: there are none */
    unsigned guard_shift;
    uint64_t *queued; /* bits of vertices that are in a ring */
    uint64_t *kept;   /* bits of blocks whose light arcs are there */
    uint32_t *rings;  /* one per thread */
    hop_vertex *targets;
    unsigned char *weights;
    uint64_t room, used; /* arcs; used is atomic, and may go beyond */
    size_t weight_bytes;
    hop_weight_type type;
    double most; /* weight of a light arc */
} hop__light;

/* How many arcs there would be room for. */
uint64_t hop__light_room(const hop_graph *graph, unsigned threads, uint64_t bytes);
/* Begins in memory of so many bytes; `most` is the weight of a light arc, `far` what most distances
 * are below. */
void hop__light_begin(hop__light *light, const hop_graph *graph, unsigned threads, void *memory,
                      uint64_t bytes, double most, double far);
/* Keeps the light arcs of a block, the first time. Any thread. */
void hop__light_keep(hop__light *light, const hop_graph *graph, const hop__arc_block *block);

/* The number of light arcs of a vertex. */
static inline unsigned hop__light_count(const hop__light *light, uint64_t v) {
    return __atomic_load_n(&light->count[v], __ATOMIC_ACQUIRE);
}

static inline void hop__light_guard(hop__light *light, uint64_t v, uint64_t label) {
    uint64_t guard = (label >> light->guard_shift) + (light->guard_shift > 0);
    __atomic_store_n(&light->guards[v], (uint16_t)(guard < UINT16_MAX ? guard : UINT16_MAX),
                     __ATOMIC_RELAXED);
}

/* Whether only light arcs of v have anything to tell of this label. */
static inline bool hop__light_enough(const hop__light *light, uint64_t v, uint64_t label) {
    uint64_t guard = __atomic_load_n(&light->guards[v], __ATOMIC_RELAXED);
    return guard < UINT16_MAX && label >> light->guard_shift > guard;
}

#endif
