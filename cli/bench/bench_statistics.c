/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of measured times: see bench_statistics.h.
 *
 * Student's quantile is found from the incomplete beta function (its continued fraction, by Lentz's
 * method) by bisection. All of it in long double, so that the result is right in every digit of a
 * double. */
#include "bench/bench_statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "complaint.h"

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value at `share` of the way through sorted values. */
static double quantile(const double *sorted, size_t count, double share) {
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    double part = place - (double)below;
    if (below + 1 >= count)
        return sorted[count - 1];
    /* NumPy's form, whose rounding is that of its default method. */
    double step = sorted[below + 1] - sorted[below];
    return part < 0.5 ? sorted[below] + step * part : sorted[below + 1] - step * (1 - part);
}

statistics statistics_of(double *values, size_t count) {
    statistics s = {count, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (count == 0)
        return s;
    qsort(values, count, sizeof *values, ascending);
    s.minimum = values[0];
    s.q1 = quantile(values, count, 0.25);
    s.median = quantile(values, count, 0.5);
    s.q3 = quantile(values, count, 0.75);
    long double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += (long double)values[i];
    long double mean = sum / (long double)count;
    for (size_t i = 0; i < count; i++)
        squares += ((long double)values[i] - mean) * ((long double)values[i] - mean);
    s.mean = (double)mean;
    if (count == 1)
        return s;
    long double deviation = sqrtl(squares / (long double)(count - 1));
    long double half = (long double)student_quantile(0.025, (double)(count - 1)) * deviation /
                       sqrtl((long double)count);
    s.deviation = (double)deviation;
    s.low = (double)(mean - half);
    s.high = (double)(mean + half);
    return s;
}

/* The continued fraction of the incomplete beta function; converges fast for x < (a+1)/(a+b+2). */
static long double beta_fraction(long double a, long double b, long double x) {
    const long double tiny = 1e-4000L, enough = 1e-19L;
    long double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabsl(d) < tiny ? tiny : d);
    long double result = d;
    for (int i = 1; i < 100000; i++) {
        long double m = i,
                    numerator[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                                    -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
        long double change = 1;
        for (int half = 0; half < 2; half++) {
            d = 1 + numerator[half] * d;
            c = 1 + numerator[half] / c;
            d = 1 / (fabsl(d) < tiny ? tiny : d);
            c = fabsl(c) < tiny ? tiny : c;
            change = c * d;
            result *= change;
        }
        if (fabsl(change - 1) < enough)
            break;
    }
    return result;
}

/* The regularised incomplete beta function of x, and 1 - x given apart so that nothing is lost. */
static long double beta_part(long double a, long double b, long double x, long double rest) {
    if (x <= 0 || rest <= 0)
        return x <= 0 ? 0 : 1;
    long double front =
        expl(lgammal(a + b) - lgammal(a) - lgammal(b) + a * logl(x) + b * logl(rest));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, rest) / b;
}

/* P(T > t). */
static long double student_tail(long double t, long double freedom) {
    long double square = t * t, all = freedom + square;
    return beta_part(freedom / 2, 0.5L, freedom / all, square / all) / 2;
}

double student_quantile(double tail, double freedom) {
    long double low = 0, high = 1;
    while (student_tail(high, (long double)freedom) > (long double)tail)
        high *= 2;
    for (int i = 0; i < 128; i++) {
        long double middle = (low + high) / 2;
        if (middle == low || middle == high)
            break;
        if (student_tail(middle, (long double)freedom) > (long double)tail)
            low = middle;
        else
            high = middle;
    }
    return (double)high;
}

/* The k-th smallest and the k-th largest, k as large as P(fewer than k of the values are below the
 * median) <= 2.5 % allows: a binomial distribution of n and 1/2. */
interval median_interval(double *values, size_t count) {
    interval all = {-INFINITY, INFINITY};
    long double way = 1, sum = 0, half = powl(0.5L, (long double)count);
    size_t k = 0;
    for (; k < count; k++) {
        sum += way * half; /* P(exactly k below) */
        if (sum > 0.025L)
            break;
        way = way * (long double)(count - k) / (long double)(k + 1);
    }
    if (k == 0)
        return all;
    qsort(values, count, sizeof *values, ascending);
    return (interval){values[k - 1], values[count - k]};
}

enum { EXACT_MOST = 64 };

/* Of all ways in which `a` values can stand among `b` others, the share with a rank sum statistic
 * of at least `least`. ways[u] counts those with statistic u: they are the coefficients of the
 * Gaussian binomial, multiplied up one factor (1 - q^(b+i)) / (1 - q^i) at a time. */
static double exact_tail(size_t a, size_t b, size_t least) {
    size_t top = a * b;
    long double *ways = need_memory(NULL, top + 1, sizeof *ways), all = 0, tail = 0;
    for (size_t u = 0; u <= top; u++)
        ways[u] = u == 0;
    for (size_t i = 1; i <= a; i++) {
        for (size_t u = top; u >= b + i && u <= top; u--)
            ways[u] -= ways[u - b - i];
        for (size_t u = i; u <= top; u++)
            ways[u] += ways[u - i];
    }
    for (size_t u = 0; u <= top; u++) {
        all += ways[u];
        if (u >= least)
            tail += ways[u];
    }
    free(ways);
    return (double)(tail / all);
}

typedef struct rank_sum {
    double statistic; /* pairs in which the value of `a` is larger, ties for a half */
    double ties;      /* sum of t^3 - t over groups of t equal values */
} rank_sum;

static rank_sum sum_ranks(const double *a, size_t a_count, const double *b, size_t b_count) {
    rank_sum sum = {0, 0};
    size_t i = 0, j = 0;
    while (i < a_count || j < b_count) {
        double value = j == b_count || (i < a_count && a[i] < b[j]) ? a[i] : b[j];
        size_t before = j, equal_a = 0, equal_b = 0;
        for (; i < a_count && a[i] == value; i++)
            equal_a++;
        for (; j < b_count && b[j] == value; j++)
            equal_b++;
        sum.statistic += (double)equal_a * ((double)before + (double)equal_b / 2);
        double equal = (double)(equal_a + equal_b);
        sum.ties += equal * equal * equal - equal;
    }
    return sum;
}

double mann_whitney(double *a, size_t a_count, double *b, size_t b_count) {
    if (a_count == 0 || b_count == 0)
        return 1;
    qsort(a, a_count, sizeof *a, ascending);
    qsort(b, b_count, sizeof *b, ascending);
    rank_sum sum = sum_ranks(a, a_count, b, b_count);
    double pairs = (double)a_count * (double)b_count, all = (double)(a_count + b_count);
    double larger = sum.statistic > pairs - sum.statistic ? sum.statistic : pairs - sum.statistic;
    double p;
    if (sum.ties == 0 && a_count <= EXACT_MOST && b_count <= EXACT_MOST) {
        p = 2 * exact_tail(a_count, b_count, (size_t)larger);
    } else {
        double spread = sqrt(pairs / 12 * (all + 1 - sum.ties / (all * (all - 1))));
        if (!(spread > 0))
            return 1;
        p = erfc((larger - pairs / 2 - 0.5) / spread / sqrt(2));
    }
    return p < 1 ? p : 1;
}
