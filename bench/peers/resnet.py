"""ResNet-18 for 32x32 images in PyTorch, eager, as the peer of `npm run bench -- engine`.

Answers lines on standard input: `train BATCH`, `infer BATCH`; one number each, in milliseconds."""
import sys
import time

import torch
from torch import nn

torch.set_num_threads(int(sys.argv[1]))
torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, before, channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, channels, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.kept = nn.Identity()
        if stride != 1 or before != channels:
            self.kept = nn.Sequential(nn.Conv2d(before, channels, 1, stride, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        y = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(self.norm2(self.conv2(y)) + self.kept(x))


layers = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
before = 64
for stage, channels in enumerate([64, 128, 256, 512]):
    for i in range(2):
        layers.append(Block(before, channels, 2 if stage > 0 and i == 0 else 1))
        before = channels
net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))
optimiser = torch.optim.SGD(net.parameters(), lr=1e-4, momentum=0.9)
batches = {}

print(torch.__version__, flush=True)
for line in sys.stdin:
    what, size = line.split()
    if size not in batches:
        batches[size] = (torch.rand(int(size), 3, 32, 32), torch.randint(0, 10, (int(size),)))
    image, label = batches[size]
    start = time.perf_counter()
    if what == 'train':
        net.train()
        optimiser.zero_grad()
        nn.functional.cross_entropy(net(image), label).backward()
        optimiser.step()
    else:
        net.eval()
        with torch.inference_mode():
            net(image)
    print((time.perf_counter() - start) * 1000, flush=True)
