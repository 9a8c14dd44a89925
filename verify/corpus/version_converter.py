"""Converts files with onnx.version_converter, the peer of `auspex convert --opset`.

    python verify/corpus/version_converter.py OPSET OUT FILE...

Each file becomes OUT/<its name>; what cannot be converted is named on standard error with the reason. One process per
file, as the converter may end its own.
"""

import pathlib
import subprocess
import sys

ONE = """
import sys, onnx
from onnx import version_converter
version, path, out = int(sys.argv[1]), sys.argv[2], sys.argv[3]
onnx.save(version_converter.convert_version(onnx.load(path), version), out)
"""

version, out, *files = sys.argv[1:]
folder = pathlib.Path(out)
folder.mkdir(parents=True, exist_ok=True)
for file in files:
    target = folder / pathlib.Path(file).name
    target.unlink(missing_ok=True)
    try:
        result = subprocess.run(
            [sys.executable, "-c", ONE, version, file, str(target)], capture_output=True, text=True, timeout=300
        )
        reason = result.stderr.strip().splitlines()[-1:] if result.returncode else []
    except subprocess.TimeoutExpired:
        reason = ["more than 300 s"]
    if reason:
        target.unlink(missing_ok=True)
        print(f"{file}: {reason[0][:200]}", file=sys.stderr)
