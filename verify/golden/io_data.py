"""Writes what NumPy and PyTorch make of output features and of archives of arrays: fixtures of two tests.

    python verify/golden/io_data.py src/app/data/io/fixtures/io-features.json src/store/fixtures/npz.json

Features: a constant 1 is appended; they are multiplied by the weights and the bias of the image's true class, sorted by
these weights, the greatest first, and the first three are kept.
"""

import base64
import io
import json
import sys

import numpy as np
import torch


def features(path):
    torch.manual_seed(1)
    x, labels = torch.rand(5, 4), torch.tensor([2, 0, 1, 2, 0])
    layer = torch.nn.Linear(4, 3)
    with torch.no_grad():
        extended = torch.cat([x, torch.ones(5, 1)], 1)
        rows = torch.cat([layer.weight, layer.bias[:, None]], 1)[labels]
        order = torch.argsort(rows, 1, descending=True)
        kept = torch.gather(extended * rows, 1, order)[:, :3]
    case = {
        "features": x.flatten().tolist(),
        "labels": labels.tolist(),
        # Ours is (features, classes).
        "weight": layer.weight.T.flatten().tolist(),
        "bias": layer.bias.tolist(),
        "kept": 3,
        "expected": kept.flatten().tolist(),
    }
    with open(path, "w") as file:
        json.dump(case, file)


def archives(path):
    arrays = {
        "floats": np.array([[1.5, -2.25, 3], [0, 1e-7, 4e9]], np.float32),
        "bytes": np.arange(300, dtype=np.uint8),
        "places": np.array([5, -70000], np.int32),
        "texts": np.array(["a", "zwölf", ""]),
    }
    packed, stored = io.BytesIO(), io.BytesIO()
    np.savez_compressed(packed, **arrays)
    np.savez(stored, **arrays)
    singles = {}
    for name, array in arrays.items():
        single = io.BytesIO()
        np.save(single, array)
        singles[name] = base64.b64encode(single.getvalue()).decode()
    case = {
        "arrays": {name: {"dims": list(a.shape), "data": a.flatten().tolist()} for name, a in arrays.items()},
        "npy": singles,
        "compressed": base64.b64encode(packed.getvalue()).decode(),
        "stored": base64.b64encode(stored.getvalue()).decode(),
    }
    with open(path, "w") as file:
        json.dump(case, file)


if __name__ == "__main__":
    features(sys.argv[1])
    archives(sys.argv[2])
