# The text as a GPU has it: three lists, and pairs within words.
text = b"low lower"
ids = list(text)
offset = list(range(len(text) + 1))
wall = [int(i == 0 or text[i] == 32) for i in range(len(text))]

def pairs():
    return [(ids[i], ids[i + 1]) for i in range(len(ids) - 1)
            if wall[offset[i + 1]] == 0]

assert (ord("w"), ord(" ")) not in pairs()
at = ids.index(ord("l"), 3)              # merge l o in the second word
ids[at:at + 2] = [256]
del offset[at + 1]                       # wall stays as it is
assert (32, 256) in pairs() and len(offset) == len(ids) + 1
