/* SPDX-License-Identifier: Apache-2.0
 *
 * The first program: makes a random graph, writes it to a file, reads it back and describes it.
 *
 *     first_graph FILE
 *
 * FILE is written; its suffix says in which format (".npz", ".mtx", ".txt.gz" ...). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "hoplite/hoplite.h"

/* An R-MAT graph with 2^12 vertices and weights from 1 to 9. */
static hop_status make(hop_context *context, hop_graph **graph) {
    const hop_setting settings[] = {{.name = "scale", .value = 12},
                                    {.name = "edge-factor", .value = 8}};
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    options.settings = settings;
    options.setting_count = sizeof settings / sizeof settings[0];
    options.weight_type = HOP_TYPE_INT32;
    options.max_weight = 9;
    return hop_graph_generate(context, "rmat", &options, graph);
}

static hop_status describe(hop_context *context, const hop_graph *graph) {
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    hop_status status = hop_graph_describe(context, graph, &info);
    if (status != HOP_OK)
        return status;
    printf("vertices %" PRIu32 ", edges %" PRIu64 ", %s\n", info.vertices, info.edges,
           info.directed ? "directed" : "undirected");
    printf("largest degree %" PRIu64 " (vertex %" PRIu32 "), %" PRIu32 " isolated\n",
           info.max_degree, info.max_degree_vertex, info.isolated);
    if (info.weight_type != HOP_TYPE_NONE)
        printf("weights %s, from %g to %g\n", hop_type_name(info.weight_type), info.min_weight,
               info.max_weight);
    return HOP_OK;
}

/* Everything between making the context and freeing it; the message of a failure is in there. */
static hop_status run(hop_context *context, const char *path) {
    hop_graph *made = NULL, *read = NULL;
    hop_status status = make(context, &made);
    if (status == HOP_OK)
        status = hop_graph_write(context, made, path, NULL);
    if (status == HOP_OK)
        status = hop_graph_read(context, path, NULL, &read);
    if (status == HOP_OK)
        status = describe(context, read);
    hop_graph_release(made);
    hop_graph_release(read);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 2;
    }
    hop_context *context = NULL;
    hop_status status = hop_context_create(NULL, &context);
    if (status != HOP_OK) {
        fprintf(stderr, "no context: %s\n", hop_status_name(status));
        return EXIT_FAILURE;
    }
    status = run(context, argv[1]);
    if (status != HOP_OK)
        fprintf(stderr, "%s: %s\n", hop_status_name(status), hop_context_message(context));
    hop_context_free(context);
    return status == HOP_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
