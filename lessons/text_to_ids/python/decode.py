# Tokens whose bytes are no characters, one after the other.
import codecs

tokens = [b"\xf0\x9f", b"\x91", b"\x8d",          # cl100k_base's six
          b"\xf0\x9f", b"\x8f", b"\xbd"]          # of this thumb
each = [t.decode("utf-8", errors="replace") for t in tokens]
assert each == ["\ufffd"] * 6                     # too early

decoder = codecs.getincrementaldecoder("utf-8")("replace")
shown = [decoder.decode(t) for t in tokens]       # it keeps a rest
print(ascii(shown))
assert shown == ["", "", "\U0001f44d", "", "", "\U0001f3fd"]
assert decoder.decode(b"", final=True) == ""      # and nothing is left
