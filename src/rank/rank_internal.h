/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants of rank see. A variant is a file rank_<variant>.c that exports one const
 * hop__rank_variant, and a line in the table of rank.c. */
#ifndef HOPLITE_RANK_RANK_INTERNAL_H
#define HOPLITE_RANK_RANK_INTERNAL_H

#include "hoplite/rank.h"
#include "problem/problem.h"

/* The question. Heads are in range; about the successors nothing is known. */
typedef struct hop__rank_query {
    const hop_vertex *successors;
    hop_vertex count;
    const hop_vertex *heads; /* element 0 alone when the caller gave none */
    hop_vertex head_count;
    bool whole; /* the caller gave no heads: every element must be on the one list */
} hop__rank_query;

/* What a row gets. refuse() is asked before `values` is there. */
typedef struct hop__rank_task {
    hop__rank_query query;
    hop_vertex *ranks;    /* count, uninitialised */
    const double *values; /* of the row's parameters, in its order */
    unsigned threads;     /* that run() may use */
    /* To be counted by run(). */
    uint64_t rounds;           /* lists, passes or jumps */
    uint64_t relaxations;      /* elements visited, each time again */
    const hop__tuning *tuning; /* of the context */
} hop__rank_task;

/* run() ranks what the heads lead to and gives HOP_NO_RANK to the rest. When the successors are not
 * what they should be, it returns HOP_ERR_INPUT, without a message, in O(count): the front finds
 * the element and says what is wrong, so that every variant refuses in the same words. */
typedef struct hop__rank_variant {
    hop__variant row;
    hop_status (*run)(hop_context *context, hop__rank_task *task);
} hop__rank_variant;

extern const hop__problem hop__rank_problem;
extern const hop__rank_variant hop__rank_sequential, hop__rank_wyllie, hop__rank_splitter,
    hop__rank_interleaved, hop__rank_device_wyllie, hop__rank_device_splitter,
    hop__rank_device_splitter48;

/* rank_explain.c: says what is wrong with the successors; HOP_ERR_INPUT with the message, or HOP_OK
 * when nothing is. `marks` has room for count elements. */
hop_status hop__rank_explain(hop_context *context, const hop__rank_query *query, hop_vertex *marks);

/* rank_certify.c: the check of hop_rank_certify, and the bytes that it allocates. */
hop_status hop__rank_certify(hop_context *context, const hop__rank_query *query,
                             const hop_vertex *ranks);
uint64_t hop__rank_certify_memory(const hop__rank_query *query);

#endif
