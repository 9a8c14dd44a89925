"""Writes parameters and multiply-accumulates of networks of the mobile search spaces, as PyTorch has them: the fixture
of their tests.

    python verify/golden/mobile_spaces.py src/spaces/mobile/fixtures/mobile.json

Networks are written here from the published descriptions: once-for-all's supernets (MobileNetV3, ProxylessNAS, ResNet-50),
FBNet as HW-NAS-Bench builds it, and Accel-NASBench's MnasNet space. Architectures are drawn with a fixed seed, in the
notation of the original code; the greatest and the least of each space are among them. `models` has networks of
torchvision and timm that are points of a space.

parameters  all that are trained
macs        multiply-accumulates of convolutions and dense layers for one image
"""

import json
import random
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

CASES = 10


def import_models():
    """torchvision and timm, also where torchvision's compiled extension was built for another torch: its import then
    stops at operators (box suppression) that no network here calls, so they are declared by hand."""
    try:
        import torchvision
    except RuntimeError:
        library = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        import torchvision

        torchvision.declared = library  # the declarations last as long as this object
    import timm

    return torchvision, timm


def divisible(channels, divisor=8):
    rounded = max(divisor, int(channels + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * channels else rounded


def conv(inputs, outputs, kernel, stride=1, groups=1, activation=None, norm=True):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)]
    if norm:
        layers.append(nn.BatchNorm2d(outputs))
    if activation is not None:
        layers.append(activation())
    return nn.Sequential(*layers)


class Squeeze(nn.Module):
    def __init__(self, channels, hidden, activation=nn.ReLU, gate=nn.Hardsigmoid):
        super().__init__()
        self.gate = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(channels, hidden, 1),
            activation(),
            nn.Conv2d(hidden, channels, 1),
            gate(),
        )

    def forward(self, x):
        return x * self.gate(x)


class Shuffle(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, x):
        b, c, h, w = x.shape
        return x.reshape(b, self.groups, c // self.groups, h, w).transpose(1, 2).reshape(b, c, h, w)


class Inverted(nn.Module):
    def __init__(self, inputs, hidden, outputs, kernel, stride, activation, expand, squeeze=None, groups=1, residual=True):
        super().__init__()
        layers = []
        if expand:
            layers.append(conv(inputs, hidden, 1, groups=groups, activation=activation))
        if groups > 1:
            layers.append(Shuffle(groups))
        layers.append(conv(hidden, hidden, kernel, stride, hidden, activation))
        if squeeze is not None:
            layers.append(squeeze)
        layers.append(conv(hidden, outputs, 1, groups=groups))
        self.layers = nn.Sequential(*layers)
        self.residual = residual and stride == 1 and inputs == outputs

    def forward(self, x):
        return self.layers(x) + x if self.residual else self.layers(x)


def elastic(channels, stages, shapes):
    """Stages of (kernel, expansion), shapes of (width, stride, activation, squeezed)."""
    blocks = []
    for layers, (width, stride, activation, squeezed) in zip(stages, shapes):
        for i, (kernel, expansion) in enumerate(layers):
            hidden = divisible(channels * expansion)
            squeeze = Squeeze(hidden, divisible(hidden // 4)) if squeezed else None
            first = stride if i == 0 else 1
            blocks.append(Inverted(channels, hidden, width, kernel, first, activation, True, squeeze))
            channels = width
    return blocks


def stages_of(arch, most):
    stages, start = [], 0
    for depth, count in zip(arch["d"], most):
        stages.append(list(zip(arch["ks"], arch["e"]))[start : start + depth])
        start += count
    return stages


def ofa_mobilenetv3(arch, width=1.0):
    w = lambda base: divisible(base * width)
    swish, relu = nn.Hardswish, nn.ReLU
    shapes = [
        (w(24), 2, relu, False),
        (w(40), 2, relu, True),
        (w(80), 2, swish, False),
        (w(112), 1, swish, True),
        (w(160), 2, swish, True),
    ]
    return nn.Sequential(
        conv(3, w(16), 3, 2, activation=swish),
        Inverted(w(16), w(16), w(16), 3, 1, relu, False),
        *elastic(w(16), stages_of(arch, [4] * 5), shapes),
        conv(w(160), w(960), 1, activation=swish),
        nn.AdaptiveAvgPool2d(1),
        conv(w(960), w(1280), 1, activation=swish, norm=False),
        nn.Flatten(),
        nn.Linear(w(1280), 1000),
    )


def proxylessnas(arch, width=1.0):
    w = lambda base: divisible(base * 1.3 * width)
    shapes = [(w(c), s, nn.ReLU6, False) for c, s in [(24, 2), (40, 2), (80, 2), (96, 1), (192, 2), (320, 1)]]
    return nn.Sequential(
        conv(3, w(32), 3, 2, activation=nn.ReLU6),
        Inverted(w(32), w(32), w(16), 3, 1, nn.ReLU6, False, residual=False),
        *elastic(w(16), stages_of(arch, [4] * 5 + [1]), shapes),
        conv(w(320), w(1280), 1, activation=nn.ReLU6),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(w(1280), 1000),
    )


class Sum(nn.Module):
    def __init__(self, branch, shortcut=None, activation=None):
        super().__init__()
        self.branch, self.shortcut, self.activation = branch, shortcut, activation

    def forward(self, x):
        y = self.branch(x) + (x if self.shortcut is None else self.shortcut(x))
        return y if self.activation is None else self.activation(y)


def ofa_resnet(arch, width=1.0):
    multipliers = [0.65, 0.8, 1.0]
    w = lambda base, index: divisible(base * multipliers[index] * width)
    first, channels = divisible(w(64, arch["w"][0]) // 2), w(64, arch["w"][1])
    blocks, start = [], 0
    shapes = zip([256, 512, 1024, 2048], [2, 2, 4, 2], [1, 2, 2, 2], arch["d"][1:], arch["w"][2:])
    for base, least, stride, more, index in shapes:
        out = w(base, index)
        for i in range(least + more):
            hidden = divisible(round(out * arch["e"][start + i]))
            own = stride if i == 0 else 1
            branch = nn.Sequential(
                conv(channels, hidden, 1, activation=nn.ReLU),
                conv(hidden, hidden, 3, own, activation=nn.ReLU),
                conv(hidden, out, 1),
            )
            pool = nn.AvgPool2d(own, own, ceil_mode=True)
            shortcut = nn.Sequential(pool, conv(channels, out, 1)) if i == 0 else None
            blocks.append(Sum(branch, shortcut, F.relu))
            channels = out
        start += least + 2
    second = [Sum(conv(first, first, 3, activation=nn.ReLU))] if arch["d"][0] == 2 else []
    return nn.Sequential(
        conv(3, first, 3, 2, activation=nn.ReLU),
        *second,
        conv(first, w(64, arch["w"][1]), 3, activation=nn.ReLU),
        nn.MaxPool2d(3, 2, 1),
        *blocks,
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(channels, 1000),
    )


def fbnet(arch, cifar):
    options = [(3, 1, 1), (3, 1, 2), (3, 3, 1), (3, 6, 1), (5, 1, 1), (5, 1, 2), (5, 3, 1), (5, 6, 1), None]
    layers, channels, which = [conv(3, 16, 3, 1 if cifar else 2, activation=nn.ReLU)], 16, iter(arch)
    strides = [1, 1 if cifar else 2, 2, 2, 1, 2, 1]
    for count, width, stride in zip([1, 4, 4, 4, 4, 4, 1], [16, 24, 32, 64, 112, 184, 352], strides):
        for i in range(count):
            block, own = options[next(which)], stride if i == 0 else 1
            if block is not None:
                kernel, expansion, groups = block
                hidden = channels * expansion
                layers.append(Inverted(channels, hidden, width, kernel, own, nn.ReLU, True, groups=groups))
            elif own == 2 or channels != width:
                layers.append(conv(channels, width, 1, own, activation=nn.ReLU))
            channels = width
    head, classes = (1504, 100) if cifar else (1984, 1000)
    layers.append(conv(channels, head, 1, activation=nn.ReLU))
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(head, classes))


def accel_mnasnet(arch):
    layers, channels = [conv(3, 32, 3, 2, activation=nn.ReLU)], 32
    for b, (width, stride) in enumerate(zip([16, 24, 40, 80, 112, 192, 320], [1, 2, 2, 2, 1, 2, 1])):
        expansion, kernel, count, squeezed = (arch[f"block{b}_{key}"] for key in ("e", "k", "l", "se"))
        for i in range(count):
            hidden = channels * expansion
            squeeze = Squeeze(hidden, max(1, channels // 4), gate=nn.Sigmoid) if squeezed else None
            own = stride if i == 0 else 1
            layers.append(Inverted(channels, hidden, width, kernel, own, nn.ReLU, expansion != 1, squeeze))
            channels = width
    layers.append(conv(channels, 1280, 1, activation=nn.ReLU))
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, 1000))


def counts(model, side):
    macs = 0

    def count(module, _, output):
        nonlocal macs
        per_output = module.in_features if isinstance(module, nn.Linear) else module.weight[0].numel()
        macs += output.numel() * per_output

    for module in model.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            module.register_forward_hook(count)
    model.eval()
    model(torch.zeros(1, 3, side, side, device="meta"))
    return {"parameters": sum(p.numel() for p in model.parameters()), "macs": macs}


def drawn_lists(pick, stages, layers):
    return {
        "ks": [pick([3, 5, 7]) for _ in range(layers)],
        "e": [pick([3, 4, 6]) for _ in range(layers)],
        "d": [pick([2, 3, 4]) for _ in range(5)] + [1] * (stages - 5),
    }


def drawn_resnet(pick):
    return {
        "d": [pick([0, 2])] + [pick([0, 1, 2]) for _ in range(4)],
        "e": [pick([0.2, 0.25, 0.35]) for _ in range(18)],
        "w": [pick([0, 1, 2]) for _ in range(6)],
    }


def drawn_accel(pick):
    options = {"e": [1, 4, 6], "k": [3, 5], "l": [1, 2, 3], "se": [False, True]}
    more = lambda b, key: [1, 2, 3, 4] if (b, key) == (5, "l") else options[key]
    return {f"block{b}_{key}": pick(more(b, key)) for b in range(7) for key in options}


def cases(draw):
    """The least and the greatest of each choice, then random ones."""
    picks = [lambda options: options[0], lambda options: options[-1]]
    picks += [random.Random(seed).choice for seed in range(CASES - 2)]
    return [(draw(pick), pick) for pick in picks]


def main(path):
    torchvision, timm = import_models()
    torch.set_default_device("meta")
    found = {"torch": torch.__version__, "torchvision": torchvision.__version__, "timm": timm.__version__}
    for name, network, draw, resolutions, key, widths in [
        ("ofa-mobilenetv3", ofa_mobilenetv3, lambda p: drawn_lists(p, 5, 20), range(128, 225, 4), "r", [1.0, 1.2]),
        ("proxylessnas", proxylessnas, lambda p: drawn_lists(p, 6, 21), [224], None, [1.0]),
        ("ofa-resnet", ofa_resnet, drawn_resnet, [128, 144, 160, 176, 192, 224, 240, 256], "image_size", [1.0]),
    ]:
        found[name] = []
        for arch, pick in cases(draw):
            side = pick(list(resolutions))
            for width in widths:
                own = {**arch, key: side} if key else arch
                case = {"arch": json.dumps(own), **({"width": width} if width != 1 else {})}
                found[name].append({**case, **counts(network(arch, width), side)})
    found["accel-mnasnet"] = [
        {"arch": json.dumps(arch), **counts(accel_mnasnet(arch), 224)} for arch, _ in cases(drawn_accel)
    ]
    found["fbnet"] = [
        {
            "arch": " ".join(map(str, arch)),
            **({} if cifar else {"resolution": 224, "classes": 1000}),
            **counts(fbnet(arch, cifar), 32 if cifar else 224),
        }
        for arch, _ in cases(lambda pick: [pick(range(9)) for _ in range(22)])
        for cifar in (True, False)
    ]
    found["models"] = {
        "torchvision efficientnet_b0": counts(torchvision.models.efficientnet_b0(), 224),
        "timm fbnetc_100": counts(timm.create_model("fbnetc_100"), 224),
    }
    text = json.dumps(found, indent=1)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
