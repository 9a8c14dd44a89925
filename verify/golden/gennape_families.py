"""Writes what PyTorch makes of networks of the three families of GENNAPE: the fixture of their tests.

    python verify/golden/gennape_families.py src/spaces/gennape/fixtures/gennape-families.json

The networks are written here as modules, block by block, from the description of the families (Mills et al.,
AAAI 2023, and the constants of the authors' generator); nothing is shared with src/spaces but the texts.

What is written of each network:

parameters  trained ones, at the paper's sizes
macs        of convolutions and dense layers on an image of 32×32
logits      of a quarter of the paper's widths on an image of 16×16, both filled as below, in float64

Weights depend only on their place in their tensor, so that they need no names: see `fill`.
"""

import json
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)


def conv_bn(cin, cout, kernel, stride=1, bias=False, groups=1):
    kernel = (kernel, kernel) if isinstance(kernel, int) else kernel
    padding = tuple(k // 2 for k in kernel)
    return nn.Sequential(
        nn.Conv2d(cin, cout, kernel, stride, padding, groups=groups, bias=bias), nn.BatchNorm2d(cout)
    )


def conv_bn_relu6(*args, **more):
    return nn.Sequential(conv_bn(*args, **more), nn.ReLU6())


class HiamlBlock(nn.Module):
    """Layers of the fourteen blocks by name, then their wiring."""

    def __init__(self, name, cin, cout, stride):
        super().__init__()
        self.name = name
        proj = stride != 1 or cin != cout

        def inc(source, step=1):
            return nn.Sequential(
                conv_bn_relu6(source, cout, (1, 3), step), conv_bn_relu6(cout, cout, (3, 1))
            )

        def skip():
            return conv_bn(cin, cout, 1, stride) if proj else nn.Identity()

        layers = {
            "a22": lambda: [conv_bn_relu6(cin, cout, 3, stride), conv_bn_relu6(cout, cout, 1), conv_bn(cout, cout, 1)],
            "z": lambda: [conv_bn_relu6(cin, cout, 3, stride), inc(cout)],
            "b23": lambda: [skip(), inc(cin, stride), inc(cout)],
            "j30": lambda: [skip(), conv_bn_relu6(cin, cout, 3, stride), inc(cout)],
            "g30": lambda: [skip(), inc(cin, stride), inc(cout), conv_bn(cout, cout, 1)],
            "r30": lambda: [skip(), skip(), inc(cin, stride), conv_bn(cout, cout, 1), inc(cout)],
            "l20": lambda: [conv_bn_relu6(cin, cout, 3, stride), conv_bn(cout, cout, 1)],
            "t20": lambda: [conv_bn(cin, cout, 1, stride), inc(cin, stride)],
            "t31": lambda: [skip(), skip(), inc(cin, stride), conv_bn_relu6(cout, cout, 1), inc(cout)],
            "src0": lambda: [
                conv_bn_relu6(cin, cout, 1, stride), conv_bn_relu6(cout, cout, 3), conv_bn(cout, cout, 3)
            ],
            "src1": lambda: [
                conv_bn_relu6(cin, cout, 1, stride), conv_bn_relu6(cin, cin, 3), conv_bn(cin, cout, 3, stride)
            ],
            "src3": lambda: [
                conv_bn(cin, cout, 1, stride), conv_bn_relu6(cin, cin, 1),
                conv_bn_relu6(cin, cout, 3, stride), conv_bn(cout, cout, 1),
            ],
            "src7": lambda: [conv_bn(cin, cout, 1, stride), inc(cout), inc(cout)],
            "src8": lambda: [conv_bn(cin, cout, 1, stride), inc(cout), conv_bn(cout, cout, 1)],
        }
        self.layers = nn.ModuleList(layers[name]())

    def wired(self, x):
        f = self.layers
        name = self.name
        if name == "l20":
            return f[1](f[0](x))
        if name in ("a22", "src0"):
            y = f[0](x)
            return y + f[2](f[1](y))
        if name == "z":
            y = f[0](x)
            return y + f[1](y)
        if name in ("b23", "j30"):
            return f[0](x) + f[2](f[1](x))
        if name == "g30":
            y = f[1](x)
            return y + f[3](f[2](f[0](x) + y))
        if name == "r30":
            y = f[2](x)
            return f[1](x) + f[3](f[0](x) + y) + f[4](y)
        if name == "t20":
            return f[0](x) + f[1](x)
        if name == "t31":
            y = f[3](f[2](x))
            return f[1](x) + y + f[4](f[0](x) + y)
        if name == "src1":
            return f[0](x) + f[2](f[1](x))
        if name == "src3":
            return f[0](x) + f[3](f[2](f[1](x)))
        y = f[0](x)  # src7, src8
        return y + f[2](f[1](y))

    def forward(self, x):
        return F.relu(self.wired(x))


class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.classifier = nn.Linear(width, 10)

    def forward(self, x):
        return self.classifier(x.mean((2, 3)))


def hiaml(text, part=1):
    width = 64 // part
    layers = [nn.Conv2d(3, width, 3, 2, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    for stage, name in enumerate(text.split("-")):
        wider = width * 2 if stage in (1, 3) else width
        layers += [HiamlBlock(name, width, wider, 2 if stage in (1, 3) else 1), HiamlBlock(name, wider, wider, 1)]
        width = wider
    return nn.Sequential(*layers, Head(width))


TWO_PATH_SUPPLEMENTS = {"conv1x1", "bottleneck-r2-k1", "bottleneck-e2-k1", "avgpool3x3", "maxpool3x3"}


def two_path_op(name, cin, cout, stride):
    if name.startswith("conv"):
        return conv_bn_relu6(cin, cout, int(name[-1]), stride)
    if name == "double3x3":
        return nn.Sequential(conv_bn_relu6(cin, cin, 3, stride), conv_bn_relu6(cin, cout, 3))
    if name.startswith("inception_s"):
        k = int(name[-1])
        return nn.Sequential(conv_bn_relu6(cin, cout, (1, k), stride), conv_bn_relu6(cout, cout, (k, 1)))
    if name.startswith("bottleneck"):
        _, size, kernel = name.split("-")
        hidden = cin // int(size[1:]) if size[0] == "r" else cin * int(size[1:])
        k = int(kernel[1:])
        return nn.Sequential(conv_bn_relu6(cin, hidden, k, stride), conv_bn_relu6(hidden, cout, k))
    pool = {"avgpool3x3": nn.AvgPool2d, "maxpool3x3": nn.MaxPool2d}[name]
    return nn.Sequential(pool(3, 1, 1), nn.BatchNorm2d(cin))


class TwoPathBlock(nn.Module):
    def __init__(self, ops, cin, reduces):
        super().__init__()
        self.reduces = reduces
        layers, width, waiting = [], cin, reduces
        for op in ops:
            if waiting and op not in TWO_PATH_SUPPLEMENTS:
                layers.append(two_path_op(op, width, 2 * width, 2))
                width, waiting = 2 * width, False
            else:
                layers.append(two_path_op(op, width, width, 1))
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x) if self.reduces else self.layers(x) + x


class SideBySide(nn.Module):
    def __init__(self, paths):
        super().__init__()
        self.paths = nn.ModuleList(paths)

    def forward(self, x):
        return torch.cat([path(x) for path in self.paths], 1)


def two_path(text, part=1):
    stem = 32 // part
    paths = []
    for path in text.split("/"):
        width, blocks = stem, []
        for block in path.split(","):
            reduces = block.endswith(":2")
            blocks.append(TwoPathBlock(block.removesuffix(":2").split("+"), width, reduces))
            width = width * 2 if reduces else width
        paths.append(nn.Sequential(*blocks))
    return nn.Sequential(
        conv_bn_relu6(3, stem, 3),
        conv_bn_relu6(stem, stem, 3, 2),
        SideBySide(paths),
        conv_bn_relu6(8 * stem, 512 // part, 3),
        Head(512 // part),
    )


class InceptionP(nn.Module):
    def __init__(self, cin, cout, k, stride):
        super().__init__()
        half = cout // 2
        rest = cout - half
        if stride == 1:
            self.a = conv_bn(cin, half, (1, k), 1, True)
            self.b = conv_bn(cin, rest, (k, 1), 1, True)
        else:
            self.a = nn.Sequential(
                conv_bn(cin, half, (1, k), (1, stride), True), conv_bn(half, half, (k, 1), (stride, 1), True)
            )
            self.b = nn.Sequential(
                conv_bn(cin, rest, (k, 1), (stride, 1), True), conv_bn(rest, rest, (1, k), (1, stride), True)
            )

    def forward(self, x):
        return F.relu6(torch.cat([F.relu6(self.a(x)), F.relu6(self.b(x))], 1))


def inception_op(name, cin, cout, stride):
    k = int(name[-1])
    if name.startswith("conv"):
        return conv_bn_relu6(cin, cout, k, stride, True)
    if name.startswith("inception_s"):
        return nn.Sequential(
            conv_bn_relu6(cin, cout, (1, k), (1, stride), True), conv_bn_relu6(cout, cout, (k, 1), (stride, 1), True)
        )
    if name.startswith("inception_p"):
        return InceptionP(cin, cout, k, stride)
    if name.startswith("depthwise"):
        widen = [nn.Conv2d(cin, cout, 1, bias=False)] if cin != cout else []
        return nn.Sequential(*widen, conv_bn_relu6(cout, cout, k, stride, True, cout))
    if name == "double1x1":
        return nn.Sequential(conv_bn_relu6(cin, cout, 1, 1, True), conv_bn_relu6(cout, cout, 1, 1, True))
    pool = {"avgpool3x3": nn.AvgPool2d, "maxpool3x3": nn.MaxPool2d}[name]
    return nn.Sequential(pool(3, 1, 1), nn.BatchNorm2d(cin))


INCEPTION_CONVS = ("conv3x3", "conv5x5", "depthwise", "inception")


def inception_path(ops, cin, inner, cout, stride):
    resizes = [i for i, op in enumerate(ops) if not op.endswith("pool3x3")]
    strides = next(i for i, op in enumerate(ops) if op.startswith(INCEPTION_CONVS))
    layers, width = [], cin
    for i, op in enumerate(ops):
        target = width
        if i == resizes[0]:
            target = inner
        if i == resizes[-1]:
            target = cout
        layers.append(inception_op(op, width, target, stride if i == strides else 1))
        width = target
    return nn.Sequential(*layers)


class InceptionBlock(nn.Module):
    def __init__(self, paths, cin, cout, stride, least):
        super().__init__()
        self.adds = stride == 1 and cin == cout
        n = len(paths)
        widths = [cout // 2, cout // 4, cout // 4] if n == 3 else [cout // n] * n
        widths = [max(w, least) for w in widths]
        built = []
        for path, width in zip(paths, widths):
            ops, _, change = path.partition(":")
            inner = {"": width, "r2": width // 2, "e2": width * 2}[change]
            built.append(inception_path(ops.split("+"), cin, max(inner, least), width, stride))
        self.paths = SideBySide(built)
        total = sum(widths)
        self.join = conv_bn(total, cout, 1, 1, True) if total != cout else nn.Identity()

    def forward(self, x):
        y = self.join(self.paths(x))
        return y + x if self.adds else y


def inception(text, part=1):
    width = 32 // part
    layers = [conv_bn_relu6(3, width, 3, 1, True)]
    for i, stage in enumerate(text.split("/")):
        count, _, paths = stage.partition(":")
        wider = width if i == 0 else 2 * width
        for block in range(int(count)):
            stride = 2 if i > 0 and block == 0 else 1
            layers.append(InceptionBlock(paths.split(","), width, wider, stride, 16 // part))
            width = wider
    return nn.Sequential(*layers, conv_bn_relu6(width, 512 // part, 3, 1, True), Head(512 // part))


def count(network):
    """Parameters, and multiply-accumulates of convolutions and dense layers."""
    macs = 0

    def hook(module, _, output):
        nonlocal macs
        if isinstance(module, nn.Conv2d):
            macs += output.numel() * module.weight[0].numel()
        elif isinstance(module, nn.Linear):
            macs += module.weight.numel()

    handles = [m.register_forward_hook(hook) for m in network.modules()]
    network.eval()(torch.zeros(1, 3, 32, 32))
    for handle in handles:
        handle.remove()
    return sum(p.numel() for p in network.parameters()), macs


def pattern(size, period):
    """From −1 to 1, without an order that one would see: 31·place² + 7·place, modulo the period."""
    place = torch.arange(size)
    return ((31 * place * place + 7 * place) % period).double() * (2 / (period - 1)) - 1


def fill(network):
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            fan = module.weight[0].numel()
            module.weight.data = pattern(module.weight.numel(), 1009).view_as(module.weight) * (3 / fan) ** 0.5
            if module.bias is not None:
                module.bias.data = pattern(module.bias.numel(), 23) * 0.1
        elif isinstance(module, nn.BatchNorm2d):
            n = module.num_features
            module.weight.data = 1 + 0.2 * pattern(n, 23)
            module.bias.data = 0.1 * pattern(n, 29)
            module.running_mean.data = 0.1 * pattern(n, 37)
            module.running_var.data = 1 + 0.5 * pattern(n, 41)
        elif isinstance(module, nn.Linear):
            # Places are those of (in, out).
            fan = module.in_features
            weight = pattern(module.weight.numel(), 1009).view(fan, -1) * (3 / fan) ** 0.5
            module.weight.data = weight.t().contiguous()
            module.bias.data = pattern(module.bias.numel(), 23) * 0.1


def golden(build, text):
    parameters, macs = count(build(text))
    network = build(text, 4)
    fill(network)
    with torch.no_grad():
        logits = network.eval()(pattern(3 * 16 * 16, 251).view(1, 3, 16, 16))
    return {"text": text, "parameters": parameters, "macs": macs, "logits": [float(f"{x:.7g}") for x in logits[0]]}


BLOCKS = "z a22 b23 j30 g30 r30 l20 t20 t31 src0 src1 src3 src7 src8".split()
# Ten mixtures, no block twice in one of them.
MIXED = ["-".join(BLOCKS[(i + step) % 14] for step in (0, 3, 5, 8)) for i in range(10)]
TEXTS = {
    "hiaml": ["-".join([block] * 4) for block in BLOCKS] + MIXED,
    "two-path": [
        "conv3x3:2,conv3x3:2/conv3x3:2,conv3x3:2",
        "conv3x3+maxpool3x3:2,bottleneck-r2-k3,double3x3:2/inception_s5x5:2,conv1x1+conv5x5+conv3x3:2",
        "avgpool3x3+conv5x5,bottleneck-e2-k3:2,inception_s3x3:2,bottleneck-r4-k3/bottleneck-r2-k1+double3x3:2,conv3x3:2",
        "bottleneck-e2-k1+bottleneck-r4-k3+inception_s5x5:2,conv3x3,inception_s3x3+conv3x3+maxpool3x3:2,double3x3/"
        "conv5x5+conv5x5,bottleneck-r2-k3+conv1x1:2,bottleneck-e2-k3:2",
        "double3x3,double3x3,double3x3:2,double3x3:2/inception_s3x3:2,inception_s3x3,inception_s5x5:2,inception_s5x5",
        "conv1x1+bottleneck-r2-k3:2,avgpool3x3+bottleneck-r4-k3:2/bottleneck-r2-k1+conv3x3,conv3x3:2,conv3x3+bottleneck-e2-k1:2",
    ],
    "inception": [
        "2:conv3x3/2:conv3x3/2:conv3x3/2:conv3x3",
        "2:conv3x3/3:conv3x3+conv1x1,inception_s5x5/2:depthwise5x5+conv3x3:e2,conv1x1+conv3x3,maxpool3x3+inception_p3x3/"
        "4:conv5x5+conv3x3:r2",
        "2:depthwise3x3+avgpool3x3,inception_p5x5/2:depthwise3x3,double1x1+conv3x3+conv5x5:r2/3:inception_p3x3/"
        "2:inception_s3x3+inception_s3x3,avgpool3x3+conv3x3,conv3x3+double1x1:r2,depthwise5x5+depthwise3x3:e2",
        "3:conv1x1+conv3x3,conv3x3+conv3x3:e2,inception_s3x3+maxpool3x3/2:inception_p5x5+conv3x3+inception_s5x5/"
        "2:conv3x3+conv3x3+conv3x3+conv1x1:r2,depthwise3x3+conv3x3,depthwise3x3+conv3x3/2:double1x1+depthwise5x5",
        "2:maxpool3x3+conv5x5/2:conv1x1+inception_p3x3+conv3x3:e2/6:depthwise5x5,depthwise3x3/2:inception_p5x5,conv5x5",
        "2:conv3x3+conv1x1,inception_s3x3+conv3x3,depthwise3x3+conv3x3:e2,conv3x3+avgpool3x3/"
        "2:conv3x3+conv1x1,inception_p3x3+inception_p3x3,depthwise3x3+double1x1,conv5x5+avgpool3x3/2:conv3x3/2:conv3x3",
    ],
}


def main():
    builders = {"hiaml": hiaml, "two-path": two_path, "inception": inception}
    found = {name: [golden(builders[name], text) for text in texts] for name, texts in TEXTS.items()}
    lines = [
        f'  "{name}": [\n' + ",\n".join("    " + json.dumps(case) for case in cases) + "\n  ]"
        for name, cases in found.items()
    ]
    Path(sys.argv[1]).write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
