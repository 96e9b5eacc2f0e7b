"""A position encoding of one's own in numpy, for models of the laboratory: scores fall by log(1 + distance), in the place of ALiBi's bias; and
pairs of q and k turn by 2^-k a position, in the place of rope.  Nothing here is judged: it need not be what those rows are.
   PYTHONPATH=harness/adapters/python meridian lab gradcheck --encoding mine \
       --own "mine=alibi by exec python3 harness/adapters/examples/own_encoding.py" """
import numpy as np
from meridian_subject import kernel, serve


def register(name, dtype):
    @kernel("alibi", "bias", name, name)
    def bias(params):
        heads, n, m = params.shape["bias"]
        distance = np.abs(np.arange(n)[:, None] + (m - n) - np.arange(m))
        return np.broadcast_to(-np.log1p(distance), (heads, n, m)).astype(dtype)

    def turned(x, pos, sign):
        angle = sign * pos[:, None] * 0.5 ** np.arange(x.shape[2] // 2)
        a, b = x[:, :, 0::2], x[:, :, 1::2]
        return np.stack([a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)], 3).reshape(x.shape).astype(dtype)

    @kernel("rope", "y", name, name)
    def turn(params, x, pos):
        return turned(x, pos, 1)

    @kernel("rope", "dx", name, name)
    def turn_back(params, dy, pos):
        return turned(dy, pos, -1)


register("f32", np.float32)
register("f64", np.float64)
if __name__ == "__main__":
    serve("own")
