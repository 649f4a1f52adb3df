/* SPDX-License-Identifier: Apache-2.0
 *
 * An LDBC graph is up to three files: vertices, edges, properties. Here they are one, separated by
 * '|'; a part that is missing is a file that does not exist. */
#include <string.h>

#include "fuzz_target.h"
#include "scratch_file.h"

static void write_files(const uint8_t *bytes, size_t count) {
    static const char *const names[] = {"fuzzed.v", "fuzzed.e", "fuzzed.properties"};
    const uint8_t *at = bytes, *end = bytes + count;
    for (size_t i = 0; i < 3; i++) {
        if (at == NULL) {
            scratch_remove(names[i]);
            continue;
        }
        const uint8_t *bar = at < end ? memchr(at, '|', (size_t)(end - at)) : NULL;
        scratch_write(names[i], at, (size_t)((bar != NULL ? bar : end) - at));
        at = bar != NULL ? bar + 1 : NULL;
    }
}

static void use(hop_context *context, const hop_graph *graph) {
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    hop_write_options write_options = HOP_WRITE_OPTIONS_INIT;
    hop_read_options read_options = HOP_READ_OPTIONS_INIT;
    hop_graph *again = NULL;
    uint64_t hash = 0, hash_again = 1;
    require(hop_graph_describe(context, graph, &info) == HOP_OK, "it can be described", context);
    require(hop_graph_hash(context, graph, &hash) == HOP_OK, "it can be hashed", context);
    if (hash % 64 != 0 || !fuzz_is_new(hash))
        return; /* files are slow */
    write_options.format = read_options.format = "ldbc";
    read_options.duplicates = HOP_DUPLICATES_KEEP;
    read_options.direction = info.directed ? HOP_DIRECTION_DIRECTED : HOP_DIRECTION_UNDIRECTED;
    const char *path = scratch_path("written.v");
    require(hop_graph_write(context, graph, path, &write_options) == HOP_OK, "it can be written",
            context);
    require(hop_graph_read(context, path, &read_options, &again) == HOP_OK, "and read", context);
    require(hop_graph_hash(context, again, &hash_again) == HOP_OK && hash == hash_again,
            "it is the same graph", context);
    hop_graph_release(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    hop_context *context = fuzz_context();
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    hop_graph *graph = NULL;
    options.format = "ldbc";
    options.max_vertices = 1 << 12;
    options.max_edges = 1 << 14;
    options.max_bytes = 1 << 20;
    write_files(bytes, count);
    hop_status status = hop_graph_read(context, scratch_path("fuzzed.v"), &options, &graph);
    if (status == HOP_OK)
        use(context, graph);
    else
        require(strstr(hop_context_message(context), "fuzzed.") != NULL, "the message names a file",
                context);
    hop_graph_release(graph);
    require(hop_context_memory_used(context) == 0, "no memory is left in use", context);
    return 0;
}
