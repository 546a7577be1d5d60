"""The communicator over torch.distributed: any back end with CPU tensors (gloo, mpi)."""

import torch


class ProcessGroupCommunicator:
    """Ranks of `group` (None: the default group) hold consecutive shards of the vocabulary."""

    def __init__(self, group=None):
        import torch.distributed as dist
        self._dist = dist
        self._group = group
        self.rank = dist.get_rank(group)
        self.size = dist.get_world_size(group)

    def all_gather(self, values):
        mine = torch.tensor(values, dtype=torch.int64)
        all_ranks = [torch.empty_like(mine) for _ in range(self.size)]
        self._dist.all_gather(all_ranks, mine, group=self._group)
        return torch.cat(all_ranks).tolist()

    def all_reduce(self, array, op):
        ops = {"sum": self._dist.ReduceOp.SUM, "max": self._dist.ReduceOp.MAX}
        self._dist.all_reduce(torch.from_dlpack(array), op=ops[op], group=self._group)

    def start_all_reduce(self, array):
        """The gradient of the input travels while the next rows are computed."""
        return self._dist.all_reduce(torch.from_dlpack(array), op=self._dist.ReduceOp.SUM, group=self._group,
                                     async_op=True)
