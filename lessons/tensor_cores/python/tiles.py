# Two levels: a workgroup's tile of C, and in it the squares of its warps.
import numpy as np

n, tile, warp, step = 256, 128, 64, 32
a, b = np.random.rand(2, n, n)
c = np.zeros((n, n))
for i in range(0, n, tile):
    for j in range(0, n, tile):  # a workgroup
        C = c[i:i+tile, j:j+tile]
        for k in range(0, n, step):  # both tiles to shared memory
            A, B = a[i:i+tile, k:k+step], b[k:k+step, j:j+tile]
            for y in range(0, tile, warp):
                for x in range(0, tile, warp):  # a warp
                    C[y:y+warp, x:x+warp] += A[y:y+warp] @ B[:, x:x+warp]
assert np.allclose(c, a @ b)
