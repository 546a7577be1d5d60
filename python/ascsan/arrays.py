"""The composed loss on numpy and DLPack arrays.

    loss = linear_cross_entropy(x, w, target)
    loss, dx, dw = linear_cross_entropy_with_gradients(x, w, target)

Options of both: ignore_index, reduction ("none", "mean", "sum"), normalizer, empty_mean ("zero", "nan"),
label_smoothing, label_smoothing_formula ("pytorch", "megatron"), z_loss, softcap, logit_scale, temperature,
logits_dtype, dlogits_dtype ("input", "float32"), validate ("values", "shape", "off"), chunk_rows, threads.
"""

from . import _flce
from ._memory import as_input, check_rank, empty_like, stats_dtype

_DEFAULTS = dict(ignore_index=-100, reduction="mean", normalizer=0.0, empty_mean="zero", label_smoothing=0.0,
                 label_smoothing_formula="pytorch", z_loss=0.0, softcap=0.0, logit_scale=1.0, temperature=1.0,
                 logits_dtype="float32", dlogits_dtype="input", validate="values", chunk_rows=0, threads=0)


def make_options(**options):
    """The extension's options; an unknown name is an error, not a silently ignored wish."""
    unknown = sorted(set(options) - set(_DEFAULTS))
    if unknown:
        raise _flce.ArgumentError(f"{unknown[0]}: given an unknown option, allowed: {', '.join(_DEFAULTS)}")
    merged = {**_DEFAULTS, **options}
    merged["softcap"] = merged["softcap"] or 0.0
    return _flce.Options(**merged)


def views(input, weight, target, bias, token_weight, class_weight):
    check_rank("input", input, 2)
    check_rank("weight", weight, 2)
    check_rank("target", target, 1)
    return (as_input("input", input), as_input("weight", weight), as_input("target", target), as_input("bias", bias),
            as_input("token_weight", token_weight), as_input("class_weight", class_weight))


def linear_cross_entropy(input, weight, target, *, bias=None, token_weight=None, class_weight=None, vocab_start=0,
                         communicator=None, return_lse=False, return_entropy=False, return_log_prob=False, **options):
    """Loss, or a tuple of loss and what return_* ask for, in the order lse, entropy, log_prob."""
    made = make_options(**options)
    kind, m = stats_dtype(input), input.shape[0]
    none = options.get("reduction", "mean") == "none"
    loss = empty_like(input, (m,) if none else (1,), kind)
    extra = [empty_like(input, (m,), kind) if wish else None for wish in (return_lse, return_entropy, return_log_prob)]
    state = empty_like(input, (4 * m + 4,), "float64")
    _flce.loss_forward(*views(input, weight, target, bias, token_weight, class_weight), vocab_start, communicator,
                       made, as_input("loss", loss), *[as_input("output", e) for e in extra],
                       as_input("state", state), False)
    if not none:
        loss = loss.reshape(())
    chosen = [e for e in extra if e is not None]
    return (loss, *chosen) if chosen else loss


def linear_cross_entropy_with_gradients(input, weight, target, *, bias=None, token_weight=None, class_weight=None,
                                        grad_dtype="input", **options):
    """(loss, input_grad, weight_grad[, bias_grad]) of the reduced loss, gradients made in the forward pass."""
    made = make_options(**options)
    if options.get("reduction", "mean") == "none":
        raise _flce.ArgumentError("reduction: given \"none\", allowed: \"mean\", \"sum\"")
    loss = empty_like(input, (1,), stats_dtype(input))
    dx = empty_like(input, tuple(input.shape), grad_dtype)
    dw = empty_like(weight, tuple(weight.shape), grad_dtype)
    db = None if bias is None else empty_like(bias, tuple(bias.shape), "input")
    _flce.loss_forward_backward(*views(input, weight, target, bias, token_weight, class_weight), made,
                                as_input("loss", loss), as_input("input_grad", dx), as_input("weight_grad", dw),
                                as_input("bias_grad", db), False)
    return (loss.reshape(()), dx, dw) if db is None else (loss.reshape(()), dx, dw, db)
