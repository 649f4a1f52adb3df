/* SPDX-License-Identifier: Apache-2.0
 *
 * See rank_fault.h. */
#include "rank/rank_fault.h"

#include <inttypes.h>

/* An element that is not on the one list: where it leads to. */
static hop_status refuse_left_over(hop_context *context, const hop__rank_fault *fault) {
    const char *to = "another tail, element";
    if (fault->how == HOP__RANK_CYCLE)
        to = "a cycle, at element";
    else if (fault->how == HOP__RANK_JOIN)
        to = "a join with that list, at element";
    return hop__fail(context, HOP_ERR_INPUT,
                     "rank: element %" PRIu64 " is not on the list that begins at element 0; it "
                     "leads to %s %" PRIu64 "%s",
                     fault->head, to, fault->element,
                     fault->how == HOP__RANK_TAIL ? "; give the heads to rank several lists" : "");
}

hop_status hop__rank_refuse(hop_context *context, const hop__rank_fault *fault) {
    if (fault->how == HOP__RANK_OUT_OF_RANGE) {
        hop__fail(context, HOP_ERR_INPUT,
                  "rank: element %" PRIu64 " has successor %" PRIu64 ", but there are only %" PRIu64
                  " elements",
                  fault->element, fault->successor, fault->count);
        return hop__note_vertex(context, HOP_KIND_DATA, fault->element);
    }
    if (fault->left_over)
        return refuse_left_over(context, fault);
    if (fault->how == HOP__RANK_CYCLE)
        return hop__fail(context, HOP_ERR_INPUT,
                         "rank: the list that begins at element %" PRIu64
                         " has no tail but a cycle, which closes at element %" PRIu64,
                         fault->head, fault->element);
    return hop__fail(context, HOP_ERR_INPUT,
                     "rank: the lists that begin at elements %" PRIu64 " and %" PRIu64
                     " join at element %" PRIu64,
                     fault->other, fault->head, fault->element);
}
