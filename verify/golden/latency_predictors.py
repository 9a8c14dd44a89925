"""Writes what PyTorch makes of NNLP and of NN-Former's latency model: the fixture of src/predictors/latency.

    python verify/golden/latency_predictors.py src/predictors/models/fixtures/latency.json

networks     small graphs of different sizes: operator codes, attribute numbers, shapes, edges, FLOPs and so on
encodings    the features of a network, by either encoding, every node
models       what is predicted for every network, by name of the model and its sizes
loss         two passes, targets, and the loss of both

What holds: float64; networks go through one by one, without padding; the models are written as the papers describe
them, neighbours of GraphSAGE gathered node by node, masks of attention pair by pair. Parameters are sines of their
places, see `Weights`, under the names src/predictors/latency gives them and in its layout (in, out).
"""

import json
import math
import sys
from pathlib import Path

import torch
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)

CONV, RELU, ADD, GEMM, TRANSPOSE, MATMUL, MAXPOOL, CONV_TRANSPOSE, INPUT = 1, 2, 3, 9, 10, 18, 6, 28, 0

# code, attribute numbers, shape
NETWORKS = [
    {
        "nodes": [
            [INPUT, [], [2, 3, 32, 32]],
            [CONV, [3, 2, 1, 1, 1, 1], [2, 16, 16, 16]],
            [RELU, [], [2, 16, 16, 16]],
            [MAXPOOL, [3, 2, 1], [2, 16, 8, 8]],
            [CONV, [5, 1, 2, 2, 16, 0], [2, 16, 8, 8]],
            [ADD, [], [2, 16, 8, 8]],
            [GEMM, [1], [2, 10, 0, 0]],
        ],
        "edges": [[0, 1], [1, 2], [2, 3], [3, 4], [3, 5], [4, 5], [5, 6]],
        "statics": [2, 3.7e9, 2.1e6, 7.9e6],
    },
    {
        "nodes": [
            [INPUT, [], [1, 64, 128, 0]],
            [TRANSPOSE, [0, 2, 1, 0, 0, 0, 0, 0], [1, 128, 64, 0]],
            [MATMUL, [], [1, 128, 128, 0]],
        ],
        "edges": [[0, 1], [0, 2], [1, 2]],
        "statics": [1, 2.5e8, 0, 1.6e4],
    },
    {
        # One value feeds three, which feed one: siblings of both kinds.
        "nodes": [
            [INPUT, [], [8, 24, 56, 56]],
            [CONV, [1, 1, 0, 1, 1, 0], [8, 96, 56, 56]],
            [CONV, [3, 1, 1, 1, 24, 1], [8, 24, 56, 56]],
            [CONV, [7, 1, 3, 1, 1, 1], [8, 24, 56, 56]],
            [MAXPOOL, [3, 1, 1], [8, 24, 56, 56]],
            [0, [], [8, 24, 56, 56]],
            [ADD, [], [8, 24, 56, 56]],
            [ADD, [], [8, 24, 56, 56]],
            [RELU, [], [8, 24, 56, 56]],
            [CONV_TRANSPOSE, [4, 2, 1, 1, 1, 1, 1], [8, 12, 113, 113]],
            [RELU, [], [8, 96, 56, 56]],
        ],
        "edges": [
            *([0, i] for i in (1, 2, 3, 4)),
            [2, 5], [3, 6], [5, 6], [4, 7], [6, 7], [7, 8], [8, 9], [1, 10],
        ],
        "statics": [8, 5.1e10, 4.4e7, 3.3e8],
    },
]  # fmt: skip

# The constants of NNLQP: what attributes of an operator stand for, and how they and shapes are normalised.
ATTRIBUTES = {
    CONV: ["kernel", "stride", "pad", "dilation", "group", "bias"],
    MAXPOOL: ["kernel", "stride", "pad"],
    GEMM: ["bias"],
    TRANSPOSE: ["perm"] * 8,
    CONV_TRANSPOSE: ["kernel", "stride", "pad", "dilation", "group", "bias", "output_padding"],
}
CENTRE_SCALE = {
    "kernel": (2.53, 56),
    "stride": (1.16, 56),
    "pad": (0.75, 6),
    "dilation": (1, 1),
    "group": (15.08, 6144),
    "bias": (0.77, 1),
    "perm": (1.78, 4),
    "output_padding": (0, 1e-5),
}
SHAPE_CENTRE = [12.25, 286.96, 32.62, 31.80]
SHAPE_SCALE = [1024, 2496, 256, 256]


def one_hot(code):
    return [1.0 if code == c else 0.0 for c in range(1, 33)]


def padded(values, length):
    return values + [0.0] * (length - len(values))


def nnlp_features(network):
    rows = []
    for code, attributes, shape in network["nodes"]:
        scaled = []
        for name, value in zip(ATTRIBUTES.get(code, []), attributes, strict=True):
            centre, scale = CENTRE_SCALE[name]
            scaled.append((value - centre) / scale)
        sizes = [(v - c) / s for v, c, s in zip(shape, SHAPE_CENTRE, SHAPE_SCALE, strict=True)]
        rows.append(one_hot(code) + padded(scaled, 8) + sizes)
    batch, flops, parameters, memory = network["statics"]
    return torch.tensor(rows), torch.tensor([batch, flops / 1e9, parameters / 1e9, memory / 1e9])


def sinusoid(value, frequencies):
    out = []
    for j in range(frequencies):
        omega = math.pow(10000, -j / frequencies)
        out += [math.sin(value * omega), math.cos(value * omega)]
    return out


def nn_former_features(network):
    rows = []
    for code, attributes, shape in network["nodes"]:
        encoded = [x for v in attributes for x in sinusoid(v, 5)]
        sizes = [x for v in shape for x in sinusoid(v, 10)]
        rows.append(one_hot(code) + padded(encoded, 80) + sizes)
    batch, flops, parameters, memory = network["statics"]
    statics = [batch, flops / 1e9, parameters / 1e7, memory / 1e7]
    return torch.tensor(rows), torch.tensor([x for v in statics for x in sinusoid(v, 5)])


class Weights:
    """Parameters made when they are asked for: sin(phase + 0.37·i + 0.011·i²), the phase from the name."""

    def __init__(self):
        self.count = {}

    def __call__(self, name, *dims):
        size = math.prod(dims)
        self.count[name] = size
        i = torch.arange(size)
        phase = sum(map(ord, name)) % 97
        sines = torch.sin(phase + 0.37 * i + 0.011 * i * i).reshape(dims)
        if name.endswith("gamma"):
            return 0.5 + 0.3 * sines
        if name.endswith("bias"):
            return 0.1 * sines
        if len(dims) == 1:
            return 1 + 0.1 * sines
        return sines / math.sqrt(dims[0])

    def linear(self, name, x, out, bias=True):
        weight = self(f"{name}.weight", x.shape[-1], out)
        return F.linear(x, weight.T, self(f"{name}.bias", out) if bias else None)

    def layer_norm(self, name, x):
        d = x.shape[-1]
        return F.layer_norm(x, (d,), self(f"{name}.weight", d), self(f"{name}.bias", d))


def sage(w, name, x, edges, out):
    neighbours = [[] for _ in x]
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    means = torch.stack([x[n].mean(0) if n else torch.zeros_like(x[0]) for n in neighbours])
    y = w.linear(f"{name}.root", x, out, bias=False) + w.linear(f"{name}.neighbours", means, out)
    return F.normalize(y, p=2.0, dim=-1)


def nnlp(w, network, width, platforms, platform):
    x, statics = nnlp_features(network)
    for i in range(2):
        x = F.relu(sage(w, f"sage.{i}", x, network["edges"], width))
    graph = x.sum(0)
    if platforms == 1:
        statics = F.relu(w.linear("static", statics, width))
    x = torch.cat([graph, statics])
    head = "head" if platforms == 1 else f"head.{platform}"
    x = F.relu(w.linear(f"{head}.0", x, width))
    x = F.relu(w.linear(f"{head}.1", x, width))
    return -F.logsigmoid(w.linear(f"{head}.2", x, 1))


def relation_masks(edges, n):
    """Four n×n masks, true where i may attend to j: successors, predecessors, siblings by parent, by child."""
    fed = {(a, b) for a, b in edges}
    tests = [
        lambda i, j: (i, j) in fed,
        lambda i, j: (j, i) in fed,
        lambda i, j: any((k, i) in fed and (k, j) in fed for k in range(n)),
        lambda i, j: any((i, k) in fed and (j, k) in fed for k in range(n)),
    ]
    return torch.tensor([[[i == j or test(i, j) for j in range(n)] for i in range(n)] for test in tests])


def nn_former(w, network, width, blocks, platforms, platform):
    x, statics = nn_former_features(network)
    n, heads, size = len(x), 4, width // 4
    masks = relation_masks(network["edges"], n)
    adjacency = torch.zeros(n, n)
    for a, b in network["edges"]:
        adjacency[a, b] = 1
    x = w.linear("embedding", x, width)
    for i in range(blocks):
        y = w.layer_norm(f"block.{i}.norm1", x)
        q, k, v = w.linear(f"block.{i}.attention.qkv", y, 3 * width).chunk(3, -1)
        parts = []
        for h in range(heads):
            cut = slice(h * size, (h + 1) * size)
            scores = q[:, cut] @ k[:, cut].T / math.sqrt(size)
            parts.append(F.softmax(scores.masked_fill(~masks[h], -math.inf), -1) @ v[:, cut])
        y = w.linear(f"block.{i}.attention.out", torch.cat(parts, -1), width)
        x = x + y * w(f"block.{i}.scale1.gamma", width)

        y = w.layer_norm(f"block.{i}.norm2", x)
        v1, v2 = w.linear(f"block.{i}.feedForward.graph", y, 4 * width).chunk(2, -1)
        messages = torch.cat([adjacency @ v1, adjacency.T @ v2], -1)
        hidden = F.relu(w.linear(f"block.{i}.feedForward.own", y, 4 * width) + messages)
        y = w.linear(f"block.{i}.feedForward.contract", hidden, width)
        x = x + y * w(f"block.{i}.scale2.gamma", width)
    y = w.layer_norm("preReduction.norm", x)
    mlp = w.linear("preReduction.1", F.relu(w.linear("preReduction.0", y, 2 * width)), width)
    graph = ((y + mlp) * 0.01).sum(0)
    whole = F.relu(w.linear("static", statics, width))
    head = "head" if platforms == 1 else f"head.{platform}"
    hidden = F.relu(w.linear(f"{head}.0", torch.cat([graph, whole]), width))
    return F.softplus(w.linear(f"{head}.1", hidden, 1))


def case(model, *, platforms=1, **sizes):
    """Network i is measured on platform i modulo their number."""
    w = Weights()
    found = [
        model(w, network, platforms=platforms, platform=i % platforms, **sizes)
        for i, network in enumerate(NETWORKS)
    ]
    predictions = [round(p.item(), 9) for p in found]
    used = sum(w.count.values())
    return {"sizes": sizes, "platforms": platforms, "parameters": used, "predictions": predictions}


def two_pass_loss():
    first, second, latency = (torch.tensor(v) for v in ([1.5, 2.0, 0.4], [1.2, 2.5, 0.5], [1.0, 2.0, 0.8]))
    loss = (
        torch.mean((first / latency - 1) ** 2)
        + torch.mean((second / latency - 1) ** 2)
        + 0.01 * F.l1_loss(first, second)
    )
    return {
        "first": first.tolist(),
        "second": second.tolist(),
        "latency": latency.tolist(),
        "loss": loss.item(),
    }


def rounded(tensor):
    return [round(v, 7) for v in tensor.flatten().tolist()]


def main():
    encodings = {}
    for name, encode, network in (("nnlp", nnlp_features, 2), ("nnFormer", nn_former_features, 1)):
        nodes, statics = encode(NETWORKS[network])
        encodings[name] = {"network": network, "nodes": rounded(nodes), "statics": rounded(statics)}
    golden = {
        "networks": NETWORKS,
        "encodings": encodings,
        "models": {
            "nnlp": case(nnlp, width=24),
            "nnlpPlatforms": case(nnlp, width=24, platforms=2),
            "nnFormer": case(nn_former, width=16, blocks=2),
            "nnFormerPlatforms": case(nn_former, width=16, blocks=1, platforms=3),
            "nnlpPaper": case(nnlp, width=512),
            "nnFormerPaper": case(nn_former, width=512, blocks=2),
        },
        "loss": two_pass_loss(),
    }
    Path(sys.argv[1]).write_text(json.dumps(golden) + "\n")


main()
