"""Writes what scikit-learn makes of a Gaussian process with given scales: the fixture of src/predictors/gaussian-process.test.ts.

    python verify/golden/gaussian_process.py src/predictors/fixtures/gaussian-process.json

The kernel is a product of scikit-learn's Matern kernels with nu = 1/2, one for every group of features. The root mean square
of k features with length scale l is their Euclidean distance with length scale l * sqrt(k).
"""

import json
import sys

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

GROUPS = [[0, 2], [1], [3, 4, 5]]
LENGTHS, SIGNAL, NOISE = [0.4, 1.1, 0.7], 0.2, -1.3



class OfColumns(Matern):
    """A kernel that sees some columns."""

    def __init__(self, columns=(0,), length_scale=1.0, length_scale_bounds="fixed", nu=0.5):
        super().__init__(length_scale, length_scale_bounds, nu)
        self.columns = columns

    def __call__(self, X, Y=None, eval_gradient=False):
        return super().__call__(X[:, self.columns], None if Y is None else Y[:, self.columns], eval_gradient)


random = np.random.RandomState(7)
x = np.round(random.randn(20, 6), 2)
y = np.round(np.sin(x[:, 0]) + 0.3 * x[:, 1] - 0.1 * x[:, 4] + 0.1 * random.randn(20), 3)
y = y - y.mean()
others = np.round(random.randn(5, 6), 2)
kernel = ConstantKernel(np.exp(2 * SIGNAL))
for group, length in zip(GROUPS, LENGTHS):
    kernel = kernel * OfColumns(tuple(group), np.exp(length) * np.sqrt(len(group)))
kernel = kernel + WhiteKernel(np.exp(2 * NOISE))
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
