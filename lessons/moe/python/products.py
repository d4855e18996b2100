# A grouped GEMM: the experts' products, one after the other.
import numpy as np

rng = np.random.default_rng(1)
counts = np.bincount(rng.integers(0, 8, 2048), minlength=8)
starts = np.concatenate([[0], np.cumsum(counts)])
rows, w = rng.normal(size=(2048, 64)), rng.normal(size=(8, 64, 128))
result = np.empty((2048, 128))
for e in range(8):  # a loop of launches on a GPU
    result[starts[e]:starts[e + 1]] = rows[starts[e]:starts[e + 1]] @ w[e]
needed, grid = sum(-(-counts // 64)), 8 * (2048 // 64)
print(needed, "row tiles have rows, of", grid, "in the worst case's grid")
