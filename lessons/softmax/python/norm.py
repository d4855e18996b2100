# RMSNorm: one sum of squares per row, then one factor for all of it.
import numpy as np

rng = np.random.default_rng(1)
x, w = rng.normal(size=(128, 512)), rng.uniform(0.5, 1.5, size=512)
mean_square = (x * x).mean(axis=1, keepdims=True)
y = w * x / np.sqrt(mean_square + 1e-5)
assert np.allclose(((y / w) ** 2).mean(axis=1), 1, atol=1e-4)
