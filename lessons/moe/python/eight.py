# A token's result: the sum of its k experts' results, each weighted.
import numpy as np

rng = np.random.default_rng(1)
x, router = rng.normal(size=64), rng.normal(size=(64, 8)) / 8
experts = rng.normal(size=(8, 64, 64)) / 8  # one matrix each, for short
logits = x @ router
weight = np.exp(logits) / np.exp(logits).sum()
chosen = np.argsort(-logits)[:2]
y = sum(weight[e] * (x @ experts[e]) for e in chosen)
print("experts", chosen, "of 8; their weights", weight[chosen].round(3))
