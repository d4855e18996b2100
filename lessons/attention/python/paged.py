# A pool of pages, and a table for each sequence.
page, pool, free, tables = 16, {}, list(range(100)), {}

def keep(sequence, at, row):
    table = tables.setdefault(sequence, [])
    if at // page == len(table):
        table.append(free.pop())     # the last page is full
    pool[table[at // page], at % page] = row

for at in range(40):                 # two sequences grow in turn
    keep("a", at, ("a", at))
    keep("b", at, ("b", at))
assert pool[tables["a"][33 // page], 33 % page] == ("a", 33)
assert len(tables["a"]) == 3 and not set(tables["a"]) & set(tables["b"])
