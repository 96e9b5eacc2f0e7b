#!/usr/bin/env python3
"""The second system: the questions of `meridian second` asked again with formulas of its own, in mpmath, from papers and specifications.

    build/meridian second --golden data/golden --random 2000 --seed 7 | python3 tests/second/main.py

Each value is computed at two precisions; their difference is its own error.  Two systems agree where |reference - second| is at most the reference's radius
and that error.  Exit 1: a disagreement, or (--all) something without a second formula; 77: mpmath is not there; 2: what was read is no question.
"""
import argparse
import importlib
import json
import os
import sys
import time
import traceback
from collections import Counter, OrderedDict

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "rows")]
try:
    from mpmath import mp, mpf
except ImportError:
    print("second system: NOT RUN: python3-mpmath is not installed (apt-get install python3-mpmath); nothing was compared")
    sys.exit(77)
from question import NoFormula, Question, exact          # noqa: E402
from real import Node, val                               # noqa: E402

# Bits of the two precisions.  The next pair is used where these two differ, or where the two systems do.
LEVELS = ((300, 400), (1600, 2000), (6400, 8000), (25000, 30000))
# Bits.  What needs more is neither a disagreement nor an agreement, and is counted apart.
DEEPEST = 120000
# Two values agree where they differ by at most 2^-190 of the value, or 2^-190 of 2^-60 of the question's largest one.
SHARP = 190
RANGE = 1 << 30                         # MPFR has no number below 2^-RANGE and none above 2^RANGE.
WIDE = 150                              # A radius above 2^-150 of the value says little and is counted apart.


def formulas():
    """The formulas by row, out of all of rows/*.py: each file has ROWS = {row: {quantity: function of (question,
    leading indices)}}."""
    found = {}
    for name in sorted(os.listdir(os.path.join(HERE, "rows"))):
        if name.endswith(".py"):
            for row, table in importlib.import_module(name[:-3]).ROWS.items():
                assert row not in found, row
                found[row] = dict(table, leads={})
    return found


class Tally:
    def __init__(self):
        self.questions, self.values, self.wide, self.undecided, self.beyond, self.quantities, self.open = 0, 0, 0, 0, 0, Counter(), Counter()
        self.wrong = 0


def number(x):
    return mpf(val(x)) if not isinstance(val(x), mpf) else val(x)


def answer(text, table, bits):
    mp.prec = bits
    q = Question(text, table)

    def one(line):
        """A line that divides by 0 has no number; its neighbours may have."""
        try:
            return [number(x) for x in q.line(text["quantity"], line["at"])]
        except ZeroDivisionError:
            return [mpf("nan")] * (line["k"] + len(line["y"]))
    return [one(line) for line in text["lines"]]


def solve(text, table, level):
    """Values by line at a level, which is two precisions, the error of each, and whether all are sharp.  Both precisions may lose the same small number beside
    a large one: whoever finds the two systems apart asks again at the next level."""
    low, high = (answer(text, table, bits) for bits in level)
    error = [[abs(a - b) if mp.isfinite(a) and mp.isfinite(b) else mpf(0) for a, b in zip(x, y)] for x, y in zip(low, high)]
    top = max([abs(b) for y in high for b in y if mp.isfinite(b)], default=mpf(0))
    sharp = all(e <= mp.ldexp(max(abs(b), mp.ldexp(top, -60)), -SHARP) for es, y in zip(error, high) for e, b in zip(es, y) if mp.isfinite(b))
    return high, error, sharp


def same(mid, radius, told, got, error):
    """None, or why the two differ."""
    if mid == "undefined" or mid == "nan":
        return None if mp.isnan(got) or (mp.isinf(got) and mid == "undefined") or (mp.isfinite(got) and got and mp.mag(got) > RANGE) else "a number"
    want = exact(mid)
    if mp.isinf(want) and mp.isfinite(got) and got and mp.mag(got) > RANGE and (want > 0) == (got > 0):
        return None
    if mp.isnan(got) or mp.isinf(got) or mp.isinf(want):
        return None if want == got else "of another class"
    if want == 0 and got != 0 and mp.mag(got) < -RANGE:
        return None if radius > 0 else "exactly 0, it says, of what is below every number of MPFR"
    with mp.workprec(20000):
        if abs(want - got) > radius + error:
            return "off by %s, allowed %s" % (mp.nstr(abs(want - got), 5), mp.nstr(radius + error, 5))
        if told is None:
            return None
        line = exact(told[:-1])
        if mp.isinf(line) or mp.isnan(line):
            return "the golden line is no number"
        ulp = 0 if told[-1] == "=" else mp.ldexp(1, line.man_exp[1] + line.man.bit_length() - 120) if line else 0
        return None if abs(line - got) <= ulp + error else "golden line %s off by %s" % (told, mp.nstr(abs(line - got), 5))


def differing(text, high, error):
    """(line, element, reference, second, why) wherever the two systems differ, and how much was compared: values, radii that are wide, undecided lines."""
    found, values, wide, undecided = [], 0, 0, 0
    for line, got, own in zip(text["lines"], high, error):
        if line.get("undecided"):
            undecided += 1
            continue
        told = line.get("told")
        if told is None and len(got) != len(line["y"]):
            found.append((line, 0, "nan", mpf("nan"), "%d elements of the reference, %d of the second" % (len(line["y"]), len(got))))
            continue
        mp.prec = 600
        # 0 times a number beyond the range is no number in MPFR.
        beyond = any(mp.isfinite(x) and x and mp.mag(x) > RANGE for x in got)
        for k, (mid, radius) in enumerate(line["y"], line["k"]):
            if mid == "undefined" and beyond:
                values += 1
                continue
            r = mpf(radius)
            why = same(mid, r, told, got[k], own[k])
            values += 1
            wide += mid[-1] not in "fnd" and r > mp.ldexp(abs(exact(mid)), -WIDE) and r > mp.ldexp(1, -200)
            if why:
                found.append((line, k, mid, got[k], why))
    return found, values, wide, undecided


def small(found, high):
    """Can precision alone have made the differences?  What is wrong by much is wrong at every precision."""
    top = max([abs(b) for y in high for b in y if mp.isfinite(b)] + [mpf(1)])
    return all(want[-1] not in "fnd" and mp.isfinite(got) and abs(exact(want) - got) < mp.ldexp(top, -180) for _, _, want, got, _ in found)


def deeper(found):
    """The level at which the smallest of these values stands beside 1; None where that is too deep to be asked."""
    size = min([mp.mag(x) for _, _, want, got, _ in found for x in (exact(want), got) if x])
    return (500 - size, 1000 - size) if -size < DEEPEST else None


def compare(text, table, tally, say):
    levels, k = list(LEVELS), 0
    while k < len(levels):
        level = levels[k]
        k += 1
        try:
            high, error, sharp = solve(text, table, level)
        except NoFormula as e:
            tally.open["%s: %s" % (text["quantity"], e)] += 1
            return
        except Exception as e:      # A formula that breaks is a disagreement, and not the end of the run.
            frame = traceback.extract_tb(e.__traceback__)[-1]
            tally.wrong += 1
            say(text, {"at": []}, 0, "nan", mpf("nan"), "the second formula broke: %s: %s (%s:%d)" % (type(e).__name__, e, os.path.basename(frame.filename), frame.lineno))
            return
        found, values, wide, undecided = differing(text, high, error)
        if (not found and (sharp or k > 1)) or (k > 1 and found and not small(found, high)):
            break
        if found and k == len(LEVELS):
            levels += [deeper(found)] if deeper(found) else []
            # A tape loses what cancels below its bits: the gradient of a bias of keys is 0, and 1 - p of a p that is nearly 1 is not.
            if not deeper(found) and table.get(text["quantity"]) is None:
                tally.beyond += len(found)
                values, found = values - len(found), []
    tally.questions += 1
    tally.quantities[text["quantity"]] += 1
    tally.values += values
    tally.wide += wide
    tally.undecided += undecided
    tally.wrong += len(found)
    for what in found:
        say(text, *what)


def shown(x):
    return mp.nstr(x, 45) if not x or not mp.isfinite(x) or abs(mp.mag(x)) < 10 ** 6 else "%s 2^%d" % (mp.nstr(x / mp.ldexp(1, mp.mag(x)), 20), mp.mag(x))


def saying(limit):
    """Prints disagreements, a few of each quantity; the rest is counted."""
    count = Counter()

    def say(text, line, k, want, got, why):
        key = (text["row"], text["quantity"])
        count[key] += 1
        if count[key] > limit:
            return
        mp.prec = 400
        params = " ".join("%s=%s" % (name, v[1]) for name, v in text["params"].items())
        sizes = " ".join("%s=%d" % x for x in text["sizes"].items())
        print("DISAGREE %s %s %s: %s" % (text["row"], text["quantity"], text["id"], why))
        print("  at %s element %d; %s; %s; inputs %s" % (line["at"], k, params, sizes, " ".join(text["in"])))
        print("  reference %s" % (want if want[-1] in "fnd" else shown(exact(want))))
        print("  second    %s" % shown(got))
    return say


def closing(rows, listed, seconds, strict):
    """The table by row, the quantities that nobody answered, the closing line.  Exit status."""
    print("\n%-13s %10s %10s %10s %6s  %s" % ("row", "quantities", "questions", "values", "wrong", "asked, and no second system; not asked"))
    covered = answered = mute = 0
    for row, quantities in listed.items():
        t = rows.get(row, Tally())
        missing = [q for q in quantities if not t.quantities.get(q)]
        silent = [q for q in missing if q in t.quantities]
        there = len(quantities) - len(missing)
        covered += there > 0
        answered += there
        print("%-13s %10s %10d %10d %6d  %s" % (row, "%d/%d" % (there, len(quantities)), t.questions, t.values, t.wrong, " ".join(silent) + ("; " if silent else "") + ("%d not asked" % (len(missing) - len(silent)) if len(missing) > len(silent) else "")))
        mute += len(silent)
    opened = Counter()
    for row, t in rows.items():
        for why, n in t.open.items():
            opened[row + " " + why] += n
    for why, n in sorted(opened.items()):
        print("not answered: %s (%d questions)" % (why, n))
    every = lambda what: sum(getattr(t, what) for t in rows.values())
    print("second system: %d questions asked, %d values compared, %d of %d rows, %d of %d quantities (%d asked without a second system), %d disagreements; %d questions not answered, %d lines undecided by the reference, "
          "%d values smaller than %d bits resolve, %d radii wider than 2^-%d of their value; %.0f s" % (every("questions"), every("values"), covered, len(listed), answered, sum(map(len, listed.values())), mute, every("wrong"),
                                                             sum(opened.values()), every("undecided"), every("beyond"), DEEPEST, every("wide"), WIDE, seconds))
    if not every("values"):
        print("second system: nothing was compared")
        return 2
    return 1 if every("wrong") or (strict and opened) else 0


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--all", action="store_true", help="a question without a second formula is a failure too")
    args.add_argument("--show", type=int, default=2, help="disagreements printed of each quantity")
    args.add_argument("--seconds", type=float, default=0, help="of processor time, then it stops asking and says so; 0: no limit")
    args = args.parse_args()
    begun, known, rows, listed, say, stopped = time.process_time(), formulas(), {}, OrderedDict(), saying(args.show), 0
    for number_of, raw in enumerate(sys.stdin, 1):
        try:
            text = json.loads(raw)
            row, quantity = text["row"], text["quantity"]
        except (ValueError, KeyError, TypeError):
            print("second system: line %d of the questions is none: %.60r" % (number_of, raw))
            return 2
        if text["source"] == "list":
            listed.setdefault(row, []).append(quantity)
            known.get(row, {"leads": {}})["leads"][quantity] = text["lead"]
            continue
        if args.seconds and time.process_time() - begun > args.seconds:
            stopped += 1
            continue
        tally = rows.setdefault(row, Tally())
        tally.quantities.setdefault(quantity, 0)
        if row not in known:
            tally.open["no second system"] += 1
            continue
        compare(text, known[row], tally, say)
    rc = closing(rows, listed, time.process_time() - begun, args.all)
    if stopped:
        print("second system: %d questions were not reached within %g s of processor time" % (stopped, args.seconds))
    return rc


if __name__ == "__main__":
    sys.set_int_max_str_digits(0)
    sys.exit(main())
