/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked: reads and checks sources, targets and cutoff, and finds out what the weights of
 * the graph demand (negative ones, sums that may leave int64, exact sums). The facts come from the
 * build of the graph; only exact sums need a pass over the weights. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "core/bitmap.h"
#include "core/checked.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/try.h"
#include "io/text/text_print.h"
#include "sssp/sssp_internal.h"

hop_weight_type hop_distance_type(hop_weight_type weights) {
    return weights == HOP_TYPE_FLOAT32 || weights == HOP_TYPE_FLOAT64 ? weights : HOP_TYPE_INT64;
}

uint64_t hop__sssp_negative_arc(const hop_graph *graph, bool infinite) {
    for (uint64_t i = 0; i < graph->arcs; i++) {
        double weight = hop__weight_as_double(graph->weight_type, graph->weights, i);
        if (weight < 0 && (!infinite || isinf(weight)))
            return i;
    }
    return graph->arcs;
}

static hop_status refuse_infinite(hop_context *context, const hop_graph *graph) {
    uint64_t arc = hop__sssp_negative_arc(graph, true);
    hop_vertex from = (hop_vertex)hop__row_of_arc(graph, arc);
    hop__fail(context, HOP_ERR_INPUT,
              "sssp: the arc from %s to %s has the weight -infinity, so that distances would "
              "not be numbers; give it a finite weight or leave it out",
              hop__name(graph, from).s, hop__name(graph, graph->targets[arc]).s);
    return hop__note_arc(context, HOP_KIND_DATA, from, arc);
}

/* Whether n weights may add up to something that is no int64, or to HOP_NO_DISTANCE. */
static bool may_leave_int64(const hop_graph *graph, const hop__facts *facts) {
    uint64_t low = (uint64_t)facts->min_weight_int, high = (uint64_t)facts->max_weight_int, sum;
    uint64_t below = facts->min_weight_int < 0 ? 0 - low : 0;
    uint64_t above = facts->max_weight_int > 0 ? high : 0;
    return !hop__mul_u64(graph->vertices, below > above ? below : above, &sum) || sum >= INT64_MAX;
}

void hop__sssp_unlimit(hop__sssp_query *query) {
    query->targets = NULL;
    query->target_count = 0;
    query->settle = 0;
    query->cutoff = HUGE_VAL;
    query->cutoff_integer = HOP_NO_DISTANCE - 1;
    query->cutoff_real = query->distance_type == HOP_TYPE_FLOAT32 ? (double)FLT_MAX : DBL_MAX;
    query->limited = false;
}

hop_status hop__sssp_describe(hop_context *context, const hop_graph *graph,
                              hop__sssp_query *query) {
    const hop__facts *facts = &graph->shared->facts;
    bool weighted = graph->weight_type != HOP_TYPE_NONE && graph->arcs > 0;
    bool integer = hop_distance_type(graph->weight_type) == HOP_TYPE_INT64;
    *query = (hop__sssp_query){.graph = graph,
                               .reverse =
                                   graph->store != NULL ? NULL : hop_graph_prepared_reverse(graph),
                               .distance_type = hop_distance_type(graph->weight_type),
                               .increasing = !weighted};
    hop__sssp_unlimit(query);
    if (!weighted)
        return HOP_OK;
    if (integer) {
        query->negative = facts->min_weight_int < 0;
        query->increasing = facts->min_weight_int > 0;
        query->wide = may_leave_int64(graph, facts);
    } else {
        query->negative = facts->min_weight < 0;
        if (isinf(facts->min_weight) && query->negative && graph->store == NULL)
            return refuse_infinite(context, graph);
    }
    /* On disk, no variant takes them. */
    if (query->negative && (query->wide || !integer) && graph->store == NULL)
        query->exact = hop__exact_measure(context, graph, graph->vertices);
    return HOP_OK;
}

/* The largest d with (double)d <= cutoff. Rounding to double is monotone, so bits can be tried
 * from the top. */
static int64_t largest_integer(double cutoff) {
    uint64_t above_least = 0; /* d - INT64_MIN */
    if ((double)INT64_MIN > cutoff)
        return INT64_MIN;
    for (uint64_t bit = UINT64_C(1) << 63; bit > 0; bit >>= 1) {
        int64_t tried = (int64_t)((above_least | bit) ^ UINT64_C(1) << 63);
        if ((double)tried <= cutoff)
            above_least |= bit;
    }
    int64_t found = (int64_t)(above_least ^ UINT64_C(1) << 63);
    return found == HOP_NO_DISTANCE ? HOP_NO_DISTANCE - 1 : found;
}

/* Its zero is not negative: where numbers are compared by their bits, that would be the largest. */
static double largest_real(double cutoff, hop_weight_type type) {
    cutoff += 0.0;
    if (type == HOP_TYPE_FLOAT64)
        return cutoff > DBL_MAX ? DBL_MAX : cutoff;
    if (cutoff >= (double)FLT_MAX)
        return (double)FLT_MAX;
    if (cutoff < (double)-FLT_MAX)
        return -HUGE_VAL;
    float near = (float)cutoff;
    return (double)((double)near > cutoff ? nextafterf(near, (float)-HUGE_VAL) : near);
}

/* How many vertices are settled when the nearest and the sources are; these may repeat. */
static hop_status count_nearest(hop_context *context, const hop_sssp_options *options,
                                hop__sssp_query *query) {
    uint64_t *seen = NULL;
    hop_status status = HOP_OK;
    if (options->nearest == 0)
        return HOP_OK;
    query->settle = options->nearest;
    if (query->source_count > 1)
        HOP_TRY(status,
                hop__alloc_zero(context, "sssp: sources", hop__bitmap_words(query->graph->vertices),
                                sizeof *seen, &seen));
    for (hop_vertex i = 0; i < query->source_count; i++)
        query->settle += !seen || hop__bitmap_claim(seen, query->sources[i]);
done:
    hop__free(seen);
    return status;
}

hop_status hop__sssp_take(hop_context *context, const hop_graph *graph, const hop_vertex *sources,
                          hop_vertex source_count, const hop_sssp_options *given,
                          hop_sssp_options *options, hop_run *run, hop__sssp_query *query,
                          hop_vertex *brought[2]) {
    hop_status status;
    *options = (hop_sssp_options)HOP_SSSP_OPTIONS_INIT;
    HOP_TRY(status,
            hop__options_take(context, "HOP_SSSP_OPTIONS_INIT", given, options, sizeof *options));
    if (!graph)
        return hop__fail(context, HOP_ERR_ARGUMENT, "sssp: the graph is NULL");
    HOP_TRY(status, hop__run_take(context, options->run, run));
    HOP_TRY(status,
            hop__vertices_bring(context, "sssp: sources", &sources, source_count, &brought[0]));
    HOP_TRY(status, hop__vertices_bring(context, "sssp: targets", &options->targets,
                                        options->target_count, &brought[1]));
    HOP_TRY(status,
            hop__vertices_check(context, "sssp", "source", sources, source_count, graph->vertices));
    HOP_TRY(status, hop__vertices_check(context, "sssp", "target", options->targets,
                                        options->target_count, graph->vertices));
    if (isnan(options->cutoff))
        return hop__fail(context, HOP_ERR_ARGUMENT, "sssp: the cutoff is not a number");
    if (!(options->tolerance >= 0 && options->tolerance < 1))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "sssp: the tolerance is %g; it is a part of the distance, from 0 to below "
                         "1",
                         options->tolerance);
    /* Weights below 0 are looked at one by one, for what refuses them. */
    HOP_TRY(status, graph->away != NULL && graph->shared->facts.min_weight < 0
                        ? hop_graph_check(context, graph)
                        : hop__graph_check_away(context, graph));
    HOP_TRY(status, hop__sssp_describe(context, graph, query));
    if (query->negative && graph->store != NULL)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "sssp: the least weight is %.9g; weights below 0 need the arcs in memory, "
                         "or mapped",
                         graph->shared->facts.min_weight);
    query->sources = sources;
    query->source_count = source_count;
    query->targets = options->targets;
    query->target_count = options->target_count;
    query->cutoff = options->cutoff;
    HOP_TRY(status, count_nearest(context, options, query));
    query->limited =
        options->target_count > 0 || options->nearest > 0 || options->cutoff < HUGE_VAL;
    query->cutoff_integer = largest_integer(options->cutoff);
    query->cutoff_real = largest_real(options->cutoff, query->distance_type);
done:
    return status;
}

bool hop__sssp_refuse_negative(const void *given, char reason[HOP__REASON]) {
    const hop__sssp_task *task = given;
    const hop_graph *graph = task->query.graph;
    if (!task->query.negative)
        return false;
    char text[HOP__WEIGHT_TEXT];
    uint64_t arc = hop__sssp_negative_arc(graph, false);
    snprintf(reason, HOP__REASON,
             "the arc from %s to %s has the weight %s; bellman-ford takes weights below 0",
             hop__name(graph, hop__row_of_arc(graph, arc)).s,
             hop__name(graph, graph->targets[arc]).s,
             hop__weight_text(graph->weight_type, graph->weights, arc, text));
    return true;
}
