"""Writes src/predictors/gennape/fixtures/clusters.json: principal components by scikit-learn, and fuzzy C-means by an
implementation of its own in NumPy, of rows that the tests generate again.

    python verify/golden/gennape_clusters.py

Rows are sines, so that any language makes the same ones. Fuzzy C-means starts from the first rows. Memberships are computed
from distances as they are defined, sums of ratios over all pairs of centroids, not as the project does it."""
import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.decomposition import PCA

ROWS, WIDTH = 60, 7
i = np.arange(ROWS * WIDTH, dtype=float)
rows = (np.sin(1 + 0.7 * i + 0.013 * i * i) * (1 + np.arange(ROWS * WIDTH) % WIDTH)).reshape(ROWS, WIDTH)


def memberships(x, centroids, m):
    squares = ((x[:, None, :] - centroids[None]) ** 2).sum(-1)
    ratios = (squares[:, :, None] / squares[:, None, :]) ** (1 / (m - 1))
    return 1 / ratios.sum(-1)


def fuzzy(x, count, m, iterations, tolerance):
    # Beside a row and not on it: the definition has no value there.
    centroids = x[:count] + 0.01
    u = memberships(x, centroids, m)
    for iteration in range(1, iterations + 1):
        weights = u**m
        centroids = (weights.T @ x) / weights.sum(0)[:, None]
        after = memberships(x, centroids, m)
        change = np.abs(after - u).max()
        u = after
        if change <= tolerance:
            break
    return centroids, u, iteration


pca = PCA(n_components=4, svd_solver="full").fit(rows)
components = pca.components_ * np.sign(pca.components_[np.arange(4), np.abs(pca.components_).argmax(1)])[:, None]
cases = []
for count, m in ((3, 2.0), (4, 1.5), (5, 2.5)):
    centroids, u, iteration = fuzzy(rows, count, m, 10_000, 1e-9)
    new = rows[:3] + 0.25
    cases.append(
        dict(clusters=count, fuzzifier=m, iterations=iteration, centroids=centroids.ravel().tolist(),
             memberships=u[:6].ravel().tolist(), new=memberships(new, centroids, m).ravel().tolist())
    )
path = Path(__file__).parents[2] / "src/predictors/gennape/fixtures/clusters.json"
path.parent.mkdir(exist_ok=True)
path.write_text(
    json.dumps(
        dict(
            sklearn=sklearn.__version__, rows=ROWS, width=WIDTH,
            pca=dict(means=pca.mean_.tolist(), vectors=components.ravel().tolist(),
                     variances=pca.explained_variance_.tolist(),
                     projected=((rows[:5] - pca.mean_) @ components.T).ravel().tolist()),
            fuzzy=cases,
        )
    ) + "\n"
)
