"""Writes src/metrics/fixtures/metrics.json: what SciPy and scikit-learn make of rows that the tests generate again.

    python verify/golden/metrics.py

Rows come from a linear congruential generator in whole numbers, so the fixture holds only how to make them. What no
library has (tau-a, GENNAPE's Kendall, precision, regret, Acc) is written here by its definition, without any sorting
tricks. Where rows are whole numbers, Pearson's correlation and R2 are computed exactly: far from zero, the libraries
lose digits."""
import json
from decimal import Decimal, getcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import scipy
import sklearn
from scipy import stats
from sklearn import metrics

getcontext().prec = 50


class Generator:
    """state = 1664525 state + 1013904223 mod 2^32; the upper 24 bits of each state."""

    def __init__(self, seed):
        self.state = seed

    def draw(self):
        self.state = (self.state * 1664525 + 1013904223) % 2**32
        return self.state >> 8


# truth = offset + draw % levels; prediction = signal * (truth - offset) + shift + draw % noise; both divided.
CASES = {
    "two rows": dict(rows=2, levels=1000, signal=1, noise=10),
    "five rows with ties": dict(rows=5, levels=3, signal=1, noise=2),
    "thirty rows": dict(rows=30, levels=1_000_003, signal=1, noise=900_001),
    "ties on both sides": dict(rows=200, levels=7, signal=1, noise=5),
    "negative": dict(rows=1000, levels=1009, signal=-2, noise=3001, offset=500),
    "latencies": dict(rows=2000, levels=90_001, offset=1000, signal=1, shift=-4000, noise=12_007, divisors=[997, 997]),
    "accuracies": dict(rows=10_000, levels=2003, offset=90_000, signal=1, shift=89_500, noise=1511,
                       divisors=[100_000, 100_003]),
    "halves of a millionth": dict(rows=3000, levels=601, signal=1, noise=401, divisors=[2_000_000, 2_000_000]),
    "far from zero": dict(rows=1000, levels=1009, offset=10**15, signal=1, shift=10**14, noise=701),
    "large": dict(rows=100_000, levels=16_777_213, signal=1, noise=9_999_991),
    "large with ties": dict(rows=100_000, levels=5003, offset=9000, signal=1, shift=7000, noise=4001),
}
BRUTE_FORCE_ROWS = 10_000


def rows_of(case):
    """Whole truths and predictions, and both divided."""
    generator = Generator(case["seed"])
    truths, predictions = [], []
    for _ in range(case["rows"]):
        level = generator.draw() % case["levels"]
        truths.append(case["offset"] + level)
        predictions.append(case["signal"] * level + case["shift"] + generator.draw() % case["noise"])
    divided = [np.array(v, dtype=np.float64) / d for v, d in zip((predictions, truths), case["divisors"])]
    return predictions, truths, *divided


def tied_pairs(x):
    counts = np.unique(x, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def tau_a(p, t):
    pairs = len(p) * (len(p) - 1) // 2
    if len(p) > BRUTE_FORCE_ROWS:
        untied = [Decimal(pairs - tied_pairs(x)) for x in (p, t)]
        return float(Decimal(float(stats.kendalltau(p, t).statistic)) * (untied[0] * untied[1]).sqrt() / pairs)
    return sum(int((np.sign(p[i] - p[:i]) * np.sign(t[i] - t[:i])).sum()) for i in range(len(p))) / pairs


def gennape(p, t):
    p, t = np.round(p * 1e6), np.round(t * 1e6)
    agreeing = disagreeing = 0
    for i in range(len(t)):
        lower = t[i] - t >= 100
        agreeing += int((lower & (p[i] >= p)).sum())
        disagreeing += int((lower & (p[i] < p)).sum())
    counted = agreeing + disagreeing
    return float(np.round((agreeing - disagreeing) / counted, 4)) if counted else None


def pearson_exactly(p, t):
    n = len(p)
    product = lambda a, b: n * sum(x * y for x, y in zip(a, b)) - sum(a) * sum(b)
    return float(Decimal(product(p, t)) / (Decimal(product(p, p)) * Decimal(product(t, t))).sqrt())


def r2_exactly(p, t):
    n = len(p)
    residual = sum((x - y) ** 2 for x, y in zip(p, t))
    return float(1 - Fraction(n * residual, n * sum(y * y for y in t) - sum(t) ** 2))


def at_k(p, t, k):
    """None where equal predictions compete for place k: what then is chosen is no library's to say."""
    rel = 20 * (t - t.min()) / (t.max() - t.min())
    result = {
        "ndcg": metrics.ndcg_score([2**rel - 1], [p], k=k),
        "ndcg-linear": metrics.ndcg_score([rel], [p], k=k),
        "precision": None,
        "regret": None,
    }
    order = sorted(range(len(p)), key=lambda i: -p[i])
    if k == len(p) or p[order[k - 1]] != p[order[k]]:
        bound = sorted(t, reverse=True)[k - 1]
        result["precision"] = sum(t[i] >= bound for i in order[:k]) / k
        result["regret"] = max(t) - max(t[i] for i in order[:k])
    return result


def answers(case):
    whole_p, whole_t, p, t = rows_of(case)
    is_whole = case["divisors"] == [1, 1]
    values = {
        "tau-a": tau_a(p, t),
        "tau-b": stats.kendalltau(p, t).statistic,
        "tau-gennape": gennape(p, t) if len(p) <= BRUTE_FORCE_ROWS else None,
        "spearman": stats.spearmanr(p, t).statistic,
        "pearson": pearson_exactly(whole_p, whole_t) if is_whole else stats.pearsonr(p, t).statistic,
        "mae": metrics.mean_absolute_error(t, p),
        "rmse": metrics.root_mean_squared_error(t, p),
        "r2": r2_exactly(whole_p, whole_t) if is_whole else metrics.r2_score(t, p),
    }
    if t.min() > 0:
        values["mape"] = metrics.mean_absolute_percentage_error(t, p)
        for delta in (0.1, 0.05, 0.01):
            values[f"acc@{delta}"] = np.mean(np.abs(p - t) / t <= delta)
    for k in sorted({1, min(10, len(p)), len(p) // 2, len(p)}):
        for name, value in at_k(p, t, k).items():
            values[f"{name}@{k}"] = value
    return {name: float(value) for name, value in values.items() if value is not None}


def intervals(case):
    """Percentile intervals of so many resamples that chance hardly moves them."""
    *_, p, t = rows_of(case)
    statistics = {
        "tau-b": lambda x, y: stats.kendalltau(x, y).statistic,
        "mae": lambda x, y: np.abs(x - y).mean(),
    }
    result = {}
    for name, statistic in statistics.items():
        for confidence in (0.95, 0.8):
            found = stats.bootstrap((p, t), statistic, paired=True, vectorized=False, n_resamples=40_000,
                                    confidence_level=confidence, method="percentile", random_state=1)
            low, high = found.confidence_interval
            result[f"{name} {confidence}"] = [round(float(low), 5), round(float(high), 5)]
    return result


cases = []
for seed, (name, case) in enumerate(CASES.items(), 1):
    case = {"name": name, "seed": seed, "offset": 0, "shift": 0, "divisors": [1, 1], **case}
    cases.append({**case, "values": answers(case)})
resampled = {"seed": 100, "rows": 80, "levels": 91, "offset": 10, "signal": 1, "shift": -40, "noise": 107,
             "divisors": [10, 10]}
fixture = {
    "versions": {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__},
    "cases": cases,
    "bootstrap": {**resampled, "intervals": intervals(resampled)},
}
path = Path(__file__).parents[2] / "src/metrics/fixtures/metrics.json"
path.parent.mkdir(exist_ok=True)
path.write_text(json.dumps(fixture, indent=1, ensure_ascii=False) + "\n")
