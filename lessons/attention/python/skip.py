# Tiles of keys that a block of 16 queries needs.
def needed(block, n, causal=True):
    last = min(n, 16 * (block + 1)) - 1    # the block's last query
    keys = last + 1 if causal else n
    return -(-keys // 16)

n = 112
blocks = range(-(-n // 16))
print([needed(block, n) for block in blocks])
assert sum(needed(block, n) for block in blocks) == 7 * 8 // 2
assert all(needed(block, n, False) == 7 for block in blocks)
