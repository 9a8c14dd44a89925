"""What torchvision makes of variants of its networks: parameters, MACs and logits.

    python verify/golden/nnlqp_families.py > src/spaces/nnlqp/fixtures/families.json

Every family has its base networks, counted at 224² with 1000 classes, and variants with genes drawn from its
options, put together from torchvision's own blocks. Narrow variants are also run, at 64² with 10 classes. A case is
{"text", "parameters", "macs"[, "logits"]} under the name of its space; MACs are those of convolutions and dense
layers. Where torchvision publishes GFLOPS (it means MACs) of a base, the count must round to it.

Weights and the image of a run are hashed from positions, see `filled`; tensors are numbered in the order in which
layers run: weight, bias and, of batch normalisation, mean and variance.
"""

import json
import math
import random
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1] / "exports"))
from networks import torchvision  # noqa: E402, before what follows, which it makes importable
from torchvision.models.efficientnet import MBConv, MBConvConfig  # noqa: E402
from torchvision.models.googlenet import Inception  # noqa: E402
from torchvision.models.mnasnet import _InvertedResidual  # noqa: E402
from torchvision.models.mobilenetv2 import InvertedResidual as BlockV2  # noqa: E402
from torchvision.models.mobilenetv3 import InvertedResidual as BlockV3  # noqa: E402
from torchvision.models.mobilenetv3 import InvertedResidualConfig  # noqa: E402
from torchvision.models.resnet import BasicBlock, Bottleneck  # noqa: E402
from torchvision.models.squeezenet import Fire  # noqa: E402

zoo = torchvision.models
LAYERS = (nn.Conv2d, nn.Linear, nn.BatchNorm2d)
IMAGE = 0xFFFF
FACTORS = [i / 10 for i in range(2, 19)]


def scaled(width, factor):
    return max(1, width * round(factor * 10) // 10)


def set_kernel(conv, kernel, padding=None):
    """Gives a convolution another kernel, and the padding that keeps the size."""
    conv.kernel_size = (kernel, kernel)
    conv.padding = ((kernel - 1) // 2 if padding is None else padding,) * 2
    conv.weight = nn.Parameter(torch.empty(conv.out_channels, conv.in_channels // conv.groups, kernel, kernel))


# Families: builders of a variant from its base's name and its genes, by letter ------------------------------------


def alexnet(_, g, classes):
    net = zoo.alexnet(num_classes=classes)
    convs = [i for i, m in enumerate(net.features) if isinstance(m, nn.Conv2d)]
    before = 3
    for i, factor, kernel in zip(convs, g["w"], g["k"]):
        old = net.features[i]
        width = scaled(old.out_channels, factor)
        new = nn.Conv2d(before, width, 1, stride=old.stride)
        set_kernel(new, kernel, None if old.stride == (1, 1) else max(0, (kernel - 7) // 2))
        net.features[i], before = new, width
    one, two = scaled(4096, g["w"][5]), scaled(4096, g["w"][6])
    net.classifier[1], net.classifier[4], net.classifier[6] = (
        nn.Linear(before * 36, one),
        nn.Linear(one, two),
        nn.Linear(two, classes),
    )
    return net


def vgg(name, g, classes):
    net = getattr(zoo, name)(num_classes=1)
    factors, kernels = iter(g["w"]), iter(g["k"])
    before = 3
    for i, old in enumerate(net.features):
        if isinstance(old, nn.Conv2d):
            width = scaled(old.out_channels, next(factors))
            net.features[i] = nn.Conv2d(before, width, 3)
            set_kernel(net.features[i], next(kernels))
            before = width
        elif isinstance(old, nn.BatchNorm2d):
            net.features[i] = nn.BatchNorm2d(before)
    one, two = scaled(4096, next(factors)), scaled(4096, next(factors))
    net.classifier[0] = nn.Linear(before * 49, one)
    net.classifier[3] = nn.Linear(one, two)
    net.classifier[6] = nn.Linear(two, classes)
    return net


def resnet(name, g, classes):
    net = getattr(zoo, name)(num_classes=classes)
    wide = name == "resnet50"
    kernels, ratios = iter(g["k"]), iter(g.get("e", []))
    factors = list(g["w"]) if wide else [1, *g["w"]]
    before = 64
    for i, factor in enumerate(factors):
        stage = getattr(net, f"layer{i + 1}")
        out = scaled((256 if wide else 64) << i, factor)
        for j in range(len(stage)):
            stride = 2 if i > 0 and j == 0 else 1
            short = None
            if stride != 1 or before != out:
                short = nn.Sequential(nn.Conv2d(before, out, 1, stride, bias=False), nn.BatchNorm2d(out))
            if wide:
                middle = max(1, out // next(ratios))
                block = Bottleneck(before, 8, stride, short)
                block.conv1, block.bn1 = nn.Conv2d(before, middle, 1, bias=False), nn.BatchNorm2d(middle)
                block.conv2 = nn.Conv2d(middle, middle, 3, stride, bias=False)
                block.bn2 = nn.BatchNorm2d(middle)
                block.conv3, block.bn3 = nn.Conv2d(middle, out, 1, bias=False), nn.BatchNorm2d(out)
                set_kernel(block.conv2, next(kernels))
            else:
                block = BasicBlock(before, out, stride, short)
                kernel = next(kernels)
                set_kernel(block.conv1, kernel)
                set_kernel(block.conv2, kernel)
            stage[j], before = block, out
    net.fc = nn.Linear(before, classes)
    return net


INCEPTIONS = {
    "3a": (64, 96, 128, 16, 32, 32), "3b": (128, 128, 192, 32, 96, 64), "4a": (192, 96, 208, 16, 48, 64),
    "4b": (160, 112, 224, 24, 64, 64), "4c": (128, 128, 256, 24, 64, 64), "4d": (112, 144, 288, 32, 64, 64),
    "4e": (256, 160, 320, 32, 128, 128), "5a": (256, 160, 320, 32, 128, 128), "5b": (384, 192, 384, 48, 128, 128),
}  # fmt: skip


def googlenet(_, g, classes):
    net = zoo.googlenet(num_classes=classes, aux_logits=False, init_weights=False)
    before = 192
    for i, (at, widths) in enumerate(INCEPTIONS.items()):
        chosen = [scaled(w, f) for w, f in zip(widths, g["w"][6 * i : 6 * i + 6])]
        block = Inception(before, *chosen)
        set_kernel(block.branch2[1].conv, g["k"][2 * i])
        set_kernel(block.branch3[1].conv, g["k"][2 * i + 1])
        setattr(net, f"inception{at}", block)
        before = chosen[0] + chosen[2] + chosen[4] + chosen[5]
    net.fc = nn.Linear(before, classes)
    return net


def squeezenet(name, g, classes):
    net = getattr(zoo, name)(num_classes=classes)
    genes = zip(g["w"], g["k"])
    before = net.features[0].out_channels
    for i, old in enumerate(net.features):
        if isinstance(old, Fire):
            factor, kernel = next(genes)
            width = scaled(old.expand1x1.out_channels, factor)
            fire = Fire(before, scaled(old.squeeze.out_channels, factor), width, width)
            set_kernel(fire.expand3x3, kernel)
            net.features[i], before = fire, 2 * width
    net.classifier[1] = nn.Conv2d(before, classes, 1)
    return net


V2 = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


def mobilenetv2(_, g, classes):
    net = zoo.mobilenet_v2(num_classes=classes)
    stem, *widths, last = g["w"]
    kernels, ratios = iter(g["k"][1:]), iter(g["e"])
    before = scaled(32, stem)
    net.features[0][0], net.features[0][1] = nn.Conv2d(3, before, 3, 2, bias=False), nn.BatchNorm2d(before)
    set_kernel(net.features[0][0], g["k"][0])
    index = 1
    for (_, base, count, stride), factor in zip(V2, widths):
        out = scaled(base, factor)
        for j in range(count):
            block = BlockV2(before, out, stride if j == 0 else 1, next(ratios))
            depthwise = block.conv[-3][0]
            assert depthwise.groups == depthwise.in_channels
            set_kernel(depthwise, next(kernels))
            net.features[index], before, index = block, out, index + 1
    top = scaled(1280, last)
    net.features[18][0], net.features[18][1] = nn.Conv2d(before, top, 1, bias=False), nn.BatchNorm2d(top)
    net.classifier[1] = nn.Linear(top, classes)
    return net


MNAS = [(3, 3, 24, 3, 2), (3, 5, 40, 3, 2), (6, 5, 80, 3, 2), (6, 3, 96, 2, 1), (6, 5, 192, 4, 2), (6, 3, 320, 1, 1)]


def mnasnet(_, g, classes):
    net = zoo.mnasnet1_0(num_classes=classes)
    kernels, ratios = iter(g["k"]), iter(g["e"])
    before = 16
    for i, ((_, _, base, count, stride), factor) in enumerate(zip(MNAS, g["w"])):
        out = scaled(base, factor)
        blocks = []
        for j in range(count):
            block = _InvertedResidual(before, out, 3, stride if j == 0 else 1, next(ratios))
            set_kernel(block.layers[3], next(kernels))
            blocks.append(block)
            before = out
        net.layers[8 + i] = nn.Sequential(*blocks)
    net.layers[14] = nn.Conv2d(before, 1280, 1, bias=False)
    return net


B0 = [(1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3), (6, 5, 2, 192, 4), (6, 3, 1, 320, 1)]  # fmt: skip


def efficientnet(_, g, classes):
    net = zoo.efficientnet_b0(num_classes=classes)
    kernels, ratios = iter(g["k"]), iter(g["e"])
    before = 32
    for i, ((_, _, stride, base, count), factor) in enumerate(zip(B0, g["w"])):
        out = scaled(base, factor)
        blocks = []
        for j in range(count):
            config = MBConvConfig(next(ratios), next(kernels), stride if j == 0 else 1, 8, 8, 1)
            # torchvision would round these to multiples of 8.
            config.input_channels, config.out_channels = before, out
            config.adjust_channels = lambda channels, ratio: int(channels * ratio)
            blocks.append(MBConv(config, 0.0, nn.BatchNorm2d))
            before = out
        net.features[1 + i] = nn.Sequential(*blocks)
    net.features[8][0] = nn.Conv2d(before, 1280, 1, bias=False)
    return net


V3 = {
    "mobilenet_v3_large": [
        (3, 16, 16, False, "RE", 1), (3, 64, 24, False, "RE", 2), (3, 72, 24, False, "RE", 1),
        (5, 72, 40, True, "RE", 2), (5, 120, 40, True, "RE", 1), (5, 120, 40, True, "RE", 1),
        (3, 240, 80, False, "HS", 2), (3, 200, 80, False, "HS", 1), (3, 184, 80, False, "HS", 1),
        (3, 184, 80, False, "HS", 1), (3, 480, 112, True, "HS", 1), (3, 672, 112, True, "HS", 1),
        (5, 672, 160, True, "HS", 2), (5, 960, 160, True, "HS", 1), (5, 960, 160, True, "HS", 1),
    ],
    "mobilenet_v3_small": [
        (3, 16, 16, True, "RE", 2), (3, 72, 24, False, "RE", 2), (3, 88, 24, False, "RE", 1),
        (5, 96, 40, True, "HS", 2), (5, 240, 40, True, "HS", 1), (5, 240, 40, True, "HS", 1),
        (5, 120, 48, True, "HS", 1), (5, 144, 48, True, "HS", 1), (5, 288, 96, True, "HS", 2),
        (5, 576, 96, True, "HS", 1), (5, 576, 96, True, "HS", 1),
    ],
}  # fmt: skip


def mobilenetv3(name, g, classes):
    # The ε of the normalisation is PyTorch's default, torchvision's 0.001.
    norm = nn.BatchNorm2d
    net = getattr(zoo, name)(num_classes=classes, norm_layer=norm)
    factors = iter(g["w"])
    before = base_before = 16
    for i, ((_, hidden, base, squeeze, act, stride), kernel, e) in enumerate(zip(V3[name], g["k"], g["e"])):
        out = before if stride == 1 and base == base_before else scaled(base, next(factors))
        config = InvertedResidualConfig(8, kernel, 8, 8, squeeze, act, stride, 1, 1)
        config.input_channels, config.expanded_channels, config.out_channels = before, scaled(hidden, e), out
        net.features[1 + i] = BlockV3(config, norm)
        before, base_before = out, base
    net.features[-1][0], net.features[-1][1] = nn.Conv2d(before, 6 * before, 1, bias=False), norm(6 * before)
    net.classifier[0] = nn.Linear(6 * before, net.classifier[0].out_features)
    return net


# Genes: kind → [(value in the base, options)] ---------------------------------------------------------------------


def genes(widths=None, kernels=None, expansions=None, factors=FACTORS, kernel_options=(1, 3, 5, 7), ratios=()):
    table = {"w": [(1, factors)] * widths, "k": [(k, [*kernel_options]) for k in kernels]}
    if expansions:
        table["e"] = [(e, [*ratios]) for e in expansions]
    return table


def spread(rows, column, count=-1):
    return [row[column] for row in rows for _ in range(row[count])]


small_kernels = (3, 5, 7)
shrinking = FACTORS[:11]
FAMILIES = {
    "nnlqp-alexnet": (alexnet, {"alexnet": genes(7, [11, 5, 3, 3, 3])}),
    "nnlqp-efficientnet": (
        efficientnet,
        {"efficientnet_b0": genes(7, spread(B0, 1), spread(B0, 0), kernel_options=small_kernels, ratios=(3, 4, 6))},
    ),
    "nnlqp-googlenet": (googlenet, {"googlenet": genes(54, [3] * 18)}),
    "nnlqp-mnasnet": (
        mnasnet,
        {"mnasnet1_0": genes(6, spread(MNAS, 1, 3), spread(MNAS, 0, 3), kernel_options=small_kernels, ratios=(3, 4, 6))},
    ),
    "nnlqp-mobilenetv2": (
        mobilenetv2,
        {"mobilenet_v2": genes(9, [3] * 18, spread(V2, 0, 2), ratios=range(1, 9))},
    ),
    "nnlqp-mobilenetv3": (
        mobilenetv3,
        {
            name: genes(5, [row[0] for row in rows], [1] * len(rows), ratios=FACTORS[6:])
            for name, rows in V3.items()
        },
    ),
    "nnlqp-resnet": (
        resnet,
        {
            "resnet18": genes(3, [3] * 8, factors=shrinking, kernel_options=small_kernels),
            "resnet34": genes(3, [3] * 16, factors=shrinking, kernel_options=small_kernels),
            "resnet50": genes(4, [3] * 16, [4] * 16, shrinking, small_kernels, (2, 4)),
        },
    ),
    "nnlqp-squeezenet": (squeezenet, {f"squeezenet1_{i}": genes(8, [3] * 8) for i in (0, 1)}),
    "nnlqp-vgg": (
        vgg,
        {
            f"vgg{layers}{norm}": genes(layers - 1, [3] * (layers - 3))
            for layers in (11, 13, 16, 19)
            for norm in ("", "_bn")
        },
    ),
}


# Counting and running ---------------------------------------------------------------------------------------------


def watched(net, each):
    """Calls `each(module, inputs, output)` of every layer with weights, as it runs."""
    return [m.register_forward_hook(each) for m in net.modules() if isinstance(m, LAYERS)]


def counted(net):
    macs = 0

    def each(m, _, out):
        nonlocal macs
        if isinstance(m, nn.Conv2d):
            macs += out.numel() * m.in_channels // m.groups * math.prod(m.kernel_size)
        elif isinstance(m, nn.Linear):
            macs += out.numel() * m.in_features

    hooks = watched(net, each)
    net.eval()
    with torch.no_grad():
        net(torch.zeros(1, 3, 224, 224))
    for hook in hooks:
        hook.remove()
    return {"parameters": sum(p.numel() for p in net.parameters()), "macs": macs}


def filled(shape, number):
    """Numbers from −0.5 to 0.5 that look random."""
    x = np.arange(math.prod(shape), dtype=np.uint32) * np.uint32(2654435761) + np.uint32(number * 40503 & 0xFFFFFFFF)
    for _ in range(2):
        x = (x ^ (x >> np.uint32(16))) * np.uint32(0x45D9F3B)
    x ^= x >> np.uint32(16)
    return torch.from_numpy(x.astype(np.float64) / 2**32 - 0.5).reshape(shape)


def run(net):
    order = []
    hooks = watched(net, lambda m, _, __: order.append(m))
    net.eval().double()
    image = (4 * filled((1, 3, 64, 64), IMAGE)).double()
    with torch.no_grad():
        net(image)
        for hook in hooks:
            hook.remove()
        number = 0
        for m in order:
            tensors = [m.weight, m.bias]
            if isinstance(m, nn.BatchNorm2d):
                tensors += [m.running_mean, m.running_var]
            for i, t in enumerate(tensors):
                if t is None:
                    continue
                u = filled(t.shape, number)
                number += 1
                if t.dim() > 1:
                    t.copy_(u * math.sqrt(24 / math.prod(t.shape[1:])))
                else:
                    t.copy_(1 + 0.4 * u if isinstance(m, nn.BatchNorm2d) and i in (0, 3) else 0.4 * u)
        return [float(f"{v:.7g}") for v in net(image)[0].tolist()]


def text(base, table, values):
    return ":".join([base, *(kind + ",".join(f"{v:g}" for v in values[kind]) for kind in table)])


def main():
    rng = random.Random(1)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    result = {}
    for space, (build, bases) in FAMILIES.items():
        cases = []
        for base, table in bases.items():
            unchanged = {kind: [v for v, _ in slots] for kind, slots in table.items()}
            counts = counted(build(base, unchanged, 1000))
            options = {"aux_logits": False, "init_weights": False} if base == "googlenet" else {}
            assert counts == counted(getattr(zoo, base)(**options)), base
            published = zoo.get_model_weights(base)["IMAGENET1K_V1"].meta
            assert published["num_params"] == counts["parameters"], base
            assert abs(published["_ops"] - counts["macs"] / 1e9) < 6e-4, base
            print(base, counts, published["_ops"], file=sys.stderr)
            cases.append({"text": base, **counts})
        names = list(bases)
        # The last two are narrow enough to be run in a test.
        for base, narrow in ((rng.choice(names), False), (names[0], True), (names[-1], True)):
            values = {}
            for kind, slots in bases[base].items():
                choices = [options if v in options else [*options, v] for v, options in slots]
                values[kind] = [rng.choice(c[:2] if narrow and kind == "w" else c) for c in choices]
            case = {"text": text(base, bases[base], values), **counted(build(base, values, 1000))}
            if narrow:
                case["logits"] = run(build(base, values, 10))
            cases.append(case)
        result[space] = cases
    print("{\n" + ",\n".join(
        f'  "{space}": [\n' + ",\n".join("    " + json.dumps(case) for case in cases) + "\n  ]"
        for space, cases in result.items()
    ) + "\n}")  # fmt: skip


main()
