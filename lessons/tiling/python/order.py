# 9 x 9 tiles, nine at a time: the tiles of A and B that batches load.
def loaded(batches):
    total = 0
    for batch in batches:
        rows = {row for row, column in batch}
        columns = {column for row, column in batch}
        total += 9 * (len(rows) + len(columns))
    return total

cells = [(row, column) for row in range(9) for column in range(9)]
by_rows = [[c for c in cells if c[0] == n] for n in range(9)]
by_squares = [[c for c in cells if c[0] // 3 * 3 + c[1] // 3 == n]
              for n in range(9)]
assert loaded(by_rows) == 810 and loaded(by_squares) == 486
