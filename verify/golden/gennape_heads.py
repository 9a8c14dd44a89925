"""Writes src/predictors/gennape/fixtures/heads.json: what GENNAPE's heads give in PyTorch, with weights that are sines, as
src/predictors/models/golden.testing.ts makes them.

    python verify/golden/gennape_heads.py
"""
import json
from pathlib import Path

import numpy as np
import torch
from torch import nn

ROWS, WIDTH, CLUSTERS, HIDDEN, LAYERS, OUTPUTS = 5, 6, 3, 8, 4, 2


def weight(name, *dims):
    start = sum(map(ord, name)) % 97
    i = np.arange(int(np.prod(dims)), dtype=np.float64)
    values = 0.3 * np.sin(start + 0.37 * i + 0.011 * i * i)
    return torch.tensor(values.astype(np.float32).reshape(dims))


def sines(rows, columns, phase):
    i = np.arange(rows * columns, dtype=np.float64)
    return torch.tensor(np.sin(phase + 0.9 * i).astype(np.float32).reshape(rows, columns))


def dense(w, b):
    layer = nn.Linear(w.shape[0], w.shape[1])
    layer.weight.data, layer.bias.data = w.T.contiguous(), b
    return layer


def mlp(layers):
    parts = [part for layer in layers[:-1] for part in (layer, nn.ReLU())]
    return nn.Sequential(*parts, layers[-1])


sizes = [WIDTH] + [HIDDEN] * LAYERS + [OUTPUTS]
names = [f"hidden.{i}." for i in range(LAYERS)] + ["out."]
x, u = sines(ROWS, WIDTH, 0.3), torch.softmax(sines(ROWS, CLUSTERS, 1.1), 1)
one = mlp([dense(weight(n + "weight", a, b), weight(n + "bias", b)) for n, a, b in zip(names, sizes, sizes[1:])])
many = [(weight(n + "weight", CLUSTERS, a, b), weight(n + "bias", CLUSTERS, 1, b)) for n, a, b in zip(names, sizes, sizes[1:])]
heads = [mlp([dense(w[k], b[k, 0]) for w, b in many]) for k in range(CLUSTERS)]
first, second = sines(ROWS, 4, 0.2), sines(ROWS, 4, 2.2)
judge = mlp([dense(weight("judge.0.weight", 8, 16), weight("judge.0.bias", 16)),
             dense(weight("judge.1.weight", 16, 1), weight("judge.1.bias", 1))])
with torch.no_grad():
    found = dict(
        torch=torch.__version__,
        head=one(x).flatten().tolist(),
        ensemble=sum(u[:, k : k + 1] * heads[k](x) for k in range(CLUSTERS)).flatten().tolist(),
        preference=(judge(torch.cat([first, second], 1)) - judge(torch.cat([second, first], 1))).flatten().tolist(),
    )
path = Path(__file__).parents[2] / "src/predictors/gennape/fixtures/heads.json"
path.write_text(json.dumps(found) + "\n")
