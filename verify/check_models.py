"""ONNX's own checker on every model of a folder, with full shape inference.

    python verify/check_models.py FOLDER

The shape that ONNX infers for the output must be the declared one."""
import pathlib
import sys

import onnx

good, bad = 0, 0
for path in sorted(pathlib.Path(sys.argv[1]).glob('*.onnx')):
    try:
        model = onnx.load(path)
        onnx.checker.check_model(model, full_check=True)
        declared = model.graph.output[0].type.tensor_type.shape
        model.graph.output[0].type.tensor_type.ClearField('shape')
        inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
        found = inferred.graph.output[0].type.tensor_type.shape
        if found.SerializeToString() != declared.SerializeToString():
            raise ValueError(f'output {found}, declared {declared}')
        good += 1
    except Exception as error:  # noqa: BLE001 - whatever the checker objects to is the result
        bad += 1
        print(path.name, str(error).splitlines()[0])
print(f'{good} valid, {bad} not')
sys.exit(bad > 0)
