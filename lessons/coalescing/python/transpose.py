# A warp loads part of a row of src and stores part of a column.
ROWS = COLS = 1024

def sectors(elements):
    return len({4 * element // 32 for element in elements})

y, x = 5, 64                            # the warp's first element
loads = [y * COLS + x + lane for lane in range(32)]
stores = [(x + lane) * ROWS + y for lane in range(32)]
print(sectors(loads), "load sectors,", sectors(stores), "store sectors")
assert sectors(loads) == 4 and sectors(stores) == 32
