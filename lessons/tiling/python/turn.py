# A weight with a row for each output: the sectors of a load of B's tile,
# with neighbouring columns, or neighbouring k, in neighbouring lanes.
N, K = 256, 256
weight = [[1000 * j + k for k in range(K)] for j in range(N)]
b = [number for row in weight for number in row]  # as it is stored

def sectors(places):
    return len({4 * place // 32 for place in places})

k, j = 5, 7
assert b[j * K + k] == weight[j][k]  # is element B[k][j] of the product
assert sectors(lane * K + k for lane in range(32)) == 32
assert sectors(j * K + lane for lane in range(32)) == 4
