# Attention's gradients: five products of matrices.
import numpy as np

n, d = 16, 4
q, k, v, do = np.random.default_rng(1).standard_normal((4, n, d))
def forward(q, k, v):
    p = np.exp(q @ k.T / d**0.5)                   # 1, again
    p /= p.sum(axis=1, keepdims=True)
    return p, p @ v

p, o = forward(q, k, v)
dv, dp = p.T @ do, do @ v.T                        # 2, 3
ds = p * (dp - (do * o).sum(axis=1, keepdims=True))
dq, dk = ds @ k / d**0.5, ds.T @ q / d**0.5        # 4, 5
step = np.zeros((n, d)); step[3, 2] = 1e-6
slope = ((forward(q, k + step, v)[1] - o) * do).sum() / 1e-6
assert abs(slope - dk[3, 2]) < 1e-4
