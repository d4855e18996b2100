# How many of 64 tiles raise m? The t-th does in one row of t.
import random

random.seed(1)
def raised(tiles=64, size=8):
    m, grew = -1e38, 0
    for _ in range(tiles):
        larger = max(m, *(random.random() for _ in range(size)))
        m, grew = larger, grew + (larger > m)
    return grew

mean = sum(raised() for _ in range(500)) / 500
assert abs(mean - sum(1 / t for t in range(1, 65))) < 0.4
