"""Five small networks as ONNX files, and what zero-cost proxies are for them in PyTorch, in float64, from the formulas.

    python verify/golden/proxies.py

Writes src/proxies/fixtures/<name>.onnx (weights inline, evaluation mode) and src/proxies/fixtures/proxies.json (two
batches, labels, scores). Batch normalisation is in training mode here, as in zero-cost-nas, but where 'frozen' is said.
"""
import copy
import json
import pathlib
import warnings

import numpy as np
import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F

warnings.filterwarnings('ignore')
HERE = pathlib.Path(__file__).parent.parent.parent / 'src' / 'proxies' / 'fixtures'
LAYERS = (nn.Conv2d, nn.Linear)
NORMS = (nn.BatchNorm2d, nn.LayerNorm)


class Mlp(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 12, bias=False), nn.SiLU(), nn.Linear(12, 5))


class Residual(nn.Module):
    """Convolutions of all kinds: plain, strided, depthwise, grouped, 1 × 1."""

    def __init__(self, norm):
        super().__init__()
        n = (lambda c: nn.BatchNorm2d(c)) if norm else (lambda c: nn.Identity())
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=not norm), n(8))
        self.a = nn.Sequential(nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1, groups=8, bias=not norm), n(8))
        self.b = nn.Sequential(nn.ReLU(), nn.Conv2d(8, 8, 3, padding=2, dilation=2, groups=2, bias=not norm), n(8))
        self.down = nn.Sequential(nn.Conv2d(8, 12, 3, stride=2, padding=1, bias=not norm), n(12))
        self.short = nn.Sequential(nn.AvgPool2d(2, 2), nn.Conv2d(8, 12, 1, bias=not norm))
        self.pool = nn.AvgPool2d(3, 1, 1, count_include_pad=False)
        self.head = nn.Linear(12, 6)

    def forward(self, x):
        x = self.stem(x)
        x = self.b(self.a(x)) + x
        x = F.relu(self.down(F.relu(x)) + self.short(x))
        return self.head(self.pool(x).mean((2, 3)))


class Block(nn.Module):
    def __init__(self, d, heads, causal, activation):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.up, self.down = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)
        self.heads, self.causal, self.activation = heads, causal, activation

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).reshape(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) * (d // self.heads) ** -0.5
        if self.causal:
            scores = scores.masked_fill(~torch.tril(torch.ones(t, t, dtype=torch.bool)), -1e9)
        y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d)
        x = x + self.proj(y)
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate=self.activation))


class Vit(nn.Module):
    def __init__(self, d=12):
        super().__init__()
        self.patch = nn.Conv2d(3, d, 4, stride=4)
        self.cls = nn.Parameter(torch.randn(1, 1, d) * 0.1)
        self.position = nn.Parameter(torch.randn(1, 5, d) * 0.1)
        self.blocks = nn.Sequential(Block(d, 2, False, 'none'), Block(d, 3, False, 'none'))
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, 7)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1) + self.position
        return self.head(self.norm(self.blocks(x))[:, 0])


class Gpt(nn.Module):
    def __init__(self, d=12, vocabulary=23, tokens=6):
        super().__init__()
        self.token, self.position = nn.Embedding(vocabulary, d), nn.Embedding(tokens, d)
        self.blocks = nn.Sequential(Block(d, 2, True, 'tanh'), Block(d, 4, True, 'tanh'))
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, vocabulary, bias=False)
        self.replace = None

    def forward(self, x):
        looked = self.token(x)
        if self.replace is not None:
            looked = self.replace(looked)
        x = looked + self.position(torch.arange(x.shape[1]))
        return self.head(self.norm(self.blocks(x)))


def layers(net):
    return [m for m in net.modules() if isinstance(m, LAYERS)]


def loss_of(net, x, labels):
    y = net(x)
    return F.cross_entropy(y.reshape(-1, y.shape[-1]), labels)


def weight_gradients(net, x, labels):
    return torch.autograd.grad(loss_of(net, x, labels), [m.weight for m in layers(net)])


def fisher(net, x, labels):
    kept = {}
    hooks = [m.register_forward_hook(lambda m, _, out: (out.retain_grad(), kept.setdefault(m, out))[1]) for m in layers(net)]
    loss_of(net, x, labels).backward()
    for hook in hooks:
        hook.remove()
    paper, released = 0.0, 0.0
    for m, a in kept.items():
        product = a.detach() * a.grad
        channel = 1 if isinstance(m, nn.Conv2d) else product.dim() - 1
        positions = [i for i in range(1, product.dim()) if i != channel]
        g = product.sum(positions) if positions else product
        delta = 0.5 * g.square().mean(0)
        paper += delta.sum().item()
        released += (delta.sum() * m.weight.numel() / len(delta)).item()
    net.zero_grad()
    return paper, released


def synflow(net, x, norms):
    net = copy.deepcopy(net)
    for m in net.modules():
        if isinstance(m, norms):
            m.forward = lambda x: x
    with torch.no_grad():
        for p in [*net.parameters(), *net.buffers()]:
            p.abs_()
    if isinstance(net, Gpt):
        net.replace = torch.ones_like
        y = net(x[:1])
    else:
        y = net(torch.ones_like(x[:1]))
    weights = [m.weight for m in layers(net)]
    g = torch.autograd.grad(y.sum(), weights)
    return (
        float(np.log(sum((w * h).abs().sum().item() for w, h in zip(weights, g)))),
        sum((w.abs() * torch.log1p(h.abs())).sum().item() for w, h in zip(weights, g)),
    )


def correlations(net, x):
    if isinstance(net, Gpt):
        kept = []
        net.replace = lambda v: (kept.append(v.detach().requires_grad_()), kept[-1])[1]
        y = net(x)
        j = torch.autograd.grad(y.sum(), kept)[0]
        net.replace = None
    else:
        x = x.clone().requires_grad_()
        j = torch.autograd.grad(net(x).sum(), x)[0]
    return np.corrcoef(j.reshape(len(j), -1).numpy())


def epe(corr, labels):
    score = 0.0
    for c in sorted(set(labels)):
        own = [i for i, l in enumerate(labels) if l == c]
        score += abs(np.log(np.abs(corr[np.ix_(own, own)]) + 1e-5).sum())
    return float(score)


def zico(net, batches, accumulated=False):
    a = [g.numpy().ravel() for g in weight_gradients(net, *batches[0])]
    b = [g.numpy().ravel() for g in weight_gradients(net, *batches[1])]
    score = 0.0
    for x, y in zip(a, b):
        both = np.stack([x, x + y if accumulated else y])
        std, mean = both.std(0), np.abs(both).mean(0)
        s = (mean[std != 0] / std[std != 0]).sum()
        score += np.log(s) if s != 0 else 0
    return float(score)


def macs(net, x):
    """Of one sample: convolutions, linear layers and the two products of attention."""
    total = 0

    def count(m, inputs, out):
        nonlocal total
        if isinstance(m, LAYERS):
            channels = out.shape[1] if isinstance(m, nn.Conv2d) else out.shape[-1]
            total += out.numel() * m.weight.numel() // channels
        if isinstance(m, Block):
            b, t, d = inputs[0].shape
            total += 2 * b * t * t * d

    hooks = [m.register_forward_hook(count) for m in net.modules()]
    net(x)
    for hook in hooks:
        hook.remove()
    return total // len(x)


def expected_norm(net, draws=20000):
    """The root of the mean of the squared norm over draws of PyTorch's own first weights, of every layer."""
    torch.manual_seed(0)
    total = 0
    for m in layers(net):
        fresh, squares = copy.deepcopy(m).float(), 0
        for _ in range(draws):
            fresh.reset_parameters()
            squares += fresh.weight.detach().square().sum().item()
        total += (squares / draws) ** 0.5
    return total


def scores(net, batches):
    (x, labels), _ = batches
    weights = [m.weight for m in layers(net)]
    g = weight_gradients(net, x, labels)
    again = torch.autograd.grad(loss_of(net, x, labels), weights, create_graph=True)
    h = torch.autograd.grad(sum((p * q).sum() for p, q in zip(g, again)), weights)
    corr = correlations(net, x)
    v = np.linalg.eigvalsh(corr)
    paper, released = fisher(net, x, labels)
    per_sample = labels.tolist() if len(labels) == len(x) else [0] * len(x)
    flow, logflow = synflow(net, x, NORMS)
    released_flow, released_logflow = synflow(net, x, nn.BatchNorm2d)
    tables = [m.weight.numel() for m in net.modules() if isinstance(m, nn.Embedding)]
    tables += [p.numel() for name, p in net.named_parameters() if name in ('cls', 'position')]
    total = sum(p.numel() for p in net.parameters())
    return {
        'params': total,
        'params:non-embedding': total - sum(tables),
        'macs': macs(net, x),
        'l2_norm': sum(w.norm().item() for w in weights),
        'l2_norm:expected': expected_norm(net),
        'plain': sum((w * d).sum().item() for w, d in zip(weights, g)),
        'snip': sum((w * d).abs().sum().item() for w, d in zip(weights, g)),
        'grad_norm': sum(d.norm().item() for d in g),
        'grasp': sum(-(w * d).sum().item() for w, d in zip(weights, h)),
        'fisher': paper,
        'fisher:released': released,
        'synflow': flow,
        'logsynflow': logflow,
        'synflow:batch-norm': released_flow,
        'logsynflow:batch-norm': released_logflow,
        'jacov': float(-np.sum(np.log(v + 1e-5) + 1 / (v + 1e-5))),
        'epe_nas': epe(corr, per_sample),
        'zico': zico(net, batches),
        'zico:accumulated': zico(net, batches, True),
    }


def export(net, x, path):
    torch.onnx.export(copy.deepcopy(net).eval(), (x,), path, input_names=['x'], output_names=['y'], opset_version=20,
                      dynamo=True, optimize=False, external_data=False, verbose=False)
    model = onnx.load(path)
    # Traces of the program, which are most of the file.
    for item in [*model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output]:
        del item.metadata_props[:]
        item.doc_string = ''
    for function in model.functions:
        for item in [function, *function.node, *function.value_info]:
            del item.metadata_props[:]
    del model.graph.value_info[:]
    onnx.save(model, path)


def batch_of(name, net, seed):
    torch.manual_seed(seed)
    if name == 'gpt':
        x = torch.randint(0, 23, (4, 6))
        return x, torch.randint(0, 23, (24,))
    dims, classes = {'mlp': ((12, 8), 5), 'cnn-norm': ((8, 3, 8, 8), 6), 'cnn': ((8, 3, 8, 8), 6), 'vit': ((6, 3, 8, 8), 7)}[name]
    return torch.randn(dims).mul(1000).round().div(1000), torch.randint(0, classes, dims[:1])


BUILDS = {'mlp': Mlp, 'cnn-norm': lambda: Residual(True), 'cnn': lambda: Residual(False), 'vit': Vit, 'gpt': Gpt}


def network(name):
    """The network of a name, in float32, and its two batches."""
    i = list(BUILDS).index(name)
    # Seeds for which ZiCo, a sum of quotients, does not hang on rounding: float32 and float64 agree.
    torch.manual_seed(20 + i)
    net = BUILDS[name]()
    for m in net.modules():
        if isinstance(m, NORMS):
            nn.init.normal_(m.weight, 1, 0.2)
            nn.init.normal_(m.bias, 0, 0.2)
        if isinstance(m, nn.BatchNorm2d):
            nn.init.normal_(m.running_mean, 0, 0.2)
            nn.init.uniform_(m.running_var, 0.5, 2)
    return net, [batch_of(name, net, 100 + i), batch_of(name, net, 200 + i)]


def main():
    networks = {}
    for name in BUILDS:
        net, batches = network(name)
        export(net, batches[0][0], HERE / f'{name}.onnx')
        wide = net.double().train()
        same = [(x.double() if x.is_floating_point() else x, labels) for x, labels in batches]
        # Running statistics move with every pass, which no score in training mode looks at.
        frozen = copy.deepcopy(wide).eval()
        values = scores(copy.deepcopy(wide), same)
        networks[name] = {
            'batches': [{'dims': list(x.shape), 'x': [round(v, 3) for v in x.flatten().tolist()], 'labels': l.tolist()}
                        for x, l in batches],
            'scores': values,
            **({'frozen': scores(frozen, same)} if name == 'cnn-norm' else {}),
        }
    (HERE / 'proxies.json').write_text(json.dumps(networks) + '\n')


if __name__ == '__main__':
    main()
