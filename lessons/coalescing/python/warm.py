# Repeated copies, and a cache that keeps what was used last.
def misses(arrays, cache, copies=3):    # of the last copy, in MiB
    held = []
    for _ in range(copies):
        missed = 0
        for piece in range(arrays):     # 1 MiB each
            missed += piece not in held
            others = [p for p in held if p != piece]
            held = (others + [piece])[-cache:]
    return missed

assert misses(arrays=16, cache=60) == 0         # all in the cache
assert misses(arrays=256, cache=60) == 256      # nothing is left
print("16 MiB fit in 60 MiB of L2, 256 MiB do not")
