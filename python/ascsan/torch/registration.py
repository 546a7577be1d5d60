"""torch.ops.ascsan: the operators as dispatcher entries, with CPU and Meta (fake) implementations.

A schema holds what the graph needs; options of the composed loss travel as one string (see pack/unpack), because
schemas of torch 1.13 and of current releases agree on strings and tensors and on little else.
"""

import ast

import torch

from .. import _flce, operators
from .._memory import as_input, stats_dtype
from ..arrays import make_options, views

LIBRARY = torch.library.Library("ascsan", "DEF")


def pack(options):
    """A literal that torch.compile can build while it traces."""
    return "{" + ", ".join([f"'{name}': {options[name]!r}" for name in sorted(options)]) + "}"


def _options(text):
    return ast.literal_eval(text)


def unpack(text):
    return make_options(**_options(text))


def _stats(input):
    return torch.float64 if input.dtype == torch.float64 else torch.float32


def _register(schema, cpu, meta):
    name = LIBRARY.define(schema).split("(")[0]
    LIBRARY.impl(name.split("::")[-1], cpu, "CPU")
    LIBRARY.impl(name.split("::")[-1], meta, "Meta")
    if torch.__version__.startswith("1."):  # has no fall-through from here to Meta
        LIBRARY.impl(name.split("::")[-1], meta, "AutogradMeta")


def _max_sum(input, weight, target, vocab_start_index, vocab_end_index, return_logits=False):
    out = operators.fused_linear_online_max_sum(input, weight, target, vocab_start_index, vocab_end_index,
                                                return_logits)
    return (*out[:5], out[5] if return_logits else input.new_empty((0, 0)))


def _max_sum_meta(input, weight, target, vocab_start_index, vocab_end_index, return_logits=False):
    m, n = input.shape[0], weight.shape[0]
    stats = [input.new_empty((m,), dtype=_stats(input)) for _ in range(3)]
    return (*stats, input.new_empty(((m + 7) // 8,), dtype=torch.uint8), torch.empty_like(target),
            input.new_empty((m, n) if return_logits else (0, 0)))


_register(
    "fused_linear_online_max_sum(Tensor input, Tensor weight, Tensor target, int vocab_start_index, "
    "int vocab_end_index, bool return_logits=False) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)", _max_sum,
    _max_sum_meta)


def _loss(logits_max, sum_exp_logits, predicted_logits, vocab_parallel_logits=None):
    loss, softmax = operators.fused_cross_entropy_loss_with_max_sum(logits_max, sum_exp_logits, predicted_logits,
                                                                    vocab_parallel_logits=vocab_parallel_logits)
    return loss, softmax if softmax is not None else logits_max.new_empty((0, 0))


def _loss_meta(logits_max, sum_exp_logits, predicted_logits, vocab_parallel_logits=None):
    shape = (0, 0) if vocab_parallel_logits is None else vocab_parallel_logits.shape
    return torch.empty_like(logits_max), logits_max.new_empty(shape)


_register(
    "fused_cross_entropy_loss_with_max_sum(Tensor logits_max, Tensor sum_exp_logits, Tensor predicted_logits, "
    "Tensor? vocab_parallel_logits=None) -> (Tensor, Tensor)", _loss, _loss_meta)


def _grad(grad, input, weight, target_mask, masked_target, logits_max=None, sum_exp_logits=None,
          softmax=None):
    return operators.fused_linear_cross_entropy_loss_with_max_sum_grad(grad, input, weight, target_mask, masked_target,
                                                                       0.0, logits_max, sum_exp_logits, softmax)


def _grad_meta(grad, input, weight, target_mask, masked_target, logits_max=None, sum_exp_logits=None,
          softmax=None):
    return input.new_empty(input.shape), weight.new_empty(weight.shape)


_register(
    "fused_linear_cross_entropy_loss_with_max_sum_grad(Tensor grad, Tensor input, Tensor weight, Tensor target_mask, "
    "Tensor masked_target, Tensor? logits_max=None, Tensor? sum_exp_logits=None, Tensor? softmax=None) "
    "-> (Tensor, Tensor)", _grad, _grad_meta)

# The composed loss. Communicators are Python objects and stay outside the dispatcher; see loss.py.


def forward(input, weight, target, bias, token_weight, class_weight, options, entropy=True, vocab_start=0,
            communicator=None):
    """(loss, lse, entropy or an empty tensor, log_prob, state)"""
    m, kind = input.shape[0], _stats(input)
    none = _options(options).get("reduction", "mean") == "none"
    loss = input.new_empty((m if none else 1,), dtype=kind)
    extra = [input.new_empty((m if wanted else 0,), dtype=kind) for wanted in (True, entropy, True)]
    state = input.new_empty((4 * m + 4,), dtype=torch.float64)
    _flce.loss_forward(*views(input, weight, target, bias, token_weight, class_weight), vocab_start, communicator,
                       unpack(options), as_input("loss", loss), as_input("lse", extra[0]),
                       as_input("entropy", extra[1]) if entropy else None, as_input("log_prob", extra[2]),
                       as_input("state", state), False)
    return (loss if none else loss.reshape(()), *extra, state)


def _gradients(input, weight, bias, output_mask):
    """An uninitialised tensor for each gradient that is wanted, else None."""
    return [torch.empty(t.shape, dtype=t.dtype) if wanted and t is not None else None
            for t, wanted in zip((input, weight, bias), output_mask)]


def _or_empty(like, gradients):
    """A dispatcher entry returns tensors only."""
    return tuple(like.new_empty((0,)) if g is None else g for g in gradients)


def backward(input, weight, target, bias, token_weight, class_weight, options, state, g_loss, g_lse, g_entropy,
             g_log_prob, output_mask, vocab_start=0, communicator=None):
    """(input_grad, weight_grad, bias_grad), empty tensors where output_mask says no"""
    dx, dw, db = _gradients(input, weight, bias, output_mask)
    flat = [None if g is None else as_input("grad", g.reshape(-1) if g.dim() == 0 else g)
            for g in (g_loss, g_lse, g_entropy, g_log_prob)]
    _flce.loss_backward(*views(input, weight, target, bias, token_weight, class_weight), vocab_start, communicator,
                        unpack(options), as_input("state", state), *flat, as_input("input_grad", dx),
                        as_input("weight_grad", dw), as_input("bias_grad", db), False, False)
    return _or_empty(input, (dx, dw, db))


def forward_backward(input, weight, target, bias, token_weight, class_weight, options, output_mask):
    """(loss, input_grad, weight_grad, bias_grad): three products, one less for each gradient that output_mask leaves
    out, whose place an empty tensor takes"""
    loss = input.new_empty((1,), dtype=_stats(input))
    dx, dw, db = _gradients(input, weight, bias, output_mask)
    _flce.loss_forward_backward(*views(input, weight, target, bias, token_weight, class_weight), unpack(options),
                                as_input("loss", loss), as_input("input_grad", dx), as_input("weight_grad", dw),
                                as_input("bias_grad", db), False)
    return (loss.reshape(()), *_or_empty(input, (dx, dw, db)))


def _forward_meta(input, weight, target, bias, token_weight, class_weight, options, entropy=True):
    m, kind = input.shape[0], _stats(input)
    none = _options(options).get("reduction", "mean") == "none"
    return (input.new_empty((m,) if none else (), dtype=kind),
            *[input.new_empty((m if wanted else 0,), dtype=kind) for wanted in (True, entropy, True)],
            input.new_empty((4 * m + 4,), dtype=torch.float64))


def _gradients_meta(input, weight, bias, output_mask):
    return _or_empty(input, [t.new_empty(t.shape) if wanted and t is not None else None
                             for t, wanted in zip((input, weight, bias), output_mask)])


_INPUTS = ("Tensor input, Tensor weight, Tensor target, Tensor? bias, Tensor? token_weight, Tensor? class_weight, "
           "str options")
_register(f"loss_forward({_INPUTS}, bool entropy=True) -> (Tensor, Tensor, Tensor, Tensor, Tensor)", forward,
          _forward_meta)
_register(
    f"loss_backward({_INPUTS}, Tensor state, Tensor? g_loss, Tensor? g_lse, Tensor? g_entropy, Tensor? g_log_prob, "
    "bool[3] output_mask) -> (Tensor, Tensor, Tensor)", backward,
    lambda input, weight, target, bias, tw, cw, options, state, a, b, c, d, output_mask:
    _gradients_meta(input, weight, bias, output_mask))
_register(
    f"loss_forward_backward({_INPUTS}, bool[3] output_mask) -> (Tensor, Tensor, Tensor, Tensor)", forward_backward,
    lambda input, weight, target, bias, tw, cw, options, output_mask:
    (input.new_empty((), dtype=_stats(input)), *_gradients_meta(input, weight, bias, output_mask)))

__all__ = ["pack", "forward", "backward", "forward_backward", "stats_dtype"]
