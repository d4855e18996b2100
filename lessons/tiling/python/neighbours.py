# How many bytes further the next lane loads from A and from B in step k,
# if it computes the element of C below, or the one to the right.
N = 256

def loads(row, column, k=5):  # places in A and in B
    return row * N + k, k * N + column

def further(lane, next_lane):
    places = zip(loads(*lane), loads(*next_lane))
    return [4 * (after - before) for before, after in places]

assert further((3, 7), (4, 7)) == [1024, 0]  # below
assert further((3, 7), (3, 8)) == [0, 4]     # to the right
