"""Writes what PyTorch, PyTorch Geometric and SciPy make of GENNAPE's models: the fixtures of their tests.

    python verify/golden/gennape.py src

nn/fixtures/packed-graphs.json            layers on packed graphs, linear attention
predictors/models/fixtures/gennape.json   k-GNN, GCN and GIN on computation graphs; the contrastive encoder and its loss
predictors/views/computation-graph/fixtures/spectra.json   smallest eigenvalues of normalised Laplacians

Cases have the same fields as those of verify/golden/nn.py, in float64. Nothing is packed here: every graph goes alone
through the layers of PyTorch Geometric (GraphConv, GCNConv, GINConv), and through an attention that is a matrix of all
pairs of its nodes. Only inputs and what dropout keeps are in the layout of packed batches.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from nn import Case, record, written_case
from scipy.sparse.csgraph import laplacian
from torch import nn
from torch.func import functional_call
from torch.nn import functional as F
from torch_geometric.nn import GCNConv, GINConv, GraphConv

torch.set_default_dtype(torch.float64)

# Nodes with weights, which come first, other nodes, and edges.
GRAPHS = [
    (2, 3, [(0, 1), (1, 3), (2, 0), (3, 4), (0, 3)]),
    (3, 6, [(3, 0), (0, 4), (4, 1), (4, 2), (1, 5), (2, 5), (4, 5), (5, 6), (6, 7), (7, 8)]),
    (0, 2, [(0, 1)]),
]
PADDED = {"weighted": 2, "regular": 1, "edges": 3, "blocks": 2}
BLOCK, LABELS, KERNELS, SIZES = 4, 6, 8, 6


# --- the layout of packed batches --------------------------------------------------------------


class Layout:
    """Where the nodes of every graph are: weighted ones of all graphs, padding, regular ones, padding."""

    def __init__(self):
        self.weighted = sum(w for w, _, _ in GRAPHS) + PADDED["weighted"]
        self.regular = sum(r for _, r, _ in GRAPHS) + PADDED["regular"]
        self.nodes = self.weighted + self.regular
        self.places, self.blocks = [], []
        first, second, block = 0, self.weighted, 0
        for w, r, _ in GRAPHS:
            self.places.append([*range(first, first + w), *range(second, second + r)])
            first, second = first + w, second + r
            count = -(-(w + r) // BLOCK)
            self.blocks.append(list(range(block, block + count)))
            block += count
        self.block_count = block + PADDED["blocks"]

    def lists(self, case):
        """Gives the case the lists of the layout."""
        graph = [len(GRAPHS)] * self.nodes
        edges = []
        for b, ((_, _, own), places) in enumerate(zip(GRAPHS, self.places)):
            for place in places:
                graph[place] = b
            edges += [(places[i], places[j]) for i, j in own]
        edges += [(self.nodes - 1, self.nodes - 1)] * PADDED["edges"]
        case.given("counts", torch.tensor([[float(w + r)] for w, r, _ in GRAPHS]))
        case.given("from", [i for i, _ in edges])
        case.given("to", [j for _, j in edges])
        case.given("graph", graph)

    def block_lists(self, case):
        nodes = torch.full((self.block_count, BLOCK), self.nodes - 1)
        presence = torch.zeros(self.block_count, BLOCK)
        graph = torch.full((self.block_count,), len(GRAPHS))
        for b, (places, blocks) in enumerate(zip(self.places, self.blocks)):
            graph[blocks] = b
            for i, place in enumerate(places):
                nodes[blocks[i // BLOCK], i % BLOCK] = place
                presence[blocks[i // BLOCK], i % BLOCK] = 1
        case.given("blockNodes", nodes)
        case.given("presence", presence)
        case.given("blockGraph", graph)

    def of_graph(self, b, blocked):
        """The rows of a graph's nodes from (blocks, BLOCK, …)."""
        return blocked[self.blocks[b]].flatten(0, 1)[: len(self.places[b])]


LAYOUT = Layout()


def edges_of(b):
    return torch.tensor(GRAPHS[b][2]).T


# --- layers, their parameters under our names --------------------------------------------------


def dense(case, name, width, out):
    """A layer of PyTorch as a function: (…, width) → (…, out)."""
    weight = case.parameter(f"{name}weight", width, out, low=-0.5, high=0.5)
    bias = case.parameter(f"{name}bias", out)
    return lambda x: F.linear(x, weight.T, bias)


def convolution(case, kind, name, width, out):
    """A layer of PyTorch Geometric as a function of nodes and edges."""
    bounds = {"low": -0.5, "high": 0.5}
    if kind == "k-gnn":
        layer = GraphConv(width, out, aggr="add")
        state = {
            "lin_root.weight": case.parameter(f"{name}root.weight", width, out, **bounds).T,
            "lin_rel.bias": case.parameter(f"{name}root.bias", out),
            "lin_rel.weight": case.parameter(f"{name}neighbours.weight", width, out, **bounds).T,
        }
    elif kind == "gcn":
        layer = GCNConv(width, out)
        state = {
            "lin.weight": case.parameter(f"{name}weight", width, out, **bounds).T,
            "bias": case.parameter(f"{name}bias", out),
        }
    else:
        layer = GINConv(nn.Sequential(nn.Linear(width, out), nn.ReLU(), nn.Linear(out, out)), train_eps=True)
        state = {"eps": case.parameter(f"{name}eps").reshape(1)}
        for place, (theirs, inner) in enumerate([("0", width), ("2", out)]):
            state[f"nn.{theirs}.weight"] = case.parameter(f"{name}mlp.{place}.weight", inner, out, **bounds).T
            state[f"nn.{theirs}.bias"] = case.parameter(f"{name}mlp.{place}.bias", out)
    assert {k: v.shape for k, v in layer.state_dict().items()} == {k: v.shape for k, v in state.items()}
    return lambda x, edges: functional_call(layer, state, (x, edges))


def attention(case, name, width, heads):
    """Linear attention with elu + 1, by the matrix of all pairs: (n, d) → (n, d)."""
    qkv, out = dense(case, f"{name}qkv.", width, 3 * width), dense(case, f"{name}out.", width, width)

    def attend(x):
        h = width // heads
        q, k, v = qkv(x).chunk(3, -1)
        found = []
        for head in range(heads):
            part = slice(head * h, (head + 1) * h)
            weights = (F.elu(q[:, part]) + 1) @ (F.elu(k[:, part]) + 1).T
            found.append(weights / (weights.sum(1, keepdim=True) + 1e-6) @ v[:, part])
        return out(torch.cat(found, 1))

    return attend


def norm(case, name, width):
    weight, bias = case.parameter(f"{name}weight", width, low=0.5, high=1.5), case.parameter(f"{name}bias", width)
    return lambda x: F.layer_norm(x, (width,), weight, bias, eps=1e-5)


# --- layers alone ------------------------------------------------------------------------------


def layer_alone(case, kind):
    LAYOUT.lists(case)
    x = case.input("x", LAYOUT.nodes, 3)
    layer = convolution(case, kind, "", 3, 2)
    return torch.stack([layer(x[places], edges_of(b)).mean(0) for b, places in enumerate(LAYOUT.places)])


def attention_alone(case):
    LAYOUT.lists(case)
    LAYOUT.block_lists(case)
    x = case.input("x", LAYOUT.block_count, BLOCK, 6)
    attend = attention(case, "", 6, 2)
    return torch.stack([attend(LAYOUT.of_graph(b, x)).sum(0) for b in range(len(GRAPHS))])


# --- models ------------------------------------------------------------------------------------


def embedded(case):
    """The nodes of every graph as vectors of 32 numbers."""
    w, r = LAYOUT.weighted, LAYOUT.regular
    real = {"weighted": [p for places in LAYOUT.places for p in places if p < w]}
    real["regular"] = [p - w for places in LAYOUT.places for p in places if p >= w]

    def codes(name, kind, count, *dims, most):
        """Random ones; 0 in padding."""
        drawn = torch.randint(most, (count, *dims), generator=case.random)
        kept = torch.zeros(count, dtype=torch.int64)
        kept[real[kind]] = 1
        return case.given(name, drawn * kept.view(-1, *[1] * len(dims)))

    weighted_ops = codes("weightedOps", "weighted", w, most=LABELS)
    regular_ops = codes("regularOps", "regular", r, most=LABELS)
    kernels = codes("kernels", "weighted", w, 2, most=KERNELS)
    biased = torch.randint(2, (w,), generator=case.random)
    bias = case.given("bias", F.one_hot(biased, 2).to(torch.float64))
    weighted_sizes = case.input("weightedSizes", w, SIZES, low=0)
    regular_sizes = case.input("regularSizes", r, SIZES, low=0)
    first = torch.cat(
        [
            F.embedding(weighted_ops, case.parameter("node.weighted.op.weight", LABELS, 14)),
            dense(case, "node.weighted.sizes.", SIZES, 8)(weighted_sizes),
            F.embedding(kernels[:, 0], case.parameter("node.weighted.kernel.0.weight", KERNELS, 4)),
            F.embedding(kernels[:, 1], case.parameter("node.weighted.kernel.1.weight", KERNELS, 4)),
            dense(case, "node.weighted.bias.", 2, 2)(bias),
        ],
        1,
    )
    second = torch.cat(
        [
            F.embedding(regular_ops, case.parameter("node.regular.op.weight", LABELS, 24)),
            dense(case, "node.regular.sizes.", SIZES, 8)(regular_sizes),
        ],
        1,
    )
    both = torch.cat([first, second])
    return [both[places] for places in LAYOUT.places]


def convolved(case, kind, name, graphs, width, layers):
    for i in range(layers):
        layer = convolution(case, kind, f"{name}layer.{i}.", graphs[0].shape[1], width)
        graphs = [torch.tanh(layer(x, edges_of(b))) for b, x in enumerate(graphs)]
    return torch.stack([x.mean(0) for x in graphs])


def baseline(case, kind, width=6, layers=2):
    LAYOUT.lists(case)
    y = convolved(case, kind, "", embedded(case), width, layers)
    head = [dense(case, f"head.{i}.", width, width) for i in range(4)]
    y = F.relu(head[1](head[0](y)))
    return dense(case, "head.4.", width, 2)(head[3](head[2](y)))


WIDTH, LAYERS, HEADS, HIDDEN, RATE, PASSES = 6, 2, 2, 5, 0.25, 2


class Kept:
    """What dropout multiplies by, in the order in which a step asks for it."""

    def __init__(self, case):
        self.sizes = [LAYOUT.block_count * BLOCK * d for _ in range(PASSES) for d in (WIDTH, HIDDEN, WIDTH)]
        # Sites begin one behind the other, all a little later than at 0.
        offsets = [3 + sum(self.sizes[:i]) for i in range(len(self.sizes))]
        table = (case.draw(offsets[-1] + self.sizes[-1] + 2, low=0) >= RATE) / (1 - RATE)
        self.offsets = case.given("noise.offsets", offsets)
        self.table = case.given(f"noise.keep.{RATE}", table)

    def at(self, site, b, width):
        start = int(self.offsets[site])
        blocked = self.table[start : start + self.sizes[site]].reshape(LAYOUT.block_count, BLOCK, width)
        return LAYOUT.of_graph(b, blocked)


def encoder(case, kept=None):
    """Embeddings of all graphs, once or once for every pass of dropout."""
    LAYOUT.lists(case)
    LAYOUT.block_lists(case)
    graphs = embedded(case)
    means = convolved(case, "k-gnn", "gnn.", graphs, WIDTH, LAYERS)
    into = dense(case, "transformer.into.", 32, WIDTH)
    attend = attention(case, "transformer.attention.", WIDTH, HEADS)
    norms = [norm(case, f"transformer.norm.{i}.", WIDTH) for i in range(2)]
    hidden = dense(case, "transformer.hidden.", WIDTH, HIDDEN)
    out = dense(case, "transformer.out.", HIDDEN, WIDTH)
    passes = []
    for p in range(1 if kept is None else PASSES):
        rows = []
        for b, nodes in enumerate(graphs):
            keep = [1.0 if kept is None else kept.at(3 * p + i, b, d) for i, d in enumerate((WIDTH, HIDDEN, WIDTH))]
            x = into(nodes)
            y = norms[0](x + attend(x) * keep[0])
            z = norms[1](y + out(F.relu(hidden(y)) * keep[1]) * keep[2])
            rows.append(z.mean(0))
        passes.append(torch.cat([means, torch.stack(rows)], 1))
    return passes


def loss(case, sign, temperature=0.2, alpha_temperature=0.5, flops_weight=0.3):
    """As it is printed, sum by sum, but for the mean over the rows."""
    distances = case.draw(len(GRAPHS), len(GRAPHS), low=0, high=1.5)
    distances = torch.triu(distances, 1) + torch.triu(distances, 1).T
    case.given("distances", distances)
    flops = case.given("flops", case.draw(len(GRAPHS), 1))
    embedding = torch.cat(encoder(case, Kept(case)))
    width = embedding.shape[1]
    z = dense(case, "projection.1.", width, 4)(F.relu(dense(case, "projection.0.", width, width)(embedding)))
    z = F.normalize(z, dim=1)
    count = len(z)
    total = 0.0
    for i in range(count):
        others = [j for j in range(count) if j != i]
        sigma = torch.stack([distances[i % len(GRAPHS), j % len(GRAPHS)] for j in others])
        alpha = torch.softmax(sign * sigma / alpha_temperature, 0)
        scores = torch.stack([torch.dot(z[i], z[j]) / temperature for j in others])
        total = total - (alpha * torch.log(scores.exp() / scores.exp().sum())).sum()
    told = dense(case, "flops.1.", WIDTH, 1)(F.relu(dense(case, "flops.0.", width, WIDTH)(embedding)))
    return total / count + flops_weight * F.mse_loss(told, torch.cat([flops, flops]))


# --- spectra -----------------------------------------------------------------------------------


def random_edges(seed, nodes, edges):
    random = np.random.default_rng(seed)
    return [sorted(random.choice(nodes, 2, replace=False).tolist()) for _ in range(edges)]


def spectra():
    graphs = {
        "one node": (1, []),
        "two nodes": (2, [[0, 1]]),
        "a path": (24, [[i, i + 1] for i in range(23)]),
        "twenty-one nodes": (21, random_edges(1, 21, 30)),
        "edges in both directions, repeated, to itself": (5, [[0, 1], [1, 0], [1, 2], [1, 2], [3, 3], [2, 3], [4, 0]]),
        "parts, and nodes without edges": (26, random_edges(2, 20, 16)),
        "many nodes": (60, random_edges(3, 60, 110)),
    }
    found = {}
    for name, (nodes, edges) in graphs.items():
        adjacency = np.zeros((nodes, nodes))
        for i, j in edges:
            if i != j:
                adjacency[i, j] = adjacency[j, i] = 1
        values = np.linalg.eigvalsh(laplacian(adjacency, normed=True))[:21]
        # Where there are fewer, the largest that a normalised Laplacian can have.
        values = np.concatenate([np.clip(values, 0, None), np.full(21 - len(values), 2.0)])
        found[name] = {
            "nodes": nodes,
            "edges": np.ravel(edges).astype(int).tolist(),
            "eigenvalues": [float(f"{value:.12g}") if value > 1e-13 else 0 for value in values],
        }
    return found


# --- writing -----------------------------------------------------------------------------------


def recorded(name, compute, *given):
    case = Case(name)
    return record(case, compute(case, *given))


def write_cases(path, cases):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = ",\n".join(written_case(name, parts) for name, parts in cases.items())
    path.write_text('{\n "cases": {\n%s\n }\n}\n' % text)
    print(f"{path}: {len(cases)} cases, {path.stat().st_size} bytes")


def main(root):
    kinds = ["k-gnn", "gcn", "gin"]
    alone = {kind: recorded(f"{kind} alone", layer_alone, kind) for kind in kinds}
    alone["attention"] = recorded("attention", attention_alone)
    write_cases(root / "nn/fixtures/packed-graphs.json", alone)
    models = {kind: recorded(kind, baseline, kind) for kind in kinds}
    models["encoder"] = recorded("encoder", lambda case: encoder(case)[0])
    models["encoder, two passes"] = recorded(
        "encoder, two passes", lambda case: torch.cat(encoder(case, Kept(case)))
    )
    models["loss, similar"] = recorded("loss, similar", loss, -1)
    models["loss, printed"] = recorded("loss, printed", loss, 1)
    write_cases(root / "predictors/models/fixtures/gennape.json", models)
    path = root / "predictors/views/computation-graph/fixtures/spectra.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f" {json.dumps(name)}: {json.dumps(graph, separators=(',', ':'))}" for name, graph in spectra().items()]
    path.write_text("{\n%s\n}\n" % ",\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
