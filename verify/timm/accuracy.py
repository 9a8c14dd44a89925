"""ImageNet accuracy of timm's networks from features of their layers, families left out.

  node build/verify/timm/features.js GRAPHS > features.csv
  python verify/timm/accuracy.py timm_imagenet.csv.gz features.csv

Ten folds of whole families (the table's column `family`). A Gaussian process with one length scale for every group of
features, its marginal likelihood maximised on the training families of each fold only; LightGBM; and their mean. All rows are
learned, with attributes of the recipe's name as inputs. Two figures are printed of each: all rows, recipe known; and the best
recipe on ImageNet-1k alone of every network and image size. Needs numpy, pandas, scipy, torch, lightgbm.
"""
import re
import sys

import lightgbm
import numpy as np
import pandas
import torch
from scipy.stats import kendalltau

torch.set_num_threads(1)
FOLDS, STEPS, RATE = 10, 22, 0.2
EPOCHS = {"a1": 600, "a2": 300, "a3": 100, "tv": 90, "tv2": 600, "gluon": 120, "pycls": 100}
TAGS = "a1 a2 a3 tv gluon ra ra2 ra3 ra4 a1h c2ns ch ah sw bt tf fb pycls ms sail tv2 apple aa ap d sam".split()
LARGER_DATA = r"in12k|in21k|in22k"
WEB_DATA = r"jft|ig1b|laion|openai|webli|yfcc|m38m|m30m|clip|swag|6m"
DISTILLED = r"dist|ssld|usi|swsl|ns_jft"
SELF_SUPERVISED = r"mae|mim|beit|laion|openai|in1k_ft"


def recipe(name, size):
    """Numbers that the name of a recipe tells."""
    parts = name.split("_")
    found = re.search(r"(?:^|_)e(\d{3,4})(?:_|$)", name) or re.search(r"(\d{3,4})ep?(?:_|$)", name)
    epochs = int(found.group(1)) if found else next((EPOCHS[p] for p in parts if p in EPOCHS), 0)
    trained = re.search(r"(?:^|_)r(\d{3})(?:_|$)", name)
    return [
        *(float(bool(re.search(p, name))) for p in (LARGER_DATA, WEB_DATA, DISTILLED, SELF_SUPERVISED)),
        np.log2(epochs) if epochs else 0.0,
        np.log2(size / int(trained.group(1))) if trained else 0.0,
        float(name == "in1k"),
        *(float(tag in parts) for tag in TAGS),
    ]


def standardised(x):
    return np.clip((x - x.mean(0)) / (x.std(0) + 1e-9), -4, 4)


def squares(x):
    norms = (x * x).sum(1)
    return np.maximum(norms[:, None] + norms[None] - 2 * x @ x.T, 0) / x.shape[1]


def groups(columns):
    """Features that share a length scale."""
    sets = [
        ["logMacs", "logWeights", "logOutputs", "logLargestOutput", "macsByDepth"],
        ["logImage"],
        ["logDepth", "logLayers", "parallel"],
        ["reuse", "intensity"],
        *([c for c in columns if c.startswith(p)] for p in ("macs.", "weights.", "layers.")),
        *([c for c in columns if c.startswith(p)] for p in ("macs at", "weights at", "layers at", "width at", "widest at")),
        ["meanWidth", "meanKernel", "meanLevel", "expanding", "expansion", "groupWidth", "largestKernel"],
        ["stemKernel", "stemStride", "stemWidth", "headWidth", "headLayers"],
        ["softmaxes", "attentionKeys"],
        ["smooth"],
        ["gates"],
    ]
    rest = [c for c in columns if not any(c in s for s in sets)]
    return [[columns.index(c) for c in s] for s in [*sets, rest]]


class Process:
    """k(a, b) = s^2 exp(-1/2 sum over groups of d_g(a, b) / l_g^2), with noise; a weak prior on log l."""

    def __init__(self, distances):
        self.distances = distances

    def kernel(self, p, rows, columns):
        scales = torch.exp(p[:-2])[:, None, None] ** 2
        return torch.exp(p[-2]) ** 2 * torch.exp(-0.5 * (self.distances[:, rows][:, :, columns] / scales).sum(0))

    def noisy(self, p, rows):
        return (self.kernel(p, rows, rows) + torch.exp(p[-1]) ** 2 * torch.eye(len(rows))).double()

    def fit(self, rows, y):
        start = torch.cat([torch.full((len(self.distances),), 1.5), torch.tensor([2.0, -0.5])])
        p = start.requires_grad_(True)
        optimiser = torch.optim.Adam([p], lr=RATE)
        for _ in range(STEPS):
            optimiser.zero_grad()
            factor = torch.linalg.cholesky(self.noisy(p, rows))
            weights = torch.cholesky_solve(y[:, None], factor)[:, 0]
            loss = 0.5 * y @ weights + torch.log(torch.diagonal(factor)).sum() + 0.1 * ((p[:-2] - 1.5) ** 2).sum()
            loss.backward()
            optimiser.step()
        return p.detach()

    def predict(self, p, rows, y, others):
        weights = torch.linalg.solve(self.noisy(p, rows), y)
        return (self.kernel(p, others, rows).double() @ weights).numpy()


def boosted(x, y, z):
    model = lightgbm.LGBMRegressor(
        n_estimators=400, learning_rate=0.03, num_leaves=8, min_child_samples=8, subsample=0.7, subsample_freq=1,
        colsample_bytree=0.3, reg_lambda=3.0, n_jobs=1, verbose=-1, random_state=0,
    )
    return model.fit(x, y).predict(z)


def main(table_file, feature_file):
    features = pandas.read_csv(feature_file).set_index("name")
    table = pandas.read_csv(table_file)
    table["key"] = table.architecture + "-" + table.img_size.astype(str)
    table = table[table.key.isin(features.index)].reset_index(drop=True)
    x = features.loc[table.key].values
    r = np.array([recipe(*row) for row in zip(table.recipe, table.img_size)])
    y = table.top1.values
    alone = ~table.recipe.str.contains("|".join([LARGER_DATA, WEB_DATA, DISTILLED, "mae|mim|dino|beit|_ft_|^ft_"]))
    best = table[alone].sort_values("top1", ascending=False).drop_duplicates("key").index.values

    parts = [standardised(x)[:, g] for g in groups(list(features.columns))]
    parts += [standardised(r)[:, g] for g in ([0], [1], [2], [3], [4, 5], list(range(6, r.shape[1])))]
    process = Process(torch.tensor(np.stack([squares(p) for p in parts]), dtype=torch.float32))

    families = np.array(sorted(set(table.family)))
    order = np.random.RandomState(1).permutation(len(families))
    found = {"Gaussian process": np.zeros(len(y)), "LightGBM": np.zeros(len(y))}
    for left_out in np.array_split(families[order], FOLDS):
        test = np.where(table.family.isin(left_out))[0]
        train = np.setdiff1d(np.arange(len(y)), test)
        mean = y[train].mean()
        targets = torch.tensor(y[train] - mean)
        p = process.fit(train, targets)
        found["Gaussian process"][test] = mean + process.predict(p, train, targets, test)
        both = np.hstack([x, r])
        found["LightGBM"][test] = boosted(both[train], y[train], both[test])
    found["mean of both"] = sum(found.values()) / 2
    print(f"{len(y)} rows, {len(families)} families; best recipe on ImageNet-1k alone: {len(best)} networks")
    for name, values in found.items():
        cells = [f"tau {kendalltau(y[i], values[i])[0]:.3f} MAE {abs(y[i] - values[i]).mean():.3f}" for i in (slice(None), best)]
        print(f"{name}: all rows {cells[0]}; ImageNet-1k alone {cells[1]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
