"""The differentiable loss head.

Two ways to the gradients. "forward": they are made while the logits of a chunk are at hand, three matrix products in
total; possible when only a reduced loss is asked for on one rank. Saved gradients are never changed in place, so
backward may run twice. "recompute": forward keeps four numbers per token, backward computes the logits again, four
products and no [n, k] buffer alive in between; needed for reduction="none", for gradients of lse, entropy and log_prob
and with a process group. "auto" takes the first where it can.
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


class _InForward(torch.autograd.Function):

    @staticmethod
    def forward(ctx, input, weight, bias, target, token_weight, class_weight, options):
        loss, dx, dw, db = torch.ops.ascsan.loss_forward_backward(input, weight, target, bias, token_weight,
                                                                  class_weight, options)
        ctx.save_for_backward(dx, dw, db)
        ctx.has_bias = bias is not None
        return loss

    @staticmethod
    def backward(ctx, grad):
        dx, dw, db = ctx.saved_tensors
        if _compiling() or float(grad) != 1.0:
            dx, dw, db = dx * grad.to(dx.dtype), dw * grad.to(dw.dtype), db * grad.to(db.dtype)
        return dx, dw, db if ctx.has_bias else None, None, None, None, None


class _Recompute(torch.autograd.Function):

    @staticmethod
    def forward(ctx, input, weight, bias, target, token_weight, class_weight, options, vocab_start, communicator):
        if communicator is None:
            out = torch.ops.ascsan.loss_forward(input, weight, target, bias, token_weight, class_weight, options)
        else:
            out = registration.forward(input, weight, target, bias, token_weight, class_weight, options, vocab_start,
                                       communicator)
        ctx.save_for_backward(input, weight, bias, target, token_weight, class_weight, out[4])
        ctx.options, ctx.vocab_start, ctx.communicator = options, vocab_start, communicator
        ctx.set_materialize_grads(False)
        return out[0], out[1], out[2], out[3]

    @staticmethod
    def backward(ctx, g_loss, g_lse, g_entropy, g_log_prob):
        if g_loss is None and g_lse is None and g_entropy is None and g_log_prob is None:
            return (None,) * 9
        input, weight, bias, target, token_weight, class_weight, state = ctx.saved_tensors
        grads = [None if g is None else g.to(torch.promote_types(g.dtype, torch.float32))
                 for g in (g_loss, g_lse, g_entropy, g_log_prob)]
        arguments = (input, weight, target, bias, token_weight, class_weight, ctx.options, state, *grads)
        if ctx.communicator is None:
            dx, dw, db = torch.ops.ascsan.loss_backward(*arguments)
        else:
            dx, dw, db = registration.backward(*arguments, ctx.vocab_start, ctx.communicator)
        return dx, dw, db if bias is not None else None, None, None, None, None, None, None


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
    needs = torch.is_grad_enabled() and any(
        t is not None and t.requires_grad for t in (input, weight, bias))
    can = reduced and not extras and communicator is None
    if gradients == "forward" and not can:
        raise ValueError("gradients: given 'forward', allowed: only for a reduced loss on one rank without return_*")
    text = pack(options)
    if needs and can and gradients != "recompute":
        return _InForward.apply(flat[0], weight, bias, flat[1], flat[2], class_weight, text)
    out = _Recompute.apply(flat[0], weight, bias, flat[1], flat[2], class_weight, text, vocab_start, communicator)
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
