"""Attention over a paged cache (Kwon et al. 2023, arXiv:2309.06180): the keys of a sequence are gathered by its table first, then a query mixes those up to its position."""
from softmix import Mix, in_base, scored


def gathered(c, name, i):
    """The lines [g][.] of the keys 0 .. pos[i] of the query's sequence, in order."""
    pages = [c.x(name)[k] for k in c.x("table")[c.x("seq")[i]]]
    lines = [slot for page in pages for slot in page]
    return lines[:c.x("pos")[i] + 1]


def mixed(c, h, i):
    def make():
        q, groups, p = c.x("q")[h][i], len(c.x("k")[0][0]), c.p
        g = h % groups if p.group == "tile" else h // (len(c.x("q")) // groups)
        keys, values = gathered(c, "k", i), gathered(c, "v", i)
        first = max(len(keys) - p.window, 0) if p.window else 0
        return Mix(len(keys), {j: scored(p, q, keys[j][g]) for j in range(first, len(keys))}, lambda j: values[j][g])
    return c.kept(("mixed", h, i), make)


ROWS = {"paged": {
    "o": lambda c, h, i: mixed(c, h, i).output(len(c.x("v")[0][0][0])),
    "lse": lambda c, h, i: [in_base(c.p, mixed(c, h, i).lse)],
}}
