/* SPDX-License-Identifier: Apache-2.0
 *
 * Where edges come from while a graph is built.
 *
 * The builder reads its edges twice, in blocks, from several threads. So the edges need not exist
 * in memory at all: a generator whose edge i is a function of i gives them when asked, and 2^28
 * edges cost 10 bytes each at the peak instead of 18. Arrays are the other kind of source.
 *
 * fill(user, first, count, from, to, weights) writes edges first .. first+count-1; `weights` has
 * the source's weight type and is NULL when that is HOP_TYPE_NONE. It must give the same edges
 * each time, is called from any thread, and cannot fail. count is at most HOP__SOURCE_BLOCK.
 * Ids at or above `vertices` are allowed: the builder refuses them with the edge's number. */
#ifndef HOPLITE_GRAPH_EDGE_SOURCE_H
#define HOPLITE_GRAPH_EDGE_SOURCE_H

#include <string.h>

#include "core/context_internal.h"
#include "graph/vertex_names.h"
#include "hoplite/graph.h"

enum { HOP__SOURCE_BLOCK = 1024 };

typedef struct hop__edge_source {
    uint64_t count;
    hop_weight_type weight_type;
    void (*fill)(const void *user, uint64_t first, uint32_t count, hop_vertex *from, hop_vertex *to,
                 void *weights);
    const void *user;
    /* Where edges come once, in order (NULL: any edge, any time): brings the next ones, at most
     * `most` and at least one, into memory, and fill() counts from the first of them. Such a source
     * is built on disk only. */
    hop_status (*next)(hop_context *context, void *user, uint64_t most, uint64_t *count);
} hop__edge_source;

typedef struct hop__build {
    hop_vertex vertices;
    bool directed;
    hop_duplicates duplicates;
    hop_loops loops;
    const char *what; /* for messages: "edge", or "rmat: edge" */
    bool wide;        /* offsets of 8 bytes, even if 4 would do */
} hop__build;

/* What messages call the vertices: their names of text, else their labels or, where both are NULL,
 * first_id + v. */
typedef struct hop__names {
    const uint64_t *labels;
    uint64_t first_id;
    const hop__vertex_names *texts;
} hop__names;

/* Those of a graph. */
hop__names hop__graph_names(const hop_graph *graph);
hop__vertex_text hop__names_text(const hop__names *names, uint64_t vertex);

/* Ids that no graph has: what a source gives for one below the first, and for one beyond. */
#define HOP__ID_BELOW (UINT32_MAX - 1u)
#define HOP__ID_ABOVE UINT32_MAX

/* Whether the budget has room for building this in memory, by the estimate below. */
bool hop__build_fits(const hop_context *context, uint64_t vertices, uint64_t edges, bool directed,
                     hop_weight_type type);
/* What building takes at its peak, where no vertex has most of the arcs. */
uint64_t hop__build_bytes(const hop_context *context, uint64_t vertices, uint64_t edges,
                          bool directed, hop_weight_type type);
/* The failure of a SUM that left its type, at the arc source << 32 | target. */
hop_status hop__build_overflowed(hop_context *context, const hop__build *build, hop__names names,
                                 uint64_t arc);
/* Degrees of `n` vertices, `bytes` wide, become n + 1 offsets, in place. */
void hop__degrees_scan(const hop_context *context, void *degrees, size_t bytes, uint64_t n);

/* Builds the graph of a source; on disk where it does not fit and the context has an outsider
 * (below). */
hop_status hop__graph_build(hop_context *context, const hop__edge_source *source,
                            const hop__build *build, hop_graph **graph);

/* The same of vertices that have names, for messages: the graph gets none. */
hop_status hop__graph_build_named(hop_context *context, const hop__edge_source *source,
                                  const hop__build *build, hop__names names, hop_graph **graph);

/* A call that only writes a native file leaves one in the context: then a build that does not fit
 * the budget is made by it, straight into the file. What it gives back is a graph without targets
 * and weights, for describing it; such a graph reaches no user. */
typedef struct hop__outsider {
    hop_status (*build)(hop_context *context, struct hop__outsider *outsider,
                        const hop__edge_source *source, const hop__build *build, hop__names names,
                        hop_graph **graph);
    struct hop__scratch *scratch;     /* for who spools edges (io/bytes/page_file.h) */
    const struct hop__joiner *joiner; /* edges are joined instead of spooled; or NULL */
    uint64_t beside; /* bytes per vertex that are needed beside a graph that is built in memory */
} hop__outsider;

/* Id i is vertex at[i]; HOP_NO_VERTEX: no vertex has that id. NULL: id i is vertex i. */
typedef struct hop__id_ranks {
    const uint32_t *at;
    uint64_t count;
} hop__id_ranks;

/* Takes edges of a file as they come, and keeps which vertices are connected, not the edges. Ids
 * are those of the file; where they are labels, vertices are known at the end only. */
typedef struct hop__joiner {
    /* Begins, once more if need be. `labels`: the ids that occur are the vertices. */
    void (*begin)(hop__outsider *outsider, bool labels);
    /* Ids of 4 or 8 bytes; `from` and `to` may be the same array: vertices without an edge. */
    hop_status (*add)(hop_context *context, hop__outsider *outsider, const void *from,
                      const void *to, size_t id_bytes, uint64_t count);
    /* Where ids are labels, after the last edge: numbers them in their order. *labels, of which
     * there are *count, are the caller's; NULL where they are in a row from *first_id on. */
    hop_status (*number)(hop_context *context, hop__outsider *outsider, uint64_t **labels,
                         uint64_t *first_id, uint64_t *count);
    /* Makes the graph of build->vertices. Of the source only count and type are looked at. */
    hop_status (*finish)(hop_context *context, hop__outsider *outsider,
                         const hop__edge_source *source, const hop__build *build,
                         hop__id_ranks ranks, hop_graph **graph);
} hop__joiner;

/* What hop_graph_from_edges does with dense ids, for vertices that have these names; arguments are
 * checked. The graph gets the options' first_id. */
hop_status hop__graph_from_edges(hop_context *context, const hop_edges *edges,
                                 const hop_build_options *options, hop__names names,
                                 hop_graph **graph);

/* The id number `index` at `base`, which is edges->from or edges->to; the stride is filled in. */
static inline uint64_t hop__edge_id(const hop_edges *edges, const void *base, uint64_t index) {
    const unsigned char *place = (const unsigned char *)base + index * edges->stride;
    uint64_t wide;
    uint32_t narrow;
    if (edges->id_bytes == 8) {
        memcpy(&wide, place, 8);
        return wide;
    }
    memcpy(&narrow, place, 4);
    return narrow;
}

/* Whether arrays, types and widths of a caller's edges go together; fills in the stride. */
hop_status hop__edges_check(hop_context *context, hop_edges *edges);

/* The largest id of the edges, 0 when there are none; in parallel. */
uint64_t hop__edges_largest_id(hop_context *context, const hop_edges *edges);

#endif
