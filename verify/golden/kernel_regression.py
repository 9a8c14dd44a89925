# Golden values for src/predictors/kernel-regression.test.ts: the marginal likelihood of every kernel of the grid by
# scikit-learn's GaussianProcessRegressor, and the mean of their predictions by it.
#   python3 verify/golden/kernel_regression.py > src/predictors/fixtures/kernel-regression.json
import json
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Matern, WhiteKernel

random = np.random.RandomState(3)
x = random.normal(size=(24, 4)).astype(np.float32)
x[:, 3] = 2.5
y = x[:, 0] + np.sin(2 * x[:, 1]) + 0.1 * random.normal(size=24)
new = random.normal(size=(6, 4)).astype(np.float32)
mean, deviation = x[:, :3].astype(float).mean(0), x[:, :3].astype(float).std(0)
z, zn = (x[:, :3] - mean) / deviation, (new[:, :3] - mean) / deviation
c = y - y.mean()
# Two groups, {a, b} and {c}, each in its principal components, whose deviations are taken to the power 0.85.
def directions(group):
    values, vectors = np.linalg.eigh(np.cov(group.T).reshape(group.shape[1], -1))
    return vectors * (values / values.max()) ** ((0.85 - 1) / 2)


parts_of = [slice(0, 2), slice(2, 3)]
space, new_space = [np.hstack([w[:, p] @ directions(z[:, p]) for p in parts_of]) for w in (z, zn)]
SCALINGS = [[1, 1], [1, 0.5], [1, 0]]
found = []
for scaling in SCALINGS:
    scale = np.array([scaling[0], scaling[0], scaling[1]])
    a, b = space * scale, new_space * scale
    spread = a.var(0).sum()
    for smooth in (0.05, 0.2, 0.5, 0.8, 0.95):
        for factor in (0.5, 1, 2):
            for noise in (0.003, 0.01, 0.03, 0.1, 0.3, 1):
                kernel = (ConstantKernel((1 - smooth) / spread) * DotProduct(sigma_0=1e-12)
                          + ConstantKernel(smooth) * Matern(factor * np.sqrt(2 * spread), nu=1.5) + WhiteKernel(noise))
                # The scale of the kernel that is best for these targets.
                best = c @ np.linalg.solve(kernel(a), c) / len(c)
                gp = GaussianProcessRegressor(ConstantKernel(best) * kernel, optimizer=None, alpha=0).fit(a, c)
                # Every row by a process that was fitted without it.
                left_out = [GaussianProcessRegressor(kernel, optimizer=None, alpha=0)
                            .fit(np.delete(a, i, 0), np.delete(c, i)).predict(a[i:i + 1])[0] for i in range(len(c))]
                found.append((gp.log_marginal_likelihood_value_, gp.predict(b), left_out))
parts = np.exp(np.array([value for value, _, _ in found]) - max(value for value, _, _ in found))
parts[parts < 1e-3] = 0
parts /= parts.sum()
print(json.dumps({
    "rows": [float(v) for v in x.ravel()], "targets": [float(v) for v in y], "new": [float(v) for v in new.ravel()],
    "scalings": SCALINGS,
    "predictions": list(y.mean() + sum(p * values for p, (_, values, _) in zip(parts, found))),
    "leftOut": list(y.mean() + sum(p * np.array(values) for p, (_, _, values) in zip(parts, found))),
}))
