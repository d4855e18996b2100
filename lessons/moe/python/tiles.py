# A list of the tiles that there are: (expert, first row) for each.
def list_tiles(counts, rows=64):
    tiles, start = [], 0
    for expert, count in enumerate(counts):
        tiles += [(expert, start + i) for i in range(0, count, rows)]
        start += count
    return tiles

tiles = list_tiles([256, 250, 262, 240, 271, 255, 260, 254])
waste = 64 * len(tiles) / 2048 - 1
print(len(tiles), "tiles,", f"{waste:.1%} more rows than there are")
