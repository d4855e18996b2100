# Sectors per request and requests, by the bytes that a lane loads.
def sectors(width):                     # of 32 neighbouring lanes
    return len({byte // 32 for byte in range(32 * width)})

n = 1 << 20                             # elements of 4 bytes
for width in (2, 4, 8, 16):
    requests = 4 * n // (32 * width)
    assert sectors(width) == width      # the minimum
    assert requests * sectors(width) == 4 * n // 32
    print(width, sectors(width), requests)
