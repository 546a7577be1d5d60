"""The differentiable loss head.

Two ways to the gradients. "forward": they are made while the logits of a chunk are at hand, three matrix products in
total; possible when only a reduced loss is asked for on one rank. Saved gradients are never changed in place, so
backward may run twice. "recompute": forward keeps four numbers per token, backward computes the logits again, four
products and no [n, k] buffer alive in between; needed for reduction="none", for gradients of lse, entropy and log_prob
and with a process group. "auto" takes the first where it can, except for float16, whose gradients would vanish before
the factor of a GradScaler reaches them.
Either way a gradient nobody wants (a frozen head, for one) is not computed. Under torch.autocast the two matrices are
taken in its dtype, as by torch.nn.functional.linear.
"""

import torch

from ..arrays import make_options
from .groups import ProcessGroupCommunicator
from .registration import pack
from . import registration


def _compiling():
    compiler = getattr(torch, "compiler", None)
    check = getattr(compiler, "is_compiling", None)
    return bool(check and check())


def _autocast_dtype():
    """The dtype of torch.autocast("cpu"), None outside of it."""
    if hasattr(torch, "get_autocast_dtype"):
        return torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else None
    return torch.get_autocast_cpu_dtype() if torch.is_autocast_cpu_enabled() else None


_ROWS_AT_ONCE = 1024


def _times(gradient, factor):
    """gradient * factor, rounded once: the factor of a 16-bit gradient (1/3, or 65536 of a GradScaler) stays fp32."""
    if gradient.dtype not in (torch.float16, torch.bfloat16):
        return gradient * factor.to(gradient.dtype)
    if _compiling():
        return (gradient.float() * factor).to(gradient.dtype)
    out = torch.empty_like(gradient)
    for to, part in zip(out.split(_ROWS_AT_ONCE), gradient.split(_ROWS_AT_ONCE)):
        to.copy_(part.float() * factor)
    return out


def _chosen(gradients, wanted):
    return tuple(g if wish else None for g, wish in zip(gradients, wanted))


class _InForward(torch.autograd.Function):

    @staticmethod
    def forward(ctx, input, weight, bias, target, token_weight, class_weight, options, wanted):
        loss, *gradients = torch.ops.ascsan.loss_forward_backward(input, weight, target, bias, token_weight,
                                                                  class_weight, options, wanted)
        ctx.save_for_backward(*gradients)
        ctx.wanted = wanted
        return loss

    @staticmethod
    def backward(ctx, grad):
        gradients = ctx.saved_tensors
        if _compiling() or float(grad) != 1.0:
            gradients = [_times(g, grad) for g in gradients]
        return (*_chosen(gradients, ctx.wanted), None, None, None, None, None)


class _Recompute(torch.autograd.Function):

    @staticmethod
    def forward(ctx, input, weight, bias, target, token_weight, class_weight, options, wanted, entropy, vocab_start,
                communicator):
        if communicator is None:
            out = torch.ops.ascsan.loss_forward(input, weight, target, bias, token_weight, class_weight, options,
                                                entropy)
        else:
            out = registration.forward(input, weight, target, bias, token_weight, class_weight, options, entropy,
                                       vocab_start, communicator)
        ctx.save_for_backward(input, weight, bias, target, token_weight, class_weight, out[4])
        ctx.options, ctx.wanted, ctx.entropy = options, wanted, entropy
        ctx.vocab_start, ctx.communicator = vocab_start, communicator
        ctx.set_materialize_grads(False)
        return out[0], out[1], out[2], out[3]

    @staticmethod
    def backward(ctx, g_loss, g_lse, g_entropy, g_log_prob):
        if g_loss is None and g_lse is None and g_entropy is None and g_log_prob is None:
            return (None,) * 11
        input, weight, bias, target, token_weight, class_weight, state = ctx.saved_tensors
        g_entropy = g_entropy if ctx.entropy else None  # a compiled graph fills in zeros
        grads = [None if g is None else g.to(torch.promote_types(g.dtype, torch.float32))
                 for g in (g_loss, g_lse, g_entropy, g_log_prob)]
        arguments = (input, weight, target, bias, token_weight, class_weight, ctx.options, state, *grads)
        if ctx.communicator is None:
            gradients = torch.ops.ascsan.loss_backward(*arguments, ctx.wanted)
        else:
            gradients = registration.backward(*arguments, ctx.wanted, ctx.vocab_start, ctx.communicator)
        return (*_chosen(gradients, ctx.wanted), *[None] * 8)


def linear_cross_entropy(input, weight, target, *, bias=None, token_weight=None, class_weight=None, vocab_start=0,
                         process_group=None, gradients="auto", return_lse=False, return_entropy=False,
                         return_log_prob=False, **options):
    """Cross entropy of the linear layer input @ weight.T (+ bias) against target.

    input [..., k], weight [n, k], target [...]; leading dimensions are flattened and come back in per-token results.
    process_group: a torch.distributed group (or any object with rank, size, all_gather, all_reduce) whose ranks hold
    consecutive shards of the vocabulary, this one starting at vocab_start. Returns the loss, or a tuple with lse,
    entropy, log_prob (per token) as asked. Options: see ascsan.arrays.
    """
    words = ("auto", "forward", "recompute")
    if gradients not in words:
        raise ValueError(f"gradients: given {gradients!r}, allowed: {', '.join(words)}")
    if not _compiling():
        make_options(**options)  # before any work; a compiled graph checks when it runs
    dtype = _autocast_dtype()
    if dtype is not None and torch.float64 not in (input.dtype, weight.dtype):
        input, weight = input.to(dtype), weight.to(dtype)
    lead = target.shape
    if tuple(input.shape[:-1]) != tuple(lead):
        raise ValueError(f"target: given shape {tuple(lead)}, allowed: that of input without its last dimension, "
                         f"{tuple(input.shape[:-1])}")
    flat = (input.reshape(-1, input.shape[-1]), target.reshape(-1),
            None if token_weight is None else token_weight.reshape(-1))
    communicator = process_group
    if process_group is not None and not hasattr(process_group, "all_gather"):
        communicator = ProcessGroupCommunicator(process_group)
    reduced = options.get("reduction", "mean") != "none"
    extras = return_lse or return_entropy or return_log_prob
    wanted = [torch.is_grad_enabled() and t is not None and t.requires_grad for t in (input, weight, bias)]
    can = reduced and not extras and communicator is None
    if gradients == "forward" and not can:
        raise ValueError("gradients: given 'forward', allowed: only for a reduced loss on one rank without return_*")
    text = pack(options)
    at_once = gradients == "forward" or (gradients == "auto" and can and input.dtype != torch.float16)
    if any(wanted) and at_once:
        return _InForward.apply(flat[0], weight, bias, flat[1], flat[2], class_weight, text, wanted)
    out = _Recompute.apply(flat[0], weight, bias, flat[1], flat[2], class_weight, text, wanted, return_entropy,
                           vocab_start, communicator)
    loss = out[0] if reduced else out[0].reshape(lead)
    chosen = [o.reshape(lead) for o, wish in zip(out[1:], (return_lse, return_entropy, return_log_prob)) if wish]
    return (loss, *chosen) if chosen else loss


class LinearCrossEntropyLoss(torch.nn.Module):
    """linear_cross_entropy with fixed options. The weight stays where it is, e.g. in the model's lm_head."""

    def __init__(self, **options):
        super().__init__()
        known = ("process_group", "vocab_start", "gradients", "return_lse", "return_entropy", "return_log_prob")
        make_options(**{k: v for k, v in options.items() if k not in known})
        self.options = options

    def forward(self, input, weight, target, bias=None, token_weight=None, class_weight=None):
        return linear_cross_entropy(input, weight, target, bias=bias, token_weight=token_weight,
                                    class_weight=class_weight, **self.options)

    def extra_repr(self):
        return ", ".join(f"{k}={v!r}" for k, v in self.options.items())
