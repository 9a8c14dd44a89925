"""ImageNet accuracy of timm's networks from features of their layers, families left out.

  node build/verify/timm/features.js GRAPHS > features.csv
  python verify/timm/accuracy.py timm_imagenet.csv.gz features.csv [SEED]

Ten folds of whole families (the table's column `family`); SEED orders them. All scales are fitted to the training families of
each fold only. An implementation of its own of what bundle.ts does, beside other kernels and LightGBM. Printed are Kendall's
tau-b and the mean absolute error: of the best recipe on ImageNet-1k alone of every network and image size, and of all rows
with the recipe known. Families are halved by their names, to see whether differences hold in both halves. The last lines choose
the method of every fold by the errors in the other folds. Needs numpy, pandas, scipy, torch, lightgbm.
"""
import hashlib
import re
import sys

import lightgbm
import numpy as np
import pandas
import torch
from scipy.stats import kendalltau

torch.set_num_threads(1)
FOLDS, STEPS, RATE, SCALE_ROWS = 10, 25, 0.2, 450
EPOCHS = {"a1": 600, "a2": 300, "a3": 100, "tv": 90, "tv2": 600, "gluon": 120, "pycls": 100}
TAGS = "a1 a2 a3 tv gluon ra ra2 ra3 ra4 a1h c2ns ch ah sw bt tf fb pycls ms sail tv2 apple aa ap d sam".split()
LARGER_DATA = r"in12k|in21k|in22k"
WEB_DATA = r"jft|ig1b|laion|openai|webli|yfcc|m38m|m30m|clip|swag|seer|6m"
DISTILLED = r"dist|ssld|usi|swsl|ns_jft"
SELF_SUPERVISED = r"mae|mim|beit|dino|laion|openai|in1k_ft"
RECIPE_GROUPS = [[0], [1], [2], [3], [4], [5], list(range(6, 7 + len(TAGS))), [7 + len(TAGS)]]


def recipe(name, size, crop):
    """Numbers that the name of a recipe tells."""
    parts = name.split("_")
    found = re.search(r"(?:^|_)e(\d{3,4})(?:_|$)", name) or re.search(r"(\d{3,4})ep?(?:_|$)", name)
    epochs = int(found.group(1)) if found else next((EPOCHS[p] for p in parts if p in EPOCHS), 0)
    trained = re.search(r"_(\d{3})$", name) or re.search(r"(?:^|_)r(\d{3})(?:_|$)", name)
    return [
        *(float(bool(re.search(p, name))) for p in (LARGER_DATA, WEB_DATA, DISTILLED, SELF_SUPERVISED)),
        np.log2(epochs) if epochs else 0.0,
        np.log2(size / int(trained.group(1))) if trained else 0.0,
        float(name == "in1k"),
        *(float(tag in parts) for tag in TAGS),
        crop,
    ]


def standardised(x):
    return np.clip((x - x.mean(0)) / (x.std(0) + 1e-9), -4, 4)


def squares(x):
    """Mean squared differences of all pairs of rows."""
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


# Of mean squared differences by group and logarithms of length scales.
KERNELS = {
    "squared-exponential": lambda d, l: torch.exp(-0.5 * (d * torch.exp(-2 * l)[:, None, None]).sum(0)),
    "exponential": lambda d, l: torch.exp(-torch.sqrt((d * torch.exp(-2 * l)[:, None, None]).sum(0) + 1e-8)),
    "product of exponentials": lambda d, l: torch.exp(-(torch.sqrt(d + 1e-8) * torch.exp(-l)[:, None, None]).sum(0)),
}


class Process:
    """A Gaussian process on the logarithm of the error; a weak prior on length scales."""

    def __init__(self, squares_by_group, kernel):
        self.d, self.kernel = squares_by_group, KERNELS[kernel]

    def covariance(self, p, rows, columns):
        return torch.exp(2 * p[-2]) * self.kernel(self.d[:, rows][:, :, columns], p[:-2])

    def noisy(self, p, rows):
        return self.covariance(p, rows, rows) + torch.exp(2 * p[-1]) * torch.eye(len(rows))

    def fit(self, rows, y):
        p = torch.cat([torch.full((len(self.d),), 1.5), torch.tensor([0.0, -1.5])]).requires_grad_(True)
        optimiser = torch.optim.Adam([p], lr=RATE)
        for _ in range(STEPS):
            optimiser.zero_grad()
            factor = torch.linalg.cholesky(self.noisy(p, rows))
            weights = torch.cholesky_solve(y[:, None], factor)[:, 0]
            loss = 0.5 * y @ weights + torch.log(torch.diagonal(factor)).sum() + 0.1 * ((p[:-2] - 1.5) ** 2).sum()
            loss.backward()
            optimiser.step()
        return p.detach()

    def predict(self, train, top1, test):
        errors = np.log(100 - top1)
        mean, deviation = errors.mean(), errors.std()
        y = torch.tensor((errors - mean) / deviation)
        some = np.random.RandomState(0).permutation(len(train))[:SCALE_ROWS]
        p = self.fit(train[some], y[some].float())
        weights = torch.linalg.solve(self.noisy(p, train).double(), y)
        return 100 - np.exp(mean + deviation * (self.covariance(p, test, train).double() @ weights).numpy())


def boosted(x, top1, z):
    model = lightgbm.LGBMRegressor(
        n_estimators=400, learning_rate=0.03, num_leaves=8, min_child_samples=8, subsample=0.7, subsample_freq=1,
        colsample_bytree=0.3, reg_lambda=3.0, n_jobs=1, verbose=-1, random_state=0,
    )
    return 100 - np.exp(model.fit(x, np.log(100 - top1)).predict(z))


def main(table_file, feature_file, seed="1"):
    features = pandas.read_csv(feature_file).set_index("name")
    table = pandas.read_csv(table_file)
    table["key"] = table.architecture + "-" + table.img_size.astype(str)
    table = table[table.key.isin(features.index)].reset_index(drop=True)
    x = features.loc[table.key].values
    r = np.array([recipe(*row) for row in zip(table.recipe, table.img_size, table.crop_pct)])
    top1 = table.top1.values
    alone = ~table.recipe.str.contains("|".join([LARGER_DATA, WEB_DATA, DISTILLED, SELF_SUPERVISED, "_ft_|^ft_"]))
    best = table[alone].sort_values("top1", ascending=False).drop_duplicates("key").index.values
    all_rows = np.arange(len(top1))

    networks = [standardised(x)[:, g] for g in groups(list(features.columns))]
    recipes = [standardised(r)[:, g] for g in RECIPE_GROUPS]
    tensor = lambda parts: torch.tensor(np.stack([squares(p) for p in parts]), dtype=torch.float32)
    of_networks, of_both = tensor(networks), tensor(networks + recipes)
    both = np.hstack([x, r])
    methods = {
        **{
            f"{kernel}, recipe {'known' if known else 'not known'}": (
                lambda train, test, d=of_both if known else of_networks, kernel=kernel: Process(d, kernel).predict(
                    train, top1[train], test
                ),
                all_rows if known else best,
            )
            for kernel in KERNELS
            for known in (False, True)
        },
        "LightGBM, recipe not known": (lambda train, test: boosted(x[train], top1[train], x[test]), best),
        "LightGBM, recipe known": (lambda train, test: boosted(both[train], top1[train], both[test]), all_rows),
    }
    families = np.array(sorted(set(table.family)))
    order = np.random.RandomState(int(seed)).permutation(len(families))
    folds = [np.where(table.family.isin(left_out))[0] for left_out in np.array_split(families[order], FOLDS)]
    first_half = table.family.map(lambda f: int(hashlib.md5(f"x{f}".encode()).hexdigest(), 16) % 2 == 0).values
    print(f"{len(top1)} rows, {len(families)} families; best recipe on ImageNet-1k alone: {len(best)} networks")

    def report(name, found, is_all):
        sets = {"alone": best, "first half": best[first_half[best]], "second half": best[~first_half[best]]}
        if is_all:
            sets["all rows"] = all_rows
        cells = [f"{of} {kendalltau(top1[i], found[i])[0]:.3f} / {abs(top1[i] - found[i]).mean():.3f}" for of, i in sets.items()]
        print(f"{name}: {'; '.join(cells)}", flush=True)

    results = {True: [], False: []}
    for name, (method, learned) in methods.items():
        found = np.zeros(len(top1))
        for test in folds:
            found[test] = method(np.setdiff1d(learned, test), test)
        results[learned is all_rows].append(found)
        report(name, found, learned is all_rows)
    for is_all, candidates in results.items():
        chosen = np.zeros(len(top1))
        for test in folds:
            others = np.setdiff1d(all_rows if is_all else best, test)
            errors = [abs(found[others] - top1[others]).mean() for found in candidates]
            chosen[test] = candidates[int(np.argmin(errors))][test]
        report(f"chosen by other folds, recipe {'known' if is_all else 'not known'}", chosen, is_all)


if __name__ == "__main__":
    main(*sys.argv[1:])
