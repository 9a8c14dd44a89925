"""Runs predictors in Python's ONNX Runtime: python check_predictor.py PREDICTOR.onnx CASE.json ...

A case is what `node build/checks/predictor-case.js PREDICTOR.onnx CASE.json` wrote: inputs, and what we predict for
them. The file is also run one row at a time, as it must take batches of any size, except where graphs are packed: rows
of inputs are not networks there. Inputs of other entries (pairs to compare) are 0. Needs onnx, onnxruntime, numpy.
"""
import json
import sys

import numpy as np
import onnx
import onnxruntime as ort

TOLERANCE = 1e-5
DTYPES = {'float32': np.float32, 'int32': np.int32, 'int64': np.int64}


def check(predictor: str, case_file: str) -> bool:
    with open(case_file) as file:
        case = json.load(file)
    model = onnx.load(predictor)
    onnx.checker.check_model(model, full_check=True)
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    info = json.loads(metadata['auspex.predictor'])
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(predictor, options, providers=['CPUExecutionProvider'])
    inputs = {
        name: np.array(tensor['data'], DTYPES[tensor['type']]).reshape(tensor['dims'])
        for name, tensor in case['inputs'].items()
    }
    expected = np.array(case['output']['data']).reshape(case['output']['dims'])
    is_packed = any(len(v) != len(expected) for v in inputs.values())
    for other in session.get_inputs():
        if other.name not in inputs:
            inputs[other.name] = np.zeros([d if isinstance(d, int) else 1 for d in other.shape], np.float32)
    (found,) = session.run(['prediction'], inputs)
    one = lambda i: session.run(['prediction'], {k: v[i : i + 1] for k, v in inputs.items()})[0]
    rows = found if is_packed else [one(i) for i in range(len(found))]
    scale = np.abs(expected).max(axis=0)  # of every label
    errors = [(np.abs(np.asarray(x).reshape(expected.shape) - expected) / scale).max() for x in (found, rows)]
    is_right = max(errors) < TOLERANCE
    names = ', '.join(label['name'] for label in info['labels'])
    spaces = [info['space']] if info['version'] == 1 else info['seen']['spaces']
    print(
        f"{'ok' if is_right else 'WRONG'}: {info['kind']} of {', '.join(spaces)} ({names}), {len(found)} rows, "
        f'relative error {errors[0]:.1e}' + ('' if is_packed else f', one by one {errors[1]:.1e}')
    )
    return is_right


if __name__ == '__main__':
    pairs = list(zip(sys.argv[1::2], sys.argv[2::2]))
    print(f'onnxruntime {ort.__version__}')
    results = [check(*pair) for pair in pairs]
    sys.exit(0 if results and all(results) else 1)
