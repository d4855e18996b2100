# Which lane holds which sum of an mma.sync, 16 rows x 8 columns.
def held_by(lane):
    g, t = divmod(lane, 4)
    return [(row, column) for row in (g, g + 8)
            for column in (2 * t, 2 * t + 1)]

holder = {at: lane for lane in range(32) for at in held_by(lane)}
assert len(holder) == 16 * 8  # each sum is in one lane
for row in range(16):  # the lanes of a row differ in the last two bits
    lanes = {holder[row, column] for column in range(8)}
    assert len(lanes) == 4 and len({lane >> 2 for lane in lanes}) == 1
