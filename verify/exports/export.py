"""Exports networks to ONNX together with ground truth measured in PyTorch.

    python verify/exports/export.py OUT_DIR [--only REGEX] [--again]

Writes OUT_DIR/<name>.onnx for every variant of every network in networks.py, and OUT_DIR/manifest.json
with what measure.py counted in torch beside it. The manifest is rewritten after each export, so an
interrupted run continues where it stopped; --only takes a regular expression that has to match a whole
variant name, --again exports files that exist already.

Variants, by the suffix of the name:

(none)           TorchScript exporter, constant folding, fixed shapes
.nofold          TorchScript exporter without constant folding
.dynamic         TorchScript exporter, symbolic batch (and sequence) axes
.fresh           TorchScript exporter, weights as the constructor left them: the exporter merges
                 parameters of equal value (all zero, all one)
.fused           TorchScript exporter with its default training mode, which folds BatchNormalization into Conv
.dynamo          torch.export exporter
.dynamo.raw      torch.export exporter with optimize=False, which keeps BatchNormalization apart from Conv
.dynamo.dynamic  torch.export exporter, symbolic batch (and sequence) axes

What holds: every module is in eval mode; weights are random, seeded by the name and, except in .fresh,
all different, as in a trained network; `batchNormFused` marks a file where the exporter folded a
BatchNormalization into its neighbour, so that the parameters of the module are no longer in the file.
"""

import argparse
import contextlib
import gc
import io
import json
import logging
import os
import re
import time
import warnings
import zlib
from pathlib import Path

import onnx
import onnxscript
import torch

from measure import measure
from networks import NETWORKS

OPSET = {"torchscript": 17, "dynamo": 20}
PLAIN = ("", "dynamo")


def variants_of(network, has_batch_norm):
    chosen = list(PLAIN) + [v for v in network.variants if v not in PLAIN]
    if has_batch_norm and "dynamo.raw" not in chosen:
        chosen.append("dynamo.raw")
    return sorted(chosen, key=lambda v: (v.startswith("dynamo"), v))


def pending(name, network, manifest, again):
    """Variant names left to export. Whether a network has batch normalisation, and so a .dynamo.raw
    nobody asked for, shows once it is built: that one is taken to be done where .dynamo is."""
    names = {v: f"{name}.{v}" if v else name for v in variants_of(network, True)}
    implied = "dynamo.raw" not in network.variants and manifest.has(names["dynamo"])
    return {full for v, full in names.items() if again or not (manifest.has(full) or (v == "dynamo.raw" and implied))}


def build(name, network, trained):
    torch.manual_seed(zlib.crc32(name.encode()))
    model, inputs = network.build()
    model.eval()
    if trained:
        with torch.no_grad():
            for p in model.parameters():
                p.add_(torch.randn_like(p) * 0.02)
            for key, buffer in model.named_buffers():
                if key.endswith("running_mean"):
                    buffer.normal_(0, 0.1)
                elif key.endswith("running_var"):
                    buffer.uniform_(0.5, 1.5)
                elif key.endswith((".weight", ".bias")) and buffer.is_floating_point():  # a frozen normalisation
                    buffer.add_(torch.randn_like(buffer) * 0.02)
    return model, inputs


def export(model, inputs, path, variant, dynamic):
    options = {"kwargs": inputs, "input_names": list(inputs)}
    if variant.startswith("dynamo"):
        options.update(dynamo=True, opset_version=OPSET["dynamo"], external_data=False, verbose=False,
                       optimize=variant != "dynamo.raw")
        if variant == "dynamo.dynamic":
            options["dynamic_shapes"] = {
                key: {axis: torch.export.Dim.DYNAMIC for axis in axes} for key, axes in dynamic.items()}
    else:
        mode = torch.onnx.TrainingMode
        options.update(dynamo=False, opset_version=OPSET["torchscript"], do_constant_folding=variant != "nofold",
                       training=mode.EVAL if variant == "fused" else mode.PRESERVE)
        if variant == "dynamic":
            options["dynamic_axes"] = dynamic
    with torch.no_grad(), contextlib.redirect_stdout(io.StringIO()):  # a failure prints its whole graph
        torch.onnx.export(model, (), str(path), **options)


def describe(path):
    """What the manifest says about the file itself."""
    graph_of = onnx.load(path, load_external_data=False)
    graph = graph_of.graph
    constants = {t.name for t in graph.initializer}
    shape = lambda v: [d.dim_param or d.dim_value for d in v.type.tensor_type.shape.dim]
    return {
        "opset": next(o.version for o in graph_of.opset_import if o.domain in ("", "ai.onnx")),
        "nodes": len(graph.node),
        "inputs": {v.name: shape(v) for v in graph.input if v.name not in constants},
    }, sum(node.op_type == "BatchNormalization" for node in graph.node)


class Manifest:
    def __init__(self, path):
        self.path = path
        self.data = json.loads(path.read_text()) if path.exists() else {"versions": {}, "networks": [], "failures": []}
        self.data["versions"] = {module.__name__: module.__version__ for module in (torch, onnx, onnxscript)}

    def has(self, name):
        return any(entry["name"] == name for key in ("networks", "failures") for entry in self.data[key])

    def fail(self, name, network, exporter, error):
        print(f"  {name}: FAILED {reason(error)}", flush=True)
        self.put("failures", {"name": name, "source": network.source, "exporter": exporter, "reason": reason(error)})

    def put(self, key, entry):
        for other in ("networks", "failures"):
            self.data[other] = [e for e in self.data[other] if e["name"] != entry["name"]]
        self.data[key].append(entry)
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.data, indent=1) + "\n")
        os.replace(part, self.path)


def reason(error):
    """One line: an exporter's own message is long, the error under it is what matters."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:300]


def run(name, network, wanted, out, manifest):
    started = time.time()
    truth = measure(*build(name, network, trained=True))
    calls = truth.pop("batchNormCalls")
    print(f"{name}: {truth['parameters']:,} parameters, {truth['macs']:,} MACs", flush=True)
    for variant in variants_of(network, calls > 0):
        full = f"{name}.{variant}" if variant else name
        if full not in wanted:
            continue
        path, part = out / f"{full}.onnx", out / f"{full}.onnx.part"
        exporter = "dynamo" if variant.startswith("dynamo") else "torchscript"
        try:
            subject, inputs = build(name, network, trained=variant != "fresh")  # anew: some modules cache in forward
            export(subject, inputs, part, variant, network.dynamic)
            del subject
            described, norms = describe(part)
            os.replace(part, path)
            entry = {"name": full, "file": path.name, "source": network.source, "exporter": exporter,
                     "family": network.family, **truth, **described}
            if norms < calls:
                entry["batchNormFused"] = True
            if network.note:
                entry["note"] = network.note
            manifest.put("networks", entry)
            print(f"  {full}: {described['nodes']} nodes, {time.time() - started:.0f} s", flush=True)
        except Exception as error:  # one exporter's refusal says nothing about the next network
            part.unlink(missing_ok=True)
            manifest.fail(full, network, exporter, error)
        gc.collect()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default=".*")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)  # the fused encoder layer has no ONNX form
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)

    manifest = Manifest(options.out / "manifest.json")
    for name, network in NETWORKS.items():
        wanted = {full for full in pending(name, network, manifest, options.again) if re.fullmatch(options.only, full)}
        if not wanted:
            continue
        try:
            run(name, network, wanted, options.out, manifest)
        except Exception as error:
            manifest.fail(name, network, "none", error)
        gc.collect()
    print(f"{len(manifest.data['networks'])} files, {len(manifest.data['failures'])} failures")


if __name__ == "__main__":
    main()
