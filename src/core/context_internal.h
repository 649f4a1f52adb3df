/* SPDX-License-Identifier: Apache-2.0
 * What is inside a context, and how the library reports through it. */
#ifndef HOPLITE_CORE_CONTEXT_INTERNAL_H
#define HOPLITE_CORE_CONTEXT_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/failure.h"
#include "core/tuning_constants.h"
#include "hoplite/context.h"

struct hop__pool;
struct hop__recorder;
struct hop__block_record;
struct hop__device;
struct hop_format;
struct hop__outsider;

enum { HOP__THREADS_MAX = 4096 };

struct hop_context {
    hop_context_options options; /* as given, with defaults filled in */
    struct hop__pool *pool;      /* shared with the graphs made with this context */
    unsigned team_size;          /* options.threads, or what the system allows (parallel.c) */
    bool default_threads;        /* the caller named no number: small work may have fewer */
    unsigned call_threads;       /* most for the run under way, or 0 (hop__team_for) */
    hop__failure failure;        /* the last one: its message, and what it is about */
    hop_remedy log_remedy;       /* of the message that is being logged */
    uint32_t *cycle;       /* the negative one of the last call that looked for any, or NULL */
    uint32_t cycle_length; /* (sssp/sssp_cycle.c) */
    const struct hop_format *format; /* of the last file that was read as a graph, or NULL */
    struct hop__outsider *outsider;  /* makes graphs that do not fit, or NULL (edge_source.h) */
    hop__tuning tuning;              /* what the choice of variants goes by */
    /* Progress of the phase under way (progress.h). */
    const char *phase;
    uint64_t phase_total;
    atomic_uint_fast64_t phase_done;
    atomic_bool cancelled;
    pthread_t caller; /* the only thread that calls back */
    double next_report;
    /* Phases and counters of the run under way (problem/phases.h), or NULL. */
    struct hop__recorder *recorder;
    struct hop__block_record *block_record; /* where a test looks (problem/workspace.h), or NULL */
    /* The device (device/device.h): its name as options.device, opened at the first use; closed by
     * the function that came with it, because the core knows no devices. */
    char device_name[64];
    struct hop__device *device;
    void (*device_close)(struct hop__device *device);
};

bool hop__log_wanted(const hop_context *context, hop_log_level level);
HOP_PRINTF(3, 4)
void hop__log(hop_context *context, hop_log_level level, const char *format, ...);
/* The same for a message that tells of something that options can change (detail.h). */
HOP_PRINTF(4, 5)
void hop__log_remedy(hop_context *context, hop_log_level level, hop_remedy remedy,
                     const char *format, ...);

/* "1.5 GiB": for messages. Returns `text`. */
const char *hop__size_text(uint64_t bytes, char text[16]);

#endif
