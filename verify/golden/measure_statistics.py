"""Statistics of measured times against SciPy and NumPy: src/measure/fixtures/statistics.json."""
import json
import sys
from pathlib import Path

import numpy as np
from scipy import special, stats

rng = np.random.default_rng(7)
samples = []
for n in [1, 5, 6, 7, 20, 50, 99, 100, 333, 2500]:
    x = np.round(5 + rng.gamma(2, 0.3, n), 6)
    interval = None
    if n >= 6:
        ci = stats.quantile_test(x, q=5, p=0.5).confidence_interval(0.95)
        interval = [float(ci.low), float(ci.high)]
    samples.append({
        "times": x.tolist(), "median": float(np.median(x)), "mean": float(x.mean()), "min": float(x.min()),
        "max": float(x.max()), "p90": float(np.quantile(x, 0.9)), "p99": float(np.quantile(x, 0.99)),
        "interval": interval,
    })
ratios = []
for n, m, factor in [(2, 2, 1.0), (5, 5, 1.04), (5, 8, 0.9), (20, 3, 1.5)]:
    a = np.round(factor * np.exp(rng.normal(2, 0.02, n)), 6)
    b = np.round(np.exp(rng.normal(2, 0.03, m)), 6)
    for confidence in [0.9, 0.95, 0.99]:
        ci = stats.ttest_ind(np.log(a), np.log(b), equal_var=False).confidence_interval(confidence)
        ratios.append({
            "times": a.tolist(), "baseline": b.tolist(), "confidence": confidence,
            "ratio": float(stats.gmean(a) / stats.gmean(b)), "interval": [float(np.exp(ci.low)), float(np.exp(ci.high))],
        })
beta = [[x, a, b, float(special.betainc(a, b, x))]
        for x in [1e-6, 0.01, 0.3, 0.5, 0.9, 0.9999] for a, b in [(0.5, 0.5), (1, 3), (20, 7), (4.5, 0.5), (2000, 2001)]]
gamma = [[x, float(special.gammaln(x))] for x in [0.1, 0.5, 1, 1.5, 2, 10, 123.4, 1e5]]
binomial = [[k, n, p, float(stats.binom.cdf(k, n, p))]
            for k, n, p in [(0, 5, 0.5), (2, 9, 0.5), (40, 100, 0.5), (1180, 2500, 0.5), (7, 20, 0.2)]]
student = [[p, d, float(stats.t.ppf(p, d))]
           for p in [0.025, 0.5, 0.9, 0.975, 0.995] for d in [1, 1.7, 4, 12.3, 500]]
out = Path(sys.argv[1] if len(sys.argv) > 1 else "src/measure/fixtures/statistics.json")
out.write_text(json.dumps({"samples": samples, "ratios": ratios, "beta": beta, "gamma": gamma,
                           "binomial": binomial, "student": student}) + "\n")
