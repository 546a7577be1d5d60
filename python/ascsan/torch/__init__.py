"""torch on top of the native operators.

    loss = ascsan.torch.linear_cross_entropy(hidden, lm_head.weight, labels)       # differentiable
    head = ascsan.torch.LinearCrossEntropyLoss(reduction="mean", softcap=30.0)      # nn.Module, no parameters

Works with the torch of Debian 12 (1.13) and with current releases; registers torch.ops.ascsan.* with Meta (fake)
implementations, so that torch.compile sees shapes without running anything.
"""

from . import registration  # noqa: F401
from .groups import ProcessGroupCommunicator
from .loss import LinearCrossEntropyLoss, linear_cross_entropy

__all__ = ["linear_cross_entropy", "LinearCrossEntropyLoss", "ProcessGroupCommunicator"]
