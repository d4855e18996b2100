# The router is one small product; the experts do nearly all the work.
import numpy as np

tokens, d, f, experts, k = 1024, 64, 128, 8, 2
rng = np.random.default_rng(1)
x, w = rng.normal(size=(tokens, d)), rng.normal(size=(d, experts))
logits = x @ w
router = 2 * tokens * d * experts
work = 6 * tokens * k * d * f  # three matrices per expert
assert logits.shape == (tokens, experts)
print(f"{router / work:.1%} of the experts' operations")
