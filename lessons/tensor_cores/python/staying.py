# Persistent workgroups: each computes one tile after another.
TILES, SMS = (4096 // 128) * (4096 // 256), 132
work = [list(range(first, TILES, SMS)) for first in range(SMS)]
assert sorted(sum(work, [])) == list(range(TILES))
rounds = [len(tiles) for tiles in work]
assert set(rounds) == {3, 4}  # the last round is not full
print(TILES / SMS, "rounds; workgroup 0 computes tiles", work[0])
