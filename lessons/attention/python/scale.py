# The greatest of 64 weights, with and without the division.
import numpy as np

rng = np.random.default_rng(1)
def greatest(d, scale):
    q, k = rng.standard_normal((64, d)), rng.standard_normal((64, d))
    s = scale * (q @ k.T)
    p = np.exp(s - s.max(axis=1, keepdims=True))
    return (p / p.sum(axis=1, keepdims=True)).max(axis=1).mean()

for d in (8, 32, 128):
    print(d, greatest(d, d**-0.5), greatest(d, 1))
assert greatest(128, 128**-0.5) < 0.3 < 0.8 < greatest(128, 1)
