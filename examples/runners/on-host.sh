#!/bin/sh
# A runner of `auspex measure` for another computer on ssh, which has Python with onnxruntime: prints the milliseconds of each
# run, one a line.
#   auspex measure net.onnx --runner 'HOST=board.local ./on-host.sh {onnx} {runs}'
set -e
onnx=$1
runs=$2
host=${HOST:?set HOST to the name of the computer}
file=/tmp/auspex-network-$$.onnx
scp -q "$onnx" "$host:$file"
trap 'ssh "$host" rm -f "$file"' EXIT
ssh "$host" python3 - "$file" "$runs" "${AUSPEX_THREADS:-1}" <<'PYTHON'
import platform, sys, time
import numpy as np
import onnxruntime as ort

file, runs, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
options = ort.SessionOptions()
options.intra_op_num_threads = threads
session = ort.InferenceSession(file, options, providers=["CPUExecutionProvider"])
types = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": np.bool_}
feeds = {i.name: np.ones([d if isinstance(d, int) else 1 for d in i.shape], types[i.type]) for i in session.get_inputs()}
for _ in range(10):
    session.run(None, feeds)
for _ in range(runs):
    start = time.perf_counter()
    session.run(None, feeds)
    print((time.perf_counter() - start) * 1000)
print(f"# runtime: onnxruntime {ort.__version__}, {platform.machine()}")
PYTHON
