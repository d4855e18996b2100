# Bytes that are asked for per operation, by the width of a square of C.
def intensity(tile, bytes_each):
    flop = 2 * tile * tile             # per step of the depth
    loaded = 2 * tile * bytes_each     # a column of A and a row of B
    return flop / loaded

BANDWIDTH, LANES_PEAK = 4.8e12, 67e12  # an H200
assert intensity(16, bytes_each=2) == 8
assert 8 * BANDWIDTH < LANES_PEAK
print(f"{8 * BANDWIDTH / 1e12} TFLOP/s without caches")
