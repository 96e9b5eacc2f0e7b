"""Indexers: objects within an attention that choose the keys which a query sees, by scores of their own.

An object is one when it makes projections and products of its own, and what it returns is made of the indices of a topk
(facts.selects), whatever its names are.  Its sizes are read from its projections, what it selects from the topk, and how it makes
its scores from its own methods and those of the objects within it."""
import ast
import re

from facts import attribute, calls, factors, methods, running, scores, selects, takes_largest, WIDTH
from gates import there
from mixers import within
from positions import condition_of, frequencies, layout_of, parents, rotary_of, rotation
from symbols import is_unknown, negation, text

CACHES = re.compile(r'^update_(index|indexer|compressor_states)$')
FUNCTIONS = {'min', 'max', 'int', 'get', 'has', 'len', 'sqrt', 'layer_idx'}
ACTIVATION = re.compile(r'^(relu|sigmoid|silu|gelu|softplus)$')


def indexer_of(release, built, o):
    """The first object within an attention that chooses its keys; None: it has none."""
    for x in built.objects:
        if o in x.holders and selects(release, x) and projections(x) \
                and any(scores(f) for _, _, f in methods_within(release, built, x)):
            return x
    return None


def projections(x):
    """(attribute, width of its output, line) of each projection that an object makes."""
    return [(m.attr, m.args[1] if len(m.args) > 1 else m.keywords.get('out_features'), m.line) for m in x.env.made
        if m.attr and ast.unparse(m.called) == 'nn.Linear']


def methods_within(release, built, x):
    """(object, module, method) of all that an indexer runs, its constructors aside."""
    return [(y, m, f) for y in within(built, x) for name, (m, f) in methods(release, y.module, y.node).items() if name != '__init__']


def of_keys(e, x):
    """Whether an expression is one in the keys of the configuration alone, and no plain number."""
    names = {n.id for n in ast.walk(e) if isinstance(n, ast.Name)}
    return not is_unknown(e) and bool(names) and names <= set(x.env.declared) | FUNCTIONS


def heads_and_width(x):
    """(heads, the key's heads or None, width, line): a projection makes the queries of all heads, whose width has a name."""
    width, _ = attribute(x, WIDTH + ' index_head_dim')
    for _, out, line in projections(x):
        if width is None or not isinstance(out, ast.BinOp) or not isinstance(out.op, ast.Mult):
            continue
        for one, other in ((out.left, out.right), (out.right, out.left)):
            if text(one) == text(width) and of_keys(other, x):
                both = isinstance(other, ast.BinOp) and isinstance(other.op, ast.Add)
                return (other.left, other.right, width, line) if both else (other, None, width, line)
    return None, None, width, x.node.lineno


def locals_of(f):
    """{name: what a method assigns to it last}."""
    found = sorted((s for s in ast.walk(f) if isinstance(s, ast.Assign)), key=lambda s: s.lineno)
    return {t.id: s.value for s in found for t in s.targets if isinstance(t, ast.Name)}


def topk_of(release, built, x):
    """(how many it takes, module, line, method) of the topk that selects."""
    for m, f in methods(release, x.module, x.node).values():
        for n in sorted((n for n in ast.walk(f) if takes_largest(n)), key=lambda n: n.lineno):
            words = {k.arg: k.value for k in n.keywords}
            given = words.get('k', n.args[-1] if n.args else None)
            if given is None:
                continue
            e = locals_of(f).get(given.id, given) if isinstance(given, ast.Name) else given
            sides = e.args if isinstance(e, ast.Call) and ast.unparse(e.func) == 'min' else [e]
            sides = [running(x, f).value(s) for s in sides]
            told = [s for s in sides if of_keys(s, x)]
            return told[0] if len(told) == 1 else None, m, n.lineno
    return None, x.module, x.node.lineno


def flat_arguments(n):
    return [y for a in n.args for y in (a.elts if isinstance(a, (ast.Tuple, ast.List)) else [a])]


def block_of(release, x):
    """(how many keys one entry has, module, line, method) where keys, or their scores, are cut into runs of N beside each other:
    x.view(.., COUNT, N, ..), of which COUNT was made by a division by N."""
    for m, f in methods(release, x.module, x.node).values():
        env = running(x, f)
        made = locals_of(f)
        divided = {name: {text(env.value(d.right)) for d in ast.walk(e) if isinstance(d, ast.BinOp) and isinstance(d.op, ast.FloorDiv)}
            for name, e in made.items()}
        for called, n in sorted(calls(f), key=lambda c: c[1].lineno):
            given = flat_arguments(n) if called.split('.')[-1] in ('view', 'reshape') else []
            for count, wide in zip(given, given[1:]):
                e = env.value(made.get(wide.id, wide) if isinstance(wide, ast.Name) else wide)
                if isinstance(count, ast.Name) and of_keys(e, x) and text(e) in divided.get(count.id, ()):
                    return e, m, n.lineno, f
    return None


POOLS = (('amax', 'max of scores'), ('mean', 'mean of keys'), ('softmax', 'trained mean of keys'))


def pool_of(release, x):
    """What stands for a block, by the first of POOLS that the object calls."""
    for last, word in POOLS:
        for m, f in methods(release, x.module, x.node).values():
            for called, n in calls(f):
                if called.split('.')[-1] == last:
                    return word, m, n.lineno
    return None


class Widths:
    """Widths of the last axis of a method's locals, told from projections, views, cuts and joins."""

    def __init__(self, x, f):
        self.x, self.env, self.known, self.lists = x, running(x, f), {}, {}
        self.outputs = {attr: e for attr, e, _ in projections(x)}

    def value(self, e):
        return self.env.value(e)

    def of(self, e):
        """The width of an expression, in keys; None: it was not told."""
        if isinstance(e, ast.Name):
            return self.known.get(e.id)
        if isinstance(e, ast.IfExp):
            return self.of(e.body) or self.of(e.orelse)
        if isinstance(e, ast.BinOp):
            return self.of(e.left) or self.of(e.right)
        if isinstance(e, ast.Subscript):
            return ast.Constant(value=1) if re.search(r'\.\.\., None\)?$', ast.unparse(e.slice)) else None
        return self.of_call(e) if isinstance(e, ast.Call) else None

    def of_call(self, n):
        called = ast.unparse(n.func)
        last = called.split('.')[-1]
        if re.fullmatch(r'self\.\w+', called):
            return self.outputs[last] if last in self.outputs else self.of(n.args[0]) if n.args else None
        if last in ('view', 'reshape', 'new_zeros'):
            given = [y for a in n.args for y in self.listed(a)]
            return self.sized(given[-1]) if given else None
        if last == 'cat' and n.args and isinstance(n.args[0], (ast.List, ast.Tuple)):
            return self.sum([self.of(y) for y in n.args[0].elts])
        if last == 'linear' and len(n.args) == 2:
            return self.rows(n.args[1])
        if re.search('rotary', last) and n.args:
            return self.of(n.args[0])
        return self.of(n.func.value) if isinstance(n.func, ast.Attribute) else None

    def listed(self, a):
        if isinstance(a, ast.Starred):
            a = a.value
        if isinstance(a, ast.Name) and a.id in self.lists:
            return self.lists[a.id]
        return a.elts if isinstance(a, (ast.Tuple, ast.List)) else [a]

    def sized(self, e):
        v = self.value(e)
        return v if of_keys(v, self.x) else None

    def sum(self, parts):
        if None in parts:
            return None
        total = parts[0]
        for p in parts[1:]:
            total = ast.BinOp(left=total, op=ast.Add(), right=p)
        return total

    def rows(self, e):
        """The rows of a parameter self.NAME, which F.linear makes its output of."""
        for m in self.x.env.made:
            if isinstance(e, ast.Attribute) and m.attr == e.attr and ast.unparse(m.called) == 'nn.Parameter' and m.args \
                    and isinstance(m.args[0], ast.Call) and m.args[0].args:
                return m.args[0].args[0]
        return None

    def take(self, s):
        """Notes what an assignment makes."""
        t, v = s.targets[0], s.value
        if isinstance(t, ast.Name) and isinstance(v, ast.Tuple):
            self.lists[t.id] = v.elts
        elif isinstance(t, ast.Name):
            self.known[t.id] = self.of(v)
        elif isinstance(t, ast.Tuple) and isinstance(v, ast.Tuple) and len(t.elts) == len(v.elts):
            told = [self.of(y) for y in v.elts]
            self.known.update({a.id: w for a, w in zip(t.elts, told) if isinstance(a, ast.Name)})
        elif isinstance(t, ast.Tuple) and isinstance(v, ast.Call):
            cut = self.cut(v)
            for k, a in enumerate(t.elts):
                if isinstance(a, ast.Name):
                    turned = re.search('rotary', ast.unparse(v.func)) and k < len(v.args)
                    self.known[a.id] = cut[k] if cut and k < len(cut) else self.of(v.args[k]) if turned else None

    def cut(self, n):
        """The widths into which split(x, [A, B], dim=-1) cuts; None: it is none."""
        if ast.unparse(n.func).split('.')[-1] != 'split':
            return None
        given = next((a for a in n.args if isinstance(a, ast.List)), None)
        return [self.sized(y) for y in given.elts] if given is not None else None


def cache_of(release, x, block):
    """(numbers of a token that its cache keeps, module, line); None: it keeps none.  What is kept of whole blocks alone is
    shared by their keys."""
    for m, f in methods(release, x.module, x.node).values():
        kept = [n for called, n in calls(f) if CACHES.match(called.split('.')[-1])]
        if not kept:
            continue
        at = min(kept, key=lambda n: n.lineno)
        seen = Widths(x, f)
        for s in sorted((n for n in ast.walk(f) if isinstance(n, ast.Assign) and len(n.targets) == 1), key=lambda n: n.lineno):
            if s.lineno < at.lineno:
                seen.take(s)
        told = [w for w in (seen.of(a) for a in at.args) if w is not None]
        e = told[0] if told else None
        if e is not None and block and block[3] is f and block[2] < at.lineno:
            e = ast.BinOp(left=e, op=ast.Div(), right=block[0])
        return e, m, at.lineno
    return None


def scale_of(release, built, x):
    """(the product of all factors of the scores, module, line); 1 where there are none."""
    found, at = None, None
    for y, m, f in methods_within(release, built, x):
        if not scores(f):
            continue
        for side, line, over in sorted(factors(f), key=lambda s: s[1]):
            e = running(y, f).value(side)
            if not of_keys(e, y):
                continue
            e = ast.BinOp(left=ast.Constant(value=1.0), op=ast.Div(), right=e) if over else e
            found = e if found is None else ast.BinOp(left=found, op=ast.Mult(), right=e)
            at = at or (m, line)
        at = at or (m, f.lineno)
    return (found if found is not None else ast.Constant(value=1.0),) + at


def acts(release, built, x):
    """(what is made of each product before heads are added, module, line)."""
    for y, m, f in methods_within(release, built, x):
        for called, n in calls(f) if scores(f) else ():
            if ACTIVATION.match(called.split('.')[-1]):
                return called.split('.')[-1], m, n.lineno
    return 'none', x.module, x.node.lineno


def weighs(built, x, heads):
    """(whether trained weights of the heads add them up, module, line)."""
    for y in within(built, x):
        for _, out, line in projections(y):
            if heads is not None and out is not None and text(out) == text(heads):
                return True, y.module, line
    return False, x.module, x.node.lineno


def adds_heads(release, built, x):
    """Whether the scores of heads are added, so that all heads of the attention have one selection."""
    return any(called.split('.')[-1] == 'sum' for _, _, f in methods_within(release, built, x) if scores(f) for called, _ in calls(f))


def turned_part(x, f, width):
    """(how many channels turn, where they lie, line) of split(x, [TURN, WIDTH - TURN]), or the other way round; None: no such cut."""
    env = running(x, f)
    for called, n in calls(f):
        given = next((a.elts for a in n.args if isinstance(a, ast.List) and len(a.elts) == 2), None) if called.endswith('split') else None
        sides = [env.value(a) for a in given] if given else []
        for k, e in enumerate(sides):
            rest = sides[1 - k]
            if isinstance(rest, ast.BinOp) and isinstance(rest.op, ast.Sub) and text(rest.right) == text(e) and text(rest.left) == text(width):
                return e, 'last' if k else 'first', n.lineno
    return None


def end_turned(g):
    """The end of each head that a rotation turns where it cuts one off itself; None: it was not told."""
    said = ast.unparse(g)
    if re.search(r'\[\.\.\., -\w+:\]', said):
        return 'last'
    return 'first' if re.search(r'\[\.\.\., :\w*(rot|rope)\w*\]', said) else None


def rotation_of(release, built, x, width):
    """{fact: (value, module, line)} of the positions that an indexer's queries and keys have."""
    found = rotation(release, x)
    if found is None:
        return {'position': ('none', x.module, x.node.lineno)}
    m, f, n, (m2, g) = found
    out = {'position': ('rope', m, n.lineno), 'layout': (layout_of(release, x, found), m2, g.lineno)}
    when = condition_of(x, found)
    if when:
        out['rotates'] = (when, m, n.lineno)
    part = turned_part(x, f, width)
    if part:
        out['rotary'], out['turns'] = (part[0], m, part[2]), (part[1], m, part[2])
        return out
    for r in rotary_of(release, built, x):
        got = frequencies(release, r.module, r.node, r.env)
        if got and got[1] is not None and not is_unknown(got[1]) and width is not None:
            least = ast.Call(func=ast.Name(id='min', ctx=ast.Load()), args=[got[1], width], keywords=[])
            out['rotary'] = (least, got[2], got[3])
            break
    else:
        out['rotary'] = (None, m, n.lineno)
    if end_turned(g):
        out['turns'] = (end_turned(g), m2, g.lineno)
    return out


def attribute_of(o, x):
    """The attribute of an object by which it holds another one, which may lie deeper."""
    return x.path[len(o.path):].strip('.').split('.')[0]


def shared_with(release, o, x):
    """(condition under which a layer without an indexer takes the selection of an earlier one, module, line): where the attention
    calls it under a test, and else takes an argument of its own.  None: it does not."""
    attr = attribute_of(o, x)
    for m, f in methods(release, o.module, o.node).values():
        given, up = {a.arg for a in f.args.args + f.args.kwonlyargs}, parents(f)
        for called, n in calls(f):
            at, below = n, n
            while called == 'self.' + attr and at in up and not isinstance(at, ast.If):
                below, at = at, up[at]
            if not isinstance(at, ast.If) or below not in at.body:
                continue
            for s in at.orelse:
                if isinstance(s, ast.Assign) and isinstance(s.value, ast.Name) and s.value.id in given:
                    return negation(there(o.env.attributes.get(attr))), m, s.lineno
    return None


def always_seen(release, x):
    """(how many blocks are selected whatever their scores are, module, line): scores.scatter_(.., those, infinity), of which an
    arange counts them.  None: none are."""
    for m, f in methods(release, x.module, x.node).values():
        if any(called.endswith('scatter_') and re.search(r"float\('inf'\)$", ast.unparse(n.args[-1])) for called, n in calls(f) if n.args):
            for called, n in calls(f):
                e = running(x, f).value(n.args[0]) if called.endswith('arange') and len(n.args) == 1 else None
                if e is not None and of_keys(e, x):
                    return e, m, n.lineno
    return None


def facts_of(release, built, o):
    """[(fact, value, module, line)] of the indexer within an attention; empty: it has none.  A value is a word, an expression, or
    None where it was not understood."""
    x = indexer_of(release, built, o)
    if x is None:
        return []
    heads, key_heads, width, line = heads_and_width(x)
    here = x.module, x.node.lineno
    block = block_of(release, x)
    weights = weighs(built, x, heads)
    out = [('', x.node.name) + here, ('heads', heads, x.module, line), ('head_dim', width, x.module, line),
        ('topk',) + topk_of(release, built, x), ('scale',) + scale_of(release, built, x),
        ('act',) + acts(release, built, x), ('weights', str(weights[0])) + weights[1:],
        ('added', str(weights[0] or adds_heads(release, built, x))) + here]
    if x.when():
        out.append(('when', x.when()) + here)
    if key_heads is not None:
        out.append(('key_heads', key_heads, x.module, line))
    if block:
        out.append(('block',) + block[:3])
        pool = pool_of(release, x)
        out.append(('pool',) + (pool or (None,) + here))
        always = always_seen(release, x)
        if always:
            out.append(('always',) + always)
        else:
            out.append(('tail', None) + here)
    cache = cache_of(release, x, block)
    out.append(('cache',) + (cache or (None,) + here))
    shares = shared_with(release, o, x)
    if shares:
        out.append(('shares',) + shares)
    if x.holders[-1] is not o:
        h = x.holders[x.holders.index(o) + 1]
        out += [('of', x.holders[-1].node.name, h.module, h.node.lineno),
            ('beside', there(o.env.attributes.get(attribute_of(o, x)))) + (o.module, o.env.lines.get(attribute_of(o, x), o.node.lineno))]
    return out + [(fact,) + v for fact, v in rotation_of(release, built, x, width).items()]
