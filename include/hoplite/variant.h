/* SPDX-License-Identifier: Apache-2.0
 *
 * Variants: the ways to solve a problem, side by side. Each problem has a table of them; every
 * row gives the same answer. A call names one, or leaves the choice to the library, and can ask
 * which ran and why. */
#ifndef HOPLITE_VARIANT_H
#define HOPLITE_VARIANT_H

#include "hoplite/context.h"
#include "hoplite/parameter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hop_place { HOP_PLACE_HOST = 0, HOP_PLACE_DEVICE = 1 } hop_place;

typedef struct hop_variant {
    const char *name;    /* such as "dijkstra" */
    const char *summary; /* one line */
    const char *source;  /* the document or paper */
    hop_place place;
    const hop_parameter *parameters;
    size_t parameter_count;
} hop_variant;

typedef enum hop_problem {
    HOP_PROBLEM_RANK = 0,
    HOP_PROBLEM_COMPONENTS = 1,
    HOP_PROBLEM_BFS = 2,
    HOP_PROBLEM_SSSP = 3,
    HOP_PROBLEM_APSP = 4
} hop_problem;
#define HOP_PROBLEM_COUNT 5

/* "rank", "components", "bfs", "sssp" or "apsp"; NULL when out of range. */
HOP_API const char *hop_problem_name(hop_problem problem);
HOP_API size_t hop_variant_count(hop_problem problem);
/* NULL when out of range. The first row is the sequential reference. */
HOP_API const hop_variant *hop_variant_at(hop_problem problem, size_t index);
HOP_API const hop_variant *hop_variant_find(hop_problem problem, const char *name);

/* How a result is checked after the run, or by the hop_*_certify functions. */
typedef enum hop_certify {
    HOP_CERTIFY_NONE = 0,
    HOP_CERTIFY_CANONICAL = 1, /* the canonical answer, bit by bit */
    HOP_CERTIFY_VALID = 2      /* any right answer: any shortest-path tree, any constant labels */
} hop_certify;

/* What a run tells about itself. The caller sets `size`. */
typedef struct hop_report {
    size_t size;
    const hop_variant *variant; /* the row that ran; NULL when nothing did */
    char reason[256];           /* why this one */
    uint64_t memory_bytes;      /* estimated need beside graph and results, before the run */
    double seconds;             /* the variant alone */
    double certify_seconds;     /* 0 when not asked for */
    uint64_t rounds;            /* levels, passes or iterations, as the variant counts them */
    uint64_t relaxations;       /* arcs looked at */
} hop_report;

#define HOP_REPORT_INIT                                                                            \
    { sizeof(hop_report), NULL, {0}, 0, 0, 0, 0, 0 }

/* The part of every problem's options that is about how, not what. */
typedef struct hop_run {
    size_t size;                 /* sizeof(hop_run), set by the initialiser */
    const char *variant;         /* NULL or "auto": the library chooses */
    const hop_setting *settings; /* the variant's parameters that differ from their defaults */
    size_t setting_count;
    hop_certify certify; /* check the result before returning; default HOP_CERTIFY_NONE */
    hop_report *report;  /* NULL: not wanted */
} hop_run;

#define HOP_RUN_INIT                                                                               \
    { sizeof(hop_run), NULL, NULL, 0, HOP_CERTIFY_NONE, NULL }

#ifdef __cplusplus
}
#endif
#endif
