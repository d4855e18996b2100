# A product of N x N matrices loads each element of A and B N times.
from collections import Counter

N = 8
loads = Counter()
for i in range(N):
    for j in range(N):  # a thread for each element of C
        for k in range(N):
            loads["A", i, k] += 1
            loads["B", k, j] += 1
assert set(loads.values()) == {N}
print(f"{sum(loads.values())} loads of {len(loads)} elements")
