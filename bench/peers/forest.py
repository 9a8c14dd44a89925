"""Random forests by scikit-learn on one thread, as the peer of `npm run bench -- forest`.

Answers lines on standard input: `fit TREES` and `predict TREES` with milliseconds, `r2 TREES` with the quality on rows it
did not see."""
import sys
import time

import numpy as np
import sklearn
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import r2_score

ROWS, COLUMNS = int(sys.argv[1]), int(sys.argv[2])


def problem(seed):
    state = seed

    def draw():
        nonlocal state
        state = (state * 1664525 + 1013904223) % 2**32
        return (state >> 8) / 2**24

    x, y = np.empty((ROWS, COLUMNS), dtype=np.float32), np.empty(ROWS)
    for i in range(ROWS):
        for f in range(COLUMNS):
            x[i, f] = draw()
        a, b, c, d = (float(v) for v in x[i, :4])
        y[i] = 10 * a * b + 20 * (c - 0.5) * (c - 0.5) + 10 * d + 2 * draw()
    return x, y


x, y = problem(1)
test_x, test_y = problem(2)
forests = {}
print(sklearn.__version__, flush=True)
for line in sys.stdin:
    what, trees = line.split()[0], int(line.split()[1])
    if what != "fit" and trees not in forests:
        forests[trees] = RandomForestRegressor(trees, n_jobs=1, random_state=0).fit(x, y)
    start = time.perf_counter()
    if what == "fit":
        forests[trees] = RandomForestRegressor(trees, n_jobs=1, random_state=0).fit(x, y)
    else:
        predictions = forests[trees].predict(test_x)
    elapsed = (time.perf_counter() - start) * 1000
    print(r2_score(test_y, predictions) if what == "r2" else elapsed, flush=True)
