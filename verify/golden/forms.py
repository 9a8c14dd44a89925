"""One small network in the forms in which files are published, for src/proxies/forms.test.ts.

python verify/golden/forms.py src/proxies/fixtures/forms

Every file computes the same outputs (checked with ONNX Runtime), the quantised one nearly.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(5)
SIZE, CHANNELS, CLASSES = 8, 6, 5
W1 = rng.normal(0, 0.3, (CHANNELS, 3, 3, 3)).astype(np.float32)
W2 = rng.normal(0, 0.2, (CHANNELS, CHANNELS, 3, 3)).astype(np.float32)
W3 = rng.normal(0, 0.4, (CLASSES, CHANNELS)).astype(np.float32)
B3 = rng.normal(0, 0.1, CLASSES).astype(np.float32)
GAMMA = rng.uniform(0.5, 1.5, CHANNELS).astype(np.float32)
BETA = rng.normal(0, 0.2, CHANNELS).astype(np.float32)
MEAN = rng.normal(0, 0.2, CHANNELS).astype(np.float32)
VAR = rng.uniform(0.5, 1.5, CHANNELS).astype(np.float32)
EPSILON = 1e-5

node = helper.make_node


def tensors(**arrays):
    return [numpy_helper.from_array(array, name) for name, array in arrays.items()]


def model(nodes, initializers, batch, opset, has_weight_inputs=False):
    image = helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 3, SIZE, SIZE])
    inputs = [image]
    if has_weight_inputs:
        inputs += [helper.make_tensor_value_info(t.name, t.data_type, list(t.dims)) for t in initializers]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, CLASSES])
    graph = helper.make_graph(nodes, "net", inputs, [output], initializers)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=4 if opset < 10 else 8)
    onnx.checker.check_model(made)
    return made


def body(first="x", normalised=True):
    """Up to the rectifier behind the second convolution."""
    nodes = [node("Conv", [first, "w1"], ["a"], pads=[1] * 4)]
    if normalised:
        nodes.append(node("BatchNormalization", ["a", "gamma", "beta", "mean", "var"], ["b"], epsilon=EPSILON))
    nodes.append(node("Relu", ["b" if normalised else "a"], ["c"]))
    nodes.append(node("Conv", ["c", "w2"], ["d"], pads=[1] * 4, strides=[2, 2]))
    nodes.append(node("Relu", ["d"], ["e"]))
    return nodes


STATISTICS = dict(gamma=GAMMA, beta=BETA, mean=MEAN, var=VAR)
WEIGHTS = dict(w1=W1, w2=W2, w3=W3, b3=B3)


def plain(batch="batch", opset=17):
    nodes = body() + [
        node("GlobalAveragePool", ["e"], ["p"]),
        node("Flatten", ["p"], ["f"]),
        node("Gemm", ["f", "w3", "b3"], ["g"], transB=1),
        node("Softmax", ["g"], ["y"], axis=1),
    ]
    return model(nodes, tensors(**WEIGHTS, **STATISTICS), batch, opset, has_weight_inputs=opset < 10)


def old():
    """Opset 9: axes are attributes, Softmax reads all behind its axis as one, weights are among the inputs."""
    nodes = body() + [
        node("Dropout", ["e"], ["dropped"], ratio=0.2),
        node("GlobalAveragePool", ["dropped"], ["p"]),
        node("Squeeze", ["p"], ["f"], axes=[2, 3]),
        node("Gemm", ["f", "w3", "b3"], ["g"], transB=1),
        node("Softmax", ["g"], ["y"]),
    ]
    return model(nodes, tensors(**WEIGHTS, **STATISTICS), "batch", 9, has_weight_inputs=True)


def single():
    """For one sample, also inside."""
    nodes = body() + [
        node("GlobalAveragePool", ["e"], ["p"]),
        node("Reshape", ["p", "shape"], ["f"]),
        node("Gemm", ["f", "w3", "b3"], ["g"], transB=1),
        node("Softmax", ["g"], ["y"], axis=1),
    ]
    shape = np.array([1, CHANNELS], dtype=np.int64)
    return model(nodes, tensors(**WEIGHTS, **STATISTICS, shape=shape), 1, 13)


def wrapped():
    """As converters write an old Softmax: Flatten, Softmax, Reshape; and with nodes that do nothing."""
    nodes = body() + [
        node("Identity", ["e"], ["same"]),
        node("ReduceMean", ["same"], ["p"], axes=[2, 3], keepdims=0),
        node("MatMul", ["p", "turned"], ["m"]),
        node("Add", ["m", "b3"], ["g"]),
        node("Shape", ["g"], ["sizes"]),
        node("Flatten", ["g"], ["f"]),
        node("Softmax", ["f"], ["s"]),
        node("Reshape", ["s", "sizes"], ["y"]),
    ]
    weights = dict(w1=W1, w2=W2, turned=np.ascontiguousarray(W3.T), b3=B3)
    return model(nodes, tensors(**weights, **STATISTICS), "batch", 17)


def folded():
    factor = GAMMA / np.sqrt(VAR + EPSILON)
    w1 = (W1 * factor[:, None, None, None]).astype(np.float32)
    b1 = (BETA - MEAN * factor).astype(np.float32)
    nodes = body(normalised=False) + [
        node("GlobalAveragePool", ["e"], ["p"]),
        node("Flatten", ["p"], ["f"]),
        node("Gemm", ["f", "w3", "b3"], ["g"], transB=1),
        node("Softmax", ["g"], ["y"], axis=1),
    ]
    nodes[0].input.append("b1")
    return model(nodes, tensors(**{**WEIGHTS, "w1": w1}, b1=b1), "batch", 17)


def quantised(outputs):
    """Weights by channel in int8, what goes into layers in uint8."""
    nodes, initializers = [], []

    def weight(name, array):
        scale = (np.abs(array).reshape(array.shape[0], -1).max(axis=1) / 127).astype(np.float32)
        values = np.round(array / scale.reshape(-1, *[1] * (array.ndim - 1))).astype(np.int8)
        zero = np.zeros(len(scale), dtype=np.int8)
        initializers.extend(tensors(**{f"{name}_q": values, f"{name}_s": scale, f"{name}_z": zero}))
        nodes.append(node("DequantizeLinear", [f"{name}_q", f"{name}_s", f"{name}_z"], [name], axis=0))

    def activation(name, low, high):
        scale = np.float32((high - low) / 255)
        zero = np.uint8(np.clip(round(-low / scale), 0, 255))
        initializers.extend(tensors(**{f"{name}_s": np.array(scale), f"{name}_z": np.array(zero)}))
        nodes.append(node("QuantizeLinear", [name, f"{name}_s", f"{name}_z"], [f"{name}_q"]))
        nodes.append(node("DequantizeLinear", [f"{name}_q", f"{name}_s", f"{name}_z"], [f"{name}_f"]))
        return f"{name}_f"

    for name in ("w1", "w2", "w3"):
        weight(name, WEIGHTS[name])
    x = activation("x", -4.0, 4.0)
    nodes.append(node("Conv", [x, "w1"], ["a"], pads=[1] * 4))
    nodes.append(node("BatchNormalization", ["a", "gamma", "beta", "mean", "var"], ["b"], epsilon=EPSILON))
    nodes.append(node("Relu", ["b"], ["c"]))
    c = activation("c", 0.0, float(outputs["c"].max()) * 1.5)
    nodes.append(node("Conv", [c, "w2"], ["d"], pads=[1] * 4, strides=[2, 2]))
    nodes.append(node("Relu", ["d"], ["e"]))
    nodes.append(node("GlobalAveragePool", ["e"], ["p"]))
    nodes.append(node("Flatten", ["p"], ["f"]))
    f = activation("f", 0.0, float(outputs["f"].max()) * 2)
    nodes.append(node("Gemm", [f, "w3", "b3"], ["g"], transB=1))
    nodes.append(node("Softmax", ["g"], ["y"], axis=1))
    initializers += tensors(b3=B3, **STATISTICS)
    return model(nodes, initializers, "batch", 17)


def run(made, x, names=None):
    made = onnx.ModelProto.FromString(made.SerializeToString())
    for name in names or []:
        made.graph.output.append(helper.make_empty_tensor_value_info(name))
    session = ort.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, {"x": x})))


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    x = rng.normal(0, 1, (4, 3, SIZE, SIZE)).astype(np.float32)
    base = plain()
    outputs = run(base, x, ["c", "f"])
    forms = dict(plain=base, old=old(), single=single(), wrapped=wrapped(), folded=folded(), qdq=quantised(outputs))
    for name, made in forms.items():
        found = np.concatenate([run(made, x[i : i + 1])["y"] for i in range(4)])
        error = np.abs(found - outputs["y"]).max()
        assert error < (0.03 if name == "qdq" else 1e-5), (name, error)
        (folder / f"{name}.onnx").write_bytes(made.SerializeToString())
        print(name, error)


main()
