"""Golden values of searches in latent space: SciPy, scikit-learn and PyTorch -> src/search/latent/fixtures/latent-search.json."""
import json
from pathlib import Path

import numpy as np
import torch
from scipy import optimize, stats
from sklearn.linear_model import BayesianRidge

OUT = Path(__file__).parents[2] / "src/search/latent/fixtures/latent-search.json"
rng = np.random.default_rng(5)
torch.set_default_dtype(torch.float64)
torch.manual_seed(5)


def rounded(x):
    return np.asarray(x, dtype=np.float64).reshape(-1).round(12).tolist()


def nelder_mead():
    f = lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2
    found = optimize.fmin(f, [-1.2, 0.0], disp=False, full_output=True)
    return {"start": [-1.2, 0.0], "x": found[0].tolist(), "value": float(found[1]), "calls": int(found[3])}


def regression():
    x = rng.normal(size=(30, 4)).round(3)
    y = (x @ [0.5, -1.0, 0.0, 2.0] + 0.3 * rng.normal(size=30)).round(3)
    new = rng.normal(size=(3, 4)).round(3)

    def evidence(theta):
        # The density of y itself, N(0, ΦΦᵀ/α + I/β): no formula in common with ours.
        cov = x @ x.T / np.exp(theta[0]) + np.eye(30) * np.exp(theta[1])
        return stats.multivariate_normal(np.zeros(30), cov).logpdf(y)

    ridge = BayesianRidge(fit_intercept=False, tol=1e-12, max_iter=10_000, alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0)
    ridge.fit(x, y)
    mean, std = ridge.predict(new, return_std=True)
    thetas = [[0.0, -3.0], [1.2, 0.4], [-2.0, -1.0]]
    return {
        "x": rounded(x), "y": rounded(y), "new": rounded(new),
        "evidence": [{"theta": t, "value": float(evidence(t))} for t in thetas],
        "alpha": float(ridge.lambda_), "beta": float(ridge.alpha_),
        "mean": rounded(mean), "variance": rounded(std**2),
    }


def improvement():
    cases = []
    for mean, spread, best in [(0.93, 0.02, 0.95), (0.96, 0.01, 0.95), (0.5, 0.1, 0.95), (1.0, 3.0, -2.0), (0.2, 0.05, 0.95)]:
        u = (mean - best) / spread
        cases.append({"mean": mean, "spread": spread, "best": best,
                      "value": float(spread * (stats.norm.pdf(u) + u * stats.norm.cdf(u)))})
    return cases


def basis():
    inputs, units, rows, size, epochs, rate = 3, 5, 12, 4, 10, 0.01
    x, y = torch.randn(rows, inputs).round(decimals=3), torch.randn(rows).round(decimals=3)
    hidden, out = torch.nn.Linear(inputs, units), torch.nn.Linear(units, 1)
    parts = [hidden.weight, hidden.bias, out.weight, out.bias]
    flat = lambda: torch.cat([p.detach().reshape(-1) for p in parts])
    first = flat()
    adam = torch.optim.Adam(parts, lr=rate)
    gradient = None
    for _ in range(epochs):
        for at in range(0, rows - size + 1, size):
            adam.zero_grad()
            loss = ((out(torch.tanh(hidden(x[at:at + size]))).reshape(-1) - y[at:at + size]) ** 2).mean()
            loss.backward()
            if gradient is None:
                gradient = torch.cat([p.grad.reshape(-1) for p in parts])
            adam.step()
    return {"inputs": inputs, "units": units, "size": size, "epochs": epochs, "rate": rate,
            "x": rounded(x), "y": rounded(y), "first": rounded(first), "gradient": rounded(gradient),
            "last": rounded(flat())}


def policy():
    width, units, count = 3, 4, 5
    cell, out = torch.nn.LSTMCell(width, units), torch.nn.Linear(units, width)
    states, actions = torch.randn(count, width).round(decimals=3), torch.randn(count, width).round(decimals=3)
    advantages = torch.randn(count).round(decimals=3)
    state, means, losses = None, [], []
    for t in range(count):
        state = cell(states[t:t + 1], state)
        mean = out(state[0])
        means.append(mean.detach().reshape(-1))
        normal = torch.distributions.MultivariateNormal(mean, torch.eye(width))
        losses.append(-normal.log_prob(actions[t:t + 1]).mean() * advantages[t])
    torch.stack(losses).mean().backward()
    flat = lambda of: torch.cat([of(p).reshape(-1) for p in (cell.weight_ih, cell.weight_hh)] + [
        of(cell.bias_ih) if of is grad else (cell.bias_ih + cell.bias_hh).detach(), of(out.weight).reshape(-1), of(out.bias)])
    return {"width": width, "units": units, "states": rounded(states), "actions": rounded(actions),
            "advantages": rounded(advantages), "weights": rounded(flat(value)), "means": rounded(torch.stack(means)),
            "gradient": rounded(flat(grad))}


def value(p):
    return p.detach()


def grad(p):
    return p.grad


OUT.parent.mkdir(parents=True, exist_ok=True)
OUT.write_text(json.dumps({
    "nelderMead": nelder_mead(), "regression": regression(), "improvement": improvement(), "basis": basis(), "policy": policy(),
}) + "\n")
