# The same choice is kept or dropped, by what comes before it.
def is_dropped(batch, i, capacity):
    before = batch[:i].count(batch[i])
    return before >= capacity

mine = 3
calm = [0, 1, 2, 3, 4, 5, 6, 7, mine]
crowded = [3, 3, 0, 1, 2, 4, 5, 6, mine]
assert not is_dropped(calm, 8, 2) and is_dropped(crowded, 8, 2)
