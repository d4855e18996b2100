# A stable sort by expert keeps the order of the tokens.
import torch

torch.manual_seed(1)
chosen = torch.randint(0, 8, (2048,))
source = torch.argsort(chosen, stable=True)
row_of = torch.empty_like(source)
row_of[source] = torch.arange(2048)
experts = chosen[source]
same = experts[1:] == experts[:-1]
assert (source[1:] > source[:-1])[same].all()
assert (source[row_of] == torch.arange(2048)).all()
