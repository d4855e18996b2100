# Two groups take turns at the tensor cores: a small timeline.
products, exponentials, tiles = 128, 64, 50
free, ready = 0, [0, 0]           # tensor cores; each group
for tile in range(tiles):
    for group in (0, 1):
        start = max(free, ready[group])
        free = start + products
        ready[group] = free + exponentials
alone = products / (products + exponentials)
busy = 2 * tiles * products / free
print(f"{alone:.0%} alone, {busy:.0%} in turns")
assert busy > 0.99 > alone
