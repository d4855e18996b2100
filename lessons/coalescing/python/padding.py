# Wavefronts of a column of the tile, at each padding.
def wavefronts(pad):
    banks = [(32 + pad) * r % 32 for r in range(32)]
    return max(banks.count(bank) for bank in banks)

assert wavefronts(0) == 32              # all in one bank
assert wavefronts(1) == 1               # one in each bank
for pad in range(9):
    print(pad, wavefronts(pad))
