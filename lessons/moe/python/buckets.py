# A choice is dropped if its place within its expert is past capacity.
import numpy as np

chances = np.array([0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])  # a skew
chosen = np.random.default_rng(1).choice(8, size=2048, p=chances)
capacity = int(np.ceil(1.25 * 2048 / 8))
one_hot = np.eye(8, dtype=int)[chosen]
place = (np.cumsum(one_hot, axis=0) - 1)[np.arange(2048), chosen]
dropped = place >= capacity
kept = np.bincount(chosen[~dropped], minlength=8)
assert dropped.any() and kept.max() == capacity
