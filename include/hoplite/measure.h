/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures: what distances say about vertices and about the graph, without the distances:
 * closeness, eccentricities, diameter, how many pairs are how far apart; and what else is asked of
 * a graph as a whole: its strong components, its spanning forest. They are rows of one table; a
 * call names one.
 *
 *     double *values = ...;                                     one for each vertex
 *     status = hop_measure_run(context, graph, "closeness", NULL, HOP_SPAN(values, n), NULL);
 *
 * Distances are those of hop_sssp; without weights each arc counts 1. Weights below 0, and integers
 * whose sums may leave 64 bits, are HOP_ERR_UNSUPPORTED. A vertex that is not reached has no
 * distance, and does not count, but where a definition says n, that is all vertices.
 *
 * The same bits on any number of threads, from every variant: sums of integers are exact, others
 * are added up vertex by vertex, or distance by distance, in ascending order. */
#ifndef HOPLITE_MEASURE_H
#define HOPLITE_MEASURE_H

#include "hoplite/bfs.h"
#include "hoplite/sssp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a measure gives: how many values, at most. */
typedef enum hop_measure_shape {
    HOP_MEASURE_VERTEX = 0, /* one for each vertex */
    HOP_MEASURE_NUMBER = 1, /* one for the graph */
    HOP_MEASURE_SET = 2,    /* some of the vertices, ascending; at most n */
    HOP_MEASURE_LEVELS = 3, /* one for each distance 0, 1, 2 ...; at most n */
    HOP_MEASURE_LABELS = 4, /* for each vertex the smallest one that is put together with it */
    HOP_MEASURE_ORDER = 5,  /* all vertices, in an order */
    HOP_MEASURE_ARCS = 6,   /* numbers of some arcs, ascending; at most n */
    HOP_MEASURE_ARC = 7,    /* one for each arc, both of an undirected edge the same */
    HOP_MEASURE_CELLS = 8   /* for each vertex the center of its cell, or HOP_NO_VERTEX */
} hop_measure_shape;

typedef struct hop_measure {
    const char *name;       /* such as "closeness" */
    const char *summary;    /* one line */
    const char *definition; /* of the value, as a formula */
    const char *source;     /* a paper */
    hop_measure_shape shape;
    bool inward;    /* HOP_MEASURE_USUAL is distances to the vertex, not from it */
    unsigned takes; /* options that are its own, a bit each: hop_measure_takes */
    /* What is within hop_measure_bound of what is right: NULL, the values, or a formula. */
    const char *bounded;
} hop_measure;

/* Options that not every measure has; given to another, they are HOP_ERR_ARGUMENT. */
typedef enum hop_measure_takes {
    HOP_MEASURE_TAKES_DIRECTION = 1,
    HOP_MEASURE_TAKES_SCALED = 2,
    HOP_MEASURE_TAKES_WITHIN = 4,
    HOP_MEASURE_TAKES_VERTICES = 8,
    HOP_MEASURE_TAKES_SAMPLES = 16,
    HOP_MEASURE_TAKES_CENTERS = 32
} hop_measure_takes;

/* NULL when out of range, and when there is none of that name. Safe from any thread. */
HOP_API size_t hop_measure_count(void);
HOP_API const hop_measure *hop_measure_at(size_t index);
HOP_API const hop_measure *hop_measure_find(const char *name);

/* Which distances count in a directed graph. */
typedef enum hop_measure_direction {
    HOP_MEASURE_USUAL = 0,   /* as the measure has it: closeness, harmonic and voronoi in, all
                              * others out */
    HOP_MEASURE_OUTWARD = 1, /* from the vertex */
    HOP_MEASURE_INWARD = 2   /* to the vertex */
} hop_measure_direction;

typedef struct hop_measure_options {
    size_t size;        /* sizeof(hop_measure_options), set by the initialiser */
    const hop_run *run; /* NULL: the defaults */
    hop_measure_direction direction;
    /* closeness: times the share of the other vertices that are reached, so that vertices of small
     * components do not come first (Wasserman and Faust). Default true.
     * betweenness: by the number of ordered pairs of other vertices, (n - 1) (n - 2); of edges by
     * that of all pairs, n (n - 1); without it, the sum over all pairs, of an undirected graph each
     * once. */
    bool scaled;
    /* reach: within so many arcs. Default HOP_NO_LEVEL, any number. */
    hop_vertex within;
    /* Of measures with a value for each vertex: the vertices that are wanted, whose values come in
     * this order. NULL: all. */
    const hop_vertex *vertices;
    hop_vertex vertex_count;
    /* betweenness, of vertices and edges, closeness, harmonic: by so many sources, drawn by the
     * context's seed, in the place of all; 0 (the default), or as many as there are vertices:
     * exact. hop_measure_bound says how far off. */
    hop_vertex samples;
    /* voronoi: the vertices around which the cells are, in any order; one that is named twice
     * counts once. At least one. */
    const hop_vertex *centers;
    hop_vertex center_count;
} hop_measure_options;

#define HOP_MEASURE_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(hop_measure_options), NULL, HOP_MEASURE_USUAL, true, HOP_NO_LEVEL, NULL, 0, 0,      \
            NULL, 0                                                                                \
    }
HOP_API void hop_measure_options_init(hop_measure_options *options, size_t size);

/* The type of the values for this graph: float64; that of the distances (eccentricity, diameter,
 * radius; wiener with float64 for float32); uint32 for vertices; uint64 for counts. HOP_TYPE_NONE
 * when there is no such measure. */
HOP_API hop_type hop_measure_type(const hop_graph *graph, const char *name);
/* How many values there may be. */
HOP_API uint64_t hop_measure_room(const hop_graph *graph, const char *name,
                                  const hop_measure_options *options);

/* With n vertices and so many samples, how far a scaled value of betweenness may be from the exact
 * one: none is farther, for all seeds but a share `failure` of them. 0 where all are searched. */
HOP_API double hop_measure_error(hop_vertex n, hop_vertex samples, double failure);
/* The same of any measure that takes samples, for values that are made of this graph with these
 * options (scaled or not). Of closeness it is about 1 / value, in units of the greatest distance,
 * where all vertices reach each other. 0 where all are searched; infinite where nothing can be
 * said; NAN where the measure takes no samples. */
HOP_API double hop_measure_bound(const hop_graph *graph, const char *name,
                                 const hop_measure_options *options, double failure);

/* betweenness and edge-betweenness have variants of their own: "searches", and "lanes", eight
 * sources at once, without weights. Weights must be above 0. Each gives the same bits on any number
 * of threads; between the two, and the certificate, sums are in another order. Counts of paths are
 * float64, rounded above 2^53; where they do not do, or where rounding loses a weight between two
 * vertices, HOP_ERR_UNSUPPORTED.
 *
 * closeness and harmonic by samples have the variants of hop_apsp, which finds the distances, and
 * its certifier; local-efficiency has one, "neighbours".
 *
 * voronoi gives each vertex v the smallest of the centers that are nearest to it: those from which
 * tight arcs lead to v, an arc u -> v of weight w being tight when d[u] + w = d[v], d the distance
 * from the nearest center (outward: to it). So distances from them to v are the least there are;
 * of floating point, one that is as near by rounding alone may be passed over. A center from which
 * an arc of weight 0 leads to another is nearest to that as well. HOP_NO_VERTEX: no center reaches
 * v. Its variants are those of hop_sssp, without weights of hop_bfs, which finds the distances,
 * and its certifier, which is asked before the cells are compared with the arcs. Cost: that search
 * from all centers at once, and O(n + m) on one thread; 4 bytes and 2 bits per vertex and a
 * distance.
 *
 * Of strong-components and topological-order strong.h says everything, of spanning-forest
 * spanning.h; variants are those of there.
 *
 * Writes the values to the caller's array, which has that type and that room, and how many there
 * are to *count (NULL: not wanted; 2^32 - 1 if there are more arcs). A graph without vertices has
 * no values, or the number 0.
 * Variants (options->run): "searches", one after another from each vertex; "bits", up to 512 of
 * them at once, where there are no weights; "bounds", a few, for eccentricity, diameter, radius,
 * center and periphery of undirected graphs without weights or with integers. With run->certify the
 * distances are found and certified again by hop_apsp_rows, and the values made of them must be the
 * same bits: HOP_ERR_CERTIFICATE if not. Blocking; runs on the context's threads. */
HOP_NODISCARD HOP_API hop_status hop_measure_run(hop_context *context, const hop_graph *graph,
                                                 const char *name,
                                                 const hop_measure_options *options,
                                                 const hop_span *values, hop_vertex *count);

#ifdef __cplusplus
}
#endif
#endif
