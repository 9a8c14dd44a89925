"""Zero-cost proxies in PyTorch, eager, from their formulas: the peer of `npm run bench -- proxies`.

Argument: threads. Answers lines of JSON on standard input, {"space", "arch", "batch", "proxies", "mode"}: builds the
network of an architecture at PyTorch's first weights, draws a batch and scores it. What is written back is JSON:
milliseconds of the clock, milliseconds of the processor, and the scores.

`shared` computes what proxies have in common once: one forward pass of a batch, one gradient of its loss. `apart`
computes every proxy from the start, as the released code of zero-cost-nas does."""
import json
import math
import re
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(int(sys.argv[1]))
LAYERS = (nn.Conv2d, nn.Linear)
NORMS = (nn.BatchNorm2d, nn.LayerNorm)


# NAS-Bench-201 --------------------------------------------------------------------------------------------------


def relu_conv_norm(before, after, kernel, stride=1):
    conv = nn.Conv2d(before, after, kernel, stride, kernel // 2, bias=False)
    return nn.Sequential(nn.ReLU(), conv, nn.BatchNorm2d(after))


def operation(name, width):
    if name == 'skip_connect':
        return nn.Identity()
    if name == 'avg_pool_3x3':
        return nn.AvgPool2d(3, 1, 1, count_include_pad=False)
    return relu_conv_norm(width, width, int(name[-1]))


class Cell(nn.Module):
    def __init__(self, groups, width):
        super().__init__()
        self.edges = nn.ModuleDict()
        self.plan = []
        for node, group in enumerate(groups, 1):
            kept = [(int(source), name) for name, source in group if name != 'none']
            for source, name in kept:
                self.edges[f'{source}-{node}'] = operation(name, width)
            self.plan.append([(source, f'{source}-{node}') for source, _ in kept])

    def forward(self, x):
        nodes = [x]
        for edges in self.plan:
            terms = [self.edges[name](nodes[source]) for source, name in edges]
            nodes.append(sum(terms[1:], terms[0]) if terms else x * 0)
        return nodes[-1]


class Reduction(nn.Module):
    def __init__(self, before, after):
        super().__init__()
        self.long = nn.Sequential(relu_conv_norm(before, after, 3, 2), relu_conv_norm(after, after, 3))
        self.short = nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(before, after, 1, bias=False))

    def forward(self, x):
        return self.long(x) + self.short(x)


def nasbench201(arch):
    groups = [re.findall(r'(\w+)~(\d)', group) for group in arch.split('+')]
    layers = [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16)]
    for stage, width in enumerate([16, 32, 64]):
        if stage > 0:
            layers.append(Reduction(width // 2, width))
        layers += [Cell(groups, width) for _ in range(5)]
    layers += [nn.BatchNorm2d(64), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)]
    return nn.Sequential(*layers), (3, 32, 32), 10


# AutoFormer -----------------------------------------------------------------------------------------------------


class RelativePosition(nn.Module):
    """A vector for every pair of tokens, of the distance between their rows and between their columns."""

    def __init__(self, width, most=14):
        super().__init__()
        self.most = most
        self.vertical = nn.Parameter(torch.empty(2 * most + 2, width))
        self.horizontal = nn.Parameter(torch.empty(2 * most + 2, width))

    def forward(self, side):
        patch = torch.arange(side * side)

        def index(coordinate):
            distance = (coordinate[None, :] - coordinate[:, None]).clamp(-self.most, self.most)
            return F.pad(distance + self.most + 1, (1, 0, 1, 0), value=0)

        return self.vertical[index(patch // side)] + self.horizontal[index(patch % side)]


class Attention(nn.Module):
    def __init__(self, width, heads, head_width=64):
        super().__init__()
        self.heads, self.head_width = heads, head_width
        self.qkv = nn.Linear(width, 3 * heads * head_width)
        self.out = nn.Linear(heads * head_width, width)
        self.key, self.value = RelativePosition(head_width), RelativePosition(head_width)

    def forward(self, x, side):
        b, n, _ = x.shape
        h, c = self.heads, self.head_width
        q, k, v = self.qkv(x).reshape(b, n, 3, h, c).permute(2, 0, 3, 1, 4)
        # As one product for each token, which is faster than an einsum over all of them.
        keys, values = self.key(side), self.value(side)
        positional = q.permute(2, 0, 1, 3).reshape(n, b * h, c) @ keys.transpose(1, 2)
        scores = q @ k.transpose(-2, -1) + positional.reshape(n, b, h, n).permute(1, 2, 0, 3)
        weights = (scores * c**-0.5).softmax(-1)
        y = (weights @ v).transpose(1, 2)
        looked = weights.permute(2, 0, 1, 3).reshape(n, b * h, n) @ values
        y = y + looked.reshape(n, b, h, c).transpose(0, 1)
        return self.out(y.reshape(b, n, -1))


class Layer(nn.Module):
    def __init__(self, width, heads, ratio):
        super().__init__()
        hidden = int(width * ratio)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x, side):
        x = x + self.attention(self.norm1(x), side)
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class AutoFormer(nn.Module):
    def __init__(self, width, ratios, heads):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 16, 16)
        self.token = nn.Parameter(torch.empty(1, 1, width))
        self.position = nn.Parameter(torch.empty(1, 197, width))
        self.layers = nn.ModuleList(Layer(width, h, r) for r, h in zip(ratios, heads))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)
        for name, p in self.named_parameters():
            if p.dim() > 1 and 'patch' not in name:
                nn.init.trunc_normal_(p, std=0.02)
            elif name.endswith('bias') and 'patch' not in name:
                nn.init.zeros_(p)

    def forward(self, x):
        x = self.patch(x)
        side = x.shape[-1]
        x = x.flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.position
        for layer in self.layers:
            x = layer(x, side)
        return self.head(self.norm(x)[:, 1:].mean(1))


def autoformer(arch):
    width, _, ratios, heads = arch.split(':')
    ratios = [float(r) for r in ratios[1:].split(',')]
    return AutoFormer(int(width), ratios, [int(h) for h in heads[1:].split(',')]), (3, 224, 224), 1000


SPACES = {'nasbench201': nasbench201, 'autoformer-tiny': autoformer}


# Proxies --------------------------------------------------------------------------------------------------------


class Scores:
    """The proxies of one network. Gradients of the loss are (weights, then outputs of layers)."""

    def __init__(self, space, arch, batch, proxies):
        self.build = lambda: SPACES[space](arch)
        self.net, self.shape, self.classes = self.build()
        self.layers = [m for m in self.net.modules() if isinstance(m, LAYERS)]
        self.weights = [m.weight for m in self.layers]
        self.batch, self.proxies = batch, proxies
        self.outputs = []
        for m in self.layers:
            m.register_forward_hook(lambda m, _, out: self.outputs.append((m, out)))

    def draw(self):
        x = torch.randn(self.batch, *self.shape, requires_grad='jacov' in self.proxies)
        return x, torch.randint(0, self.classes, (self.batch,))

    def run(self):
        found, wanted = {}, set(self.proxies)
        x, labels = self.draw()
        if wanted & {'snip', 'plain', 'grad_norm', 'fisher', 'grasp', 'zico', 'jacov'}:
            self.outputs = []
            logits = self.net(x)
        if wanted & {'snip', 'plain', 'grad_norm', 'fisher', 'grasp', 'zico'}:
            outputs = self.outputs if 'fisher' in wanted else []
            of = [*self.weights, *(out for _, out in outputs)]
            is_twice = 'grasp' in wanted
            loss = F.cross_entropy(logits, labels)
            keep = is_twice or 'jacov' in wanted
            gradients = torch.autograd.grad(loss, of, create_graph=is_twice, retain_graph=keep)
            g = gradients[: len(self.weights)]
            with torch.no_grad():
                if 'snip' in wanted:
                    found['snip'] = sum((w * h).abs().sum().item() for w, h in zip(self.weights, g))
                if 'plain' in wanted:
                    found['plain'] = sum((w * h).sum().item() for w, h in zip(self.weights, g))
                if 'grad_norm' in wanted:
                    found['grad_norm'] = sum(h.norm().item() for h in g)
                if 'fisher' in wanted:
                    pairs = zip(outputs, gradients[len(self.weights) :])
                    found['fisher'] = sum(fisher(m, a, h) for (m, a), h in pairs)
        if 'jacov' in wanted:
            j = torch.autograd.grad(logits.sum(), x, retain_graph='grasp' in wanted)[0]
            v = torch.linalg.eigvalsh(torch.corrcoef(j.flatten(1).double()))
            found['jacov'] = -(torch.log(v + 1e-5) + 1 / (v + 1e-5)).sum().item()
        if 'grasp' in wanted:
            z = sum((h.detach() * h).sum() for h in g)
            hessian = torch.autograd.grad(z, self.weights)
            found['grasp'] = -sum((w.detach() * h).sum().item() for w, h in zip(self.weights, hessian))
        if 'zico' in wanted:
            first = [h.detach() for h in g]
            self.outputs = []
            x, labels = self.draw()
            second = torch.autograd.grad(F.cross_entropy(self.net(x), labels), self.weights)
            found['zico'] = sum(map(zico_term, first, second))
        if 'synflow' in wanted:
            found['synflow'] = self.synflow()
        return found

    def synflow(self):
        """Of a network of its own: its weights are made positive, its normalisations taken out."""
        net, shape, _ = self.build()
        net.double()
        for m in net.modules():
            if isinstance(m, NORMS):
                m.forward = lambda x: x
        with torch.no_grad():
            for p in net.parameters():
                p.abs_()
        weights = [m.weight for m in net.modules() if isinstance(m, LAYERS)]
        r = net(torch.ones(1, *shape, dtype=torch.float64)).sum()
        g = torch.autograd.grad(r, weights)
        with torch.no_grad():
            return math.log(sum((w * h).abs().sum().item() for w, h in zip(weights, g)))


def fisher(module, a, g):
    product = a * g
    channel = 1 if isinstance(module, nn.Conv2d) else product.dim() - 1
    positions = [i for i in range(1, product.dim()) if i != channel]
    return (0.5 * (product.sum(positions) if positions else product).square().mean(0)).sum().item()


def zico_term(a, b):
    """ln Σ mean|g| / std(g) of two batches; the deviation of two numbers is half their difference."""
    deviation = (a - b).abs()
    kept = deviation > 0
    s = ((a.abs() + b.abs())[kept] / deviation[kept]).sum().item()
    return math.log(s) if s > 0 else 0.0


def score(space, arch, batch, proxies, mode):
    if mode == 'shared':
        return Scores(space, arch, batch, proxies).run()
    return {name: value for p in proxies for name, value in Scores(space, arch, batch, [p]).run().items()}


print(torch.__version__, flush=True)
for line in sys.stdin:
    wall, cpu = time.perf_counter(), time.process_time()
    scores = score(**json.loads(line))
    took = {'ms': 1000 * (time.perf_counter() - wall), 'cpuMs': 1000 * (time.process_time() - cpu)}
    print(json.dumps({**took, 'scores': scores}), flush=True)
