# Golden values for src/predictors/kernel-regression.test.ts: the marginal likelihood of every kernel of the grid by
# scikit-learn's GaussianProcessRegressor, the best one, and its predictions.
#   python3 verify/golden/kernel_regression.py > src/predictors/fixtures/kernel-regression.json
import json
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel

random = np.random.RandomState(3)
x = random.normal(size=(24, 4)).astype(np.float32)
x[:, 3] = 2.5
y = x[:, 0] + np.sin(2 * x[:, 1]) + 0.1 * random.normal(size=24)
new = random.normal(size=(6, 4)).astype(np.float32)
mean, deviation = x[:, :3].astype(float).mean(0), x[:, :3].astype(float).std(0)
z, zn = (x[:, :3] - mean) / deviation, (new[:, :3] - mean) / deviation
c = y - y.mean()
best = None
for smooth in (0.05, 0.2, 0.5, 0.8, 0.95):
    for factor in (0.5, 1, 2):
        for noise in (0.003, 0.01, 0.03, 0.1, 0.3, 1):
            kernel = (ConstantKernel((1 - smooth) / 3) * DotProduct(sigma_0=1e-12)
                      + ConstantKernel(smooth) * RBF(factor * np.sqrt(6)) + WhiteKernel(noise))
            # The scale of the kernel that is best for these targets.
            k = kernel(z)
            scale = c @ np.linalg.solve(k, c) / len(c)
            gp = GaussianProcessRegressor(ConstantKernel(scale) * kernel, optimizer=None, alpha=0).fit(z, c)
            value = gp.log_marginal_likelihood_value_
            if best is None or value > best[0]:
                # Every row by a process that was fitted without it.
                left_out = [GaussianProcessRegressor(kernel, optimizer=None, alpha=0)
                            .fit(np.delete(z, i, 0), np.delete(c, i)).predict(z[i:i + 1])[0] + y.mean()
                            for i in range(len(c))]
                best = (value, smooth, factor, noise, gp.predict(zn) + y.mean(), left_out)
print(json.dumps({
    "rows": [float(v) for v in x.ravel()], "targets": [float(v) for v in y], "new": [float(v) for v in new.ravel()],
    "mixture": {"smooth": best[1], "factor": best[2], "noise": best[3]}, "predictions": [float(v) for v in best[4]],
    "leftOut": [float(v) for v in best[5]],
}))
