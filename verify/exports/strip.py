"""Writes structure-only copies of exported networks, small enough to keep in a repository.

    python verify/exports/strip.py CORPUS_DIR OUT_DIR

CORPUS_DIR is what export.py wrote. For each network below, OUT_DIR/<name>.onnx.gz holds the graph with
every float tensor over 256 elements moved to external data: its shape and type stay, its values are said
to be in weights.bin, at the right offset and length, and that file does not exist. Documentation strings
and stack traces go; other metadata stays. OUT_DIR/manifest.json holds the ground truth of these networks.
The bytes depend on the input files alone.
"""

import argparse
import gzip
import json
from pathlib import Path

import onnx
from onnx import external_data_helper, numpy_helper

CHOSEN = """
resnet18 resnet18.dynamic resnet18.fused resnet18.dynamo resnet18.dynamo.raw resnet50 vgg11 vgg16_bn densenet121
googlenet inception_v3 mobilenet_v2 mobilenet_v3_small mobilenet_v3_large mnasnet1_0 shufflenet_v2_x1_0 squeezenet1_1
efficientnet_b0 regnet_y_400mf convnext_tiny vit_b_16 vit_b_16.dynamo swin_t gpt2 gpt2.dynamo gpt2_lm bert bert.dynamic
llama.dynamo
hand_bilstm2 hand_unet
""".split()
LIMIT = 256
FLOATS = {onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.DOUBLE, onnx.TensorProto.BFLOAT16}
WEIGHTS = "weights.bin"


def graphs(graph):
    """A graph and those inside its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [attribute.g] * attribute.HasField("g") + list(attribute.graphs):
                yield from graphs(inner)


def float_tensors(graph):
    yield from graph.initializer
    for node in graph.node:
        if node.op_type == "Constant":
            yield from (attribute.t for attribute in node.attribute if attribute.HasField("t"))


def strip(model):
    offset = 0
    for graph in graphs(model.graph):
        for tensor in float_tensors(graph):
            values = numpy_helper.to_array(tensor) if tensor.data_type in FLOATS else None
            if values is None or values.size <= LIMIT:
                continue
            external_data_helper.set_external_data(tensor, WEIGHTS, offset, values.nbytes)
            for field in ("raw_data", "float_data", "double_data", "int32_data"):
                tensor.ClearField(field)
            offset += values.nbytes
        for item in (graph, *graph.node, *graph.initializer, *graph.input, *graph.output, *graph.value_info):
            item.ClearField("doc_string")
            kept = [entry for entry in item.metadata_props if "stack_trace" not in entry.key]
            if len(kept) < len(item.metadata_props):
                del item.metadata_props[:]
                item.metadata_props.extend(kept)
    model.ClearField("doc_string")
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    manifest = json.loads((options.corpus / "manifest.json").read_text())
    entries = {entry["name"]: entry for entry in manifest["networks"]}
    chosen, total = [], 0
    for name in CHOSEN:
        entry = entries[name]
        model = strip(onnx.load(options.corpus / entry["file"]))
        packed = gzip.compress(model.SerializeToString(deterministic=True), 9, mtime=0)
        entry["file"] = f"{name}.onnx.gz"
        (options.out / entry["file"]).write_bytes(packed)
        chosen.append(entry)
        total += len(packed)
        print(f"{name}: {len(packed):,} bytes")
    text = json.dumps({"versions": manifest["versions"], "networks": chosen}, indent=1) + "\n"
    (options.out / "manifest.json").write_text(text)
    print(f"{len(chosen)} networks, {total + len(text):,} bytes")


if __name__ == "__main__":
    main()
