# Sectors of a load request, if a warp is 32 neighbours in a row of C,
# or in a column of C. Rows of A and B have 1,024 bytes, as on the page.
def sectors(addresses):
    return len({address // 32 for address in addresses})

pitch, k, lanes = 4 * 256, 5, range(32)
in_a_row = (sectors(0 * pitch + 4 * k for lane in lanes),
            sectors(k * pitch + 4 * lane for lane in lanes))
in_a_column = (sectors(lane * pitch + 4 * k for lane in lanes),
               sectors(k * pitch + 4 * 0 for lane in lanes))
assert in_a_row == (1, 4) and in_a_column == (32, 1)
print("A, B:", in_a_row, "in a row,", in_a_column, "in a column")
