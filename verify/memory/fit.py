"""Fits the constants of predicted memory to what networks took, and tests them on families that were left out.

Reads networks.jsonl.gz: for each network the resident memory in bytes while its session was made, after that and at the peak of
three runs, and the terms that the prediction is made of (see README.md). Prints the constants of src/measure/predicted-memory.ts and
the shares of networks whose peak is within 5, 10 and 20 %.
"""

import gzip
import json
import zlib
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

FOLDS = 8
# Shares differ by a few points with how families fall into folds.
DRAWS = 10
# The largest standard deviation between processes that measured the same network, of five networks.
NOISE = 2e5

SESSION = ["nodes", "kernels", "heldBytes", "blockedCount", "integerConvCount", "integerProductCount"]
LOADING = ["blockedBytes", "largestBlockedBytes", "normedBytes", "largestPlainBytes", "foldedBytes"]
RUNNING = ["base", "pooledBytes", "outputBytes"]


def peak(row):
    return max(row["loadingBytes"], *row["runBytes"])


def terms(row, names):
    return [1e5 if name == "base" else row["terms"][name] for name in names]


def fit(rows, names, target):
    """Non-negative least squares of relative errors; large ones count less, by reweighting."""
    a = np.array([terms(row, names) for row in rows], float)
    b = np.array([target(row) for row in rows], float)
    base = 1 / np.array([peak(row) + NOISE for row in rows])
    weight = base.copy()
    for _ in range(30):
        scaled = a * weight[:, None]
        sizes = np.abs(scaled).max(0) + 1e-30
        x = nnls(scaled / sizes, b * weight)[0] / sizes
        weight = base / np.sqrt(np.maximum(np.abs(a @ x - b) * base, 0.01))
    return x


def loads(row):
    """Whether loading takes more than packing the largest product would: only such rows say what loading takes."""
    product = row["terms"]["largestProductBytes"]
    return product < NOISE / 2 or row["loadingBytes"] - row["sessionBytes"] > 1.15 * product


def constants(rows):
    return (
        fit(rows, SESSION, lambda row: row["sessionBytes"]),
        fit([r for r in rows if loads(r)], LOADING, lambda row: row["loadingBytes"] - row["sessionBytes"]),
        fit(rows, RUNNING, lambda row: max(row["runBytes"]) - row["sessionBytes"]),
    )


def predicted(row, found):
    session, loading, running = found
    most = max(
        np.dot(loading, terms(row, LOADING)),
        row["terms"]["largestProductBytes"],
        np.dot(running, terms(row, RUNNING)),
    )
    return np.dot(session, terms(row, SESSION)) + most


def shares(pairs):
    errors = np.array([abs(told / real - 1) for told, real in pairs])
    near = np.array([abs(told - real) < NOISE for told, real in pairs])
    within = ", ".join(f"{np.mean(errors < limit):.0%} within {limit:.0%}" for limit in (0.05, 0.1, 0.2))
    return f"{within}, {np.mean((errors < 0.1) | near):.0%} within 10% or {NOISE / 1e6} MB"


def main():
    with gzip.open(Path(__file__).with_name("networks.jsonl.gz"), "rt") as lines:
        rows = [json.loads(line) for line in lines]
    for name, names, found in zip(
        ("session", "loading", "running"), (SESSION, LOADING, RUNNING), constants(rows), strict=True
    ):
        print(name, dict(zip(names, (f"{x:.4g}" for x in found), strict=True)))
    pairs = []
    for draw in range(DRAWS):
        folds = [zlib.crc32(f"{draw} {row['family']}".encode()) % FOLDS for row in rows]
        for fold in range(FOLDS):
            found = constants([row for row, own in zip(rows, folds, strict=True) if own != fold])
            pairs += [
                (row, predicted(row, found)) for row, own in zip(rows, folds, strict=True) if own == fold
            ]
    groups = {
        "all": lambda row: True,
        "1 MB and more": lambda row: peak(row) >= 1e6,
        "float, 1 MB and more": lambda row: peak(row) >= 1e6 and not row["quantised"],
        "quantised": lambda row: row["quantised"],
        "files of packages and others": lambda row: row["source"] == "file",
        "timm": lambda row: row["source"] == "timm",
        "spaces": lambda row: row["source"] == "space",
    }
    print(f"families left out, mean of {DRAWS} draws of folds:")
    for name, belongs in groups.items():
        some = [(told, peak(row)) for row, told in pairs if belongs(row)]
        print(f"  {name}: {len(some) // DRAWS} networks, {shares(some)}")


main()
