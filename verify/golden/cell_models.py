"""Writes what PyTorch makes of four training steps of the Accuracy model and of the IO model: the fixture of their tests.

    python verify/golden/cell_models.py src/predictors/models/fixtures/cell-models.json

Steps are a labelled batch, an unlabelled one, and both again. Two Adam optimisers share arch2vec's weights: one steps on
labelled batches (all weights), one on unlabelled ones (those of arch2vec). Gradients are clipped to norm 5 by PyTorch's own
function. Dropout is 0, and the deviation of all nodes is e^-30, so that what is drawn has no effect; losses with samples are
compared in arch2vec.json.
"""

import json
import sys
from pathlib import Path

import torch
from arch2vec import CELLS, LATENT, NODES, OPERATIONS, cells, dense, encode
from nn import Case
from torch.nn import functional as F


class Kept(Case):
    """Gives a tensor that it has drawn again under the same name."""

    def parameter(self, name, *dims, **bounds):
        return self.parameters.get(name) if name in self.parameters else super().parameter(name, *dims, **bounds)

    def buffer(self, name, *dims, **bounds):
        return self.parameters.get(name) if name in self.parameters else super().buffer(name, *dims, **bounds)


def reconstruction(case, operations, adjacency):
    mean, second = encode(case, operations, adjacency, True)
    log_deviation = second / 2
    known = operations[..., :OPERATIONS]
    exists = known.sum(-1) > 0
    loss = F.cross_entropy(dense(case, "decoder", mean, OPERATIONS)[exists], known[exists].argmax(-1))
    each = F.binary_cross_entropy_with_logits(mean @ mean.transpose(1, 2), adjacency, reduction="none")
    loss = loss + torch.triu(each, 1).mean()
    divergence = torch.sum(1 + 2 * log_deviation - mean**2 - torch.exp(log_deviation) ** 2, -1)
    return mean, loss - 0.5 * divergence.mean()


def convolution(case, name, x, out, stride):
    weight = case.parameter(f"{name}.conv.weight", out, x.shape[1], 3, 3)
    y = F.conv2d(x, weight, None, stride=stride, padding=1)
    scale = case.parameter(f"{name}.norm.weight", out, low=0.5, high=1.5)
    shift = case.parameter(f"{name}.norm.bias", out)
    mean = case.buffer(f"{name}.norm.running_mean", out)
    var = case.buffer(f"{name}.norm.running_var", out, low=0.5, high=1.5)
    after = mean.clone(), var.clone()
    y = torch.relu(F.batch_norm(y, *after, scale, shift, training=True))
    case.updates[f"{name}.norm.running_mean"], case.updates[f"{name}.norm.running_var"] = after
    return y


def accuracy(case, z):
    x = torch.relu(dense(case, "head.flat", z.flatten(1), 4))
    for i in range(2):
        x = torch.relu(dense(case, f"head.hidden.{i}", x, 5))
    return torch.sigmoid(dense(case, "head.accuracy", x, 1))


def outputs(case, z):
    x = convolution(case, "head.image.0", case.inputs["image"], 2, 1)
    x = convolution(case, "head.image.1", x, 3, 1)
    x = convolution(case, "head.image.2", x, 4, 2)
    x = torch.cat([x.mean((2, 3)), torch.relu(dense(case, "head.flat", z.flatten(1), 4))], 1)
    for i in range(2):
        x = torch.relu(dense(case, f"head.hidden.{i}", x, 5))
    return dense(case, "head.outputs", x, 3)


def written(tensors):
    return {
        name: {"dims": list(x.shape), "data": [float("%.9g" % v) for v in x.detach().flatten().tolist()]}
        for name, x in tensors.items()
    }


def steps(name, head, width):
    case = Kept(name)
    operations, adjacency = cells(case)
    target = case.given("target", case.draw(len(CELLS), width, low=0, high=1))
    if name == "io":
        case.given("image", case.draw(len(CELLS), 3, 8, 8))

    def loss(kind):
        z, found = reconstruction(case, operations, adjacency)
        return found if kind == "unlabelled" else found + F.mse_loss(head(case, z), target)

    loss("labelled")
    case.updates.clear()
    with torch.no_grad():
        case.parameters["encoder.deviation.weight"].zero_()
        case.parameters["encoder.deviation.bias"].fill_(-60)
    begun = written(case.parameters)
    trained = {k: v for k, v in case.parameters.items() if v.requires_grad}
    own = [v for k, v in trained.items() if not k.startswith("head.")]
    optimisers = {
        "labelled": (torch.optim.Adam(trained.values(), 1e-3), list(trained.values())),
        "unlabelled": (torch.optim.Adam(own, 1e-3), own),
    }
    losses = []
    for kind in ["labelled", "unlabelled"] * 2:
        optimiser, parameters = optimisers[kind]
        for x in trained.values():
            x.grad = None
        found = loss(kind)
        found.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 5)
        optimiser.step()
        losses.append(found.item())
        with torch.no_grad():
            for key, value in case.updates.items():
                case.parameters[key].copy_(value)
        case.updates.clear()
    return {
        "inputs": written(case.inputs),
        "begin": begun,
        "losses": losses,
        "end": written(case.parameters),
    }


if __name__ == "__main__":
    assert NODES * LATENT == 15
    found = {"accuracy": steps("accuracy", accuracy, 1), "io": steps("io", outputs, 3)}
    Path(sys.argv[1]).write_text(json.dumps(found) + "\n")
