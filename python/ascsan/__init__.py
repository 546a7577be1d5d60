"""Fused linear cross entropy on the CPU: the loss head of a language model without its logits in memory.

    ascsan.linear_cross_entropy(...)                 the composed loss on numpy, jax or any DLPack array
    ascsan.fused_linear_online_max_sum(...)          the three operators, split at the collectives
    ascsan.torch                                     torch: autograd functions, modules, torch.ops.ascsan
    ascsan.torch_npu                                 the names and argument order of torch_npu, on CPU tensors

Nothing here imports torch unless asked to.
"""

from ._flce import (ArgumentError, CommunicatorError, available_isas, isa, set_isa, set_scratch_limit, set_threads,
                    threads)
from .arrays import linear_cross_entropy, linear_cross_entropy_with_gradients
from .operators import (fused_cross_entropy_loss_with_max_sum, fused_linear_cross_entropy_loss_with_max_sum_grad,
                        fused_linear_online_max_sum)

__version__ = "0.1.0"
__all__ = [
    "ArgumentError", "CommunicatorError", "available_isas", "isa", "set_isa", "set_scratch_limit", "set_threads",
    "threads", "linear_cross_entropy", "linear_cross_entropy_with_gradients", "fused_linear_online_max_sum",
    "fused_cross_entropy_loss_with_max_sum", "fused_linear_cross_entropy_loss_with_max_sum_grad"
]


def __getattr__(name):
    if name in ("torch", "torch_npu"):
        import importlib
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module 'ascsan' has no attribute {name!r}")
