"""A process that misbehaves in the way its argument names, once it is asked about rope.y; with `good` it answers correctly rounded zeros of x at position 0.
Every way but `silent` and `mute` answers hello."""
import json, os, signal, struct, sys, time

way, out = sys.argv[1], sys.stdout.buffer
PROFILE = "exponent=f64 power=f64:2 freq=f64:2 phase=f64 table=f64:2 product=f64:2 sum=f32:1.001"

def say(o, raw=b""):
    out.write(json.dumps(o).encode() + b"\n" + raw)
    out.flush()

if way == "late":
    time.sleep(60)
kept = []
while line := sys.stdin.buffer.readline():
    ask = json.loads(line)
    if ask.get("hello"):
        if way == "mute":
            sys.exit(4)
        if way == "silent":
            time.sleep(60)
        kernels = [{"row": "rope", "out": "y", "type": "f8" if way == "type" else "f32", "profile": PROFILE}, {"row": "nonesuch", "out": "y", "type": "f32", "profile": "phase=f32"}]
        say({"meridian": 99 if way == "abi" else 1, "status": 0, "name": way, "kernels": [] if way == "nothing" else kernels})
        continue
    count = lambda a: __import__("math").prod(a["shape"])
    if way == "deaf":  # It answers without reading its inputs.
        say({"status": 1})
        time.sleep(60)
    data = [sys.stdin.buffer.read(count(a) * {"f32": 4, "i64": 8}[a["type"]]) for a in ask["in"]]
    n = count(ask["out"][0])
    if way == "exit": sys.exit(5)
    if way == "exit0": sys.exit(0)
    if way == "closes": os.close(1); time.sleep(60)
    if way == "keeps": kept.append(b"x" * (1 << 23)); time.sleep(0.02)  # A little of every question, none of which takes long.
    if way == "allocates":
        held = []
        while True: held.append(bytearray(os.urandom(1)) * (1 << 24))
    if way == "random": say({"status": 0}, bytes(b ^ (os.urandom(1)[0] & 1 if k % 4 == 0 else 0) for k, b in enumerate(data[0]))); continue
    if way == "abort": os.kill(os.getpid(), signal.SIGABRT)
    if way == "hang": time.sleep(60)
    if way == "child":  # It leaves a grandchild that holds the pipe open.
        if os.fork() == 0:
            time.sleep(60)
        sys.exit(0)
    if way == "garbage": out.write(os.urandom(200).replace(b"\n", b"x") + b"\n"); out.flush(); continue
    if way == "prints": print("loading weights ..."); sys.stdout.flush()
    if way == "endless":
        try:
            while True: out.write(b"x" * 65536)
        except BrokenPipeError: os._exit(0)
    if way == "status": say({"status": 7}); continue
    if way == "answer-abi": say({"meridian": 2, "status": 0}, bytes(4 * n)); continue
    if way == "short": say({"status": 0}, bytes(4 * n - 4)); continue
    if way == "long": say({"status": 0}, bytes(4 * n + 4)); continue
    if way == "shape": say({"status": 0, "out": [{"name": "y", "type": "f32", "shape": [n]}]}, bytes(4 * n)); continue
    if way == "failed": say({"status": 2, "why": "out of\nmemory"}); continue
    if way == "skip": say({"status": 1}); continue
    if way == "skips-why": say({"status": 1, "why": "heads of 16 are\nnot built"}); continue
    if way == "nan": say({"status": 0}, struct.pack("<f", float("nan")) * n); continue
    if way == "inf": say({"status": 0}, struct.pack("<f", float("inf")) * n); continue
    say({"status": 0}, data[0])  # The identity, which is wrong wherever a position is not 0.
