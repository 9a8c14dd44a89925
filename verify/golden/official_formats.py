"""Writes small files in the layouts in which benchmarks are published: the fixtures of src/datasets.

    python verify/golden/official_formats.py src/datasets/fixtures

Every number is made up. The layouts are those of the authors' code:

nasbench101.tfrecord    google-research/nasbench: api.py reads it, model_metrics.proto describes the metrics
nats-tss.pickle.pbz2    D-X-Y/NATS-Bench: a whole archive of the topology space
nats-sss/               the same, size space: a folder with meta.pickle.pbz2 and a file for every architecture
nasbench201.zip.pth     D-X-Y/NAS-Bench-201: an archive saved with torch.save, as of PyTorch 1.6
nasbench201.legacy.pth  the same as PyTorch saved before
hw-nas-bench.pickle     GATECH-EIC/HW-NAS-Bench
pickles.json            values of all kinds in all protocols, in base64, with what they are
bzip2.json              texts and what Python's bz2 makes of them, in base64

Beside every file is what an importer must find: expected.json. The means in it are NumPy's, the metrics were
serialised by Google's protobuf, the pickles by Python.
"""

import base64
import bz2
import collections
import io
import json
import pickle
import pickletools
import random
import struct
import sys
from pathlib import Path

import numpy as np
import torch
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

rng = random.Random(2024)
expected = {}


# NAS-Bench-101 ----------------------------------------------------------------------------------------------


def model_metrics_class():
    """ModelMetrics as model_metrics.proto has it."""
    file = descriptor_pb2.FileDescriptorProto(name="model_metrics.proto", package="nasbench", syntax="proto2")
    field = descriptor_pb2.FieldDescriptorProto
    evaluation = file.message_type.add(name="EvaluationData")
    doubles = ["current_epoch", "training_time", "train_accuracy", "validation_accuracy", "test_accuracy"]
    for i, name in enumerate(doubles):
        evaluation.field.add(name=name, number=i + 1, type=field.TYPE_DOUBLE, label=field.LABEL_OPTIONAL)
    evaluation.field.add(name="checkpoint_path", number=6, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    metrics = file.message_type.add(name="ModelMetrics")
    metrics.field.add(
        name="evaluation_data",
        number=1,
        type=field.TYPE_MESSAGE,
        type_name=".nasbench.EvaluationData",
        label=field.LABEL_REPEATED,
    )
    metrics.field.add(name="trainable_parameters", number=2, type=field.TYPE_INT32, label=field.LABEL_OPTIONAL)
    metrics.field.add(name="total_time", number=3, type=field.TYPE_DOUBLE, label=field.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("nasbench.ModelMetrics"))


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283  # the check value of CRC-32C


def masked(crc):
    return ((((crc >> 15) | (crc << 17)) & 0xFFFFFFFF) + 0xA282EAD8) & 0xFFFFFFFF


def tf_record(data):
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked(crc32c(length))) + data + struct.pack("<I", masked(crc32c(data)))


def nasbench101(folder):
    cells = [
        ("01", "00", ["input", "output"]),
        ("011", "001", "000", ["input", "conv3x3-bn-relu", "output"]),
        ("01101", "00110", "00011", "00001", "00000", ["input", "conv1x1-bn-relu", "maxpool3x3", "conv3x3-bn-relu", "output"]),
    ]
    texts = ["2:1:", "3:111:conv3x3-bn-relu", "5:1101110111:conv1x1-bn-relu,maxpool3x3,conv3x3-bn-relu"]
    metrics_class = model_metrics_class()
    records, rows = [], []
    for cell, text in zip(cells, texts):
        *matrix, ops = cell
        parameters = rng.randrange(10**5, 10**7)
        finals = []
        for epochs in (4, 108, 108, 108):
            metrics = metrics_class(trainable_parameters=parameters, total_time=rng.uniform(100, 5000))
            for epoch in (0, epochs / 2, epochs):
                metrics.evaluation_data.add(
                    current_epoch=epoch,
                    training_time=rng.uniform(0, 3000),
                    train_accuracy=rng.random(),
                    validation_accuracy=rng.random(),
                    test_accuracy=rng.random(),
                    checkpoint_path="/somewhere/model.ckpt" if epoch == epochs else "",
                )
            if epochs == 108:
                finals.append(metrics.evaluation_data[2])
            encoded = base64.b64encode(metrics.SerializeToString()).decode()
            name = f"{rng.getrandbits(128):032x}" if epochs == 4 else name
            records.append(json.dumps([name, epochs, "".join(matrix), ",".join(ops), encoded]).encode())
        rows.append(
            {
                "arch": text,
                "params": parameters,
                "val_accuracy": float(np.mean([f.validation_accuracy for f in finals])),
                "test_accuracy": float(np.mean([f.test_accuracy for f in finals])),
                "train_accuracy": float(np.mean([f.train_accuracy for f in finals])),
                "train_seconds": float(np.mean([f.training_time for f in finals])),
            }
        )
    # Runs of one cell do not lie together in the real file.
    order = sorted(range(len(records)), key=lambda i: i % 4)
    (folder / "nasbench101.tfrecord").write_bytes(b"".join(tf_record(records[i]) for i in order))
    expected["nasbench101.tfrecord"] = rows


# NATS-Bench and NAS-Bench-201 -------------------------------------------------------------------------------

SETS = {
    "cifar10-valid": ["x-valid", "ori-test"],
    "cifar10": ["ori-test"],
    "cifar100": ["ori-test", "x-valid", "x-test"],
    "ImageNet16-120": ["ori-test", "x-valid", "x-test"],
}
LABELS = {
    "cifar10_valid": ("cifar10-valid", "x-valid"),
    "cifar10_test": ("cifar10", "ori-test"),
    "cifar100_valid": ("cifar100", "x-valid"),
    "cifar100_test": ("cifar100", "x-test"),
    "imagenet16_valid": ("ImageNet16-120", "x-valid"),
    "imagenet16_test": ("ImageNet16-120", "x-test"),
}


def percent():
    return round(rng.uniform(10, 95), 3)


def run_state(dataset, seed, epochs, arch, weights):
    """ResultsCount.state_dict()."""
    names = list(SETS[dataset])
    keys = [f"{name}@{i}" for name in names for i in range(epochs)]
    state = collections.OrderedDict if weights else dict
    return {
        "name": "infer.tiny",
        "net_state_dict": state({"stem.weight": torch.ones(2, 2)}) if weights else None,
        "train_acc1es": {i: percent() for i in range(epochs)},
        "train_acc5es": {i: percent() for i in range(epochs)},
        "train_losses": {i: rng.random() for i in range(epochs)},
        "train_times": {i: rng.uniform(1, 9) for i in range(epochs)},
        "arch_config": {"arch_str": arch, "channel": 16, "num_cells": 5, "class_num": 10},
        "params": np.float64(rng.uniform(0.1, 1.5)),
        "flop": rng.uniform(10, 200),
        "seed": seed,
        "epochs": epochs,
        "latency": [rng.uniform(0.01, 0.03) for _ in range(2)] if seed == 777 else [-1.0],
        "eval_names": names,
        "eval_acc1es": {key: percent() for key in keys},
        "eval_times": {key: rng.uniform(1, 2) for key in keys},
        "eval_losses": {key: rng.random() for key in keys},
    }


def arch_state(index, arch, epochs, seeds, weights=False):
    """ArchResults.state_dict()."""
    return {
        "arch_index": index,
        "arch_str": arch,
        "all_results": {
            (dataset, seed): run_state(dataset, seed, epochs, arch, weights) for dataset in SETS for seed in seeds
        },
        "dataset_seed": {dataset: list(seeds) for dataset in SETS},
        "clear_net_done": True,
    }


def nats_row(trainings):
    """What the authors' get_metrics(is_random=False) and get_compute_costs give, of the last epoch."""
    row = {"arch": next(iter(trainings.values()))["arch_str"]}
    longest = max(trainings.values(), key=lambda t: next(iter(t["all_results"].values()))["epochs"])
    for training in trainings.values():
        runs = training["all_results"]
        epochs = next(iter(runs.values()))["epochs"]
        suffix = "" if training is longest else f"_{epochs}ep"
        for label, (dataset, name) in LABELS.items():
            seeds = training["dataset_seed"][dataset]
            row[label + suffix] = float(np.mean([runs[dataset, s]["eval_acc1es"][f"{name}@{epochs - 1}"] for s in seeds]))
        if training is longest:
            chosen = [runs["cifar10", s] for s in training["dataset_seed"]["cifar10"]]
            row["params_M"] = float(np.mean([r["params"] for r in chosen]))
            row["flops_M"] = float(np.mean([r["flop"] for r in chosen]))
            latencies = [np.mean(r["latency"]) for r in chosen]
            row["latency_ms"] = float(1000 * np.mean([x for x in latencies if x > 0]))
            row["train_seconds"] = float(np.mean([sum(r["train_times"].values()) for r in chosen]))
    return row


TOPOLOGIES = [
    "|avg_pool_3x3~0|+|nor_conv_1x1~0|skip_connect~1|+|nor_conv_1x1~0|skip_connect~1|skip_connect~2|",
    "|none~0|+|none~0|nor_conv_3x3~1|+|skip_connect~0|none~1|none~2|",
]


def nats(folder):
    # A whole archive. Real ones train 12 and 200 epochs; two and three make the same layout in a few kilobytes.
    infos = {
        i: {"12": arch_state(i, arch, 2, [111, 777]), "200": arch_state(i, arch, 3, [777, 888])}
        for i, arch in enumerate(TOPOLOGIES)
    }
    archive = {"meta_archs": TOPOLOGIES, "arch2infos": infos, "evaluated_indexes": {0, 1}, "total_archs": 2}
    (folder / "nats-tss.pickle.pbz2").write_bytes(bz2.compress(pickle.dumps(archive, protocol=4)))
    expected["nats-tss.pickle.pbz2"] = [nats_row(infos[i]) for i in infos]

    (folder / "nats-sss").mkdir(exist_ok=True)
    sizes = ["8:16:24:32:40", "64:64:64:64:64"]
    rows = []
    for i, arch in enumerate(sizes):
        trainings = {"01": arch_state(i, arch, 1, [777]), "90": arch_state(i, arch, 3, [777])}
        rows.append(nats_row(trainings))
        (folder / "nats-sss" / f"{i:06d}.pickle.pbz2").write_bytes(bz2.compress(pickle.dumps(trainings, protocol=4)))
    meta = {"meta_archs": sizes, "arch2infos": None, "evaluated_indexes": set()}
    (folder / "nats-sss" / "meta.pickle.pbz2").write_bytes(bz2.compress(pickle.dumps(meta, protocol=4)))
    expected["nats-sss"] = rows

    # NAS-Bench-201 names its trainings otherwise, and with torch.save weights may be in it.
    infos = {
        i: {"less": arch_state(i, arch, 1, [777]), "full": arch_state(i, arch, 2, [777, 999], weights=i == 0)}
        for i, arch in enumerate(TOPOLOGIES)
    }
    archive = {"meta_archs": TOPOLOGIES, "arch2infos": infos, "evaluated_indexes": [0, 1]}
    for name, is_zip in (("nasbench201.zip.pth", True), ("nasbench201.legacy.pth", False)):
        buffer = io.BytesIO()
        torch.save(archive, buffer, _use_new_zipfile_serialization=is_zip)
        (folder / name).write_bytes(buffer.getvalue())
        expected[name] = [nats_row(infos[i]) for i in infos]


# HW-NAS-Bench -----------------------------------------------------------------------------------------------


def hw_nas_bench(folder):
    devices = ["edgegpu_latency", "edgegpu_energy", "raspi4_latency", "eyeriss_arithmetic_intensity"]
    part, rows = {}, [{"arch": arch} for arch in TOPOLOGIES]
    for dataset in ("cifar10", "cifar100", "ImageNet16-120"):
        part[dataset] = {
            "config": [
                {"name": "infer.tiny", "C": 16, "N": 5, "arch_str": arch, "num_classes": 10} for arch in TOPOLOGIES
            ]
        }
        for metric in devices:
            values = [rng.uniform(1, 30) for _ in TOPOLOGIES]
            # The real file has lists of Python's numbers, of NumPy's, and arrays.
            kinds = {"edgegpu_energy": np.array, "raspi4_latency": lambda v: [np.float64(x) for x in v]}
            part[dataset][metric] = kinds.get(metric, list)(values)
            for row, value in zip(rows, values):
                row[f"{dataset.lower().replace('-', '_')}_{metric}"] = value
    lookup = {"edgegpu_latency": {"ConvNorm_H32_W32_Cin3_Cout16_kernel3_stride1_group1": 0.5}}
    (folder / "hw-nas-bench.pickle").write_bytes(pickle.dumps({"nasbench201": part, "fbnet": lookup}, protocol=3))
    expected["hw-nas-bench.pickle"] = rows


# Pickles of all kinds, bzip2 --------------------------------------------------------------------------------


class Point:
    def __init__(self, x):
        self.x = x


class Evil:
    def __reduce__(self):
        return (__import__("os").system, ("echo pwned",))


def plain(value):
    """A value as JSON, with what JSON lacks as {"kind": …}."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.ndarray):
        return {"array": plain(value.ravel(order="K").tolist()), "shape": list(value.shape)}
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, int):
        return value if abs(value) < 2**53 else {"integer": str(value)}
    if isinstance(value, float):
        return value if np.isfinite(value) else {"float": str(value)}
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": list(value)}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return {"set": sorted((plain(item) for item in value), key=repr)}
    if isinstance(value, dict):
        return {"dict": [[plain(k), plain(v)] for k, v in value.items()]}
    if isinstance(value, Point):
        return {"class": "__main__.Point", "state": {"dict": [["x", plain(value.x)]]}}
    if isinstance(value, Evil):
        return {"class": "posix.system", "args": ["echo pwned"]}
    raise TypeError(type(value))


def pickles(folder):
    shared = ["shared"]
    values = {
        "constants": [None, True, False],
        "integers": [0, 1, -1, 255, 256, 65535, 65536, -(2**31), 2**31, 2**53 - 1, -(2**53), 2**63, -(2**63), 2**200],
        "floats": [0.0, 1.5, -2.25, 1e300, 5e-324, float("inf"), float("-inf"), 0.1],
        "texts": ["", "plain", "Grüße", "日本語", "\U0001f600", "quote ' and \" and \\", "line\nbreak\r\t\0", "x" * 300],
        "bytes": [b"", b"\x00\x80\xff", b"a" * 300, bytearray(b"\x01\x02")],
        "lists": [[], [1], [[1, [2, [3]]]]],
        "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
        "dictionaries": [{}, {"a": 1}, {1: "x", (1, 2): "tuple", None: None}],
        # Written in batches of a thousand.
        "batches": [list(range(1001)), {i: -i for i in range(1001)}],
        "ordered": [collections.OrderedDict([("z", 1), ("a", 2)]), collections.defaultdict(list, {"k": [1]})],
        "sets": [set(), {1, 2, 3}, frozenset({"a"})],
        "shared": [shared, shared, {"again": shared}],
        "objects": [Point(3), Point([1, 2])],
        "evil": [Evil()],
        "arrays": [
            np.arange(6, dtype="<f8").reshape(2, 3),
            np.arange(6, dtype="<f8").reshape(2, 3).T,
            np.array([1.5, -2.25], dtype="<f4"),
            np.array([1.5, 65504, 6e-8], dtype="<f2"),
            np.array([1, -2, 2**62], dtype="<i8"),
            np.array([1, -2], dtype="<i4"),
            np.array([1, 2], dtype=">i2"),
            np.array([1, 255], dtype="u1"),
            np.array([1.5, 2.5], dtype=">f8"),
            np.array([True, False]),
            np.array(["abc", "défg"]),
            np.array([b"ab", b"c"]).astype("U"),
            np.array(["x", 1, None], dtype=object),
            np.zeros((0, 3)),
        ],
        "scalars": [np.float64(0.1), np.float32(1.5), np.int64(-7), np.uint8(200), np.bool_(True), np.str_("text")],
    }
    cases = []
    for name, value in values.items():
        for protocol in range(6) if name != "batches" else (0, 1, 4):
            data = pickle.dumps(value, protocol=protocol)
            cases.append({"name": f"{name}, protocol {protocol}", "value": name, "pickle": base64.b64encode(data).decode()})
    old = pickletools.optimize(pickle.dumps(values["shared"], protocol=2))
    cases.append({"name": "shared, optimised", "value": "shared", "pickle": base64.b64encode(old).decode()})
    # The Python implementation writes otherwise than the C one.
    for protocol in (0, 2, 4):
        buffer = io.BytesIO()
        pickle._Pickler(buffer, protocol).dump(values["dictionaries"])
        data = base64.b64encode(buffer.getvalue()).decode()
        cases.append({"name": f"dictionaries, pure Python, protocol {protocol}", "value": "dictionaries", "pickle": data})
    fixture = {"values": {name: plain(value) for name, value in values.items()}, "cases": cases}
    (folder / "pickles.json").write_text(json.dumps(fixture, separators=(",", ":")) + "\n")


def bzip2(folder):
    # A text is a unit, and how often it comes.
    texts = {
        "empty": (b"", 1),
        "one byte": (b"a", 1),
        "runs of 3 to 6": (b"".join(bytes([65 + n]) * n for n in range(3, 7)), 5),
        "a run of 4 + 255": (b"z", 259),
        "a run of 4 + 255 and one": (b"z", 260),
        "a long run": (b"\0", 5000),
        "noise": (bytes(rng.getrandbits(8) for _ in range(600)), 1),
        "text": (b"the quick brown fox jumps over the lazy dog. ", 40),
        "all bytes": (bytes(range(256)), 3),
        "several blocks": (b"0123456789abcdef" * 8 + b"\n", 2000),
    }
    cases = []
    for name, (unit, times) in texts.items():
        for level in (1, 9):
            packed = base64.b64encode(bz2.compress(unit * times, level)).decode()
            cases.append({"name": f"{name}, level {level}", "unit": unit.hex(), "times": times, "packed": packed})
    two = base64.b64encode(bz2.compress(b"twice ") + bz2.compress(b"twice ")).decode()
    cases.append({"name": "two streams", "unit": b"twice ".hex(), "times": 2, "packed": two})
    (folder / "bzip2.json").write_text(json.dumps(cases, indent=1) + "\n")


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    nasbench101(folder)
    nats(folder)
    hw_nas_bench(folder)
    pickles(folder)
    bzip2(folder)
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


main()
