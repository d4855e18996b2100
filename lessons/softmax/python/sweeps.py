# Three sweeps over a row; `read` counts the elements that they load.
from math import exp

row, loads = [0.5, 2.0, -1.0, 3.0, 0.0, 1.5], []

def read(i):
    loads.append(i)
    return row[i]

m = max(read(i) for i in range(6))
d = sum(exp(read(i) - m) for i in range(6))
y = [exp(read(i) - m) / d for i in range(6)]
assert len(loads) == 3 * len(row) and abs(sum(y) - 1) < 1e-12
