# The online rule with an output: (m, d, o), a tile of scores at a time.
from math import exp

scores, values = [1.0, 3.0, 5.0, 2.0], [10.0, 20.0, 30.0, 40.0]
m, d, o = -1e38, 0.0, 0.0
for first in range(0, 4, 2):  # tiles of two scores
    tile = range(first, first + 2)
    larger = max([m] + [scores[j] for j in tile])
    d, o, m = d * exp(m - larger), o * exp(m - larger), larger
    d += sum(exp(scores[j] - m) for j in tile)
    o += sum(exp(scores[j] - m) * values[j] for j in tile)
right = sum(exp(s) * v for s, v in zip(scores, values))
assert abs(o / d - right / sum(map(exp, scores))) < 1e-12
