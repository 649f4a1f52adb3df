/* SPDX-License-Identifier: Apache-2.0
 * The beginning of searches on devices; see device_search.h. */
#include "problem/device_search.h"

#include "core/try.h"

enum { DEFINES = 16, SLICE_ARCS = 1 << 24, SLICE_LEAST = 1 << 10 };

static uint64_t slice_most(const hop__search_programs *plan) {
    const hop_graph *graph = plan->graph;
    uint64_t most = plan->slice_arcs != 0 ? plan->slice_arcs : SLICE_ARCS;
    most /= graph->vertices > 0 ? graph->arcs / graph->vertices + 1 : 1;
    return most > SLICE_LEAST ? most : SLICE_LEAST;
}

hop_status hop__search_begin(hop__device *device, const hop__search_programs *plan,
                             hop__sweeper *own, hop__sweeper *common) {
    hop_status status;
    hop__form form = hop__form_of(device, plan->form);
    hop__define defines[DEFINES];
    if (plan->shared_count + plan->define_count > DEFINES)
        return hop__fail(hop__device_context(device), HOP_ERR_ARGUMENT, "%s: too many definitions",
                         plan->phase);
    for (size_t i = 0; i < plan->shared_count; i++)
        defines[i] = plan->shared[i];
    for (size_t i = 0; i < plan->define_count; i++)
        defines[plan->shared_count + i] = plan->defines[i];
    HOP_TRY(status, hop__sweeper_begin(device, &form, NULL, own));
    HOP_TRY(status, hop__sweeper_begin(device, &form, NULL, common));
    HOP_TRY(status, hop__form_program(device, &form, plan->own, defines,
                                      plan->shared_count + plan->define_count, &own->program));
    HOP_TRY(status, hop__form_program(device, &form, plan->common, defines, plan->shared_count,
                                      &common->program));
    own->slice_most = slice_most(plan);
done:
    return status;
}

hop_status hop__search_start(hop__workspace *space, hop__sweeper *common,
                             const hop__search_sources *plan, hop__argument *arguments,
                             size_t argument_count) {
    hop_status status;
    HOP_TRY(status, hop__workspace_take(space, plan->slot, plan->count));
    if (plan->count == 1)
        HOP_TRY(status, hop__buffer_fill(*plan->slot, 0, sizeof(hop_vertex), plan->sources[0]));
    else
        HOP_TRY(status,
                hop__buffer_write(*plan->slot, 0, plan->count * sizeof(hop_vertex), plan->sources));
    arguments[0] = hop__arg_buffer(*plan->slot);
    HOP_TRY(status,
            hop__sweep_over(common, "sources_start", plan->count, 16, arguments, argument_count));
    HOP_TRY(status, hop__buffer_copy(plan->tail, 0, plan->counter, plan->word * 4ull, 4));
    if (plan->count == 1) /* its four bytes stay until the workspace is closed */
        return HOP_OK;
    HOP_TRY(status, hop__device_finish(space->device));
done:
    hop__device_settle(space->device, status);
    hop__workspace_drop(space, plan->slot);
    return status;
}
