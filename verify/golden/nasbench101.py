"""Hashes of NAS-Bench-101 cells with Python's hashlib, for src/spaces/cells/nasbench101.test.ts.

The rule is that of the benchmark: labels input -1, output -2, conv3x3 0, conv1x1 1, maxpool 2; first hashes of
(out-degree, in-degree, label), then as many rounds as vertices over sorted neighbours.
"""
import hashlib

CELLS = [
    "2:1:",
    "3:101:maxpool3x3",
    "4:110011:conv1x1-bn-relu,conv3x3-bn-relu",
    "5:1100010111:conv3x3-bn-relu,maxpool3x3,conv1x1-bn-relu",
    "7:111100000010001001101:conv3x3-bn-relu,conv1x1-bn-relu,maxpool3x3,conv3x3-bn-relu,conv3x3-bn-relu",
]
LABELS = {"conv3x3-bn-relu": 0, "conv1x1-bn-relu": 1, "maxpool3x3": 2}


def md5(text):
    return hashlib.md5(text.encode()).hexdigest()


def cell_hash(text):
    count, bits, ops = text.split(":")
    n = int(count)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    edges = {pair for pair, bit in zip(pairs, bits) if bit == "1"}
    labels = [-1] + [LABELS[op] for op in ops.split(",") if op] + [-2]
    before = [{i for i in range(n) if (i, j) in edges} for j in range(n)]
    after = [{j for j in range(n) if (i, j) in edges} for i in range(n)]
    hashes = [md5(str((len(after[v]), len(before[v]), labels[v]))) for v in range(n)]
    for _ in range(n):
        joined = ["".join(sorted(hashes[w] for w in before[v])) + "|"
                  + "".join(sorted(hashes[w] for w in after[v])) + "|" + hashes[v] for v in range(n)]
        hashes = [md5(text) for text in joined]
    return md5(str(sorted(hashes)))


for cell in CELLS:
    print(cell, cell_hash(cell))
