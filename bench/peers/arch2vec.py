"""The same arch2vec in PyTorch, eager, as the peer of `npm run bench -- engine`.

Argument: threads. Answers lines on standard input: `train BATCH` with the milliseconds of a step, `cpu BATCH STEPS` with the
milliseconds of processor time of a step, `rss` with the peak MB."""
import resource
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(int(sys.argv[1]))
torch.manual_seed(0)
NODES, OPERATIONS, WIDTH, LATENT = 7, 5, 128, 16


class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.first, self.second = nn.Linear(size, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.inner, self.norm = nn.BatchNorm1d(WIDTH), nn.BatchNorm1d(WIDTH)

    def forward(self, x, both):
        b, n, _ = x.shape
        x = ((1 + self.eps) * x + both @ x).view(b * n, -1)
        x = self.second(torch.relu(self.inner(self.first(x))))
        return torch.relu(self.norm(x)).view(b, n, -1)


class Arch2vec(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Layer(OPERATIONS if i == 0 else WIDTH) for i in range(4))
        self.mean, self.deviation = nn.Linear(WIDTH, LATENT), nn.Linear(WIDTH, LATENT)
        self.decoder, self.drop = nn.Linear(LATENT, OPERATIONS), nn.Dropout(0.3)

    def loss(self, operations, adjacency):
        both = adjacency + adjacency.transpose(1, 2)
        x = operations
        for layer in self.layers:
            x = layer(x, both)
        mean, deviation = self.mean(x), self.deviation(x) / 2
        z = self.drop(mean + torch.exp(deviation) * torch.randn_like(mean))
        reconstruction = F.cross_entropy(self.decoder(z).flatten(0, 1), operations.flatten(0, 1).argmax(-1))
        each = F.binary_cross_entropy_with_logits(z @ z.transpose(1, 2), adjacency, reduction="none")
        divergence = -0.5 * (1 + 2 * deviation - mean**2 - torch.exp(2 * deviation)).sum(-1).mean()
        return reconstruction + torch.triu(each, 1).mean() + divergence


model = Arch2vec()
optimiser = torch.optim.Adam(model.parameters(), 1e-3)
batches = {}


def step(batch):
    if batch not in batches:
        operations = F.one_hot(torch.randint(OPERATIONS, (batch, NODES)), OPERATIONS).float()
        batches[batch] = operations, torch.triu(torch.rand(batch, NODES, NODES) < 0.5, 1).float()
    optimiser.zero_grad()
    loss = model.loss(*batches[batch])
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5)
    optimiser.step()
    return loss.item()


print("ready", flush=True)
for line in sys.stdin:
    command, *rest = line.split()
    if command == "rss":
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, flush=True)
        continue
    batch, count = int(rest[0]), int(rest[1]) if command == "cpu" else 1
    clock = time.process_time if command == "cpu" else time.perf_counter
    start = clock()
    for _ in range(count):
        step(batch)
    print((clock() - start) * 1000 / count, flush=True)
