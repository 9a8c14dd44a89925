# Answers lines "simplify FILE", "opset FILE" and "load FILE" with "milliseconds nodes", or with "failed REASON":
# ONNX Runtime's basic optimisation, which writes the rewritten model; onnx.version_converter to opset 21; and whether
# ONNX Runtime takes a file. Milliseconds are of the processor, from the file to the bytes of the new one.
import os
import sys
import tempfile
import time

import onnx
import onnx.version_converter
import onnxruntime

OPSET = 21
folder = tempfile.mkdtemp()
written = os.path.join(folder, "out.onnx")


def options():
    made = onnxruntime.SessionOptions()
    made.intra_op_num_threads = 1
    made.log_severity_level = 4
    return made


def simplify(path):
    made = options()
    made.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    made.optimized_model_filepath = written
    onnxruntime.InferenceSession(path, made, providers=["CPUExecutionProvider"])
    return written


def opset(path):
    model = onnx.version_converter.convert_version(onnx.load(path), OPSET)
    with open(written, "wb") as out:
        out.write(model.SerializeToString())
    return written


def load(path):
    made = options()
    made.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    onnxruntime.InferenceSession(path, made, providers=["CPUExecutionProvider"])
    return path


WORK = {"simplify": simplify, "opset": opset, "load": load}

print(onnxruntime.__version__, onnx.__version__, flush=True)
for line in sys.stdin:
    name, path = line.rstrip("\n").split(" ", 1)
    start = time.process_time()
    try:
        out = WORK[name](path)
        milliseconds = (time.process_time() - start) * 1000
        print(milliseconds, len(onnx.load(out, load_external_data=False).graph.node), flush=True)
    except Exception as error:  # noqa: BLE001
        print("failed", str(error).replace("\n", " ")[:100], flush=True)
