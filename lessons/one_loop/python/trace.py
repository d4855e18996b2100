# A count repeats exactly. A time does not: take many samples.
from statistics import median, quantiles
from time import perf_counter

def requests(n, threads):               # load requests of the loop
    warps = (threads + 31) // 32
    return sum(warps for _ in range(0, n, threads))

times = []
for _ in range(100):
    start = perf_counter()
    assert requests(65536, 1) == 65536  # the same each time
    times.append(perf_counter() - start)
tenths = quantiles(times, n=10)
print(f"{median(times):.2g} s, {tenths[0]:.2g} to {tenths[-1]:.2g} s")
