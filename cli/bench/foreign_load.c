/* SPDX-License-Identifier: Apache-2.0
 *
 * What others do on this machine: see foreign_load.h. */
#include "bench/foreign_load.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "number_text.h"

static const double interval = 0.1; /* seconds */

/* Seconds of all processors that were not idle, since the machine started; NAN: not told. */
static double busy_seconds(void) {
    unsigned long long user, nice, system, idle, waiting, interrupts, soft, stolen;
    FILE *file = fopen("/proc/stat", "r");
    long ticks = sysconf(_SC_CLK_TCK);
    int found = file == NULL ? 0
                             : fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user,
                                      &nice, &system, &idle, &waiting, &interrupts, &soft, &stolen);
    if (file != NULL)
        fclose(file);
    if (found != 8 || ticks <= 0)
        return NAN;
    return (double)(user + nice + system + interrupts + soft + stolen) / (double)ticks;
}

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static double own_seconds(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return NAN;
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

void foreign_skip(foreign_meter *meter) {
    meter->wall = clock_seconds();
    meter->busy = busy_seconds();
    meter->own = own_seconds();
}

void foreign_begin(foreign_meter *meter) {
    foreign_skip(meter);
    meter->cores = NAN;
}

double foreign_cores(foreign_meter *meter) {
    if (clock_seconds() < meter->wall + interval)
        return meter->cores;
    foreign_meter before = *meter;
    foreign_skip(meter);
    double others = (meter->busy - before.busy) - (meter->own - before.own);
    meter->cores = others > 0 ? others / (meter->wall - before.wall) : isnan(others) ? NAN : 0;
    return meter->cores;
}

double foreign_limit(void) {
    double share = 0.05 * (double)sysconf(_SC_NPROCESSORS_ONLN);
    return share > 0.25 ? share : 0.25;
}
