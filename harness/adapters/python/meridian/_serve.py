"""Answers a judge: the process transport over two descriptors, in this process, or for callables that may crash or hang
in a child of it that is started again."""
import json
import os
import select
import signal
import sys
import time
import warnings
from . import _wire

HELLO, STARTING, PATIENCE = b'"hello"', 3, 2


class Stream:
    """Reads lines and bytes from a descriptor."""

    def __init__(self, fd):
        self.file = os.fdopen(fd, "rb", 1 << 20)

    def question(self, subject):
        """The next question of a subject: (plan, bytes); (None, b"") for a hello; None: there are no more."""
        head = self.file.readline()
        if not head.endswith(b"\n"):
            return None
        plan = subject.plans.get(head)
        if plan is None:
            ask = json.loads(head)
            if ask.get("hello"):
                return None, b""
            plan = subject.plan(ask, head)
        raw = self.file.read(plan.bytes)
        return (plan, raw) if len(raw) == plan.bytes else None

    def close(self):
        self.file.close()


def send(fd, line, raw):
    """Writes an answer.  False: nobody reads it any more."""
    data = memoryview(line + raw)
    try:
        while data:
            data = data[os.write(fd, data):]
    except (BrokenPipeError, ConnectionResetError):
        return False
    return True


class Line:
    """One connection to a judge: a subject and the two descriptors of this side."""

    def __init__(self, subject, reads, writes):
        self.subject, self.stream, self.writes = subject, Stream(reads), writes

    def step(self):
        """Answers one question.  False: there are no more."""
        asked = self.stream.question(self.subject)
        if asked is None:
            return False
        plan, raw = asked
        if plan is None:
            return send(self.writes, self.subject.hello, b"")
        return send(self.writes, *self.subject.answer(plan, raw))

    def close(self):
        self.stream.close()
        os.close(self.writes)


def serve(lines):
    """Answers until every judge has closed its end."""
    if len(lines) == 1:
        while lines[0].step():
            pass
        return
    ready = {line.stream.file.fileno(): line for line in lines}
    while ready:
        for fd in select.select(list(ready), [], [])[0]:
            if not ready[fd].step():
                ready.pop(fd)


class Isolated:
    """A subject whose callable runs in a forked child.  The child is killed with its process group where it hangs, and a
    new one is forked for the next question; after two hangs nothing more is asked."""

    def __init__(self, subject, seconds):
        self.inner, self.seconds = subject, seconds
        self.hello, self.plans, self.plan, self.declined = (subject.hello, subject.plans, subject.plan,
                                                            subject.declined)
        self.pid, self.hangs, self.fresh = 0, 0, True

    def start(self):
        there, here = os.pipe(), os.pipe()
        sys.stdout.flush(), sys.stderr.flush()
        with warnings.catch_warnings():  # that a process with threads forks is what was asked for
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if not self.pid:
            self.child(there[0], here[1], (there[1], here[0]))
        os.close(there[0]), os.close(here[1])
        self.alive = os.pidfd_open(self.pid)  # readable once it has ended, whoever else holds its pipes
        self.to, self.back, self.fresh = there[1], Stream(here[0]), True
        try:
            os.setpgid(self.pid, self.pid)
        except OSError:
            pass  # the child did it first, or has ended

    def child(self, reads, writes, theirs):
        """The child's whole life: a question is its number of bytes and its head; an answer the same way."""
        try:
            os.setpgid(0, 0)
            for fd in theirs:
                os.close(fd)
            die_with_parent()
            stream = Stream(reads)
            while True:
                asked = stream.question(self.inner)
                if asked is None:
                    break
                line, raw = self.inner.answer(*asked)
                why = next(iter(self.inner.declined), "") if json.loads(line)["status"] == 1 else ""
                self.inner.declined.clear()
                if not send(writes, json.dumps([len(line), len(raw), why]).encode() + b"\n" + line, raw):
                    break
        finally:
            sys.stdout.flush(), sys.stderr.flush()
            os._exit(0)

    def answer(self, plan, raw):
        if plan.declined:
            return self.inner.answer(plan, raw)
        if self.hangs >= PATIENCE:
            return self.failed(f"not asked: it hung {self.hangs} times")
        if not self.pid:
            self.start()
        limit = self.seconds * (STARTING if self.fresh else 1)
        end = time.monotonic() + limit
        self.fresh = False
        line = self.exchange(plan.head + raw, end)
        if line is None:
            hung = time.monotonic() >= end
            self.hangs += hung
            how = self.stop(hung)
            return self.failed(f"hung: killed after {limit:g} s without an answer" if hung else how)
        return line

    def exchange(self, data, end):
        """Sends a question and reads its answer.  None: the time was up, or the child has ended without one."""
        data, got, want = memoryview(data), b"", None
        os.set_blocking(self.to, False)
        fd = self.back.file.fileno()
        while data or want is None or len(got) < want:
            left = end - time.monotonic()
            r, w, _ = select.select([fd, self.alive], [self.to] if data else [], [], max(left, 0))
            if not w and fd not in r:  # the time is up, or it has ended
                return None
            if w:
                try:
                    data = data[os.write(self.to, data):]
                except BlockingIOError:
                    pass
                except BrokenPipeError:
                    data = memoryview(b"")
            if fd in r:
                part = os.read(fd, 1 << 20)
                if not part:
                    return None
                got += part
                if want is None and b"\n" in got:
                    sizes, got = got.split(b"\n", 1)
                    line, raw, why = json.loads(sizes)
                    want = line + raw
        if why:
            self.declined[why] += 1
        return got[:line], got[line:]

    def stop(self, kill):
        """Ends the child and says how it ended."""
        if kill:
            self.end_group()
        os.close(self.to)
        os.close(self.alive)
        self.back.close()
        _, status = os.waitpid(self.pid, 0)
        self.end_group()
        self.pid = 0
        if os.WIFSIGNALED(status):
            return f"crashed: {signal.strsignal(os.WTERMSIG(status))}"
        return f"left early (exit {os.WEXITSTATUS(status)}) before it answered"

    def end_group(self):
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass

    @staticmethod
    def failed(why):
        return _wire.line({"status": 2, "why": why}), b""

    def close(self):
        if self.pid:
            self.stop(True)


def die_with_parent():
    """Asks Linux to kill this process when its parent ends; where that cannot be asked, the end of its pipe does it."""
    try:
        import ctypes
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (ImportError, OSError, AttributeError):
        pass
