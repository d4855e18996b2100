# The vector-Jacobian product needs a dot product, and no matrix.
import numpy as np

rng = np.random.default_rng(1)
e = np.exp(rng.normal(size=512))
y, g = e / e.sum(), rng.normal(size=512)
J = np.diag(y) - np.outer(y, y)      # 512 x 512 entries
dx = y * (g - y @ g)                 # 512 of them
assert np.allclose(J @ g, dx) and abs(dx.sum()) < 1e-12
