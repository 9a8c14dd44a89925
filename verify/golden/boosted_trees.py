"""Golden values for src/predictors/trees/boosted-trees.ts: predictions of LightGBM.

    OMP_NUM_THREADS=1 python3 verify/golden/boosted_trees.py
"""
import json
from pathlib import Path

import lightgbm as lgb
import numpy as np

random = np.random.default_rng(5)
# Few enough values that every one has a bin; none is 0, which LightGBM treats as a value of its own kind.
rows = np.round(random.normal(size=(160, 4)), 1)
rows[:, 3] = random.integers(0, 4, 160)
rows = np.round(rows + 9, 1)
targets = np.round(np.sin(2 * rows[:, 0]) + (rows[:, 1] - 9) * (rows[:, 3] > 10) + 0.1 * random.normal(size=160), 4)
cases = []
for options in [
    {"trees": 1, "learningRate": 1.0, "leaves": 4, "minLeaf": 5, "l2": 0.0},
    {"trees": 12, "learningRate": 0.3, "leaves": 7, "minLeaf": 6, "l2": 1.5},
]:
    model = lgb.train(
        {
            "objective": "l2",
            "learning_rate": options["learningRate"],
            "num_leaves": options["leaves"],
            "min_data_in_leaf": options["minLeaf"],
            "lambda_l2": options["l2"],
            "min_data_in_bin": 1,
            "min_sum_hessian_in_leaf": 0,
            "max_bin": 255,
            "feature_pre_filter": False,
            "num_threads": 1,
            "verbose": -1,
        },
        lgb.Dataset(rows, targets),
        options["trees"],
    )
    cases.append({"options": options, "predictions": [round(float(p), 7) for p in model.predict(rows[:40] + 0.013)]})
out = Path(__file__).parents[2] / "src/predictors/trees/fixtures/boosted-trees.json"
out.write_text(json.dumps({"lightgbm": lgb.__version__, "rows": rows.tolist(), "targets": targets.tolist(), "cases": cases}) + "\n")
