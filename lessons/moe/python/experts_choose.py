# Each expert takes its best tokens: full buckets, uneven tokens.
import numpy as np

logits = np.random.default_rng(1).normal(size=(1024, 8))
slots = 1024 * 2 // 8
taken = np.argsort(-logits, axis=0)[:slots]  # a column per expert
picks = np.bincount(taken.ravel(), minlength=1024)
assert taken.shape == (256, 8) and picks.mean() == 2
print((picks == 0).sum(), "tokens have 0 experts,", picks.max(), "at most")
