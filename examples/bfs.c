/* SPDX-License-Identifier: Apache-2.0
 *
 * Six degrees of separation: how many vertices are 1, 2, 3 ... steps from one of them?
 *
 *     bfs FILE ID
 *
 * FILE is a graph in any format, ID a vertex by its name in the file. The result is certified by
 * independent code before it is printed. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "hoplite/hoplite.h"

/* `counts` has room for n numbers: there are never more levels than vertices. */
static void print_levels(const hop_vertex *levels, hop_vertex n, hop_vertex *counts) {
    hop_vertex missed = 0;
    for (hop_vertex v = 0; v < n; v++)
        counts[v] = 0;
    for (hop_vertex v = 0; v < n; v++) {
        if (levels[v] == HOP_NO_LEVEL)
            missed++;
        else
            counts[levels[v]]++;
    }
    for (hop_vertex level = 0; level < n && counts[level] > 0; level++)
        printf("%" PRIu32 " steps: %" PRIu32 " vertices\n", level, counts[level]);
    printf("not reached: %" PRIu32 "\n", missed);
}

static hop_status search(hop_context *context, const char *path, uint64_t id) {
    hop_graph *graph = NULL;
    hop_vertex *levels = NULL, *counts = NULL;
    hop_status status = hop_graph_read(context, path, NULL, &graph);
    if (status != HOP_OK)
        return status;
    hop_vertex n = hop_graph_vertices(graph), source = hop_graph_find(graph, id);
    levels = malloc(((size_t)n + 1) * sizeof *levels);
    counts = malloc(((size_t)n + 1) * sizeof *counts);
    if (levels == NULL || counts == NULL) {
        status = HOP_ERR_MEMORY;
    } else if (source == HOP_NO_VERTEX) {
        fprintf(stderr, "there is no vertex %" PRIu64 "\n", id);
        status = HOP_ERR_ARGUMENT;
    }
    if (status == HOP_OK)
        status = hop_bfs(context, graph, &source, 1, NULL, levels, NULL);
    if (status == HOP_OK)
        status = hop_bfs_certify(context, graph, &source, 1, NULL, levels, NULL);
    if (status == HOP_OK)
        print_levels(levels, n, counts);
    free(counts);
    free(levels);
    hop_graph_release(graph);
    return status;
}

int main(int argc, char **argv) {
    char *end = NULL;
    errno = 0;
    uint64_t id = argc == 3 ? strtoull(argv[2], &end, 10) : 0;
    if (argc != 3 || *end != '\0' || errno != 0) {
        fprintf(stderr, "usage: %s FILE ID\n", argv[0]);
        return 2;
    }
    hop_context *context = NULL;
    hop_status status = hop_context_create(NULL, &context);
    if (status == HOP_OK)
        status = search(context, argv[1], id);
    if (status != HOP_OK && context != NULL && hop_context_message(context)[0] != '\0')
        fprintf(stderr, "%s: %s\n", hop_status_name(status), hop_context_message(context));
    hop_context_free(context);
    return status == HOP_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
