# The place of each product under a device's roof, by its matrices alone.
# An H200 by its data sheet: bytes a second, and FLOP a second in f32.
BYTES_PER_S, FLOPS_PER_S = 4.8e12, 67e12

rows, d = 64, 64
products = {  # M, N, K
    "qkv": (rows, 3 * d, d),
    "projection": (rows, d, d),
    "up": (rows, 4 * d, d),
    "down": (rows, d, 4 * d),
    "up_weight_gradient": (d, 4 * d, rows),
    "up_input_gradient": (rows, d, 4 * d),
}
for name, (m, n, k) in products.items():
    flops, moved = 2 * m * n * k, 4 * (m * k + k * n + m * n)
    roof = min(FLOPS_PER_S, BYTES_PER_S * flops / moved)
    print(f"{name:20} {flops / moved:6.2f} FLOP a byte")
    print(f"  at most {roof / 1e12:.1f} TFLOP/s: {flops / roof * 1e9:.1f} ns")
