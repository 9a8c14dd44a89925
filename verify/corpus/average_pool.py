"""ONNX Runtime's AveragePool before opset 19 and since: the same numbers, added up in another order.

Models of one node, written by onnx.helper. Prints the largest difference from opset 18, for each kernel.
"""
import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

OPSETS = (11, 17, 19, 21, 22)
CASES = (
    ([1, 8, 8, 8], {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ([1, 8, 9, 8], {"kernel_shape": [3, 2], "strides": [3, 2]}),
    ([1, 8, 8, 8], {"kernel_shape": [8, 8]}),
    ([1, 8, 8, 8], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
)
LEVELS = (ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_ALL)


def pooled(opset, x, attributes, level):
    value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    node = helper.make_node("AveragePool", ["x"], ["y"], **attributes)
    graph = helper.make_graph([node], "pool", [value("x", x.shape)], [value("y", None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


print(f"ONNX Runtime {ort.__version__}")
for shape, attributes in CASES:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    for level in LEVELS:
        before = pooled(18, x, attributes, level)
        apart = {opset: float(np.abs(pooled(opset, x, attributes, level) - before).max()) for opset in OPSETS}
        print(attributes, level.name, apart)
