# A one-shot sum in the ring's order has the ring's bits.
from struct import pack, unpack

def add(numbers):                      # each addition rounds to f16
    total = numbers[0]
    for x in numbers[1:]:
        total, = unpack("e", pack("e", total + x))
    return total

N, size, differ = 4, 64, []
for i in range(size):
    column = [(512 + (37 * r + 11 * i) % 512 * 2) / 1024 for r in range(N)]
    start = i // (size // N) + 1       # the rank after the chunk's owner
    ring = add([column[(start + n) % N] for n in range(N)])
    if ring != add(column):            # always from rank 0 on
        differ.append(i)
print(len(differ), "of", size, "sums differ")
assert differ and max(differ) < size - size // N    # not the last chunk
