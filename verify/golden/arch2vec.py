"""Writes what PyTorch makes of arch2vec, the Accuracy model and the IO model: the fixture of their tests.

    python verify/golden/arch2vec.py src/predictors/models/fixtures/arch2vec.json

The models are written here as modules of PyTorch, in float64, from their descriptions: graph isomorphism layers with
batch normalisation, a sample of every node's Gaussian, decoders of operations and edges; heads of one accuracy and of
the ten outputs of a network on an image. Cases have the same fields as those of verify/golden/nn.py. What is drawn in
training (the sample) is an input, `noise.normal`; dropout is 0.
"""

import sys
from pathlib import Path

import torch
from nn import Case, record, written_case
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)

NODES, CODES, OPERATIONS, WIDTH, LATENT, LAYERS = 5, 7, 4, 6, 3, 2
CELLS = [
    ([0, 1, 2, 3], [(0, 1), (0, 2), (1, 3), (2, 3)]),
    ([0, 1, 1, 2, 3], [(0, 1), (1, 2), (0, 3), (2, 4), (3, 4)]),
    ([0, 3], [(0, 1)]),
    ([0, 2, 2, 1, 3], [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]),
    ([0, 1, 3], [(0, 1), (1, 2), (0, 2)]),
    ([0, 2, 1, 2, 3], [(0, 1), (1, 2), (2, 3), (1, 3), (3, 4)]),
]


def cells(case):
    operations = torch.zeros(len(CELLS), NODES, CODES)
    adjacency = torch.zeros(len(CELLS), NODES, NODES)
    for b, (ops, edges) in enumerate(CELLS):
        for i, op in enumerate(ops):
            operations[b, i, op] = 1
        for i, j in edges:
            adjacency[b, i, j] = 1
    return case.given("operations", operations), case.given("adjacency", adjacency)


def norm(case, name, x, training):
    """Over all but the last dimension; running statistics follow in training."""
    weight = case.parameter(f"{name}.weight", WIDTH, low=0.5, high=1.5)
    bias = case.parameter(f"{name}.bias", WIDTH)
    mean = case.buffer(f"{name}.running_mean", WIDTH)
    var = case.buffer(f"{name}.running_var", WIDTH, low=0.5, high=1.5)
    after = mean.clone(), var.clone()
    y = F.batch_norm(x.reshape(-1, WIDTH), *after, weight, bias, training=training)
    if training:
        case.updates[f"{name}.running_mean"], case.updates[f"{name}.running_var"] = after
    return y.reshape(x.shape)


def dense(case, name, x, out, most=1.0):
    weight = case.parameter(f"{name}.weight", x.shape[-1], out, low=-most, high=most)
    return x @ weight + case.parameter(f"{name}.bias", out)


def encode(case, operations, adjacency, training):
    both = adjacency + adjacency.transpose(1, 2)
    x = operations[..., :OPERATIONS]
    for i in range(LAYERS):
        name = f"encoder.layer.{i}"
        eps = case.parameter(f"{name}.eps")
        summed = (1 + eps) * x + both @ x
        hidden = dense(case, f"{name}.mlp.0", summed, WIDTH)
        hidden = torch.relu(norm(case, f"{name}.mlp.norm", hidden, training))
        x = dense(case, f"{name}.mlp.1", hidden, WIDTH)
        x = torch.relu(norm(case, f"{name}.norm", x, training))
    second = dense(case, "encoder.deviation", x, LATENT, 0.2)
    return dense(case, "encoder.mean", x, LATENT, 0.5), second


def sample(case, mean, log_deviation, training):
    if not training:
        return mean
    noise = case.given("noise.normal", case.draw(mean.numel() + 9))
    case.given("noise.offsets", torch.tensor([4]))
    return mean + torch.exp(log_deviation) * noise[4 : 4 + mean.numel()].reshape(mean.shape)


def loss(case, variant, training):
    operations, adjacency = cells(case)
    mean, second = encode(case, operations, adjacency, training)
    released = variant == "released"
    log_deviation = second if released else second / 2
    z = sample(case, mean, log_deviation, training)
    logits = dense(case, "decoder", z, OPERATIONS)
    known = operations[..., :OPERATIONS]
    if released:
        reconstruction = F.binary_cross_entropy(torch.sigmoid(logits), known)
    else:
        exists = known.sum(-1) > 0
        reconstruction = F.cross_entropy(logits[exists], known[exists].argmax(-1))
    # Below the diagonal the probability and the target are 0, and so is the error.
    each = F.binary_cross_entropy_with_logits(z @ z.transpose(1, 2), adjacency, reduction="none")
    edges = torch.triu(each, 1).mean()
    divergence = -0.5 * torch.mean(torch.sum(1 + 2 * log_deviation - mean**2 - torch.exp(log_deviation) ** 2, -1))
    if released:
        divergence = divergence / (len(CELLS) * NODES)
    return reconstruction + edges + divergence


def flat(case, z):
    return dense(case, "head.flat", z.flatten(1), 4)


def accuracy(case, depth):
    """Of a cell's nodes: (B, n, latent) → (B, 1), from 0 to 1."""
    x = torch.relu(flat(case, case.input("z", 3, NODES, LATENT)))
    for i in range(depth):
        x = torch.relu(dense(case, f"head.hidden.{i}", x, 5))
    return torch.sigmoid(dense(case, "head.accuracy", x, 1))


def convolution(case, name, x, out, stride):
    weight = case.parameter(f"{name}.conv.weight", out, x.shape[1], 3, 3)
    y = F.conv2d(x, weight, None, stride=stride, padding=1)
    scale = case.parameter(f"{name}.norm.weight", out, low=0.5, high=1.5)
    shift = case.parameter(f"{name}.norm.bias", out)
    mean = case.buffer(f"{name}.norm.running_mean", out)
    var = case.buffer(f"{name}.norm.running_var", out, low=0.5, high=1.5)
    return torch.relu(F.batch_norm(y, mean.clone(), var.clone(), scale, shift, training=False))


def io(case):
    """Of a cell's nodes and an image: (B, n, latent), (B, 3, 8, 8) → (B, 3)."""
    z, image = case.input("z", 2, NODES, LATENT), case.input("image", 2, 3, 8, 8)
    x = convolution(case, "head.image.0", image, 2, 1)
    for i, (out, stride) in enumerate([(2, 1), (4, 2), (4, 1), (8, 2)], 1):
        x = convolution(case, f"head.image.{i}", x, out, stride)
    x = torch.cat([x.mean((2, 3)), torch.relu(flat(case, z))], 1)
    for i in range(2):
        x = torch.relu(dense(case, f"head.hidden.{i}", x, 5))
    return dense(case, "head.outputs", x, 3)


def main(path):
    cases = {}
    for variant in "method", "released":
        for training in True, False:
            name = f"{variant} {'training' if training else 'evaluation'}"
            case = Case(name)
            cases[name] = record(case, loss(case, variant, training))
            # A bias before the normalisation of a batch has no effect: its gradient is rounding.
            found = cases[name]["gradients"]
            cases[name]["gradients"] = {k: g for k, g in found.items() if g.abs().max() > 1e-12}
    for depth in 1, 2:
        case = Case(f"accuracy {depth}")
        cases[f"accuracy {depth}"] = record(case, accuracy(case, depth))
    case = Case("io")
    cases["io"] = record(case, io(case))
    text = ",\n".join(written_case(name, parts) for name, parts in cases.items())
    Path(path).write_text('{\n "cases": {\n%s\n }\n}\n' % text)


if __name__ == "__main__":
    main(sys.argv[1])
