/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks ranks against the successors, without following any list: the rules of rank_certify.c,
 * where it is told why they suffice, over the ranks.
 *  1. a ranked element is its own successor and has rank 0, or its successor is an element, is
 *     ranked, and has a rank one less;
 *  2. every head is ranked;
 *  3. whole list: the head's rank is the number of elements less 1; else no element is the
 *     successor of two ranked ones (tails aside), no head of any, no two heads are the same, and
 *     there are as many ranked tails as heads.
 * Where heads are all elements that no other leads to, elements without a rank tell theirs too.
 *
 * Each element asks the owner of its successor for the rank, who so learns what leads to its own.
 * Bytes sent: 12 for each element with a successor of another rank's, 4 if it has no rank. Memory:
 * 21 bytes per element. */
#include <inttypes.h>

#include "cluster/cluster_list.h"
#include "core/try.h"

#define NO_RANK HOP_NO_CLUSTER_VERTEX

enum { NAMED = 1, LED_TO = 2 }; /* by a ranked element, or as a head; by any element */

typedef struct proof {
    hop_cluster *cluster;
    hop_context *context;
    hop__list_query query;
    hop__deal deal;
    const uint64_t *ranks;
    unsigned char *marks;
    uint64_t *after; /* ranks of successors, in the order of the deal */
    uint64_t twice;  /* smallest element of this rank that is named twice */
    uint64_t heads, tails;
} proof;

static hop_status rejected(hop_context *context, uint64_t element) {
    return hop__note_vertex(context, HOP_KIND_CERTIFICATE, element);
}

/* Whether element i asks: those with a rank and a successor; or, `unranked`, those without. */
static bool asks(const proof *work, uint64_t i, bool unranked) {
    uint64_t next = work->query.successors[i];
    return (work->ranks[i] == NO_RANK) == unranked && next != work->deal.first + i &&
           next < work->deal.items;
}

static void element_name(proof *work, uint64_t at, unsigned mark) {
    if (mark == NAMED && work->marks[at] & NAMED && work->deal.first + at < work->twice)
        work->twice = work->deal.first + at;
    work->marks[at] |= (unsigned char)(mark | LED_TO);
}

static hop_status names_tell(proof *work, hop_status status, bool unranked, hop__inbox *inbox) {
    hop__deal *deal = &work->deal;
    uint64_t total = 0;
    uint32_t *asked = NULL, at;
    hop__deal_clear(deal);
    for (uint64_t i = 0; status == HOP_OK && i < deal->count; i++)
        if (asks(work, i, unranked)) {
            hop__deal_count(deal, work->query.successors[i]);
            total++;
        }
    hop__deal_start(deal);
    if (status == HOP_OK)
        status = hop__alloc(work->context, "certify: successors", total, 4, &asked);
    if (status == HOP_OK && !unranked)
        status = hop__alloc(work->context, "certify: ranks", total, 8, &work->after);
    for (uint64_t i = 0; status == HOP_OK && i < deal->count; i++)
        if (asks(work, i, unranked)) {
            uint64_t place = hop__deal_place(deal, work->query.successors[i], &at);
            asked[place] = at;
        }
    status = hop__exchange(work->cluster, "certify: successors", status, sizeof *asked, asked,
                           deal->counts, inbox);
    hop__free(asked);
    return status;
}

/* Ranks of successors, and names. */
static hop_status ranks_fetch(proof *work, hop_status status) {
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    uint64_t *answers = NULL;
    HOP_TRY(status, names_tell(work, status, false, &inbox));
    status = hop__alloc(work->context, "certify: ranks", inbox.count, 8, &answers);
    HOP_TRY(status, hop__agree(work->cluster, status));
    const uint32_t *asked = inbox.records;
    for (uint64_t k = 0; k < inbox.count; k++) {
        element_name(work, asked[k], NAMED);
        answers[k] = work->ranks[asked[k]];
    }
    HOP_TRY(status, hop__exchange_known(work->cluster, "certify: ranks", sizeof *answers, answers,
                                        inbox.counts, work->after, work->deal.counts));
done:
    hop__inbox_clear(&inbox);
    hop__free(answers);
    return status;
}

static hop_status explain_link(const proof *work, uint64_t i, uint64_t after) {
    uint64_t element = work->deal.first + i, next = work->query.successors[i];
    uint64_t rank = work->ranks[i];
    if (next == element)
        hop__fail(work->context, HOP_ERR_CERTIFICATE,
                  "certify: element %" PRIu64 " is a tail, but its rank is %" PRIu64, element,
                  rank);
    else if (next >= work->deal.items)
        hop__fail(work->context, HOP_ERR_CERTIFICATE,
                  "certify: element %" PRIu64 " has rank %" PRIu64 ", but its successor %" PRIu64
                  " is not one of the %" PRIu64 " elements",
                  element, rank, next, work->deal.items);
    else if (after == NO_RANK)
        hop__fail(work->context, HOP_ERR_CERTIFICATE,
                  "certify: element %" PRIu64 " has rank %" PRIu64 ", but its successor %" PRIu64
                  " has none",
                  element, rank, next);
    else
        hop__fail(work->context, HOP_ERR_CERTIFICATE,
                  "certify: element %" PRIu64 " has rank %" PRIu64 ", but its successor %" PRIu64
                  " has rank %" PRIu64,
                  element, rank, next, after);
    return rejected(work->context, element);
}

/* Rule 1, and the tails. */
static hop_status check_links(proof *work) {
    hop__deal *deal = &work->deal;
    uint32_t at;
    hop__deal_start(deal);
    for (uint64_t i = 0; i < deal->count; i++) {
        uint64_t rank = work->ranks[i], next = work->query.successors[i], after = NO_RANK;
        if (rank == NO_RANK)
            continue;
        bool tail = next == deal->first + i;
        if (!tail && next < deal->items)
            after = work->after[hop__deal_place(deal, next, &at)];
        work->tails += tail;
        /* rank - 1 is not NO_RANK: rank 0 is ruled out first. */
        if (tail ? rank != 0 : rank == 0 || after == NO_RANK || after != rank - 1)
            return explain_link(work, i, after);
    }
    return HOP_OK;
}

static hop_status head_check(proof *work, uint64_t i) {
    work->heads++;
    if (work->ranks[i] != NO_RANK)
        return HOP_OK;
    hop__fail(work->context, HOP_ERR_CERTIFICATE,
              "certify: element %" PRIu64 " is a head, but has no rank", work->deal.first + i);
    return rejected(work->context, work->deal.first + i);
}

/* Rule 2, and the names of the heads. */
static hop_status check_heads(proof *work) {
    const hop__deal *deal = &work->deal;
    hop_status status = HOP_OK;
    for (uint64_t k = 0; status == HOP_OK && k < work->query.options.head_count; k++) {
        uint64_t head = work->query.options.heads[k];
        if (!hop__deal_owns(deal, head))
            continue;
        status = head_check(work, head - deal->first);
        element_name(work, head - deal->first, NAMED);
    }
    for (uint64_t i = 0; status == HOP_OK && work->query.options.all && i < deal->count; i++)
        if (!(work->marks[i] & LED_TO)) {
            status = head_check(work, i);
            element_name(work, i, NAMED);
        }
    return status;
}

/* Rule 3 for lists of all elements. */
static hop_status check_count(const proof *work) {
    const hop__deal *deal = &work->deal;
    if (deal->count == 0 || deal->first > 0 || work->ranks[0] == deal->items - 1)
        return HOP_OK;
    hop__fail(work->context, HOP_ERR_CERTIFICATE,
              "certify: element 0 has rank %" PRIu64 ", so its list has %" PRIu64
              " elements, but there are %" PRIu64,
              work->ranks[0], work->ranks[0] + 1, deal->items);
    return rejected(work->context, 0);
}

/* Rule 3 for others: of this rank's elements, and, if `many`, there are more tails than heads. */
static hop_status check_names(const proof *work, bool many) {
    const hop__deal *deal = &work->deal;
    if (work->twice != UINT64_MAX) {
        hop__fail(work->context, HOP_ERR_CERTIFICATE,
                  "certify: lists that have ranks join at element %" PRIu64, work->twice);
        return rejected(work->context, work->twice);
    }
    for (uint64_t i = 0; many && i < deal->count; i++)
        if (work->ranks[i] != NO_RANK && !(work->marks[i] & NAMED)) {
            hop__fail(work->context, HOP_ERR_CERTIFICATE,
                      "certify: element %" PRIu64 " has rank %" PRIu64 ", but no head leads to it",
                      deal->first + i, work->ranks[i]);
            return rejected(work->context, deal->first + i);
        }
    return HOP_OK;
}

static hop_status check_lists(proof *work) {
    uint64_t sums[2] = {work->heads, work->tails};
    hop_status status;
    if (work->query.whole)
        return hop__agree(work->cluster, check_count(work));
    HOP_TRY(status, hop__agree(work->cluster, check_names(work, false)));
    HOP_TRY(status, hop__sum_all(work->cluster, sums, 2));
    /* Only ranked elements are named, so if the numbers differ some ranked one is not. */
    HOP_TRY(status, hop__agree(work->cluster, check_names(work, sums[0] != sums[1])));
    if (sums[0] != sums[1])
        status = hop__fail(work->context, HOP_ERR_CERTIFICATE,
                           "certify: %" PRIu64 " heads, but %" PRIu64 " tails have a rank", sums[0],
                           sums[1]);
done:
    return status;
}

hop_status hop_cluster_list_certify(hop_cluster *cluster, const uint64_t *successors,
                                    uint64_t elements, const hop_cluster_rank_options *options,
                                    const uint64_t *ranks) {
    if (cluster == NULL)
        return HOP_ERR_ARGUMENT;
    proof work = {
        .cluster = cluster, .context = cluster->context, .ranks = ranks, .twice = UINT64_MAX};
    hop__inbox inbox = {NULL, 0, NULL, NULL};
    hop_status status;
    HOP_TRY(status, hop__list_begin(cluster, "hop_cluster_list_certify", successors, elements,
                                    options, ranks, &work.query, &work.deal));
    status = hop__alloc_zero(work.context, "certify: marks", work.deal.count, 1, &work.marks);
    HOP_TRY(status, ranks_fetch(&work, status));
    HOP_TRY(status, hop__agree(cluster, check_links(&work)));
    if (work.query.options.all) {
        HOP_TRY(status, names_tell(&work, HOP_OK, true, &inbox));
        for (uint64_t k = 0; k < inbox.count; k++)
            element_name(&work, ((const uint32_t *)inbox.records)[k], LED_TO);
    }
    HOP_TRY(status, hop__agree(cluster, check_heads(&work)));
    status = check_lists(&work);
done:
    hop__inbox_clear(&inbox);
    hop__deal_free(&work.deal);
    hop__free(work.marks);
    hop__free(work.after);
    return status;
}
