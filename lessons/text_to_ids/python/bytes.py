# Code points and bytes of a text, and bytes that are no text.
greeting = "\uc548\ub155\ud558\uc138\uc694"           # Korean
family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"  # one picture
for text, points, size in [("na\u00efve", 5, 6),
                           (greeting, 5, 15), (family, 5, 18)]:
    ids = list(text.encode("utf-8"))       # each byte is a token
    assert (len(text), len(ids)) == (points, size)
    assert bytes(ids).decode("utf-8") == text

half = bytes(list(greeting.encode("utf-8"))[:4])  # a third is left
print(ascii(half.decode("utf-8", errors="replace")))
assert half.decode("utf-8", errors="replace") == greeting[0] + "\ufffd"
