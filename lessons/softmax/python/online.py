# Maximum and sum in one sweep: a pair (m, d) for any part of the row.
from math import exp

def join(a, b):
    m = max(a[0], b[0])
    return m, a[1] * exp(a[0] - m) + b[1] * exp(b[0] - m)

row, pair = [0.5, 2.0, -1.0, 3.0, 0.0], (-1e38, 0.0)
for x in row:
    pair = join(pair, (x, 1.0))
m, d = pair
assert m == max(row) and abs(d - sum(exp(x - m) for x in row)) < 1e-12
