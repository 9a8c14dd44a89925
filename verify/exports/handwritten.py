"""Small modules that cover what the model zoos leave out: recurrent cells, learned scalars, shared
weights, buffers that look like weights, transposed and 1D/3D convolutions."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class Recurrent(nn.Module):
    """An embedding, a recurrent stack and a linear read-out of the last step."""

    def __init__(self, cell, layers=1, bidirectional=False):
        super().__init__()
        self.embed = nn.Embedding(100, 24)
        self.rnn = cell(24, 32, num_layers=layers, bidirectional=bidirectional, batch_first=True)
        self.head = nn.Linear(64 if bidirectional else 32, 10)

    def forward(self, tokens):
        return self.head(self.rnn(self.embed(tokens))[0][:, -1])


class EmbeddingLinear(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Embedding(100, 16), nn.Linear(16, 4))

    def forward(self, tokens):
        return super().forward(tokens)


class UNet(nn.Module):
    """Two levels, transposed convolutions on the way up."""

    def __init__(self):
        super().__init__()
        block = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())
        self.down1, self.down2, self.bottom = block(3, 16), block(16, 32), block(32, 64)
        self.up2, self.up1 = nn.ConvTranspose2d(64, 32, 2, stride=2), nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.merge2, self.merge1 = block(64, 32), block(32, 16)
        self.out = nn.Conv2d(16, 2, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        c = self.bottom(F.max_pool2d(b, 2))
        b = self.merge2(torch.cat([self.up2(c), b], 1))
        a = self.merge1(torch.cat([self.up1(b), a], 1))
        return self.out(a)


class Attention(nn.Module):
    """nn.MultiheadAttention on its own: its projections are functional, no nn.Linear is called."""

    def __init__(self, **options):
        super().__init__()
        self.attention = nn.MultiheadAttention(48, 4, batch_first=True, **options)

    def forward(self, x):
        return self.attention(x, x, x)[0]


class Encoder(nn.Module):
    def __init__(self, norm_first=False):
        super().__init__()
        layer = nn.TransformerEncoderLayer(48, 4, 96, batch_first=True, norm_first=norm_first)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x):
        return self.encoder(x)


class Scalar(nn.Module):
    """Learned scalars: rank 0 and shape [1], multiplied and added."""

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(16, 16)
        self.gain = nn.Parameter(torch.tensor(1.25))
        self.offset = nn.Parameter(torch.full((1,), 0.5))
        self.temperature = nn.Parameter(torch.tensor(0.7))

    def forward(self, x):
        return (self.body(x) * self.gain + self.offset) * self.temperature.exp()


class Normalised(nn.Module):
    """A float buffer: the mean and deviation of the training images."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1))
        self.register_buffer("std", torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1))
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        return self.conv((x - self.mean) / self.std)


class Sinusoidal(nn.Module):
    """A fixed position table kept as a buffer."""

    def __init__(self, length=64, width=32):
        super().__init__()
        angle = torch.arange(length)[:, None] / torch.exp(torch.arange(0, width, 2) / width * math.log(1e4))
        self.register_buffer("table", torch.stack([angle.sin(), angle.cos()], -1).flatten(1))
        self.embed = nn.Embedding(100, width)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 10)

    def forward(self, tokens):
        return self.head(self.norm(self.embed(tokens) + self.table[: tokens.shape[1]]))


class LearnedPositions(nn.Module):
    """The same table as a parameter, longer than the sequence: forward reads a part of it."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 32)
        self.positions = nn.Parameter(torch.randn(1, 64, 32))
        self.head = nn.Linear(32, 10)

    def forward(self, tokens):
        return self.head(self.embed(tokens) + self.positions[:, : tokens.shape[1]])


class Bilinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.bilinear = nn.Bilinear(8, 12, 6)

    def forward(self, a, b):
        return self.bilinear(a, b)


class Shared(nn.Module):
    """One linear layer and one convolution, each applied three times."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        for _ in range(3):
            x = F.relu(self.norm(self.conv(x)))
        x = x.mean((2, 3))
        for _ in range(3):
            x = F.relu(self.linear(x))
        return x


class Tied(nn.Module):
    """An embedding that is also the output projection."""

    def __init__(self, bias):
        super().__init__()
        self.embed = nn.Embedding(100, 32)
        self.mix = nn.Linear(32, 32)
        self.head = nn.Linear(32, 100, bias=bias)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        return self.head(torch.tanh(self.mix(self.embed(tokens))))


class CausalMask(nn.Module):
    """Attention by hand, with a mask buffer and a square root of the width."""

    def __init__(self, width=32, length=16):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width, bias=False)
        self.register_buffer("mask", torch.triu(torch.full((length, length), float("-inf")), 1))

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + self.mask
        return self.out(scores.softmax(-1) @ v)


class LayerScale(nn.Module):
    """Per-channel gains, a class token and a position embedding, all bare parameters."""

    def __init__(self, width=32):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 8, 8)
        self.token = nn.Parameter(torch.randn(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, 17, width))
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.gamma = nn.Parameter(torch.full((width,), 0.1))

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions
        return x + self.gamma * self.mlp(self.norm(x))


class BareMatrix(nn.Module):
    """Parameters used by plain arithmetic: x @ W + b and einsum."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(16, 24))
        self.b = nn.Parameter(torch.randn(24))
        self.mix = nn.Parameter(torch.randn(4, 6, 5))

    def forward(self, x):
        return torch.einsum("bhi,hio->bho", (x @ self.w + self.b).view(-1, 4, 6), self.mix)


def conv1d():
    return nn.Sequential(nn.Conv1d(4, 16, 5, stride=2), nn.BatchNorm1d(16), nn.ReLU(),
                         nn.Conv1d(16, 32, 3, groups=4, bias=False), nn.AdaptiveAvgPool1d(1), nn.Flatten(),
                         nn.Linear(32, 5))


def conv3d():
    return nn.Sequential(nn.Conv3d(1, 8, 3), nn.BatchNorm3d(8), nn.ReLU(), nn.Conv3d(8, 16, 3, stride=2), nn.ReLU(),
                         nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(16, 5))


def decoder():
    return nn.Sequential(nn.Linear(16, 32 * 16), nn.Unflatten(1, (32, 4, 4)),
                         nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
                         nn.ConvTranspose2d(16, 8, 3, stride=2, padding=1, output_padding=1, groups=2, bias=False),
                         nn.ReLU(), nn.Conv2d(8, 3, 3, padding=1), nn.Tanh())


def prelu(channels):
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.PReLU(channels), nn.Flatten(), nn.Linear(8 * 14 * 14, 5), nn.PReLU())


def group_norm():
    return nn.Sequential(nn.Conv2d(3, 16, 3), nn.GroupNorm(4, 16), nn.SiLU(), nn.Conv2d(16, 8, 1))


def instance_norm():
    return nn.Sequential(nn.Conv2d(3, 16, 3), nn.InstanceNorm2d(16, affine=True), nn.LeakyReLU(0.2),
                         nn.Conv2d(16, 8, 1), nn.InstanceNorm2d(8))


def weight_norm(legacy):
    wrap = nn.utils.weight_norm if legacy else nn.utils.parametrizations.weight_norm
    return nn.Sequential(wrap(nn.Conv1d(4, 8, 3)), nn.ReLU(), wrap(nn.Conv1d(8, 8, 3)), nn.Flatten(),
                         wrap(nn.Linear(96, 5)))


def unaffine_norms():
    return nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8, affine=False), nn.Hardswish(), nn.Flatten(1),
                         nn.LayerNorm(8 * 14 * 14, elementwise_affine=False), nn.Linear(8 * 14 * 14, 4))


def mlp():
    return nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 1, bias=False))


def linear_batch_norm():
    return nn.Sequential(nn.Linear(10, 32, bias=False), nn.BatchNorm1d(32), nn.ELU(), nn.Linear(32, 4),
                         nn.BatchNorm1d(4))
