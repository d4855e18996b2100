# Each group fills buckets of its own; smaller buckets drop more.
import numpy as np

def drops(chosen, groups, experts=8):
    total = 0
    for part in chosen.reshape(groups, -1):
        counts = np.bincount(part, minlength=experts)
        total += np.maximum(counts - part.size // experts, 0).sum()
    return total

chosen = np.random.default_rng(1).integers(0, 8, size=2048)
assert drops(chosen, 1) < drops(chosen, 4) < drops(chosen, 32)
