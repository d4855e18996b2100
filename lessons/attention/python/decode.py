# Text is made a token at a time; keys and values are kept.
import numpy as np

rng = np.random.default_rng(1)
w_q, w_k, w_v = rng.standard_normal((3, 8, 8))
tokens, keys, values = rng.standard_normal((20, 8)), [], []
for x in tokens:
    keys.append(x @ w_k); values.append(x @ w_v)   # the cache grows
    p = np.exp(np.array(keys) @ (x @ w_q) / 8**0.5 / 8)
    o = p @ np.array(values) / p.sum()             # one query
p = np.exp((tokens @ w_k) @ (tokens[-1] @ w_q) / 8**0.5 / 8)
assert np.allclose(o, p @ (tokens @ w_v) / p.sum())
