# The parity of a barrier: a wait returns once a phase of that parity
# is complete and the next phase has begun.
class Barrier:
    phase = 0
    def returns(self, parity):
        return self.phase % 2 != parity

full, empty = Barrier(), Barrier()
assert empty.returns(0 ^ 1)  # round 0: the producer goes on at once
assert not full.returns(0)   # the consumers wait for the tile
full.phase += 1              # its bytes have arrived
assert full.returns(0)
assert not empty.returns(1 ^ 1)  # round 1: the place is not free yet
empty.phase += 1                 # the consumers have finished reading
assert empty.returns(1 ^ 1)
