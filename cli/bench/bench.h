/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of `hoplite bench` share. One command is a bench; it has contenders (a variant
 * with settings at a number of threads), which run on one input after the other. docs/bench.md
 * says what is measured and how; the rows that are written are described there. */
#ifndef HOPLITE_CLI_BENCH_H
#define HOPLITE_CLI_BENCH_H

#include "bench/bench_rows.h"
#include "bench/bench_statistics.h"
#include "bench/foreign_load.h"
#include "graph_file.h"
#include "recipe.h"

enum { MOST_THREAD_COUNTS = 16, MOST_STEPS = 4096 };

/* A list or a graph, and what the runs on it need. */
typedef struct bench_input {
    const char *word; /* as on the command line */
    hop_graph *graph; /* NULL: a list */
    hop_graph_info info;
    hop_vertex elements; /* of a list; the vertices of a graph */
    opened_list list;
    uint64_t hash;
    double load_seconds, prepare_seconds;
    uint64_t memory_bytes;
    hop_vertex *sources; /* bfs and sssp; else one that means nothing */
    size_t source_count;
} bench_input;

/* Where variants run. */
typedef struct bench_device {
    char name[24]; /* "cpu": the host */
    bool is_host;
    hop_device_info info; /* of one that is not */
    hop_context *context; /* for the input under way; the host has one for each thread count */
} bench_device;

/* A variant as it was asked for, at one place. */
typedef struct bench_variant {
    const char *name;       /* or "auto" */
    const hop_variant *row; /* NULL: auto */
    hop_place place;
    hop_setting *settings;
    size_t setting_count;
    char *words;       /* what the settings point into */
    const char *label; /* the word, such as "persistent:chunk=4" */
} bench_variant;

/* How a run ended. */
typedef enum outcome { RUN_OK, RUN_WRONG, RUN_STOPPED, RUN_REFUSED, RUN_FAILED } outcome;
extern const char *const outcome_names[];

/* One run, as its row tells it. */
typedef struct bench_run {
    bool warmup;
    bool apart; /* neither measured nor a row, unless its result is wrong */
    size_t repetition, order, source;
    outcome outcome;
    char message[512];
    double seconds, call_seconds, check_seconds, certify_seconds;
    uint64_t hash, peak_bytes;
    double load;
    double foreign;           /* cores that others kept busy meanwhile; NAN: nobody knows */
    const hop_report *report; /* that of the bench; NULL: nothing ran */
} bench_run;

/* A variant at a number of threads, or on a device. What follows `context` is about the input under
 * way. */
typedef struct contender {
    const bench_variant *variant;
    const bench_device *device;
    unsigned threads; /* on a device: those of the host beside it */
    hop_context *context;
    bool active;       /* takes part in the rounds */
    outcome outcome;   /* of the last run that was not ok, else RUN_OK */
    char message[512]; /* why it does not take part any more */
    double spent;      /* seconds of calls so far */
    double measured;   /* seconds of the measured runs, and those that only copied */
    double copied;
    double foreign_sum; /* of the cores that others kept busy, over the runs where it is known */
    size_t foreign_runs;
    double *proofs;     /* of each source: seconds of the certificate; NAN before it */
    double *values;     /* of the complete repetitions: the means of their sources */
    double *sums;       /* of each repetition, over its sources */
    size_t *counts;     /* sources that are done, of each repetition */
    size_t value_count; /* repetitions that are complete: values[0 .. value_count-1] */
    const hop_variant *ran;
    statistics times;
} contender;

typedef struct bench {
    session *work;
    const arguments *given;
    hop_problem problem;
    bench_variant *variants;
    size_t variant_count;
    unsigned thread_counts[MOST_THREAD_COUNTS];
    size_t thread_count;
    bench_device *devices;
    size_t device_count;
    contender *contenders;
    size_t contender_count;
    size_t warmup, repeat, wanted_sources;
    size_t outside;                /* contenders of somebody else */
    hop_weight_type distance_type; /* apsp; HOP_TYPE_NONE: the default */
    uint64_t seed;
    double time_limit;
    bool certify_each, steps;
    row_file rows;
    /* The input under way. */
    bench_input *input;
    hop_context *contexts[MOST_THREAD_COUNTS];
    double deadline; /* of the run under way */
    void *arrays[2]; /* results: levels and parents, distances and parents, ranks, ... */
    size_t array_bytes[2];
    hop_vertex components;
    uint64_t *reference;                    /* the right hash for each source */
    bool *referenced;                       /* it is known */
    const bench_variant *reference_variant; /* who found it */
    bench_variant own_reference;            /* the reference, when it is no contender */
    hop_report *report; /* of the run under way; with --steps it keeps MOST_STEPS of them */
    size_t runs_done, runs_planned;
    foreign_meter foreign;
    /* Of the rounds, not of the warm-up; without the turns of those outside. */
    double call_total, check_total, rounds_seconds, outside_seconds;
} bench;

/* bench_input.c */
int input_open(bench *all, const char *word, bench_input *input);
void input_close(bench_input *input);

/* bench_run.c */
/* Result arrays for the input under way, and what every run needs beside them. */
int runs_prepare(bench *all);
void runs_release(bench *all);
/* A context that stops at the deadline of the run under way. `device` NULL: the host. */
int context_make(bench *all, unsigned threads, const char *device, uint64_t budget,
                 hop_context **context);
/* One run of a contender: its result is checked and its row written. Returns an exit code; what
 * only ends the contender is CODE_OK. */
int run_once(bench *all, contender *each, bench_run *run);
/* The row of a run that does not take place, since the contender's time is over. */
int run_stop(bench *all, contender *each, bench_run *run);
/* Of the results of sssp and apsp on the input under way. */
hop_weight_type bench_distance_type(const bench *all);
/* Whether a variant can do the input under way, by asking the library for its plan. */
bool run_possible(const bench *all, const char *variant);

/* bench_rounds.c */
/* All runs on the input under way, and their summaries. */
int bench_input_run(bench *all);
/* The contender's values become its statistics. */
void contender_summarize(const bench *all, contender *each);
/* Ready for the input under way. */
void contender_reset(const bench *all, contender *each);
void contender_free(contender *each);
/* The mean of the cores that others kept busy during its runs; NAN: nobody knows. */
double contender_foreign(const contender *each);
/* Whether that is so much that its times are marked. */
bool contender_is_busy(const contender *each);
/* From the median: millions of edges per second, or nanoseconds per element. */
double bench_rate(const bench *all, double seconds);
const char *bench_rate_unit(const bench *all);

/* bench_device.c */
/* Takes the list of devices, and sees to it that they are there. Returns an exit code. */
int devices_take(bench *all);
/* The rows that describe them. */
int rows_devices(bench *all);
/* Contexts for the input under way, each with this many bytes of the host's memory. */
int devices_prepare(bench *all, uint64_t budget);
void devices_release(bench *all);
/* Whether one of the devices is of this place. */
bool devices_at(const bench *all, hop_place place);
const bench_device *device_of_host(void);

/* bench_outside.c */
/* Whether the options go together; before anything is read. Returns an exit code. */
int outside_check(const bench *all);
/* One contender of somebody else runs on all sources; returns when it has. */
int outside_turn(bench *all, size_t who, size_t repetition);

/* bench_table.c */
void table_print(const bench *all, FILE *file);

/* bench_regret.c */
int bench_regret(bench *all, FILE *file);

/* bench_machine.c */
/* Rates of the memory; `file` is NULL with --json, which prints to standard output. */
int bench_machine(session *work, row_file *rows, const unsigned *threads, size_t thread_count,
                  size_t repeat, FILE *file);

#endif
