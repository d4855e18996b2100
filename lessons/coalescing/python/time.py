# A count and a time of one copy: only the count repeats exactly.
from array import array
from time import perf_counter

n, stride = 1 << 16, 4
src = array("f", bytes(4 * n * stride))
for _ in range(5):
    sectors = n // 32 * min(4 * stride, 32)
    start = perf_counter()
    dst = src[:n * stride:stride]       # on a CPU
    seconds = perf_counter() - start
    assert len(dst) == n and sectors == 32768
    print(sectors, f"sectors, {8 * n / seconds:.3g} useful bytes per s")
