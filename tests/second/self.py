#!/usr/bin/env python3
"""Can the second system fail?  Faults are planted in the reference's answers and in the second formulas: each must be found, and nothing where none is.

Reads golden questions.  Of each row one line that is a number and not 0: its midpoint moved by 1e-40 and by 1e-50 of itself, its golden text by two units in the 120th bit,
and another sign.  Then a formula that is off by 1e-50.
"""
import copy
import json
import sys
from main import Tally, compare, exact, formulas, mp, mpf


def hexfloat(x):
    """The number, exactly."""
    man, e = x.man_exp
    return "%s0x%xp%d" % ("-" if x < 0 else "", abs(int(man)), e)


def moved(text, share):
    """The question with its answer moved by a share of itself, and the golden text with it."""
    t = copy.deepcopy(text)
    with mp.workprec(4000):
        line = t["lines"][0]
        line["y"][0][0] = hexfloat(exact(line["y"][0][0]) * (1 + share))
        line["told"] = line["y"][0][0] + "="       # Only the ball is compared.
    return t


def golden_moved(text):
    """The golden text moved by 2 units of its last bit: the neighbours in the same binade round to odd as well."""
    t = copy.deepcopy(text)
    line = t["lines"][0]
    with mp.workprec(4000):
        x = exact(line["told"][:-1])
        unit = mp.ldexp(1, mp.mag(x) - 120)
        line["told"] = hexfloat(x + 2 * unit) + line["told"][-1]
    return t


def wrong(text, table):
    """How many differences the second system finds in the question."""
    tally = Tally()
    compare(text, table, tally, lambda *_: None)
    return tally.wrong, tally.values


def main():
    known, first = formulas(), {}
    for raw in sys.stdin:
        text = json.loads(raw)
        if text["source"] == "list":
            known[text["row"]]["leads"][text["quantity"]] = text["lead"]
            continue
        mid = text["lines"][0]["y"][0][0]
        if mid[-1] not in "fnd" and exact(mid) != 0 and "~" in text["lines"][0]["told"]:
            first.setdefault(text["row"], text)
    planted = missed = 0
    for row, text in first.items():
        table = known[row]
        count, values = wrong(text, table)
        if count or not values:
            print("FAIL %s %s: without a fault %d values, %d wrong" % (row, text["id"], values, count))
            missed += 1
        for name, fault in (("1e-40", moved(text, mpf(10) ** -40)), ("-1e-50", moved(text, -mpf(10) ** -50)), ("sign", moved(text, mpf(-2))), ("golden text", golden_moved(text))):
            planted += 1
            if not wrong(fault, table)[0]:
                print("FAIL %s %s: the fault '%s' was not found" % (row, text["id"], name))
                missed += 1
        # A formula that is wrong in the 50th digit.
        q = text["quantity"]
        right = table.get(q)
        if right is not None:
            def bent(a):
                return [bent(b) for b in a] if isinstance(a, (list, tuple)) else a * (1 + mpf(10) ** -50)
            planted += 1
            if not wrong(text, dict(table, **{q: lambda c, *at: bent(right(c, *at))}))[0]:
                print("FAIL %s %s: a formula off by 1e-50 was not found" % (row, text["id"]))
                missed += 1
    print("second system, its own test: %d rows, %d faults planted, %d not found" % (len(first), planted, missed))
    return 1 if missed or not planted else 0


if __name__ == "__main__":
    sys.exit(main())
