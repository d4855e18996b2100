# The bias decides who is chosen; the weights do not know of it.
import numpy as np

rng = np.random.default_rng(1)
affinity = 1 / (1 + np.exp(-rng.normal(size=(500, 8))))
bias = rng.normal(size=8) * 0.1
chosen = np.argsort(-(affinity + bias), axis=1)[:, :2]
own = np.take_along_axis(affinity, chosen, axis=1)
weight = own / own.sum(axis=1, keepdims=True)
leaked = own + bias[chosen]
leaked /= leaked.sum(axis=1, keepdims=True)
assert np.allclose(weight.sum(1), 1) and not np.allclose(weight, leaked)
