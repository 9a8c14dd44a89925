"""Writes what PyTorch makes of every layer, loss and schedule of src/nn: the fixture of its tests.

    python verify/golden/nn.py src/nn/fixtures/nn.json

What is written of each case:

inputs      by name: shape, elements, and the type where that is not float32
parameters  by the names src/nn gives them, in its layout (weights of products are (in, out))
output      what comes out
seed        a number for every element of the output; gradients are those of the sum of their products
gradients   by the name of an input or a parameter
updates     running statistics afterwards

What holds: all was computed in float64, so that it is PyTorch's and not one kernel's rounding; random numbers
are seeded by the name of the case and have two decimals. Layers that PyTorch does not have (those of graphs) are
written here node by node and edge by edge, as their papers have them, and not with matrices.
"""

import json
import math
import sys
import zlib
from pathlib import Path

import torch
from torch import nn
from torch.func import functional_call
from torch.nn import functional as F
from torch.optim import lr_scheduler

torch.set_default_dtype(torch.float64)
CASES = {}


class Case:
    """Draws tensors and remembers them under their names."""

    def __init__(self, name):
        self.random = torch.Generator().manual_seed(zlib.crc32(name.encode()))
        self.inputs, self.parameters, self.updates = {}, {}, {}

    def draw(self, *dims, low=-1.0, high=1.0):
        values = torch.rand(dims, generator=self.random) * (high - low) + low
        return (values * 100).round() / 100

    def input(self, name, *dims, **bounds):
        self.inputs[name] = self.draw(*dims, **bounds).requires_grad_()
        return self.inputs[name]

    def given(self, name, values):
        """An input that is not differentiated: a mask, indices."""
        self.inputs[name] = torch.as_tensor(values)
        return self.inputs[name]

    def parameter(self, name, *dims, **bounds):
        self.parameters[name] = self.draw(*dims, **bounds).requires_grad_()
        return self.parameters[name]

    def buffer(self, name, *dims, **bounds):
        self.parameters[name] = self.draw(*dims, **bounds)
        return self.parameters[name]

    def linear(self, name, x, out, bias=True):
        weight = self.parameter(f"{name}weight", x.shape[-1], out)
        return F.linear(x, weight.T, self.parameter(f"{name}bias", out) if bias else None)


def case(compute):
    """Runs a function of a case, named after it: `attention_masked` is 'attention/masked'."""
    name = compute.__name__.replace("_", "/", 1)
    made = Case(name)
    CASES[name] = record(made, compute(made))


def record(made, output):
    """What is written of a case: see the top."""
    seed = made.draw(*output.shape) if output.dim() else torch.tensor(1.0)
    leaves = {k: v for k, v in {**made.inputs, **made.parameters}.items() if v.requires_grad}
    found = torch.autograd.grad((output * seed).sum(), list(leaves.values()))
    return {
        "inputs": made.inputs,
        "parameters": made.parameters,
        "output": output,
        "seed": seed,
        "gradients": dict(zip(leaves, found)),
        "updates": made.updates,
    }


# --- dense layers and normalisations -----------------------------------------------------------


@case
def linear_biased(c):
    return c.linear("", c.input("x", 2, 3, 4), 5)


@case
def linear_embedding(c):
    return F.embedding(c.given("indices", [[0, 2], [4, 2]]), c.parameter("weight", 5, 3))


@case
def normalise_layerNorm(c):
    x = c.input("x", 2, 3, 5)
    return F.layer_norm(x, (5,), c.parameter("weight", 5), c.parameter("bias", 5), eps=1e-5)


@case
def normalise_layerScale(c):
    return c.input("x", 2, 3, 4) * c.parameter("gamma", 4)


def batch_norm(c, x, training, path="", momentum=0.1):
    weight, bias = c.parameter(f"{path}weight", x.shape[1]), c.parameter(f"{path}bias", x.shape[1])
    mean = c.buffer(f"{path}running_mean", x.shape[1])
    var = c.buffer(f"{path}running_var", x.shape[1], low=0.5, high=2)
    running = [mean.clone(), var.clone()]
    y = F.batch_norm(x, *running, weight, bias, training, momentum, 1e-5)
    if training:
        c.updates[f"{path}running_mean"], c.updates[f"{path}running_var"] = running
    return y


@case
def normalise_batchNormTraining(c):
    return batch_norm(c, c.input("x", 3, 2, 2, 3), training=True)


@case
def normalise_batchNormEvaluation(c):
    return batch_norm(c, c.input("x", 3, 2, 2, 3), training=False)


@case
def normalise_batchNormChannelsLast(c):
    x = c.input("x", 2, 3, 4)
    return batch_norm(c, x.flatten(0, 1), training=True, momentum=0.3).view(x.shape)


@case
def normalise_batchNormTwice(c):
    """One layer, applied to two batches in one step."""
    layer = nn.BatchNorm1d(2)
    parameters = {name: c.parameter(name, 2) for name in ("weight", "bias")}
    buffers = {
        "running_mean": c.buffer("running_mean", 2),
        "running_var": c.buffer("running_var", 2, low=0.5, high=2),
    }
    state = {name: buffer.clone() for name, buffer in buffers.items()}
    state["num_batches_tracked"] = torch.tensor(0)
    first, second = c.input("x", 4, 2), c.input("x2", 3, 2)
    y = torch.cat([functional_call(layer, {**parameters, **state}, (x,)) for x in (first, second)])
    c.updates.update({name: state[name] for name in buffers})
    return y


# --- attention ---------------------------------------------------------------------------------


def attention(c, x, heads, memory=None, bias=True, mask=None):
    """torch.nn.MultiheadAttention with our parameters. `mask` is its attn_mask: (B·H, n, m) or (n, m)."""
    d = x.shape[-1]
    e = d if memory is None else memory.shape[-1]
    layer = nn.MultiheadAttention(d, heads, bias=bias, batch_first=True, kdim=e, vdim=e)
    names = ["qkv"] if memory is None else ["q", "kv"]
    sizes = {"qkv": (d, 3 * d), "q": (d, d), "kv": (e, 2 * d)}
    weights = [c.parameter(f"{name}.weight", *sizes[name]) for name in names]
    state = {"out_proj.weight": c.parameter("out.weight", d, d).T}
    if bias:
        state["in_proj_bias"] = torch.cat([c.parameter(f"{name}.bias", sizes[name][1]) for name in names])
        state["out_proj.bias"] = c.parameter("out.bias", d)
    if memory is None or e == d:
        state["in_proj_weight"] = torch.cat([weight.T for weight in weights])
    else:
        key, value = weights[1].T.chunk(2)
        state.update(q_proj_weight=weights[0].T, k_proj_weight=key, v_proj_weight=value)
    memory = x if memory is None else memory
    return functional_call(layer, state, (x, memory, memory), {"attn_mask": mask, "need_weights": False})[0]


def diagonal_and(c, *dims):
    """A random boolean mask in which everyone may attend to itself."""
    return (c.draw(*dims) > 0.2) | torch.eye(*dims[-2:], dtype=torch.bool)


@case
def attention_plain(c):
    return attention(c, c.input("x", 2, 3, 4), heads=2)


@case
def attention_withoutBias(c):
    return attention(c, c.input("x", 2, 3, 4), heads=1, bias=False)


@case
def attention_sharedMask(c):
    x = c.input("x", 2, 3, 4)
    return attention(c, x, heads=2, mask=~c.given("mask", diagonal_and(c, 3, 3)))


@case
def attention_maskPerHead(c):
    x = c.input("x", 2, 3, 4)
    mask = c.given("mask", diagonal_and(c, 2, 3, 3))
    return attention(c, x, heads=2, mask=~mask.repeat(2, 1, 1))


@case
def attention_maskPerSampleAndHead(c):
    x = c.input("x", 2, 3, 4)
    mask = c.given("mask", diagonal_and(c, 2, 2, 3, 3))
    return attention(c, x, heads=2, mask=~mask.flatten(0, 1))


@case
def attention_additiveMask(c):
    x = c.input("x", 2, 3, 4)
    mask = c.input("mask", 2, 2, 3, 3)
    return attention(c, x, heads=2, mask=mask.flatten(0, 1))


@case
def attention_memory(c):
    x, memory = c.input("x", 2, 2, 4), c.input("memory", 2, 3, 6)
    return attention(c, x, heads=2, memory=memory, mask=~c.given("mask", diagonal_and(c, 2, 3)))


# --- graphs: node by node, edge by edge --------------------------------------------------------

ADJACENCY = [
    [[0, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]],
    [[0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],  # its last node is padding
]
MASK = [[True] * 4, [True, True, True, False]]


def gather(adjacency, x, weight=lambda graph, i, j: 1.0, self_loops=False):
    """For every node i of every graph the weighted sum over the nodes j that i points to."""
    graphs = []
    for graph, features in zip(adjacency, x):
        rows = []
        for i in range(len(graph)):
            total = torch.zeros_like(features[0])
            for j in range(len(graph)):
                if graph[i][j] or (self_loops and i == j):
                    total = total + weight(graph, i, j) * features[j]
            rows.append(total)
        graphs.append(torch.stack(rows))
    return torch.stack(graphs)


def degree(graph, i):
    return float(sum(graph[i]))


def existing(y):
    """Zeros for the nodes that are padding."""
    return torch.stack([
        torch.stack([row if there else torch.zeros_like(row) for row, there in zip(graph, mask)])
        for graph, mask in zip(y, MASK)
    ])


def nodes(c):
    c.given("adjacency", torch.tensor(ADJACENCY, dtype=torch.float64))
    return c.input("x", 2, 4, 3)


@case
def graph_gcn(c):
    x = nodes(c)
    y = c.linear("", gather(ADJACENCY, x), 2, bias=False)
    return y + c.parameter("bias", 2)


@case
def graph_gcnSymmetric(c):
    x = nodes(c)
    c.given("mask", MASK)

    def weight(graph, i, j):
        return 1 / math.sqrt((degree(graph, i) + 1) * (degree(graph, j) + 1))

    y = c.linear("", gather(ADJACENCY, x, weight, self_loops=True), 2, bias=False)
    return existing(y + c.parameter("bias", 2))


@case
def graph_gcnMeanWithSelf(c):
    x = nodes(c)
    mean = gather(ADJACENCY, x, lambda graph, i, j: 1 / (degree(graph, i) + 1), self_loops=True)
    return c.linear("", mean, 2, bias=False)


@case
def graph_bidirectionalGcn(c):
    x = nodes(c)
    v = c.linear("", x, 4)
    turned = [[list(column) for column in zip(*graph)] for graph in ADJACENCY]
    return torch.cat([gather(ADJACENCY, v[..., :2]), gather(turned, v[..., 2:])], -1)


@case
def graph_gin(c):
    x = nodes(c)
    c.given("mask", MASK)
    eps = c.parameter("eps")
    hidden = F.relu(c.linear("mlp.0.", (1 + eps) * x + gather(ADJACENCY, x), 3))
    return existing(c.linear("mlp.1.", hidden, 2))


@case
def graph_graphConv(c):
    x = nodes(c)
    c.given("mask", MASK)
    root = c.linear("root.", x, 2, bias=False)
    return existing(root + c.linear("neighbours.", gather(ADJACENCY, x), 2))


def sage(c, x):
    mean = gather(ADJACENCY, x, lambda graph, i, j: 1 / degree(graph, i))
    return c.linear("root.", x, 2, bias=False) + c.linear("neighbours.", mean, 2)


@case
def graph_graphSage(c):
    return sage(c, nodes(c))


@case
def graph_graphSageUnitLength(c):
    return F.normalize(sage(c, nodes(c)), dim=-1)


@case
def graph_nodeMean(c):
    x = c.input("x", 2, 4, 3)
    c.given("mask", MASK)
    return torch.stack([x[0].mean(0), x[1, :3].mean(0)])


# --- recurrent layers and convolutions ---------------------------------------------------------


@case
def recurrent_lstmCell(c):
    """Two steps from a state of zeros; the last hidden state and cell."""
    layer = nn.LSTMCell(3, 2)
    state = {}
    for theirs, ours, size in (("ih", "input", 3), ("hh", "hidden", 2)):
        state[f"weight_{theirs}"] = c.parameter(f"{ours}.weight", size, 8).T
        state[f"bias_{theirs}"] = c.parameter(f"{ours}.bias", 8)
    first = functional_call(layer, state, (c.input("x", 2, 3),))
    return torch.cat(functional_call(layer, state, (c.input("x2", 2, 3), first)), -1)


@case
def convolution_conv2d(c):
    x, weight = c.input("x", 2, 2, 4, 4), c.parameter("weight", 3, 2, 3, 3)
    return F.conv2d(x, weight, c.parameter("bias", 3), stride=2, padding=1)


@case
def convolution_conv2dGroups(c):
    x, weight = c.input("x", 1, 4, 3, 4), c.parameter("weight", 6, 2, 1, 3)
    return F.conv2d(x, weight, padding=(0, 1), groups=2)


@case
def convolution_conv2dDilated(c):
    x, weight = c.input("x", 1, 2, 5, 5), c.parameter("weight", 2, 1, 3, 3)
    return F.conv2d(x, weight, stride=2, padding=2, dilation=2, groups=2)


@case
def convolution_convBlock(c):
    x, weight = c.input("x", 2, 2, 3, 3), c.parameter("conv.weight", 3, 2, 3, 3)
    return F.relu(batch_norm(c, F.conv2d(x, weight, padding=1), training=True, path="norm."))


@case
def convolution_globalAveragePool(c):
    return F.adaptive_avg_pool2d(c.input("x", 2, 3, 2, 3), 1).flatten(1)


@case
def convolution_maxPool2d(c):
    return F.max_pool2d(c.input("x", 1, 2, 5, 5), 3, stride=2, padding=1)


# --- losses ------------------------------------------------------------------------------------


@case
def losses_mse(c):
    return F.mse_loss(c.input("p", 5), c.input("y", 5))


@case
def losses_relativeSquaredError(c):
    return torch.mean((c.input("p", 5) / c.input("y", 5, low=0.5, high=2) - 1) ** 2)


@case
def losses_l1(c):
    return F.l1_loss(c.input("p", 5, 1), c.input("y", 5, 1))


@case
def losses_huber(c):
    return F.huber_loss(c.input("p", 8), c.input("y", 8), delta=0.5)


@case
def losses_binaryCrossEntropy(c):
    return F.binary_cross_entropy_with_logits(c.input("x", 2, 4, low=-9, high=9), c.input("y", 2, 4, low=0))


@case
def losses_binaryCrossEntropyWeighted(c):
    x, y = c.input("x", 2, 3, 3), c.given("y", torch.triu(torch.ones(2, 3, 3), 1))
    weight = c.given("weights", torch.triu(torch.ones(3, 3), 1))
    return F.binary_cross_entropy_with_logits(x, y, weight=weight)


@case
def losses_crossEntropy(c):
    return F.cross_entropy(c.input("x", 4, 3), c.given("classes", [0, 2, 1, 2]))


@case
def losses_crossEntropySmoothed(c):
    return F.cross_entropy(c.input("x", 4, 3), c.given("classes", [0, 2, 1, 2]), label_smoothing=0.1)


@case
def losses_pairwiseDifference(c):
    p, y = c.input("p", 5), c.input("y", 5)
    order = c.given("permutation", [2, 0, 3, 4, 1])
    return F.l1_loss(p - p[order], y - y[order])


@case
def losses_contrastive(c):
    """Without the diagonal, which is taken out of both matrices, an ordinary cross-entropy."""
    count = 4
    others = ~torch.eye(count, dtype=torch.bool)
    z = F.normalize(c.input("z", count, 3), dim=-1)
    distances = c.given("distances", c.draw(count, count, low=0, high=2))
    targets = F.softmax(-distances[others].view(count, -1) / 0.5, -1)
    return F.cross_entropy((z @ z.T / 0.2)[others].view(count, -1), targets)


@case
def losses_klNormal(c):
    mean, log_deviation = c.input("mean", 2, 3, 4), c.input("logDeviation", 2, 3, 4)
    posterior = torch.distributions.Normal(mean, log_deviation.exp())
    prior = torch.distributions.Normal(torch.zeros(4), torch.ones(4))
    return torch.distributions.kl_divergence(posterior, prior).sum(-1).mean()


# --- schedules: the rate of every step ---------------------------------------------------------


def rates(make, steps=25, metrics=None):
    optimiser = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.3)
    schedule = make(optimiser)
    found = []
    for step in range(steps):
        found.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        if metrics is None:
            schedule.step()
        else:
            schedule.step(metrics[step])
    return found


def warmup_then(optimiser, rest, steps):
    rising = lr_scheduler.LambdaLR(optimiser, lambda step: step / steps)
    return lr_scheduler.SequentialLR(optimiser, [rising, rest], milestones=[steps])


METRICS = [9, 8, 8.5, 7.9999, 8.1, 8, 5, 6, 6, 6, 6, 6, 6, 7, 4.9, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]


def schedules():
    plateau = {"factor": 0.5, "patience": 2, "threshold": 1e-3, "min_lr": 0.02}
    return {
        "warmupCosine": rates(lambda o: warmup_then(o, lr_scheduler.CosineAnnealingLR(o, 16, eta_min=0.03), 4), 21),
        "warmupLinear": rates(lambda o: warmup_then(o, lr_scheduler.LinearLR(o, 1.0, 0.1, 16), 4)),
        "cosine": rates(lambda o: lr_scheduler.CosineAnnealingLR(o, 20, eta_min=0.003), 21),
        "stepDecay": rates(lambda o: lr_scheduler.StepLR(o, 6, 0.5)),
        "metrics": METRICS,
        "plateau": rates(lambda o: lr_scheduler.ReduceLROnPlateau(o, **plateau), metrics=METRICS),
        "plateauOfMost": rates(
            lambda o: lr_scheduler.ReduceLROnPlateau(o, "max", **plateau), metrics=[10 - m for m in METRICS]
        ),
    }


# --- writing -----------------------------------------------------------------------------------

TYPES = {torch.int64: "int64", torch.bool: "bool"}


def written(tensor):
    data = [float(f"{v:.8g}") if isinstance(v, float) else int(v) for v in tensor.detach().flatten().tolist()]
    data = [int(v) if v == int(v) else v for v in data]
    return {"type": TYPES.get(tensor.dtype, "float32"), "dims": list(tensor.shape), "data": data}


def line(value):
    return json.dumps(value, separators=(",", ":"))


def written_case(name, parts):
    rows = []
    for part, value in parts.items():
        tensors = {k: written(v) for k, v in value.items()} if isinstance(value, dict) else written(value)
        rows.append(f"   {line(part)}: {line(tensors)}")
    return f"  {line(name)}: {{\n" + ",\n".join(rows) + "\n  }"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cases = [written_case(name, parts) for name, parts in CASES.items()]
    rates_of = [f"  {line(name)}: {line(values)}" for name, values in schedules().items()]
    text = "{\n \"cases\": {\n%s\n },\n \"schedules\": {\n%s\n }\n}\n"
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text % (",\n".join(cases), ",\n".join(rates_of)))
    print(f"{len(CASES)} cases, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
