/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds arbitrary bytes to one reader, and uses the graph that comes out of it.
 *
 * FUZZ_FORMAT is the name of a format, or "" to have it recognised. With FUZZ_FROM_FILE the bytes
 * go through a file, which is how the native format comes to be mapped; else through memory.
 *
 * What must hold for any bytes:
 *  1. A failure has a status that says "bad input" (or too large, or not supported), and a message
 *     that names the file.
 *  2. A graph that was read passes its check, keeps within the limits, and can be used: described,
 *     hashed, reversed, listed.
 *  3. Written and read again it is the same graph, in the native format and, where the format can
 *     hold what the graph has, in the same format; or the writer warned that it would not be.
 *  4. Afterwards no memory is in use.
 * A violation ends the process, as libFuzzer expects; the sanitizers look for the rest. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "scratch_file.h"

enum { MAX_VERTICES = 1 << 12, MAX_EDGES = 1 << 14, MAX_BYTES = 1 << 20 };

static const char name[] = "fuzzed";

static hop_read_options limits(void) {
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    options.max_vertices = MAX_VERTICES;
    options.max_edges = MAX_EDGES;
    options.max_bytes = MAX_BYTES;
    return options;
}

static void require_refusal(const hop_context *context, hop_status status, const char *file) {
    require(status == HOP_ERR_INPUT || status == HOP_ERR_BUDGET || status == HOP_ERR_UNSUPPORTED,
            "the status is one for bad input", context);
    require(strstr(hop_context_message(context), file) != NULL, "the message names the file",
            context);
}

/* 2: calls everything that walks the arrays; a graph that was wrongly accepted shows here. */
static uint64_t use(hop_context *context, hop_graph *graph) {
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    uint64_t hash = 0, edges = 0;
    require(hop_graph_describe(context, graph, &info) == HOP_OK, "it can be described", context);
    require(info.checked && info.vertices <= MAX_VERTICES && info.edges <= MAX_EDGES,
            "it is checked and within the limits", context);
    require(hop_graph_hash(context, graph, &hash) == HOP_OK, "it can be hashed", context);
    require(hop_graph_prepare(context, graph, HOP_PREPARE_REVERSE | HOP_PREPARE_DIAMETER) == HOP_OK,
            "it can be prepared", context);
    require(hop_graph_edge_count(context, graph, true, &edges) == HOP_OK && edges == info.edges,
            "its edges can be counted", context);
    hop_edge *list = malloc((size_t)edges * sizeof *list + 1);
    require(list != NULL && hop_graph_edge_list(context, graph, true, list, edges, NULL) == HOP_OK,
            "its edges can be listed", context);
    free(list);
    return hash;
}

/* 3: writes and reads again; `format` may refuse to hold the graph. */
static void round_trip(hop_context *context, const hop_graph *graph, uint64_t hash,
                       const char *format) {
    hop_write_options write_options = HOP_WRITE_OPTIONS_INIT;
    hop_read_options read_options = limits();
    hop_graph *again = NULL;
    uint64_t hash_again = 0;
    const char *path = scratch_path("written");
    unsigned warnings = *fuzz_warnings();
    write_options.format = format;
    hop_status status = hop_graph_write(context, graph, path, &write_options);
    if (status == HOP_ERR_UNSUPPORTED)
        return;
    bool warned = *fuzz_warnings() != warnings;
    require(!warned || strcmp(format, "npz") != 0, "the native format holds every graph", context);
    require(status == HOP_OK, "it can be written", context);
    read_options.format = format;
    read_options.duplicates = HOP_DUPLICATES_KEEP;
    read_options.direction =
        hop_graph_directed(graph) ? HOP_DIRECTION_DIRECTED : HOP_DIRECTION_UNDIRECTED;
    require(hop_graph_read(context, path, &read_options, &again) == HOP_OK,
            "what was written can be read", context);
    require(hop_graph_hash(context, again, &hash_again) == HOP_OK, "it can be hashed", context);
    /* Both ways round: a warning without need would be as wrong. Ids that a format counts from 0 or
     * from 1 move by custom, which is no warning. */
    bool moved = hop_format_find(format)->counts_from >= 0 && hop_graph_first_id(graph) <= 1 &&
                 hop_graph_first_id(again) != hop_graph_first_id(graph);
    require((hash_again == hash) != (warned || moved),
            "the same graph again, unless that was warned of", context);
    hop_graph_release(again);
}

static void use_and_release(hop_context *context, hop_graph *graph) {
    uint64_t hash = use(context, graph);
    /* Files are slow; one graph in 64 is enough, and once. */
    if (hash % 64 == 0 && fuzz_is_new(hash)) {
        round_trip(context, graph, hash, "npz");
        const hop_format *format = hop_format_find(FUZZ_FORMAT);
        if (format != NULL && format->can_write && strcmp(FUZZ_FORMAT, "npz") != 0)
            round_trip(context, graph, hash, FUZZ_FORMAT);
    }
    hop_graph_release(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    hop_context *context = fuzz_context();
    hop_read_options options = limits();
    hop_graph *graph = NULL;
    options.format = FUZZ_FORMAT[0] != '\0' ? FUZZ_FORMAT : NULL;
#ifdef FUZZ_FROM_FILE
    const char *file = scratch_write(name, bytes, count);
    hop_status status = hop_graph_read(context, file, &options, &graph);
#else
    const char *file = name;
    hop_status status = hop_graph_read_memory(context, name, bytes, count, &options, &graph);
#endif
    /* A mapped graph is not looked at before its first use. */
    if (status == HOP_OK) {
        status = hop_graph_check(context, graph);
        if (status == HOP_OK)
            use_and_release(context, graph);
        else
            hop_graph_release(graph);
    } else {
        require(graph == NULL, "no graph comes with a failure", context);
    }
    if (status != HOP_OK)
        require_refusal(context, status, file);
    require(hop_context_memory_used(context) == 0, "no memory is left in use", context);
    return 0;
}
