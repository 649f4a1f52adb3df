/* SPDX-License-Identifier: Apache-2.0
 *
 * Variants: the ways to solve a problem, side by side. Each problem has a table of them; every
 * row gives the same answer (floating-point apsp: within the tolerance of apsp.h). A call names
 * one, or leaves the choice to the library, and can ask which ran and why. */
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
    const hop_parameters *parameters; /* hop_parameter_at */
    size_t parameter_count;
    /* HOP_PREPARE_ bits (graph.h): derived data that it makes use of once it is prepared. */
    unsigned uses;
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
/* NULL when out of range. The first row is the sequential reference; those for devices come last.
 */
HOP_API const hop_variant *hop_variant_at(hop_problem problem, size_t index);
/* By name; NULL when there is none. Where a variant of the host and one of devices have the same
 * name, the host's. */
HOP_API const hop_variant *hop_variant_find(hop_problem problem, const char *name);
/* The one that a call with this context would take the name for: where the context has a device
 * (device.h), the device's if there is one; else the host's. NULL when the name means nothing, or a
 * device that the context does not have. */
HOP_API const hop_variant *hop_variant_for(const hop_context *context, hop_problem problem,
                                           const char *name);

/* How a result is checked after the run, or by the hop_*_certify functions. */
typedef enum hop_certify {
    HOP_CERTIFY_NONE = 0,
    HOP_CERTIFY_CANONICAL = 1, /* the canonical answer, bit by bit */
    HOP_CERTIFY_VALID = 2      /* any right answer: any shortest-path tree, any constant labels */
} hop_certify;

/* What the time of a run went into. Phases follow each other and do not overlap, so their seconds
 * add up to at most those of the run; what is left is between them. Device variants may have copies
 * under way while they compute, and then the sum can be larger. */
typedef enum hop_phase_kind {
    HOP_PHASE_COMPUTE = 0,
    HOP_PHASE_COPY = 1 /* moves data between host and device, or between forms, only */
} hop_phase_kind;

typedef struct hop_phase {
    const char *name; /* such as "expand"; lives as long as the library */
    hop_phase_kind kind;
    uint64_t calls;
    double seconds; /* of all calls together, as the rest */
    uint64_t bytes; /* moved, by the variant's own count; 0 when it does not count */
    uint64_t items; /* worked on: vertices, arcs, elements, as the variant says; 0 as above */
} hop_phase;

/* One call of a phase, for whoever wants the times of the rounds apart. */
typedef struct hop_step {
    uint32_t phase; /* its index among the phases */
    double seconds;
    uint64_t bytes, items;
} hop_step;

/* Counters beside rounds and relaxations. Names that mean the same everywhere: "retries"
 * (compare-and-swap again), "polls" (of an empty queue), "pushes" and "pops" (of a queue),
 * "corrections" (work done again because it was done too early), "switches" (of direction). */
typedef struct hop_counter {
    const char *name; /* lives as long as the library */
    uint64_t value;
} hop_counter;

/* What a run tells about itself. A program makes one, names it in hop_run, and reads it when the
 * call has returned, whatever the status; each call begins it anew. One report serves one call at a
 * time, and is read by any threads while no call has it. The accessors take NULL for a report of
 * which nothing is known; what they point to is valid until the next call with the report. */
typedef struct hop_report hop_report;

/* Makes a report that keeps up to `steps` calls of phases apart (0: none). Its memory is the C
 * library's and not counted against a budget. HOP_ERR_MEMORY when there is none. */
HOP_NODISCARD HOP_API hop_status hop_report_create(size_t steps, hop_report **report);
/* NULL is allowed. */
HOP_API void hop_report_free(hop_report *report);

/* The row that ran; NULL when nothing did. */
HOP_API const hop_variant *hop_report_variant(const hop_report *report);
/* Why this one. Never NULL. */
HOP_API const char *hop_report_reason(const hop_report *report);
/* The device that the variant ran on; "": the host. Never NULL. */
HOP_API const char *hop_report_device(const hop_report *report);
/* Estimated need beside graph and results, before the run: of the host's memory, of the device's,
 * and of the file that the matrix is worked on in (apsp). */
HOP_API uint64_t hop_report_memory_bytes(const hop_report *report);
HOP_API uint64_t hop_report_device_bytes(const hop_report *report);
HOP_API uint64_t hop_report_file_bytes(const hop_report *report);
/* Of a variant that has the graph on a device with a memory of its own: bytes of the graph that the
 * run has copied there (a plan: would copy), and that were there before it; see hop_device_trim. Of
 * rank: of the lists. */
HOP_API uint64_t hop_report_copy_bytes(const hop_report *report);
HOP_API uint64_t hop_report_kept_bytes(const hop_report *report);
/* Seconds of the variant alone; of its certificate, 0 when not asked for; and, as a part of the
 * first, those in which the device's driver compiled kernels, which it does once. (It may compile
 * more when a kernel is first launched; that is not known.) */
HOP_API double hop_report_seconds(const hop_report *report);
HOP_API double hop_report_certify_seconds(const hop_report *report);
HOP_API double hop_report_compile_seconds(const hop_report *report);
/* Levels, passes or iterations, as the variant counts them. */
HOP_API uint64_t hop_report_rounds(const hop_report *report);
/* Arcs looked at; 0: nobody counts them, as on most devices. */
HOP_API uint64_t hop_report_relaxations(const hop_report *report);
/* Phases in the order in which they began first; counters; and the steps that are kept, in the
 * order of time. NULL when out of range. */
HOP_API size_t hop_report_phase_count(const hop_report *report);
HOP_API const hop_phase *hop_report_phase(const hop_report *report, size_t index);
HOP_API size_t hop_report_counter_count(const hop_report *report);
HOP_API const hop_counter *hop_report_counter(const hop_report *report, size_t index);
/* Steps that there were; those beyond what the report was made for are not kept. */
HOP_API size_t hop_report_step_count(const hop_report *report);
HOP_API const hop_step *hop_report_step(const hop_report *report, size_t index);

/* The part of every problem's options that is about how, not what. */
typedef struct hop_run {
    size_t size;                 /* sizeof(hop_run), set by the initialiser */
    const char *variant;         /* NULL or "auto": the library chooses */
    const hop_setting *settings; /* the variant's parameters that differ from their defaults */
    size_t setting_count;
    hop_certify certify; /* check the result before returning; default HOP_CERTIFY_NONE */
    hop_report *report;  /* told about the run; NULL: not wanted */
    /* Only choose and count: the report has the variant, the reason and the memory, the status is
     * that of the checks before a run, and nothing is searched or written. Default false. */
    bool plan;
    size_t setting_size; /* bytes of one of the settings; 0: as parameter.h says */
} hop_run;

#define HOP_RUN_INIT                                                                               \
    { sizeof(hop_run), NULL, NULL, 0, HOP_CERTIFY_NONE, NULL, false, 0 }
HOP_API void hop_run_init(hop_run *run, size_t size);

#ifdef __cplusplus
}
#endif
#endif
