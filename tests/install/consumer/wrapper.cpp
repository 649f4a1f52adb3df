// SPDX-License-Identifier: Apache-2.0
// The header for C++ (hoplite.hpp): handles, results and exceptions, on graphs whose answers are
// known. Prints how many tests there were; the first that fails ends it.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#if __cplusplus >= 202002L
#include <span>
#endif

#include <hoplite/hoplite.hpp>

static_assert(!std::is_copy_constructible_v<hoplite::Context>);
static_assert(!std::is_copy_constructible_v<hoplite::Graph>);
static_assert(std::is_nothrow_move_constructible_v<hoplite::Graph>);

static void require(bool holds, const char *what) {
    if (!holds) {
        std::fprintf(stderr, "wrapper: %s\n", what);
        std::exit(1);
    }
}

// Two roads from 0 to 2, of which the one over 1 is shorter; 3 and 4 are apart.
static hoplite::Graph town(const hoplite::Context &context) {
    const std::vector<hop_vertex> from{0, 1, 0, 3};
    const std::array<hop_vertex, 4> to{1, 2, 2, 4};
    const std::vector<std::int32_t> weights{2, 1, 4, 1};
    return hoplite::Graph::from_edges(context, from, to, weights);
}

static void problems(const hoplite::Context &context) {
    const hoplite::Graph graph = town(context);
    require(graph.vertices() == 5 && graph.arcs() == 8 && !graph.directed(), "the graph");
    require(graph.weight_type() == HOP_TYPE_INT32, "the type of the weights");
    const hoplite::Components parts = hoplite::components(context, graph);
    require(parts.count == 2 && parts.labels == std::vector<hop_vertex>{0, 0, 0, 3, 3},
            "components");
    const hoplite::Bfs steps = hoplite::bfs(context, graph, {0});
    require(steps.levels == std::vector<hop_vertex>{0, 1, 1, HOP_NO_LEVEL, HOP_NO_LEVEL}, "bfs");
    const auto far = hoplite::sssp<std::int64_t>(context, graph, {0});
    require(far.distances[2] == 3 && far.parents[2] == 1, "sssp");
    const auto matrix = hoplite::apsp<std::int64_t>(context, graph);
    require(matrix.size() == 25 && matrix[2 * 5 + 0] == 3, "apsp");
    const std::vector<hop_vertex> ranks = hoplite::rank(context, {1, 2, 2});
    require(ranks.size() == 3 && ranks[0] != ranks[1], "rank");
}

static void failures(const hoplite::Context &context) {
    const hoplite::Graph graph = town(context);
    try {
        (void)hoplite::sssp<std::int32_t>(context, graph, {0});
        require(false, "an array of int32 was taken for int64");
    } catch (const hoplite::Error &error) {
        require(error.status() == HOP_ERR_ARGUMENT && std::strstr(error.what(), "int32"),
                "status and message");
    }
    try {
        (void)hoplite::bfs(context, graph, {17});
        require(false, "there is no vertex 17");
    } catch (const hoplite::Error &error) {
        require(error.status() == HOP_ERR_ARGUMENT, "status");
    }
}

static void lengths(const hoplite::Context &context) {
    try {
        (void)hoplite::Graph::from_edges(context, {0, 1}, {1});
        require(false, "arrays that differ in length");
    } catch (const std::invalid_argument &) {
    }
}

static void files(const hoplite::Context &context, const char *path) {
    const hoplite::Graph graph = town(context);
    graph.write(context, path);
    const hoplite::Graph again = hoplite::Graph::read(context, path);
    require(again.hash(context) == graph.hash(context), "a file changes the graph");
}

static void lives() {
    hop_context_options options = HOP_CONTEXT_OPTIONS_INIT;
    options.threads = 2;
    hoplite::Context second(options);
    hoplite::Graph graph = [] {
        const hoplite::Context first;
        return town(first);
    }();
    hoplite::Graph moved = std::move(graph);
    require(graph.get() == nullptr && moved.vertices() == 5, "a moved graph");
    require(hoplite::components(second, moved).count == 2, "a graph outlives its context");
}

#if __cplusplus >= 202002L
static void spans(const hoplite::Context &context) {
    const std::array<hop_vertex, 2> sources{0, 3};
    const hoplite::Bfs found =
        hoplite::bfs(context, town(context), std::span<const hop_vertex>(sources));
    require(found.levels == std::vector<hop_vertex>{0, 1, 1, 0, 1}, "a span of sources");
}
#endif

int main(int, char **arguments) {
    const hoplite::Context context;
    int count = 5;
    problems(context);
    failures(context);
    lengths(context);
    files(context, arguments[1]);
    lives();
#if __cplusplus >= 202002L
    spans(context);
    count++;
#endif
    std::printf("wrapper: %d tests\n", count);
    return 0;
}
