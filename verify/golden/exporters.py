"""The same networks as different exporters write them, and what some proxies are for them in PyTorch.

    python verify/golden/exporters.py

Writes src/proxies/fixtures/exporters/<network>-<exporter>.onnx and exporters.json beside them (one batch, labels, scores
in float64). Scores must not depend on the exporter. Exporters: TorchScript with opset 17 and a batch of any size (t17), with
opset 14 and no constants folded (t14), torch.export as it is (d) and before it is optimised (dn); and the first one with
operators fused by ONNX Runtime (ort).
"""
import copy
import json
import logging
import math
import pathlib
import warnings

import onnx
import onnxruntime
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

warnings.filterwarnings('ignore')
logging.disable(logging.WARNING)
HERE = pathlib.Path(__file__).parent.parent.parent / 'src' / 'proxies' / 'fixtures' / 'exporters'
TOKENS, WORDS, WIDTH, HEADS = 10, 40, 16, 4


class Tied(nn.Module):
    """A decoder whose output layer shares the table of tokens; a mask, positions, GELU by tanh in parts."""

    def __init__(self):
        super().__init__()
        d = WIDTH
        self.tokens, self.positions = nn.Embedding(WORDS, d), nn.Embedding(TOKENS, d)
        self.blocks = nn.ModuleList(nn.ModuleDict({
            'norm1': nn.LayerNorm(d), 'qkv': nn.Linear(d, 3 * d), 'project': nn.Linear(d, d),
            'norm2': nn.LayerNorm(d), 'up': nn.Linear(d, 24), 'down': nn.Linear(24, d),
        }) for _ in range(2))
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, WORDS, bias=False)
        self.head.weight = self.tokens.weight
        self.register_buffer('mask', torch.tril(torch.ones(TOKENS, TOKENS)).view(1, 1, TOKENS, TOKENS))

    def layers(self):
        return [m for block in self.blocks for m in block.values() if isinstance(m, nn.Linear)]

    def forward(self, x):
        b, t = x.shape
        x = self.tokens(x) + self.positions(torch.arange(t))
        for m in self.blocks:
            q, k, v = (z.view(b, t, HEADS, -1).transpose(1, 2) for z in m['qkv'](m['norm1'](x)).split(WIDTH, 2))
            scores = (q @ k.transpose(-1, -2)) / math.sqrt(WIDTH / HEADS)
            scores = scores.masked_fill(self.mask[:, :, :t, :t] == 0, float('-inf')).softmax(-1)
            x = x + m['project']((scores @ v).transpose(1, 2).reshape(b, t, WIDTH))
            y = m['up'](m['norm2'](x))
            y = 0.5 * y * (1 + torch.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * y ** 3)))
            x = x + m['down'](y)
        return self.head(self.norm(x))


class Gated(nn.Module):
    """A decoder with root mean square normalisation, turned queries and keys, shared keys, and a gated perceptron."""

    def __init__(self):
        super().__init__()
        d = WIDTH
        self.tokens, self.head = nn.Embedding(WORDS, d), nn.Linear(d, WORDS, bias=False)
        self.blocks = nn.ModuleList(nn.ModuleDict({
            'q': nn.Linear(d, d, bias=False), 'k': nn.Linear(d, d // 2, bias=False),
            'v': nn.Linear(d, d // 2, bias=False), 'o': nn.Linear(d, d, bias=False),
            'gate': nn.Linear(d, 24, bias=False), 'up': nn.Linear(d, 24, bias=False), 'down': nn.Linear(24, d, bias=False),
        }) for _ in range(2))
        self.scales = nn.ParameterList(nn.Parameter(torch.ones(d)) for _ in range(5))
        angles = torch.outer(torch.arange(TOKENS).float(), torch.tensor([1.0, 0.01]))
        self.register_buffer('cos', angles.cos())
        self.register_buffer('sin', angles.sin())

    def layers(self):
        return [m for m in self.modules() if isinstance(m, nn.Linear)]

    def normalised(self, x, i):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scales[i]

    def turned(self, x):
        a, b = x[..., :2], x[..., 2:]
        return torch.cat([a * self.cos - b * self.sin, a * self.sin + b * self.cos], -1)

    def forward(self, x):
        b, t = x.shape
        x = self.tokens(x)
        for i, m in enumerate(self.blocks):
            y = self.normalised(x, 2 * i)
            q, k, v = (m[name](y).view(b, t, -1, 4).transpose(1, 2) for name in 'qkv')
            k, v = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
            y = F.scaled_dot_product_attention(self.turned(q), self.turned(k), v, is_causal=True)
            x = x + m['o'](y.transpose(1, 2).reshape(b, t, WIDTH))
            y = self.normalised(x, 2 * i + 1)
            x = x + m['down'](F.silu(m['gate'](y)) * m['up'](y))
        return self.head(self.normalised(x, 4))


class Groups(nn.Module):
    """Group normalisation, a transposed convolution, a resize, SiLU and Mish."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(2, 8)
        self.down, self.up = nn.Conv2d(8, 12, 3, 2, 1), nn.ConvTranspose2d(12, 8, 2, 2)
        self.merge, self.head = nn.Conv2d(16, 8, 3, padding=1), nn.Conv2d(8, 4, 1)

    def layers(self):
        return [m for m in self.modules() if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d))]

    def forward(self, x):
        a = F.silu(self.norm(self.first(x)))
        b = F.relu(self.down(a))
        c = self.up(b) + F.interpolate(b, scale_factor=2, mode='nearest')[:, :8]
        return self.head(F.mish(self.merge(torch.cat([a, c], 1)))).mean((2, 3))


class Encoder(nn.Module):
    """PyTorch's own encoder, normalised after each part, behind patches and a token for the class."""

    def __init__(self):
        super().__init__()
        d = WIDTH
        self.patches, self.token = nn.Conv2d(3, d, 4, 4), nn.Parameter(torch.randn(1, 1, d))
        self.positions = nn.Parameter(torch.randn(1, 5, d))
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(d, HEADS, 24, batch_first=True, activation='gelu', dropout=0) for _ in range(2))
        self.head = nn.Linear(d, 6)

    def layers(self):
        inner = [m for b in self.blocks for m in (b.self_attn.out_proj, b.linear1, b.linear2)]
        return [self.patches, *inner, self.head]

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(x[:, 0])


def weights_of(net):
    weights = [m.weight for m in net.layers()]
    return weights + [b.self_attn.in_proj_weight for b in net.blocks] if isinstance(net, Encoder) else weights


def scores(net, x, labels):
    weights = weights_of(net)

    def loss():
        y = net(x)
        return F.cross_entropy(y.reshape(-1, y.shape[-1]), labels)

    g = torch.autograd.grad(loss(), weights)
    again = torch.autograd.grad(loss(), weights, create_graph=True)
    h = torch.autograd.grad(sum((p * q).sum() for p, q in zip(g, again)), weights)
    return {
        'params': sum(p.numel() for p in net.parameters()),
        'l2_norm': sum(w.norm().item() for w in weights),
        'plain': sum((w * d).sum().item() for w, d in zip(weights, g)),
        'snip': sum((w * d).abs().sum().item() for w, d in zip(weights, g)),
        'grad_norm': sum(d.norm().item() for d in g),
        'grasp': sum(-(w * d).sum().item() for w, d in zip(weights, h)),
    }


EXPORTERS = {
    't17': {'dynamo': False, 'opset_version': 17, 'dynamic_axes': {'x': {0: 'n'}}},
    't14': {'dynamo': False, 'opset_version': 14, 'do_constant_folding': False},
    'd': {'dynamo': True, 'opset_version': 20, 'external_data': False, 'verbose': False},
    'dn': {'dynamo': True, 'opset_version': 20, 'optimize': False, 'external_data': False, 'verbose': False},
}


def without_traces(path):
    model = onnx.load(path)
    for item in [*model.graph.node, *model.graph.input, *model.graph.output]:
        del item.metadata_props[:]
        item.doc_string = ''
    # What constants were folded from is used; stack traces are most of the file.
    for item in model.graph.value_info:
        kept = [p for p in item.metadata_props if p.key.endswith('folded_from')]
        del item.metadata_props[:]
        item.metadata_props.extend(kept)
    onnx.save(model, path)


def fuse(source, target):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(target)
    options.log_severity_level = 4
    onnxruntime.InferenceSession(str(source), options, providers=['CPUExecutionProvider'])


def main():
    HERE.mkdir(exist_ok=True)
    golden = {}
    for i, build in enumerate([Tied, Gated, Groups, Encoder]):
        name = build.__name__.lower()
        torch.manual_seed(i)
        net = build()
        for p in net.parameters():
            # Equal ones, which scales and shifts begin as, some exporters write once.
            if p.dim() == 1:
                nn.init.normal_(p, 0.5, 0.2)
        net.eval()
        if name in ('tied', 'gated'):
            x, labels = torch.randint(0, WORDS, (4, TOKENS)), torch.randint(0, WORDS, (4 * TOKENS,))
        else:
            x = torch.randn(4, 3, 8, 8).mul(1000).round().div(1000)
            labels = torch.randint(0, 4, (4,))
        for exporter, options in EXPORTERS.items():
            path = HERE / f'{name}-{exporter}.onnx'
            torch.onnx.export(copy.deepcopy(net), (x,), path, input_names=['x'], output_names=['y'], **options)
            without_traces(path)
        fuse(HERE / f'{name}-t17.onnx', HERE / f'{name}-ort.onnx')
        wide = net.double()
        # Fast ways through attention have no gradients, or none of gradients.
        torch.backends.mha.set_fastpath_enabled(False)
        with sdpa_kernel(SDPBackend.MATH):
            values = scores(wide, x.double() if x.is_floating_point() else x, labels)
        torch.backends.mha.set_fastpath_enabled(True)
        numbers = [round(v, 3) for v in x.flatten().tolist()]
        golden[name] = {'dims': list(x.shape), 'x': numbers, 'labels': labels.tolist(), 'scores': values}
    (HERE / 'exporters.json').write_text(json.dumps(golden) + '\n')


if __name__ == '__main__':
    main()
