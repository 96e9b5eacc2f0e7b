"""Asks the program about callables of this process: it is a child process, and the callables answer it (_serve.py)."""
import contextlib
import ctypes
import fcntl
import json
import os
import shlex
import signal
import subprocess
import tempfile
import threading
from . import _arrays, _program, _serve, _table
from ._subject import DEFAULT, Subject, in_own_names

PIPE = 1 << 20  # bytes that a pipe holds, where the system allows it
SLACK = 3       # seconds that a judge waits longer than the parent of an isolated callable


def name_of(f):
    """A callable's name, in printable ASCII without blanks."""
    name = getattr(f, "__qualname__", None) or getattr(type(f), "__qualname__", "callable")
    return "".join(c if "!" <= c <= "~" else "?" for c in name.replace("<locals>.", ""))[-80:]


class Asked:
    """What is asked of a callable, in words: the subject and the flags that every verb shares."""

    def __init__(self, f, row, out, types, profile, like, isolate, seconds, preset, grad, name, conventions):
        if not callable(f):
            raise TypeError(f"a callable is wanted, found a {type(f).__name__}")
        self.row = _table.row(row)
        self.types = [types] if isinstance(types, str) else list(types)
        for word in self.types:
            _table.one_of("types", word, _table.TYPES)
        said = dict(self.row.preset(preset)) if preset else {}
        said.update(self.row.said(conventions))
        self.said = {name: said[name] for name in self.row.params if name in said}
        self.callable = name_of(f)
        self.name = name or self.callable
        f = in_own_names(f, self.row, self.row.outs(out))
        if grad:
            from ._grad import gradient
            f, out, like = gradient(f, self.row, out, like, _table.one_of("grad", grad, ("torch", "jax")))
        self.like = _arrays.kind(like or "numpy")
        self.profiles = {word: (profile or {}).get(word, DEFAULT[word]) if isinstance(profile or {}, dict) else profile
                         for word in self.types}
        self.default = [word for word in self.types if not (profile.get(word) if isinstance(profile, dict) else profile)]
        self.subject = Subject(f, self.row, self.row.outs(out), self.types, self.said, self.like, self.profiles,
                               self.name)
        self.isolate, self.seconds = bool(isolate), seconds
        if seconds != int(seconds) or not 1 <= seconds <= 86400:
            raise ValueError(f"seconds: found {seconds!r}; allowed: a whole number from 1 to 86400")

    def params(self):
        """The flag --params: what is stated; nothing where the callable takes parameters and none is stated, so that
        the row's presets are asked."""
        if not self.said and self.subject.free():
            return []
        return ["--params", " ".join(f"{name}={text}" for name, text in self.said.items())]

    def limit(self):
        return ["--seconds", str(int(self.seconds) + (SLACK if self.isolate else 0))]

    def line(self, reads, writes):
        who = _serve.Isolated(self.subject, self.seconds) if self.isolate else self.subject
        return _serve.Line(who, reads, writes)

    def told(self):
        """What was asked, as a dictionary."""
        return {"subject": self.name, "row": self.row.name, "out": list(self.subject.outs), "types": self.types,
                "profile": self.profiles, "conventions": dict(self.said), "like": self.like.name,
                "isolate": self.isolate}

    def says(self):
        """The same in a line."""
        profiles = sorted(set(self.profiles.values()))
        words = f"{self.row.name}.{' '.join(self.subject.outs)} in {' '.join(self.types)}"
        words += f" from {self.like.name}" + (", isolated" if self.isolate else "")
        words += "".join(f", {name}={text}" for name, text in self.said.items())
        if self.default:
            return words + f"; no profile was stated: every step may round to the element type ({', '.join(profiles)})"
        return words + f"; profile {', '.join(profiles)}"


class Hung(BaseException):
    """Raised in a callable that the judge has given up, so that this process goes on."""


class Watch:
    """Waits beside the callables for the end of the judge.  A callable that is still at work then has hung, and is
    interrupted: in the main thread by a signal, which also ends a sleep; in another by an exception at its next step.
    What hangs in compiled code is not reached by either: that is what isolate=True is for."""
    SIGNAL = signal.SIGURG  # ignored where nobody handles it
    GRACE = 1  # seconds in which the callables may come back by themselves

    def __init__(self, process):
        self.process, self.hung, self.caller = process, False, threading.get_ident()
        self.main = threading.current_thread() is threading.main_thread()
        self.back, self.lock = threading.Event(), threading.Lock()

    def __enter__(self):
        if self.main:
            self.before = signal.signal(self.SIGNAL, self.interrupt)
        threading.Thread(target=self.wait, daemon=True).start()
        return self

    def wait(self):
        self.process.wait()
        if self.back.wait(self.GRACE):
            return
        with self.lock:
            if self.back.is_set():
                return
            self.hung = True
            if self.main:
                signal.pthread_kill(self.caller, self.SIGNAL)
            else:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.caller), ctypes.py_object(Hung))

    def interrupt(self, number, frame):
        if self.hung and not self.back.is_set():
            raise Hung()
        if callable(self.before):
            self.before(number, frame)

    def __exit__(self, *error):
        with self.lock:
            self.back.set()
        if self.main:
            signal.signal(self.SIGNAL, self.before)


def pipes():
    """(child's reading end, child's writing end, own reading end, own writing end)."""
    there, here = os.pipe(), os.pipe()
    for fd in (there[1], here[1]):
        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, 1031, PIPE)  # F_SETPIPE_SZ
    return there[0], here[1], here[0], there[1]


def converse(asked, words):
    """Runs the program with subjects for the "{}" among the words, and answers it.  (exit status, output, errors)."""
    ends = [pipes() for _ in asked]
    subjects = iter(f"fd:{theirs[0]},{theirs[1]}={a.name}" for a, theirs in zip(asked, ends))
    words = [_program.path()] + [next(subjects) if word == "{}" else word for word in words]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        theirs = [fd for end in ends for fd in end[:2]]
        try:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, pass_fds=theirs)
        finally:
            for fd in theirs:
                os.close(fd)
        lines = [a.line(*end[2:]) for a, end in zip(asked, ends)]
        try:
            with Watch(process):
                _serve.serve(lines)
        except Hung:
            pass
        except BaseException:  # also an interrupt from the keyboard
            process.kill()
            raise
        finally:
            for line in lines:
                line.close()
                if hasattr(line.subject, "close"):
                    line.subject.close()
            process.wait()
        return process.returncode, read(out), read(err)


def read(file):
    file.seek(0)
    return file.read().decode("utf-8", "replace")


@contextlib.contextmanager
def alone(file):
    """Holds a lock beside the file, so that several processes (xdist) may keep one baseline."""
    if file is None:
        yield
        return
    with open(f"{os.fspath(file)}.lock", "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def python(command, asked):
    """A command of the program that asks a question again, as the call that does."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    if words[:2] != ["meridian", "judge"] or len(words) < 3:
        return command
    flags = dict(zip((w[2:] for w in words[3::2]), words[4::2]))
    call = [asked.callable, repr(flags.pop("row", asked.row.name))]
    if "out" in flags:
        call.append(f"out={flags.pop('out')!r}")
    if "type" in flags:
        call.append(f"types=[{flags.pop('type')!r}]")
    params = _table_words(flags.pop("params", ""), asked)
    for name in ("profile", "sizes", "checks"):
        if name in flags:
            call.append(f"{name}={flags.pop(name)!r}")
    for name in ("seed", "lines"):
        if name in flags:
            call.append(f"{name}={flags.pop(name)}")
    call += [f"{name}={value!r}" for name, value in flags.items()]
    if asked.like.name != "numpy":
        call.append(f"like={(asked.like.device if asked.like.device not in (None, 'cpu') else asked.like.name)!r}")
    return f"meridian.judge({', '.join(call + params)})"


def _table_words(text, asked):
    from ._wire import words
    out = []
    for name, value in words(text).items():
        p = asked.row.params.get(name)
        value = _table.value_of(p, value) if p and p["kind"] == "integer" else value
        out.append(f"{name}={value!r}")
    return out


def findings(text):
    """What the program found, as dictionaries: its verdicts, and the causes of its failures."""
    said = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return [o for o in said if "verdict" in o], [o for o in said if "cause" in o]
