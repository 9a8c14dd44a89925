"""Networks in PyTorch, eager, as the peers of `npm run bench -- engine`: ResNet-18, MobileNetV2, ViT-Tiny and GPT-2 small.

Argument: threads. A line names a network, the batch and the size of images (or the number of tokens); it is answered with
the milliseconds of a training step by SGD with momentum."""
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(int(sys.argv[1]))
torch.manual_seed(0)
CLASSES = 10


def conv_norm(before, after, kernel, stride=1, groups=1):
    conv = nn.Conv2d(before, after, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(after))


class Block(nn.Module):
    def __init__(self, before, channels, stride):
        super().__init__()
        self.first, self.second = conv_norm(before, channels, 3, stride), conv_norm(channels, channels, 3)
        is_same = stride == 1 and before == channels
        self.kept = nn.Identity() if is_same else conv_norm(before, channels, 1, stride)

    def forward(self, x):
        return torch.relu(self.second(torch.relu(self.first(x))) + self.kept(x))


def resnet18(size):
    stem = conv_norm(3, 64, 3) if size == 32 else conv_norm(3, 64, 7, 2)
    layers, before = [stem, nn.ReLU()], 64
    if size != 32:
        layers.append(nn.MaxPool2d(3, 2, 1))
    for stage, channels in enumerate([64, 128, 256, 512]):
        for i in range(2):
            layers.append(Block(before, channels, 2 if stage > 0 and i == 0 else 1))
            before = channels
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, CLASSES))


class Inverted(nn.Module):
    def __init__(self, before, expansion, channels, stride):
        super().__init__()
        hidden, layers = expansion * before, []
        if expansion != 1:
            layers += [conv_norm(before, hidden, 1), nn.ReLU6()]
        layers += [conv_norm(hidden, hidden, 3, stride, hidden), nn.ReLU6(), conv_norm(hidden, channels, 1)]
        self.layers, self.is_same = nn.Sequential(*layers), stride == 1 and before == channels

    def forward(self, x):
        return x + self.layers(x) if self.is_same else self.layers(x)


def mobilenetv2(_):
    layers, before = [conv_norm(3, 32, 3, 2), nn.ReLU6()], 32
    stages = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for expansion, channels, blocks, stride in stages:
        for i in range(blocks):
            layers.append(Inverted(before, expansion, channels, stride if i == 0 else 1))
            before = channels
    layers += [conv_norm(before, 1280, 1), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers, nn.Linear(1280, CLASSES))


class Layer(nn.Module):
    def __init__(self, width, heads, is_causal):
        super().__init__()
        self.heads, self.is_causal = heads, is_causal
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.is_causal)
        x = x + self.out(y.transpose(1, 2).reshape(b, n, d))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class ViT(nn.Module):
    def __init__(self, size, width=192, layers=12, heads=3, patch=16):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(0.02 * torch.randn(1, 1, width))
        self.places = nn.Parameter(0.02 * torch.randn(1, (size // patch) ** 2 + 1, width))
        self.layers = nn.Sequential(*(Layer(width, heads, False) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, CLASSES)

    def forward(self, image):
        rows = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(image), -1, -1), rows], 1) + self.places
        return self.head(self.norm(self.layers(x))[:, 0])


class GPT2(nn.Module):
    def __init__(self, length, width=768, layers=12, heads=12, tokens=50257):
        super().__init__()
        self.tokens = nn.Embedding(tokens, width)
        self.places = nn.Parameter(0.01 * torch.randn(1, length, width))
        self.layers = nn.Sequential(*(Layer(width, heads, True) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        nn.init.normal_(self.tokens.weight, std=0.02)

    def forward(self, tokens):
        x = self.norm(self.layers(self.tokens(tokens) + self.places))
        return (x @ self.tokens.weight.T).flatten(0, 1)


NETWORKS = {"resnet18": resnet18, "mobilenetv2": mobilenetv2, "vit": ViT, "gpt2": GPT2}


def made(name, batch, size):
    net = NETWORKS[name](size).train()
    optimiser = torch.optim.SGD(net.parameters(), lr=1e-4, momentum=0.9)
    if name == "gpt2":
        given, target = torch.randint(0, 50000, (batch, size)), torch.randint(0, 50000, (batch * size,))
    else:
        given, target = torch.rand(batch, 3, size, size), torch.randint(0, CLASSES, (batch,))

    def step():
        optimiser.zero_grad()
        F.cross_entropy(net(given), target).backward()
        optimiser.step()

    return step


steps = {}
print(torch.__version__, flush=True)
for line in sys.stdin:
    name, batch, size = line.split()
    if line not in steps:
        steps[line] = made(name, int(batch), int(size))
    start = time.perf_counter()
    steps[line]()
    print((time.perf_counter() - start) * 1000, flush=True)
