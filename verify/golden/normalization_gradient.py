"""Golden values for src/ops/families/layers/normalization.gradient.test.ts: gradients of normalisations, computed by PyTorch.

    python verify/golden/normalization_gradient.py > src/ops/families/layers/fixtures/normalization-gradient.json

Everything is computed in float64. Needs torch; the values were made with 2.13.
"""

import json

import torch
from torch.nn import functional as F

EPSILON = 1e-5


def numbers(tensor):
    return {"dims": list(tensor.shape), "values": [float(f"{x:.9g}") for x in tensor.flatten().tolist()]}


def rounded(tensor):
    """The same numbers that are written to the file, so that both sides start from equal ones."""
    return torch.tensor(numbers(tensor)["values"], dtype=torch.float64).reshape(tensor.shape)


def case(name, op, attributes, inputs, compute):
    """`compute` maps the inputs, in ONNX's order, to y; their gradients are those of sum(y * dy)."""
    leaves = [rounded(x).requires_grad_() for x in inputs]
    y = compute(*leaves)
    dy = rounded(torch.randn(y.shape, dtype=torch.float64))
    gradients = torch.autograd.grad(y, leaves, dy, allow_unused=True)
    return {
        "name": name,
        "op": op,
        "attributes": attributes,
        "inputs": [numbers(x.detach()) for x in leaves],
        "dy": numbers(dy),
        "gradients": [None if g is None else numbers(g) for g in gradients],
    }


def randn(*dims):
    return torch.randn(dims, dtype=torch.float64)


def layer_norm(rank):
    return lambda x, scale, bias: F.layer_norm(x, x.shape[-rank:], scale, bias, EPSILON)


def batch_norm(training):
    def compute(x, scale, bias, mean, variance):
        if training:
            return F.batch_norm(x, None, None, scale, bias, training=True, eps=EPSILON)
        # F.batch_norm gives running statistics no gradient; this is the same function of them.
        shape = [1, -1] + [1] * (x.dim() - 2)
        inverse = (variance + EPSILON).rsqrt()
        return (x - mean.view(shape)) * (inverse * scale).view(shape) + bias.view(shape)

    return compute


def group_norm(groups):
    return lambda x, scale, bias: F.group_norm(x, groups, scale, bias, EPSILON)


def main():
    torch.manual_seed(0)
    channels = [randn(4), randn(4)]
    statistics = [randn(4), torch.rand(4, dtype=torch.float64) + 0.5]
    cases = [
        case("rows", "LayerNormalization", {"axis": -1}, [randn(3, 8), randn(8), randn(8)], layer_norm(1)),
        case(
            "two axes, far from 0",
            "LayerNormalization",
            {"axis": 1},
            [randn(2, 3, 4) + 50, randn(3, 4), randn(3, 4)],
            layer_norm(2),
        ),
        case(
            "training",
            "BatchNormalization",
            {"training_mode": 1},
            [randn(3, 4, 2, 2), *channels, *statistics],
            batch_norm(True),
        ),
        case(
            "training, far from 0",
            "BatchNormalization",
            {"training_mode": 1},
            [randn(6, 4) + 50, *channels, *statistics],
            batch_norm(True),
        ),
        case(
            "inference",
            "BatchNormalization",
            {"training_mode": 0},
            [randn(3, 4, 2), *channels, *statistics],
            batch_norm(False),
        ),
        case("two groups", "GroupNormalization", {"num_groups": 2}, [randn(2, 4, 3), *channels], group_norm(2)),
        case("instances", "InstanceNormalization", {}, [randn(2, 4, 3), *channels], group_norm(4)),
    ]
    print("[")
    print(",\n".join(json.dumps(entry) for entry in cases))
    print("]")


if __name__ == "__main__":
    main()
