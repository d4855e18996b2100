# At some places a word begins, whatever precedes them.
import re

RULE = re.compile(r"'(?:[sdmt]|ll|ve|re)|[^\r\nA-Za-z0-9]?[A-Za-z]+"
                  r"|[0-9]{1,3}| ?[^\sA-Za-z0-9]+[\r\n]*"
                  r"|\s*[\r\n]|\s+(?!\S)|\s+", re.I)
text = "Take 1234 of them, or 56: it is\nno more than 7 words."
begins = {match.start() for match in RULE.finditer(text)}
sure = {i for i in range(1, len(text))
        if (text[i - 1].isalpha() and not text[i].isalpha())
        or (text[i - 1].isdigit() and not text[i].isdigit())}
assert sure < begins          # each is right, and some are missing
at = text.index("1234") + 3
assert at in begins and at not in sure      # 123 4: from the left
