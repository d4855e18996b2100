# Split-K: parts of the depth are added up apart, then the parts are.
M, N, K, S = 2, 3, 10, 4
a = [[i + k for k in range(K)] for i in range(M)]
b = [[k * j + 1 for j in range(N)] for k in range(K)]

def product(first, end):
    return [[sum(a[i][k] * b[k][j] for k in range(first, end))
             for j in range(N)] for i in range(M)]

parts = [product(s * K // S, (s + 1) * K // S) for s in range(S)]
c = [[sum(part[i][j] for part in parts) for j in range(N)]
     for i in range(M)]
assert c == product(0, K) and len(parts) == S
