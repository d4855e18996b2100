# Pre-tokenization: GPT-2's rule for words, for ASCII.
import re

RULE = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+"
                  r"| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")
words = RULE.findall("The cat of the dog. It's 42!")
print(words)
assert words == ["The", " cat", " of", " the", " dog", ".",
                 " It", "'s", " 42", "!"]
pairs = {pair for word in words for pair in zip(word, word[1:])}
assert ("g", ".") not in pairs     # no merge can make "dog."
assert (" ", "t") in pairs         # but one can make " t"
