# Operations for each byte of keys and values, in 16 bits.
def intensity(queries, heads, kv_heads, d=128):
    operations = 4 * d * queries * heads   # for each position
    return operations / (2 * d * 2 * kv_heads)

print("prefill of 512", intensity(512, 32, 8))
for name, kv_heads in (("MHA", 32), ("GQA", 8), ("MQA", 1)):
    print("decode", name, intensity(1, 32, kv_heads))
assert intensity(1, 32, 32) == 1 and intensity(1, 32, 8) == 4
