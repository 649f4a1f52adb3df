/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search reads of a graph whose arcs are on disk, and about how long it takes: for --explain
 * and --dry-run. The rate of the disk is measured at the moment, by a short direct read of the
 * file; what processors need for an arc, and how often arcs are read, was measured before
 * (docs/larger-than-memory.md). */
#ifndef HOPLITE_CLI_DISK_FORECAST_H
#define HOPLITE_CLI_DISK_FORECAST_H

#include "job_state.h"

typedef struct disk_forecast {
    uint64_t file_bytes; /* of the arcs, and of the weights if they are read; 0: nothing is said */
    double rate;         /* bytes per second; 0: it could not be measured */
    uint64_t probed;     /* bytes that were read for that */
    double readings[2];  /* from, to */
    double seconds[2];   /* of the disk or of the processors, whichever is more */
} disk_forecast;

/* Reads pieces of a file of so many bytes, past the page cache where that can be done, for a
 * quarter of a second at most; returns bytes per second, 0: it could not be read. */
double disk_rate(const char *path, uint64_t size, uint64_t *probed);

disk_forecast forecast_disk(const problem_job *job);

#endif
