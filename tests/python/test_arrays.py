"""numpy, ml_dtypes and DLPack arrays: zero copy, every format, strides, errors. Reference: numpy in float64."""

import numpy as np
import pytest

import ascsan

ml_dtypes = pytest.importorskip("ml_dtypes")
FORMATS = [(np.float32, 1e-5), (np.float16, 1e-5), (ml_dtypes.bfloat16, 1e-5), (np.float64, 1e-12)]


def make(dtype, m=13, k=17, n=101, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((m, k)).astype(dtype)
    w = (rng.standard_normal((n, k)) / 4).astype(dtype)
    return x, w, rng.integers(0, n, m), rng


def reference(x, w, t):
    logits = x.astype(np.float64) @ w.astype(np.float64).T
    top = logits.max(1)
    lse = top + np.log(np.exp(logits - top[:, None]).sum(1))
    p = np.exp(logits - lse[:, None])
    return lse - logits[np.arange(len(t)), t], p, logits, lse


@pytest.mark.parametrize("dtype,tol", FORMATS)
def test_composed_loss_and_gradients(dtype, tol):
    x, w, t, _ = make(dtype)
    nll, p, _, lse = reference(x, w, t)
    loss, got_lse, entropy, log_prob = ascsan.linear_cross_entropy(
        x, w, t, reduction="none", return_lse=True, return_entropy=True, return_log_prob=True)
    np.testing.assert_allclose(loss, nll, rtol=tol, atol=tol)
    np.testing.assert_allclose(got_lse, lse, rtol=tol, atol=tol)
    np.testing.assert_allclose(log_prob, -nll, rtol=tol, atol=tol)
    np.testing.assert_allclose(entropy, -(p * np.log(p)).sum(1), rtol=tol, atol=tol)
    d = p.copy()
    d[np.arange(13), t] -= 1
    mean, dx, dw = ascsan.linear_cross_entropy_with_gradients(x, w, t, dlogits_dtype="float32", grad_dtype="float64")
    assert mean == pytest.approx(nll.mean(), rel=tol)
    np.testing.assert_allclose(dx, d @ w.astype(np.float64) / 13, rtol=1e-4, atol=tol)
    np.testing.assert_allclose(dw, d.T @ x.astype(np.float64) / 13, rtol=1e-4, atol=tol)
    _, dx, dw = ascsan.linear_cross_entropy_with_gradients(x, w, t)
    assert dx.dtype == x.dtype and dw.dtype == w.dtype


@pytest.mark.parametrize("dtype,tol", FORMATS)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_operators(dtype, tol, index):
    x, w, t, rng = make(dtype)
    t = t.astype(index)
    top, total, predicted, mask, masked, logits = ascsan.fused_linear_online_max_sum(x, w, t, 0, 101, True)
    assert logits.dtype == x.dtype and masked.dtype == index and mask.dtype == np.uint8
    loss, softmax = ascsan.fused_cross_entropy_loss_with_max_sum(top, total, predicted, vocab_parallel_logits=logits)
    seen = logits.astype(np.float64)
    want = np.log(np.exp(seen).sum(1)) - seen[np.arange(13), t]
    np.testing.assert_allclose(loss, want, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(softmax.sum(1), 1, atol=1e-5)
    grad = rng.standard_normal(13).astype(top.dtype)
    dx, dw = ascsan.fused_linear_cross_entropy_loss_with_max_sum_grad(grad, x, w, mask, masked, 0.0, top, total)
    sx, sw = ascsan.fused_linear_cross_entropy_loss_with_max_sum_grad(grad, x, w, mask, masked, softmax=softmax)
    for a, b in ((dx, sx), (dw, sw)):
        np.testing.assert_allclose(a.astype(np.float64), b.astype(np.float64), rtol=0.03, atol=0.02)


def test_no_copy_strides_and_read_only():
    x, w, t, _ = make(np.float32)
    base = ascsan.linear_cross_entropy(x, w, t, reduction="none")
    wide = np.zeros((26, 40), np.float32)
    view = wide[::2, 3:37:2]
    view[...] = x
    labels = np.repeat(t, 3)[::3]
    fixed = w.copy()
    fixed.flags.writeable = False
    np.testing.assert_array_equal(ascsan.linear_cross_entropy(view, fixed, labels, reduction="none"), base)
    np.testing.assert_array_equal(ascsan.linear_cross_entropy(np.asfortranarray(x), w, t, reduction="none"), base)
    np.testing.assert_array_equal(ascsan.linear_cross_entropy(x[::-1], w, t[::-1], reduction="none"), base[::-1])
    buffer = np.ones_like(w)
    top, total, _, mask, masked, _ = ascsan.fused_linear_online_max_sum(x, w, t, 0, 101)
    ones = np.ones(13, np.float32)
    _, dw = ascsan.fused_linear_cross_entropy_loss_with_max_sum_grad(ones, x, w, mask, masked, 0, top, total)
    _, same = ascsan.fused_linear_cross_entropy_loss_with_max_sum_grad(ones, x, w, mask, masked, 0, top, total,
                                                                       weight_grad=buffer, accumulate_weight_grad=True)
    assert same is buffer
    np.testing.assert_allclose(buffer, dw + 1, rtol=1e-6)


def test_threads_and_instruction_sets_agree():
    x, w, t, _ = make(np.float32, 300, 40, 700)
    base = ascsan.linear_cross_entropy_with_gradients(x, w, t, threads=1)
    for got in (ascsan.linear_cross_entropy_with_gradients(x, w, t, threads=n) for n in (2, 5)):
        for a, b in zip(got, base):
            np.testing.assert_array_equal(a, b)
    for name in ascsan.available_isas():
        ascsan.set_isa(name)
        for a, b in zip(ascsan.linear_cross_entropy_with_gradients(x, w, t), base):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
    ascsan.set_isa("")


@pytest.mark.parametrize("change,word", [
    (dict(label_smoothing=1.5), "label_smoothing"),
    (dict(temperature=0.0), "temperature"),
    (dict(reduction="average"), "reduction"),
    (dict(logits_dtype="float16"), "logits_dtype"),
    (dict(soft_cap=30.0), "soft_cap"),
    (dict(vocab_start=3), "vocab_start"),
    (dict(bias=np.zeros(100, np.float32)), "bias"),
    (dict(token_weight=np.zeros((13, 1), np.float32)), "token_weight"),
])
def test_refusals(change, word):
    x, w, t, _ = make(np.float32)
    with pytest.raises(ascsan.ArgumentError, match=f"{word}.*given.*allowed"):
        ascsan.linear_cross_entropy(x, w, t, **change)


def test_more_refusals():
    x, w, t, _ = make(np.float32)
    bad = t.copy()
    bad[4] = 101
    with pytest.raises(ascsan.ArgumentError, match="target.*101.*position 4"):
        ascsan.linear_cross_entropy(x, w, bad)
    for wrong in (t.astype(np.float32), t[:5], t.reshape(13, 1)):
        with pytest.raises(ascsan.ArgumentError, match="target"):
            ascsan.linear_cross_entropy(x, w, wrong)
    with pytest.raises(ascsan.ArgumentError, match="weight"):
        ascsan.linear_cross_entropy(x, w.astype(np.float16), t)
    with pytest.raises(ascsan.ArgumentError, match="input"):
        ascsan.linear_cross_entropy(x.astype(np.uint16), w, t)
    with pytest.raises(ascsan.ArgumentError, match="vocab_end_index.*inclusive"):
        t[0] = 100
        ascsan.fused_linear_online_max_sum(x, w, t, 0, 100, validate="values")
    stats = ascsan.fused_linear_online_max_sum(x, w, t, 0, 101)[:3]
    for name in ("input", "weight"):
        with pytest.raises(ascsan.ArgumentError, match=name):
            ascsan.fused_cross_entropy_loss_with_max_sum(*stats, **{name: x})
    with pytest.raises(ascsan.ArgumentError, match="label_smoothing"):
        ascsan.fused_cross_entropy_loss_with_max_sum(*stats, label_smoothing=0.1)


def test_dlpack_of_jax():
    jax = pytest.importorskip("jax")
    x, w, t, _ = make(np.float32)
    got = ascsan.linear_cross_entropy(jax.numpy.asarray(x), jax.numpy.asarray(w), jax.numpy.asarray(t))
    assert got == pytest.approx(reference(x, w, t)[0].mean(), rel=1e-5)
