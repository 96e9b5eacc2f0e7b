"""Single faults of a program in numpy, by general operators on its syntax tree: no fault is written down, each is a place and an operator.

    faults_of(text) -> [Fault], in the order of the text, each with its own tag

Operators of code: an operator, a comparison, a constant, an argument, a condition, a name of numpy exchanged for one of its family, a
statement left out, two letters of an einsum exchanged.  Operators of arrays: whatever a part of an expression gives, where it is an
array, is negated, doubled, rolled, reversed, transposed, cut .. on its way (CHANGES below); where it is none, or has no such axis, the fault
raises and counts as none."""
import ast
import copy
import hashlib

BINARY = {ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div,), ast.Div: (ast.Mult,), ast.FloorDiv: (ast.Mod, ast.Div),
          ast.Mod: (ast.FloorDiv,), ast.Pow: (ast.Mult,), ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,)}
COMPARE = {ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
           ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,)}
FAMILIES = (('exp', 'exp2', 'expm1'), ('log', 'log2', 'log10', 'log1p'), ('sin', 'cos', 'tan'), ('max', 'min', 'sum', 'mean'),
            ('maximum', 'minimum'), ('repeat', 'tile'), ('floor', 'ceil', 'rint', 'trunc'), ('abs', 'negative', 'square'),
            ('ones', 'zeros'), ('sqrt', 'square'), ('float32', 'float64', 'float16'), ('isinf', 'isnan'))
# what an array may suffer; those with an axis are tried on the last three
WHOLE = {'negated': '-x', 'doubled': 'x * 2', 'halved': 'x / 2', 'squared': 'x * x', 'left zero': 'x * 0', 'in half precision': 'x.astype("f2").astype(x.dtype)',
         'a hundredth more': 'x * x.dtype.type(1.01)', 'plus a thousandth': 'x + x.dtype.type(1e-3)', 'plus a millionth': 'x + x.dtype.type(1e-6)'}
ALONG = {'rolled': 'np.roll(x, 1, axis)', 'reversed': 'np.flip(x, axis)',
         'the first for all': 'np.repeat(np.take(x, [0], axis), x.shape[axis], axis)',
         'without the last': 'cut(x, axis, x.shape[axis] - 1)', 'without its part of a block of 4': 'cut(x, axis, x.shape[axis] // 4 * 4)',
         'without its part of a block of 16': 'cut(x, axis, x.shape[axis] // 16 * 16)', 'every other': 'odd(x, axis)',
         'summed up': 'np.cumsum(x, axis).astype(x.dtype)'}
SWAPPED = {'transposed': 'np.swapaxes(x, axis, axis - 1)', 'transposed, the shape kept': 'np.swapaxes(x, axis, axis - 1).reshape(x.shape)'}
HELPERS = '''
class NoFault(Exception):
    """The operator does not apply here."""
def cut(x, axis, to):
    x = x.copy()
    np.moveaxis(x, axis, 0)[to:] = 0
    return x
def odd(x, axis):
    x = x.copy()
    y = np.moveaxis(x, axis, 0)
    y[1::2] = y[:len(y) // 2 * 2:2]
    return x
def fault(x, how, axis):
    if not isinstance(x, np.ndarray) or x.ndim < -axis or (axis and x.dtype == bool and how in "x * 2"):
        raise NoFault
    return eval(how, {"np": np, "x": x, "axis": axis, "cut": cut, "odd": odd})
'''


class Fault:
    def __init__(self, text, line, where, says, tag, of_array):
        self.text, self.line, self.where, self.says, self.tag, self.of_array = text, line, where, says, tag, of_array


class Reader(ast.NodeVisitor):
    """Collects (path to the node, new node, words): a path is a list of (field, index or None) from the root."""

    def __init__(self):
        self.found, self.path, self.where = [], [], []

    def put(self, node, new, says):
        self.found.append((list(self.path), new, node.lineno, '.'.join(self.where), says))

    def visit(self, node):
        if isinstance(node, ast.FunctionDef):
            self.where.append(node.name)
            self.children(node, ('body',))
            self.where.pop()
            return
        if self.where:
            self.expression(node)
            self.statement(node)
        # the keys of params, and what is called, are no places of their own
        self.children(node, node._fields)

    def children(self, node, fields):
        for name in fields:
            value = getattr(node, name, None)
            for k, one in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(one, ast.AST):
                    self.path.append((name, k))
                    self.visit(one)
                    self.path.pop()

    def statement(self, node):
        if isinstance(node, ast.AugAssign):
            self.put(node, ast.Pass(), 'left out')
        if isinstance(node, ast.If):
            for to in (True, False):
                new = copy.deepcopy(node)
                new.test = ast.Constant(to)
                self.put(node, new, 'the condition is %s' % to)

    def expression(self, node):
        said = ast.unparse(node) if isinstance(node, ast.expr) else ''

        def give(new, says=None):
            self.put(node, new, '%s -> %s' % (said[:60], (says or ast.unparse(new))[:60]))
        if isinstance(node, ast.BinOp):
            for op in BINARY.get(type(node.op), ()):
                give(ast.BinOp(node.left, op(), node.right))
            give(node.left)
            give(node.right)
            if isinstance(node.op, (ast.Sub, ast.Div)):
                give(ast.BinOp(node.right, node.op, node.left))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            for op in COMPARE.get(type(node.ops[0]), ()):
                give(ast.Compare(node.left, [op()], node.comparators))
        if isinstance(node, ast.UnaryOp):
            give(node.operand)
        if isinstance(node, ast.IfExp):
            give(node.body)
            give(node.orelse)
            give(ast.IfExp(node.test, node.orelse, node.body))
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            by_hand = (node.value * 1.1, node.value * 0.9) if isinstance(node.value, float) else ()
            for v in (node.value + 1, node.value - 1, -node.value, node.value * 2) + by_hand:
                if v != node.value:
                    give(ast.Constant(v))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ',' in node.value:
            self.letters(node, give)
        if isinstance(node, ast.Attribute):
            for family in FAMILIES:
                for other in family if node.attr in family else ():
                    if other != node.attr:
                        give(ast.Attribute(node.value, other, node.ctx))
        if isinstance(node, ast.Call):
            self.call(node, give)
        if isinstance(node, ast.Slice):
            self.slice(node)
        if isinstance(node, (ast.Name, ast.Call, ast.Subscript, ast.BinOp)) and isinstance(getattr(node, 'ctx', ast.Load()), ast.Load):
            if not (self.path and self.path[-1][0] in ('func', 'value') and isinstance(node, ast.Name)):
                self.arrays(node, said)

    def letters(self, node, give):
        """Two neighbouring letters of one operand of an einsum exchanged."""
        text = node.value
        for k in range(len(text) - 1):
            if text[k].isalpha() and text[k + 1].isalpha():
                give(ast.Constant(text[:k] + text[k + 1] + text[k] + text[k + 2:]))

    def call(self, node, give):
        for k in range(len(node.args) - 1):
            args = list(node.args)
            args[k], args[k + 1] = args[k + 1], args[k]
            give(ast.Call(node.func, args, node.keywords))
        for k in range(len(node.args)):
            give(ast.Call(node.func, node.args[:k] + node.args[k + 1:], node.keywords))
        for k in range(len(node.keywords)):
            give(ast.Call(node.func, node.args, node.keywords[:k] + node.keywords[k + 1:]))

    def slice(self, node):
        for name in ('lower', 'upper'):
            value = getattr(node, name)
            if value is not None:
                for by in (1, -1):
                    new = copy.deepcopy(node)
                    setattr(new, name, ast.BinOp(copy.deepcopy(value), ast.Add(), ast.Constant(by)))
                    new.lineno = node.lineno
                    self.put(node, new, 'slice %s: %s one %s' % (ast.unparse(node), name, 'more' if by > 0 else 'less'))

    def arrays(self, node, said):
        for says, how in WHOLE.items():
            self.put(node, wrapped(node, how, 0), '%s %s' % (said[:80], says))
        for table, least in ((ALONG, 1), (SWAPPED, 1)):
            for says, how in table.items():
                for axis in range(1, 4 if table is ALONG else 3):
                    self.put(node, wrapped(node, how, -axis), '%s %s along axis %d' % (said[:80], says, -axis))


def wrapped(node, how, axis):
    return ast.Call(ast.Name('fault', ast.Load()), [node, ast.Constant(how), ast.Constant(axis)], [])


def mutated(tree, path, new):
    """A copy of the tree with another node at that path."""
    tree = copy.deepcopy(tree)
    at = tree
    for name, k in path[:-1]:
        at = getattr(at, name) if k is None else getattr(at, name)[k]
    name, k = path[-1]
    if k is None:
        setattr(at, name, copy.deepcopy(new))
    else:
        getattr(at, name)[k] = copy.deepcopy(new)
    return ast.fix_missing_locations(tree)


def faults_of(text):
    tree = ast.parse(text)
    reader = Reader()
    reader.visit(tree)
    first = next(k for k, one in enumerate(tree.body) if not isinstance(one, (ast.Expr, ast.Import, ast.ImportFrom)))
    found = []
    for at, (path, new, line, where, says) in enumerate(reader.found):
        try:
            changed = mutated(tree, path, new)
            changed.body[first:first] = ast.parse(HELPERS).body
            words = ast.unparse(changed)
            compile(words, 'fault', 'exec')
        except (SyntaxError, ValueError, TypeError):
            continue
        tag = hashlib.sha256(('%d %s %s' % (at, where, says)).encode()).hexdigest()[:8]
        found.append(Fault(words, line, where, says, tag, "fault(" in ast.unparse(new)[:6]))
    return found
