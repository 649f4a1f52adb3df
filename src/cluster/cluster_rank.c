/* SPDX-License-Identifier: Apache-2.0
 *
 * List ranking over the ranks: the question, and what is wrong with successors that are no lists.
 *
 * The library walks from the heads in turn and tells the first fault that it meets. Here nobody
 * walks; the same fault is found from the labels of the rulers (cluster_rulers.h), each the first
 * head that leads there:
 * 1. The first head that does not lead to a tail is the smallest label of a ruler that does not. It
 *    meets no earlier list, because these lead to tails.
 * 2. The first head that meets an earlier list is the smallest of the second labels, where ways
 *    come together: there, and only there, it comes by a way on which no earlier one is. The other
 *    list is that of the first label there.
 * 3. The smaller of the two is the fault. A cycle closes where the way of that head comes to it:
 *    rulers on cycles are those that jumps lead to which have no end.
 * 4. Where one list should have all elements, the smallest element that is not on it is made a
 *    second head, and its fault is told. */
#include <inttypes.h>

#include "cluster/cluster_list.h"
#include "cluster/cluster_rulers.h"
#include "core/options.h"
#include "core/try.h"
#include "rank/rank_fault.h"

#define NONE UINT64_MAX

static const uint64_t element_zero[] = {0};

/* ---- the question ---------------------------------------------------------------------------- */

static hop_status query_check(hop_context *context, const hop__list_query *query,
                              const hop__deal *deal, const uint64_t *ranks) {
    const hop_cluster_rank_options *options = &query->options;
    if (deal->items >= HOP__AT_TAIL || deal->count >= UINT32_MAX)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "rank: %" PRIu64 " elements, %" PRIu64 " on a rank; below 2^32 - 1 are "
                         "possible there: use more ranks",
                         deal->items, deal->count);
    if (deal->count > 0 && (query->successors == NULL || ranks == NULL))
        return hop__missing(context, "hop_cluster_list_rank");
    if (options->all && options->heads != NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "rank: all begins at every head; heads name some");
    if (options->heads == NULL && options->head_count > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "rank: %" PRIu64 " heads, but their array is NULL", options->head_count);
    for (uint64_t k = 0; k < options->head_count; k++)
        if (options->heads[k] >= deal->items) {
            hop__fail(context, HOP_ERR_ARGUMENT,
                      "rank: head number %" PRIu64 " is element %" PRIu64 ", but there are only "
                      "%" PRIu64,
                      k, options->heads[k], deal->items);
            return hop__note_range(context, options->heads[k], deal->items);
        }
    return HOP_OK;
}

hop_status hop__list_begin(hop_cluster *cluster, const char *call, const uint64_t *successors,
                           uint64_t elements, const hop_cluster_rank_options *given,
                           const uint64_t *ranks, hop__list_query *query, hop__deal *deal) {
    hop_context *context = cluster->context;
    hop_cluster_rank_options options = HOP_CLUSTER_RANK_OPTIONS_INIT;
    uint64_t hash = 0;
    hop_status status = hop__deal_open(cluster, "rank: counts", elements, deal);
    if (status == HOP_OK)
        status = hop__options_take(context, "HOP_CLUSTER_RANK_OPTIONS_INIT", given, &options,
                                   sizeof options);
    *query = (hop__list_query){successors, options, options.heads == NULL && !options.all};
    if (status == HOP_OK)
        status = query_check(context, query, deal, ranks);
    if (status == HOP_OK) {
        hash = hop__cluster_mix(elements, &options.all, sizeof options.all);
        if (options.heads != NULL)
            hash = hop__cluster_mix(hash + 1, options.heads, 8 * (size_t)options.head_count);
    }
    if (query->whole) {
        query->options.heads = element_zero;
        query->options.head_count = elements > 0;
    }
    return hop__cluster_begin(cluster, call, hash, status);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static uint64_t head_of(const hop__rulers *rulers, uint64_t label) {
    return rulers->all ? label : rulers->heads[label];
}

static void lower(uint64_t *value, uint64_t candidate) {
    *value = candidate < *value ? candidate : *value;
}

/* Case 2: where, and the other list. */
static hop_status join_find(hop__rulers *rulers, uint64_t label, hop__rank_fault *fault) {
    uint64_t found[2] = {NONE, NONE};
    hop_status status;
    for (uint64_t k = 0; k < rulers->count; k++)
        if (rulers->seconds[k] == label) {
            found[0] = hop__ruler_element(rulers, k);
            found[1] = rulers->labels[k];
        }
    HOP_TRY(status, hop__min_all(rulers->cluster, found, 2));
    fault->how = HOP__RANK_JOIN;
    fault->element = found[0];
    fault->other = head_of(rulers, found[1]);
done:
    return status;
}

/* Where the way of a label ends, if it has an end. */
static hop_status end_find(hop__rulers *rulers, uint64_t label, hop__rank_fault *fault) {
    const hop__deal *deal = &rulers->deal;
    uint64_t ends[2] = {NONE, NONE}, successor = NONE; /* tail; out of range */
    hop_status status;
    for (uint64_t k = 0; k < rulers->count; k++)
        if (rulers->labels[k] == label && (rulers->jumps[k].next & HOP__AT_END) != 0)
            lower(&ends[(rulers->jumps[k].next & HOP__AT_BAD) != 0],
                  rulers->jumps[k].next & ~HOP__AT_END);
    HOP_TRY(status, hop__min_all(rulers->cluster, ends, 2));
    fault->how = ends[1] != NONE ? HOP__RANK_OUT_OF_RANGE : HOP__RANK_TAIL;
    fault->element = ends[ends[1] != NONE];
    if (fault->element == NONE)
        fault->how = HOP__RANK_CYCLE;
    else if (hop__deal_owns(deal, fault->element))
        successor = rulers->successors[fault->element - deal->first];
    HOP_TRY(status, hop__min_all(rulers->cluster, &successor, 1));
    fault->successor = successor;
done:
    return status;
}

/* Tells rulers, by their places, that a jump without an end leads to them; with a label, that a
 * ruler which has it, and is not `on` a cycle, is just before them. */
static hop_status tell_next(hop__rulers *rulers, const unsigned char *on, uint64_t label,
                            hop__inbox *inbox) {
    hop__deal *deal = &rulers->deal;
    uint64_t total = 0;
    uint32_t *told = NULL, at;
    hop_status status = HOP_OK;
    hop__deal_clear(deal);
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t k = 0; status == HOP_OK && k < rulers->count; k++) {
            uint64_t next = rulers->jumps[k].next;
            bool tells = (next & HOP__AT_END) == 0;
            if (label != NONE) {
                next = rulers->links[k];
                tells = tells && rulers->labels[k] == label && !on[k];
            }
            if (tells && pass == 0) {
                hop__deal_count(deal, next);
                total++;
            } else if (tells) {
                uint64_t place = hop__deal_place(deal, next, &at);
                told[place] = at;
            }
        }
        if (pass == 0) {
            status = hop__alloc(rulers->cluster->context, "rank: cycle", total, 4, &told);
            hop__deal_start(deal);
        }
    }
    status = hop__exchange(rulers->cluster, "rank: cycle", status, sizeof *told, told, deal->counts,
                           inbox);
    hop__free(told);
    return status;
}

/* Case 3: where the way of a label comes to its cycle. */
static hop_status cycle_find(hop__rulers *rulers, uint64_t label, hop__rank_fault *fault) {
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    unsigned char *on = NULL;
    uint64_t found = NONE, head = head_of(rulers, label) - rulers->deal.first;
    hop_status status =
        hop__alloc_zero(rulers->cluster->context, "rank: cycle", rulers->count, sizeof *on, &on);
    HOP_TRY(status, hop__agree(rulers->cluster, status));
    HOP_TRY(status, tell_next(rulers, on, NONE, &inbox));
    for (uint64_t i = 0; i < inbox.count; i++)
        on[rulers->ranks[((const uint32_t *)inbox.records)[i]]] = 1;
    hop__inbox_clear(&inbox);
    HOP_TRY(status, tell_next(rulers, on, label, &inbox));
    for (uint64_t i = 0; i < inbox.count; i++) {
        uint64_t ruler = rulers->ranks[((const uint32_t *)inbox.records)[i]];
        if (on[ruler])
            lower(&found, hop__ruler_element(rulers, ruler));
    }
    if (hop__deal_owns(&rulers->deal, head_of(rulers, label)) && on[rulers->ranks[head]])
        lower(&found, head_of(rulers, label));
    HOP_TRY(status, hop__min_all(rulers->cluster, &found, 1));
    fault->element = found;
done:
    hop__inbox_clear(&inbox);
    hop__free(on);
    return status;
}

/* What the way of a label comes to. */
static hop_status way_find(hop__rulers *rulers, uint64_t label, bool joins,
                           hop__rank_fault *fault) {
    hop_status status;
    *fault = (hop__rank_fault){.head = head_of(rulers, label), .count = rulers->deal.items};
    if (joins)
        return join_find(rulers, label, fault);
    HOP_TRY(status, end_find(rulers, label, fault));
    if (fault->how == HOP__RANK_CYCLE)
        status = cycle_find(rulers, label, fault);
done:
    return status;
}

/* Cases 1 to 3. *label is NONE where all is well. */
static hop_status fault_find(hop__rulers *rulers, uint64_t *label, hop__rank_fault *fault) {
    uint64_t first[2] = {NONE, NONE};
    hop_status status;
    *label = NONE;
    if (!rulers->labelled)
        return HOP_OK;
    for (uint64_t k = 0; k < rulers->count; k++) {
        if (!(rulers->jumps[k].next & HOP__AT_TAIL))
            lower(&first[0], rulers->labels[k]);
        lower(&first[1], rulers->seconds[k]);
    }
    HOP_TRY(status, hop__min_all(rulers->cluster, first, 2));
    *label = first[0] < first[1] ? first[0] : first[1];
    if (*label != NONE)
        status = way_find(rulers, *label, first[1] < first[0], fault);
done:
    return status;
}

/* ---- ranking --------------------------------------------------------------------------------- */

typedef struct ranking {
    hop_cluster *cluster;
    hop__list_query query;
    hop__deal deal;
    uint64_t *ranks;
} ranking;

static hop__rulers rulers_of(const ranking *work, bool labelled) {
    const hop_cluster_rank_options *options = &work->query.options;
    return (hop__rulers){.cluster = work->cluster,
                         .deal = work->deal,
                         .successors = work->query.successors,
                         .ranks = work->ranks,
                         .heads = options->heads,
                         .head_count = options->head_count,
                         .all = options->all,
                         .labelled = labelled};
}

/* Case 4: element `left` is not on the list. */
static hop_status left_over_tell(ranking *work, uint64_t left) {
    const uint64_t heads[2] = {0, left};
    hop__rulers rulers = rulers_of(work, true);
    hop__rank_fault fault = {.how = HOP__RANK_TAIL};
    uint64_t label;
    hop_status status;
    rulers.heads = heads;
    rulers.head_count = 2;
    HOP_TRY(status, hop__rulers_solve(&rulers, HOP_OK));
    HOP_TRY(status, fault_find(&rulers, &label, &fault));
    if (label == NONE)
        HOP_TRY(status, way_find(&rulers, 1, false, &fault));
    fault.left_over = true;
    status = hop__rank_refuse(work->cluster->context, &fault);
done:
    rulers.deal.counts = NULL;
    hop__rulers_close(&rulers);
    return status;
}

/* Ranks, or the fault; *left, where all should be on one list: the smallest that is not. */
static hop_status rank_try(ranking *work, bool labelled, uint64_t *left) {
    hop__rulers rulers = rulers_of(work, labelled);
    hop__rank_fault fault;
    uint64_t label;
    hop_status status;
    *left = NONE;
    HOP_TRY(status, hop__rulers_solve(&rulers, HOP_OK));
    HOP_TRY(status, fault_find(&rulers, &label, &fault));
    if (label != NONE) {
        status = hop__rank_refuse(work->cluster->context, &fault);
        goto done;
    }
    HOP_TRY(status, hop__rulers_fill(&rulers));
    if (!work->query.whole)
        goto done;
    for (uint64_t i = 0; i < work->deal.count && *left == NONE; i++)
        if (work->ranks[i] == HOP_NO_CLUSTER_VERTEX)
            *left = work->deal.first + i;
    /* Without labels what has a rank may still be on another list. */
    if (!rulers.labelled && *left == NONE && work->deal.first == 0 && work->deal.count > 0 &&
        work->ranks[0] != work->deal.items - 1)
        *left = 0;
    status = hop__min_all(work->cluster, left, 1);
    if (status == HOP_OK && !rulers.labelled && *left != NONE)
        *left = 0; /* to be tried again, with labels */
done:
    rulers.deal.counts = NULL;
    hop__rulers_close(&rulers);
    return status;
}

hop_status hop_cluster_list_rank(hop_cluster *cluster, const uint64_t *successors,
                                 uint64_t elements, const hop_cluster_rank_options *options,
                                 uint64_t *ranks) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    ranking work = {.cluster = cluster, .ranks = ranks};
    uint64_t left;
    hop_status status;
    HOP_TRY(status, hop__list_begin(cluster, "hop_cluster_list_rank", successors, elements, options,
                                    ranks, &work.query, &work.deal));
    HOP_TRY(status, rank_try(&work, !work.query.whole && !work.query.options.all, &left));
    if (left == 0) /* element 0 is on its own list: that was without labels */
        HOP_TRY(status, rank_try(&work, true, &left));
    if (left != NONE)
        status = left_over_tell(&work, left);
done:
    hop__deal_free(&work.deal);
    return status;
}
