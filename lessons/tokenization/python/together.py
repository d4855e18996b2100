# Each token decides for itself: is it at an even place of its run?
def begins(tokens, i, pair):
    if tuple(tokens[i:i + 2]) != pair:
        return False
    first = i
    while pair[0] == pair[1] and first > 0 \
            and tokens[first - 1] == pair[0]:
        first -= 1                    # back to where the run begins
    return (i - first) % 2 == 0

text = "aaabaaaab"
marks = [begins(text, i, ("a", "a")) for i in range(len(text))]
assert [i for i, mark in enumerate(marks) if mark] == [0, 4, 6]
