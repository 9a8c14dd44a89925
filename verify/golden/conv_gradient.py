"""Golden values for src/ops/families/layers/conv.golden.test.ts: gradients of convolutions and poolings, computed by PyTorch.

    python verify/golden/conv_gradient.py > src/ops/families/layers/fixtures/conv-gradient.json

All inputs are small integers, so that float32 holds the gradients exactly and maxima are often equal. Needs torch;
the values were made with 2.13.
"""

import json

import torch
from torch.nn import functional as F


def numbers(tensor):
    rounded = [int(x) if x == int(x) else float(f"{x:.8g}") for x in tensor.flatten().tolist()]
    return {"dims": list(tensor.shape), "values": rounded}


def whole(dims, bound=3):
    return torch.randint(-bound, bound + 1, dims).float()


def case(op, attributes, dims, compute):
    """`compute` maps the inputs, in ONNX's order, to y; their gradients are those of sum(y * dy)."""
    leaves = [whole(d).requires_grad_() for d in dims]
    y = compute(*leaves)
    dy = whole(y.shape)
    gradients = torch.autograd.grad(y, leaves, dy)
    return {
        "op": op,
        "attributes": attributes,
        "inputs": [numbers(x.detach()) for x in leaves],
        "dy": numbers(dy),
        "gradients": [numbers(g) for g in gradients],
    }


CONVOLUTIONS = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def conv(x, w, stride=1, padding=0, dilation=1, groups=1, bias=False):
    """Padding is the same at both ends, as PyTorch has it."""
    rank = len(x) - 2
    attributes = {
        "strides": [stride] * rank,
        "pads": [padding] * 2 * rank,
        "dilations": [dilation] * rank,
        "group": groups,
    }
    dims = [x, w, w[:1]] if bias else [x, w]
    return case(
        "Conv",
        attributes,
        dims,
        lambda x, w, b=None: CONVOLUTIONS[rank](x, w, b, stride, padding, dilation, groups),
    )


def conv_transpose(x, w, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    rank = len(x) - 2
    attributes = {
        "strides": [stride] * rank,
        "pads": [padding] * 2 * rank,
        "output_padding": [output_padding] * rank,
        "dilations": [dilation] * rank,
        "group": groups,
    }
    return case(
        "ConvTranspose",
        attributes,
        [x, w, [w[1] * groups]],
        lambda x, w, b: TRANSPOSED[rank](x, w, b, stride, padding, output_padding, groups, dilation),
    )


def window(kernel, stride, padding, **more):
    return {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [padding] * 4, **more}


def max_pool(x, kernel, stride, padding=0, dilation=1, ceil=False):
    attributes = window(kernel, stride, padding, dilations=[dilation] * 2, ceil_mode=int(ceil))
    return case("MaxPool", attributes, [x], lambda x: F.max_pool2d(x, kernel, stride, padding, dilation, ceil))


def average_pool(x, kernel, stride, padding=0, ceil=False, count_padding=True):
    attributes = window(kernel, stride, padding, ceil_mode=int(ceil), count_include_pad=int(count_padding))
    return case(
        "AveragePool", attributes, [x], lambda x: F.avg_pool2d(x, kernel, stride, padding, ceil, count_padding)
    )


def main():
    torch.manual_seed(0)
    cases = [
        conv([2, 8, 4, 4], [3, 8, 3, 3], padding=1, bias=True),
        conv([1, 8, 2, 2], [8, 8, 3, 3], padding=1),
        conv([1, 8, 6, 5], [3, 8, 3, 3], stride=2, padding=1),
        conv([2, 8, 4, 4], [4, 8, 1, 1], stride=2),
        conv([1, 3, 6, 6], [4, 3, 3, 3], padding=2, dilation=2, bias=True),
        conv([2, 4, 4, 4], [6, 2, 3, 3], padding=1, groups=2),
        conv([2, 3, 5, 5], [3, 1, 3, 3], padding=1, groups=3),
        conv([2, 3, 6, 6], [3, 1, 3, 3], stride=2, padding=1, groups=3),
        conv([1, 3, 9, 9], [2, 3, 4, 4], stride=4),
        conv([1, 2, 9, 9], [2, 1, 9, 9], padding=4, groups=2),
        conv([2, 3, 12], [4, 3, 4], stride=2, padding=1),
        conv([1, 2, 3, 3, 3], [2, 2, 3, 3, 3], padding=1),
        conv_transpose([1, 3, 4, 4], [3, 8, 3, 3], stride=2, padding=1, output_padding=1),
        conv_transpose([2, 4, 3, 3], [4, 2, 3, 3], padding=1, groups=2),
        conv_transpose([1, 3, 5], [3, 2, 3], stride=3, dilation=2),
        max_pool([2, 2, 6, 6], 2, 2),
        max_pool([1, 2, 7, 7], 3, 2, padding=1),
        max_pool([1, 2, 6, 6], 3, 1, padding=1),
        max_pool([1, 2, 8, 8], 3, 2, dilation=2, ceil=True),
        average_pool([1, 2, 6, 6], 2, 2),
        average_pool([1, 2, 7, 7], 3, 2, padding=1),
        average_pool([1, 2, 7, 7], 3, 2, padding=1, count_padding=False),
        average_pool([1, 2, 6, 6], 3, 2, ceil=True),
        average_pool([1, 2, 5, 5], 3, 1, padding=1, count_padding=False),
    ]
    print("[")
    print(",\n".join(json.dumps(entry, separators=(",", ":")) for entry in cases))
    print("]")


if __name__ == "__main__":
    main()
