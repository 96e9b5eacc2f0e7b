"""Decoding: greedy, beam and exhaustive search (Graves 2012; Sutskever et al. 2014; Wu et al. 2016, eq. 14), with the rules of released decoders."""
from itertools import product
from mpmath import mpf
from real import inf, log, power, total, val
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
    """Of the tokens so far."""
    if p.form == "markov":
        return tokens[-1] if tokens else p.start
    v, n, number = p.vocab, len(tokens), 0
    for t in tokens:
        number = number * v + t
    return sum(v ** k for k in range(n)) + number


def penalty(p, n):
    """lp of a length."""
    n = mpf(max(n, 1) if p.penalty == "power" or n > 0 else n)
    if p.penalty == "none" or p.alpha == 0:
        return mpf(1)
    return power((5 + n) / 6, p.alpha) if p.penalty == "gnmt" else power(n, p.alpha)


def counted(p, tokens):
    n = len(tokens) - (1 if p.count == "text" and tokens and tokens[-1] == p.eos else 0)
    return max(n, 1) + p.extra


def score(p, tokens, logp):
    return logp / penalty(p, counted(p, tokens))


def order(p, items):
    """Best first; items: (value, place, token, ..): of equal ones the earlier place, then the lower id, or the other way round."""
    sign = 1 if p.ties == "lowest" else -1
    return sorted(items, key=lambda x: (-val(x[0]), sign * x[1], sign * x[2]))


def greedy(c):
    p, tokens, logp = c.p, [], mpf(0)
    while len(tokens) < p.length:
        line = logs(c, row_of(p, tokens))
        t = order(p, [(x, 0, k) for k, x in enumerate(line)])[0][2]
        tokens, logp = tokens + [t], logp + line[t]
        if t == p.eos:
            break
    return [(score(p, tokens, logp), tokens)]


ROWS = {}
