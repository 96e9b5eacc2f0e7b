"""The same with arrays of torch and jax, and their gradients, where they are installed."""
import numpy as np
import pytest
import meridian

QUICK = dict(few=True, checks="none")


def rope_of(lib, cat, double):
    def rope(x, pos):
        width = x.shape[-1]
        a = pos[:, None] * 10000.0 ** (-double(lib.arange(0, width, 2)) / width)
        c, s, h = lib.cos(a), lib.sin(a), width // 2
        c, s = (c.to(x.dtype), s.to(x.dtype)) if hasattr(c, "to") else (c.astype(x.dtype), s.astype(x.dtype))
        return cat([x[..., :h] * c - x[..., h:] * s, x[..., h:] * c + x[..., :h] * s], -1)
    return rope


class TestTorch:
    @pytest.fixture(autouse=True)
    def library(self):
        self.torch = pytest.importorskip("torch")
        self.rope = rope_of(self.torch, self.torch.cat, lambda t: t.double())

    def test_what_is_right_passes_in_every_type(self):
        assert meridian.judge(self.rope, "rope", types=["f32", "bf16", "f16", "f64"], like="torch", **QUICK)

    @pytest.mark.parametrize("wrong, says", [
        (lambda rope, x, pos: rope(x, pos).double(), "of type f64, asked for f32"),
        (lambda rope, x, pos: x.view(-1).view(x.shape), "as a view of its input x"),
        (lambda rope, x, pos: rope(x.mul_(2), pos), "changed its input x"),
        (lambda rope, x, pos: rope(x, pos).to("meta"), "a tensor on meta, which has no elements"),
        (lambda rope, x, pos: rope(x, pos).flatten(), "of shape [1280], asked for [2, 10, 64]"),
    ])
    def test_what_is_wrong_is_named(self, wrong, says):
        v = meridian.judge(lambda x, pos: wrong(self.rope, x, pos), "rope", like="torch", **QUICK)
        assert v.status == "CRASH" and says in v.text

    def test_results_of_another_library_are_taken(self):
        assert meridian.judge(lambda x, pos: self.rope(x, pos).numpy(), "rope", like="torch", **QUICK)

    def test_gradients(self):
        assert meridian.judge(self.rope, "rope", grad="torch", types=["f32", "bf16"], few=True)

        def attention(q, k, v):
            return self.torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], enable_gqa=True)[0]
        v = meridian.judge(attention, "attention", grad="torch", **QUICK)
        assert v and v.asked["out"] == ["dq", "dk", "dv"]
        v = meridian.judge(lambda q, k, v: attention(q, k.detach(), v), "attention", grad="torch", **QUICK)
        assert v.status == "FAIL"
        v = meridian.judge(lambda q, k, v: attention(q, k, v).detach(), "attention", grad="torch", **QUICK)
        assert v.status == "CRASH" and "without a gradient by q k v" in v.text

    def test_a_device(self):
        if not self.torch.cuda.is_available():
            with pytest.raises(ValueError, match="like='cuda'"):
                meridian.judge(self.rope, "rope", like="cuda")
            pytest.skip("no device of torch here: the same path was run on CPU tensors, above")
        assert meridian.judge(self.rope, "rope", types=["f32", "bf16"], like="cuda", **QUICK)
        v = meridian.judge(lambda x, pos: self.rope(x, pos).cpu(), "rope", like="cuda", **QUICK)
        assert "on cpu, its inputs are on cuda:0" in v.text


class TestJax:
    @pytest.fixture(autouse=True)
    def library(self):
        pytest.importorskip("jax")
        import jax.numpy as jnp
        self.rope = rope_of(jnp, jnp.concatenate, lambda t: t)

    def test_what_is_right_passes(self):
        assert meridian.judge(self.rope, "rope", types=["f32", "bf16"], like="jax", sizes="n=5")

    def test_what_is_wrong_is_named(self):
        v = meridian.judge(lambda x, pos: self.rope(x, pos).astype("float16"), "rope", like="jax", sizes="n=5")
        assert v.status == "CRASH" and "of type f16, asked for f32" in v.text

    def test_gradients(self):
        assert meridian.judge(self.rope, "rope", grad="jax", sizes="n=5")


def test_a_function_may_make_the_arrays():
    def mine(a, type):
        assert type in ("f32", "i64", "i32")
        return a.tolist()

    def rope(x, pos):
        import subjects
        return subjects.turn(np.asarray(x, np.float32), np.asarray(pos))
    assert meridian.judge(rope, "rope", like=mine, **QUICK)
