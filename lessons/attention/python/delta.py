# D two ways: over a row of weights, or over a row of the output.
import numpy as np

q, k, v, do = np.random.default_rng(1).standard_normal((4, 64, 8))
p = np.exp(q @ k.T)
p /= p.sum(axis=1, keepdims=True)
o = p @ v
by_weights = (p * (do @ v.T)).sum(axis=1)   # 64 numbers a row
by_output = (do * o).sum(axis=1)            # 8 numbers a row
assert np.allclose(by_weights, by_output)
