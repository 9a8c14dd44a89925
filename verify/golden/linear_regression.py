"""Writes src/predictors/fixtures/linear-regression.json: what scikit-learn's LinearRegression and Ridge predict
for rows that the tests generate again.

    python verify/golden/linear_regression.py

Features are whole numbers below 2^24 from a linear congruential generator, like counts of parameters and MACs that grow
together; the fourth is twice the first, so that least squares have many solutions and the shortest is wanted."""
import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

ROWS, SHOWN = 200, 10
CASES = {
    "least squares": dict(columns=[0, 1], ridge=0, log=False),
    "least squares of logarithms": dict(columns=[0, 1, 2], ridge=0, log=True),
    "ridge": dict(columns=[0, 1, 2], ridge=25.0, log=False),
    "ridge of logarithms": dict(columns=[0, 1, 2, 3], ridge=3.5, log=True),
    "dependent features": dict(columns=[0, 1, 3], ridge=0, log=False),
}

state = 1


def draw(count):
    global state
    state = (state * 1664525 + 1013904223) % 2**32
    return (state >> 8) % count


rows, targets = [], []
for _ in range(ROWS):
    parameters = 1000 + draw(1_000_000)
    macs = 7 * parameters + draw(100_000)
    rows.append([parameters, macs, 1 + draw(20), 2 * parameters])
    targets.append((900_000 + parameters // 20 + draw(30_000)) / 1_000_000)
x, y = np.array(rows, dtype=float), np.array(targets)

result = {"scikit-learn": sklearn.__version__, "cases": {}}
for name, case in CASES.items():
    model = Ridge(case["ridge"]) if case["ridge"] else LinearRegression()
    steps = [FunctionTransformer(np.log)] if case["log"] else []
    pipeline = make_pipeline(*steps, StandardScaler(), model).fit(x[:, case["columns"]], y)
    predictions = pipeline.predict(x[:SHOWN, case["columns"]]).tolist()
    result["cases"][name] = {**case, "weights": model.coef_.tolist(), "predictions": predictions}
path = Path(__file__).parents[2] / "src/predictors/fixtures/linear-regression.json"
path.write_text(json.dumps(result, indent=1) + "\n")
