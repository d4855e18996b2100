# One load instruction of a warp: 32 addresses, one request.
def requests(n, block):
    count = 0
    for first in range(0, n, block):            # a block
        for warp in range(first, first + block, 32):
            addresses = [4 * i for i in range(warp, warp + 32)]
            count += 1                          # all 32 at once
    return count

n = 65536
for block in (32, 64, 128, 256, 512, 1024):
    assert requests(n, block) == n // 32        # whatever the block
print(n, "elements,", requests(n, 256), "load requests")
