/* SPDX-License-Identifier: Apache-2.0
 *
 * Cleaning a data set: how many pieces does a graph have, how large are they, and the largest one
 * as a file of its own.
 *
 *     components FILE OUTPUT
 *
 * FILE is a graph in any format; the suffix of OUTPUT says in which format the largest component is
 * written (".npz", ".txt.gz", ".mtx" ...). Vertices keep their names. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "hoplite/hoplite.h"

static hop_status print_sizes(hop_context *context, const hop_vertex *labels, hop_vertex n,
                              hop_vertex count, hop_vertex *sizes) {
    hop_status status = hop_components_sizes(context, labels, n, sizes);
    hop_vertex largest = 0, single = 0;
    for (hop_vertex v = 0; status == HOP_OK && v < n; v++) {
        largest = sizes[v] > largest ? sizes[v] : largest;
        single += sizes[v] == 1; /* the size of a component is at its label, 0 is elsewhere */
    }
    if (status == HOP_OK)
        printf("%" PRIu32 " components, %" PRIu32
               " of them single vertices, the largest has %" PRIu32 " of %" PRIu32 " vertices\n",
               count, single, largest, n);
    return status;
}

static hop_status split(hop_context *context, const hop_graph *graph, const char *output) {
    hop_vertex n = hop_graph_vertices(graph), count = 0;
    hop_vertex *labels = malloc(((size_t)n + 1) * sizeof *labels);
    hop_vertex *sizes = malloc(((size_t)n + 1) * sizeof *sizes);
    hop_graph *largest = NULL;
    hop_status status = labels != NULL && sizes != NULL ? HOP_OK : HOP_ERR_MEMORY;
    if (status == HOP_OK)
        status = hop_components(context, graph, NULL, labels, &count);
    if (status == HOP_OK)
        status = print_sizes(context, labels, n, count, sizes);
    if (status == HOP_OK && n > 0)
        status = hop_components_largest(context, graph, labels, &largest);
    if (status == HOP_OK && largest != NULL)
        status = hop_graph_write(context, largest, output, NULL);
    hop_graph_release(largest);
    free(sizes);
    free(labels);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s FILE OUTPUT\n", argv[0]);
        return 2;
    }
    hop_context *context = NULL;
    hop_graph *graph = NULL;
    hop_status status = hop_context_create(NULL, &context);
    if (status == HOP_OK)
        status = hop_graph_read(context, argv[1], NULL, &graph);
    if (status == HOP_OK)
        status = split(context, graph, argv[2]);
    if (status != HOP_OK && context != NULL)
        fprintf(stderr, "%s: %s\n", hop_status_name(status), hop_context_message(context));
    hop_graph_release(graph);
    hop_context_free(context);
    return status == HOP_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
