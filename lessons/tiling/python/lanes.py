# Occupancy by registers, and the wavefronts of a read of shared memory.
from collections import defaultdict

def occupancy(registers, threads):
    workgroups = 65536 // (registers * threads)
    return workgroups * threads / 2048

def wavefronts(words):  # a word counts once, however many lanes read it
    banks = defaultdict(set)
    for word in words:
        banks[word % 32].add(word)
    return max(len(different) for different in banks.values())

assert occupancy(244, 128) == 0.125
# Four rows of A's tile, 16 words apart, each read by eight lanes.
assert wavefronts([lane // 8 * 16 for lane in range(32)]) == 2
