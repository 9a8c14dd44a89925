"""Writes what PyTorch makes of the transformers of the search spaces: src/spaces/transformers/fixtures/language-vision.json.

    python verify/golden/language_vision_spaces.py

For every space: how many parameters its networks have at the sizes of the papers ("counts", by text), and what
comes out of small networks ("outputs") at some positions, with weights and inputs that are sines, see `fill`. The
models are written from the papers and from what the authors' code computes, with torch's own layers; the
blocks of GPT-2 are those of the transformers package. Parameters are called as in
src/spaces, where matrices are (in, out).
"""

import json
import math
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from transformers import GPT2Config
from transformers.models.gpt2.modeling_gpt2 import GPT2Block

OUT = Path(__file__).parents[2] / "src/spaces/transformers/fixtures/language-vision.json"


# Weights and inputs -------------------------------------------------------------------------------------------


def sines(name: str, shape, amplitude: float) -> torch.Tensor:
    phase = sum(map(ord, name)) % 97
    i = torch.arange(math.prod(shape), dtype=torch.float64)
    # Of ever faster waves, as matrices of one wave would have rank 2.
    return (amplitude * torch.sin(phase + 0.37 * i + 0.011 * i * i)).float().reshape(shape)


def fill(model: nn.Module) -> nn.Module:
    """Sines of amplitude 0.3, around 1 for the scales of normalisation."""
    linear = {name for name, module in model.named_modules() if isinstance(module, nn.Linear)}
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            module, _, leaf = name.rpartition(".")
            called = RENAMED(name)
            transposed = module in linear and leaf == "weight"
            shape = parameter.T.shape if transposed else parameter.shape
            values = sines(called, shape, 0.3)
            if called.endswith(("norm.weight", "norm1.weight", "norm2.weight")):
                values = 1 + values
            parameter.copy_(values.T if transposed else values)
    return model.eval()


GPT2_NAMES = {
    "ln_1": "norm1",
    "ln_2": "norm2",
    "attn.c_attn": "attention.qkv",
    "attn.c_proj": "attention.out",
    "mlp.c_fc": "up",
    "mlp.c_proj": "down",
}


def RENAMED(name: str) -> str:
    for old, new in GPT2_NAMES.items():
        name = name.replace(old, new)
    return name.replace("classToken", "class")


def token_ids(batch: int, tokens: int, vocabulary: int) -> torch.Tensor:
    return (torch.arange(batch * tokens) * 7919 % vocabulary).reshape(batch, tokens)


# AutoFormer ---------------------------------------------------------------------------------------------------


class RelativePosition(nn.Module):
    """One vector for every pair of tokens: row and column distance, cut at 14; pairs with the class token: 0."""

    def __init__(self, width: int, most: int = 14):
        super().__init__()
        self.most = most
        self.vertical = nn.Parameter(torch.zeros(2 * most + 2, width))
        self.horizontal = nn.Parameter(torch.zeros(2 * most + 2, width))

    def forward(self, side: int) -> torch.Tensor:
        patch = torch.arange(side * side)

        def index(coordinate: torch.Tensor) -> torch.Tensor:
            distance = (coordinate[None, :] - coordinate[:, None]).clamp(-self.most, self.most)
            return F.pad(distance + self.most + 1, (1, 0, 1, 0), value=0)

        return self.vertical[index(patch // side)] + self.horizontal[index(patch % side)]


class RelativeAttention(nn.Module):
    def __init__(self, width: int, heads: int, head_width: int):
        super().__init__()
        self.heads, self.head_width = heads, head_width
        self.qkv = nn.Linear(width, 3 * heads * head_width)
        self.out = nn.Linear(heads * head_width, width)
        self.relative = nn.ModuleDict(
            {"key": RelativePosition(head_width), "value": RelativePosition(head_width)}
        )

    def forward(self, x: torch.Tensor, side: int) -> torch.Tensor:
        b, n, _ = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, self.head_width).permute(2, 0, 3, 1, 4)
        keys, values = self.relative["key"](side), self.relative["value"](side)
        scores = q @ k.transpose(-2, -1) + torch.einsum("bhic,ijc->bhij", q, keys)
        weights = (scores * self.head_width**-0.5).softmax(-1)
        y = weights @ v + torch.einsum("bhij,ijc->bhic", weights, values)
        return self.out(y.transpose(1, 2).reshape(b, n, -1))


class AutoFormerLayer(nn.Module):
    def __init__(self, width: int, heads: int, head_width: int, ratio: float):
        super().__init__()
        hidden = int(width * ratio)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = RelativeAttention(width, heads, head_width)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x: torch.Tensor, side: int) -> torch.Tensor:
        x = x + self.attention(self.norm1(x), side)
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class AutoFormer(nn.Module):
    def __init__(self, width, ratios, heads, head_width=64, side=224, classes=1000):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 16, 16)
        self.classToken = nn.Parameter(torch.zeros(1, 1, width))
        self.position = nn.Parameter(torch.zeros(1, 1 + (side // 16) ** 2, width))
        self.layer = nn.ModuleList(
            AutoFormerLayer(width, h, head_width, r) for r, h in zip(ratios, heads, strict=True)
        )
        self.norm = nn.LayerNorm(width)
        self.classifier = nn.Linear(width, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.patch(x)
        side = x.shape[-1]
        x = x.flatten(2).transpose(1, 2)
        x = torch.cat([self.classToken.expand(len(x), -1, -1), x], 1) + self.position
        for layer in self.layer:
            x = layer(x, side)
        return self.classifier(self.norm(x)[:, 1:].mean(1))


# LTS GPT-2 ----------------------------------------------------------------------------------------------------


class AdaptiveEmbedding(nn.Module):
    def __init__(self, vocabulary: int, width: int, embed: int, div: int, cutoffs: list[int]):
        super().__init__()
        self.width, self.div = width, div
        self.ends = [0, *(c for c in cutoffs if c < vocabulary), vocabulary]
        if div == 1:
            self.table = nn.Parameter(torch.zeros(vocabulary, embed))
            if embed != width:
                self.project = nn.Parameter(torch.zeros(embed, width))
        else:
            sizes = [b - a for a, b in zip(self.ends, self.ends[1:])]
            self.table = nn.ParameterList(torch.zeros(s, embed // div**i) for i, s in enumerate(sizes))
            self.project = nn.ParameterList(
                torch.zeros(embed // div**i, width) for i in range(len(sizes))
            )

    def parts(self) -> list[tuple[torch.Tensor, torch.Tensor | None]]:
        """Table and projection of every cluster."""
        pairs = list(zip(self.ends, self.ends[1:]))
        if self.div == 1:
            return [(self.table[a:b], getattr(self, "project", None)) for a, b in pairs]
        return list(zip(self.table, self.project))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        out = torch.zeros(*ids.shape, self.width)
        for (table, project), a, b in zip(self.parts(), self.ends, self.ends[1:]):
            here = (ids >= a) & (ids < b)
            rows = table[ids[here] - a]
            out[here] = rows if project is None else rows @ project
        return out * self.width**0.5


class AdaptiveLogSoftmax(nn.Module):
    def __init__(self, embedding: AdaptiveEmbedding):
        super().__init__()
        parts = embedding.parts()
        table, project = parts[0]
        self.bias = nn.Parameter(torch.zeros(embedding.ends[-1]))
        if project is not None:
            self.project = nn.Parameter(torch.zeros(*project.T.shape))
        if len(parts) > 1:
            self.cluster = nn.Module()
            self.cluster.weight = nn.Parameter(torch.zeros(len(parts) - 1, table.shape[1]))
            self.cluster.bias = nn.Parameter(torch.zeros(len(parts) - 1))

    def forward(self, x: torch.Tensor, embedding: AdaptiveEmbedding) -> torch.Tensor:
        parts, ends = embedding.parts(), embedding.ends
        biases = [self.bias[a:b] for a, b in zip(ends, ends[1:])]
        hidden = x @ self.project if hasattr(self, "project") else x
        if len(parts) == 1:
            return (hidden @ parts[0][0].T + biases[0]).log_softmax(-1)
        weight = torch.cat([parts[0][0], self.cluster.weight])
        head = (hidden @ weight.T + torch.cat([biases[0], self.cluster.bias])).log_softmax(-1)
        out = [head[..., : ends[1]]]
        for i, ((table, project), bias) in enumerate(zip(parts[1:], biases[1:])):
            tail = x if project is None else x @ project.T
            cluster = head[..., ends[1] + i, None]
            out.append(cluster + (tail @ table.T + bias).log_softmax(-1))
        return torch.cat(out, -1)


class LtsGpt2(nn.Module):
    def __init__(self, width, embed, div, inner, heads, tokens=192, vocabulary=50264):
        super().__init__()
        self.embedding = AdaptiveEmbedding(vocabulary, width, embed, div, [19997, 39997, 199997])
        self.position = nn.Parameter(torch.zeros(tokens, width))
        blocks = []
        for i, (f, h) in enumerate(zip(inner, heads, strict=True)):
            config = GPT2Config(n_embd=width, n_inner=f, n_head=h, n_positions=tokens, n_layer=len(heads))
            config._attn_implementation = "sdpa"
            blocks.append(GPT2Block(config, layer_idx=i))
        self.layer = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(width)
        self.softmax = AdaptiveLogSoftmax(self.embedding)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.embedding(ids) + self.position
        for block in self.layer:
            y = block(x)
            x = y[0] if isinstance(y, tuple) else y
        return self.softmax(self.norm(x), self.embedding)


# HW-GPT-Bench -------------------------------------------------------------------------------------------------


class HwGptLayer(nn.Module):
    def __init__(self, width: int, heads: int, head_width: int, ratio: int, bias: bool):
        super().__init__()
        self.heads, self.head_width = heads, head_width
        inner, hidden = heads * head_width, ratio * width
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * inner, bias=bias)
        self.out = nn.Linear(inner, width, bias=bias)
        self.gate = nn.Linear(width, hidden, bias=bias)
        self.up = nn.Linear(width, hidden, bias=bias)
        self.down = nn.Linear(hidden, width, bias=bias)

    def rotate(self, x: torch.Tensor) -> torch.Tensor:
        part = self.head_width // 4
        theta = 10000 ** (-torch.arange(0, part, 2) / part)
        angle = torch.outer(torch.arange(x.shape[2]), theta)
        a, b, rest = x[..., : part // 2], x[..., part // 2 : part], x[..., part:]
        cos, sin = angle.cos(), angle.sin()
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, n, _ = x.shape
        qkv = self.qkv(self.norm1(x)).view(b, n, self.heads, 3, self.head_width).permute(3, 0, 2, 1, 4)
        q, k, v = qkv
        y = F.scaled_dot_product_attention(self.rotate(q), self.rotate(k), v, is_causal=True)
        attended = self.out(y.transpose(1, 2).reshape(b, n, -1))
        normed = self.norm2(x)
        return x + attended + self.down(F.silu(self.gate(normed)) * self.up(normed))


class HwGpt(nn.Module):
    def __init__(self, width, heads, ratios, bias, head_width=64, vocabulary=50254):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.layer = nn.ModuleList(
            HwGptLayer(width, h, head_width, r, bias) for h, r in zip(heads, ratios, strict=True)
        )
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.embedding(ids)
        for layer in self.layer:
            x = layer(x)
        return self.output(self.norm(x))


# The fixture --------------------------------------------------------------------------------------------------


def cycle(options, length, step=1):
    """A list that has all options in some order."""
    return [options[(i * step + i // 2) % len(options)] for i in range(length)]


def joined(values) -> str:
    return ",".join(f"{v:g}" for v in values)


def count(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())


def sampled(output: torch.Tensor, wanted: int = 24) -> dict:
    flat = output.detach().flatten()
    at = sorted({round(i * (len(flat) - 1) / (wanted - 1)) for i in range(wanted)})
    return {"at": at, "values": [float(f"{flat[i].item():.7g}") for i in at]}


def autoformer(widths, ratios, heads, depths) -> dict:
    counts = {}
    for i, (width, depth) in enumerate(zip(widths, depths)):
        r, h = cycle(ratios, depth, 1 + i), cycle(heads, depth, 2 + i)
        with torch.device("meta"):
            counts[f"{width}:{depth}:r{joined(r)}:h{joined(h)}"] = count(AutoFormer(width, r, h))
    return {"counts": counts}


def autoformer_outputs() -> list:
    """At 64×64 all distances are below the limit, at 256×256 some are beyond it."""
    ratios, heads = cycle([3.5, 4], 12), cycle([3, 4], 12, 2)
    cases = []
    for side in (64, 256):
        model = fill(AutoFormer(24, ratios, heads, head_width=8, side=side, classes=7))
        x = sines("input", (2, 3, side, side), 1)
        options = {"resolution": side, "width": 0.125, "classes": 7, "batch": 2}
        text = f"192:12:r{joined(ratios)}:h{joined(heads)}"
        cases.append({"arch": text, "options": options, **sampled(model(x), 14)})
    return cases


def lts() -> dict:
    counts, outputs = {}, []
    inner, heads = [1088, 1500, 4096, 2176], [2, 8, 4, 8]
    for width, embed, div in ((512, 512, 1), (512, 256, 1), (128, 128, 2), (1024, 512, 4)):
        text = f"{width}:4:e{embed}:k{div}:i{joined(inner)}:h{joined(heads)}"
        with torch.device("meta"):
            counts[text] = count(LtsGpt2(width, embed, div, inner, heads))
    # A sixteenth of the width; vocabularies of one and of three clusters.
    for width, embed, div in ((256, 256, 1), (512, 256, 1), (256, 256, 2), (512, 512, 4)):
        for vocabulary in (11, 40005):
            small = [width // 16, embed // 16, div, [f // 16 for f in (1088, 1504, 4096, 2176)], heads]
            model = fill(LtsGpt2(*small, tokens=6, vocabulary=vocabulary))
            options = {"resolution": 6, "width": 0.0625, "classes": vocabulary, "batch": 2}
            text = f"{width}:4:e{embed}:k{div}:i1088,1504,4096,2176:h{joined(heads)}"
            outputs.append({"arch": text, "options": options, **sampled(model(token_ids(2, 6, vocabulary)))})
    return {"counts": counts, "outputs": outputs}


def hwgpt() -> dict:
    counts, outputs = {}, []
    for width, depth, bias in ((192, 10, True), (384, 11, False), (768, 12, True)):
        heads, ratios = cycle([4, 8, 12], depth), cycle([2, 3, 4], depth, 2)
        text = f"{width}:{depth}:h{joined(heads)}:m{joined(ratios)}:b{int(bias)}"
        with torch.device("meta"):
            counts[text] = count(HwGpt(width, heads, ratios, bias))
        if depth < 12:
            model = fill(HwGpt(width // 8, heads, ratios, bias, head_width=8, vocabulary=11))
            options = {"resolution": 9, "width": 0.125, "classes": 11, "batch": 2}
            outputs.append({"arch": text, "options": options, **sampled(model(token_ids(2, 9, 11)))})
    return {"counts": counts, "outputs": outputs}


def main() -> None:
    tiny = autoformer([192, 216, 240], [3.5, 4], [3, 4], [12, 13, 14])
    fixture = {
        "autoformer-tiny": {**tiny, "outputs": autoformer_outputs()},
        "autoformer-small": autoformer([320, 384, 448], [3, 3.5, 4], [5, 6, 7], [12, 13, 14]),
        "autoformer-base": autoformer([528, 576, 624], [3, 3.5, 4], [9, 10], [14, 15, 16]),
        "lts-gpt2": lts(),
        "hwgpt-s": hwgpt(),
    }
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(fixture, indent=1) + "\n")


if __name__ == "__main__":
    torch.manual_seed(0)
    main()
