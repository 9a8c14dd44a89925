"""Writes what PyTorch says of how much of cells comes back from latents: the fixture of decoding-quality.test.ts.

    python verify/golden/decoding.py src/predictors/fixtures/decoding.json

The counts are those of arch2vec's released `get_accuracy`: the likeliest operation of every row, the padding included
(whose row of zeros counts as operation 0), and edges above the diagonal at a probability of one half.
"""

import json
import sys
from pathlib import Path

import torch

torch.manual_seed(7)
torch.set_default_dtype(torch.float64)
NODES, LATENT, OPERATIONS = 5, 3, 4
SIZES = [5, 3, 4, 5, 2, 5, 4, 3]

cells, latents = [], []
weight, bias = torch.randn(LATENT, OPERATIONS), torch.randn(OPERATIONS)
ops = torch.zeros(len(SIZES), NODES, OPERATIONS)
adj = torch.zeros(len(SIZES), NODES, NODES)
for i, n in enumerate(SIZES):
    codes = [0, *torch.randint(1, OPERATIONS - 1, (n - 2,)).tolist(), OPERATIONS - 1]
    for node, code in enumerate(codes):
        ops[i, node, code] = 1
    adj[i, :n, :n] = (torch.rand(n, n) > 0.5).double().triu(1)
    cells.append({"codes": codes, "adjacency": adj[i, :n, :n].int().tolist()})
# Latents that decode most operations: those that give the wanted scores, with noise.
wanted = (ops * 4 - bias) @ torch.linalg.pinv(weight)
z = wanted + 0.4 * torch.randn(len(SIZES), NODES, LATENT)
# Two cells have the edges that are decoded.
for i in (0, 3):
    adj[i] = (z[i] @ z[i].T > 0).double().triu(1)
    cells[i]["adjacency"] = adj[i].int().tolist()

probabilities = torch.sigmoid(z @ weight + bias)
edges = torch.sigmoid(z @ z.transpose(1, 2)).triu(1)
right = probabilities.argmax(-1).eq(ops.argmax(-1)).double()
is_node = ops.sum(-1) > 0
pairs = len(SIZES) * NODES * (NODES - 1) / 2
edge_right = edges.gt(0.5).double().eq(adj).double().triu(1)
whole = [
    bool(right[i][is_node[i]].all()) and edge_right[i].sum().item() == NODES * (NODES - 1) / 2
    for i in range(len(SIZES))
]
Path(sys.argv[1]).write_text(
    json.dumps(
        {
            "nodes": NODES,
            "latent": LATENT,
            "operations": OPERATIONS,
            "weight": weight.flatten().tolist(),
            "bias": bias.tolist(),
            "cells": cells,
            "latents": z.flatten().tolist(),
            "quality": {
                "operators": right[is_node].mean().item(),
                "operatorsOfAllRows": right.mean().item(),
                "adjacency": edge_right.sum().item() / pairs,
                "cells": sum(whole) / len(SIZES),
            },
        }
    )
    + "\n"
)
