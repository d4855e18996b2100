# Parts of d_q, added in the order in which blocks happen to end.
import numpy as np

rng = np.random.default_rng(1)
parts = rng.standard_normal((64, 1000)).astype(np.float32)
def total(order):
    sums = np.zeros(1000, np.float32)
    for block in order:
        sums += parts[block]
    return sums

one, other = total(range(64)), total(rng.permutation(64))
assert (one != other).any() and np.allclose(one, other, atol=1e-4)
# torch.use_deterministic_algorithms(True) asks for one order.
