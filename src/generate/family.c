/* SPDX-License-Identifier: Apache-2.0
 * See family.h. */
#include "generate/family.h"

#include <stdio.h>

#include "core/memory.h"

hop_status hop__family_fits(hop_context *context, const hop__build *build, hop_weight_type type,
                            uint64_t least) {
    /* A target and a weight per arc, an offset per vertex: below 2^41 * 12 + 2^34. */
    uint64_t arcs = build->directed ? least : 2 * least;
    uint64_t bytes = arcs * (sizeof(hop_vertex) + hop_type_size(type)) +
                     (uint64_t)build->vertices * sizeof(uint32_t);
    char what[48];
    if (context->outsider != NULL) /* makes what does not fit */
        return HOP_OK;
    (void)snprintf(what, sizeof what, "%ss", build->what); /* "rmat: edges" */
    hop_status status = hop__reserve_check(context, what, bytes);
    if (status != HOP_ERR_BUDGET)
        return status;
    uint64_t used = hop__pool_usage(context->pool).used;
    return hop__fail_total(
        context, what,
        used + hop__build_bytes(context, build->vertices, least, build->directed, type),
        build->vertices, least, false);
}

hop_status hop__family_build(hop_context *context, const hop__recipe *recipe,
                             const hop__edge_source *source, const hop__build *build,
                             uint64_t least, hop_graph **graph) {
    if (recipe->take != NULL)
        return recipe->take(recipe->take_user, source, build);
    hop_status status = hop__family_fits(context, build, source->weight_type, least);
    return status == HOP_OK ? hop__graph_build(context, source, build, graph) : status;
}
