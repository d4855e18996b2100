# The row is read once, and everything else uses the copy on the chip.
import numpy as np

x = np.random.default_rng(1).normal(size=(128, 512)).astype(np.float32)
y = np.empty_like(x)
for r in range(len(x)):
    cells = x[r].copy()          # one load per element
    cells = np.exp(cells - cells.max())
    y[r] = cells / cells.sum()   # one store per element
moved = x.nbytes + y.nbytes
assert moved == 8 * x.size and np.allclose(y.sum(1), 1, atol=1e-5)
