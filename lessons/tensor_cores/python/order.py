# 132 tiles of 128 x 256 that run together, in two orders, at 8192.
ROWS, COLUMNS = 8192 // 128, 8192 // 256

def tile(number, group):  # down a group of rows, then the next column
    band, rest = divmod(number, group * COLUMNS)
    return band * group + rest % group, rest // group

def bytes_per_step(group):  # 64 of the depth, 2 bytes per number
    tiles = [tile(number, group) for number in range(132)]
    rows = {row for row, column in tiles}
    columns = {column for row, column in tiles}
    return (len(rows) * 128 + len(columns) * 256) * 64 * 2

assert bytes_per_step(1) == (5 * 128 + 32 * 256) * 64 * 2
assert bytes_per_step(16) == (16 * 128 + 9 * 256) * 64 * 2
