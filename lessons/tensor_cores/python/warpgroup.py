# The swizzle of 128 bytes: row r stores its piece c at c xor (r mod 8).
def position(row, piece):
    return piece ^ row % 8

for piece in range(8):  # eight rows, the same piece
    assert {position(row, piece) for row in range(8)} == set(range(8))
for row in range(8):  # each row only reorders its pieces
    assert {position(row, piece) for piece in range(8)} == set(range(8))
    print(row, [position(row, piece) for piece in range(8)])
