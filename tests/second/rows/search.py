"""Decoding: greedy, beam and exhaustive search (Graves 2012; Sutskever et al. 2014; Wu et al. 2016, eq. 14), with the rules of released decoders."""
from mpmath import mpf
from question import NoFormula
from real import nan, power, total
from softmix import softmax


def logs(c, row):
    def make():
        line = c.x("table")[row]
        if c.p.given == "logprob":
            return line
        _, lse = softmax(dict(enumerate(line)))
        return [x - lse for x in line]
    return c.kept(("row", row), make)


def row_of(p, tokens):
    """The log-probabilities after the tokens so far."""
    if p.form == "markov":
        return tokens[-1] if tokens else p.start
    v, n, number = p.vocab, len(tokens), 0
    for t in tokens:
        number = number * v + t
    return sum(v ** k for k in range(n)) + number


def penalty(p, n):
    """The penalty lp of a length, to which a prompt counts; an empty text counts as 1."""
    n = mpf(max(n + p.extra, 1))
    if p.penalty == "none":
        return mpf(1)
    return power((5 + n) / 6, p.alpha) if p.penalty == "gnmt" else power(n, p.alpha)


def score(p, tokens, logp, length=None):
    n = len(tokens) if length is None else length
    if p.count == "text" and tokens and tokens[-1] == p.eos and length is None:
        n -= 1
    return logp / penalty(p, n)


def best_first(p, items):
    """items: (value, place, token, ..): of equal ones the earlier place, then the lower id, or the other way round."""
    sign = 1 if p.ties == "lowest" else -1
    return sorted(items, key=lambda x: (-x[0], sign * x[1], sign * x[2]))


def greedy(c):
    p, tokens, logp = c.p, [], mpf(0)
    while len(tokens) < p.length and (not tokens or tokens[-1] != p.eos):
        line = logs(c, row_of(p, tokens))
        t = best_first(p, [(x, 0, k) for k, x in enumerate(line)])[0][2]
        tokens, logp = tokens + [t], logp + line[t]
    return [(score(p, tokens, logp), tokens)]


def exhaustive(c):
    p, found, open_ones = c.p, [], [([], mpf(0))]
    for _ in range(p.length):
        longer = []
        for tokens, logp in open_ones:
            for t, x in enumerate(logs(c, row_of(p, tokens))):
                (found if t == p.eos else longer).append((tokens + [t], logp + x))
        open_ones = longer
    every = sorted(found + (open_ones if p.last != "forced" else []))       # in the order of their tokens, which decides ties
    ranked = sorted(((score(p, y, x), k, y) for k, (y, x) in enumerate(every)), key=lambda r: (-r[0], r[1] if p.ties == "lowest" else -r[1]))
    return [(s, y) for s, _, y in ranked[:p.beam]]


def ended(p, ends, alive, t, first):
    """Does the search stop after step t?"""
    if p.stop == "top":
        return first
    if p.stop == "none" or not ends:
        return False
    top = max((x for x, _ in alive), default=None)
    if p.stop == "best":
        return top is None or max(s for s, _ in ends) > top / penalty(p, p.length)
    if len(ends) < p.beam:
        return False
    if p.stop == "full" or top is None:
        return True
    return min(s for s, _ in ends) >= top / penalty(p, t if p.stop == "now" else p.length)


def beam(c):
    p = c.p
    alive, ends, width = [(mpf(0), [])] * (p.beam if p.first == "copies" else 1), [], p.beam
    for t in range(1, p.length + 1):
        every = []
        for place, (logp, tokens) in enumerate(alive):
            line = logs(c, row_of(p, tokens))
            every += [(logp + x, place, k, tokens + [k]) for k, x in enumerate(line) if not (t == p.length and p.last == "forced" and k != p.eos)]
        pool = best_first(p, every)[:p.pool * width]
        alive, gone, first = [], 0, False
        for rank, (logp, _, token, tokens) in enumerate(pool):
            if token != p.eos and not (t == p.length and p.last == "finished" and p.keep != "none"):    # at the last place every token is an end
                if len(alive) < width:
                    alive.append((logp, tokens))
                continue
            if p.keep == "none":
                if rank == 0:
                    ends, first = [(score(p, tokens, logp), tokens)], True
                gone += 1
            elif p.finish == "any" or rank < width:
                if p.keep == "best" or len(ends) < p.beam:
                    ends.append((score(p, tokens, logp), tokens))
                first = first or rank == 0
        if p.keep == "none":
            width -= gone
        if p.keep == "best":
            ends = sorted(ends, key=lambda r: -r[0])[:p.beam]
        if ended(p, ends, alive, t, first) or not alive:
            break
    else:
        if (p.last == "finished" and p.keep == "none") or (p.last == "spare" and not ends):
            more = [(score(p, y, x), y) for x, y in alive]
            ends = ends + more if p.keep != "first" else ends + more[:max(p.beam - len(ends), 0)]
    return sorted(ends, key=lambda r: -r[0])[:p.beam]


def results(c):
    p = c.p
    if p.length > 100 or (p.vocab ** p.length if p.search == "exhaustive" else p.beam * p.length * p.vocab) > 5000:
        raise NoFormula("a search too large to be asked twice")
    return c.kept("results", lambda: {"greedy": greedy, "beam": beam, "exhaustive": exhaustive}[c.p.search](c))


def tokens(c, k):
    p, found = c.p, results(c)
    if k >= len(found):
        raise NoFormula("fewer sequences than asked for")
    y = ([p.start] if p.start >= 0 else []) + found[k][1]
    places = c.told["shape"][1]
    return (y + [p.pad] * (places - len(y)))[:places]


def value(c, k):
    found = results(c)
    if k >= len(found):
        raise NoFormula("fewer sequences than asked for")
    return found[k][0]


def cumulative(c, i):
    """A sequence has at most `length` tokens: beyond it there is no number."""
    if i >= c.p.length:
        return nan
    y = c.x("target")[:i + 1]
    return total(logs(c, row_of(c.p, y[:k]))[t] for k, t in enumerate(y))


ROWS = {"decode": {"tokens": tokens, "score": value, "cumulative": cumulative, "penalty": lambda c, i: penalty(c.p, c.x("len")[i] - (c.p.count == "text"))}}
