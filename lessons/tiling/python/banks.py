# The table of the page: each number is combined with a multiple of two by
# exclusive or. That only changes the order of a row, and can be undone.
for multiple in (0, 2, 4, 6):
    positions = [vector ^ multiple for vector in range(8)]
    assert sorted(positions) == list(range(8))
    assert [p ^ multiple for p in positions] == list(range(8))
    print(f"with {multiple}:", *positions)
# Without a common bit, exclusive or is the sum.
assert all(low ^ high == low + high for low in (0, 1) for high in (2, 4))
