"""Callables that the tests ask: rotary embedding in numpy, right, and wrong in every way that has a name."""
import itertools
import os
import signal
import threading
import time
import numpy as np

calls = itertools.count()


def turn(x, pos, layout="half"):
    width = x.shape[-1]
    a = np.asarray(pos)[:, None] * 10000.0 ** (-np.arange(0, width, 2) / width)
    c, s, h = np.cos(a).astype(np.float32), np.sin(a).astype(np.float32), width // 2
    even, odd = (slice(0, None, 2), slice(1, None, 2)) if layout == "interleaved" else (slice(0, h), slice(h, None))
    y = np.array(x)
    y[..., even] = x[..., even] * c - x[..., odd] * s
    y[..., odd] = x[..., odd] * c + x[..., even] * s
    return y


def right(x, pos):
    return turn(x, pos)


def layouts(x, pos, layout):
    return turn(x, pos, layout)


def interleaved(x, pos):
    return turn(x, pos, "interleaved")


def raises(x, pos):
    raise KeyError("no table")


def shape(x, pos):
    return turn(x, pos)[..., :-1]


def dtype(x, pos):
    return turn(x, pos).astype(np.float64)


def view(x, pos):
    return x[:]


def itself(x, pos):
    return x


def mutates(x, pos):
    y = turn(x, pos)
    x *= 2
    return y


def twice(x, pos):
    y = turn(x, pos)
    y[..., 0] += 1e-6 * (next(calls) % 2)
    return y


def nothing(x, pos):
    turn(x, pos)


def a_list(x, pos):
    return turn(x, pos).tolist()


def two(x, pos):
    return turn(x, pos), turn(x, pos)


def sleeps(x, pos):
    while True:
        time.sleep(60)


def spins(x, pos):
    while True:
        pass


def waits(x, pos):
    threading.Event().wait()


def crashes(x, pos):
    os.kill(os.getpid(), signal.SIGSEGV)


def leaves(x, pos):
    os._exit(5)


def crashes_at_ten(x, pos):
    return crashes(x, pos) if len(pos) == 10 and x.shape[0] == 2 else turn(x, pos)


def forks(x, pos):
    """Leaves a process behind that outlives the answer, and then crashes."""
    if not os.fork():
        time.sleep(600)
        os._exit(0)
    crashes(x, pos)
