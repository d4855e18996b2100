# Tokens whose bytes are no characters, one after the other.
import codecs

tokens = [b"\xec\x95", b"\x88",                   # cl100k_base's four
          b"\xeb\x85", b"\x95"]                   # of a Korean hello
each = [t.decode("utf-8", errors="replace") for t in tokens]
assert "\uc548" not in "".join(each)              # too early

decoder = codecs.getincrementaldecoder("utf-8")("replace")
shown = [decoder.decode(t) for t in tokens]       # it keeps a rest
print(ascii(shown))
assert shown == ["", "\uc548", "", "\ub155"]
assert decoder.decode(b"", final=True) == ""      # and nothing is left
