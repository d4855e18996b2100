# Rows of A's tile in shared memory: eight pieces of 16 bytes, four banks
# each, in rows of 16 words and in rows that are 4 words longer.
def banks(pitch):
    first = [row * pitch % 32 for row in range(8)]
    return first, {(f + i) % 32 for f in first for i in range(4)}

first, used = banks(16)
assert len(used) == 8  # rows 0, 2, 4 and 6 begin in the same bank
first, used = banks(16 + 4)
assert first == [0, 20, 8, 28, 16, 4, 24, 12] and len(used) == 32
