"""Rank correlations by SciPy, as the peer of `npm run bench -- metrics`.

Answers lines on standard input: `value METRIC` with the number, `time METRIC` with milliseconds."""
import sys
import time

import numpy as np
import scipy
from scipy import stats

METRICS = {"tau-b": stats.kendalltau, "spearman": stats.spearmanr, "pearson": stats.pearsonr}

rows = int(sys.argv[1])
state = 1


def draw():
    global state
    state = (state * 1664525 + 1013904223) % 2**32
    return state >> 8


truths, predictions = np.empty(rows), np.empty(rows)
for i in range(rows):
    level = draw() % 2003
    truths[i] = (7500 + level) / 10_000
    predictions[i] = (75_000 + 10 * level + draw() % 9001) / 100_000

print(scipy.__version__, flush=True)
for line in sys.stdin:
    what, name = line.split()
    start = time.perf_counter()
    value = METRICS[name](predictions, truths).statistic
    elapsed = (time.perf_counter() - start) * 1000
    print(repr(float(value)) if what == "value" else elapsed, flush=True)
