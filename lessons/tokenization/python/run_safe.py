# From left to right, a merge takes both of its tokens.
def merge_begins(tokens, pair):
    begins, i = [], 0
    while i + 1 < len(tokens):
        if (tokens[i], tokens[i + 1]) == pair:
            begins.append(i)
            i += 2          # the next merge cannot use token i + 1
        else:
            i += 1
    return begins

assert merge_begins("aaaa", ("a", "a")) == [0, 2]
assert merge_begins("baaab", ("a", "a")) == [1]
