"""Prints the statistics of a CSV file as numpy, scipy and statsmodels compute them, as JSON: {name: number}.

The columns: q (1 to 5), nps (0 to 10), n (a number), m1 to m3 (1 or 0), b and c (segments 1 to 3), w (weights). Empty
cells are no answers. Weights of 0 and below, and missing ones, leave a respondent out.
"""

import itertools
import json
import sys

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint, proportions_ztest
from statsmodels.stats.weightstats import DescrStatsW, ttest_ind

data = pd.read_csv(sys.argv[1])
data = data[data.w > 0].reset_index(drop=True)
WHOLE = len(data)
found = {}


def effective(w):
    return w.sum() ** 2 / (w**2).sum()


def scaled(w):
    """Weights that add up to their effective base."""
    return w * effective(w) / w.sum()


def taylor(y, w, stacked=None):
    """The linearised variance of a weighted mean, from a regression on a constant (White's, without correction)."""
    fit = sm.WLS(y, np.ones(len(y)), weights=w).fit(cov_type="HC0")
    return float(fit.cov_params()[0, 0]) * WHOLE / (WHOLE - 1)


def taylor_difference(one, other, keys):
    """The same of the difference of two means of samples that overlap: respondents are clusters."""
    y = np.concatenate([one[0], other[0]])
    w = np.concatenate([one[1], other[1]])
    first = np.concatenate([np.ones(len(one[0])), np.zeros(len(other[0]))])
    groups = np.concatenate(keys)
    fit = sm.WLS(y, np.column_stack([first, 1 - first]), weights=w).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    contrast = np.array([1.0, -1.0])
    return float(contrast @ fit.cov_params() @ contrast) * WHOLE / (WHOLE - 1)


def sample(column, segment=None, value=None):
    chosen = data[column].notna()
    if segment:
        chosen &= data[segment] == value
    part = data[chosen]
    return part[column].to_numpy(), part.w.to_numpy(), part.index.to_numpy()


# Shares of q in {4, 5}, the mean of q, NPS.
for segment, value in [(None, None)] + [("b", one) for one in (1, 2, 3)]:
    name = f"b{value}" if value else "all"
    q, w, _ = sample("q", segment, value)
    top = (q >= 4).astype(float)
    size = effective(w)
    share = np.average(top, weights=w)
    found[f"{name}.base"] = len(q)
    found[f"{name}.weighted"] = w.sum()
    found[f"{name}.effective"] = size
    found[f"{name}.share"] = share
    low, high = proportion_confint(share * size, size, method="wilson")
    found[f"{name}.share.low"], found[f"{name}.share.high"] = low, high
    found[f"{name}.share.error"] = np.sqrt(share * (1 - share) / size)
    variance = taylor(top, w)
    found[f"{name}.share.linearised"] = np.sqrt(variance)
    reach = stats.t.ppf(0.975, WHOLE - 1) * np.sqrt(variance) / (share * (1 - share))
    found[f"{name}.share.logit.low"] = 1 / (1 + np.exp(-(np.log(share / (1 - share)) - reach)))
    found[f"{name}.share.logit.high"] = 1 / (1 + np.exp(-(np.log(share / (1 - share)) + reach)))

    described = DescrStatsW(q, weights=w, ddof=1)
    found[f"{name}.mean"] = described.mean
    found[f"{name}.sd"] = described.std
    found[f"{name}.median"] = DescrStatsW(q, weights=w).quantile(0.5, return_pandas=False)[0]
    by_base = DescrStatsW(q, weights=scaled(w))
    found[f"{name}.mean.error"] = by_base.std_mean
    low, high = by_base.tconfint_mean()
    found[f"{name}.mean.low"], found[f"{name}.mean.high"] = low, high
    found[f"{name}.mean.linearised"] = np.sqrt(taylor(q, w))

    nps, w, _ = sample("nps", segment, value)
    score = (nps >= 9).astype(float) - (nps <= 6)
    found[f"{name}.nps"] = np.average(score, weights=w)
    found[f"{name}.nps.error"] = np.sqrt(np.cov(score, aweights=w, ddof=0) / effective(w))
    n, w, _ = sample("n", segment, value)
    found[f"{name}.n.mean"] = np.average(n, weights=w)
    found[f"{name}.n.sd"] = DescrStatsW(n, weights=w, ddof=1).std
    found[f"{name}.n.median"] = DescrStatsW(n, weights=w).quantile(0.5, return_pandas=False)[0]

# Pairs of segments without a common respondent, as a banner has them.
raw = []
for one, other in itertools.combinations((1, 2, 3), 2):
    name = f"b{one}-b{other}"
    (q1, w1, k1), (q2, w2, k2) = sample("q", "b", one), sample("q", "b", other)
    top1, top2 = (q1 >= 4).astype(float), (q2 >= 4).astype(float)
    sizes = np.array([effective(w1), effective(w2)])
    shares = np.array([np.average(top1, weights=w1), np.average(top2, weights=w2)])
    p = proportions_ztest(shares * sizes, sizes)[1]
    raw.append(p)
    found[f"{name}.share.p"] = p
    bases = np.array([len(q1), len(q2)])
    found[f"{name}.share.unweighted.p"] = proportions_ztest(shares * bases, bases)[1]
    variance = taylor(top1, w1) + taylor(top2, w2)
    found[f"{name}.share.linearised.p"] = 2 * stats.norm.sf(abs(shares[0] - shares[1]) / np.sqrt(variance))
    t, p, df = ttest_ind(q1, q2, usevar="unequal", weights=(scaled(w1), scaled(w2)))
    found[f"{name}.mean.p"] = p
    error = (np.average(q1, weights=w1) - np.average(q2, weights=w2)) / t
    found[f"{name}.mean.error"] = error
    found[f"{name}.mean.high"] = t * error + stats.t.ppf(0.975, df) * error
    variance = taylor(q1, w1) + taylor(q2, w2)
    t = (np.average(q1, weights=w1) - np.average(q2, weights=w2)) / np.sqrt(variance)
    found[f"{name}.mean.linearised.p"] = 2 * stats.t.sf(abs(t), len(q1) + len(q2) - 2)
for method, name in [("holm", "holm"), ("fdr_bh", "benjamini_hochberg")]:
    found.update({f"{name}.{at}": p for at, p in enumerate(multipletests(raw, method=method)[1])})

# Segments that overlap: b = 1 and c = 1.
(q1, w1, k1), (q2, w2, k2) = sample("q", "b", 1), sample("q", "c", 1)
variance = taylor_difference(((q1 >= 4).astype(float), w1), ((q2 >= 4).astype(float), w2), (k1, k2))
found["overlap.share.linearised"] = np.sqrt(variance)
found["overlap.mean.linearised"] = np.sqrt(taylor_difference((q1, w1), (q2, w2), (k1, k2)))
both, at1, at2 = np.intersect1d(k1, k2, return_indices=True)
top1, top2, top12 = (q1 >= 4).astype(float), (q2 >= 4).astype(float), (q1[at1] >= 4).astype(float)
shares = [np.average(top1, weights=w1), np.average(top2, weights=w2), np.average(top12, weights=w1[at1])]
n1, n2, n12 = effective(w1), effective(w2), effective(w1[at1])
pooled = (n1 * shares[0] + n2 * shares[1] - n12 * shares[2]) / (n1 + n2 - n12)
common = (w1[at1] ** 2).sum() / (w1.sum() * w2.sum())
z = (shares[0] - shares[1]) / np.sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n2 - 2 * common))
found["overlap.share.p"] = 2 * stats.norm.sf(abs(z))

# Two answers of the same respondents: q = 5 against q = 1; two columns of a set; two numbers as pairs.
q, w, _ = sample("q")
score = (q == 5).astype(float) - (q == 1)
error = np.sqrt(np.cov(score, aweights=w, ddof=0) / effective(w))
found["answers.error"] = error
found["answers.p"] = 2 * stats.norm.sf(abs(np.average(score, weights=w)) / error)
answered = data[data[["m1", "m2", "m3"]].notna().any(axis=1)]
m = (answered[["m1", "m2", "m3"]] == 1).to_numpy().astype(float)
w = answered.w.to_numpy()
found["m.base"] = len(m)
found["m.share"] = np.average(m[:, 0], weights=w)
found["m.any"] = np.average(m[:, :2].max(axis=1), weights=w)
score = m[:, 0] - m[:, 1]
error = np.sqrt(np.cov(score, aweights=w, ddof=0) / effective(w))
found["columns.error"] = error
found["columns.p"] = 2 * stats.norm.sf(abs(np.average(score, weights=w)) / error)
pairs = data[data.n2.notna()]
_, found["pairs.p"], _ = DescrStatsW((pairs.n1 - pairs.n2).to_numpy(), weights=scaled(pairs.w.to_numpy())).ttest_mean(0)

# Chi-square of q by b and of nps by b, which has empty cells, from each respondent.
for row in ("q", "nps"):
    both = data[data[row].notna() & data.b.notna()]
    w, n = both.w.to_numpy(), len(both)
    table = pd.crosstab(both[row], both.b, values=both.w, aggfunc="sum").fillna(0.0).to_numpy()
    found[f"{row}.chi_square"] = stats.chi2_contingency(table / table.sum() * n, correction=False).statistic
    found[f"{row}.effective.p"] = stats.chi2_contingency(
        table / table.sum() * effective(w), correction=False
    ).pvalue
    rows, columns = table.shape
    at = np.searchsorted(np.unique(both[row]), both[row]) * columns + np.searchsorted(np.unique(both.b), both.b)
    y = np.eye(rows * columns)[at]
    p = np.average(y, axis=0, weights=w)
    scores = w[:, None] * (y - p) / w.sum()
    v = n / (n - 1) * scores.T @ scores
    inverse = np.diag(np.divide(1, p, out=np.zeros_like(p), where=p > 0))
    row_effects = np.repeat(np.eye(rows), columns, axis=0)
    column_effects = np.tile(np.eye(columns), (rows, 1))
    main = np.column_stack([row_effects, column_effects])
    u, s, _ = np.linalg.svd(main)
    c = u[:, (s > 1e-9).sum() :]
    delta = np.linalg.solve(c.T @ inverse @ c / n, c.T @ inverse @ v @ inverse @ c)
    f = found[f"{row}.chi_square"] / np.trace(delta)
    degrees = np.trace(delta) ** 2 / np.trace(delta @ delta)
    found[f"{row}.f"], found[f"{row}.degrees"] = f, degrees
    found[f"{row}.p"] = stats.f.sf(f, degrees, degrees * (n - 1))

# Tails and quantiles, as "what degrees degrees_below at".
for df in (1, 2, 5.5, 30, 100, 1000, 2419, 1e4, 1e5, 1e6, 1e7):
    for t in (0.1, 0.5, 1, 1.96, 3, 5, 8, 12, 20):
        found[f"t {df} 0 {t}"] = 2 * stats.t.sf(t, df)
    for p in (0.9, 0.95, 0.975, 0.995, 0.9995):
        found[f"t_quantile {df} 0 {p}"] = stats.t.ppf(p, df)
for z in (0.01, 0.1, 0.5, 1, 1.96, 3, 5, 8, 12, 20, 30, 37):
    found[f"normal 0 0 {z}"] = 2 * stats.norm.sf(z)
for p in (0.3, 0.9, 0.95, 0.975, 0.995, 0.9995, 1e-5):
    found[f"normal_quantile 0 0 {p}"] = stats.norm.ppf(p)
for df in (1, 2, 4, 12, 16, 100, 600):
    for x in (0.01, 0.5, 1, 2, 5, 10, 50, 227, 500, 1000):
        found[f"chi_square {df} 0 {x}"] = stats.chi2.sf(x, df)
for degrees in (0.9, 1, 4, 11.99, 16, 100):
    # Not beyond: at 120 million degrees scipy itself is off by 3e-9, as mpmath says.
    for below in (3, 30, 1000, 9679.6, 38699, 1e6, 1e7):
        for x in (0.01, 0.5, 1, 1.5, 3, 8, 18.66, 40):
            found[f"f {degrees} {below} {x}"] = stats.f.sf(x, degrees, below)

json.dump({name: float(value) for name, value in found.items()}, sys.stdout)
