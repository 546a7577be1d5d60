"""The three operators on arrays. Argument names and order are those of torch_npu; options are keyword only.

fused_linear_online_max_sum -> (logits_max, sum_exp_logits, predicted_logits, target_mask, masked_target, logits or None)
fused_cross_entropy_loss_with_max_sum -> (loss, softmax or None)
fused_linear_cross_entropy_loss_with_max_sum_grad -> (input_grad, weight_grad)

Formulae, shapes and errors: docs/operators. Inputs are never modified (except `softmax` with inplace_softmax=True).
"""

from . import _flce
from ._memory import as_input, check_rank, empty_like, stats_dtype

ArgumentError = _flce.ArgumentError


def fused_linear_online_max_sum(input, weight, target, vocab_start_index, vocab_end_index, return_logits=False, *,
                                vocab_range="exclusive", mask_pad="device", logits_dtype="input", validate="shape",
                                vocab_size=-1, ignore_index=-100, device_limits=False, threads=0):
    check_rank("input", input, 2)
    check_rank("weight", weight, 2)
    check_rank("target", target, 1)
    m, n = input.shape[0], weight.shape[0]
    stats = [empty_like(input, (m,), stats_dtype(input)) for _ in range(3)]
    mask = empty_like(input, ((m + 7) // 8,), "uint8")
    masked = empty_like(target if _same_kind(target, input) else input, (m,), _index_name(target))
    logits = empty_like(input, (m, n), "input") if return_logits else None
    _flce.online_max_sum(as_input("input", input), as_input("weight", weight), as_input("target", target),
                         int(vocab_start_index), int(vocab_end_index), *[as_input("output", s) for s in stats],
                         as_input("target_mask", mask), as_input("masked_target", masked),
                         as_input("logits", logits), vocab_range, mask_pad, logits_dtype, validate, vocab_size,
                         ignore_index, device_limits, threads)
    return (*stats, mask, masked, logits)


def fused_cross_entropy_loss_with_max_sum(logits_max, sum_exp_logits, predicted_logits, *, label_smoothing=0.0,
                                          input=None, weight=None, vocab_parallel_logits=None, threads=0):
    for name, value in (("input", input), ("weight", weight)):
        if value is not None:
            raise ArgumentError(f"{name}: given an array, allowed: None (the argument is reserved)")
    check_rank("logits_max", logits_max, 1)
    loss = empty_like(logits_max, tuple(logits_max.shape), stats_dtype(logits_max))
    softmax = None
    if vocab_parallel_logits is not None:
        check_rank("vocab_parallel_logits", vocab_parallel_logits, 2)
        softmax = empty_like(logits_max, tuple(vocab_parallel_logits.shape), stats_dtype(logits_max))
    _flce.loss_with_max_sum(as_input("logits_max", logits_max), as_input("sum_exp_logits", sum_exp_logits),
                            as_input("predicted_logits", predicted_logits), as_input("loss", loss),
                            as_input("vocab_parallel_logits", vocab_parallel_logits), as_input("softmax", softmax),
                            float(label_smoothing), threads)
    return loss, softmax


def fused_linear_cross_entropy_loss_with_max_sum_grad(grad, input, weight, target_mask, masked_target,
                                                      label_smoothing=0.0, logits_max=None, sum_exp_logits=None,
                                                      softmax=None, *, logits_dtype="input", dlogits_dtype="input",
                                                      validate="shape", grad_dtype="input", input_grad=None,
                                                      weight_grad=None, accumulate_input_grad=False,
                                                      accumulate_weight_grad=False, inplace_softmax=False,
                                                      device_limits=False, threads=0):
    """`input_grad`/`weight_grad` may be given as buffers of any floating dtype, e.g. a float32 main_grad to add to."""
    check_rank("input", input, 2)
    check_rank("weight", weight, 2)
    for name, buffer, wish in (("accumulate_input_grad", input_grad, accumulate_input_grad),
                               ("accumulate_weight_grad", weight_grad, accumulate_weight_grad)):
        if wish and buffer is None:
            raise ArgumentError(f"{name}: given True, allowed: True only together with the buffer to add to")
    if input_grad is None:
        input_grad = empty_like(input, tuple(input.shape), grad_dtype)
    if weight_grad is None:
        weight_grad = empty_like(weight, tuple(weight.shape), grad_dtype)
    _flce.loss_grad(as_input("grad", grad), as_input("input", input), as_input("weight", weight),
                    as_input("target_mask", target_mask), as_input("masked_target", masked_target),
                    as_input("input_grad", input_grad), as_input("weight_grad", weight_grad), float(label_smoothing),
                    as_input("logits_max", logits_max), as_input("sum_exp_logits", sum_exp_logits),
                    as_input("softmax", softmax), logits_dtype, dlogits_dtype, validate, accumulate_input_grad,
                    accumulate_weight_grad, inplace_softmax, device_limits, threads)
    return input_grad, weight_grad


def _index_name(target):
    name = str(target.dtype).replace("torch.", "")
    if name not in ("int32", "int64"):
        raise ArgumentError(f"target: given dtype {name}, allowed: int32, int64")
    return name


def _same_kind(a, b):
    from ._memory import is_torch
    return is_torch(a) == is_torch(b)
