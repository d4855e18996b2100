# Attention of one query: no row of scores is ever whole.
import numpy as np

def attend(q, k, v, tile=32):
    m, d, o = -1e38, 0.0, np.zeros(v.shape[1])
    for first in range(0, len(k), tile):
        s = k[first:first + tile] @ q / len(q)**0.5
        new = max(m, s.max())
        p, factor = np.exp(s - new), np.exp(m - new)
        d, m = d * factor + p.sum(), new
        o = o * factor + p @ v[first:first + tile]
    return o / d

q, k, v = np.random.default_rng(1).standard_normal((3, 100, 8))
p = np.exp(k @ q[0] / 8**0.5)
assert np.allclose(attend(q[0], k, v), p @ v / p.sum())
