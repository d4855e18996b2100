# Sectors are computed; the time of this copy is measured, on a CPU.
from array import array
from time import perf_counter

n = 1 << 17
src = array("f", bytes(4 * n * 32))
for stride in (8, 32):
    sectors = n // 32 * min(4 * stride, 32)
    start = perf_counter()
    dst = src[:n * stride:stride]
    seconds = perf_counter() - start
    assert len(dst) == n and sectors == n
    print(stride, sectors, f"{8 * n / seconds:.3g} useful bytes per s")
