# FLOP and bytes of an MLP's first product, by width.
def up(rows, d):
    flop = 2 * rows * d * 4 * d
    bytes = 4 * (rows * d + d * 4 * d + rows * 4 * d)
    return flop, bytes

fp32, memory = 67e12, 4.8e12            # an H200's data sheet
for d in [16, 64, 256, 1024, 4096]:
    flop, bytes = up(256, d)
    compute, move = flop / fp32, bytes / memory
    bound = "compute" if compute > move else "memory"
    print(f"{d:5}: {flop / bytes:6.1f} FLOP a byte,",
          f"{max(compute, move) * 1e6:8.2f} us: {bound}")
assert up(64, 32)[0] == 4 * up(64, 16)[0]
assert up(64, 32)[1] < 4 * up(64, 16)[1]
