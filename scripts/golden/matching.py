"""Which tensors of an ONNX file are which parameters of a torch module, found by their values.

An exporter may rename a weight, store it transposed or under another shape, store one weight twice, or put
the weights of a recurrent layer together in another order of gates. `match` undoes all of that; what an
exporter computed from weights (a fused normalisation, the product of a direction and a gain) it leaves out.
"""

from itertools import permutations

import numpy as np
import onnx
import torch


def float_tensors(graph):
    """Initializers and constants, by name."""
    tensors = {t.name: t for t in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            tensors[node.output[0]] = node.attribute[0].t
    return {name: onnx.numpy_helper.to_array(t) for name, t in tensors.items()
            if t.data_type == onnx.TensorProto.FLOAT}


class Lookup:
    """Finds the parameter with given elements, in given or transposed order."""

    def __init__(self, parameters):
        self.by_key = {}
        for name, value in parameters.items():
            self.by_key.setdefault(self.key(value), []).append((name, value))

    @staticmethod
    def key(value):
        flat = np.sort(value, axis=None)
        return (flat.size, flat[:64].tobytes(), flat[-64:].tobytes())

    def find(self, value):
        """(name, axes): `value` has the elements of parameter.transpose(axes)."""
        for name, parameter in self.by_key.get(self.key(value), ()):
            orders = permutations(range(parameter.ndim)) if parameter.ndim <= 4 else [range(parameter.ndim)]
            for axes in orders:
                if np.array_equal(parameter.transpose(axes).ravel(), value.ravel()):
                    return name, tuple(axes)
        return None


def match(model, parameters):
    """What the gradient of each matched tensor must be, as [{"parameters", "uses", "of"}]:

    uses  [(name in the file, axes)]: all tensors that hold the parameter; their gradients, each transposed by
          axes (None: as it is), are summed
    of    a function from gradients by parameter to the expected sum, in the layout of the first use
    """
    lookup = Lookup({name: value.detach().numpy() for name, value in parameters.items()})
    found = {}
    for name, value in float_tensors(model.graph).items():
        match_ = lookup.find(value) if value.size > 0 else None
        if match_:
            found.setdefault(match_[0], []).append((name, match_[1], value.shape))
    return [entry(parameter, uses) for parameter, uses in found.items()] + recurrent(model.graph, parameters)


def entry(parameter, uses):
    """The first use sets the layout; another of another order is transposed back to it."""
    _, axes, shape = uses[0]

    def back(other):
        if other == axes:
            return None
        return [other.index(axis) for axis in axes]

    return {"parameters": [parameter], "uses": [(name, back(other)) for name, other, _ in uses],
            "of": lambda gradients: gradients[parameter].permute(axes).reshape(shape)}


# ONNX's gates by their place in torch's weights: input, output, forget, cell; update, reset, new.
GATES = {"LSTM": [0, 3, 1, 2], "GRU": [1, 0, 2], "RNN": [0]}


def recurrent(graph, parameters):
    """The weights of LSTM, GRU and RNN nodes: [directions, gates·hidden, …], both biases side by side."""
    values = float_tensors(graph)
    layers = [key.replace("weight_ih", "{}") for key in parameters if "weight_ih" in key and "reverse" not in key]
    entries = []
    for node in graph.node:
        if node.op_type not in GATES:
            continue
        for name, kinds in zip(node.input[1:4], (["weight_ih"], ["weight_hh"], ["bias_ih", "bias_hh"])):
            for directions in ([layer + end for end in ends] for layer in layers for ends in ([""], ["", "_reverse"])):
                names = [[direction.format(kind) for kind in kinds] for direction in directions]
                if name not in values or not all(key in parameters for group in names for key in group):
                    continue
                arrange = arranged(names, GATES[node.op_type])
                if np.array_equal(arrange(parameters).detach().numpy(), values[name]):
                    entries.append({"parameters": sum(names, []), "uses": [(name, None)], "of": arrange})
    return entries


def arranged(names, gates):
    """A function that puts tensors by name together as a recurrent node wants them."""
    def reorder(tensor):
        parts = tensor.chunk(len(gates))
        return torch.cat([parts[gate] for gate in gates])

    return lambda values: torch.stack([torch.cat([reorder(values[key]) for key in group]) for group in names])
