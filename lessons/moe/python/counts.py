# How many rows each expert gets: a histogram of the choices.
import numpy as np

chosen = np.random.default_rng(1).integers(0, 8, size=2048)
counts = np.bincount(chosen, minlength=8)
by_expert = [(chosen == e).sum() for e in range(8)]  # no atomics
private = sum(np.bincount(block, minlength=8)        # a block counts
              for block in chosen.reshape(8, 256))   # for itself
assert counts.sum() == 2048
assert (counts == by_expert).all() and (counts == private).all()
