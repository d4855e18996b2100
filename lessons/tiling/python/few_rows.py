# The shortest time of a linear layer on the roofline of an H200 in f32.
PEAK, BANDWIDTH = 67e12, 4.8e12  # FLOP/s, B/s
K, N = 4096, 4096

def seconds(rows):
    flops = 2 * rows * N * K
    bytes_moved = 4 * (rows * K + K * N + rows * N)
    return max(flops / PEAK, bytes_moved / BANDWIDTH)

for rows in (1, 8, 512, 1024):
    print(f"{rows} rows: {1e6 * seconds(rows):.1f} us")
assert seconds(8) / seconds(1) < 1.01
assert abs(seconds(1024) / seconds(512) - 2) < 1e-9
