# A view changes the shape, strides and offset, not the storage.
import torch

x = torch.arange(24.).view(4, 6)
for y in (x.T, x[:, ::2], x[1:], x[:1].expand(4, -1)):
    same = y.untyped_storage().data_ptr() == x.data_ptr()
    assert same                         # nothing was copied
    print(tuple(y.shape), y.stride(), y.storage_offset())
assert x[1:].is_contiguous() and not x.T.is_contiguous()
copy = x.T.contiguous()
assert x.T.stride() == (1, 6) and copy.stride() == (4, 1)
