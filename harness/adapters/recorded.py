"""A process subject that is written down, and asked again where it cannot run: a device that is not here, a library that is not
installed.  Both are processes for `meridian judge --exec`, and speak its protocol (README.md beside this file).
   python3 recorded.py write FILE COMMAND...   runs COMMAND, passes on what is asked and answered, and writes both to FILE
   python3 recorded.py read FILE               answers from FILE what was asked then, byte for byte; anything else is not offered
FILE is one record after another: the lengths of a question and of its answer, 8 bytes each, little endian, then both.  It is
written as it comes, so that a run that is killed leaves what was answered before."""
import json, subprocess, sys
from pathlib import Path

WIDTH = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "u8": 1}
UNKNOWN = b'{"status":1,"why":"nothing of that kind was recorded"}\n'

def size(arrays):
    total = 0
    for a in arrays:
        n = WIDTH[a["type"]]
        for extent in a["shape"]:
            n *= extent
        total += n
    return total

def take(stream, n):
    """n bytes, or an exit where the other side has ended before."""
    data = stream.read(n)
    if len(data) != n:
        sys.exit(1)
    return data

def question(stream):
    """The next question, its line and its bytes; (None, None): there is none."""
    head = stream.readline()
    if not head:
        return None, None
    ask = json.loads(head)
    return ask, head + take(stream, size(ask.get("in", [])))

def answer(ask, stream):
    """What was answered, its line and its bytes; b"": the process has ended."""
    head = stream.readline()
    done = head and json.loads(head).get("status") == 0
    return head + (take(stream, size(ask["out"])) if done and "out" in ask else b"")

def write(path, command):
    subject = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with open(path, "wb") as log:
        while True:
            ask, asked = question(sys.stdin.buffer)
            if ask is None:
                break
            subject.stdin.write(asked)
            subject.stdin.flush()
            answered = answer(ask, subject.stdout)
            if not answered:
                return subject.wait() or 1
            log.write(len(asked).to_bytes(8, "little") + len(answered).to_bytes(8, "little") + asked + answered)
            log.flush()
            sys.stdout.buffer.write(answered)
            sys.stdout.buffer.flush()
    subject.stdin.close()
    return subject.wait()

def records(data):
    """{question: answer}; a record at the end that is cut off is left out."""
    known, at = {}, 0
    while at + 16 <= len(data):
        asked, answered = (int.from_bytes(data[at + k:at + k + 8], "little") for k in (0, 8))
        if at + 16 + asked + answered > len(data):
            break
        known[data[at + 16:at + 16 + asked]] = data[at + 16 + asked:at + 16 + asked + answered]
        at += 16 + asked + answered
    return known

def read(path):
    known = records(Path(path).read_bytes())
    if not known:
        sys.exit(f"{path}: no record in it; `recorded.py write` makes one")
    while True:
        ask, asked = question(sys.stdin.buffer)
        if ask is None:
            return 0
        sys.stdout.buffer.write(known.get(asked, UNKNOWN))
        sys.stdout.buffer.flush()

if __name__ == "__main__":
    try:
        if len(sys.argv) > 3 and sys.argv[1] == "write":
            sys.exit(write(sys.argv[2], sys.argv[3:]))
        if len(sys.argv) == 3 and sys.argv[1] == "read":
            sys.exit(read(sys.argv[2]))
    except OSError as e:
        sys.exit(f"recorded.py: {e}")
    sys.exit("usage: recorded.py write FILE COMMAND... | recorded.py read FILE")
