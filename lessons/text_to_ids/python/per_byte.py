# Two models, two tokenizers, one text: bits per byte compare them.
from math import log

def bits_per_byte(loss, tokens, size):
    return loss / log(2) * tokens / size

size = 4096                               # bytes of the text
a = bits_per_byte(3.0, 961, size)         # tokens of cl100k_base
b = bits_per_byte(0.8, size, size)        # a token is a byte
print(round(a, 2), round(b, 2))
assert a < b                              # the larger loss is better
