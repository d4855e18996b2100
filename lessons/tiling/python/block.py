# A lane with a block of sums adds an outer product per step of the depth.
import numpy as np

TM, TN, depth = 8, 16, 32
a, b = np.random.rand(TM, depth), np.random.rand(depth, TN)
sums, reads = np.zeros((TM, TN)), 0
for k in range(depth):
    a_values, b_values = a[:, k], b[k, :]  # into registers
    sums += np.outer(a_values, b_values)
    reads += TM + TN
assert np.allclose(sums, a @ b)
print(f"{TM * TN * depth / reads:.2f} products per read")
