"""Ground truth about a torch module, taken from torch alone: nothing here looks at ONNX.

`measure(model, inputs)` returns exact integers:

parameters        elements of the distinct tensors in model.parameters() (a tied weight counts once)
usedParameters    elements of those that a backward pass from the outputs reaches
buffers           elements of model.buffers()
macs              multiply-accumulates of every call of an nn.Conv*, nn.ConvTranspose*, nn.Linear or
                  transformers Conv1D module; bias additions are not counted
flopCounterMacs   half of what torch.utils.flop_counter reports: convolutions and every matrix
                  product, so also attention scores and weights applied without a module
                  (F.linear inside nn.MultiheadAttention, the gates of nn.LSTM, ...)
batchNormCalls    calls of nn.BatchNorm* modules

A convolution costs output elements x Cin/groups x kernel. A transposed convolution spreads each
input element over Cout/groups x kernel outputs, so it costs input elements x Cout/groups x kernel;
`macsTransposedByOutput` is also given for networks that have one, and prices it by the formula of an
ordinary convolution, which some tools use.
"""

from math import prod

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

CONV = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
CONV_TRANSPOSE = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
BATCH_NORM = nn.modules.batchnorm._BatchNorm


def tensors(value):
    """Every tensor in a nest of tuples, lists and dicts."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors(item)
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors(item)


def is_conv1d(module):
    """transformers' Conv1D: a linear layer with a transposed weight."""
    return type(module).__name__ == "Conv1D"


def counted(module):
    return isinstance(module, (*CONV, *CONV_TRANSPOSE, nn.Linear, BATCH_NORM)) or is_conv1d(module)


def call_macs(module, inputs, output):
    """(macs, macs with transposed convolutions priced by their output) of one call."""
    if isinstance(module, CONV):
        macs = output.numel() * (module.in_channels // module.groups) * prod(module.kernel_size)
        return macs, macs
    if isinstance(module, CONV_TRANSPOSE):
        kernel = prod(module.kernel_size)
        spread = inputs[0].numel() * (module.out_channels // module.groups) * kernel
        return spread, output.numel() * (module.in_channels // module.groups) * kernel
    macs = output.numel() * (module.weight.shape[0] if is_conv1d(module) else module.in_features)
    return macs, macs


def measure(model, inputs):
    total = {"macs": 0, "byOutput": 0, "batchNorm": 0}

    def hook(module, args, output):
        if isinstance(module, BATCH_NORM):
            total["batchNorm"] += 1
            return
        macs, by_output = call_macs(module, args, output)
        total["macs"] += macs
        total["byOutput"] += by_output

    handles = [m.register_forward_hook(hook) for m in model.modules() if counted(m)]
    parameters = list(model.parameters())
    frozen = [p for p in parameters if not p.requires_grad]
    for p in frozen:
        p.requires_grad_(True)
    # the counter does not know the fused attention kernel, so attention runs as matrix products
    with torch.enable_grad(), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as flops:
        outputs = model(**inputs)
    forward_flops = flops.get_total_flops()
    for handle in handles:
        handle.remove()

    sum(t.sum() for t in tensors(outputs) if t.requires_grad).backward()
    used = sum(p.numel() for p in parameters if p.grad is not None)
    for p in parameters:
        p.grad = None
    for p in frozen:
        p.requires_grad_(False)

    truth = {
        "parameters": sum(p.numel() for p in parameters),
        "buffers": sum(b.numel() for b in model.buffers()),
        "macs": total["macs"],
        "flopCounterMacs": forward_flops // 2,
        "batchNormCalls": total["batchNorm"],
    }
    if used != truth["parameters"]:
        truth["usedParameters"] = used
    if total["byOutput"] != total["macs"]:
        truth["macsTransposedByOutput"] = total["byOutput"]
    return truth
