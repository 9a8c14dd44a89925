"""Convolutions in PyTorch, eager, as the peer of `npm run bench -- layers`.

Argument: threads. A line is a layer (`bench/workloads/layer.ts`) as JSON; it is answered with the milliseconds of forward,
backward and update of its image, weights and bias."""
import json
import sys
import time

import torch
from torch import nn

torch.set_num_threads(int(sys.argv[1]))
torch.manual_seed(0)
KINDS = {
    False: [nn.Conv1d, nn.Conv2d, nn.Conv3d],
    True: [nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d],
}


def made(layer):
    kind = KINDS[layer.get("isTransposed", False)][len(layer["size"]) - 1]
    names = ("stride", "padding", "dilation", "groups")
    conv = kind(layer["channels"], layer["filters"], layer["kernel"], **{n: layer[n] for n in names if n in layer})
    image = torch.randn(layer["batch"], layer["channels"], *layer["size"], requires_grad=True)
    optimiser = torch.optim.SGD([image, *conv.parameters()], lr=1e-4)

    def step():
        optimiser.zero_grad()
        conv(image).square().mean().backward()
        optimiser.step()

    return step


steps = {}
print(torch.__version__, flush=True)
for line in sys.stdin:
    if line not in steps:
        steps[line] = made(json.loads(line))
    start = time.perf_counter()
    steps[line]()
    print((time.perf_counter() - start) * 1000, flush=True)
