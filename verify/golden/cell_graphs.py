"""BRP-NAS's graph convolutional network and NNLP's GraphSAGE on cells, in PyTorch: the fixture of src/predictors.

    python verify/golden/cell_graphs.py > src/predictors/models/fixtures/cell-graphs.json

Written from the descriptions of the papers, one cell at a time, without padding, in float64; what a node gathers is
summed node by node. Weights are sines of their place and name, matrices (in, out). Of every cell: its operations by
code, its edges, and what the models predict, one label and three; of the paper's sizes: how many weights there are.
"""
import json
import math

import torch
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)
CODES, WIDTH, LAYERS = 46, 24, 4
CELLS = [
    {"ops": [0, 45], "edges": [[0, 1]]},
    {"ops": [0, 3, 7, 45], "edges": [[0, 1], [0, 2], [1, 3], [2, 3]]},
    {"ops": [0, 3, 3, 33, 2, 2, 45],
     "edges": [[0, 1], [0, 2], [0, 3], [1, 4], [2, 4], [3, 5], [4, 6], [5, 6], [0, 6]]},
    # A node that feeds nothing, and one that nothing feeds.
    {"ops": [0, 12, 40, 5, 45], "edges": [[0, 1], [2, 3], [3, 4], [0, 3]]},
    {"ops": [0, *range(20, 42), 45], "edges": [[i, i + 1] for i in range(23)]},
]  # fmt: skip


class Weights:
    """Made when they are asked for, and counted."""

    def __init__(self):
        self.count = {}

    def __call__(self, name, *dims):
        size = math.prod(dims)
        self.count[name] = size
        i = torch.arange(size)
        values = 0.3 * torch.sin(sum(map(ord, name)) % 97 + 0.37 * i + 0.011 * i * i)
        return (1 + values if name.endswith("norm.weight") else values).reshape(dims)

    def linear(self, name, x, out, bias=True):
        return F.linear(x, self(f"{name}.weight", x.shape[-1], out).T, self(f"{name}.bias", out) if bias else None)


def one_hot(ops, width):
    return F.one_hot(torch.tensor(ops), width).double()


def gcn(w, cell, codes, width, outputs):
    """Node 0 is the global one: it has an operation of its own, and gathers from all and from itself. The others
    gather from themselves and from what they feed."""
    n = len(cell["ops"])
    x = one_hot([codes, *cell["ops"]], codes + 1)
    gathers = [list(range(n + 1))] + [[i + 1] for i in range(n)]
    for a, b in cell["edges"]:
        gathers[a + 1].append(b + 1)
    for i in range(LAYERS):
        sums = torch.stack([sum(x[j] for j in from_) for from_ in gathers])
        y = w.linear(f"layer.{i}", sums, width)
        norm = f"layer.{i}.norm"
        x = F.relu(F.layer_norm(y, (width,), w(f"{norm}.weight", width), w(f"{norm}.bias", width)))
    return w.linear("head", x[0], outputs)


def sage(w, cell, codes, width, outputs):
    """Two layers of GraphSAGE over undirected edges with means, every node of length 1, ReLU; the sum over nodes; an
    MLP with two hidden layers for each label."""
    x = one_hot(cell["ops"], codes)
    for layer in range(2):
        rows = []
        for i in range(len(x)):
            near = [b for a, b in cell["edges"] if a == i] + [a for a, b in cell["edges"] if b == i]
            mean = sum(x[j] for j in near) / len(near)
            root = w.linear(f"sage.{layer}.root", x[i], width, bias=False)
            y = root + w.linear(f"sage.{layer}.neighbours", mean, width)
            rows.append(F.relu(y / y.norm()))
        x = torch.stack(rows)
    graph = x.sum(0)
    found = []
    for k in range(outputs):
        head = "head" if outputs == 1 else f"head.{k}"
        hidden = F.relu(w.linear(f"{head}.0", graph, width))
        hidden = F.relu(w.linear(f"{head}.1", hidden, width))
        found.append(w.linear(f"{head}.2", hidden, 1))
    return torch.cat(found)


MODELS = {"gcn": gcn, "sage": sage}


def weights_of(model, *sizes):
    w = Weights()
    model(w, CELLS[0], *sizes)
    return sum(w.count.values())


print(json.dumps({
    "codes": CODES,
    "width": WIDTH,
    "layers": LAYERS,
    "weights": {"gcn": weights_of(gcn, CODES, 600, 1), "sage": weights_of(sage, CODES, 512, 3)},
    "cells": [
        {**cell, "outputs": {
            name: {str(k): [round(v, 9) for v in model(Weights(), cell, CODES, WIDTH, k).tolist()] for k in (1, 3)}
            for name, model in MODELS.items()
        }}
        for cell in CELLS
    ],
}, separators=(",", ":")))
