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
        """(name, axes): `value` has the elements of parameter.transpose(axes). (None, None): there is none."""
        for name, parameter in self.by_key.get(self.key(value), ()):
            orders = permutations(range(parameter.ndim)) if parameter.ndim <= 4 else [range(parameter.ndim)]
            for axes in orders:
                if np.array_equal(parameter.transpose(axes).ravel(), value.ravel()):
                    return name, tuple(axes)
        return None, None


def match(model, parameters):
    """The weights that the file holds, as [{"parameters", "uses", "of"}]:

    uses  tensors of the file that hold the weight: their gradients add up to it. {"name"} where the elements are in
          torch's order; else also {"dims", "axes"}: they are those of a tensor of these dimensions, and transposed
          by these axes in torch's order
    of    a function from gradients by parameter to that of the weight
    """
    lookup = Lookup({name: value.detach().numpy() for name, value in parameters.items()})
    found = {}
    for name, value in float_tensors(model.graph).items():
        parameter, axes = lookup.find(value) if value.size > 0 else (None, None)
        if parameter is not None:
            found.setdefault(parameter, []).append(use(name, parameters[parameter].shape, axes))
    return [{"parameters": [key], "uses": uses, "of": lambda gradients, key=key: gradients[key]}
            for key, uses in found.items()] + recurrent(model.graph, parameters)


def use(name, shape, axes):
    if list(axes) == sorted(axes):
        return {"name": name}
    return {"name": name, "dims": [shape[axis] for axis in axes], "axes": [axes.index(i) for i in range(len(axes))]}


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
                    entries.append({"parameters": sum(names, []), "uses": [{"name": name}], "of": arrange})
    return entries


def arranged(names, gates):
    """A function that puts tensors by name together as a recurrent node wants them."""
    def reorder(tensor):
        parts = tensor.chunk(len(gates))
        return torch.cat([parts[gate] for gate in gates])

    return lambda values: torch.stack([torch.cat([reorder(values[key]) for key in group]) for group in names])
