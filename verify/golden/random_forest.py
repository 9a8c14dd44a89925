"""Writes src/predictors/trees/fixtures/random-forest.json: what scikit-learn's trees and forests make of a problem
that the tests generate again.

    python verify/golden/random_forest.py

Features come from a linear congruential generator in whole numbers, and targets from them by sums and products alone, so
both sides have the same to the last bit. One tree without randomness must be the same tree; forests must be as good,
which several seeds tell."""
import json
from pathlib import Path

import numpy as np
import sklearn
from scipy.stats import kendalltau
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import r2_score
from sklearn.tree import DecisionTreeRegressor

COLUMNS = 20
SEEDS = 10
FORESTS = {
    "default": dict(),
    "third of the features": dict(max_features=1 / 3),
    "large leaves": dict(min_samples_leaf=5),
}


def problem(rows, seed):
    """Even features are of 24 bits, odd ones of seven levels; five of them matter, like Friedman's first problem."""
    state = seed

    def draw():
        nonlocal state
        state = (state * 1664525 + 1013904223) % 2**32
        return state >> 8

    x, y = np.empty((rows, COLUMNS)), np.empty(rows)
    for i in range(rows):
        for f in range(COLUMNS):
            x[i, f] = draw() / 2**24 if f % 2 == 0 else draw() % 7
        noise = draw() / 2**24 + draw() / 2**24 + draw() / 2**24 - 1.5
        centred = x[i, 4] - 0.5
        y[i] = 10 * x[i, 0] * x[i, 2] + 20 * centred * centred + 10 * x[i, 6] + 0.75 * x[i, 1] + 2 * noise
    return x, y


x, y = problem(1000, 1)
test_x, test_y = problem(1000, 2)
tree = DecisionTreeRegressor(min_samples_leaf=20, random_state=0).fit(x, y)
result = {
    "scikit-learn": sklearn.__version__,
    "tree": {
        "minSamplesLeaf": 20,
        "nodes": tree.tree_.node_count,
        "predictions": tree.predict(test_x[:50]).tolist(),
        "importances": tree.feature_importances_.tolist(),
    },
    "forests": {},
}
for name, options in FORESTS.items():
    r2, tau, oob, importances = [], [], [], []
    for seed in range(SEEDS):
        forest = RandomForestRegressor(100, oob_score=True, random_state=seed, n_jobs=1, **options).fit(x, y)
        predictions = forest.predict(test_x)
        r2.append(r2_score(test_y, predictions))
        tau.append(kendalltau(test_y, predictions).statistic)
        oob.append(forest.oob_score_)
        importances.append(forest.feature_importances_)
    result["forests"][name] = {
        **{key: [float(np.mean(v)), float(np.std(v, ddof=1))] for key, v in [("r2", r2), ("tau", tau), ("oobR2", oob)]},
        "importances": np.mean(importances, axis=0).round(5).tolist(),
    }
path = Path(__file__).parents[2] / "src/predictors/trees/fixtures/random-forest.json"
path.write_text(json.dumps(result, indent=1) + "\n")
