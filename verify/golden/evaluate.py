"""Writes src/predictors/fixtures/evaluate.json: 95% percentile intervals by scipy.stats.bootstrap, and a Wilson interval.

    python verify/golden/evaluate.py

Rows come from the generator of metrics.py. Metrics that SciPy and scikit-learn lack are written by their definitions.
Every resample has all rows, also of the larger table, for which ours draws fewer or only those that matter."""
import json
import warnings
from pathlib import Path

import numpy as np
import scipy
from scipy import stats
from sklearn.metrics import r2_score

warnings.filterwarnings("ignore")

# truth = (offset + draw % levels) / divisor; prediction = truth + (draw % noise - shift) / divisor
CASES = {
    "small": dict(seed=11, rows=300, levels=90_001, offset=10_000, noise=40_009, shift=18_000, divisor=1000,
                  resamples=20_000),
    "large": dict(seed=12, rows=20_000, levels=9_001, offset=10_000, noise=6_007, shift=3_000, divisor=1000,
                  resamples=3_000),
}


def rows_of(case):
    state, p, t = case["seed"], [], []
    for _ in range(case["rows"]):
        state = (state * 1664525 + 1013904223) % 2**32
        truth = case["offset"] + (state >> 8) % case["levels"]
        state = (state * 1664525 + 1013904223) % 2**32
        t.append(truth)
        p.append(truth + (state >> 8) % case["noise"] - case["shift"])
    return np.array(p) / case["divisor"], np.array(t) / case["divisor"]


def best(p, k):
    """Ties are broken by chance of the order, which is random in a resample."""
    return np.argsort(-p, kind="stable")[:k]


def ndcg(p, t, k=10):
    gains = 2 ** (20 * (t - t.min()) / (t.max() - t.min())) - 1
    discounts = 1 / np.log2(np.arange(k) + 2)
    return (gains[best(p, k)] * discounts).sum() / (np.sort(gains)[::-1][:k] * discounts).sum()


METRICS = {
    "tau-b": lambda p, t: stats.kendalltau(p, t).statistic,
    "spearman": lambda p, t: stats.spearmanr(p, t).statistic,
    "pearson": lambda p, t: np.corrcoef(p, t)[0, 1],
    "ndcg@10": ndcg,
    "precision@10": lambda p, t: (t[best(p, 10)] >= np.sort(t)[-10]).mean(),
    "regret@1": lambda p, t: t.max() - t[best(p, 1)].max(),
    "mape": lambda p, t: np.mean(np.abs(p - t) / t),
    "acc@0.1": lambda p, t: np.mean(np.abs(p - t) / t <= 0.1),
    "acc@0.05": lambda p, t: np.mean(np.abs(p - t) / t <= 0.05),
    "mae": lambda p, t: np.mean(np.abs(p - t)),
    "rmse": lambda p, t: np.sqrt(np.mean((p - t) ** 2)),
    "r2": lambda p, t: r2_score(t, p),
}


def intervals(case):
    p, t = rows_of(case)
    found = {}
    for name, metric in METRICS.items():
        # The slow ones of many rows: fewer resamples, their ends are known a little less well.
        resamples = 1000 if case["rows"] > 1000 and name in ("tau-b", "spearman") else case["resamples"]
        ci = stats.bootstrap((p, t), metric, paired=True, vectorized=False, method="percentile", confidence_level=0.95,
                             n_resamples=resamples, random_state=np.random.default_rng(1), batch=1)
        found[name] = [float(metric(p, t)), float(ci.confidence_interval.low), float(ci.confidence_interval.high)]
    return found


fixture = {
    "made by": f"verify/golden/evaluate.py, SciPy {scipy.__version__}",
    "cases": {name: {**case, "metrics": intervals(case)} for name, case in CASES.items()},
    "wilson": [[inside, rows, *map(float, stats.binomtest(inside, rows).proportion_ci(0.95, "wilson"))]
               for inside, rows in [(0, 5), (7, 10), (93, 100), (18_010, 20_000)]],
}
path = Path(__file__).parents[2] / "src/predictors/fixtures/evaluate.json"
path.write_text(json.dumps(fixture, indent=1) + "\n")
