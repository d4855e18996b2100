# A product by squares of 16 x 16: f16 factors, and sums in f32.
import numpy as np

def multiply_add(a, b, c):  # one operation of a warp
    return a.astype(np.float32) @ b.astype(np.float32) + c

n = 64
a, b = np.random.rand(2, n, n).astype(np.float16)
c = np.zeros((n, n), np.float32)
for i in range(0, n, 16):
    for j in range(0, n, 16):  # a warp
        at = (slice(i, i + 16), slice(j, j + 16))
        for k in range(0, n, 16):
            c[at] = multiply_add(a[at[0], k:k+16], b[k:k+16, at[1]], c[at])
assert np.allclose(c, a.astype(float) @ b.astype(float), rtol=1e-4)
