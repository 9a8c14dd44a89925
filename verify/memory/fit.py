"""Fits the constants of predicted memory to what networks took, and tests them on families that were left out.

Reads networks.jsonl.gz: for each network the resident memory in bytes while its session was made ("loading"), after that
("created") and at the peak of three runs; and what the prediction is made of (see README.md). Prints the constants of
src/measure/predicted-memory.ts and the shares of networks whose peak is within 5, 10 and 20 %.
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


def weights(row, *kinds):
    return sorted((size for kind in kinds for size in row["weights"].get(kind, [])), reverse=True)


def blocked(row):
    return weights(row, "blocked", "blockedN")


def largest(sizes):
    return sizes[0] if sizes else 0


def created_terms(row):
    return [3e5, row["nodes"], row["held"], len(blocked(row))]


def loading_terms(row):
    plain = weights(row, "plain", "plainN")
    return [
        3e5,
        row["nodes"],
        len(blocked(row)),
        row["stored"],
        sum(blocked(row)),
        largest(blocked(row)),
        sum(weights(row, "plainN")),
        largest(plain),
    ]


def running_terms(row):
    return [1e5, row["buffers"], row["outputs"], row["kernels"]]


def peak(row):
    return max(row["loading"], *row["runs"])


def fit(rows, terms, target, scale):
    """Non-negative least squares of relative errors; large ones count less, by reweighting."""
    a = np.array([terms(row) for row in rows], float)
    b = np.array([target(row) for row in rows], float)
    base = 1 / np.array([scale(row) + 2e5 for row in rows])
    weight = base.copy()
    for _ in range(20):
        scaled = a * weight[:, None]
        sizes = np.abs(scaled).max(0) + 1e-30
        x = nnls(scaled / sizes, b * weight)[0] / sizes
        weight = base / np.sqrt(np.maximum(np.abs(a @ x - b) * base, 0.02))
    return x


def packs(row):
    """Whether loading takes more than packing the largest product would: only such rows say what loading takes."""
    product = largest(weights(row, "prod"))
    return row["loading"] - row["created"] > 1.15 * product + 1e5 and not row["unknown"]


def constants(rows):
    both = lambda row: max(row["loading"], row["runs"][2])  # noqa: E731
    return (
        fit(rows, created_terms, lambda row: row["created"], both),
        fit([row for row in rows if packs(row)], loading_terms, lambda row: row["loading"], both),
        fit(
            [row for row in rows if not row["unknown"]],
            running_terms,
            lambda row: row["runs"][2] - row["created"],
            lambda row: row["runs"][2],
        ),
    )


def predicted(row, found):
    created, loading, running = found
    base = np.dot(created, created_terms(row))
    packing = base + largest(weights(row, "prod"))
    return max(np.dot(loading, loading_terms(row)), packing, base + np.dot(running, running_terms(row)))


def distinct(rows):
    """Versions of one file take the same."""
    seen = {(r["loading"] // 200000, r["nodes"], r["stored"], r["runs"][2] // 400000): r for r in reversed(rows)}
    return [row for row in rows if any(row is kept for kept in seen.values())]


def repeats_weights(row):
    """Layers of one size were given the same weights, which the runtime keeps once: not as in a trained network."""
    return row["source"] == "space" and row["family"].startswith(("autoformer", "lts", "hwgpt"))


path = Path(__file__).with_name("networks.jsonl.gz")
everything = distinct([json.loads(line) for line in gzip.open(path, "rt")])
rows = [row for row in everything if not repeats_weights(row) and row["countable"]]
for name, found in zip(("created", "loading", "running"), constants(rows)):
    print(name, np.round(found, 3))

errors = []
for draw in range(DRAWS):
    folds = [zlib.crc32(f"{draw} {row['family']}".encode()) % FOLDS for row in rows]
    for fold in range(FOLDS):
        found = constants([row for row, own in zip(rows, folds) if own != fold])
        errors += [
            (abs(predicted(row, found) / peak(row) - 1), bool(row["unknown"]))
            for row, own in zip(rows, folds)
            if own == fold
        ]
for what, some in {
    "families left out": [e for e, _ in errors],
    "of them without unknown kernels": [e for e, unknown in errors if not unknown],
}.items():
    shares = ", ".join(f"{np.mean(np.array(some) < limit):.0%} within {limit:.0%}" for limit in (0.05, 0.1, 0.2))
    print(f"{what}: {len(some) // DRAWS} networks, {shares} (mean of {DRAWS} draws of folds)")
