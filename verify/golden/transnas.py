# Golden values for src/spaces/cells/transnas-micro.test.ts: parameters and multiply-accumulates of convolutions and the
# classifier, by PyTorch, of networks of TransNAS-Bench-101's cell space (Duan et al., CVPR 2021) at 64 x 64.
#   python3 verify/golden/transnas.py > src/spaces/cells/fixtures/transnas.json
import json
import torch
from torch import nn


def relu_conv_norm(cin, cout, kernel, stride):
    return nn.Sequential(nn.ReLU(), nn.Conv2d(cin, cout, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(cout))


class Reduce(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.even, self.odd = [nn.Conv2d(cin, cout // 2, 1, 2, bias=False) for _ in range(2)]
        self.norm = nn.BatchNorm2d(cout)

    def forward(self, x):
        x = x.relu()
        return self.norm(torch.cat([self.even(x), self.odd(nn.functional.pad(x, (0, 1, 0, 1))[:, :, 1:, 1:])], 1))


class Zero(nn.Module):
    def __init__(self, cout, stride):
        super().__init__()
        self.cout, self.stride = cout, stride

    def forward(self, x):
        return x.new_zeros(x.shape[0], self.cout, x.shape[2] // self.stride, x.shape[3] // self.stride)


def operation(digit, cin, cout, stride):
    if digit == '0':
        return Zero(cout, stride)
    if digit == '1':
        return nn.Identity() if stride == 1 and cin == cout else Reduce(cin, cout)
    return relu_conv_norm(cin, cout, 1 if digit == '2' else 3, stride)


class Cell(nn.Module):
    def __init__(self, groups, cin, cout, stride):
        super().__init__()
        self.nodes = nn.ModuleList(
            nn.ModuleList(operation(d, cin if i == 0 else cout, cout, stride if i == 0 else 1) for i, d in enumerate(g))
            for g in groups)

    def forward(self, x):
        found = [x]
        for edges in self.nodes:
            found.append(sum(edge(y) for edge, y in zip(edges, found)))
        return found[-1]


def network(text):
    width, layers, cell = text.split('-')
    width, groups = int(width), cell.split('_')
    parts = [nn.Conv2d(3, width // 2, 3, 2, 1, bias=False), nn.BatchNorm2d(width // 2),
             relu_conv_norm(width // 2, width, 3, 2)]
    for layer in layers:
        out, stride = (2 * width, 2) if layer == '4' else (width, 1)
        parts += [Cell(groups, width, out, stride), Cell(groups, out, out, 1)]
        width = out
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 75))


def counted(text):
    model, macs = network(text).eval(), [0]

    def hook(layer, _, y):
        macs[0] += layer.weight.numel() * (y.shape[2] * y.shape[3] if y.dim() == 4 else 1)

    for layer in model.modules():
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            layer.register_forward_hook(hook)
    model(torch.zeros(1, 3, 64, 64))
    return {'arch': text, 'parameters': sum(p.numel() for p in model.parameters()), 'macs': macs[0]}


TEXTS = ['64-41414-3_33_333', '64-41414-1_02_301', '64-41414-0_20_013', '64-41414-1_11_111']
print(json.dumps([counted(text) for text in TEXTS]))
