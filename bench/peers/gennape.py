"""A training step of GENNAPE's contrastive encoder in PyTorch Geometric, measured for bench/gennape.ts.

The first argument is a file of graphs: operators, sizes, kernels and edges by graph. Nodes are embedded, then a k-GNN
(GraphConv) and a transformer with linear attention run over them, the latter on graphs padded to the largest one
(to_dense_batch). Only what dropout changes runs twice. The lines `step` and `embed` are answered with the milliseconds of a training
step and of a forward pass.
"""
import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch_geometric.nn import GraphConv, global_mean_pool
from torch_geometric.utils import to_dense_batch

torch.set_num_threads(int(sys.argv[2]))
torch.manual_seed(0)
WIDTH, HEADS, HIDDEN, RATE, TEMPERATURE, ALPHA = 64, 2, 128, 0.1, 0.05, 0.05


class Nodes(nn.Module):
    def __init__(self):
        super().__init__()
        self.weighted, self.regular = nn.Embedding(32, 14), nn.Embedding(32, 24)
        self.sizes = nn.ModuleList([nn.Linear(6, 8), nn.Linear(6, 8)])
        self.kernels = nn.ModuleList([nn.Embedding(8, 4), nn.Embedding(8, 4)])
        self.bias = nn.Linear(2, 2)

    def forward(self, data):
        weighted = [
            self.weighted(data["weightedOps"]),
            self.sizes[0](data["weightedSizes"]),
            *(embed(data["kernels"][:, i]) for i, embed in enumerate(self.kernels)),
            self.bias(data["bias"]),
        ]
        regular = [self.regular(data["regularOps"]), self.sizes[1](data["regularSizes"])]
        return torch.cat([torch.cat(weighted, 1), torch.cat(regular, 1)])[data["order"]]


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.nodes = Nodes()
        self.layers = nn.ModuleList(GraphConv(32 if i == 0 else WIDTH, WIDTH) for i in range(4))
        self.into, self.qkv, self.out = nn.Linear(32, WIDTH), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.up, self.down = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)
        self.projection = nn.Sequential(nn.Linear(2 * WIDTH, 2 * WIDTH), nn.ReLU(), nn.Linear(2 * WIDTH, 64))
        self.flops = nn.Sequential(nn.Linear(2 * WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))

    def attention(self, x, mask):
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        q, k = F.elu(q) + 1, (F.elu(k) + 1) * mask[:, None, :, None]
        joined = q @ (k.transpose(2, 3) @ v) / (q @ k.sum(2)[..., None] + 1e-6)
        return self.out(joined.transpose(1, 2).flatten(2))

    def forward(self, data):
        x, batch = self.nodes(data), data["batch"]
        y = x
        for layer in self.layers:
            y = layer(y, data["edges"]).tanh()
        means = global_mean_pool(y, batch)
        dense, mask = to_dense_batch(self.into(x), batch)
        attended = self.attention(dense, mask)
        counts = mask.sum(1, keepdim=True)
        passes = []
        for _ in range(2):
            z = self.norms[0](dense + F.dropout(attended, RATE))
            hidden = F.dropout(self.up(z).relu(), RATE)
            z = self.norms[1](z + F.dropout(self.down(hidden), RATE))
            passes.append(torch.cat([means, (z * mask[..., None]).sum(1) / counts], 1))
        return torch.cat(passes)


def loss(net, data):
    embedding = net(data)
    z = F.normalize(net.projection(embedding), dim=1)
    itself = torch.eye(len(z), dtype=torch.bool)
    distances = data["distances"].repeat(2, 2)
    alpha = torch.softmax((-distances / ALPHA).masked_fill(itself, -torch.inf), 1)
    scores = torch.log_softmax((z @ z.T / TEMPERATURE).masked_fill(itself, -1e9), 1)
    return -(alpha * scores).sum(1).mean() + F.mse_loss(net.flops(embedding), data["flops"].repeat(2, 1))


def packed(graphs):
    """As PyTorch Geometric has batches: the nodes of a graph side by side."""
    data, edges, places, batch = {}, [], [], []
    first, second, start = 0, sum(len(g["weightedOps"]) for g in graphs), 0
    for b, graph in enumerate(graphs):
        w, r = len(graph["weightedOps"]), len(graph["regularOps"])
        places += [*range(first, first + w), *range(second, second + r)]
        edges += [(start + i, start + j) for i, j in graph["edges"]]
        batch += [b] * (w + r)
        first, second, start = first + w, second + r, start + w + r
    for name in ("weightedOps", "weightedSizes", "kernels", "bias", "regularOps", "regularSizes"):
        rows = torch.tensor([row for graph in graphs for row in graph[name]])
        data[name] = rows.float() if name == "bias" else rows
    return data | {"edges": torch.tensor(edges).T, "order": torch.tensor(places), "batch": torch.tensor(batch)}


given = json.load(open(sys.argv[1]))
data = packed(given["graphs"])
data |= {"distances": torch.tensor(given["distances"]).float(), "flops": torch.tensor(given["flops"]).float()}
net = Encoder()
optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.01)
print(torch.__version__, flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    if line.strip() == "step":
        net.train()
        optimiser.zero_grad()
        loss(net, data).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5)
        optimiser.step()
    else:
        net.eval()
        with torch.inference_mode():
            net(data)
    print((time.perf_counter() - start) * 1000, flush=True)
