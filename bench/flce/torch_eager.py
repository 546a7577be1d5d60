"""Times torch eager (linear, float, cross_entropy) for bench_flce. Reads "m k n threads dtype mode" lines, answers
seconds.

dtype: a name of torch; mode: "forward" or "both". Keeps the tensors of the last shape; gradients are dropped before
each run, so that every run pays for its own buffers, as a training step does.
"""

import sys
import time

import torch
import torch.nn.functional as F

print("ready", torch.__version__, flush=True)
shape, x, w, t = None, None, None, None
for line in sys.stdin:
    m, k, n, threads, dtype, mode = line.split()
    wish = (int(m), int(k), int(n), getattr(torch, dtype))
    torch.set_num_threads(int(threads))
    if wish != shape:
        shape = wish
        x = torch.randn(wish[0], wish[1]).to(wish[3]).requires_grad_()
        w = (torch.randn(wish[2], wish[1]) / wish[1]**0.5).to(wish[3]).requires_grad_()
        t = torch.randint(0, wish[2], (wish[0],))
    x.grad = w.grad = None
    begin = time.perf_counter()
    if mode == "forward":
        with torch.no_grad():
            F.cross_entropy(F.linear(x, w).float(), t)
    else:
        F.cross_entropy(F.linear(x, w).float(), t).backward()
    print(time.perf_counter() - begin, flush=True)
