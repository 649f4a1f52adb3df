/* SPDX-License-Identifier: Apache-2.0
 *
 * Hoplite for C++17, in this header alone: handles that free themselves, results in vectors, and
 * failures as exceptions. It adds nothing to the C interface, whose headers are the reference, and
 * any call of that can be made with get().
 *
 *     hoplite::Context context;
 *     hoplite::Graph graph = hoplite::Graph::read(context, "roads.gr");
 *     hoplite::Sssp<std::int64_t> found = hoplite::sssp<std::int64_t>(context, graph, {source});
 *
 * Handles are moved, not copied; a graph may outlive the context that it was made with. Arrays of
 * the caller's are given as Slice: a pointer and a size, a vector, an array, or in C++20 a
 * std::span. A context serves one call at a time, as in C. */
#ifndef HOPLITE_HOPLITE_HPP
#define HOPLITE_HOPLITE_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hoplite/hoplite.h"

namespace hoplite {

/* What a call returned, with the message of its context. */
class Error : public std::runtime_error {
  public:
    Error(hop_status status, const std::string &message)
        : std::runtime_error(message), status_(status) {
    }
    hop_status status() const noexcept {
        return status_;
    }

  private:
    hop_status status_;
};

/* A view of `size` items of the caller's, which must live as long as the call. */
template <typename T> class Slice {
  public:
    Slice() noexcept = default;
    Slice(const T *items, std::size_t size) noexcept : items_(items), size_(size) {
    }
    Slice(std::initializer_list<T> items) noexcept : Slice(std::data(items), items.size()) {
    }
    template <typename Items,
              typename = decltype(static_cast<const T *>(std::data(std::declval<const Items &>())))>
    Slice(const Items &items) noexcept : items_(std::data(items)), size_(std::size(items)) {
    }
    const T *data() const noexcept {
        return items_;
    }
    std::size_t size() const noexcept {
        return size_;
    }

  private:
    const T *items_ = nullptr;
    std::size_t size_ = 0;
};

class Context {
  public:
    Context() : Context(nullptr) {
    }
    explicit Context(const hop_context_options &options) : Context(&options) {
    }
    hop_context *get() const noexcept {
        return handle_.get();
    }

    /* Throws unless a call with this context was successful. */
    void check(hop_status status) const {
        if (status != HOP_OK)
            throw Error(status, hop_context_message(get()));
    }

  private:
    explicit Context(const hop_context_options *options) {
        hop_context *made = nullptr;
        const hop_status status = hop_context_create(options, &made);
        handle_.reset(made);
        if (status != HOP_OK)
            throw Error(status, made ? hop_context_message(made) : hop_status_name(status));
    }
    struct Free {
        void operator()(hop_context *context) const noexcept {
            hop_context_free(context);
        }
    };
    std::unique_ptr<hop_context, Free> handle_;
};

class Graph {
  public:
    /* Takes over a graph of the C interface. */
    explicit Graph(hop_graph *owned) noexcept : handle_(owned) {
    }

    static Graph read(const Context &context, const std::string &path,
                      const hop_read_options *options = nullptr) {
        hop_graph *made = nullptr;
        context.check(hop_graph_read(context.get(), path.c_str(), options, &made));
        return Graph(made);
    }
    /* The edges from[i] - to[i]; with `weights`, of one of the types of weights, as many. */
    static Graph from_edges(const Context &context, Slice<hop_vertex> from, Slice<hop_vertex> to,
                            const hop_build_options *options = nullptr) {
        return from_arrays(context, from, to, nullptr, HOP_TYPE_NONE, from.size(), options);
    }
    template <typename Weights,
              typename = decltype(hop_type_of(std::data(std::declval<const Weights &>())))>
    static Graph from_edges(const Context &context, Slice<hop_vertex> from, Slice<hop_vertex> to,
                            const Weights &weights, const hop_build_options *options = nullptr) {
        return from_arrays(context, from, to, std::data(weights), hop_type_of(std::data(weights)),
                           std::size(weights), options);
    }
    void write(const Context &context, const std::string &path,
               const hop_write_options *options = nullptr) const {
        context.check(hop_graph_write(context.get(), get(), path.c_str(), options));
    }

    hop_vertex vertices() const noexcept {
        return hop_graph_vertices(get());
    }
    hop_offset arcs() const noexcept {
        return hop_graph_arcs(get());
    }
    bool directed() const noexcept {
        return hop_graph_directed(get());
    }
    hop_type weight_type() const noexcept {
        hop_type type = HOP_TYPE_NONE;
        (void)hop_graph_weights(get(), &type);
        return type;
    }
    /* The vertex with this id of the input, or HOP_NO_VERTEX. */
    hop_vertex find(std::uint64_t id) const noexcept {
        return hop_graph_find(get(), id);
    }
    std::uint64_t hash(const Context &context) const {
        std::uint64_t hash = 0;
        context.check(hop_graph_hash(context.get(), get(), &hash));
        return hash;
    }
    hop_graph *get() const noexcept {
        return handle_.get();
    }

  private:
    static Graph from_arrays(const Context &context, Slice<hop_vertex> from, Slice<hop_vertex> to,
                             const void *weights, hop_type type, std::size_t weight_count,
                             const hop_build_options *options) {
        if (from.size() != to.size() || from.size() != weight_count)
            throw std::invalid_argument("hoplite: the arrays of edges differ in length");
        hop_edges edges = HOP_EDGES_INIT;
        edges.count = from.size();
        edges.from = from.data();
        edges.to = to.data();
        edges.weights = weights;
        edges.weight_type = type;
        hop_graph *made = nullptr;
        context.check(hop_graph_from_edges(context.get(), &edges, options, &made));
        return Graph(made);
    }
    struct Release {
        void operator()(hop_graph *graph) const noexcept {
            hop_graph_release(graph);
        }
    };
    std::unique_ptr<hop_graph, Release> handle_;
};

struct Components {
    std::vector<hop_vertex> labels; /* of v: the smallest vertex of its component */
    hop_vertex count = 0;
};

inline Components components(const Context &context, const Graph &graph,
                             const hop_components_options *options = nullptr) {
    Components found;
    found.labels.resize(graph.vertices());
    context.check(
        hop_components(context.get(), graph.get(), options, found.labels.data(), &found.count));
    return found;
}

struct Bfs {
    std::vector<hop_vertex> levels;  /* HOP_NO_LEVEL: not reached */
    std::vector<hop_vertex> parents; /* HOP_NO_VERTEX: not reached */
};

inline Bfs bfs(const Context &context, const Graph &graph, Slice<hop_vertex> sources,
               const hop_bfs_options *options = nullptr) {
    Bfs found;
    found.levels.resize(graph.vertices());
    found.parents.resize(graph.vertices());
    context.check(hop_bfs(context.get(), graph.get(), sources.data(),
                          static_cast<hop_vertex>(sources.size()), options, found.levels.data(),
                          found.parents.data()));
    return found;
}

/* `Distance` is the type of hop_distance_type(graph.weight_type()); another is an Error with
 * HOP_ERR_ARGUMENT. */
template <typename Distance> struct Sssp {
    std::vector<Distance> distances;
    std::vector<hop_vertex> parents;
};

template <typename Distance>
Sssp<Distance> sssp(const Context &context, const Graph &graph, Slice<hop_vertex> sources,
                    const hop_sssp_options *options = nullptr) {
    Sssp<Distance> found;
    found.distances.resize(graph.vertices());
    found.parents.resize(graph.vertices());
    const hop_span room = hop_span_of(found.distances.data(), found.distances.size());
    context.check(hop_sssp(context.get(), graph.get(), sources.data(),
                           static_cast<hop_vertex>(sources.size()), options, &room,
                           found.parents.data()));
    return found;
}

/* The distances of all pairs, row by row: that from s to t is [s * vertices + t]. */
template <typename Distance>
std::vector<Distance> apsp(const Context &context, const Graph &graph,
                           const hop_apsp_options *options = nullptr) {
    const std::size_t n = graph.vertices();
    std::vector<Distance> matrix(n * n);
    const hop_span room = hop_span_of(matrix.data(), matrix.size());
    context.check(hop_apsp(context.get(), graph.get(), options, &room, nullptr));
    return matrix;
}

/* The rank of every element of a list, given by the successor of each. */
inline std::vector<hop_vertex> rank(const Context &context, Slice<hop_vertex> successors,
                                    const hop_rank_options *options = nullptr) {
    std::vector<hop_vertex> ranks(successors.size());
    context.check(hop_rank(context.get(), successors.data(),
                           static_cast<hop_vertex>(successors.size()), options, ranks.data()));
    return ranks;
}

} // namespace hoplite
#endif
