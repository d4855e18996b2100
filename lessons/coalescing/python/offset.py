# Sectors of 32 neighbouring elements that begin at an offset.
def sectors(offset):
    return len({4 * (offset + lane) // 32 for lane in range(32)})

for offset in range(32):
    assert sectors(offset) == (4 if offset % 8 == 0 else 5)
# Where the rows of a matrix begin in a sector, in elements.
for columns in (50257, 50304):
    print(columns, [row * columns % 8 for row in range(10)])
assert 50304 % 8 == 0
