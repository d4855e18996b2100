# Weights rounded to 16 bits: the error of an output.
import numpy as np

rng = np.random.default_rng(1)
s, v = rng.standard_normal((64, 512)), rng.standard_normal((512, 8))
p = np.exp(s - s.max(axis=1, keepdims=True))
right = p @ v / p.sum(axis=1, keepdims=True)
rounded = p.astype(np.float16).astype(float) @ v
error = abs(rounded / p.sum(axis=1, keepdims=True) - right).max()
print(error)
assert error < 2**-11
