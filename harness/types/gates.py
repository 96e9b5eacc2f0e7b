"""Gates: where the output of an attention, or of a layer that keeps a state, is multiplied by a function of the layer's input.

A gate is a product whose one side is made of the output and whose other side is an activation of something that is not: so it is
told from structure, whatever the names are.  A constant or trained factor has no activation and is none."""
import ast
import re

from facts import HEADS, QUERY, WIDTH, attribute, heads_of, methods, running
from positions import parents
from symbols import excluded, is_unknown, negation, text

ACTIVATION = re.compile(r'(?:^|\.)(sigmoid|silu|softplus|tanh)$')
DEEPEST = 4  # Methods and objects that are followed from the attention's own, and locals that are written out one in another.


def there(e):
    """Whether something is made at all, as an expression: the condition of "PARAMETER if CONDITION else None", or True."""
    if isinstance(e, ast.IfExp) and isinstance(e.orelse, ast.Constant) and e.orelse.value is None:
        return e.test
    if isinstance(e, ast.IfExp) and isinstance(e.body, ast.Constant) and e.body.value is None:
        return ast.UnaryOp(op=ast.Not(), operand=e.test)
    return ast.Constant(value=True)


# What asks a tensor for its form alone: an attribute, or a method that takes the form of its argument.
FORM = re.compile(r'^(dtype|device|shape|ndim|size|dim)$')
FORMED = re.compile(r'^(view|reshape|expand|type)_as$')


def mentions(e, names):
    """Whether an expression is made of one of the names: their values, not their forms alone."""
    if isinstance(e, ast.Name):
        return e.id in names
    if isinstance(e, ast.Attribute) and FORM.match(e.attr):
        return False
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and FORMED.match(e.func.attr):
        return mentions(e.func, names)
    return any(mentions(n, names) for n in ast.iter_child_nodes(e))


def activated(e):
    """(activation, what it is applied to) of the outermost activation that an expression calls; None: it calls none."""
    for n in ast.walk(e):
        hit = ACTIVATION.search(ast.unparse(n.func)) if isinstance(n, ast.Call) else None
        if hit:
            return hit.group(1), n.args[0] if n.args else n.func.value
    return None


def part_asked_for(o, test):
    """What `self.NAME is not None` asks for where that is an object that the constructor makes, under a test or always; None: the
    test is another."""
    asked = test.left if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot) else None
    e = o.env.attributes.get(asked.attr) if isinstance(asked, ast.Attribute) and ast.unparse(asked.value) == 'self' else None
    sides = (e.body, e.orelse) if isinstance(e, ast.IfExp) else (e,)
    return e if any(isinstance(x, ast.Call) and re.search(r'(^|\.)[A-Z]\w*$', text(x.func)) for x in sides) else None


def tests_around(o, f, at):
    """The tests of every `if` around a statement in a method, in keys: those of its other branch negated, those that are no
    keys left out."""
    up, out, env = parents(f), [], None
    while at in up:
        below, at = at, up[at]
        if not isinstance(at, ast.If) or below is at.test:
            continue
        env = env or running(o, f)
        for part in at.test.values if isinstance(at.test, ast.BoolOp) and isinstance(at.test.op, ast.And) else [at.test]:
            made = part_asked_for(o, part)
            test = env.value(part) if made is None else there(made)
            if not is_unknown(test) and not isinstance(test, ast.Constant):
                out.append(test if below in at.body else negation(test))
    return out


def condition(o, f, at):
    """All tests around a statement in a method as one, in keys; None: there is none."""
    tests = tests_around(o, f, at)
    return tests[0] if len(tests) == 1 else ast.BoolOp(op=ast.And(), values=tests) if tests else None


class Written(ast.NodeTransformer):
    """Writes out the locals of a method that stand in an expression, as they were last assigned before a line."""

    def __init__(self, f, line, depth=DEEPEST):
        self.f, self.line, self.depth = f, line, depth

    def visit_Name(self, node):
        made = [s for s in ast.walk(self.f) if isinstance(s, ast.Assign) and s.lineno < self.line
            and any(isinstance(n, ast.Name) and n.id == node.id for t in s.targets for n in ast.walk(t))]
        if not made or not self.depth:
            return node
        last = max(made, key=lambda s: s.lineno)
        return Written(self.f, last.lineno, self.depth - 1).visit(ast.parse(ast.unparse(last.value), mode='eval').body)


def written(f, e, line):
    return Written(f, line).visit(ast.parse(ast.unparse(e), mode='eval').body)


def output_of(f, n):
    """The name that a method gives to the first result of a call; None: it gives it none."""
    for s in ast.walk(f):
        if isinstance(s, ast.Assign) and any(x is n for x in ast.walk(s.value)):
            t = s.targets[0].elts[0] if isinstance(s.targets[0], ast.Tuple) else s.targets[0]
            return t.id if isinstance(t, ast.Name) else None
    return None


def made_of(f, names, line):
    """The names of a method, from a line on, of what is made of those given."""
    names = set(names)
    for s in sorted((s for s in ast.walk(f) if isinstance(s, ast.Assign) and s.lineno > line), key=lambda s: s.lineno):
        if mentions(s.value, names):
            names |= {t.id for t in s.targets if isinstance(t, ast.Name)}
    return names


def callee(release, built, o, called):
    """(object, module, function) of `self.NAME`: a method of the object, or the forward of one that it holds; None: neither."""
    attr = called[len('self.'):] if re.fullmatch(r'self\.\w+', called) else None
    if attr in methods(release, o.module, o.node):
        return (o,) + methods(release, o.module, o.node)[attr]
    for x in built.objects:
        if attr and x.holders and x.holders[-1] is o and x.path.split('.')[-1] == attr:
            found = methods(release, x.module, x.node).get('forward')
            return (x,) + found if found else None
    return None


def products(f, names, line):
    """(product, side that is not of the names) of each multiplication of what is of the names, from a line on."""
    for n in ast.walk(f):
        sides = (n.left, n.right) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult) else \
            (n.target, n.value) if isinstance(n, ast.AugAssign) and isinstance(n.op, ast.Mult) else None
        if sides and n.lineno >= line and mentions(sides[0], names) != mentions(sides[1], names):
            yield n, sides[mentions(sides[0], names)]


def gates(release, built, o, f, m, names, line, depth=DEEPEST):
    """(object, module, method, product, activation, what it is applied to, written out) of each gate that is put on what has
    one of the names in a method, there or in what it calls with it."""
    names = made_of(f, names, line)
    inputs = {p.arg for p in f.args.args[1:]} | {n.id for n in ast.walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for n, other in products(f, names, line):
        found = activated(written(f, other, n.lineno))
        if found and mentions(found[1], inputs) and not mentions(found[1], names):
            yield (o, m, f, n) + found
    for n in ast.walk(f) if depth else ():
        if not isinstance(n, ast.Call) or n.lineno < line:
            continue
        at = [k for k, a in enumerate(n.args) if mentions(a, names)]
        to = callee(release, built, o, ast.unparse(n.func)) if at else None
        if to and to[2] is not f:
            parameters = [p.arg for p in to[2].args.args[1:]]
            inner = {parameters[k] for k in at if k < len(parameters)}
            yield from gates(release, built, to[0], to[2], to[1], inner, to[2].lineno, depth - 1)


def grain(o, e):
    """'element' or 'head' by how many numbers a projection makes, as an expression: as many as there are heads, or a product of
    widths or as many as the queries have; None: neither."""
    width = attribute(o, WIDTH)[0]
    heads = [x for x in (attribute(o, HEADS)[0], heads_of(o, 'q_proj query', width)[0]) if x is not None]
    if isinstance(e, ast.IfExp):
        sides = grain(o, e.body), grain(o, e.orelse)
        return ast.IfExp(test=e.test, body=sides[0], orelse=sides[1]) if None not in sides else None
    if text(e) in [text(h) for h in heads]:
        return ast.Constant(value='head')
    queries = [x for x in (width_of(m) for m in o.env.made if m.attr and QUERY.match(m.attr)) if x is not None]
    product = isinstance(e, ast.BinOp) and isinstance(e.op, ast.Mult)
    return ast.Constant(value='element') if product or text(e) in [text(q) for q in queries] else None


def width_of(made):
    """How many numbers a projection makes, None where its call does not say."""
    out = made.args[1] if len(made.args) > 1 else made.keywords.get('out_features')
    return None if out is None or is_unknown(out) else out


def projected(o, e):
    """How many numbers the projection of the layer makes that an expression calls; None: it was not found."""
    for n in ast.walk(e):
        attr = n.func.attr if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) else None
        for made in o.env.made:
            if attr and made.attr == attr and ast.unparse(n.func) == 'self.' + attr and width_of(made) is not None:
                return width_of(made)
    return None


def gate_of(release, built, o, site):
    """{fact: (expression or None where it was not understood, module, line)} of the gate of an attention's output: `gate`,
    'element' or 'head', and `gate_act`, the activation; empty: its output has none."""
    m, f, n = site
    name = output_of(f, n)
    found = list(gates(release, built, o, f, m, {name}, n.lineno)) if name else []
    if not found:
        return {}
    x, m, f, product, act, argument = found[0]
    out = projected(x, argument)
    kind = grain(o, out) if out is not None else None
    ways = [tests_around(g[0], g[2], g[3]) for g in found]
    apart = any(excluded(a + b) for k, a in enumerate(ways) for b in ways[:k])
    test = condition(x, f, product) if not apart else None
    if kind is not None and test is not None:
        kind = ast.IfExp(test=test, body=kind, orelse=ast.Constant(value=None))
    return {'gate': (kind, m, product.lineno), 'gate_act': (ast.Constant(value=act), m, product.lineno)}


def order(f, n):
    """'ACTIVATION', and 'norm' before or after it where the method that multiplies takes a root of a mean square, too."""
    root = [c.lineno for c in ast.walk(f) if isinstance(c, ast.Call) and ast.unparse(c.func).endswith('rsqrt')]
    return '%s' if not root else '%s, then norm' if n.lineno < min(root) else 'norm, then %s'


def chosen(ways):
    """(tests, expression) of several as one expression: the first whose tests hold, the last one where none does."""
    out = ways[-1][1]
    for tests, e in reversed(ways[:-1]):
        if tests and text(e) != text(out):
            test = tests[0] if len(tests) == 1 else ast.BoolOp(op=ast.And(), values=tests)
            out = ast.IfExp(test=test, body=e, orelse=out)
        elif not tests:
            out = e
    return out


def gate_of_scan(release, built, o, site):
    """(expression, module, line) of how the output of a scan is gated: 'silu', or with its norm, 'silu, then norm', 'norm, then
    silu'; None: it is not.  The tests are those of the layer first, then those of the norm."""
    _, n, m, f, x = site
    name, ways, here = output_of(f, n), [], None
    calls = [c for c in ast.walk(f) if isinstance(c, ast.Call) and c.lineno > n.lineno]
    for y, m2, g, product, act, _ in gates(release, built, x, f, m, {name}, n.lineno) if name else ():
        tests = tests_around(y, g, product)
        if g is not f:
            held = [c for c in calls if (callee(release, built, x, ast.unparse(c.func)) or (None,) * 3)[2] is g]
            tests = (tests_around(x, f, held[0]) if held else []) + tests
        ways.append((tests, ast.Constant(value=order(g, product) % act)))
        here = here or (m2, product.lineno)
    ways.sort(key=lambda w: -len(w[0]))
    return (chosen(ways),) + here if ways else None
