# Bytes read per element, in pieces of a sector or of two sectors.
def read(stride, piece, n=65536):
    pieces = {4 * stride * i // piece for i in range(n)}
    return piece * len(pieces) / n

for stride in (1, 2, 4, 8, 16, 32):
    print(stride, read(stride, 32), read(stride, 64))
assert read(8, 32) == read(16, 32)      # the sectors stay the same
assert read(8, 64) == 32                # DRAM: both of a pair
assert read(16, 64) == read(32, 64) == 64       # only one is used
