/* SPDX-License-Identifier: Apache-2.0
 *
 * Indexes: how one is made, what it is, and its end. */
#include <string.h>

#include "core/memory.h"
#include "core/options.h"
#include "core/progress.h"
#include "core/try.h"
#include "index/index_internal.h"

/* `auto` does not try to contract what has more arcs per vertex on average, or a hub. */
enum { ROAD_DEGREE = 8, ROAD_HUB = 512 };

static const int64_t SUM_MOST = INT64_C(1) << 62;

static hop_status check_weights(hop_context *context, const hop_graph *graph) {
    const hop__facts *facts = &graph->shared->facts;
    int64_t sum;
    if (graph->arcs == 0)
        return HOP_OK;
    if (graph->weight_type != HOP_TYPE_NONE && facts->min_weight < 0)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "index: the least weight is %g, and none may be negative; paths in such "
                         "a graph are found without an index",
                         facts->min_weight);
    if ((graph->weight_type == HOP_TYPE_INT32 || graph->weight_type == HOP_TYPE_INT64) &&
        (__builtin_mul_overflow(facts->max_weight_int, (int64_t)graph->vertices, &sum) ||
         sum >= SUM_MOST))
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "index: sums of weights may reach 2^62: the largest is %lld, and there "
                         "are %u vertices",
                         (long long)facts->max_weight_int, graph->vertices);
    return HOP_OK;
}

hop_status hop__index_create(hop_context *context, hop_graph *graph, hop_index **index) {
    hop_index *made = NULL;
    hop_status status;
    *index = NULL;
    HOP_TRY(status, hop_graph_check(context, graph));
    HOP_TRY(status, check_weights(context, graph));
    HOP_TRY(status, hop__alloc_zero(context, "index", 1, sizeof *made, &made));
    made->graph = hop_graph_retain(graph);
    HOP_TRY(status, hop_graph_prepare(context, graph, graph->directed ? HOP_PREPARE_REVERSE : 0));
    made->reverse = (hop_graph *)hop_graph_prepared_reverse(graph);
    HOP_TRY(status, hop_graph_hash(context, graph, &made->graph_hash));
    *index = made;
    made = NULL;
done:
    hop_index_free(made);
    return status;
}

void hop_index_free(hop_index *index) {
    if (!index)
        return;
    hop__free(index->hierarchy.places);
    hop__free(index->hierarchy.offsets);
    hop__free(index->hierarchy.words);
    hop__free(index->landmarks.distances);
    hop_graph_release(index->graph);
    hop__free(index);
}

/* Whether a contraction is worth trying. */
static bool is_road_like(const hop_graph *graph) {
    return graph->arcs <= ROAD_DEGREE * (uint64_t)graph->vertices &&
           graph->shared->facts.max_degree <= ROAD_HUB;
}

static hop_status fill(hop_context *context, hop_index *index, const hop_index_options *options) {
    hop_graph *metric = NULL;
    bool given_up = options->kind == HOP_INDEX_LANDMARKS ||
                    (options->kind == HOP_INDEX_AUTO && !is_road_like(index->graph));
    hop_status status;
    HOP_TRY(status, hop__metric_make(context, index, &metric));
    if (!given_up) {
        HOP_TRY(status,
                hop_graph_prepare(context, metric, metric->directed ? HOP_PREPARE_REVERSE : 0));
        HOP_TRY(status, hop__contract(context, index, metric, hop_graph_prepared_reverse(metric),
                                      &given_up));
        index->kind = HOP_INDEX_CONTRACTION;
        if (given_up && options->kind == HOP_INDEX_CONTRACTION) {
            hop__fail(context, HOP_ERR_UNSUPPORTED,
                      "index: this graph is not like a road network: its contraction was given "
                      "up, because it would add too many arcs");
            status = hop__remedy(context, HOP_REMEDY_OTHER_VARIANT,
                                 "use landmarks, which are for any graph");
            goto done;
        }
    }
    if (given_up) {
        index->kind = HOP_INDEX_LANDMARKS;
        HOP_TRY(status, hop__landmarks_make(context, index, metric, options->landmarks));
    }
done:
    hop_graph_release(metric);
    return status;
}

hop_status hop_index_build(hop_context *context, hop_graph *graph, const hop_index_options *given,
                           hop_index **index) {
    hop_index_options options = HOP_INDEX_OPTIONS_INIT;
    hop_status status;
    if (!context || !graph || !index)
        return hop__missing(context, "hop_index_build");
    *index = NULL;
    HOP_TRY(status,
            hop__options_take(context, "HOP_INDEX_OPTIONS_INIT", given, &options, sizeof options));
    if ((unsigned)options.kind > HOP_INDEX_LANDMARKS)
        return hop__fail(context, HOP_ERR_ARGUMENT, "index: there is no kind %d",
                         (int)options.kind);
    if (options.landmarks < 1 || options.landmarks > HOP__LANDMARKS_MOST)
        return hop__fail(context, HOP_ERR_ARGUMENT, "index: %u landmarks; from 1 to %d can be had",
                         options.landmarks, HOP__LANDMARKS_MOST);
    HOP_TRY(status, hop__index_create(context, graph, index));
    status = fill(context, *index, &options);
    if (status != HOP_OK) {
        hop_index_free(*index);
        *index = NULL;
    }
done:
    return status;
}

static void fill_info(const hop_index *index, hop_index_info *info) {
    const hop__hierarchy *h = &index->hierarchy;
    const uint64_t n = index->graph->vertices;
    info->kind = index->kind;
    info->vertices = index->graph->vertices;
    info->landmarks = index->landmarks.count;
    info->graph_hash = index->graph_hash;
    if (index->kind == HOP_INDEX_CONTRACTION) {
        info->arcs = h->offsets[n];
        info->bytes = n * sizeof *h->places + (n + 1) * sizeof *h->offsets +
                      info->arcs * hop__arc_words(index) * sizeof *h->words;
    } else {
        info->bytes = n * hop__landmark_row(index) * sizeof *index->landmarks.distances;
    }
}

hop_status hop_index_describe(hop_context *context, const hop_index *index, hop_index_info *info) {
    hop_index_info full = HOP_INDEX_INFO_INIT;
    if (!context || !index || !info)
        return hop__missing(context, "hop_index_describe");
    const size_t size = info->size;
    if (size < sizeof(size_t) || size > 4096)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "index: hop_index_info.size is %zu; set it with HOP_INDEX_INFO_INIT",
                         size);
    fill_info(index, &full);
    memcpy(info, &full, size < sizeof full ? size : sizeof full);
    info->size = size;
    return HOP_OK;
}
