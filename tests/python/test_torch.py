"""torch: values and gradients against torch's own linear + cross_entropy, gradcheck, compile, modules, process groups."""

import os
import sys

import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402

import ascsan  # noqa: E402
from ascsan import torch_npu  # noqa: E402
from ascsan.torch import LinearCrossEntropyLoss, linear_cross_entropy  # noqa: E402


def make(dtype=torch.float32, m=29, k=31, n=157, seed=0, grad=True):
    torch.manual_seed(seed)
    x = torch.randn(m, k).to(dtype).requires_grad_(grad)
    w = (torch.randn(n, k) / 4).to(dtype).requires_grad_(grad)
    return x, w, torch.randint(0, n, (m,))


def eager(x, w, t, **options):
    return F.cross_entropy(F.linear(x, w).float() if x.dtype != torch.float64 else F.linear(x, w), t, **options)


@pytest.mark.parametrize("dtype,tol", [(torch.float32, 1e-5), (torch.bfloat16, 2e-2), (torch.float16, 2e-3)])
@pytest.mark.parametrize("gradients", ["forward", "recompute"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_same_as_torch(dtype, tol, gradients, reduction):
    x, w, t = make(dtype)
    t[3] = -100
    want = eager(x.float(), w.float(), t, reduction=reduction, label_smoothing=0.1)
    wx, ww = torch.autograd.grad(want * 0.3, (x, w))
    got = linear_cross_entropy(x, w, t, gradients=gradients, reduction=reduction, label_smoothing=0.1)
    gx, gw = torch.autograd.grad(got * 0.3, (x, w))
    assert got.item() == pytest.approx(want.item(), rel=1e-5)
    assert gx.dtype == dtype and gw.dtype == dtype
    for a, b in ((gx, wx), (gw, ww)):
        assert (a.float() - b.float()).norm() <= tol * b.float().norm()


def test_class_weights_bias_and_shapes():
    x, w, t = make()
    bias = torch.randn(157, requires_grad=True)
    weights = torch.rand(157) + 0.5
    want = F.cross_entropy(F.linear(x, w, bias), t, weight=weights)
    got = linear_cross_entropy(x.reshape(1, 29, 31), w, t.reshape(1, 29), bias=bias, class_weight=weights)
    assert got.item() == pytest.approx(want.item(), rel=1e-5)
    a, b = torch.autograd.grad(got, (bias, x)), torch.autograd.grad(want, (bias, x))
    for p, q in zip(a, b):
        torch.testing.assert_close(p, q, rtol=1e-4, atol=1e-6)
    per = linear_cross_entropy(x.reshape(1, 29, 31), w, t.reshape(1, 29), reduction="none")
    assert per.shape == (1, 29)
    torch.testing.assert_close(per[0], F.cross_entropy(F.linear(x, w), t, reduction="none"), rtol=1e-5, atol=1e-5)


def test_gradcheck():
    x, w, t = make(torch.float64, 4, 3, 6)
    t[1] = -100
    bias = torch.randn(6, dtype=torch.float64, requires_grad=True)

    def everything(x, w, b):
        return linear_cross_entropy(x, w, t, bias=b, reduction="none", softcap=4.0, z_loss=1e-2, label_smoothing=0.1,
                                    return_lse=True, return_entropy=True, return_log_prob=True)

    assert torch.autograd.gradcheck(everything, (x, w, bias))
    assert torch.autograd.gradcheck(lambda x, w, b: linear_cross_entropy(x, w, t, bias=b, gradients="forward"),
                                    (x, w, bias))


def test_backward_twice_and_empty_selection():
    x, w, t = make()
    for mode in ("forward", "recompute"):
        loss = linear_cross_entropy(x, w, t, gradients=mode)
        first = torch.autograd.grad(loss, (x, w), retain_graph=True)
        second = torch.autograd.grad(loss, (x, w), retain_graph=True)
        third = torch.autograd.grad(loss * 2, (x, w))
        for a, b, c in zip(first, second, third):
            assert torch.equal(a, b)
            torch.testing.assert_close(a * 2, c)
        loss = linear_cross_entropy(x, w, torch.full((29,), -100), gradients=mode)
        assert loss.item() == 0 and loss.requires_grad
        gx, gw = torch.autograd.grad(loss, (x, w))
        assert not gx.any() and not gw.any()
        loss = linear_cross_entropy(x[:0], w, t[:0], gradients=mode)
        assert loss.item() == 0 and not torch.autograd.grad(loss, w)[0].any()


@pytest.mark.parametrize("mode", ["forward", "recompute"])
def test_only_wanted_gradients_are_made(mode):
    x, w, t = make(m=300)
    bias = torch.randn(157, requires_grad=True)
    leaves = (x, w, bias)
    want = torch.autograd.grad(linear_cross_entropy(x, w, t, bias=bias, gradients=mode), leaves)
    for wanted in [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 0)]:
        some = [leaf.detach().requires_grad_(bool(wish)) for leaf, wish in zip(leaves, wanted)]
        linear_cross_entropy(some[0], some[1], t, bias=some[2], gradients=mode).backward()
        for leaf, wish, expected in zip(some, wanted, want):
            assert torch.equal(leaf.grad, expected) if wish else leaf.grad is None
    made = torch.ops.ascsan.loss_forward_backward(x, w, t, bias, None, None, "{}", [True, False, False])
    assert [tuple(g.shape) for g in made[1:]] == [(300, 31), (0,), (0,)]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_upstream_factor_is_not_rounded(dtype):
    x, w, t = make(dtype, m=1500)
    plain = torch.autograd.grad(linear_cross_entropy(x, w, t, gradients="forward"), (x, w))
    third = torch.autograd.grad(linear_cross_entropy(x, w, t, gradients="forward") / 3, (x, w))
    for a, b in zip(plain, third):
        assert torch.equal((a.float() * (torch.tensor(1.0) / 3)).to(dtype), b)


@pytest.mark.parametrize("scale", [1.0, 65536.0])  # the second is no float16
def test_scaled_loss_in_float16(scale):
    x, w, t = make(torch.float16, m=2048)
    want = torch.autograd.grad(eager(x.float(), w.float(), t) * scale, (x, w))
    got = torch.autograd.grad(linear_cross_entropy(x, w, t) * scale, (x, w))
    for a, b in zip(got, want):  # unscaled, p / m is a float16 with few bits
        assert (a.float() - b).norm() <= (0.02 if scale == 1 else 2e-3) * b.norm()
    at_once = torch.autograd.grad(linear_cross_entropy(x, w, t, gradients="forward") * scale, (x, w))
    assert all(torch.isfinite(g).all() for g in at_once)


def test_autocast_takes_the_matrices_in_its_dtype():
    x, w, t = make(m=64)
    half = [v.detach().to(torch.bfloat16).requires_grad_() for v in (x, w)]
    want = linear_cross_entropy(*half, t)
    wide = torch.autograd.grad(want, half)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        got = linear_cross_entropy(x, w, t)
        mixed = linear_cross_entropy(half[0], w, t)
    assert got.item() == want.item() == mixed.item() and got.dtype == torch.float32
    for g, h in zip(torch.autograd.grad(got, (x, w)), wide):
        assert g.dtype == torch.float32 and torch.equal(g, h.float())
    x64, w64, _ = make(torch.float64, m=64)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert linear_cross_entropy(x64, w64, t).dtype == torch.float64
    with pytest.raises(ascsan.ArgumentError, match="weight"):
        linear_cross_entropy(half[0], w, t)


def test_module_and_sgd_step():
    x, w, t = make()
    head = LinearCrossEntropyLoss(temperature=0.7, reduction="mean")
    assert "temperature=0.7" in repr(head)
    before = head(x, w, t)
    before.backward()
    with torch.no_grad():
        w -= 0.5 * w.grad
    assert head(x, w, t) < before
    with pytest.raises(ascsan.ArgumentError, match="label_smoothing"):
        LinearCrossEntropyLoss(label_smoothing=2.0)
    with pytest.raises(ascsan.ArgumentError, match="logit_softcap"):
        LinearCrossEntropyLoss(logit_softcap=30.0)


def test_names_of_torch_npu():
    x, w, t = make(torch.bfloat16, grad=False)
    t = t.int()
    out = torch_npu.npu_fused_linear_online_max_sum(x, w, t, 0, 157, True)
    loss, softmax = torch_npu.npu_fused_cross_entropy_loss_with_max_sum(*out[:3], vocab_parallel_logits=out[5])
    want = F.cross_entropy(out[5].float(), t.long(), reduction="none")
    torch.testing.assert_close(loss, want, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(softmax, out[5].float().softmax(1), rtol=1e-4, atol=1e-6)
    kept = softmax.clone()
    grad = torch.rand(29)
    dx, dw = torch_npu.npu_fused_linear_cross_entropy_loss_with_max_sum_backward(grad, x, w, out[3], out[4], 0.0, None,
                                                                                 None, softmax)
    assert torch.equal(kept, softmax) and dx.dtype == torch.bfloat16
    rx, rw = torch_npu.fused_linear_cross_entropy_loss_with_max_sum_grad(grad, x, w, out[3], out[4], 0.0, out[0],
                                                                         out[1])
    torch.testing.assert_close(dw, rw, rtol=0.02, atol=0.02)
    unpacked = torch.zeros(29, dtype=torch.bool)
    bx, _ = torch_npu.fused_linear_cross_entropy_loss_with_max_sum_grad(grad, x, w, unpacked, out[4], 0.0, out[0],
                                                                        out[1])
    assert torch.equal(bx, rx)
    assert torch_npu.fused_linear_online_max_sum(x, w, t, 0, 157)[5] is None
    ops = torch.ops.ascsan
    same = ops.fused_linear_online_max_sum(x, w, t, 0, 157, False)
    assert all(torch.equal(a, b) for a, b in zip(same[:5], out[:5]))


def test_views_transposed_and_expanded():
    x, w, t = make(grad=False)
    base = linear_cross_entropy(x, w, t, reduction="none")
    assert torch.equal(linear_cross_entropy(x.t().contiguous().t(), w, t, reduction="none"), base)
    assert torch.equal(linear_cross_entropy(x, w.t().contiguous().t(), torch.stack([t, t], 1)[:, 0], reduction="none"),
                       base)
    one = linear_cross_entropy(x[:1].expand(29, 31), w, t[:1].expand(29), reduction="none")
    assert torch.equal(one, base[:1].expand(29))


def test_meta_and_compile():
    x, w, t = make()
    meta = [v.detach().to("meta") for v in (x, w, t)]
    shapes = torch.ops.ascsan.loss_forward(*meta, None, None, None, "{}")
    assert [tuple(s.shape) for s in shapes] == [(), (29,), (29,), (29,), (120,)]
    shapes = torch.ops.ascsan.loss_forward(*meta, None, None, None, "{'reduction': 'none'}", False)
    assert [tuple(s.shape) for s in shapes] == [(29,), (29,), (0,), (29,), (120,)]
    if sys.version_info >= (3, 11) and not hasattr(torch, "compiler") or not hasattr(torch, "compile"):
        pytest.skip("this torch has no compiler")
    want = linear_cross_entropy(x, w, t)
    wx, ww = torch.autograd.grad(want * 0.5, (x, w))
    for mode in ("forward", "recompute"):
        step = torch.compile(lambda a, b: linear_cross_entropy(a * 1.0, b, t, gradients=mode) * 0.5,
                             backend="aot_eager", fullgraph=True)
        got = step(x, w)
        gx, gw = torch.autograd.grad(got, (x, w))
        torch.testing.assert_close(got, want * 0.5)
        torch.testing.assert_close(gx, wx, rtol=1e-4, atol=1e-6)
        torch.testing.assert_close(gw, ww, rtol=1e-4, atol=1e-6)


def _rank(rank, size, port, queue):
    import torch.distributed as dist
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=size)
    x, w, t = make(m=300)
    cuts = [0, 100, 100, 157]
    shard = w.detach()[cuts[rank]:cuts[rank + 1]].clone().requires_grad_()
    loss, entropy = linear_cross_entropy(x, shard, t, process_group=dist.group.WORLD, vocab_start=cuts[rank],
                                         return_entropy=True)
    (loss + 0.1 * entropy.sum()).backward()
    queue.put((rank, loss.item(), x.grad.tolist(), shard.grad.reshape(-1).tolist()))
    dist.barrier()
    dist.destroy_process_group()


def test_torch_distributed():
    import torch.distributed as dist
    if not dist.is_available() or not dist.is_gloo_available() if hasattr(dist, "is_gloo_available") else False:
        pytest.skip("this torch has no gloo")
    import socket

    import torch.multiprocessing as mp
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    context = mp.get_context("spawn")
    queue = context.Queue()
    workers = [context.Process(target=_rank, args=(r, 3, port, queue)) for r in range(3)]
    for p in workers:
        p.start()
    results = sorted((queue.get(timeout=120) for _ in workers), key=lambda r: r[0])
    for p in workers:
        p.join(60)
        assert p.exitcode == 0
    x, w, t = make(m=300)
    loss, entropy = linear_cross_entropy(x, w, t, return_entropy=True)
    (loss + 0.1 * entropy.sum()).backward()
    for _, value, gx, _ in results:
        assert value == pytest.approx(loss.item(), rel=1e-6)
        torch.testing.assert_close(torch.tensor(gx), x.grad, rtol=1e-5, atol=1e-6)
    whole = torch.tensor([x for r in results for x in r[3]])
    torch.testing.assert_close(whole, w.grad.reshape(-1), rtol=1e-5, atol=1e-6)
