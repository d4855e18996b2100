# Pre-tokenization: the rules of GPT-2 and of GPT-4, for ASCII.
import re

GPT2 = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+"
                  r"| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")
GPT4 = re.compile(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
                  r"|[^\r\nA-Za-z0-9]?[A-Za-z]+|[0-9]{1,3}"
                  r"| ?[^\sA-Za-z0-9]+[\r\n]*|\s*[\r\n]+"
                  r"|\s+(?!\S)|\s+")
text = "The dog's 1234567 of x[y]!"
print(GPT2.findall(text), GPT4.findall(text))
assert GPT2.findall(text) == ["The", " dog", "'s", " 1234567", " of",
                              " x", "[", "y", "]!"]
assert GPT4.findall(text) == ["The", " dog", "'s", " ", "123", "456",
                              "7", " of", " x", "[y", "]!"]
