"""The same NN-Former in PyTorch, eager, as the peer of `npm run bench -- engine` and `predictors`.

Arguments: threads, then width, layers, nodes and members of an ensemble where they are not the paper's.

Answers lines on standard input: `train BATCH DROPOUT`, `infer BATCH`, `many BATCH COUNT`, `matmul SIZE`, `rss`; one number each, in
milliseconds (`matmul`: GFLOP/s, `rss`: peak MB)."""
import math
import re
import sys
import time

import torch
from torch import nn

torch.set_num_threads(int(sys.argv[1]))
torch.manual_seed(0)
WIDTH, LAYERS, NODES, MEMBERS = (int(n) for n in sys.argv[2:6]) if len(sys.argv) > 2 else (160, 12, 7, 1)
HEADS = 4


class Attention(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.projection = nn.Linear(WIDTH, WIDTH, bias=False)
        self.drop = nn.Dropout(rate)
        self.drop_scores = nn.Dropout(rate)

    def forward(self, x, bias):
        b, n, _ = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(WIDTH // HEADS) + bias
        y = (self.drop_scores(scores.softmax(-1)) @ v).transpose(1, 2).reshape(b, n, WIDTH)
        return self.drop(self.projection(y))


class FeedForward(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.w1 = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.wg = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.w2 = nn.Linear(4 * WIDTH, WIDTH, bias=False)
        self.drop = nn.Dropout(rate)
        self.drop_hidden = nn.Dropout(rate)

    def forward(self, x, g):
        v1, v2 = self.wg(x).chunk(2, dim=-1)
        mixed = torch.cat([g @ v1, g.transpose(1, 2) @ v2], dim=-1)
        return self.drop(self.w2(self.drop_hidden(torch.relu(self.w1(x) + mixed))))


class NNFormer(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.operation = nn.Linear(32, WIDTH, bias=False)
        self.depth = nn.Linear(32, WIDTH, bias=False)
        self.norm = nn.LayerNorm(WIDTH)
        self.attention = nn.ModuleList(Attention(rate) for _ in range(LAYERS))
        self.feed_forward = nn.ModuleList(FeedForward(rate) for _ in range(LAYERS))
        self.norm1 = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(LAYERS))
        self.norm2 = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(LAYERS))
        self.last = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, 1)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.trunc_normal_(p, std=0.02)

    def forward(self, code, depth, adjacency):
        r = nn.functional.pad(adjacency, (1, 1, 1, 1), value=1.0)
        t = r.transpose(1, 2)
        relations = torch.stack([r, t, t @ r, r @ t], 1) + torch.eye(r.shape[-1])
        bias = torch.zeros_like(relations).masked_fill(relations == 0, -math.inf)
        g = nn.functional.pad(adjacency, (1, 1, 1, 1), value=0.0)
        x = torch.cat([self.token.expand(len(code), -1, -1), self.operation(code), self.depth(depth)], 1)
        x = self.norm(x)
        for i in range(LAYERS):
            x = x + self.attention[i](self.norm1[i](x), bias)
            x = x + self.feed_forward[i](self.norm2[i](x), g)
        return self.head(self.last(x[:, 0])) + 0.5


def batch(size):
    operations = torch.randint(0, 7, (size, NODES))
    code = nn.functional.one_hot(operations, 32).float()
    depth = nn.functional.one_hot(torch.full((size, 1), NODES), 32).float()
    adjacency = (torch.rand(size, NODES, NODES) < 0.4).float().triu(1)
    return code, depth, adjacency, torch.rand(size, 1)


networks = {}


def network(rate):
    if rate not in networks:
        net = nn.ModuleList(NNFormer(rate) for _ in range(MEMBERS))
        networks[rate] = (net, torch.optim.AdamW(net.parameters(), lr=1e-4, weight_decay=0.01))
    return networks[rate]


batches = {}


def measure(what, *args):
    if what == 'many':
        return sum(measure('infer', args[0]) for _ in range(int(args[1])))
    if what == 'matmul':
        size = int(args[0])
        a, b = torch.rand(size, size), torch.rand(size, size)
        a @ b
        start = time.perf_counter()
        for _ in range(5):
            a @ b
        return 2e-9 * size**3 * 5 / (time.perf_counter() - start)
    if what == 'rss':
        # Not ru_maxrss, which a process inherits from the one that started it.
        return int(re.search(r'VmHWM:\s*(\d+)', open('/proc/self/status').read())[1]) / 1024
    size = int(args[0])
    if size not in batches:
        batches[size] = batch(size)
    *inputs, target = batches[size]
    rate = float(args[1]) if len(args) > 1 else 0.0
    net, optimiser = network(rate)
    start = time.perf_counter()
    if what == 'train':
        net.train()
        optimiser.zero_grad()
        nn.functional.mse_loss(net[0](*inputs), target).backward()
        optimiser.step()
    else:
        net.eval()
        with torch.inference_mode():
            torch.stack([member(*inputs) for member in net]).mean(0)
    return (time.perf_counter() - start) * 1000


print(torch.__version__, flush=True)
for line in sys.stdin:
    print(measure(*line.split()), flush=True)
