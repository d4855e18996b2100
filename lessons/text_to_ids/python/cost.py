# What a vocabulary costs: rows of a table, or longer texts.
V, d = 50257, 768                     # GPT-2, the smallest
table = V * d                         # embedding.weight.numel()
print(table, "parameters,", round(table / 124e6, 2), "of the model")

english = "How much does it cost?"
greek = "\u03a0\u03cc\u03c3\u03bf \u03ba\u03bf\u03c3\u03c4\u03af" \
        "\u03b6\u03b5\u03b9;"
for text in [english, greek]:         # before any merge
    print(len(text), "characters,", len(text.encode()), "bytes")
assert len(english.encode()) == len(english)
assert len(greek.encode()) == 2 * len(greek) - 2  # space and sign: 1
