# The loss needs no row on the chip: a pair (m, d) and one logit do.
from math import exp, log

def loss(row, wanted):
    m, d = -1e38, 0.0
    for x in row:  # one sweep, a row of any length
        larger = max(m, x)
        m, d = larger, d * exp(m - larger) + exp(x - larger)
    return m + log(d) - row[wanted]

assert abs(loss([0.0, 0.0, 0.0, 0.0], 2) - log(4)) < 1e-12
assert loss([0.0, -200.0], 1) == 200.0
