/* SPDX-License-Identifier: Apache-2.0
 *
 * How many cores the rest of the machine keeps busy: what the kernel counts for all processors
 * (/proc/stat; time that a hypervisor gave to others counts as busy) without what this process
 * used. The kernel counts in steps of 10 ms, so a value is the mean of 0.1 s at least. */
#ifndef HOPLITE_CLI_FOREIGN_LOAD_H
#define HOPLITE_CLI_FOREIGN_LOAD_H

#include <stdbool.h>

typedef struct foreign_meter {
    double wall, busy, own; /* seconds, at the last sample */
    double cores;           /* of the last interval; NAN: nobody knows */
} foreign_meter;

void foreign_begin(foreign_meter *meter);
/* What happened since the last call does not count; the value stays. */
void foreign_skip(foreign_meter *meter);
/* The cores of others, as of now; costs a look at the clock where less than 0.1 s have gone by. */
double foreign_cores(foreign_meter *meter);

/* From so many on, times are marked: a quarter of a core, or 5 % of the machine if that is more. */
double foreign_limit(void);

#endif
