"""Writes src/predictors/gennape/fixtures/process.json: what scikit-learn's Gaussian processes give for few labels.

    python verify/golden/gennape_process.py

Rows are standardised, labels are normal quantiles of their ranks (SciPy); length and noise are those of the highest
marginal likelihood on the grid, the height of the kernel being the best one for each.
"""
import json
from pathlib import Path

import numpy as np
from scipy.stats import norm, rankdata
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct

ROWS, WIDTH, OTHERS = 18, 5, 6
random = np.random.default_rng(3)
x = np.round(random.normal(size=(ROWS, WIDTH)) * [1, 3, 0.1, 20, 1] + [0, 5, 0, 100, 0], 3)
x[:, 4] = 2.5  # The same in all rows.
others = np.round(random.normal(size=(OTHERS, WIDTH)) * [1, 3, 0.1, 20, 1] + [0, 5, 0, 100, 0], 3)
others[0, 0] = 90  # Beyond the bound.
labels = np.round(np.sin(x[:, 0]) + 0.1 * x[:, 1] + 0.02 * random.normal(size=ROWS), 3)
labels[3] = labels[7]

mean, deviation = x.mean(0), np.where(x.std(0) > 1e-5, x.std(0), 1e9)
z, t = [np.clip((rows - mean) / deviation, -6, 6) for rows in (x, others)]
targets = norm.ppf((rankdata(labels) - 0.5) / ROWS)


def kernel(length, height=1.0):
    near = RBF(length * np.sqrt(WIDTH), "fixed")
    line = ConstantKernel(1 / WIDTH, "fixed") * DotProduct(0.0, "fixed")
    return ConstantKernel(height, "fixed") * (near + line)


def process(length, noise, height=1.0):
    return GaussianProcessRegressor(kernel(length, height), alpha=height * noise, optimizer=None)


found = []
for length in (0.5, 1, 2, 4, 8, 16):
    for noise in (0.003, 0.01, 0.03, 0.1, 0.3):
        plain = process(length, noise).fit(z, targets)
        height = targets @ plain.alpha_.ravel() / ROWS
        best = process(length, noise, height).fit(z, targets)
        found.append((best.log_marginal_likelihood_value_, length, noise))
_, length, noise = max(found)
path = Path(__file__).parents[2] / "src/predictors/gennape/fixtures/process.json"
path.write_text(
    json.dumps(
        {
            "width": WIDTH,
            "x": x.ravel().tolist(),
            "labels": labels.tolist(),
            "length": length,
            "others": others.ravel().tolist(),
            "predictions": process(length, noise).fit(z, targets).predict(t).tolist(),
        }
    )
    + "\n"
)
print(length, noise)
