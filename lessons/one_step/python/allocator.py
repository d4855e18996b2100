# A caching allocator in a few lines: best fit, split, merge.
MIB = 2**20
segments, reserved = [], 0         # blocks: [size, is_used]

def malloc(n):
    global reserved
    n = -(-n // 512) * 512
    small = n <= MIB
    fits = [(b[0], i, j) for i, s in enumerate(segments)
            if s[0] == small
            for j, b in enumerate(s[1]) if not b[1] and b[0] >= n]
    if not fits:                   # a new segment
        size = (2 * MIB if small else 20 * MIB if n < 10 * MIB
                else -(-n // (2 * MIB)) * 2 * MIB)
        segments.append((small, [[size, False]]))
        reserved += size
        fits = [(size, len(segments) - 1, 0)]
    _, i, j = min(fits)
    blocks = segments[i][1]
    if blocks[j][0] - n > (0 if small else MIB):
        blocks.insert(j + 1, [blocks[j][0] - n, False])
        blocks[j][0] = n
    blocks[j][1] = True
    return i, blocks[j]

def free(handle):
    i, block = handle
    block[1] = False
    merged = []
    for b in segments[i][1]:
        if merged and not b[1] and not merged[-1][1]:
            merged[-1][0] += b[0]
        else:
            merged.append(b)
    segments[i][1][:] = merged

first = [malloc(8 * MIB) for _ in range(4)]
assert reserved == 40 * MIB        # two segments of 20
for handle in first:
    free(handle)
assert reserved == 40 * MIB        # freed, and still reserved
again = [malloc(8 * MIB) for _ in range(4)]
assert reserved == 40 * MIB        # found in the cache
# 2 x 4 MiB are free, and no 8 MiB in one piece.
malloc(8 * MIB)
assert reserved == 60 * MIB
