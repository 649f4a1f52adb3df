/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions to an index, one after the other, by one thread each. */
#ifndef HOPLITE_INDEX_INDEX_SEARCH_H
#define HOPLITE_INDEX_INDEX_SEARCH_H

#include <math.h>

#include "core/real_bits.h"
#include "index/index_internal.h"

typedef enum hop__asked {
    HOP__ASK_DONE = 0,
    HOP__ASK_ROOM = 1,   /* there was no room for what it has seen: hop__asker_grow, and again */
    HOP__ASK_STOP = 2,   /* cancelled */
    HOP__ASK_ASTRAY = 3, /* of a search by bounds alone: it has come back too often */
    HOP__ASK_WRONG = 4   /* the distances of the index are not those of the graph */
} hop__asked;

/* A place on the way up, and the least value so far; see hop__cone_value. */
typedef struct hop__climb {
    hop_vertex place;
    uint64_t arc, least;
} hop__climb;

enum { HOP__ASKER_TABLES = 4 };

typedef struct hop__asker {
    hop_context *context;
    const hop_index *index;
    hop__labels labels[HOP__ASKER_TABLES];
    hop__climb *stack; /* of the hierarchy's depth */
    hop_vertex *walk;  /* a path, from its end */
    uint64_t walk_room, walk_count;
    bool plain;     /* bounds are not used */
    uint64_t steps; /* vertices settled, by all questions */
} hop__asker;

hop_status hop__asker_open(hop_context *context, const hop_index *index, hop__asker *asker);
void hop__asker_close(hop__asker *asker);
/* More room for labels and path. */
hop_status hop__asker_grow(hop__asker *asker);

/* The code of the distance, HOP__FAR when there is no path. */
hop__asked hop__ask_distance(hop__asker *asker, hop_vertex from, hop_vertex to, uint64_t *found);
/* The same, and the path into asker->walk, the last vertex first. */
hop__asked hop__ask_path(hop__asker *asker, hop_vertex from, hop_vertex to, uint64_t *found);

/* index_cone.c: the hierarchy. */

/* The metric distance from one vertex to another. */
hop__asked hop__cone_between(hop__asker *asker, hop_vertex from, hop_vertex to, uint64_t *found);
/* Makes ready for metric distances between one vertex and many: from it, or to it if `backward`.
 * Uses labels[1] and [2]. */
hop__asked hop__cone_begin(hop__asker *asker, hop_vertex end, bool backward);
hop__asked hop__cone_value(hop__asker *asker, hop_vertex vertex, bool backward, uint64_t *value);

/* index_walk.c */

/* From `to` along the canonical parents back to `from`. The codes of distances are those of
 * labels[0], or of the cone that has been begun from `from`. */
hop__asked hop__walk_back(hop__asker *asker, hop_vertex from, hop_vertex to);

/* The code of a distance plus the weight of an arc; HOP__FAR if that is infinite. */
static inline uint64_t hop__code_add(const hop_graph *graph, uint64_t code, uint64_t arc) {
    double sum;
    switch (graph->weight_type) {
    case HOP_TYPE_INT32:
        return code + (uint64_t)((const int32_t *)graph->weights)[arc];
    case HOP_TYPE_INT64:
        return code + (uint64_t)((const int64_t *)graph->weights)[arc];
    case HOP_TYPE_FLOAT32:
        sum = (double)((float)hop__double_from(code) + ((const float *)graph->weights)[arc]);
        break;
    case HOP_TYPE_FLOAT64:
        sum = hop__double_from(code) + ((const double *)graph->weights)[arc];
        break;
    default:
        return code + 1;
    }
    return isinf(sum) ? HOP__FAR : hop__double_bits(sum);
}

#endif
