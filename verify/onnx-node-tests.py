"""Writes the node tests of the installed onnx package as files, for `npm run conformance -- --data OUT`.

    python verify/onnx-node-tests.py OUT

The package holds its tests as Python code. Each becomes OUT/node/<test>/model.onnx with the inputs and
expected outputs in test_data_set_0/input_N.pb and output_N.pb, as in the onnx repository. Tests of an
operator set that auspex does not know yet are left out. Needs `onnx`, `ml_dtypes` and `pillow` (for the
tests of ImageDecoder; without it they are left out).
"""

import pathlib
import sys

from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases

LAST_OPSET = 26  # of ai.onnx, as in tools/schemas.py

WRITERS = {
    "tensor_type": numpy_helper.from_array,
    "sequence_type": numpy_helper.from_list,
    "optional_type": numpy_helper.from_optional,
    "map_type": numpy_helper.from_dict,
}


def opset_of(model):
    return max((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), default=1)


def serialize(value, info):
    """A test's value as the bytes of a TensorProto, SequenceProto … whichever the model declares."""
    if not isinstance(value, TensorProto):
        value = WRITERS[info.type.WhichOneof("value")](value, info.name)
    return value.SerializeToString()


def write_case(case, folder):
    graph = case.model.graph
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir(exist_ok=True)
        for kind, values, infos in (("input", inputs, graph.input), ("output", outputs, graph.output)):
            for i, value in enumerate(values):
                (data / f"{kind}_{i}.pb").write_bytes(serialize(value, infos[i]))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = pathlib.Path(sys.argv[1]) / "node"
    cases = collect_testcases(None)
    kept = [case for case in cases if opset_of(case.model) <= LAST_OPSET]
    for case in kept:
        write_case(case, target / case.name)
    print(f"{len(kept)} tests written to {target}; {len(cases) - len(kept)} of later operator sets left out")


main()
