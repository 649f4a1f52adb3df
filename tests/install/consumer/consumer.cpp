// SPDX-License-Identifier: Apache-2.0
// A C++ user of an installed Hoplite: builds a path of three vertices from its own vectors and
// looks at it through the accessors. Prints what it saw; any difference is a failure.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <hoplite/hoplite.h>

static int fail(const char *what, hop_context *context) {
    std::fprintf(stderr, "%s: %s\n", what, context ? hop_context_message(context) : "");
    hop_context_free(context);
    return 1;
}

int main() {
    if (std::strcmp(hop_version(), HOP_VERSION) != 0)
        return fail("header and library are of different versions", nullptr);
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = 2;
    hop_context *context = nullptr;
    if (hop_context_create(&options, &context) != HOP_OK)
        return fail("hop_context_create", nullptr);

    const std::vector<hop_vertex> from{0, 1}, to{1, 2};
    hop_edges edges = HOP_EDGES_INIT;
    edges.count = from.size();
    edges.from = from.data();
    edges.to = to.data();
    hop_graph *graph = nullptr;
    if (hop_graph_from_edges(context, &edges, nullptr, &graph) != HOP_OK)
        return fail("hop_graph_from_edges", context);
    std::printf("%s: %u vertices, %llu arcs\n", hop_version(), hop_graph_vertices(graph),
                static_cast<unsigned long long>(hop_graph_arcs(graph)));
    const hop_vertex source = 0;
    std::vector<std::int64_t> distances(3);
    std::vector<std::int32_t> narrow(3);
    const hop_span room = hop_span_of(distances.data(), distances.size());
    const hop_span wrong = hop_span_of(narrow.data(), narrow.size());
    if (hop_sssp(context, graph, &source, 1, nullptr, &room, nullptr) != HOP_OK)
        return fail("hop_sssp", context);
    if (hop_sssp(context, graph, &source, 1, nullptr, &wrong, nullptr) != HOP_ERR_ARGUMENT)
        return fail("an array of int32 was taken for int64", context);
    const bool right =
        hop_graph_vertices(graph) == 3 && hop_graph_arcs(graph) == 4 && distances[2] == 2;
    hop_graph_release(graph);
    hop_context_free(context);
    return right ? 0 : 1;
}
