# Ones that are added one by one in bf16, and whole numbers in f16.
import struct

def bf16(x):  # an f32, rounded to its upper 16 bits, ties to even
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    bits += 0x7FFF + (bits >> 16 & 1)
    return struct.unpack("<f", struct.pack("<I", bits >> 16 << 16))[0]

def f16(x):
    return struct.unpack("<e", struct.pack("<e", x))[0]

total = 0.0
for _ in range(1000):
    total = bf16(total + 1)
assert total == 256 and bf16(0.1) == 0.10009765625
assert f16(2047) == 2047 and f16(2049) != 2049
