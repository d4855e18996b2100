# Vectors: a quarter of the requests, the same bytes and sectors.
def requests_and_sectors(elements, width, lanes=32):
    requests, sectors = 0, set()
    for first in range(0, elements, lanes * width):  # one per warp
        requests += 1
        sectors |= {(first + i) * 4 // 32 for i in range(lanes * width)}
    return requests, len(sectors)

assert requests_and_sectors(1024, 1) == (32, 128)
assert requests_and_sectors(1024, 4) == (8, 128)
