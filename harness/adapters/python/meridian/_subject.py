"""A callable as a subject: what it takes, one question at a time, and what is wrong with an answer in one clear line."""
import collections
import inspect
import traceback
import numpy as np
from . import _arrays, _table, _wire

# Words for the arithmetic that a callable is judged by where its caller states none (data/README.md, Profiles).
DEFAULT = {type: type for type in _table.TYPES}


class Declined(Exception):
    """The callable does not offer this question; the text says why."""


class Wrong(Exception):
    """The answer is none; the text says what is wrong with it."""


def takes(f):
    """(names that f takes as keywords, whether it takes any name).  A callable without a signature takes any."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return set(), True
    named = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    return named, any(p.kind == p.VAR_KEYWORD for p in parameters)


def required(f):
    """Names that f must be given."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return set()
    return {p.name for p in parameters
            if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY, p.POSITIONAL_ONLY)}


class Renamed:
    """A callable that is asked by a row's own names where f says the same in the words of its library (Q, softcap); word:
    from ours to the keyword of f."""

    def __init__(self, f, word):
        self.f, self.word, self.__wrapped__ = f, word, f
        ours = {theirs: name for name, theirs in word.items()}
        p = inspect.signature(f).parameters.values()
        self.__signature__ = inspect.Signature([one.replace(name=ours.get(one.name, one.name)) for one in p])

    def __call__(self, **given):
        return self.f(**{self.word.get(name, name): x for name, x in given.items()})


def in_own_names(f, row, outs):
    """f, or f Renamed where the row's vocabulary knows some of its keywords under the names of others."""
    word = row.renamed(takes(f)[0], outs)
    return Renamed(f, word) if word else f


def where(error, f):
    """" at rope.py:12": the line of the callable's own file that an exception passed through last."""
    code = getattr(inspect.unwrap(f) if callable(f) else f, "__code__", None)
    at = [s for s in traceback.extract_tb(error.__traceback__) if code and s.filename == code.co_filename]
    return f" at {at[-1].filename.rsplit('/', 1)[-1]}:{at[-1].lineno}" if at else ""


def short(text, most=200):
    text = " ".join(str(text).split())
    return text if len(text) <= most else text[:most - 3] + "..."


class Plan:
    """A question's line, read once: lines come again with other numbers."""

    def __init__(self, subject, ask, head):
        self.head, self.inputs, self.outs = head, ask["in"], ask["out"]
        self.reads = [(a, _wire.size(a), _wire.DTYPES[a["type"]]) for a in self.inputs]
        self.bytes = sum(n for _, n, _ in self.reads)
        self.shapes = {a["name"]: a["shape"] for a in self.outs} if hasattr(subject.f, "shapes") else None
        self.names = [a["name"] for a in self.inputs]
        self.declined = self.params = None
        self.done = _wire.done(self.outs)
        try:
            self.params = subject.params(self.names, _wire.words(ask["params"]))
        except Declined as e:
            self.declined = str(e)


class Subject:
    """f: the callable.  said: conventions that its caller stated, as texts; what f takes no keyword for is only asked
    with these values, or with the row's defaults.  like: a Kind of arrays."""

    def __init__(self, f, row, outs, types, said, like, profiles, name):
        self.f, self.row, self.outs, self.types, self.said, self.like = f, row, outs, types, said, like
        self.profiles, self.name = profiles, name
        self.named, self.any = takes(f)
        self.needed = required(f)
        self.declined = collections.Counter()
        self.plans = {}
        self.check_signature()
        self.hello = _wire.line({"status": 0, "name": name, "kernels": [
            {"row": row.name, "out": " ".join(outs), "type": type, "profile": profiles[type]} for type in types]})

    def arrays(self):
        """Names of the arrays that some wanted output has as inputs."""
        return {a["name"] for out in self.outs for a in self.row.quantities[out]["in"]}

    def check_signature(self):
        arrays = self.arrays()
        for name in self.needed - arrays - set(self.row.params):
            near = _table.nearest(name, arrays | set(self.row.params))
            raise TypeError(f"{self.name} needs {name!r}, which {self.row.name} has not{near} "
                            f"(arrays: {' '.join(sorted(arrays))}; parameters: {' '.join(self.row.params)})")
        missing = [a["name"] for out in self.outs for a in self.row.quantities[out]["in"]
                   if not a["optional"] and not self.takes(a["name"])]
        if missing:
            raise TypeError(f"{self.name} takes no {missing[0]!r}, which {self.row.name}.{self.outs[0]} is made of "
                            f"(arrays: {' '.join(sorted(arrays))})")

    def takes(self, name):
        return self.any or name in self.named

    def free(self):
        """Parameters that the callable takes and its caller has not stated."""
        return [name for name in self.row.params
                if name in self.named and name not in self.said and name not in self.arrays()]

    def params(self, names, asked):
        """What to give f beside arrays of these names."""
        extra = [name for name in names if not self.takes(name)]
        if extra:
            raise Declined(f"it takes no {extra[0]!r}")
        missing = sorted(self.needed - set(names) - set(self.row.params))
        if missing:
            raise Declined(f"it needs {missing[0]!r}, which is not brought")
        given = {}
        for name, text in asked.items():
            p = self.row.params[name]
            if name in names:
                continue  # an array of that name
            if name in self.named and name not in self.arrays():
                given[name] = _table.value_of(p, text)
            elif p["kind"] != "route" and "axis" not in p and not _table.same(p, text, self.stands(name)):
                # a route changes no number, and an axis of the arrays is seen
                raise Declined(f"it takes no {name!r} and stands for {name}={self.stands(name)}")
        return given

    def stands(self, name):
        """The value of a parameter that the callable takes no keyword for."""
        return self.said.get(name, self.row.params[name]["default"])

    def plan(self, ask, head):
        if len(self.plans) > 4096:
            self.plans.clear()
        plan = self.plans[head] = Plan(self, ask, head)
        return plan

    def answer(self, plan, raw):
        """(line, outputs' bytes) for the question of a plan and its inputs' bytes, one after the other."""
        if plan.declined:
            return self.decline(plan.declined)
        try:
            return plan.done, self.ask(plan, raw)
        except Declined as e:
            return self.decline(str(e))
        except Wrong as e:
            why = str(e)
        except NotImplementedError as e:
            return self.decline(f"NotImplementedError: {short(e)}")
        except Exception as e:  # whatever a callable raises is an answer, and the next question is asked
            why = f"raised {type(e).__name__}: {short(e)}{where(e, self.f)}"
        return _wire.line({"status": 2, "why": why.encode("ascii", "replace").decode()}), b""

    def decline(self, why):
        self.declined[why] += 1
        return _wire.line({"status": 1, "why": why.encode("ascii", "replace").decode()}), b""

    def ask(self, plan, raw):
        given, own, at = {}, [], 0
        for a, n, dtype in plan.reads:
            before = raw[at:at + n]
            host = np.frombuffer(bytearray(before), dtype).reshape(a["shape"])
            given[a["name"]] = self.like.give(host, a["type"])
            own.append((a, before, host))
            at += n
        if plan.shapes:
            self.f.shapes = plan.shapes
        y = self.f(**given, **plan.params)
        self.like.settle()
        results = self.results(y, plan)
        for a, before, host in own:
            if self.like.after(host, given[a["name"]], a["type"]) not in (before, None):
                raise Wrong(f"changed its input {a['name']}")
        return b"".join([self.encode(y, a, given) for y, a in zip(results, plan.outs)])

    @staticmethod
    def results(y, plan):
        """The results in the order asked for."""
        if y is None:
            raise Declined("it returned None")
        names = [a["name"] for a in plan.outs]
        if isinstance(y, dict):
            if set(names) - set(y):
                raise Wrong(f"returned a dict without {sorted(set(names) - set(y))[0]!r}")
            return [y[name] for name in names]
        if len(names) == 1 and not (isinstance(y, (tuple, list)) and len(y) == 1):
            return [y]
        if not isinstance(y, (tuple, list)):
            raise Wrong(f"returned one {type(y).__name__}, asked for {len(names)} arrays: {' '.join(names)}")
        if len(y) != len(names):
            raise Wrong(f"returned {len(y)} arrays, asked for {len(names)}: {' '.join(names)}")
        return y

    def encode(self, y, a, given):
        """The bytes of one result, once it is what was asked for."""
        name, want = a["name"], a["type"]
        for other, x in given.items():
            if _arrays.shared(x, y):
                raise Wrong(f"returned {name} as {'its input' if y is x else 'a view of its input'} {other}")
        if type(y) is np.ndarray and y.dtype == _wire.DTYPES[want] and want != "bf16" and list(y.shape) == a["shape"]:
            return y.tobytes()  # most answers, in little time
        try:
            t = _arrays.Taken(y)
        except TypeError as e:
            raise Wrong(f"returned {name} as {short(e)}") from None
        if (t.device or "cpu") != (self.like.device or t.device or "cpu"):
            raise Wrong(f"returned {name} on {t.device or 'the host'}, its inputs are on {self.like.device}")
        if list(t.array.shape) != a["shape"]:
            raise Wrong(f"returned {name} of shape {list(t.array.shape)}, asked for {a['shape']}")
        if want in _wire.REAL:
            if t.type == want:
                return np.ascontiguousarray(t.array, _wire.DTYPES[want]).tobytes()
            if want == "bf16" and t.type == "f32" and self.like.widened:
                return _wire.round_bf16(t.array).tobytes()
            raise Wrong(f"returned {name} of type {t.type}, asked for {want}")
        if t.array.dtype.kind not in "iu":
            raise Wrong(f"returned {name} of type {t.type}, asked for integers")
        whole = t.array.astype(_wire.DTYPES[want])
        if not np.array_equal(whole, t.array):
            raise Wrong(f"returned {name} with integers beyond {want}")
        return whole.tobytes()
