"""Golden values of src/predictors/devices/fit-process.ts: predictions of a Gaussian process with a linear part, by solving
the equations of every left-out family anew with NumPy, where auspex uses closed forms.

    python3 verify/golden/device_process.py > src/predictors/devices/fixtures/process.json
"""
import json

import numpy as np

rng = np.random.default_rng(7)
rows, devices, sizes = 14, 3, 2
points = rng.normal(size=(rows, 4))
targets = rng.normal(1.0, 0.7, rows)
base = targets[:, None] + rng.normal(0.3, 0.2, (rows, devices))
size = rng.normal(5, 1, (rows, sizes))
distances = np.sqrt(((points[:, None] - points[None]) ** 2).sum(2))
families = [f"f{i % 5}" for i in range(rows)]
hypothesis = {"devices": 0.3, "sizes": 0.15, "own": 0.25, "noise": 0.05}
length = 2.5
INTERCEPT, SLOPE = 5, 0.4


def kernel(a, b):
    """Between rows, all columns centred by the means of all rows."""
    mean = base.mean(1)
    slope = mean - mean.mean()
    difference = base - mean[:, None]
    difference = difference - difference.mean(0)
    centred = size - size.mean(0)
    k = np.full((len(a), len(b)), float(INTERCEPT**2))
    k += SLOPE**2 * np.outer(slope[a], slope[b])
    k += hypothesis["devices"] ** 2 / devices * difference[a] @ difference[b].T
    k += hypothesis["sizes"] ** 2 * centred[a] @ centred[b].T
    k += hypothesis["own"] ** 2 * np.exp(-distances[np.ix_(a, b)] / length)
    return k


def predicted(train, test):
    noisy = kernel(train, train) + hypothesis["noise"] ** 2 * np.eye(len(train))
    mean = base.mean(1)
    return mean[test] + kernel(test, train) @ np.linalg.solve(noisy, targets[train] - mean[train])


left = np.zeros(rows)
for family in set(families):
    test = np.array([i for i in range(rows) if families[i] == family])
    train = np.array([i for i in range(rows) if families[i] != family])
    left[test] = predicted(train, test)
every = np.arange(rows)
print(
    json.dumps(
        {
            "targets": targets.tolist(),
            "base": base.tolist(),
            "sizes": size.tolist(),
            "distances": distances.ravel().tolist(),
            "families": families,
            "hypothesis": hypothesis,
            "length": length,
            "left": left.tolist(),
            "fitted": predicted(every, every).tolist(),
        }
    )
)
