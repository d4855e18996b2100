# The auxiliary loss E * sum(f * p), and its gradient through p alone.
import numpy as np

rng, E, T, k = np.random.default_rng(1), 8, 1024, 2
logits = rng.normal(size=(T, E)) - np.log(np.arange(1, E + 1))  # a skew
p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
chosen = np.argsort(-logits, axis=1)[:, :k]
f = np.bincount(chosen.ravel(), minlength=E) / chosen.size
loss = E * (f * p.mean(axis=0)).sum()
gradient = p * (E * f - (E * f * p).sum(axis=1, keepdims=True)) / T
# A step against it lowers the logits of the fullest expert.
assert loss > 1 and gradient[:, 0].mean() > 0 > gradient[:, 7].mean()
