/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of `hoplite devices --accept` share: everything that is tried on one device, and
 * the report of it. The command itself never opens a driver. Children do the work, one for each
 * graph, and leave what they find in memory that is shared with it: so a driver that crashes or
 * hangs costs a row, not the report. */
#ifndef HOPLITE_CLI_ACCEPT_H
#define HOPLITE_CLI_ACCEPT_H

#include "arguments.h"
#include "hoplite/hoplite.h"
#include "json_writer.h"
#include "litmus_rows.h"

enum { ACCEPT_ROWS = 4096, ACCEPT_TEXT = 512, ACCEPT_VARIANTS = 32 };

typedef enum accept_outcome {
    ACCEPT_OK,      /* the host's bits, and certified */
    ACCEPT_WRONG,   /* another answer than the host's */
    ACCEPT_REFUSED, /* the variant needs something that the device does not have */
    ACCEPT_FULL,    /* too little memory for this graph */
    ACCEPT_STOPPED, /* the time was over, or ^C */
    ACCEPT_FAILED,  /* an error of the driver, or another one */
    ACCEPT_CRASHED, /* the driver has ended the process */
    ACCEPT_HUNG     /* it did not come back, and was ended */
} accept_outcome;
extern const char *const accept_outcomes[];

/* One variant on one graph. */
typedef struct accept_row {
    hop_problem problem;
    char graph[64], variant[32];
    accept_outcome outcome;
    bool certified;
    uint64_t vertices, arcs;
    uint64_t input_bytes, device_bytes;
    double items;                 /* arcs, elements of a list, or steps of a triple loop */
    double seconds, host_seconds; /* NAN: not known */
    char message[ACCEPT_TEXT];
} accept_row;

/* A part of the work that can fail by itself. */
typedef struct accept_part {
    bool done; /* it came to an end */
    hop_status status;
    double seconds;
    char message[ACCEPT_TEXT];
} accept_part;

/* Graphs of one kind that grow; `ended` says why they do so no more. */
typedef struct accept_course {
    hop_problem problem;
    const char *pattern;           /* a recipe; @ is the power of two */
    const char *without;           /* a variant that these graphs are not for, or NULL */
    hop_weight_type distance_type; /* apsp */
    unsigned first, step;          /* powers; a step makes it four times as large */
    double growth;                 /* of the time, by a step */
    unsigned power;                /* the next */
    bool half;                     /* it was full, and half of that is tried */
    uint32_t dead;                 /* a bit for each variant that is not tried any more */
    const char *ended;             /* NULL: it goes on */
    char largest[64];              /* the largest graph on which a variant was right */
    double spent;                  /* seconds of the last graph */
} accept_course;

/* Shared between the command and its children. */
typedef struct accept_state {
    hop_device_info info;
    accept_part open, check, order, measure, input;
    litmus_rows litmus; /* of the order */
    hop_device_rates rates;
    uint64_t host_budget, device_budget;
    uint64_t host_bytes; /* of the last graph, with its results */
    bool host_full;      /* the last graph did not fit the host */
    size_t row_count;
    accept_row rows[ACCEPT_ROWS]; /* the row after the last is the one under way */
} accept_state;

/* The whole command, behind its options. */
typedef struct acceptance {
    const arguments *given;
    const char *device;
    double began, deadline; /* the latter INFINITY: none */
    accept_state *state;
    accept_course *courses;
    size_t course_count;
} acceptance;

/* accept_child.c, both in a child: opens the device, checks and measures it; and runs the variants
 * of a course that are not dead, from number `first` on, on one graph. Return when there is
 * nothing more to do, or nothing more is possible in this process. */
void accept_device(acceptance *all);
void accept_graph(acceptance *all, const accept_course *course, const char *word, size_t first);

/* accept_report.c: the report as JSON, and for people; the exit code that it means. */
void accept_json(const acceptance *all, FILE *file);
void accept_text(const acceptance *all, FILE *file);
int accept_verdict(const acceptance *all);

/* accept_run.c */
int run_acceptance(const arguments *given);

/* verb_devices.c: what a device is, as members of an object. */
void device_members(json *out, const hop_device_info *info);

#endif
