# The online rule on one row: m, d and o, a tile at a time.
from math import exp

scores, values = [1.0, 2.0, 4.0, 0.0], [10.0, 20.0, 30.0, 40.0]
m, d, o = -1e38, 0.0, 0.0
for first in (0, 2):  # tiles of two keys
    s, v = scores[first:first + 2], values[first:first + 2]
    new = max(m, *s)
    d, o, m = d * exp(m - new), o * exp(m - new), new
    d += sum(exp(x - m) for x in s)
    o += sum(exp(x - m) * y for x, y in zip(s, v))
right = sum(exp(s) * v for s, v in zip(scores, values))
assert abs(o / d - right / sum(map(exp, scores))) < 1e-12
