"""Writes composite expressions with PyTorch's gradients: the fixture of src/autodiff/expressions.test.ts.

    python verify/golden/expressions.py src/autodiff/fixtures/expressions.json

Each expression is a small module that ends in one number, its loss. What is written of each:

models     by exporter, TorchScript and torch.export (dynamo): the ONNX file in float32, gzip, base64
inputs     what goes in, by name: type, shape, little-endian elements in base64
loss       what comes out
gradients  of the loss, by the name of a weight or of a float input, as float32 in base64

What holds: loss and gradients were computed in float64, so that they are PyTorch's and not one kernel's
rounding; weights and inputs are random and seeded by the name; the exporters fold nothing, so that every
weight is in the file under PyTorch's name.
"""

import argparse
import base64
import contextlib
import gzip
import io
import json
import logging
import math
import sys
import tempfile
import warnings
import zlib
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).parents[1] / "exports"))
from export import export  # noqa: E402

EXPRESSIONS = {}


BOTH = {"torchscript": "nofold", "dynamo": "dynamo.raw"}  # the corpus's names of these variants


def expression(exporters=tuple(BOTH), training=False, **inputs):
    """Registers a module class. Inputs are shapes of normal numbers, or tensors of integers."""
    def register(cls):
        EXPRESSIONS[cls.__name__] = (cls, exporters, training, inputs)
        return cls
    return register


def weighted(y):
    """A scalar in which every element has a weight of its own."""
    return (y * torch.linspace(0.5, 1.5, y.numel(), dtype=y.dtype).view(y.shape)).mean()


# --- dense layers and losses -------------------------------------------------------------------

@expression(x=(4, 6), labels=torch.tensor([0, 3, 1, 2]))
class MlpCrossEntropy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 4))

    def forward(self, x, labels):
        return F.cross_entropy(self.body(x), labels)


@expression(x=(2, 5, 8))
class GatedUnits(nn.Module):
    """RMS normalisation, then SwiGLU, GEGLU and GLU on one another."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(8) + 0.5)
        self.gate, self.up, self.down = nn.Linear(8, 6, bias=False), nn.Linear(8, 6, bias=False), nn.Linear(6, 8)
        self.wide = nn.Linear(8, 12)

    def forward(self, x):
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scale
        x = x + self.down(F.silu(self.gate(x)) * self.up(x))
        a, b = self.wide(x).chunk(2, -1)
        return weighted(F.glu(a * F.gelu(b, approximate="tanh"), -1))


@expression(["dynamo"], x=(3, 5), target=(3, 5), probabilities=(3, 5))
class Losses(nn.Module):
    """Huber, L1, squared, binary cross-entropy, Kullback-Leibler and hinge losses, weighted and added."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 5)

    def forward(self, x, target, probabilities):
        y = self.linear(x)
        huber = F.huber_loss(y, target, delta=0.7)
        smooth = F.smooth_l1_loss(y * 2, target, beta=0.5)
        binary = F.binary_cross_entropy_with_logits(y, probabilities.sigmoid())
        divergence = (probabilities.softmax(-1) * (probabilities.log_softmax(-1) - y.log_softmax(-1))).sum(-1).mean()
        hinge = torch.relu(1 - y * target.tanh()).square().mean()
        return huber + 0.5 * smooth + (y - target).abs().mean() + F.mse_loss(y, target) + binary + divergence + hinge


@expression(image=(4, 6), text=(4, 5))
class Contrastive(nn.Module):
    """Two towers, normalised, compared with a learned temperature, in both directions."""

    def __init__(self):
        super().__init__()
        self.image, self.text = nn.Linear(6, 4, bias=False), nn.Linear(5, 4, bias=False)
        self.temperature = nn.Parameter(torch.tensor(0.9))

    def forward(self, image, text):
        a, b = F.normalize(self.image(image), dim=-1), F.normalize(self.text(text), dim=-1)
        logits = a @ b.t() * self.temperature.exp()
        labels = torch.arange(4)
        distance = 1 - F.cosine_similarity(a, b.flip(0), dim=-1)
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2 + distance.mean()


# --- attention ---------------------------------------------------------------------------------

@expression(x=(2, 5, 6))
class CausalAttention(nn.Module):
    """A pre-norm transformer block with two heads and a causal mask."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(6), nn.LayerNorm(6)
        self.qkv, self.out = nn.Linear(6, 18), nn.Linear(6, 6)
        self.mlp = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 6))

    def forward(self, x):
        q, k, v = self.qkv(self.norm1(x)).view(2, 5, 3, 2, 3).permute(2, 0, 3, 1, 4).unbind(0)
        mask = torch.ones(5, 5, dtype=torch.bool).tril()
        scores = (q @ k.transpose(-1, -2) / math.sqrt(3)).masked_fill(~mask, float("-inf"))
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(2, 5, 6))
        return weighted(x + self.mlp(self.norm2(x)))


@expression(x=(2, 6, 8))
class RotaryGroupedAttention(nn.Module):
    """Four query heads share two of keys and values; positions are rotations; scores are capped by tanh."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 16, False), nn.Linear(8, 8, False), nn.Linear(8, 8, False)
        angle = torch.arange(6)[:, None] / torch.tensor([1.0, 10.0])
        self.register_buffer("cos", torch.cat([angle, angle], -1).cos())
        self.register_buffer("sin", torch.cat([angle, angle], -1).sin())

    def rotate(self, x):
        a, b = x[..., :2], x[..., 2:]
        return x * self.cos + torch.cat([-b, a], -1) * self.sin

    def forward(self, x):
        heads = lambda y: y.view(2, 6, -1, 4).transpose(1, 2)
        q, k = self.rotate(heads(self.q(x))), self.rotate(heads(self.k(x)))
        k, v = k.repeat_interleave(2, 1), heads(self.v(x)).repeat_interleave(2, 1)
        scores = 3 * torch.tanh(q @ k.transpose(-1, -2) / 6)
        scores = scores + torch.triu(torch.full((6, 6), -1e9, dtype=x.dtype), 1)
        return weighted(scores.softmax(-1) @ v)


@expression(x=(1, 4, 4, 6))
class ShiftedWindows(nn.Module):
    """Rolled windows with a table of biases by relative position."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(6, 18)
        self.table = nn.Parameter(torch.randn(9, 2))
        grid = torch.stack(torch.meshgrid(torch.arange(2), torch.arange(2), indexing="ij")).flatten(1)
        offset = grid[:, :, None] - grid[:, None] + 1
        self.register_buffer("offsets", (offset[0] * 3 + offset[1]).flatten())

    def forward(self, x):
        x = torch.roll(x, (-1, -1), (1, 2))
        windows = x.view(1, 2, 2, 2, 2, 6).transpose(2, 3).reshape(4, 4, 6)
        q, k, v = self.qkv(windows).view(4, 4, 3, 2, 3).permute(2, 0, 3, 1, 4)
        bias = self.table[self.offsets].view(4, 4, 2).permute(2, 0, 1)
        y = ((q * 0.6) @ k.transpose(-1, -2) + bias).softmax(-1) @ v
        y = y.transpose(1, 2).reshape(1, 2, 2, 2, 2, 6).transpose(2, 3).reshape(1, 4, 4, 6)
        return weighted(torch.roll(y, (1, 1), (1, 2)) + x)


@expression(scores=(2, 3, 6), values=(2, 6, 4), lengths=torch.tensor([4, 6]))
class MaskedSoftmax(nn.Module):
    """Attention over a part of a sequence, weighted anew by a learned prior."""

    def __init__(self):
        super().__init__()
        self.prior = nn.Parameter(torch.rand(6) + 0.2)

    def forward(self, scores, values, lengths):
        mask = torch.arange(6)[None, None] < lengths[:, None, None]
        weights = scores.masked_fill(~mask, -1e4).softmax(-1) * self.prior
        weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-6)
        entropy = -(weights * (weights + 1e-3).log() * mask).sum(-1)
        return weighted(weights @ values) + torch.logsumexp(scores.where(mask, -30.0), -1).mean() + entropy.mean()


@expression(x=(2, 4, 5), y=(2, 5, 3))
class EinsumChain(nn.Module):
    """Contractions, outer products, traces of diagonals and a linear attention."""

    def __init__(self):
        super().__init__()
        self.core, self.mix = nn.Parameter(torch.randn(4, 3, 2) / 2), nn.Parameter(torch.randn(2, 4) / 2)

    def forward(self, x, y):
        a = torch.einsum("bij,bjk->bik", x, y)
        b = torch.einsum("bik,ikr,rm->bm", a, self.core, self.mix)
        c = torch.einsum("bi,bj->bij", b, x.sum(-1))
        k, v = F.elu(x) + 1, y.tanh()
        d = torch.einsum("bdn,bnv->bdv", k, v)
        return weighted(torch.einsum("bij,bjv->biv", c, d)) + torch.einsum("bik,bik->", a, a) / 20


# --- convolutions ------------------------------------------------------------------------------

@expression(x=(1, 3, 8, 8))
class ResidualConvs(nn.Module):
    """Two convolutions with frozen batch normalisation, and a strided shortcut."""

    def __init__(self):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(3, 4, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(4)
        self.conv2, self.norm2 = nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)
        self.shortcut = nn.Conv2d(3, 4, 1, stride=2)

    def forward(self, x):
        y = torch.relu(self.norm1(self.conv1(x)))
        return weighted(torch.relu(self.norm2(self.conv2(y)) + self.shortcut(x)))


@expression(x=(2, 4, 6, 6))
class SqueezeExcite(nn.Module):
    """An inverted bottleneck: expansion, depthwise convolution, squeeze and excitation, hard activations."""

    def __init__(self):
        super().__init__()
        self.expand, self.depthwise = nn.Conv2d(4, 6, 1), nn.Conv2d(6, 6, 3, padding=1, groups=6, bias=False)
        self.squeeze, self.excite, self.project = nn.Conv2d(6, 2, 1), nn.Conv2d(2, 6, 1), nn.Conv2d(6, 4, 1)

    def forward(self, x):
        y = F.hardswish(self.depthwise(F.relu6(self.expand(x))))
        gate = F.hardsigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool2d(y, 1)))))
        return weighted(x + self.project(y * gate))


@expression(x=(2, 2, 12))
class CausalConvs1d(nn.Module):
    """Dilated, grouped and padded on one side, with normalised weights and a gate."""

    def __init__(self):
        super().__init__()
        self.direction, self.gain = nn.Parameter(torch.randn(8, 2, 2)), nn.Parameter(torch.rand(8, 1, 1) + 0.5)
        self.grouped, self.skip = nn.Conv1d(4, 4, 3, dilation=2, groups=2), nn.Conv1d(2, 4, 1)

    def forward(self, x):
        weight = self.gain * self.direction / self.direction.norm(dim=(1, 2), keepdim=True)
        a, b = F.conv1d(F.pad(x, (1, 0)), weight).chunk(2, 1)
        y = self.grouped(F.pad(a.tanh() * b.sigmoid(), (4, 0)))
        return weighted(F.leaky_relu(y + self.skip(x), 0.2))


@expression(x=(2, 4, 3, 3))
class TransposedConvs(nn.Module):
    """Upwards by transposed convolutions, one grouped with an output padding, and down again."""

    def __init__(self):
        super().__init__()
        self.up1 = nn.ConvTranspose2d(4, 4, 3, stride=2, padding=1, output_padding=1, groups=2)
        self.up2 = nn.ConvTranspose2d(4, 3, 2, stride=2, bias=False)
        self.slope, self.down = nn.PReLU(4), nn.Conv2d(3, 2, 3, stride=(2, 3), padding=(0, 1))

    def forward(self, x):
        return weighted(self.down(self.up2(self.slope(self.up1(x))).sigmoid()))


@expression(x=(1, 3, 4, 4))
class PixelShuffle(nn.Module):
    """Space to depth, a convolution, depth to space."""

    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Conv2d(12, 4, 1), nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x):
        y = F.mish(self.inner(F.pixel_unshuffle(x, 2)))
        return weighted(F.pixel_shuffle(F.softplus(self.outer(y)), 2))


@expression(x=(1, 2, 8, 8))
class ResizePyramid(nn.Module):
    """Feature maps of three sizes, resized to one: nearest, linear with both kinds of corners, cubic."""

    def __init__(self):
        super().__init__()
        self.low, self.middle = nn.Conv2d(2, 2, 3, stride=4), nn.Conv2d(2, 2, 3, stride=2, padding=1)

    def forward(self, x):
        low, middle = self.low(x), self.middle(x)
        y = F.interpolate(low, scale_factor=2, mode="nearest") + middle
        z = F.interpolate(y, size=(7, 9), mode="bilinear", align_corners=True)
        z = z + F.interpolate(middle, size=(7, 9), mode="bilinear", align_corners=False)
        return weighted(z * z) + weighted(F.interpolate(x, scale_factor=1.5, mode="bicubic", align_corners=False))


@expression(x=(1, 2, 9, 8))
class PoolingPyramid(nn.Module):
    """Overlapping, padded, dilated and adaptive pooling of one map, put beside each other."""

    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(2, 3, 3, padding=1), nn.Linear(42, 3)

    def forward(self, x):
        y = self.conv(x)
        maps = [F.max_pool2d(y, 3, stride=2, padding=1), F.max_pool2d(y, 2, stride=3, dilation=2),
                F.avg_pool2d(y, 3, stride=2, count_include_pad=False, padding=1, ceil_mode=True)[:, :, :2],
                F.adaptive_avg_pool2d(y, 1), F.adaptive_max_pool2d(y, 1), F.lp_pool2d(y, 2, 4)]
        return weighted(self.head(torch.cat([m.flatten(2) for m in maps], 2)).sigmoid())


@expression(x=(2, 2, 5, 6))
class Padding(nn.Module):
    """Reflected, repeated, circular and constant borders; slices with steps, flips."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 2, 3)

    def forward(self, x):
        a = self.conv(F.pad(x, (1, 1, 1, 1), mode="reflect"))
        b = self.conv(F.pad(a, (2, 0, 0, 2), mode="replicate"))
        c = F.pad(b[:, :, ::2, 1:-1], (0, 1, 1, 0), value=0.5)
        d = F.pad(x, (1, 0, 1, 0), mode="circular").flip(3)
        return weighted(c * c) + weighted(d[:, :, 1::2, ::3].exp())


# --- normalisation -----------------------------------------------------------------------------

@expression(x=(2, 4, 4, 3))
class NormMix(nn.Module):
    """Group, instance and layer normalisation on one another."""

    def __init__(self):
        super().__init__()
        self.group, self.instance, self.layer = nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True), nn.LayerNorm(4)
        self.conv = nn.Conv2d(4, 4, 1, bias=False)

    def forward(self, x):
        y = F.silu(self.group(x)) + self.instance(self.conv(x))
        return weighted(F.elu(self.layer(y.permute(0, 2, 3, 1)) * y.mean((2, 3))[:, None, None]))


@expression(["torchscript"], training=True, x=(4, 3, 3, 3))
class BatchNormTraining(nn.Module):
    """Batch normalisation with the statistics of the batch, through which gradients flow, too."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.flat = nn.Conv2d(3, 4, 2, bias=False), nn.BatchNorm2d(4), nn.BatchNorm1d(4)

    def forward(self, x):
        y = torch.relu(self.norm(self.conv(x)))
        return weighted(self.flat(y.amax((2, 3))).tanh())


# --- indices -----------------------------------------------------------------------------------

@expression(["dynamo"], tokens=torch.tensor([[1, 4, 4, 0], [6, 1, 2, 5]]),
            segment=torch.tensor([0, 2, 1, 0, 2, 2, 1, 0]))
class EmbeddingPooling(nn.Module):
    """Embeddings used twice, tied to the output, summed by segment."""

    def __init__(self):
        super().__init__()
        self.embed, self.positions = nn.Embedding(7, 5), nn.Parameter(torch.randn(6, 5))
        self.mix = nn.Linear(5, 5)

    def forward(self, tokens, segment):
        x = torch.tanh(self.mix(self.embed(tokens) + self.positions[: tokens.shape[1]]))
        logits = x @ self.embed.weight.t()
        pooled = torch.zeros(3, 5, dtype=x.dtype).index_add(0, segment, x.flatten(0, 1))
        return F.cross_entropy(logits.flatten(0, 1), tokens.flatten()) + weighted(pooled * pooled)


@expression(x=(3, 6), index=torch.tensor([[0, 2, 2], [5, 1, 0], [3, 3, 4]]))
class GatherScatter(nn.Module):
    """Elements taken along an axis, changed and added back; rows chosen, rows replaced."""

    def __init__(self):
        super().__init__()
        self.scale, self.table = nn.Parameter(torch.randn(3, 3)), nn.Parameter(torch.randn(4, 6))

    def forward(self, x, index):
        taken = x.gather(1, index) * self.scale
        y = (x * 0.5).scatter_add(1, index, taken.sin())
        y = y.scatter(1, index[:, 1:2], taken[:, :1])
        z = self.table.index_select(0, index[0])
        return weighted(y * z) + z.square().sum() / 30


@expression(x=(4, 6))
class MixtureOfExperts(nn.Module):
    """A gate that keeps the two best of four experts, and running sums of what they say."""

    def __init__(self):
        super().__init__()
        self.gate, self.experts = nn.Linear(6, 4, bias=False), nn.Parameter(torch.randn(4, 6, 3) / 2)

    def forward(self, x):
        scores, chosen = self.gate(x).topk(2, -1)
        outputs = torch.einsum("bi,eio->beo", x, self.experts)
        picked = outputs.gather(1, chosen[..., None].expand(-1, -1, 3))
        y = (picked * scores.softmax(-1)[..., None]).sum(1)
        return weighted(y.cumsum(0).tanh()) + weighted(y.sort(-1).values ** 2)


# --- element by element ------------------------------------------------------------------------

@expression(a=(3, 1, 4), b=(2, 1), c=(1, 3, 1, 1), d=())
class Broadcasting(nn.Module):
    """Every way of being repeated, on both sides, also of a scalar and of a weight with leading ones."""

    def __init__(self):
        super().__init__()
        self.w, self.v = nn.Parameter(torch.randn(1, 1, 4)), nn.Parameter(torch.randn(2, 1) + 2)

    def forward(self, a, b, c, d):
        x = (a * b - c) / (self.v.abs() + 1) + d * self.w
        y = torch.max(x, a.mean(-1, keepdim=True)) - torch.min(b, d) * x.expand(2, 3, 2, 4)
        return weighted(y * y.sum((1, 3), keepdim=True) / 8) + (x @ a.transpose(-1, -2)).mean()


@expression(x=(4, 5), y=(4, 5))
class Selections(nn.Module):
    """Conditions, bounds and extremes, of elements and of whole rows."""

    def __init__(self):
        super().__init__()
        self.low, self.high = nn.Parameter(torch.tensor(-0.8)), nn.Parameter(torch.rand(5) + 0.4)

    def forward(self, x, y):
        a = torch.where(x > y, x * 2, y.square())
        b = x.clamp(-0.5, 1.2) + torch.maximum(torch.minimum(y * 1.5, self.high), self.low)
        c = a.amax(1) - b.amin(1) + x.max(dim=1).values * (y.abs() + 0.1).min(dim=1).values
        return weighted(a * b) + c.square().mean() + F.relu6(a * 4).sum() / 40 + F.hardtanh(b, -0.3, 0.9).mean()


@expression(x=(3, 4), y=(3, 4))
class Functions(nn.Module):
    """Transcendental functions, powers and reductions in one another."""

    def __init__(self):
        super().__init__()
        self.power, self.w = nn.Parameter(torch.tensor(1.7)), nn.Parameter(torch.rand(4) + 0.3)

    def forward(self, x, y):
        p = x.abs() + 0.3
        a = torch.sin(x) * torch.cos(y) + torch.atan(x * y) + torch.erf(x) - torch.exp(-y * y)
        b = p ** self.power + torch.log1p(p) + p.sqrt() + p.reciprocal() + (y / p).tanh() + self.w ** 3
        c = a.norm(dim=1) + b.abs().sum(1) / 4 + a.std(1) + b.var(0, unbiased=False).mean() + (x * 0.3 + 1).prod(1)
        return (a * b).mean() + c.mean() + torch.logsumexp(a + b, 0).sum() / 9 + (y % 1.0 * x).mean()


# --- recurrence --------------------------------------------------------------------------------

@expression(x=(3, 2, 4))
class RecurrentCells(nn.Module):
    """An LSTM and a GRU written out, three steps each, weights shared by the steps."""

    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.Linear(7, 12), nn.Linear(7, 6)
        self.candidate = nn.Linear(7, 3)

    def forward(self, x):
        h = c = g = torch.zeros(2, 3, dtype=x.dtype)
        total = 0
        for step in x.unbind(0):
            i, f, o, z = self.lstm(torch.cat([step, h], 1)).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * z.tanh()
            h = o.sigmoid() * c.tanh()
            r, u = self.gru(torch.cat([step, g], 1)).sigmoid().chunk(2, 1)
            g = (1 - u) * g + u * self.candidate(torch.cat([step, r * g], 1)).tanh()
            total = total + weighted(h * g)
        return total + weighted(torch.stack([h, g, c], 1))


# -----------------------------------------------------------------------------------------------

def build(name):
    cls, _, training, declared = EXPRESSIONS[name]
    torch.manual_seed(zlib.crc32(name.encode()))
    module = cls()
    module.train(training)
    with torch.no_grad():
        for key, value in [*module.named_parameters(), *module.named_buffers()]:
            if key.endswith("running_var"):
                value.uniform_(0.5, 1.5)
            elif value.is_floating_point() and key not in ("cos", "sin"):
                value.add_(torch.randn_like(value) * 0.1)
    inputs = {key: value if isinstance(value, torch.Tensor) else torch.randn(value) for key, value in declared.items()}
    return module, inputs


def exported(name, exporter):
    """The file, with nothing in it that computing does not need."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
        path = Path(folder) / "model.onnx"
        export(*build(name), path, BOTH[exporter], {})
        model = onnx.load(path)
    for holder in (model, model.graph):
        del holder.metadata_props[:]
    del model.graph.value_info[:]
    for info in (*model.graph.input, *model.graph.output, *model.graph.initializer, *model.graph.node):
        del info.metadata_props[:]
        info.ClearField("doc_string")
    rename(model.graph)
    model.graph.name = name
    return model


def rename(graph):
    """Inner values and nodes get short names; inputs, weights and nodes' operators say the rest. The loss is `loss`."""
    assert len(graph.output) == 1
    names = {graph.output[0].name: "loss"}
    for i, node in enumerate(graph.node):
        node.name = f"{node.op_type}_{i}"
        for output in node.output:
            names.setdefault(output, f"v{len(names)}")
    for node in graph.node:
        assert not any(a.HasField("g") for a in node.attribute)
        node.input[:] = [names.get(value, value) for value in node.input]
        node.output[:] = [names.get(value, value) for value in node.output]
    graph.output[0].name = "loss"


def base64_of(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def truth(module, inputs):
    """Loss and gradients in float64: of all weights, and of the inputs that are floats."""
    module.double()
    doubles = {key: value.double().requires_grad_() if value.is_floating_point() else value
               for key, value in inputs.items()}
    loss = module(**doubles)
    wanted = {**dict(module.named_parameters()),
              **{key: value for key, value in doubles.items() if value.requires_grad}}
    return loss.item(), dict(zip(wanted, torch.autograd.grad(loss, list(wanted.values()))))


def record(name):
    models = {exporter: exported(name, exporter) for exporter in EXPRESSIONS[name][1]}
    loss, gradients = truth(*build(name))
    inputs = build(name)[1]
    for exporter, model in models.items():
        present = {t.name for t in model.graph.initializer} | {v.name for v in model.graph.input}
        lost = [key for key in gradients if key not in present]
        assert not lost, f"{name}: {lost} are not in the file by {exporter}"
    for key, gradient in gradients.items():
        assert gradient.abs().max() > 1e-5, f"{name}: the gradient of {key} vanishes"
    types = {torch.float32: "float32", torch.int64: "int64"}
    packed = lambda model: gzip.compress(model.SerializeToString(deterministic=True), mtime=0)
    return {
        "name": name,
        "models": {exporter: base64.b64encode(packed(model)).decode() for exporter, model in models.items()},
        "inputs": {key: {"type": types[value.dtype], "dims": list(value.shape), "data": base64_of(value.numpy())}
                   for key, value in inputs.items()},
        "loss": loss,
        "gradients": {key: base64_of(value.float().numpy()) for key, value in gradients.items()},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    records = []
    for name in EXPRESSIONS:
        records.append(record(name))
        print(f"{name}: {len(json.dumps(records[-1]))} bytes", flush=True)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({"torch": torch.__version__, "expressions": records}, indent=2) + "\n")
    print(f"{len(records)} expressions, {options.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
