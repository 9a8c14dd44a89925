"""Golden values for src/util/linear-algebra/nnls.ts: scipy.optimize.nnls.

    python3 verify/golden/nnls.py
"""
import json
from pathlib import Path

import numpy as np
import scipy
from scipy.optimize import nnls

random = np.random.default_rng(3)
cases = []
for rows, columns, scale in [(12, 3, 1), (30, 5, 1), (40, 5, 1e9)]:
    a = np.round(random.normal(size=(rows, columns)), 3)
    a[:, 0] = np.round(np.abs(a[:, 0]) * scale, 3)
    b = np.round(a @ np.round(random.normal(size=columns), 1) / scale + random.normal(size=rows), 3)
    cases.append({"a": a.tolist(), "b": b.tolist(), "x": nnls(a, b)[0].tolist()})
out = Path(__file__).parents[2] / "src/util/linear-algebra/fixtures/nnls.json"
out.parent.mkdir(exist_ok=True)
out.write_text(json.dumps({"scipy": scipy.__version__, "cases": cases}) + "\n")
