# FLOP for each byte: of devices, and of the MLP's first product.
devices = {                     # FLOP/s in 16 bits, bytes/s
    "V100": (125e12, 0.9e12), "A100": (312e12, 2.039e12),
    "H100": (989.4e12, 3.35e12), "H200": (989.5e12, 4.8e12),
    "B200": (2250e12, 8e12),
}

def intensity(r, d):            # r tokens, d -> 4 d, 16 bits
    return 8 * r * d * d / (2 * (5 * r * d + 4 * d * d))

def tokens(d, ridge):           # where intensity is the ridge
    if 4 * d <= 5 * ridge:
        return float("inf")     # too narrow for any batch
    return 4 * d * ridge / (4 * d - 5 * ridge)

for name, (flops, bytes_) in devices.items():
    ridge = flops / bytes_
    r = tokens(4096, ridge)
    assert abs(intensity(r, 4096) - ridge) < 1e-9
    print(f"{name}: {ridge:.0f} FLOP a byte, width 4096 from "
          f"{r:.0f} tokens, width 256 from {tokens(256, ridge):.0f}")
assert tokens(256, 295) == float("inf")
