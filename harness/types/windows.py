"""Windows of images: the layers that cut their tokens into windows before they attend, and how large those are.

Told from what the code does: a layer calls a function that partitions, under a test or always; or layers whose tokens lie in
windows already make one sequence of them again, under a test; or a model hands its layers the ends of windows instead of
those of images, by their number."""
import ast

from facts import calls, methods, running
from gates import callee, condition, written
from mixers import arguments
from symbols import LAYER, Environment, is_unknown, negation, text


def square(side):
    return ast.Tuple(elts=[side, side], ctx=ast.Load())


def under(test, e):
    """The expression where the test holds, or None."""
    return e if test is None else ast.IfExp(test=test, body=e, orelse=ast.Constant(value=None))


def partitioned(release, built, h):
    """window_partition(hidden_states, SIZE) in a method of an object that holds the attention."""
    for m, f in methods(release, h.module, h.node).values():
        for called, n in calls(f):
            given = [k.value for k in n.keywords if k.arg == 'window_size'] or n.args[1:2]
            if not called.split('.')[-1].endswith('window_partition') or not given:
                continue
            side = running(h, f).value(written(f, given[0], n.lineno))
            return {'window_size': (under(condition(h, f, n), square(side)) if not is_unknown(side) else None, m, n.lineno)}
    return {}


def split_batch(f):
    """N in `x.view(batch // N, ..)`, by which a method makes one sequence of N windows; None: it makes none."""
    for called, n in calls(f):
        first = n.args[0] if n.args else None
        if called.split('.')[-1] in ('view', 'reshape') and isinstance(first, ast.BinOp) and isinstance(first.op, ast.FloorDiv):
            return first.right
    return None


def merged(release, built, h):
    """Layers that make one sequence of the windows of an image before they attend: the others attend within a window."""
    m, f = methods(release, h.module, h.node).get('forward', (None, None))
    for i in ast.walk(f) if f is not None else ():
        if not isinstance(i, ast.If):
            continue
        body = ast.Module(body=i.body, type_ignores=[])
        inner = [x for c, _ in calls(body) for x in [callee(release, built, h, c)] if x and x[0] is h]
        for g in [f] + [x[2] for x in inner]:
            many = split_batch(body if g is f else g)
            test = running(h, f).value(i.test) if many is not None else None
            if test is not None and LAYER in text(test):
                e = running(h, g).value(many)
                return {'windows': (under(negation(test), e) if not is_unknown(e) else None, m, i.lineno)}
    return {}


def made_by(f, v):
    """The call whose result, or a part of it, a method gives that name; None: there is none."""
    for s in ast.walk(f):
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.Call) and v in [n.id for t in s.targets for n in ast.walk(t)
                                                                                 if isinstance(n, ast.Name)]:
            return s.value
    return None


def side_of(release, m, n, env):
    """Rows of a window in tokens, by the function that makes the windows: what it divides its window_size by, times the rows of
    tokens that it moves as one (PARAMETER ** 2 tokens)."""
    _, g = release.resolve(m, ast.unparse(n.func))
    if not isinstance(g, ast.FunctionDef):
        return None
    inner, units = Environment(), []
    inner.locals.update({k: env.value(v) for k, v in arguments(n, g).items()})
    sides = []
    for s in g.body:
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.BinOp):
            if isinstance(s.value.op, ast.FloorDiv) and 'window_size' in ast.unparse(s.value):
                sides.append(inner.value(s.value))
            elif isinstance(s.value.op, ast.Pow) and ast.unparse(s.value.right) == '2':
                units.append(inner.value(s.value.left))
    e = sides[0] if sides else None
    for u in units if e is not None else ():
        e = ast.BinOp(left=e, op=ast.Mult(), right=u)
    return None if e is None or is_unknown(e) else e


def looped(release, built, h):
    """for number, layer in enumerate(self.layers): the ends of windows, or where the number is in a list, of images."""
    for m, f in methods(release, h.module, h.node).values():
        for i in [i for loop in ast.walk(f) if isinstance(loop, ast.For) for i in ast.walk(loop) if isinstance(i, ast.If)]:
            for branch, within in ((i.body, True), (i.orelse, False)):
                named = [s.value.id for s in branch if isinstance(s, ast.Assign) and isinstance(s.value, ast.Name)]
                made = [n for v in named for n in [made_by(f, v)] if n and any(k.arg == 'window_size' for k in n.keywords)]
                if not made:
                    continue
                env = running(h, f)
                test = env.value(i.test)
                side = side_of(release, m, made[0], env)
                known = side is not None and not is_unknown(test)
                return {'window_size': (under(test if within else negation(test), square(side)) if known else None, m, i.lineno)}
    return {}


def windows_of(release, built, o):
    """{fact: (expression or None where it was not understood, module, line)} of an attention: `window_size`, rows and columns of
    its windows, or `windows`, how many an image is cut into; empty: it has none."""
    for h in [o] + list(reversed(o.holders)):
        for look in (partitioned, merged, looped):
            found = look(release, built, h)
            if found:
                return found
    return {}
