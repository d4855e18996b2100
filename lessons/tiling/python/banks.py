# The swizzle: eight lanes that store together get eight slots.
BK = 16

def slot(row, k):
    return row // 4 ^ k // 4 * (32 // BK)

together = [(lane // 4 * 4, lane % 4 * 4) for lane in range(8)]
plain = {row // 4 for row, k in together}
swizzled = {slot(row, k) for row, k in together}
assert len(plain) == 2 and swizzled == set(range(8))
for k in range(BK):  # no two vectors of a row get the same slot
    assert {slot(4 * v, k) for v in range(8)} == set(range(8))
