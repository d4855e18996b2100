# Sectors per load request at each stride, against the formula.
def sectors(stride):
    return len({4 * stride * lane // 32 for lane in range(32)})

for stride in range(1, 33):
    assert sectors(stride) == min(4 * stride, 32)
    efficiency = 32 * 4 / (32 * sectors(stride))
    print(stride, sectors(stride), f"{efficiency:.1%}")
