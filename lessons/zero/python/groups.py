# HSDP: what a GPU keeps, and what leaves a node, in GB.
def hybrid(P, N, node, group, micro=1):
    keeps = 16 * P / group
    leaves = 0.0
    if group > node:                   # gathered over the network
        leaves += 6 * micro * P * (group - 1) / group
    if N > max(group, node):           # all-reduce between groups
        leaves += 4 * P * min(group, node) / group * (1 - group / N)
    return keeps, leaves

for group in [1, 8, 16, 64]:
    print(group, [round(x, 1) for x in hybrid(7.5, 64, 8, group)])
inside, spread = hybrid(7.5, 64, 8, 8), hybrid(7.5, 64, 8, 64)
assert inside[1] < spread[1] and inside[0] == 8 * spread[0]
