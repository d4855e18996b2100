# Wavefronts: the most different words that one bank has to deliver.
def wavefronts(words):
    banks = [set() for _ in range(32)]
    for word in words:
        banks[word % 32].add(word)
    return max(len(bank) for bank in banks)

row = [32 * 3 + c for c in range(32)]
column = [32 * r + 3 for r in range(32)]
assert wavefronts(row) == 1
assert wavefronts(column) == 32         # all in bank 3
assert wavefronts([7] * 32) == 1        # a broadcast
