/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of measured times. Everything agrees with NumPy and SciPy to 1e-12; the tests compare.
 */
#ifndef HOPLITE_CLI_BENCH_STATISTICS_H
#define HOPLITE_CLI_BENCH_STATISTICS_H

#include <stddef.h>

typedef struct statistics {
    size_t count;
    double minimum, q1, median, q3; /* quartiles by linear interpolation (type 7) */
    double mean, deviation;         /* with count - 1; NAN for one value */
    double low, high;               /* 95 % interval of the mean by Student's t; NAN for one */
} statistics;

/* Sorts `values`. All are NAN when there are none. */
statistics statistics_of(double *values, size_t count);

/* The t with P(T > t) = tail for Student's distribution; 0 < tail < 0.5. */
double student_quantile(double tail, double freedom);

typedef struct interval {
    double low, high;
} interval;

/* The 95 % interval of the median by order statistics: whatever the distribution, the median is
 * outside with a probability of 5 % at most. Sorts `values`. Infinite with fewer than six. */
interval median_interval(double *values, size_t count);

/* The two-sided p of Mann and Whitney's test that two samples are from one distribution. Exact
 * without ties and up to 64 values each; else normal, corrected for ties and continuity. Sorts
 * both. 1 when one is empty. */
double mann_whitney(double *a, size_t a_count, double *b, size_t b_count);

#endif
