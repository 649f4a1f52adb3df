# SPDX-License-Identifier: Apache-2.0
"""The statistics of the experiments against SciPy and NumPy, to 1e-12."""

import numpy as np
import pytest
import scipy.stats
from experiments_testing import ROOT  # noqa: F401 (makes the package importable)
from hoplite_bench.row_summary import ratio_interval, student_quantile, summarise

CLOSE = 1e-12


def samples():
    rng = np.random.default_rng(7)
    for count in [2, 3, 4, 5, 9, 10, 20, 57, 100, 1000]:
        for _ in range(5):
            scale = 10.0 ** rng.uniform(-7, 3)
            yield scale * rng.lognormal(0, rng.uniform(0.001, 1.5), count)
    yield np.array([1e-3, 1e-3, 1e-3])
    yield np.array([5.0, 5.0 * (1 + 1e-9)])


@pytest.mark.parametrize("values", list(samples()), ids=lambda values: f"{len(values)}")
def test_summary_agrees_with_scipy(values):
    ours = summarise(values.tolist())
    near = pytest.approx
    assert ours.count == len(values)
    assert ours.median == near(np.median(values), rel=CLOSE)
    assert ours.lower == near(scipy.stats.scoreatpercentile(values, 25), rel=CLOSE)
    assert ours.upper == near(np.quantile(values, 0.75), rel=CLOSE)
    assert ours.mean == near(scipy.stats.tmean(values), rel=CLOSE)
    # The deviation of nearly equal values keeps fewer digits: those of the values' own rounding.
    noise = np.finfo(float).eps * abs(values).max() * 4
    assert ours.deviation == near(scipy.stats.tstd(values), rel=CLOSE, abs=noise)
    error = scipy.stats.sem(values)
    if error > noise:
        low, high = scipy.stats.t.interval(0.95, len(values) - 1, values.mean(), error)
        assert ours.mean - ours.margin == near(low, rel=CLOSE, abs=noise * 20)
        assert ours.mean + ours.margin == near(high, rel=CLOSE, abs=noise * 20)


@pytest.mark.parametrize("freedom", [1, 1.7, 2, 3, 5, 8.25, 19, 39.9, 40.1, 99, 1e3, 1e5])
def test_student_quantile(freedom):
    for share in (0.75, 0.9, 0.975, 0.995, 0.9999):
        assert student_quantile(share, freedom) == pytest.approx(
            scipy.stats.t.ppf(share, freedom), rel=CLOSE)


def test_ratio_interval_is_welch_on_logarithms():
    rng = np.random.default_rng(3)
    for a, b in [(5, 5), (2, 30), (15, 7), (100, 100)]:
        above = rng.lognormal(0.2, 0.3, a)
        below = rng.lognormal(0.0, 0.1, b)
        test = scipy.stats.ttest_ind(np.log(above), np.log(below), equal_var=False)
        interval = test.confidence_interval(0.95)
        low, ratio, high = ratio_interval(above.tolist(), below.tolist())
        assert low == pytest.approx(np.exp(interval.low), rel=CLOSE)
        assert high == pytest.approx(np.exp(interval.high), rel=CLOSE)
        assert ratio == pytest.approx(scipy.stats.gmean(above) / scipy.stats.gmean(below),
                                      rel=CLOSE)


def test_one_value_has_no_interval():
    summary = summarise([2.5])
    assert (summary.median, summary.deviation, summary.margin) == (2.5, 0.0, float("inf"))
    with pytest.raises(ValueError):
        summarise([])
