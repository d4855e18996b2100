# Tiles that a causal mask leaves, by the length of the sequence.
def tiles(n, size=16):
    rows = -(-n // size)
    return rows * (rows + 1) // 2, rows * rows

for n in (16, 64, 128, 1024, 16384):
    left, every = tiles(n)
    print(n, left, every, f"{left / every:.1%}")
assert tiles(16) == (1, 1) and tiles(128) == (36, 64)
