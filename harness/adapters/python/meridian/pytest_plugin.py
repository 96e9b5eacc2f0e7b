"""pytest: a marked function is a subject, and every family of questions to it a test.

    @pytest.mark.meridian(row="rope", layout=["half", "interleaved"], types=["f32", "bf16"])
    def my_rope(x, pos, layout): ...

The mark takes the keywords of `meridian.judge`.  A list of values of a parameter, or of types, makes one set of tests of
each.  The families are "questions" (values of every kind and size) and each check that asks about the row.  The function
may have any name; its arguments are the row's arrays and parameters, and no fixtures."""
import inspect
import itertools
import os
import pytest
from . import _table


def pytest_addoption(parser):
    parser.getgroup("meridian").addoption(
        "--meridian-baseline", metavar="FILE", help="results of earlier runs of subjects: what is worse since fails, and "
        "this run is added")


def pytest_configure(config):
    config.addinivalue_line("markers", "meridian(row, out=None, **how): the function is a subject of meridian.judge, with "
                            "these keywords; lists of types and of conventions make tests of each")


def marks(obj):
    own = getattr(obj, "pytestmark", None)
    return [m for m in own if getattr(m, "name", "") == "meridian"] if isinstance(own, list) else []


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, name, obj):
    if inspect.isclass(obj) or not marks(obj):
        return None
    if not isinstance(collector, pytest.Module):
        raise collector.CollectError(f"{name}: a subject of meridian is a function of a module, not of a class")
    try:
        return [Item.from_parent(collector, name=f"{name}[{'-'.join(words)}]", subject=obj, family=family, how=how)
                for mark in marks(obj) for words, family, how in tests(*mark.args, **mark.kwargs)]
    except (TypeError, ValueError) as e:
        raise collector.CollectError(f"{name}: {e}") from e


def tests(row, out=None, types=("f32",), checks=None, **how):
    """(words of its name, its family, keywords of judge) for each test of a mark."""
    table = _table.row(row)
    lists = {k: v for k, v in how.items() if k in table.params and isinstance(v, list)}
    rest = {k: v for k, v in how.items() if k not in lists}
    families = checks.split(",") if checks else ["questions"]
    if not checks and not how.get("sizes") and not how.get("grad"):
        families += [c["check"] for c in table.checks(table.outs(out))]
    for type in [types] if isinstance(types, str) else types:
        for values in itertools.product(*lists.values()):
            chosen = dict(zip(lists, values))
            words = [str(v) for v in values] + [type]
            for family in families:
                yield words + [family], family, dict(rest, row=row, out=out, types=[type], **chosen)


class Failed(Exception):
    """A verdict that is no pass; its text stands for it in the report."""


class Item(pytest.Item):
    def __init__(self, *, subject, family, how, **kwargs):
        super().__init__(**kwargs)
        self.subject, self.family, self.how = subject, family, how
        self.own_markers.extend(m for m in getattr(subject, "pytestmark", []) if m.name != "meridian")
        self.keywords.update({m.name: True for m in getattr(subject, "pytestmark", [])})

    def runtest(self):
        import meridian
        file = self.config.getoption("--meridian-baseline")
        checks = "none" if self.family == "questions" else self.family
        where = f"{self.parent.nodeid}::{getattr(self.subject, '__name__', 'subject')}"
        try:
            verdict = meridian.judge(self.subject, checks=checks, name=plain(where),
                                     baseline=os.path.join(self.config.invocation_params.dir, file) if file else None,
                                     **self.how)
        except (TypeError, ValueError) as e:
            raise Failed(f"meridian: {e}") from None
        if verdict.status == "NOTHING" and self.family != "questions":
            why = next(iter(verdict.declined), None) or next((f["reason"] for f in verdict.findings if f.get("reason")), "")
            pytest.skip(f"not offered: {why}")
        if not verdict:
            raise Failed(report(verdict))
        self.add_report_section("call", "meridian", verdict.text)

    def repr_failure(self, excinfo, style=None):
        return str(excinfo.value) if excinfo.errisinstance(Failed) else super().repr_failure(excinfo, style)

    def reportinfo(self):
        code = getattr(inspect.unwrap(self.subject), "__code__", None)
        return self.path, code.co_firstlineno - 1 if code else 0, self.name


def plain(text):
    return "".join(c if "!" <= c <= "~" else "?" for c in text)[-90:]


def report(verdict):
    """The verdict, with its smallest failing case and the call that asks it again at the end, where they are read first."""
    least = verdict.smallest()
    call = least and (least.get("smallest") or least.get("replay"))
    return verdict.text + (f"\nsmallest failing case: {call}" if call else "")
