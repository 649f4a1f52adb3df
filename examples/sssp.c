/* SPDX-License-Identifier: Apache-2.0
 *
 * A route planner: the shortest path between two vertices, with the distance at each of them.
 *
 *     sssp FILE FROM TO
 *
 * FILE is a graph in any format, with weights of any type or none; FROM and TO are vertices by
 * their names in the file. Where a cycle has a negative sum there is no shortest path, and the
 * cycle is printed. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "hoplite/hoplite.h"

/* Everything that the search needs, so that one function frees it. */
typedef struct route {
    hop_graph *graph;
    hop_span distances; /* of the type that this graph's weights ask for */
    hop_vertex *parents, *path;
} route;

static hop_status allocate(hop_context *context, route *r) {
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    hop_status status = hop_graph_describe(context, r->graph, &info);
    if (status != HOP_OK)
        return status;
    size_t n = info.vertices;
    r->distances.type = hop_distance_type(info.weight_type);
    r->distances.count = n;
    r->distances.items = malloc((n + 1) * hop_type_size(r->distances.type));
    r->parents = malloc((n + 1) * sizeof *r->parents);
    r->path = malloc((n + 1) * sizeof *r->path);
    bool enough = r->distances.items != NULL && r->parents != NULL && r->path != NULL;
    if (!enough)
        fprintf(stderr, "no memory for %zu vertices\n", n);
    return enough ? HOP_OK : HOP_ERR_MEMORY;
}

static void print_distance(const hop_span *distances, hop_vertex v) {
    if (distances->type == HOP_TYPE_INT64)
        printf("%" PRId64 "\n", ((const int64_t *)distances->items)[v]);
    else if (distances->type == HOP_TYPE_FLOAT32)
        printf("%.9g\n", (double)((const float *)distances->items)[v]);
    else
        printf("%.17g\n", ((const double *)distances->items)[v]);
}

static void print_cycle(const hop_context *context, const hop_graph *graph) {
    hop_vertex length;
    const hop_vertex *cycle = hop_context_cycle(context, &length);
    fprintf(stderr, "there is no shortest path: a cycle has a negative sum:");
    for (hop_vertex i = 0; i < length; i++)
        fprintf(stderr, " %" PRIu64, hop_graph_label(graph, cycle[i]));
    fprintf(stderr, "\n");
}

static hop_status find(hop_context *context, route *r, const uint64_t *ids) {
    hop_vertex from = hop_graph_find(r->graph, ids[0]), to = hop_graph_find(r->graph, ids[1]);
    if (from == HOP_NO_VERTEX || to == HOP_NO_VERTEX) {
        fprintf(stderr, "there is no vertex %" PRIu64 "\n", ids[from != HOP_NO_VERTEX]);
        return HOP_ERR_ARGUMENT;
    }
    hop_sssp_options options = HOP_SSSP_OPTIONS_INIT;
    options.targets = &to; /* the search stops there */
    options.target_count = 1;
    hop_vertex n = hop_graph_vertices(r->graph), length = 0;
    hop_status status = hop_sssp(context, r->graph, &from, 1, &options, &r->distances, r->parents);
    if (status == HOP_ERR_NEGATIVE_CYCLE)
        print_cycle(context, r->graph);
    if (status == HOP_OK)
        status = hop_path(context, r->parents, n, to, r->path, n, &length);
    if (status == HOP_OK && length == 0)
        printf("%" PRIu64 " cannot be reached from %" PRIu64 "\n", ids[1], ids[0]);
    for (hop_vertex i = 0; status == HOP_OK && i < length; i++) {
        printf("%" PRIu64 "\t", hop_graph_label(r->graph, r->path[i]));
        print_distance(&r->distances, r->path[i]);
    }
    return status;
}

int main(int argc, char **argv) {
    uint64_t ids[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        char *end = NULL;
        errno = 0;
        ids[i] = argc == 4 ? strtoull(argv[2 + i], &end, 10) : 0;
        if (argc != 4 || *end != '\0' || errno != 0) {
            fprintf(stderr, "usage: %s FILE FROM TO\n", argv[0]);
            return 2;
        }
    }
    hop_context *context = NULL;
    route r = {0};
    hop_status status = hop_context_create(NULL, &context);
    if (status == HOP_OK)
        status = hop_graph_read(context, argv[1], NULL, &r.graph);
    if (status == HOP_OK)
        status = allocate(context, &r);
    if (status == HOP_OK)
        status = find(context, &r, ids);
    if (status != HOP_OK && context != NULL && hop_context_message(context)[0] != '\0')
        fprintf(stderr, "%s: %s\n", hop_status_name(status), hop_context_message(context));
    free(r.path);
    free(r.parents);
    free(r.distances.items);
    hop_graph_release(r.graph);
    hop_context_free(context);
    return status == HOP_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
