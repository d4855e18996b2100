# Sectors of a request: the different pieces of 32 bytes.
def sectors(addresses):
    return len({address // 32 for address in addresses})

copy = [4 * lane for lane in range(32)]
assert sectors(copy) == 4
assert sectors(copy[::-1]) == 4         # the order does not matter
assert sectors(copy[:8]) == 1           # eight lanes share a sector
print(f"efficiency {32 * 4 / (32 * sectors(copy)):.0%}")
