# A row's maximum in two stages: in each subgroup, then across them.
import numpy as np

lanes = np.random.default_rng(1).normal(size=128)
words = lanes.reshape(4, 32).max(axis=1)  # one word per subgroup
# One barrier here: all words are written before any is read.
row_max = words.max()                     # each subgroup does this
assert row_max == lanes.max() and len(words) == 4
