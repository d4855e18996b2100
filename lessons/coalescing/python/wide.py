# Wavefronts of one access to the tile, with 4 bytes per lane.
from collections import Counter

ROW = 33                                # words from row to row

def wavefronts(word):                   # word: of a lane
    words = {word(lane) for lane in range(32)}
    return max(Counter(w % 32 for w in words).values())

# The starter's store and load. Write down those of your 4 rows.
assert wavefronts(lambda lane: ROW * 3 + lane) == 1
assert wavefronts(lambda lane: ROW * lane + 3) == 1
