"""Golden values of maps and clusters from scikit-learn -> src/app/embed/fixtures/projections.json."""
import json
from pathlib import Path

import numpy as np
from scipy.spatial.distance import squareform
from sklearn.cluster import AgglomerativeClustering
from sklearn.manifold import TSNE
from sklearn.manifold._t_sne import _gradient_descent, _joint_probabilities, _kl_divergence
from sklearn.metrics import pairwise_distances

OUT = Path(__file__).parents[2] / "src/app/embed/fixtures/projections.json"
rng = np.random.default_rng(2)
centres = rng.normal(size=(3, 4)) * 4
x = np.vstack([c + rng.normal(size=(8, 4)) for c in centres]).round(3)
n = len(x)
start = x[:, :2] - x[:, :2].mean(0)
scaled = start / start[:, 0].std() * 1e-4
joint = _joint_probabilities(pairwise_distances(x, squared=True), 5.0, 0)
y = rng.normal(size=(n, 2)).round(3)
value, gradient = _kl_divergence(y.ravel(), joint, 1, n, 2)
early, _, _ = _gradient_descent(
    _kl_divergence, scaled.ravel(), 0, 10, momentum=0.5, learning_rate=50.0, min_gain=0.01, args=[joint * 12, 1, n, 2])
model = TSNE(perplexity=5.0, method="exact", init=scaled, max_iter=1000)
model.fit(x)
labels = {}
for threshold in (1.5, 3.0, 5.0, 20.0):
    labels[threshold] = AgglomerativeClustering(
        n_clusters=None, distance_threshold=threshold, linkage="complete").fit(x).labels_.tolist()
OUT.parent.mkdir(parents=True, exist_ok=True)
OUT.write_text(json.dumps({
    "x": x.ravel().tolist(), "width": 4, "perplexity": 5.0, "start": start.ravel().tolist(),
    "joint": squareform(joint)[:3].ravel().round(15).tolist(), "y": y.ravel().tolist(), "value": float(value),
    "gradient": gradient.round(12).tolist(), "divergence": float(model.kl_divergence_),
    "early": early.tolist(), "clusters": labels,
}) + "\n")
