# Causal and padding masks, and a row that is masked in whole.
import numpy as np

n, keys, masked = 6, 4, -1e38
scores = np.random.default_rng(1).standard_normal((n, n))
query, key = np.arange(n)[:, None], np.arange(n)
scores = np.where((key > query) | (key >= keys), masked, scores)
top = scores.max(axis=1, keepdims=True)
p = np.exp(scores - top) * (top > masked)
p /= np.maximum(p.sum(axis=1, keepdims=True), 1e-30)
assert np.allclose(p.sum(axis=1), 1) and p[0, 1] == p[5, 4] == 0
