# What a layer keeps of a batch: here, and in the literature.
def here(s, b, h, a):                  # f32, no dropout
    return 4 * s * b * (14 * h + a + 2)

def paper(s, b, h, a):                 # 16 bits, with dropout
    return s * b * h * (34 + 5 * a * s / h)

# 34 = 2 of masks, and 16 numbers of 2 bytes: 14 and the inputs
# of two norms, which are not kept here.
assert 34 == 2 + 2 * (14 + 2)

s, b, h, a = 1024, 1, 768, 12               # GPT-2 124M
all, flash = paper(s, b, h, a), 34 * s * b * h
print(f"{all / 1e6:.1f} MB, without the square {flash / 1e6:.1f}")
assert 5 * a * s / h == 80
assert here(2 * s, b, h, a) == 2 * here(s, b, h, a)
assert paper(2 * s, b, h, a) > 3 * paper(s, b, h, a)
