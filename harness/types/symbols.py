"""Runs a constructor on symbols: what each attribute is, written in the keys of the configuration.

An expression is a syntax tree; a key of the configuration is a plain name in it, `get(key, default)` is a key that the
class does not declare.  Where two branches differ the value is `a if test else b`.  What cannot be followed is UNKNOWN."""
import ast
import collections
import copy
import itertools
import math

UNKNOWN = '_unknown'
CONFIG = '_config'
SELF = '_self'
OF_LAYER = '_config_of_layer'  # The configuration with what it overrides for one layer.
LAYER = 'layer_idx'
# Methods by which a set or a dictionary is changed in its place; a list of modules is followed by what is appended to it.
CHANGES = {'difference_update', 'intersection_update', 'symmetric_difference_update', 'update', 'discard', 'remove', 'clear', 'sort', 'reverse'}
LARGEST = 160  # nodes of an expression; larger ones are not for a table


# A call that a constructor makes: the attribute or local it is for (attr), what is called, its arguments, the line, the tests it
# is under, and whether the attribute is of the object itself and assigned, so that a later assignment replaces it (own).
Made = collections.namedtuple('Made', 'attr called args keywords line tests own')


def name(x):
    return ast.Name(id=x, ctx=ast.Load())


def unknown():
    return name(UNKNOWN)


def clone(e):
    """A copy of an expression: nodes anew, everything else shared."""
    if isinstance(e, ast.AST):
        new = e.__class__.__new__(e.__class__)
        for field, v in e.__dict__.items():
            setattr(new, field, clone(v) if isinstance(v, (ast.AST, list)) else v)
        return new
    return [clone(x) for x in e] if isinstance(e, list) else e


def large(e):
    return next(itertools.islice(ast.walk(e), LARGEST, None), None) is not None


def is_unknown(e):
    return any(isinstance(n, ast.Name) and n.id in (UNKNOWN, SELF, CONFIG, OF_LAYER) for n in ast.walk(e))


def text(e):
    return ast.unparse(ast.fix_missing_locations(e))


def constant(e):
    """(True, value) of an expression that is decided, else (False, None)."""
    if isinstance(e, ast.Constant):
        return True, e.value
    if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not):
        known, v = constant(e.operand)
        return known, not v
    return False, None


def simple_compare(e):
    """Decides `None is None`, `64 is not None`, `"a" == "b"` where both sides are constants."""
    if isinstance(e, ast.Compare) and len(e.ops) == 1:
        a, x = constant(e.left)
        b, y = constant(e.comparators[0])
        op = e.ops[0]
        if a and b and isinstance(op, (ast.Is, ast.Eq)):
            return ast.Constant(value=x == y if isinstance(op, ast.Eq) else x is y)
        if a and b and isinstance(op, (ast.IsNot, ast.NotEq)):
            return ast.Constant(value=x != y if isinstance(op, ast.NotEq) else x is not y)
    return e


def negation(e):
    """The opposite of a test."""
    return e.operand if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not) else ast.UnaryOp(op=ast.Not(), operand=e)


def excluded(tests):
    """Whether one of the tests is the opposite of another."""
    said = {text(t) for t in tests}
    return any(text(negation(t)) in said for t in tests)


def unreplaced(old, new):
    """The tests of an assignment that stay when another one under the tests `new` comes after it; None: it is always
    replaced."""
    said = {text(t) for t in old}
    rest = [t for t in new if text(t) not in said]
    if any(text(negation(t)) in said for t in rest):
        return old  # Another branch of the same statement.
    if not rest:
        return None
    left = old + [negation(rest[0] if len(rest) == 1 else ast.BoolOp(op=ast.And(), values=rest))]
    return None if excluded(left) else left


def is_config(e):
    return isinstance(e, ast.Name) and e.id == CONFIG or isinstance(e, ast.Call) and ast.unparse(e.func) == '_with'


def overridden(e):
    """What a copy of the configuration was given in place of its own: {key: value}."""
    return {k.arg: k.value for k in e.keywords} if isinstance(e, ast.Call) else {}


class Values(ast.NodeTransformer):
    """Replaces what an environment knows in an expression."""

    def __init__(self, env):
        self.env = env

    def visit_Name(self, node):
        v = self.env.locals.get(node.id)
        if v is not None:
            return clone(v)
        if node.id in self.env.constants:
            return clone(self.env.constants[node.id])
        return node

    def visit_Attribute(self, node):
        if ast.unparse(node) in ('math.e', 'math.pi'):
            return ast.Constant(value=getattr(math, node.attr))
        base = self.visit(node.value)
        if isinstance(base, ast.Name) and base.id == SELF:
            if node.attr in self.env.attributes:
                return clone(self.env.attributes[node.attr])
            if self.env.config_is_self:
                return self.env.key(node.attr)
            return unknown() if node.attr != 'config' else self.env.config or unknown()
        if isinstance(base, ast.Name) and base.id == OF_LAYER:
            return ast.Call(func=name('of_layer'), args=[name(node.attr)], keywords=[])
        if is_config(base):
            return overridden(base).get(node.attr) or self.env.key(node.attr)
        if isinstance(base, ast.IfExp) and (is_config(base.body) or is_config(base.orelse)) and node.attr in self.env.declared:
            return self.env.key(node.attr)  # The configuration, or the same taken out of a larger one.
        return ast.Attribute(value=base, attr=node.attr, ctx=ast.Load())

    def visit_Subscript(self, node):
        base = self.visit(node.value)
        if isinstance(base, ast.Name) and base.id == 'per_layer_config':
            return name(OF_LAYER)
        return ast.Subscript(value=base, slice=self.visit(node.slice), ctx=ast.Load())

    def visit_Call(self, node):
        called = ast.unparse(node.func)
        if called in ('copy.deepcopy', 'deepcopy', 'copy.copy', *self.env.renaming) and len(node.args) == 1:
            return self.visit(node.args[0])
        if called in ('getattr', 'hasattr') and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
            return self.asked(node, called)
        if called in ('kwargs.get', 'kwargs.pop') and node.args and isinstance(node.args[0], ast.Constant):
            d = self.visit(node.args[1]) if len(node.args) > 1 else ast.Constant(value=None)
            return ast.Call(func=name('get'), args=[name(str(node.args[0].value)), d], keywords=[])
        ranged = node.args[0] if called == 'list' and len(node.args) == 1 else None
        if isinstance(ranged, ast.Call) and ast.unparse(ranged.func) == 'range' and len(ranged.args) == 1:
            return ast.Call(func=name('each'), args=[name(LAYER), self.visit(ranged.args[0])], keywords=[])
        if called in ('math.sqrt', 'np.sqrt', 'torch.sqrt', 'math.log'):
            return ast.Call(func=name(called.split('.')[-1]), args=[self.visit(a) for a in node.args], keywords=[])
        return self.generic_visit(node)

    def asked(self, node, called):
        base, key = self.visit(node.args[0]), node.args[1].value
        d = self.visit(node.args[2]) if len(node.args) > 2 else ast.Constant(value=None)
        is_self = isinstance(base, ast.Name) and base.id == SELF
        if not is_self and not is_config(base):
            return unknown()
        of_config = not is_self or self.env.config_is_self
        if not is_self and key in overridden(base):
            return clone(overridden(base)[key])
        if called == 'hasattr':
            if of_config and key not in self.env.declared:
                return ast.Call(func=name('has'), args=[name(key)], keywords=[])
            return ast.Constant(value=of_config or key in self.env.attributes)
        if is_self and key in self.env.attributes:
            return clone(self.env.attributes[key])
        if of_config and key in self.env.declared:
            return self.env.key(key)
        return ast.Call(func=name('get'), args=[name(key), d], keywords=[]) if of_config else d

    def visit_IfExp(self, node):
        test = simple_compare(self.visit(node.test))
        known, v = constant(test)
        if known:
            return self.visit(node.body if v else node.orelse)
        return ast.IfExp(test=test, body=self.visit(node.body), orelse=self.visit(node.orelse))

    def visit_ListComp(self, node):
        g = node.generators[0]
        over = ast.unparse(g.iter.func) if isinstance(g.iter, ast.Call) else ''
        if len(node.generators) > 1 or g.ifs or not isinstance(g.target, ast.Name) or over == 'range' and len(g.iter.args) != 1:
            return unknown()
        within = self.env.copy()
        if over == 'range':
            one, count = name(LAYER), self.visit(g.iter.args[0])
        else:
            whole = self.visit(g.iter)
            one = ast.Subscript(value=whole, slice=name(LAYER), ctx=ast.Load())
            count = ast.Call(func=name('len'), args=[clone(whole)], keywords=[])
        within.locals[g.target.id] = one
        return ast.Call(func=name('each'), args=[Values(within).visit(clone(node.elt)), count], keywords=[])

    def visit_Compare(self, node):
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(node.left, ast.Constant) \
                and ast.unparse(node.comparators[0]) == 'kwargs':  # A key of the file that the class does not declare.
            there = ast.Call(func=name('has'), args=[name(str(node.left.value))], keywords=[])
            return there if isinstance(node.ops[0], ast.In) else negation(there)
        return simple_compare(self.generic_visit(node))

    def visit_NamedExpr(self, node):
        self.env.locals[node.target.id] = self.visit(node.value)
        return clone(self.env.locals[node.target.id])


class Environment:
    """What is known while a constructor runs.  declared: the keys that the configuration's class has.  config: what the
    attribute `config` is.  made: each call (Made).  renaming: functions that give the entries of a list other names, which
    is a fact of its own."""

    def __init__(self, declared=(), config_is_self=False, constants=None):
        self.attributes, self.locals, self.made = {}, {'self': name(SELF)}, []
        self.declared, self.config_is_self, self.constants = declared, config_is_self, constants or {}
        self.config = None if config_is_self else name(CONFIG)
        self.lines, self.tests = {}, []
        self.renaming, self.into = frozenset(), {}

    def key(self, attr):
        return name(attr)

    def copy(self):
        other = copy.copy(self)
        other.attributes, other.locals = dict(self.attributes), dict(self.locals)
        return other

    def value(self, node):
        if node is None:
            return unknown()
        e = Values(self).visit(clone(node))
        return e if not large(e) else unknown()

    def run(self, statements, call=None):
        for s in statements:
            self.step(s, call)

    def step(self, s, call):
        if isinstance(s, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            self.assign(s, call)
        elif isinstance(s, ast.If):
            self.branch(s, call)
        elif isinstance(s, (ast.For, ast.While)):
            self.loop(s, call)
        elif isinstance(s, ast.With):
            self.run(s.body, call)
        elif isinstance(s, ast.Expr):
            self.builds(s.value, None)
            self.change(s.value)
            self.keep_appended(s.value)
            if call:
                call(self, s.value)

    def assign(self, s, call):
        targets = s.targets if isinstance(s, ast.Assign) else [s.target]
        if s.value is None:
            return
        for t in targets:
            if isinstance(t, ast.Tuple) and isinstance(s.value, ast.Tuple) and len(t.elts) == len(s.value.elts):
                for a, b in zip(t.elts, s.value.elts):
                    self.put(a, self.value(b), s)
                continue
            self.replace(t, s)
            self.builds(s.value, t)
            self.keep_list(t, s.value)
            v = self.value(s.value)
            if isinstance(s, ast.AugAssign):
                v = ast.BinOp(left=self.value(s.target), op=s.op, right=v)
            self.put(t, v, s)

    def put(self, target, v, s):
        if isinstance(target, ast.Name):
            self.locals[target.id] = v
        elif isinstance(target, ast.Attribute) and ast.unparse(target.value) == 'self':
            self.attributes[target.attr] = v
            self.lines[target.attr] = s.lineno
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and is_config(self.locals.get(target.value.id)):
            old = overridden(self.locals[target.value.id])
            old[target.attr] = v
            self.locals[target.value.id] = ast.Call(func=name('_with'), args=[name(CONFIG)],
                keywords=[ast.keyword(arg=k, value=old[k]) for k in sorted(old)])
        elif isinstance(target, ast.Tuple):
            for x in target.elts:
                self.put(x, unknown(), s)

    def branch(self, s, call):
        test = simple_compare(self.value(s.test))
        known, v = constant(test)
        if known:
            self.run(s.body if v else s.orelse, call)
            return
        yes, no = self.copy(), self.copy()
        yes.tests = self.tests + [test]
        no.tests = self.tests + [negation(test)]
        yes.run(s.body, call)
        no.run(s.orelse, call)
        stops = [any(isinstance(x, (ast.Raise, ast.Return)) for x in b) for b in (s.body, s.orelse)]
        if stops[0] or stops[1]:
            kept = no if stops[0] else yes
            self.attributes, self.locals = kept.attributes, kept.locals
            if any(isinstance(x, ast.Return) for x in (s.body if stops[0] else s.orelse)):
                self.tests = kept.tests  # What follows is met only there.
            return
        for ours, a, b in ((self.attributes, yes.attributes, no.attributes), (self.locals, yes.locals, no.locals)):
            for key in list(a) + [k for k in b if k not in a]:
                x, y = a.get(key), b.get(key)
                if x is not None and y is not None and text(x) == text(y):
                    ours[key] = x
                else:
                    missing = self.key(key) if self.config_is_self and ours is self.attributes else ast.Constant(value=None)
                    ours[key] = ast.IfExp(test=test, body=x if x is not None else missing,
                        orelse=y if y is not None else missing)

    def change(self, e):
        """A local that a method of its own changes is no longer what it was."""
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and isinstance(e.func.value, ast.Name) \
                and e.func.attr in CHANGES and e.func.value.id in self.locals and not is_config(self.locals[e.func.value.id]):
            self.locals[e.func.value.id] = unknown()

    def becomes(self, local, attr):
        """What was made for a local is from now on the attribute, or the local, that it is put into; where several are put
        into one, they keep the names that tell them apart."""
        if self.into.setdefault(attr, local) != local:
            return
        self.made[:] = [m._replace(attr=attr) if m.attr == local and not m.own else m for m in self.made]

    def keep_appended(self, e):
        """self.layers.append(layer), layers.append(layer)"""
        of = e.func.value if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr == 'append' else None
        if isinstance(of, (ast.Name, ast.Attribute)) and e.args and isinstance(e.args[0], ast.Name):
            self.becomes(e.args[0].id, of.attr if own(of) else ast.unparse(of).split('.')[-1])

    def keep_list(self, target, e):
        """self.layers = nn.ModuleList(layers), self.layers = nn.Sequential(*layers)"""
        called = ast.unparse(e.func) if isinstance(e, ast.Call) else ''
        first = e.args[0] if called in ('nn.ModuleList', 'nn.Sequential', 'ModuleList', 'Sequential') and e.args else None
        first = first.value if isinstance(first, ast.Starred) else first
        if isinstance(first, ast.Name):
            self.becomes(first.id, target.attr if own(target) else ast.unparse(target))

    def loop(self, s, call):
        for n in ast.walk(s):  # A count is another one in every turn.
            if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name):
                self.locals[n.target.id] = unknown()
        if isinstance(s, ast.For):
            self.bind_loop(s.target, s.iter)
        if not self.fills(s):
            self.run(s.body, call)

    def fills(self, s):
        """Whether a loop of a configuration does nothing but make a list that was empty, an entry in each turn; the list is that
        then."""
        entry = appended(s.body[-1:]) if isinstance(s, ast.For) and isinstance(s.iter, ast.Call) else None
        plain = all(isinstance(x, ast.Assign) and isinstance(x.targets[0], ast.Name) for x in s.body[:-1])
        if not (self.config_is_self and entry and plain and ast.unparse(s.iter.func) == 'range' and len(s.iter.args) == 1):
            return False
        list_of, e = entry
        old = self.value(list_of)
        if not isinstance(old, ast.List) or old.elts:
            return False
        within = self.copy()
        within.run(s.body[:-1])
        made = ast.Call(func=name('each'), args=[within.value(e), self.value(s.iter.args[0])], keywords=[])
        self.put(list_of, made if not large(made) else unknown(), s)
        return True

    def bind_loop(self, target, over):
        names = [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]
        called = ast.unparse(over.func) if isinstance(over, ast.Call) else ''
        for k, n in enumerate(names):
            self.locals[n] = name(LAYER) if called == 'range' or (called == 'enumerate' and k == 0) else unknown()

    def replace(self, target, s):
        """An attribute that is assigned again is no longer what an earlier statement made it, where this one is reached;
        unless it is made of what it was."""
        if not own(target) or isinstance(s, ast.AugAssign) or any(own(n) and n.attr == target.attr for n in ast.walk(s.value)):
            return
        left = [m._replace(tests=unreplaced(m.tests, self.tests)) if m.own and m.attr == target.attr else m for m in self.made]
        self.made[:] = [m for m in left if m.tests is not None]

    def builds(self, e, target):
        """Notes every call in an expression, with its arguments in the keys of the configuration."""
        attr = target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else None
        within = self.copy()
        for n in ast.walk(e):
            if isinstance(n, ast.comprehension):
                within.bind_loop(n.target, n.iter)
        for n, tests in met(e, within, self.tests):
            f = n.func
            if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.attr in ('append', 'add_module'):
                attr = attr or f.value.id
            elif isinstance(f, ast.Attribute) and isinstance(f.value, ast.Attribute) and f.attr == 'append':
                attr = attr or f.value.attr
            f = within.locals.get(f.id, f) if isinstance(f, ast.Name) else f
            self.made.append(Made(attr, f, [within.value(a) for a in n.args if not isinstance(a, ast.Starred)],
                {k.arg: within.value(k.value) for k in n.keywords if k.arg}, n.lineno, tests, own(target)))


def appended(body):
    """(list, entry) of statements that append one entry to a list, by whatever branch they go; None: they do more or less."""
    s = body[0] if len(body) == 1 else None
    if isinstance(s, ast.If):
        sides = appended(s.body), appended(s.orelse)
        if None in sides or ast.unparse(sides[0][0]) != ast.unparse(sides[1][0]):
            return None
        return sides[0][0], ast.IfExp(test=s.test, body=sides[0][1], orelse=sides[1][1])
    e = s.value if isinstance(s, ast.Expr) else None
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr == 'append' and len(e.args) == 1:
        return e.func.value, e.args[0]
    return None


def own(e):
    """Whether an expression is an attribute of the object itself: self.NAME."""
    return isinstance(e, ast.Attribute) and ast.unparse(e.value) == 'self'


def met(e, env, tests):
    """(call, the tests it is under) of each call in an expression: those of `A(..) if TEST else B(..)`, too."""
    if isinstance(e, ast.Call):
        yield e, tests
    if isinstance(e, ast.IfExp):
        test = simple_compare(env.value(e.test))
        known, v = constant(test)
        yield from met(e.test, env, tests)
        for side, holds, under in ((e.body, True, test), (e.orelse, False, negation(test))):
            if not known or bool(v) == holds:
                yield from met(side, env, tests if known else tests + [under])
        return
    for inner in ast.iter_child_nodes(e):
        yield from met(inner, env, tests)


def bind(function, args, keywords, env):
    """Binds a call's arguments to the names of a function's parameters, self aside, and takes their defaults."""
    a = function.args
    names = [p.arg for p in a.posonlyargs + a.args]
    if names and names[0] in ('self', 'cls'):
        names = names[1:]
    given = dict(zip(names, args))
    given.update(keywords)
    for p, d in zip(reversed(a.args), reversed(a.defaults)):
        given.setdefault(p.arg, d)
    for p, d in zip(a.kwonlyargs, a.kw_defaults):
        if d is not None:
            given.setdefault(p.arg, d)
    for n in names + [p.arg for p in a.kwonlyargs]:
        env.locals[n] = given.get(n, unknown())
    return given
