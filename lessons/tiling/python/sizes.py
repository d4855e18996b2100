# Tile quantization and wave quantization: NVIDIA's example for an A100.
from math import ceil

def tiles(size, rows, columns):
    return ceil(size / rows) * ceil(size / columns)

for size in (1792, 1793):
    count = tiles(size, 256, 128)
    used = size**2 / (count * 256 * 128)
    print(f"{size}: {count} tiles, {used:.1%} used,",
          f"{ceil(count / 108)} wave(s) on 108 SMs")
assert tiles(1792, 256, 128) == 98 and tiles(1793, 256, 128) == 120
