"""Calls whose last two arguments may be exchanged without a change, so that the exchange is no fault.

The functions of the library of which this is known are those that tests/commutes.c asks in both orders; of the functions of a file it is
derived: where their bodies are the same with both parameters exchanged, as sums and products of either order are the same."""
import re

COMMUTING = set('+ * == != && || & | ^'.split())
FOREIGN = set('mpfr_add mpfr_mul mpfr_max mpfr_min mpfr_equal_p mpfr_unordered_p mpfr_hypot fmax fmin hypot'.split())


def asked(path):
    """The names in the table of tests/commutes.c; none where there is no such test."""
    try:
        with open(path) as f:
            return set(re.findall(r'^\s*(?:ASKED|static const .*)?\{ "(\w+)",', f.read(), re.M))
    except FileNotFoundError:
        return set()


class Canon:
    """The text of a node with two names exchanged, or not, and with operands that commute in the order of their texts."""

    def __init__(self, text, commuting, names):
        self.text, self.commuting, self.names = text, commuting, names

    def of(self, node):
        parts = [self.of(p) for p in node.parts]
        if node.kind == 'binary' and node.op.text in COMMUTING:
            return '(%s)' % node.op.text.join(sorted(parts))
        if node.kind == 'call' and node.name in self.commuting and len(parts) > 2:
            parts[-2:] = sorted(parts[-2:])
            return '%s(%s)' % (node.name, ','.join(parts[1:]))
        out, at = [], node.start
        for p, own in zip(node.parts, parts):
            out += [self.plain(self.text[at:p.start]), own]
            at = p.end
        return ''.join(out) + self.plain(self.text[at:node.end])

    def plain(self, text):
        """Text between the parts: white space does not count.  A member's name is no variable."""
        return re.sub(r'(?<![.\w>])[A-Za-z_]\w*', lambda m: self.names.get(m.group(), m.group()), ' '.join(text.split()))


def symmetric(f, text, commuting):
    names = [p[1] for p in f.params[-2:]]
    if len(names) < 2 or None in names or f.params[-1][0] != f.params[-2][0]:
        return False
    x, y = names
    return Canon(text, commuting, {}).of(f.body) == Canon(text, commuting, {x: y, y: x}).of(f.body)


def commuting_in(functions, text, known):
    """The known names and those of the functions that are derived to commute."""
    known = set(known) | FOREIGN
    more = True
    while more:
        found = {f.name for f in functions if f.name not in known and symmetric(f, text, known)}
        known |= found
        more = bool(found)
    return known
