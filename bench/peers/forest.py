"""Random forests by scikit-learn on one thread, as the peer of `npm run bench -- forest`.

Answers lines on standard input: `fit ROWS COLUMNS TREES` and `predict …` with milliseconds, `r2 …` with the quality on rows it
did not see."""
import sys
import time

import numpy as np
import sklearn
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import r2_score


def problem(seed, rows, columns):
    state = seed

    def draw():
        nonlocal state
        state = (state * 1664525 + 1013904223) % 2**32
        return (state >> 8) / 2**24

    x, y = np.empty((rows, columns), dtype=np.float32), np.empty(rows)
    for i in range(rows):
        for f in range(columns):
            x[i, f] = draw()
        a, b, c, d = (float(v) for v in x[i, :4])
        y[i] = 10 * a * b + 20 * (c - 0.5) * (c - 0.5) + 10 * d + 2 * draw()
    return x, y


problems, forests = {}, {}
print(sklearn.__version__, flush=True)
for line in sys.stdin:
    what, *numbers = line.split()
    rows, columns, trees = map(int, numbers)
    if (rows, columns) not in problems:
        problems[rows, columns] = problem(1, rows, columns), problem(2, rows, columns)
    (x, y), (test_x, test_y) = problems[rows, columns]
    key = rows, columns, trees
    if what != "fit" and key not in forests:
        forests[key] = RandomForestRegressor(trees, n_jobs=1, random_state=0).fit(x, y)
    start = time.perf_counter()
    if what == "fit":
        forests[key] = RandomForestRegressor(trees, n_jobs=1, random_state=0).fit(x, y)
    else:
        predictions = forests[key].predict(test_x)
    elapsed = (time.perf_counter() - start) * 1000
    print(r2_score(test_y, predictions) if what == "r2" else elapsed, flush=True)
