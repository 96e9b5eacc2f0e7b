"""Measures what a question in process costs beyond the reference and beyond the callable: a callable that answers at once is
asked over the descriptors by a process that only writes the question and reads the answer.

    PYTHONPATH=build/python python3 harness/adapters/python/overhead.py [QUESTIONS]

Prints microseconds for each question, the median and what 90 of 100 are below, and the processor time of the process that
answers.  The asker is Python, too, and takes part of the time."""
import os
import sys
import time
import numpy as np
from meridian import _arrays, _judge, _serve, _table, _wire
from meridian._subject import Subject

HEAD = _wire.json.dumps({"meridian": 1, "row": "rope", "params": " ".join(
    f"{k}={v['default']}" for k, v in _table.row("rope").params.items()), "in": [
        {"name": "x", "type": "f32", "shape": [2, 10, 64], "strides": [2560, 256, 4]},
        {"name": "pos", "type": "i64", "shape": [10], "strides": [8]}], "out": [
            {"name": "y", "type": "f32", "shape": [2, 10, 64], "strides": [2560, 256, 4]}]}).encode() + b"\n"


def main(n):
    y = np.ones((2, 10, 64), np.float32)
    row = _table.row("rope")
    subject = Subject(lambda x, pos: y, row, ["y"], ["f32"], {}, _arrays.kind("numpy"), {"f32": "f32"}, "nothing")
    reads, writes, back, to = _judge.pipes()
    if not os.fork():
        os.close(to), os.close(back)
        begun = time.process_time()
        _serve.serve([_serve.Line(subject, reads, writes)])
        print(f"of them {1e6 * (time.process_time() - begun) / n:.1f} us of processor time here, with the system's", flush=True)
        os._exit(0)
    os.close(reads), os.close(writes)
    question = HEAD + np.zeros((2, 10, 64), np.float32).tobytes() + np.arange(10, dtype=np.int64).tobytes()
    want, times = len(_wire.done([{"name": "y", "type": "f32", "shape": [2, 10, 64]}])) + y.nbytes, []
    for _ in range(n):
        begun = time.perf_counter()
        os.write(to, question)
        got = 0
        while got < want:
            got += len(os.read(back, 1 << 20))
        times.append(1e6 * (time.perf_counter() - begun))
    os.close(to)
    os.wait()
    times.sort()
    print(f"{n} questions: {times[n // 2]:.1f} us, 90 of 100 below {times[9 * n // 10]:.1f} us")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
