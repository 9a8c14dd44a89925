"""Writes how PyTorch trains: the fixtures of src/nn/training.test.ts.

    python verify/golden/training.py src/nn/fixtures

training-optimisers.json   every optimiser alone: the parameters of a small MLP after each of 20 steps, in float64
training-cnn.json          loss curves of 200 steps of a small CNN, and one loss in evaluation afterwards
training-transformer.json  the same of a small transformer

What holds: nothing random is stored. Data and first weights come from `uniform`, an integer hash that the test
has too; a fixture lists its parameters, in the layout of src/nn (weights of products are (in, out)), with the
bounds between which their first values lie. The curves are there twice, in float32 and in float64 from the same
float32 weights and data, so that a difference can be judged by what rounding alone does. PyTorch has no LAMB: it is
written here in numpy, from the paper.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

torch.set_num_threads(1)


def uniform(stream, count):
    """`count` numbers from 0 to 1, of 24 bits: the finaliser of MurmurHash3 over a Weyl sequence."""
    x = np.arange(1, count + 1, dtype=np.uint32) * np.uint32(0x9E3779B1)
    x += np.uint32((stream * 0x85EBCA6B) & 0xFFFFFFFF)
    x = (x ^ (x >> 16)) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> 13)) * np.uint32(0xC2B2AE35)
    x ^= x >> 16
    return (x >> 8) / 2**24


def between(stream, dims, low, high):
    """Numbers of float32 from `low` to `high`."""
    values = low + (high - low) * uniform(stream, math.prod(dims))
    return values.astype(np.float32).reshape(dims)


def below(stream, count, limit):
    return np.floor(uniform(stream, count) * limit).astype(np.int64)


class Parameters(nn.Module):
    """Parameters by the names of src/nn."""

    def __init__(self, specs, dtype):
        super().__init__()
        self.names = [name for name, *_ in specs]
        values = [between(100 + i, *spec) for i, (_, *spec) in enumerate(specs)]
        self.values = nn.ParameterList(nn.Parameter(torch.tensor(v, dtype=dtype)) for v in values)
        self.running = {}

    def statistics(self, name):
        """Running mean and variance of a batch normalisation."""
        size = len(self[f"{name}.weight"])
        dtype = self.values[0].dtype
        return self.running.setdefault(name, (torch.zeros(size, dtype=dtype), torch.ones(size, dtype=dtype)))

    def __getitem__(self, name):
        return self.values[self.names.index(name)]

    def numbers(self):
        return {name: rounded(value) for name, value in zip(self.names, self.values)}


def rounded(values):
    return [float(f"{x:.9g}") for x in values.detach().flatten().tolist()]


def spec(name, dims, low, high):
    return name, dims, low, high


def linear(name, size, out):
    bound = round(1 / math.sqrt(size), 3)
    return [spec(f"{name}.weight", [size, out], -bound, bound), spec(f"{name}.bias", [out], -bound, bound)]


def norm(name, size):
    return [spec(f"{name}.weight", [size], 0.9, 1.1), spec(f"{name}.bias", [size], -0.1, 0.1)]


# Optimisers alone ----------------------------------------------------------------------------------------------

STEPS = 20
RATE = 0.05
MLP = [*linear("hidden", 3, 3), *linear("out", 3, 1)]


def mlp_loss(p):
    """Mean squared error; the last feature is always 0, so that some weights have no gradient at all."""
    x = torch.tensor(between(1, [8, 3], -1, 1), dtype=torch.float64) * torch.tensor([1.0, 1.0, 0.0])
    y = torch.tensor(between(2, [8, 1], -1, 1), dtype=torch.float64)
    hidden = torch.tanh(x @ p["hidden.weight"] + p["hidden.bias"])
    return F.mse_loss(hidden @ p["out.weight"] + p["out.bias"], y)


class Lamb:
    """You et al. 2020, algorithm 2, phi the identity; in float64."""

    def __init__(self, groups, betas=(0.9, 0.999), eps=1e-6):
        self.betas, self.eps, self.steps = betas, eps, 0
        self.param_groups = [{"lr": RATE, "weight_decay": g["weight_decay"],
                              "params": [(p, np.zeros(p.shape), np.zeros(p.shape)) for p in g["params"]]}
                             for g in groups]

    def zero_grad(self):
        for group in self.param_groups:
            for p, *_ in group["params"]:
                p.grad = None

    def step(self):
        self.steps += 1
        (b1, b2), t = self.betas, self.steps
        for group in self.param_groups:
            for p, m, v in group["params"]:
                w, g = p.detach().numpy(), p.grad.numpy()
                m[:] = b1 * m + (1 - b1) * g
                v[:] = b2 * v + (1 - b2) * g**2
                r = (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + self.eps)
                u = r + group["weight_decay"] * w
                norms = np.linalg.norm(w), np.linalg.norm(u)
                ratio = norms[0] / norms[1] if min(norms) > 0 else 1.0
                with torch.no_grad():
                    p -= torch.tensor(group["lr"] * ratio * u)


def groups(p, decay, decay_all=True):
    """Weight decay on everything, or on matrices alone."""
    return [{"params": [w], "weight_decay": decay if decay_all or w.ndim > 1 else 0.0} for w in p.values]


def warm_up(step):
    """From a rate of 0."""
    return RATE * min(1, step / 5)


# name, optimiser here and its options, the same in PyTorch, what else the step does
OPTIMISERS = [
    ("sgd", "sgd", {}, lambda p: torch.optim.SGD(p.values, lr=RATE), {}),
    ("momentum", "sgd", {"momentum": 0.9}, lambda p: torch.optim.SGD(p.values, lr=RATE, momentum=0.9), {}),
    ("nesterov", "sgd", {"momentum": 0.9, "nesterov": True},
     lambda p: torch.optim.SGD(p.values, lr=RATE, momentum=0.9, nesterov=True), {}),
    ("sgd with weight decay", "sgd", {"momentum": 0.9, "weightDecay": 0.1},
     lambda p: torch.optim.SGD(p.values, lr=RATE, momentum=0.9, weight_decay=0.1), {}),
    ("adam", "adam", {}, lambda p: torch.optim.Adam(p.values, lr=RATE), {}),
    ("adam with weight decay", "adam", {"weightDecay": 0.1},
     lambda p: torch.optim.Adam(p.values, lr=RATE, weight_decay=0.1), {}),
    ("adamW", "adamW", {"weightDecay": 0.1},
     lambda p: torch.optim.AdamW(p.values, lr=RATE, weight_decay=0.1), {}),
    ("adamW, decay of matrices", "adamW", {"weightDecay": 0.1, "decayAll": False},
     lambda p: torch.optim.AdamW(groups(p, 0.1, False), lr=RATE), {}),
    ("adamW from a rate of 0", "adamW", {}, lambda p: torch.optim.AdamW(p.values, lr=RATE), {"warmUp": True}),
    ("lamb", "lamb", {"weightDecay": 0.1}, lambda p: Lamb(groups(p, 0.1)), {}),
    ("lamb, decay of matrices", "lamb", {"weightDecay": 0.1, "decayAll": False},
     lambda p: Lamb(groups(p, 0.1, False)), {}),
    ("average", "sgd", {}, lambda p: torch.optim.SGD(p.values, lr=RATE), {"emaDecay": 0.9}),
    ("clipping", "sgd", {}, lambda p: torch.optim.SGD(p.values, lr=RATE), {"clipNorm": 0.3}),
]


def optimiser_case(name, ours, options, make, step_options):
    p = Parameters(MLP, torch.float64)
    optimiser = make(p)
    averaged = None
    if "emaDecay" in step_options:
        averaged = AveragedModel(p, multi_avg_fn=get_ema_multi_avg_fn(step_options["emaDecay"]))
        averaged.update_parameters(p)  # the first call copies
    rates, losses, norms, steps = [], [], [], []
    for step in range(STEPS):
        rate = warm_up(step) if "warmUp" in step_options else RATE
        for group in optimiser.param_groups:
            group["lr"] = rate
        optimiser.zero_grad()
        loss = mlp_loss(p)
        loss.backward()
        limit = step_options.get("clipNorm", math.inf)
        norms.append(nn.utils.clip_grad_norm_(p.values, limit).item())
        optimiser.step()
        rates.append(rate)
        losses.append(loss.item())
        if averaged is not None:
            averaged.update_parameters(p)
        steps.append((averaged.module if averaged else p).numbers())
    return {
        "name": name,
        "optimiser": ours,
        "options": options,
        "step": {k: v for k, v in step_options.items() if k != "warmUp"},
        "rates": rates,
        "losses": rounded(torch.tensor(losses)),
        "gradientNorms": rounded(torch.tensor(norms)),
        "parameters": {n: [s[n] for s in steps] for n in p.names},
    }


# Networks ------------------------------------------------------------------------------------------------------

CURVE_STEPS = 200


def curve(specs, data, forward, make, rate_of, clip=math.inf):
    """The loss of every step and that of the first batch afterwards, in evaluation; in float32 and in float64."""
    curves = {}
    for key, dtype in [("float32", torch.float32), ("float64", torch.float64)]:
        p = Parameters(specs, dtype)
        optimiser = make(p)
        losses = []
        for step in range(CURVE_STEPS):
            for group in optimiser.param_groups:
                group["lr"] = rate_of(step)
            optimiser.zero_grad()
            loss = F.cross_entropy(*forward(p, *data(step, dtype)))
            loss.backward()
            nn.utils.clip_grad_norm_(p.values, clip)
            optimiser.step()
            losses.append(loss)
        p.eval()
        losses.append(F.cross_entropy(*forward(p, *data(0, dtype))))
        curves[key] = rounded(torch.stack(losses))
    print(f"{curves['float64'][0]:.4f} -> {curves['float64'][-1]:.4f}, float32 differs by "
          f"{max(abs(a / b - 1) for a, b in zip(curves['float32'], curves['float64'])):.1e}")
    return {"parameters": [dict(zip(("name", "dims", "low", "high"), s)) for s in specs], **curves}


CNN = [
    spec("first.conv.weight", [8, 1, 3, 3], -0.333, 0.333), *norm("first.norm", 8),
    spec("second.conv.weight", [16, 8, 3, 3], -0.118, 0.118), *norm("second.norm", 16),
    *linear("hidden", 144, 24), *linear("out", 24, 10),
]


def cnn_batch(step, dtype):
    """16 of 128 images, (16, 1, 12, 12): a pattern of their class of 10, and noise."""
    start = 16 * (step % 8)
    classes = below(1, 128, 10)
    patterns = between(2, [10, 1, 12, 12], -1, 1)
    noise = between(3, [128, 1, 12, 12], -2, 2)
    images = (patterns[classes] + noise)[start:start + 16]
    return torch.tensor(images, dtype=dtype), torch.tensor(classes[start:start + 16])


def cnn(p, x, classes):
    for block in ("first", "second"):
        x = F.conv2d(x, p[f"{block}.conv.weight"], padding=1)
        norm = f"{block}.norm"
        x = F.batch_norm(x, *p.statistics(norm), p[f"{norm}.weight"], p[f"{norm}.bias"], training=p.training)
        x = F.max_pool2d(F.relu(x), 2)
    x = F.relu(x.flatten(1) @ p["hidden.weight"] + p["hidden.bias"])
    return x @ p["out.weight"] + p["out.bias"], classes


WIDTH, HEADS, LENGTH, WORDS, CLASSES = 16, 2, 10, 12, 5
TRANSFORMER = [
    spec("words.weight", [WORDS, WIDTH], -1, 1),
    spec("positions", [LENGTH, WIDTH], -0.5, 0.5),
    *[s for layer in range(2) for s in [
        *norm(f"layer.{layer}.norm1", WIDTH),
        *linear(f"layer.{layer}.attention.qkv", WIDTH, 3 * WIDTH),
        *linear(f"layer.{layer}.attention.out", WIDTH, WIDTH),
        *norm(f"layer.{layer}.norm2", WIDTH),
        *linear(f"layer.{layer}.up", WIDTH, 2 * WIDTH),
        *linear(f"layer.{layer}.down", 2 * WIDTH, WIDTH),
    ]],
    *norm("norm", WIDTH),
    *linear("out", WIDTH, CLASSES),
]


def transformer_batch(step, dtype):
    """8 of 64 sequences of 10 words; the class is the sum of the first and the last, modulo 5."""
    start = 8 * (step % 8)
    words = below(1, 64 * LENGTH, WORDS).reshape(64, LENGTH)[start:start + 8]
    return torch.tensor(words), torch.tensor((words[:, 0] + words[:, -1]) % CLASSES)


def transformer(p, words, classes):
    def product(name, x):
        return x @ p[f"{name}.weight"] + p[f"{name}.bias"]

    def normalised(name, x):
        return F.layer_norm(x, [WIDTH], p[f"{name}.weight"], p[f"{name}.bias"])

    batch = len(words)
    x = F.embedding(words, p["words.weight"]) + p["positions"]
    for layer in ("layer.0", "layer.1"):
        qkv = product(f"{layer}.attention.qkv", normalised(f"{layer}.norm1", x))
        qkv = qkv.reshape(batch, LENGTH, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(*qkv).transpose(1, 2).reshape(batch, LENGTH, WIDTH)
        x = x + product(f"{layer}.attention.out", mixed)
        x = x + product(f"{layer}.down", F.gelu(product(f"{layer}.up", normalised(f"{layer}.norm2", x))))
    return product("out", normalised("norm", x).mean(1)), classes


def cosine(step):
    """Linear from 0 over the first tenth, then half a cosine to a tenth."""
    start = 0.1 * CURVE_STEPS
    if step < start:
        return 3e-3 * step / start
    return 3e-3 * (0.1 + 0.9 * (1 + math.cos(math.pi * (step - start) / (CURVE_STEPS - start))) / 2)


def main(folder):
    def write(name, content):
        text = json.dumps(content, separators=(",", ":"))
        Path(folder, f"training-{name}.json").write_text(text + "\n")

    write("optimisers", {
        "parameters": [dict(zip(("name", "dims", "low", "high"), s)) for s in MLP],
        "cases": [optimiser_case(*case) for case in OPTIMISERS],
    })
    write("cnn", curve(CNN, cnn_batch, cnn,
                       lambda p: torch.optim.SGD(p.values, momentum=0.9, weight_decay=5e-4), lambda _: 0.01))
    write("transformer", curve(TRANSFORMER, transformer_batch, transformer,
                               lambda p: torch.optim.AdamW(groups(p, 0.01, False)), cosine, clip=1.0))


main(sys.argv[1])
