# SPDX-License-Identifier: Apache-2.0
"""
Statistics of repeated runs: median, quartiles, mean, deviation, 95 % confidence interval of the
mean, and the interval of a ratio of two. By hand, since this is all that is needed and the report
must not depend on SciPy; a test compares them with SciPy to 1e-12.

Quartiles interpolate between the two nearest values (NumPy's and SciPy's default). The interval is
Student's: Troendle 2019 uses 1.96 with 100 samples, which is the same thing there and too narrow
for few.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    count: int
    median: float
    lower: float    # quartile
    upper: float
    mean: float
    deviation: float  # of the sample (n - 1); 0 for one value
    margin: float     # half of the 95 % interval of the mean; infinite for one value
    least: float
    most: float


def quantile(ordered, share):
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def variance(values):
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def summarise(values):
    ordered = sorted(values)
    count = len(ordered)
    if not count:
        raise ValueError("no values to summarise")
    mean = math.fsum(ordered) / count
    deviation = math.sqrt(variance(ordered)) if count > 1 else 0.0
    margin = (student_quantile(0.975, count - 1) * deviation / math.sqrt(count)
              if count > 1 else math.inf)
    return Summary(count, quantile(ordered, 0.5), quantile(ordered, 0.25), quantile(ordered, 0.75),
                   mean, deviation, margin, ordered[0], ordered[-1])


def ratio_interval(above, below, level=0.95):
    """The interval of the ratio of two typical times, by Welch's t on their logarithms: times are
    skewed and errors are factors. Returns (low, ratio, high); infinite below two values."""
    a, b = ([math.log(value) for value in values] for values in (above, below))
    middle = math.fsum(a) / len(a) - math.fsum(b) / len(b)
    if len(a) < 2 or len(b) < 2:
        return 0.0, math.exp(middle), math.inf
    of_a, of_b = variance(a) / len(a), variance(b) / len(b)
    if of_a + of_b == 0:
        return (math.exp(middle),) * 3
    freedom = (of_a + of_b) ** 2 / (of_a ** 2 / (len(a) - 1) + of_b ** 2 / (len(b) - 1))
    margin = student_quantile(0.5 + level / 2, freedom) * math.sqrt(of_a + of_b)
    return math.exp(middle - margin), math.exp(middle), math.exp(middle + margin)


def beta_fraction(a, b, x):
    """The continued fraction of the incomplete beta function (Lentz)."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 500):
        for step in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1.0 + step * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + step / c
            c = c if abs(c) > tiny else tiny
            change = c * d
            result *= change
        if abs(change - 1.0) < 1e-16:
            break
    return result


def half_step(a):
    """log gamma(a + 1/2) - log gamma(a). For large a the difference of two large numbers would lose
    the digits that we want, so there its asymptotic series is summed."""
    if a < 20.0:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    return 0.5 * math.log(a) - 1 / (8 * a) + 1 / (192 * a ** 3) - 1 / (640 * a ** 5) + 17 / (
        14336 * a ** 7) - 31 / (18432 * a ** 9)


def student_tail(t, freedom):
    """P(T > t) for t >= 0: half of I_x(freedom / 2, 1/2) at x = freedom / (freedom + t^2)."""
    if t == 0.0:
        return 0.5
    a, b, x = freedom / 2.0, 0.5, freedom / (freedom + t * t)
    rest = t * t / (freedom + t * t)  # 1 - x, without the cancellation
    front = math.exp(half_step(a) - 0.5 * math.log(math.pi) - a * math.log1p(t * t / freedom)
                     + b * math.log(rest))
    if x < (a + 1.0) / (a + b + 2.0):
        return 0.5 * front * beta_fraction(a, b, x) / a
    return 0.5 * (1.0 - front * beta_fraction(b, a, rest) / b)


def student_density(t, freedom):
    return math.exp(half_step(freedom / 2) - (freedom + 1) / 2 * math.log1p(t * t / freedom)
                    ) / math.sqrt(freedom * math.pi)


def student_quantile(share, freedom):
    """t with P(T <= t) = share, for share > 1/2: bisection to come near, then Newton."""
    tail = 1.0 - share
    low, high = 0.0, 1.0
    while student_tail(high, freedom) > tail:
        low, high = high, high * 2
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if student_tail(middle, freedom) > tail else (low, middle)
    t = (low + high) / 2
    for _ in range(4):
        t += (student_tail(t, freedom) - tail) / student_density(t, freedom)
    return t
