"""The banner tables of benches/banner.rs, by pandas, statsmodels and scipy: the same data, tables and tests.

Counts come from one grouping per question and banner question, whose keys are categorical, which is the fast way
in pandas. Means and standard deviations come from the counts. The time is that of tables and tests alone.
"""

import itertools
import json
import resource
import sys
import time

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.proportion import proportions_ztest

ROWS, QUESTIONS = int(sys.argv[1]), int(sys.argv[2])
BANNER = [2, 6, 4]
ALPHA, STRICT_ALPHA = 0.05, 0.01


def chance(column):
    """A number from 0 to 1 for each respondent, by splitmix64."""
    with np.errstate(over="ignore"):
        x = np.arange(ROWS, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        x += np.uint64((column * 0xD1B54A32D192ED03) % 2**64)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
    return (x >> np.uint64(11)).astype(np.float64) * 2.0**-53


def data():
    frame = {"weight": 0.5 + chance(0)}
    segments = []
    for number, points in enumerate(BANNER):
        segment = np.floor(chance(1 + number) * points).astype(np.int64)
        segments.append(segment)
        frame[f"b{number}"] = pd.Categorical.from_codes(segment.astype(np.int8), categories=range(points))
    for number in range(QUESTIONS):
        points = 5 + number % 3
        shift = 0.002 * (number % 5) * segments[number % 3].astype(np.float64)
        at = np.minimum(chance(100 + 2 * number) * 0.98 + shift, 0.999999)
        code = np.floor(at * points).astype(np.int8)
        code[chance(101 + 2 * number) < 0.03] = -1
        frame[f"q{number}"] = pd.Categorical.from_codes(code, categories=range(points))
    return pd.DataFrame(frame)


def letters_of(pairs, columns):
    cells = [""] * columns
    for (one, other), difference, p in sorted(pairs, key=lambda pair: pair[0][0] if pair[1] < 0 else pair[0][1]):
        if p < ALPHA:
            higher, lower = (one, other) if difference > 0 else (other, one)
            letter = chr(ord("A") + lower - 1)
            cells[higher] += letter if p < STRICT_ALPHA else letter.lower()
    return cells


def table(frame, question):
    points = len(frame[question].cat.categories)
    scores = np.arange(1, points + 1)
    sums = []  # for each column: answers x (respondents, weight, squares)
    groups = []
    for number, columns in enumerate(BANNER):
        counted = frame.groupby([f"b{number}", question], observed=False)[["one", "weight", "squares"]].sum()
        counted = counted.to_numpy().reshape(columns, points, 3)
        if number == 0:
            sums.append(counted.sum(axis=0))
        groups.append(range(len(sums), len(sums) + columns))
        sums.extend(counted)
    sums = np.array(sums)
    bases = sums.sum(axis=1)
    effective = bases[:, 1] ** 2 / bases[:, 2]
    shares = sums[:, :, 1] / bases[:, 1:2]
    mean = (shares * scores).sum(axis=1)
    spread = (sums[:, :, 1] * (scores - mean[:, None]) ** 2).sum(axis=1)
    deviation = np.sqrt(spread / (bases[:, 1] - 1))
    t_deviation = np.sqrt(spread / bases[:, 1] * effective / (effective - 1))
    letters = []
    boxes = [shares[:, -2:].sum(axis=1), shares[:, :2].sum(axis=1)]
    for share in [*shares.T, *boxes]:
        pairs = []
        for group in groups:
            for one, other in itertools.combinations(group, 2):
                size = effective[[one, other]]
                _, p = proportions_ztest(share[[one, other]] * size, size)
                pairs.append(((one, other), share[one] - share[other], p))
        letters.append(letters_of(pairs, len(mean)))
    pairs = []
    for group in groups:
        for one, other in itertools.combinations(group, 2):
            p = stats.ttest_ind_from_stats(
                mean[one], t_deviation[one], effective[one],
                mean[other], t_deviation[other], effective[other], equal_var=False,
            ).pvalue
            pairs.append(((one, other), mean[one] - mean[other], p))
    letters.append(letters_of(pairs, len(mean)))
    return {
        "base": bases[:, 0].tolist(), "weighted": bases[:, 1].tolist(), "effective": effective.tolist(),
        "rows": [*shares.T.tolist(), *(box.tolist() for box in boxes), mean.tolist()],
        "letters": letters, "deviation": deviation.tolist(),
    }


frame = data()
seconds = []
for _ in range(2):
    start = time.perf_counter()
    frame["one"] = 1.0
    frame["squares"] = frame["weight"] ** 2
    tables = [table(frame, f"q{number}") for number in range(QUESTIONS)]
    seconds.append(time.perf_counter() - start)
json.dump({"seconds": min(seconds), "peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "tables": tables}, sys.stdout)
