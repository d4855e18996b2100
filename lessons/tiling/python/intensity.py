# The roofline: the lower of two limits. Figures of an H200 in f32.
PEAK, BANDWIDTH = 67e12, 4.8e12  # FLOP/s, B/s

def roofline(intensity):
    return min(PEAK, intensity * BANDWIDTH)

def moved_once(n):  # FLOP/B of a square product
    return 2 * n**3 / (3 * 4 * n**2)

assert abs(moved_once(256) - 256 / 6) < 1e-9
assert roofline(0.25) < PEAK / 50  # what the lanes ask for
assert roofline(moved_once(256)) == PEAK
print(f"ridge at {PEAK / BANDWIDTH:.1f} FLOP/B")
