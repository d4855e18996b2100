# Dispatch gathers rows, and combine gathers them back; no atomics.
import numpy as np

rng, k = np.random.default_rng(1), 2
x, chosen = rng.normal(size=(1024, 64)), rng.integers(0, 8, 1024 * k)
source = np.argsort(chosen, kind="stable")
row_of = np.argsort(source)
rows = x[source // k]                                # dispatch
weight = np.ones(1024 * k)
y = (weight[:, None] * rows[row_of]).reshape(1024, k, 64).sum(axis=1)
assert np.allclose(y, k * x)
