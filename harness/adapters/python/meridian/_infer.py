"""Which row a callable is, where nobody says so: by its own signature, held against the signatures of all rows and against
the words in which recordings of others say the same (data/names).  A guess is never made: one row is left, or none is
taken."""
import re
from . import _judge, _table
from ._subject import required, takes


def fits(f, row, outs):
    """Whether the keywords of f are those of these outputs of the row: it takes every array that they are made of, and
    needs nothing that the row has not."""
    named = takes(f)[0]
    theirs = {word: ours for ours, word in row.renamed(named, outs).items()}
    named, needed = ({theirs.get(name, name) for name in names} for names in (named, required(f)))
    arrays = [a for out in outs for a in row.quantities[out]["in"]]
    known = {a["name"] for a in arrays} | set(row.params)
    return bool(arrays) and needed <= known and all(a["optional"] or a["name"] in named for a in arrays)


def candidates(fs, out, conventions):
    """The rows of which every callable of fs may be the outputs that are meant (by default a row's first), and whose
    parameters the conventions are."""
    rows = []
    for name in _table.table()["rows"]:
        row = _table.row(name)
        try:
            outs = row.outs(out)
        except ValueError:
            continue  # it has no such output
        if set(conventions) <= set(row.params) and all(fits(f, row, outs) for f in fs):
            rows.append(name)
    return rows


def called(f, rows):
    """Those of the rows whose name is a word of the callable's own name: rope of apply_rope and of ApplyRope."""
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", _judge.name_of(f).rsplit(".", 1)[-1]).lower()
    return [row for row in rows if row in re.split(r"[^a-z0-9]+", name)]


def row_of(fs, out, conventions):
    """The name of the one row that every callable of fs can be.  Where their parameters fit several, the callables' own
    names may tell.  TypeError: no row is left, or several are, which are listed."""
    for f in fs:
        if not callable(f):
            raise TypeError(f"a callable is wanted, found a {type(f).__name__}")
    rows = candidates(fs, out, conventions)
    if len(rows) > 1:
        told = sorted({row for f in fs for row in called(f, rows)})
        rows = told if len(told) == 1 else rows
    if len(rows) == 1:
        return rows[0]
    who = " and ".join(f"{_judge.name_of(f)}({', '.join(sorted(takes(f)[0]))})" for f in fs)
    if not rows:
        raise TypeError(f"{who}: no row has these arrays and parameters; name the row that is meant, one of "
                        f"meridian.rows()")
    raise TypeError(f"{who}: may be any of the rows {', '.join(rows)}; name the one that is meant: "
                    f"row={rows[0]!r}")
