"""The names of torch_npu on CPU tensors, so that a caller switches by one import:

    from ascsan import torch_npu
    torch_npu.npu_fused_linear_online_max_sum(input, weight, target, 0, vocab)

Both generations of names, same positional order. Like the originals these are plain operators without autograd:
callers write their own autograd.Function, or use ascsan.torch.linear_cross_entropy. Options of this library
(vocab_range, mask_pad, logits_dtype, validate ...) may be added by keyword. What differs from the device on purpose is
listed in docs/operators/coming_from.md.
"""

from . import torch as _torch_registration  # noqa: F401  registers torch.ops.ascsan
from .operators import (fused_cross_entropy_loss_with_max_sum, fused_linear_cross_entropy_loss_with_max_sum_grad,
                        fused_linear_online_max_sum)

npu_fused_linear_online_max_sum = fused_linear_online_max_sum
npu_fused_cross_entropy_loss_with_max_sum = fused_cross_entropy_loss_with_max_sum
npu_fused_linear_cross_entropy_loss_with_max_sum_backward = fused_linear_cross_entropy_loss_with_max_sum_grad

__all__ = [
    "fused_linear_online_max_sum", "fused_cross_entropy_loss_with_max_sum",
    "fused_linear_cross_entropy_loss_with_max_sum_grad", "npu_fused_linear_online_max_sum",
    "npu_fused_cross_entropy_loss_with_max_sum", "npu_fused_linear_cross_entropy_loss_with_max_sum_backward"
]
