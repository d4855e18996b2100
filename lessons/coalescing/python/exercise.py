# Good order for one thread, bad order for the lanes of a warp.
CHUNK = 8

def sectors(elements):
    return len({4 * element // 32 for element in elements})

def element(thread, k):                 # of the chunked copy
    return thread * CHUNK + k

one_thread = [element(5, k) for k in range(CHUNK)]
one_request = [element(lane, 0) for lane in range(32)]
assert sectors(one_thread) == 1         # as a CPU's cache likes it
assert sectors(one_request) == 32       # what memory is asked for
