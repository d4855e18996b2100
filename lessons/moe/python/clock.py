# MaxVio: how far the fullest expert is above its fair share.
def max_vio(counts):
    return max(counts) / (sum(counts) / len(counts)) - 1

weights = [1 / (e + 1) for e in range(8)]  # a skew of 100 %
counts = [8192 * w / sum(weights) for w in weights]
a_gpu_each = max(counts) / 1024  # the slowest GPU, in fair shares
assert abs(a_gpu_each - (1 + max_vio(counts))) < 1e-12
print("the fullest of 8 experts has", a_gpu_each, "fair shares")
