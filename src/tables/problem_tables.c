/* SPDX-License-Identifier: Apache-2.0
 * The list of the problems, and the functions by which users see the tables of their variants. */
#include "tables/problem_tables.h"

#include "apsp/apsp_internal.h"
#include "bfs/bfs_internal.h"
#include "components/components_internal.h"
#include "measure/measure_internal.h"
#include "rank/rank_internal.h"
#include "spanning/spanning_internal.h"
#include "sssp/sssp_internal.h"
#include "strong/strong_internal.h"

static const hop__problem *const problems[HOP__PROBLEM_COUNT] = {
    [HOP_PROBLEM_RANK] = &hop__rank_problem,
    [HOP_PROBLEM_COMPONENTS] = &hop__components_problem,
    [HOP_PROBLEM_BFS] = &hop__bfs_problem,
    [HOP_PROBLEM_SSSP] = &hop__sssp_problem,
    [HOP_PROBLEM_APSP] = &hop__apsp_problem,
    [HOP__PROBLEM_STRONG] = &hop__strong_problem,
    [HOP__PROBLEM_ORDER] = &hop__order_problem,
    [HOP__PROBLEM_SPANNING] = &hop__spanning_problem,
    [HOP__PROBLEM_CLOSURE] = &hop__closure_problem,
    [HOP__PROBLEM_MEASURE] = &hop__measure_problem,
    [HOP__PROBLEM_BETWEEN] = &hop__between_problem,
    [HOP__PROBLEM_LOCAL] = &hop__local_problem,
};

const hop__problem *hop__problem_at(unsigned problem) {
    return problem < HOP__PROBLEM_COUNT ? problems[problem] : NULL;
}

/* One that users see; NULL when there is no such problem. */
static const hop__problem *problem_at(hop_problem problem) {
    return (unsigned)problem < HOP_PROBLEM_COUNT ? problems[problem] : NULL;
}

const hop__variant *hop__variant_at(unsigned problem, size_t index) {
    const hop__problem *table = hop__problem_at(problem);
    return table && index < table->row_count ? table->rows[index] : NULL;
}

const hop__variant *hop__variant_find(hop_problem problem, const char *name, hop_place place) {
    const hop__problem *table = problem_at(problem);
    return table ? hop__row_named(table, name, place) : NULL;
}

static const hop_variant *about(const hop__variant *row) {
    return row ? &row->about : NULL;
}

const char *hop_problem_name(hop_problem problem) {
    const hop__problem *table = problem_at(problem);
    return table ? table->name : NULL;
}

size_t hop_variant_count(hop_problem problem) {
    const hop__problem *table = problem_at(problem);
    return table ? table->row_count : 0;
}

const hop_variant *hop_variant_at(hop_problem problem, size_t index) {
    return problem_at(problem) ? about(hop__variant_at(problem, index)) : NULL;
}

const hop_variant *hop_variant_find(hop_problem problem, const char *name) {
    const hop__variant *row = hop__variant_find(problem, name, HOP_PLACE_HOST);
    return about(row ? row : hop__variant_find(problem, name, HOP_PLACE_DEVICE));
}

const hop_variant *hop_variant_for(const hop_context *context, hop_problem problem,
                                   const char *name) {
    const hop__variant *row = NULL;
    if (context == NULL)
        return NULL;
    if (hop__device_chosen(context))
        row = hop__variant_find(problem, name, HOP_PLACE_DEVICE);
    return about(row ? row : hop__variant_find(problem, name, HOP_PLACE_HOST));
}
