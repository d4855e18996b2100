# A sum without its factor is right only while m stays.
from math import exp

def total(scores, scaled):
    m, d = -1e38, 0.0
    for s in scores:
        new = max(m, s)
        d = d * (exp(m - new) if scaled else 1) + exp(s - new)
        m = new
    return d

falling, rising = [4.0, 2.0, 0.0], [0.0, 2.0, 4.0]
assert total(falling, False) == total(falling, True)
assert total(rising, False) > 2 * total(rising, True)
