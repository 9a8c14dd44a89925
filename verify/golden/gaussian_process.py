"""Writes what scikit-learn makes of a Gaussian process with given scales: the fixture of src/predictors/gaussian-process.test.ts.

    python verify/golden/gaussian_process.py src/predictors/fixtures/gaussian-process.json

A group of k features with length scale l is k features with length scale l * sqrt(k) each.
"""

import json
import sys

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

GROUPS = [[0, 2], [1], [3, 4, 5]]
LENGTHS, SIGNAL, NOISE = [0.4, 1.1, 0.7], 0.2, -1.3

random = np.random.RandomState(7)
x = np.round(random.randn(20, 6), 2)
y = np.round(np.sin(x[:, 0]) + 0.3 * x[:, 1] - 0.1 * x[:, 4] + 0.1 * random.randn(20), 3)
y = y - y.mean()
others = np.round(random.randn(5, 6), 2)
scale = np.zeros(6)
for group, length in zip(GROUPS, LENGTHS):
    scale[group] = np.exp(length) * np.sqrt(len(group))
kernel = ConstantKernel(np.exp(2 * SIGNAL)) * RBF(scale) + WhiteKernel(np.exp(2 * NOISE))
process = GaussianProcessRegressor(kernel, optimizer=None, alpha=0).fit(x, y)
with open(sys.argv[1], "w") as file:
    json.dump(
        {
            "width": 6,
            "groups": GROUPS,
            "lengths": LENGTHS,
            "signal": SIGNAL,
            "noise": NOISE,
            "x": x.flatten().tolist(),
            "y": y.tolist(),
            "logLikelihood": process.log_marginal_likelihood_value_,
            "others": others.flatten().tolist(),
            "predictions": process.predict(others).tolist(),
        },
        file,
    )
    file.write("\n")
