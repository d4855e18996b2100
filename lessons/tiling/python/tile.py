# A product by tiles, with zeros beyond the edges; counts loaded elements.
import numpy as np

N, T = 50, 16
P = -(-N // T) * T  # N, rounded up to whole tiles
a, b = np.random.rand(2, N, N)
A, B = (np.pad(x, (0, P - N)) for x in (a, b))
C, loaded = np.zeros((P, P)), 0
for i in range(0, P, T):
    for j in range(0, P, T):  # a workgroup
        for k in range(0, P, T):
            C[i:i+T, j:j+T] += A[i:i+T, k:k+T] @ B[k:k+T, j:j+T]
            loaded += (min(T, N-i) + min(T, N-j)) * min(T, N-k)
assert np.allclose(C[:N, :N], a @ b) and loaded == 2 * N * N * (P // T)
