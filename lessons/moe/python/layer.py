# SwiGLU: the left half of the hidden row, bent, times the right half.
import numpy as np

rng, d, f = np.random.default_rng(1), 64, 128
x = rng.normal(size=(32, d))
w_up = rng.normal(size=(d, 2 * f)) / d**0.5
w_down = rng.normal(size=(f, d)) / f**0.5
left, right = np.split(x @ w_up, 2, axis=1)
hidden = left / (1 + np.exp(-left)) * right
y = hidden @ w_down
assert hidden.shape == (32, f) and y.shape == x.shape
