"""Outputs and masks of NN-Former's accuracy model in PyTorch, written from the paper's formulas, one graph at a time.

    python verify/golden/nn_former.py > src/predictors/models/fixtures/nn-former.json

Weights are sines of their place and name, so that both sides make them. Merged matrices (q, k and v; the halves of the
feed-forward network) are put together here from the parts that ours has."""
import json
import math

import torch

torch.set_default_dtype(torch.float64)
WIDTH, LAYERS, HEADS, CODES = 16, 3, 4, 32


def tensor(name, *dims, scale=0.3, offset=0.0):
    count = math.prod(dims)
    start = sum(map(ord, name))
    return offset + scale * torch.sin(torch.arange(count) * 0.7 + start).reshape(dims)


def norm(x, name):
    return torch.nn.functional.layer_norm(
        x, (WIDTH,), tensor(name + '.weight', WIDTH, offset=1.0), tensor(name + '.bias', WIDTH))


def linear(x, name, size, out):
    return x @ tensor(name + '.weight', size, out)


def border(a, value):
    n = len(a)
    out = torch.full((n + 2, n + 2), float(value))
    out[1:-1, 1:-1] = a
    return out


def masks(a, variant):
    """Head by head, who may look at whom: successors, predecessors, common parents, common children."""
    if variant == 'released':
        r = border(a, 1)
        relations = [r, r.T, r.T @ r, r @ r.T]
    else:
        relations = [border(m, 1) for m in (a, a.T, a.T @ a, a @ a.T)]
    return torch.stack([(m + torch.eye(len(m))) > 0 for m in relations])


def model(ops, a, variant, messages):
    n = len(ops)
    code = torch.nn.functional.one_hot(torch.tensor(ops), CODES).double()
    depth = torch.nn.functional.one_hot(torch.tensor([n]), CODES).double()
    x = torch.cat([
        tensor('class', 1, WIDTH),
        linear(code, 'operation', CODES, WIDTH),
        linear(depth, 'depth', CODES, WIDTH),
    ])
    x = norm(x, 'norm')
    allowed = masks(a, variant)
    g = border(a, 0)
    h = WIDTH // HEADS
    for i in range(LAYERS):
        block = f'block.{i}.'
        y = norm(x, block + 'norm1')
        w = torch.cat([tensor(f'{block}attention.{p}.weight', WIDTH, WIDTH) for p in ('query', 'key', 'value')], 1)
        q, k, v = (y @ w).reshape(n + 2, 3, HEADS, h).permute(1, 2, 0, 3)
        scores = (q @ k.transpose(1, 2) / math.sqrt(h)).masked_fill(~allowed, -math.inf)
        mixed = (scores.softmax(-1) @ v).transpose(0, 1).reshape(n + 2, WIDTH)
        x = x + linear(mixed, block + 'attention.projection', WIDTH, WIDTH)
        y = norm(x, block + 'norm2')
        half = 2 * WIDTH
        part = lambda name: torch.cat(
            [tensor(f'{block}feedForward.{side}.{name}.weight', WIDTH, half) for side in ('forward', 'backward')], 1)
        u = y @ part('own')
        if messages:
            v1, v2 = (y @ part('graph')).split(half, 1)
            u = u + torch.cat([g @ v1, g.T @ v2], 1)
        w2 = torch.cat(
            [tensor(f'{block}feedForward.{side}.contract.weight', half, WIDTH) for side in ('forward', 'backward')])
        x = x + torch.relu(u) @ w2
    y = norm(x, 'last')[0]
    return (y @ tensor('head.weight', WIDTH, 1) + tensor('head.bias', 1) + 0.5).item()


GRAPHS = [
    {'ops': [0, 4], 'edges': [[0, 1]]},
    {'ops': [0, 1, 2, 4], 'edges': [[0, 1], [0, 2], [1, 3], [2, 3]]},
    {'ops': [0, 1, 1, 3, 2, 2, 4], 'edges': [[0, 1], [0, 2], [1, 3], [2, 3], [2, 4], [3, 5], [4, 5], [5, 6], [0, 6]]},
    {'ops': [0, 1, 2, 3, 4, 5, 3, 6],
     'edges': [[0, 1], [0, 2], [0, 4], [1, 3], [1, 5], [2, 6], [3, 6], [4, 7], [5, 7], [6, 7]]},
]

cases = []
for graph in GRAPHS:
    n = len(graph['ops'])
    a = torch.zeros(n, n)
    for i, j in graph['edges']:
        a[i, j] = 1
    outputs = {
        f'{variant} {"with" if messages else "without"} messages': model(graph['ops'], a, variant, messages)
        for variant in ('meant', 'released') for messages in (True, False)
    }
    allowed = {v: [''.join(str(int(b)) for b in m.flatten()) for m in masks(a, v)] for v in ('meant', 'released')}
    cases.append({**graph, 'outputs': outputs, 'masks': allowed})
print(json.dumps({'width': WIDTH, 'layers': LAYERS, 'cases': cases}, indent=1))
