# The least time of a copy through DRAM: a limit for a benchmark.
DRAM = 4.8e12                           # bytes per second, an H200

def least(n):                           # 4 bytes loaded, 4 stored
    return 8 * n / DRAM

def possible(n, seconds):
    return seconds >= least(n)

for n in (1 << 20, 1 << 22, 1 << 25):
    print(f"{n} elements: {least(n) * 1e6:.2f} us")
assert possible(1 << 25, 60e-6) and not possible(1 << 22, 5e-6)
