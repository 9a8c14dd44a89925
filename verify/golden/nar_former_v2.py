"""NAR-Former V2 in PyTorch and its encodings in NumPy, from the formulas, one graph at a time and without padding.

    python verify/golden/nar_former_v2.py > src/predictors/models/fixtures/nar-former-v2.json

Weights are sines of their place and name, so that both sides make them; of matrices (in, out). Written out:

accuracy    cells (operations by code, edges) with what each variant predicts
chains      three labels of a longer cell of many operations
latency     networks (codes, attributes, shapes, edges, totals) with what each variant predicts, and codes of operators
losses      relative MSE + 0.1 SR + 0.5 AC of some predictions
reordered   cells as information-flow consistency rewrites them, by matrices of all permutations
nerf        codes in exact arithmetic (fractions of whole turns) and with float32 products
"""
import itertools
import json
import math
from fractions import Fraction

import numpy as np
import torch
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)
WIDTH, GROUPS, EXPANSION = 32, 4, 4
LAYERS = {'accuracy': 3, 'latency': 2}


# Encodings ----------------------------------------------------------------------------------------------------


def nerf_exact(v, m=32):
    """sin(pi f v), cos(pi f v), f = linspace(1, 2^(m-1), m), in rational numbers up to the last step."""
    out = []
    for j in range(m):
        f = 1 + Fraction(j * (2 ** (m - 1) - 1), m - 1)
        angle = math.pi * float((f * v) % 2)
        out += [math.sin(angle), math.cos(angle)]
    return out


def nerf_released(v, m=32):
    """The same as NumPy before version 2 computes it for an array of float32: every product in float32."""
    x = np.array([v], dtype=np.float32)
    out = []
    for f in np.linspace(2.0**0, 2.0 ** (m - 1), num=m):
        angle = x * np.float32(math.pi) * np.float32(f)
        assert angle.dtype == np.float32
        out += [np.sin(angle.astype(np.float64))[0], np.cos(angle.astype(np.float64))[0]]
    return out


def trans(v, m=5):
    out = []
    for j in range(m):
        out += [math.sin(v / 10000 ** (j / m)), math.cos(v / 10000 ** (j / m))]
    return out


def operator_token(node, variant):
    code, attributes, shape = node['code'], node['attributes'], node['shape']
    one_hot = [float(i == code - 1) for i in range(32)]
    if code == 10 and variant == 'released':
        # One code function applied to the whole list: by frequency, then sine or cosine, then place.
        values = np.array(attributes)
        told = np.concatenate([f(values / 10000 ** (j / 5)) for j in range(5) for f in (np.sin, np.cos)]).tolist()
    else:
        told = [x for a in attributes for x in trans(a)]
    told += [0.0] * (80 - len(told))
    sizes = (list(shape) + [0] * 4)[:4]
    return one_hot + told + [x for d in sizes for x in trans(d)]


# The model ----------------------------------------------------------------------------------------------------


def tensor(name, *dims):
    start = sum(map(ord, name)) % 97
    i = torch.arange(math.prod(dims))
    values = 0.3 * torch.sin(start + 0.37 * i + 0.011 * i * i)
    return (1 + values if name.endswith('norm.weight') else values).reshape(dims)


def linear(x, name, out, bias=True):
    y = x @ tensor(name + '.weight', x.shape[-1], out)
    return y + tensor(name + '.bias', out) if bias else y


def layer_norm(x, name):
    d = x.shape[-1]
    return F.layer_norm(x, (d,), tensor(name + '.weight', d), tensor(name + '.bias', d))


def attention(x, a, name, root):
    n, d = x.shape
    degree = a.sum(-1, keepdim=True)
    x = x * torch.sigmoid(linear(degree, name + '.degree', d))
    q = torch.sigmoid(linear(x, name + '.query', d))
    rows = []
    for i in range(n):
        neighbours = [j for j in range(n) if a[i, j] != 0]
        scores = [(q[i] @ q[j]) / math.sqrt(d) for j in neighbours]
        mixed = torch.zeros(d)
        for score, j in zip(scores, neighbours):
            mixed = mixed + score / (sum(scores) + 1e-6) * x[j]
        rows.append(mixed)
    out = linear(torch.stack(rows), name + '.neighbours', WIDTH)
    if root:
        out = out + linear(x, name + '.root', WIDTH, bias=False)
    return F.normalize(out, p=2.0, dim=-1)


def grouped(x, name, out):
    size = x.shape[-1] // GROUPS
    weight = tensor(name + '.weight', GROUPS, size, out // GROUPS)
    bias = tensor(name + '.bias', GROUPS, 1, out // GROUPS)
    parts = [
        layer_norm(x[:, g * size:(g + 1) * size] @ weight[g] + bias[g], name + '.norm') for g in range(GROUPS)
    ]
    return torch.cat(parts, -1)


def blocks(x, a, layers, root):
    outputs = []
    for i in range(layers):
        name = f'block.{i}'
        o = F.relu(attention(x, a, name, root))
        h = F.relu(grouped(layer_norm(o, name + '.norm'), name + '.feedForward.expand', EXPANSION * WIDTH))
        x = o + tensor(name + '.gamma', WIDTH) * grouped(h, name + '.feedForward.contract', WIDTH)
        outputs.append(x)
    return outputs


def head(x, outputs=1):
    x = F.relu(linear(x, 'head.0', WIDTH))
    x = F.relu(linear(x, 'head.1', WIDTH))
    return (-F.logsigmoid(linear(x, 'head.2', outputs))).tolist()


def symmetric(edges, n):
    a = torch.zeros(n, n)
    for i, j in edges:
        a[i, j] = a[j, i] = 1
    return a


def accuracy(cell, root, nerf, outputs=1, operation_nerf=None):
    n, layers = len(cell['ops']), LAYERS['accuracy']
    tokens = torch.tensor([(operation_nerf or nerf)(op) + nerf(i) for i, op in enumerate(cell['ops'])])
    pooled = [x.mean(0) for x in blocks(tokens, symmetric(cell['edges'], n), layers, root)]
    hidden = F.relu(linear(torch.cat(pooled), 'layerGate.0', layers * WIDTH // 4))
    gates = torch.sigmoid(linear(hidden, 'layerGate.1', layers))
    return head(sum(g * x for g, x in zip(gates, pooled)), outputs)


def latency(network, root, variant):
    nodes = network['nodes']
    tokens = torch.tensor([operator_token(node, variant) for node in nodes])
    last = blocks(tokens, symmetric(network['edges'], len(nodes)), LAYERS['latency'], root)[-1]
    batch, *totals = network['totals']
    whole = torch.tensor(trans(batch) + [x for t in totals for x in trans(t / 1e9)])
    return head(torch.cat([last.sum(0), F.relu(linear(whole, 'statics', WIDTH))]))


# Consistency --------------------------------------------------------------------------------------------------


def reordered(ops, edges):
    n = len(ops)
    a = np.zeros((n, n), dtype=int)
    for i, j in edges:
        a[i, j] = 1
    for inner in itertools.permutations(range(1, n - 1)):
        p = np.zeros((n, n))
        for i, j in enumerate([0, *inner, n - 1]):
            p[i, j] = 1
        inverse = np.linalg.inv(p)
        b = np.rint(p @ a @ inverse).astype(int)
        other = np.rint(np.array(ops) @ inverse).astype(int).tolist()
        if ((b != a).any() or other != ops) and not np.tril(b, -1).any():
            return {'ops': other, 'edges': np.argwhere(b).tolist()}
    return None


# Cases --------------------------------------------------------------------------------------------------------

CELLS = [
    {'ops': [0, 6], 'edges': [[0, 1]]},
    {'ops': [0, 1, 4], 'edges': [[0, 1], [1, 2]]},
    {'ops': [0, 1, 2, 4], 'edges': [[0, 1], [0, 2], [1, 3], [2, 3]]},
    {'ops': [0, 2, 3, 1, 4], 'edges': [[0, 1], [0, 2], [1, 3], [2, 4], [3, 4]]},
    {'ops': [0, 3, 3, 1, 2, 2, 4],
     'edges': [[0, 1], [0, 2], [0, 3], [1, 4], [2, 4], [3, 5], [4, 6], [5, 6], [0, 6]]},
    {'ops': [0, 2, 5, 3, 4, 1, 2, 6],
     'edges': [[0, 1], [0, 2], [0, 4], [1, 3], [1, 5], [2, 6], [3, 6], [4, 7], [5, 7], [6, 7]]},
]
CHAINS = [
    {'ops': ops, 'edges': [[i, i + 1] for i in range(len(ops) - 1)]}
    for ops in ([0, *range(20, 42), 45], [0, *range(20, 86, 3), 99])
]
# Alike and in the same place (nothing to reorder), two chains side by side, one chain, and random ones.
REORDER_ONLY = [
    {'ops': [0, 2, 2, 2, 4], 'edges': [[0, 1], [0, 2], [0, 3], [1, 4], [2, 4], [3, 4]]},
    {'ops': [0, 1, 2, 1, 2, 4], 'edges': [[0, 1], [1, 2], [0, 3], [3, 4], [2, 5], [4, 5]]},
    {'ops': [0, 1, 2, 3, 4], 'edges': [[0, 1], [1, 2], [2, 3], [3, 4]]},
]
random = np.random.default_rng(7)
for _ in range(40):
    n = int(random.integers(3, 8))
    REORDER_ONLY.append({
        'ops': [0, *random.integers(1, 4, n - 2).tolist(), 4],
        'edges': [[i, j] for i in range(n) for j in range(i + 1, n) if random.random() < 0.4],
    })

CONV = {'code': 1, 'attributes': [3, 2, 1, 1, 1, 1], 'shape': [8, 64, 112, 112]}
INPUT = {'code': 0, 'attributes': [], 'shape': [8, 3, 224, 224]}
RELU = {'code': 2, 'attributes': [], 'shape': [8, 64, 112, 112]}
POOL = {'code': 6, 'attributes': [3, 2, 1], 'shape': [8, 64, 56, 56]}
ADD = {'code': 3, 'attributes': [], 'shape': [8, 64, 112, 112]}
TRANSPOSE = {'code': 10, 'attributes': [0, 2, 3, 1, 0, 0, 0, 0], 'shape': [8, 56, 56, 64]}
FLATTEN = {'code': 15, 'attributes': [], 'shape': [8, 64]}
GEMM = {'code': 9, 'attributes': [1], 'shape': [8, 1000]}
NETWORKS = [
    {'nodes': [INPUT, CONV], 'edges': [[0, 1]], 'totals': [1, 2.4e8, 9408, 9e5]},
    {'nodes': [INPUT, CONV, RELU, ADD, POOL], 'edges': [[0, 1], [1, 2], [1, 3], [2, 3], [3, 4]],
     'totals': [8, 1.8e9, 1.1e7, 2.5e7]},
    {'nodes': [INPUT, CONV, RELU, ADD, POOL, TRANSPOSE, FLATTEN, GEMM, GEMM],
     'edges': [[0, 1], [1, 2], [1, 3], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [6, 8]],
     'totals': [64, 7.25e10, 2.5e7, 3.1e9]},
]


def loss(p, y, order):
    p, y = torch.tensor(p), torch.tensor(y)
    half = len(p) // 2
    sr = ((p - p[order]) - (y - y[order])).abs().mean()
    ac = F.l1_loss(p[half:], p[:half])
    return (F.mse_loss(p / y, y / y) + 0.1 * sr + 0.5 * ac).item()


def main():
    for cell in CELLS:
        cell['outputs'] = {
            'exact': accuracy(cell, False, nerf_exact)[0],
            'exact with root': accuracy(cell, True, nerf_exact)[0],
            'released': accuracy(cell, True, nerf_released)[0],
        }
    for network in NETWORKS:
        network['outputs'] = {
            'meant': latency(network, False, 'meant')[0],
            'released': latency(network, True, 'released')[0],
        }
    losses = []
    for p, y, order in [
        ([0.9, 0.7, 0.95, 0.6], [0.94, 0.8, 0.94, 0.8], [2, 0, 3, 1]),
        ([88.0, 54.5, 91.0, 90.0, 60.0, 89.5], [90.5, 50.0, 91.5, 90.5, 50.0, 91.5], [5, 4, 3, 0, 1, 2]),
    ]:
        losses.append({'p': p, 'y': y, 'order': order, 'loss': loss(p, y, order)})
    plain = [{'ops': c['ops'], 'edges': c['edges']} for c in CELLS + REORDER_ONLY]
    out = {
        'width': WIDTH,
        'groups': GROUPS,
        'layers': LAYERS,
        'accuracy': CELLS,
        # Exact codes tell 62 operations apart; for more of them the released ones stand.
        'chains': [
            {**chain, 'codes': codes, 'outputs': accuracy(chain, True, nerf_exact, 3, nerf)}
            for codes, nerf, chain in [(46, nerf_exact, CHAINS[0]), (100, nerf_released, CHAINS[1])]
        ],
        'latency': NETWORKS,
        'operators': [
            {**node, 'variant': variant, 'token': operator_token(node, variant)}
            for node, variant in [(CONV, 'meant'), (TRANSPOSE, 'meant'), (TRANSPOSE, 'released'), (GEMM, 'meant')]
        ],
        'losses': losses,
        'reordered': [{**c, 'other': reordered(c['ops'], c['edges'])} for c in plain],
        'nerf': [{'v': v, 'exact': nerf_exact(v), 'released': nerf_released(v)} for v in (0, 1, 2, 7, 31)],
    }
    text = json.dumps(out)
    print(json.dumps(json.loads(text, parse_float=lambda x: round(float(x), 9)), separators=(',', ':')))


main()
