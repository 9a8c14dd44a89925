"""What the proxies of activations and of transformers are for the networks of proxies.py, in PyTorch, in float64, from
the formulas.

    python verify/golden/proxies2.py

Writes src/proxies/fixtures/proxies2.json: scores by network. Batch normalisation is in training mode; weights and
batches are those of proxies.json.
"""
import copy
import json
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from proxies import BUILDS, HERE, LAYERS, NORMS, Block, Gpt, layers, network

ACTIVATIONS = ('relu', 'gelu', 'silu')


class Recorded:
    """Inputs and outputs of activations, outputs of layers, and features, of passes within it."""

    def __init__(self, net):
        self.net, self.activations, self.outputs, self.norms, self.features = net, [], [], [], None
        self.hooks, self.saved = [], {}

    def __enter__(self):
        for name in ACTIVATIONS:
            self.saved[name] = getattr(F, name)
            setattr(F, name, self.recording(self.saved[name]))
        for m in self.net.modules():
            if isinstance(m, (*LAYERS, *NORMS, nn.AvgPool2d)):
                self.hooks.append(m.register_forward_hook(lambda m, i, out: self.outputs.append((m, out))))
            if isinstance(m, nn.BatchNorm2d):
                self.hooks.append(m.register_forward_hook(lambda m, i, out: self.norms.append(i[0])))
        # Before pooling, the last normalisation and the classifier.
        if hasattr(self.net, 'blocks'):
            self.hooks.append(self.net.blocks.register_forward_hook(lambda m, i, out: self.seen(out)))
        elif hasattr(self.net, 'pool'):
            self.hooks.append(self.net.pool.register_forward_hook(lambda m, i, out: self.seen(i[0])))
        else:
            self.hooks.append(self.net[-1].register_forward_hook(lambda m, i, out: self.seen(i[0])))
        return self

    def seen(self, z):
        self.features = z

    def recording(self, f):
        def g(x, *args, **kwargs):
            y = f(x, *args, **kwargs)
            self.activations.append((x, y))
            return y
        return g

    def __exit__(self, *_):
        for name, f in self.saved.items():
            setattr(F, name, f)
        for hook in self.hooks:
            hook.remove()


def by_token(z):
    """(N, positions, channels)."""
    return z.flatten(2).transpose(1, 2) if z.dim() == 4 else z if z.dim() == 3 else z[:, None]


def naswot(net, x):
    with Recorded(net) as r:
        net(x)
    k = np.zeros((len(x), len(x)))
    for a, _ in r.activations:
        c = (a.reshape(len(x), -1) > 0).double().numpy()
        k += c @ c.T + (1 - c) @ (1 - c).T
    return float(np.linalg.slogdet(k)[1])


def zen(net, x, noise, released):
    net = copy.deepcopy(net)
    for m in net.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.reset_running_stats()
    with Recorded(net) as r:
        net(x)
        a, first = r.features, list(r.norms)
        net(x + 0.01 * noise)
        b = r.features
    difference = (a - b).reshape(len(x), -1)
    norms = [m for m in net.modules() if isinstance(m, nn.BatchNorm2d)]
    if released:
        score = difference.abs().sum(1).mean().log().item()
        return score + sum(0.5 * m.running_var.mean().log().item() for m in norms)
    score = difference.norm(dim=1).mean().log().item()
    return score + sum(0.5 * v.var((0, 2, 3), unbiased=False).mean().log().item() for v in first)


def meco(net, x, tokens):
    with Recorded(net) as r:
        net(x)
    total = 0.0
    outputs = [(isinstance(m, nn.Conv2d) or out.dim() == 4, out) for m, out in r.outputs]
    outputs += [(out.dim() == 4, out) for _, out in r.activations]
    for is_map, out in outputs:
        sample = out[0].detach().numpy()
        if not is_map and not tokens and sample.ndim == 2:
            sample = sample.T
        rows = sample.reshape(len(sample), -1)
        with np.errstate(all='ignore'):
            p = np.atleast_2d(np.corrcoef(rows)) if rows.shape[1] > 1 else np.zeros((len(rows), len(rows)))
        p = np.where(np.isfinite(p), p, 0)
        total += float(np.linalg.eigvals(p).real.min())
    return total


def positive(net):
    net = copy.deepcopy(net)
    for m in net.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.forward = lambda x: x
    with torch.no_grad():
        for p in [*net.parameters(), *net.buffers()]:
            p.abs_()
    return net


def dss(net, x):
    net = positive(net)
    if isinstance(net, Gpt):
        net.replace = torch.ones_like
        y = net(x[:1])
    else:
        y = net(torch.ones_like(x[:1]))
    linears = [m for m in net.modules() if isinstance(m, nn.Linear)]
    attention = {m for b in net.modules() if isinstance(b, Block) for m in (b.qkv, b.proj)}
    g = torch.autograd.grad(y.sum(), [m.weight for m in linears])
    total = 0.0
    for m, d in zip(linears, g):
        if m in attention:
            total += (torch.linalg.svdvals(d).sum() * torch.linalg.svdvals(m.weight).sum()).item()
        else:
            total += (d * m.weight).abs().sum().item()
    head = (g[-1] * linears[-1].weight).abs().sum().item()
    return total, total + head


def length_distortion(net, x):
    net = copy.deepcopy(net)
    for m in net.modules():
        if isinstance(m, NORMS):
            m.forward = lambda x: x
    basis = torch.linalg.qr(x[:2].reshape(2, -1).T)[0]
    # Gram and Schmidt's signs: along the first sample.
    basis = basis * torch.sign((basis * x[:2].reshape(2, -1).T).sum(0))
    theta = torch.linspace(0, 2 * math.pi, 10, dtype=torch.float64)

    def curve(theta):
        points = torch.stack([theta.cos(), theta.sin()], 1) @ basis.T
        with Recorded(net) as r:
            net(points.reshape(-1, *x.shape[1:]))
        return by_token(r.features).mean(1)

    _, speed = torch.autograd.functional.jvp(curve, theta, torch.ones_like(theta))
    return speed.norm(dim=1).sum().item()


def ntkt(net, x):
    net = copy.deepcopy(net)
    weights = [m.weight for m in layers(net)[:-1]]
    if isinstance(net, Gpt):
        weights.append(net.token.weight)
    with Recorded(net) as r:
        net(x)
    z = by_token(r.features)
    n, tokens, channels = z.shape

    def square(value):
        return sum(g.square().sum().item() for g in torch.autograd.grad(value, weights, retain_graph=True))

    eq13 = sum(square(z[i, t, j]) for i in range(n) for t in range(tokens) for j in range(channels)) / tokens ** 2
    eq12 = sum(square(z[i, :, j].mean()) for i in range(n) for j in range(channels))
    return eq13, eq12


def sept(widths, tokens):
    """In whole numbers, however large."""
    return math.log(sum(widths)) + math.log(sum((d ** (tokens + 1) - 1) // (d - 1) for d in widths))


def scores(name, net, batches):
    (x, _), (noise, _) = batches
    exact, mean = ntkt(net, x)
    paper, released = dss(net, x)
    found = {'naswot:given': naswot(net, x), 'meco': meco(net, x, False), 'meco:tokens': meco(net, x, True),
             'dss': paper, 'dss:released': released, 'ntkt:exact': exact, 'ntkt:eq12-exact': mean}
    if name != 'gpt':
        found |= {'zen:given': zen(net, x, noise, False), 'zen released': zen(net, x, noise, True),
                  'ld:given': length_distortion(net, x)}
    if name in ('vit', 'gpt'):
        found |= {'sept': sept([12, 12], {'vit': 5, 'gpt': 6}[name])}
        found |= {'sept:qkv': found['sept']}
    return found


golden = {}
for name in BUILDS:
    net, batches = network(name)
    wide = net.double().train()
    same = [(x.double() if x.is_floating_point() else x, labels) for x, labels in batches]
    golden[name] = scores(name, wide, same)
(HERE / 'proxies2.json').write_text(json.dumps(golden, indent=1) + '\n')
