# The bank of each element of a tile whose rows are 33 words long.
def bank(row, column):
    return (33 * row + column) % 32

for row in range(4):                    # the colours of the picture
    print([bank(row, column) for column in range(12)])
for k in range(32):
    assert len({bank(k, column) for column in range(32)}) == 32
    assert len({bank(row, k) for row in range(32)}) == 32
