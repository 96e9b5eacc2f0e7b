"""Probes of Triton, in its interpreter on the CPU (TRITON_INTERPRET=1), by which kernels are tried where there is no GPU."""
import os
import numpy as np
from probes import probe

@probe("triton-bf16-cast", "triton", "product", "", "product=bf16", "tl.float32 products, .to(tl.bfloat16), in the interpreter; declared: rounded to bfloat16")
def triton_cast():
    os.environ["TRITON_INTERPRET"] = "1"
    import torch
    global triton, tl  # a kernel finds its names in its module
    import triton
    import triton.language as tl

    @triton.jit
    def multiply(x, p, y, n, BLOCK: tl.constexpr):
        k = tl.arange(0, BLOCK)
        there = k < n
        product = tl.load(x + k, there, 0.0) * tl.load(p + k, there, 0.0)
        tl.store(y + k, product.to(tl.bfloat16).to(tl.float32), there)

    x = np.array([[1.0048828125, 1.0078125, -0.58203125, 3.0, -1.99], [1e-40, -3e-39, 2.5e-20, 1e38, 0.0]], np.float32)
    p = np.array([[1, 0.99609375, 1, 1.1, 1], [1, 1, 1, 2, 1]], np.float32)
    y = torch.zeros(x.shape)
    multiply[(1,)](torch.from_numpy(x), torch.from_numpy(p), y, x.size, BLOCK=16)
    return {"x": x, "p": p}, {"y": y.numpy()}
