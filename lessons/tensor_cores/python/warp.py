# A ring of three places: the tile of a step goes to place step % 3.
PLACES, STEPS = 3, 9
place = {}
for step in range(PLACES - 1):
    place[step % PLACES] = step  # two loads before the first product
for step in range(STEPS):
    ahead = step + PLACES - 1
    if ahead < STEPS:
        # The place of the step before, which all warps have left.
        assert place.get(ahead % PLACES, step - 1) == step - 1
        place[ahead % PLACES] = ahead  # tile 3 replaces tile 0
    assert place[step % PLACES] == step  # multiplied
print("held at the end:", place)
