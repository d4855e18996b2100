# Blocks of queries, tiles of keys: each tile serves a whole block.
import numpy as np

def attend(q, k, v, block=16):
    o = np.empty_like(q)
    for i in range(0, len(q), block):          # a workgroup each
        m, d, out = np.full((block, 1), -1e38), 0, 0
        for j in range(0, len(k), block):      # tiles of keys, values
            s = q[i:i + block] @ k[j:j + block].T / q.shape[1]**0.5
            new = np.maximum(m, s.max(axis=1, keepdims=True))
            p, factor = np.exp(s - new), np.exp(m - new)
            d = d * factor + p.sum(axis=1, keepdims=True)
            out, m = out * factor + p @ v[j:j + block], new
        o[i:i + block] = out / d
    return o

q, k, v = np.random.default_rng(1).standard_normal((3, 64, 8))
p = np.exp(q @ k.T / 8**0.5)
assert np.allclose(attend(q, k, v), p @ v / p.sum(axis=1, keepdims=True))
