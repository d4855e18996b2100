# Chunks of a cache, joined by m, d and o.
import numpy as np

rng = np.random.default_rng(1)
s, v = 5 * rng.standard_normal(100), rng.standard_normal((100, 8))
parts = []
for s_c, v_c in zip(np.array_split(s, 4), np.array_split(v, 4)):
    p = np.exp(s_c - s_c.max())
    parts.append((s_c.max(), p.sum(), p @ v_c))
m = max(part[0] for part in parts)
d = sum(np.exp(m_c - m) * d_c for m_c, d_c, _ in parts)
o = sum(np.exp(m_c - m) * o_c for m_c, _, o_c in parts) / d
p = np.exp(s - s.max())
assert np.allclose(o, p @ v / p.sum())
