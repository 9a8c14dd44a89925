# Golden values for src/predictors/kernel-regression.test.ts: the marginal likelihood of every kernel of the grid by
# scikit-learn's GaussianProcessRegressor, and the mean of their predictions by it; of labels as they are, and of labels with
# outliers whose tails are bent in three ways, with slopes by finite differences and SciPy's way back.
#   python3 verify/golden/kernel_regression.py > src/predictors/fixtures/kernel-regression.json
import json
import numpy as np
from scipy.optimize import brentq
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Matern, WhiteKernel

random = np.random.RandomState(3)
x = random.normal(size=(24, 4)).astype(np.float32)
x[:, 3] = 2.5
y = x[:, 0] + np.sin(2 * x[:, 1]) + 0.1 * random.normal(size=24)
new = random.normal(size=(6, 4)).astype(np.float32)
mean, deviation = x[:, :3].astype(float).mean(0), x[:, :3].astype(float).std(0)
z, zn = (x[:, :3] - mean) / deviation, (new[:, :3] - mean) / deviation
# Two groups, {a, b} and {c}, each in its principal components, whose deviations are taken to the power 0.85.
def directions(group):
    values, vectors = np.linalg.eigh(np.cov(group.T).reshape(group.shape[1], -1))
    return vectors * (values / values.max()) ** ((0.85 - 1) / 2)


parts_of = [slice(0, 2), slice(2, 3)]
space, new_space = [np.hstack([w[:, p] @ directions(z[:, p]) for p in parts_of]) for w in (z, zn)]
SCALINGS = [[1, 1], [1, 0.5], [1, 0]]


def processes(c):
    """Of every kernel of the grid the logarithm of the marginal likelihood, predictions, and those of rows left out."""
    found = []
    for scaling in SCALINGS:
        scale = np.array([scaling[0], scaling[0], scaling[1]])
        a, b = space * scale, new_space * scale
        spread = a.var(0).sum()
        for smooth in (0.05, 0.2, 0.5, 0.8, 0.95):
            for factor in (0.5, 1, 2):
                for noise in (0.003, 0.01, 0.03, 0.1, 0.3, 1):
                    kernel = (ConstantKernel((1 - smooth) / spread) * DotProduct(sigma_0=1e-12) + ConstantKernel(smooth)
                              * Matern(factor * np.sqrt(2 * spread), nu=1.5) + WhiteKernel(noise))
                    # The scale of the kernel that is best for these targets.
                    best = c @ np.linalg.solve(kernel(a), c) / len(c)
                    gp = GaussianProcessRegressor(ConstantKernel(best) * kernel, optimizer=None, alpha=0).fit(a, c)
                    # Every row by a process that was fitted without it.
                    left_out = [GaussianProcessRegressor(kernel, optimizer=None, alpha=0)
                                .fit(np.delete(a, i, 0), np.delete(c, i)).predict(a[i:i + 1])[0] for i in range(len(c))]
                    found.append((gp.log_marginal_likelihood_value_, gp.predict(b), left_out))
    return found


def averaged(y, curves):
    """@param curves pairs of a function and its inverse"""
    each = []
    for there, back in curves:
        t = there(y)
        slopes = (there(y + 1e-6) - there(y - 1e-6)) / 2e-6
        each.append([(value + np.log(slopes).sum(), t.mean() + first, t.mean() + np.array(second))
                     for value, first, second in processes(t - t.mean())])
    best = max(value for found in each for value, _, _ in found)
    powers = [np.array([np.exp(value - best) for value, _, _ in found]) for found in each]
    powers = [np.where(some < 1e-3, 0, some) for some in powers]
    total = sum(some.sum() for some in powers)
    result = []
    for place in (1, 2):
        result.append(sum(
            back(sum(p * row[place] for p, row in zip(some, found)) / some.sum()) * some.sum() / total
            for some, found, (_, back) in zip(powers, each, curves) if some.sum() > 0))
    return {"predictions": list(result[0]), "leftOut": list(result[1])}


def bent(y, bend):
    median = np.median(y)
    scale = 1.4826 * np.median(np.abs(y - median))

    def there(some):
        z = (some - median) / scale
        return np.where(np.abs(z) > bend, np.sign(z) * bend * (1 + np.log(np.maximum(np.abs(z), bend) / bend)), z)

    def back(some):
        return np.array([brentq(lambda v: there(np.array(v)) - t, y.min() - 1, y.max() + 1, xtol=1e-12) for t in some])

    return there, back


# Two rows learned nothing.
far = y.copy()
far[[5, 17]] = [-14, -9]
print(json.dumps({
    "rows": [float(v) for v in x.ravel()], "targets": [float(v) for v in y], "new": [float(v) for v in new.ravel()],
    "scalings": SCALINGS, **averaged(y, [(lambda some: some, lambda some: some)]),
    "bends": [0.5, 1, 2], "far": [float(v) for v in far],
    "bent": averaged(far, [bent(far, bend) for bend in (0.5, 1, 2)]),
}))
