# Query heads in groups: head h uses keys and values h // group.
import numpy as np

heads, kv_heads, n, d = 8, 2, 32, 4
rng = np.random.default_rng(1)
q = rng.standard_normal((heads, n, d))
k, v = rng.standard_normal((2, kv_heads, n, d))
group = heads // kv_heads
p = np.exp(q @ np.repeat(k, group, axis=0).transpose(0, 2, 1) / d**0.5)
o = p / p.sum(axis=2, keepdims=True) @ np.repeat(v, group, axis=0)
one = np.exp(q[5] @ k[5 // group].T / d**0.5)
assert np.allclose(o[5], one / one.sum(axis=1, keepdims=True) @ v[1])
# torch: scaled_dot_product_attention(q, k, v, enable_gqa=True)
