"""What a model's classes do with positions and attention: read off its constructors and forward methods.

A model class is built on symbols (symbols.py); every object within it that is an attention, a table of positions or a
rotation is met at its path ("layers.self_attn"), with its attributes written in the keys of the configuration."""
import ast
import re

from symbols import CONFIG, Environment, bind, excluded, is_config, is_unknown, name, negation, text

DEEPEST = 14


class Object:
    """One object of a model: its path, class, attributes (env) and the objects that hold it, outermost first."""

    def __init__(self, path, module, node, env, holders, given, tests):
        self.path, self.module, self.node, self.env, self.holders, self.given = path, module, node, env, holders, given
        self.ways = [tests]  # The tests under which it is made, those of its holders first; of each place that makes it.

    def when(self):
        """The condition under which the object is there, in the keys of the configuration; None: always, or by what is no
        key."""
        ways = [plain_tests(tests) for tests in self.ways]
        for one in list(ways):
            for other in list(ways):
                apart = [t for t in one if text(t) not in [text(x) for x in other]]
                if len(apart) == 1 and len(one) == len(other) and excluded(apart + other):
                    ways.append([t for t in one if t is not apart[0]])  # Under either of two opposites it is there.
        if any(not one for one in ways):
            return None
        sets = [frozenset(text(t) for t in one) for one in ways]
        ways = [one for one, tests in zip(ways, sets) if not any(other < tests for other in sets)]
        said = list(dict.fromkeys(' and '.join([text(t) for t in one] if len(one) == 1 else [bracketed(text(t)) for t in one])
            for one in ways))
        return said[0] if len(said) == 1 else ' or '.join('(%s)' % w for w in said)


class Built:
    """Every object of one model class, and its plain embeddings."""

    def __init__(self, release, config):
        self.release, self.config, self.objects, self.tables, self.seen = release, config, [], [], {}
        self.before = set()  # Classes that an earlier model class of the same configuration has: they are not told twice.

    def root(self, module, node):
        if node.name not in self.before:
            self.build(module, node, '', [], {}, [], [])
        self.before = {o.node.name for o in self.objects}

    def build(self, module, node, path, args, keywords, holders, tests):
        if len(holders) > DEEPEST or node.name in self.before:
            return
        env = Environment(self.config.declared_keys(), False, module.constants_only)
        _, owner, init = self.release.method(module, node, '__init__')
        given = {}
        if init is not None:
            given = self.run_init(module, node, init, owner, args, keywords, env)
        if self.is_of_inner(given):
            return
        key = node.name, path.split('.')[-1], tuple(sorted((k, text(v)) for k, v in given.items() if text(v) != CONFIG))
        if key in self.seen:
            self.again(self.seen[key], path, tests)
            return
        o = self.seen[key] = Object(path, module, node, env, holders, given, tests)
        self.objects.append(o)
        for m in env.made:
            for g, under in branches(m.called, env):
                self.follow(o, m.attr, g, m.args, m.keywords, m.line, m.tests + under)

    def again(self, o, path, tests):
        """Notes that an object, with all that it holds, is made under other tests as well."""
        n = len(o.ways[0])
        for x in self.objects if o.path == path else ():
            if x is o or any(h is o for h in x.holders):
                x.ways.append(tests + x.ways[0][n:])

    def is_of_inner(self, given):
        """Whether the object is made from a configuration within this one, which has a type and a card of its own."""
        for k, v in given.items():
            if k in ('config', 'cfg') and not is_config(v) and not is_unknown(v) and not isinstance(v, ast.Constant):
                return True
        return False

    def run_init(self, module, node, init, owner, args, keywords, env):
        given = bind(init, args, keywords, env)
        for p in init.args.args:
            if p.arg in ('config', 'cfg'):
                if p.arg not in given or is_unknown(given[p.arg]) and not is_config(given[p.arg]):
                    env.locals[p.arg] = given[p.arg] = name(CONFIG)
                if is_config(given[p.arg]):
                    env.config = given[p.arg]

        def call(e, value):
            if not isinstance(value, ast.Call) or ast.unparse(value.func) != 'super().__init__':
                return
            m2, c2, f2 = self.release.method(module, node, '__init__', owner)
            if f2 is None:
                e.attributes['_super'] = ast.Tuple(elts=[e.value(a) for a in value.args if not isinstance(a, ast.Starred)],
                    ctx=ast.Load())
                return
            passed = [e.value(a) for a in value.args if not isinstance(a, ast.Starred)]
            words = {k.arg: e.value(k.value) for k in value.keywords if k.arg}
            kept, e.locals = e.locals, {'self': e.locals['self']}
            self.run_init(m2, node, f2, c2, passed, words, e) if c2 is not owner else None
            e.locals = kept
        env.run(init.body, call)
        return given

    def follow(self, o, attr, f, args, keywords, line, tests):
        called = ast.unparse(f)
        if called in ('nn.Embedding', 'nn.Parameter', 'nn.Buffer') or called.endswith('register_buffer'):
            self.tables.append((o, attr or '', called, args, keywords, line, tests))
            return
        target = None
        if isinstance(f, ast.Name):
            target = f.id
        elif isinstance(f, ast.Subscript) and isinstance(f.value, ast.Name):
            for key, chosen in entries(o.module.constants.get(f.value.id)):
                when = [ast.Compare(left=o.env.value(f.slice), ops=[ast.Eq()], comparators=[key])] if key else []
                self.follow(o, attr, chosen, args, keywords, line, tests + when)
        elif isinstance(f, ast.Attribute) and f.attr == '_from_config' and isinstance(f.value, ast.Name):
            target = f.value.id
        if target is None:
            return
        m, c = self.release.resolve(o.module, target)
        if isinstance(c, ast.FunctionDef) and {'sin', 'cos'} <= {x.split('.')[-1] for x, _ in calls(c)}:
            self.tables.append((o, attr or '', 'sines', [m, c], keywords, line, tests))
        if not isinstance(c, ast.ClassDef) or any(h.node is c for h in o.holders):
            return
        if self.release.method(m, c, 'forward')[2] is None and self.release.method(m, c, '__init__')[2] is None:
            return
        path = '.'.join(x for x in (o.path, attr or c.name) if x)
        self.build(m, c, path, args, keywords, o.holders + [o], o.ways[0] + tests)


def plain_tests(tests):
    """Tests in keys alone, each once; without `not A == 'x'` beside `A == 'y'`, which makes it certain."""
    said = {text(t): t for t in tests if not is_unknown(t)}
    return [t for t in said.values() if not any(implies(other, t) for other in said.values() if other is not t)]


def bracketed(condition):
    return '(%s)' % condition if re.search(r' or | if ', condition) else condition


def equal_to(t):
    """(text of the left side, constant) of `LEFT == CONSTANT`; None: it is none."""
    if isinstance(t, ast.Compare) and len(t.ops) == 1 and isinstance(t.ops[0], ast.Eq) and isinstance(t.comparators[0], ast.Constant):
        return text(t.left), t.comparators[0].value
    return None


def implies(a, b):
    """Whether `LEFT == CONSTANT` makes `not LEFT == ANOTHER` certain."""
    one, other = equal_to(a), equal_to(negation(b)) if isinstance(b, ast.UnaryOp) else None
    return one is not None and other is not None and one[0] == other[0] and one[1] != other[1]


def branches(f, env):
    """(what may be called, the tests it is under) where that is `A if test else B`."""
    if not isinstance(f, ast.IfExp):
        return [(f, [])]
    test = env.value(f.test)
    return [(g, [test] + under) for g, under in branches(f.body, env)] + \
        [(g, [negation(test)] + under) for g, under in branches(f.orelse, env)]


def entries(e):
    """(key, class) of each entry of {"linear": Mixer, "full": Attention}; of {"eager": BertSelfAttention, ...}, ways to
    compute the same, only the first, without its key."""
    pairs = [(k, v) for k, v in zip(e.keys, e.values) if isinstance(v, ast.Name)] if isinstance(e, ast.Dict) else []
    return [(None, pairs[0][1])] if pairs and getattr(pairs[0][0], 'value', '') == 'eager' else pairs


def methods(release, module, node):
    """Every method that an object of the class has, {name: (module, function)}, the nearest class's first."""
    kept = getattr(node, 'kept_methods', None)
    if kept is None:
        kept = node.kept_methods = {}
        for m, c in release.mro(module, node):
            for f in c.body:
                if isinstance(f, ast.FunctionDef):
                    kept.setdefault(f.name, (m, f))
    return kept


def calls(function):
    """(text of what is called, the call) of every call in a function."""
    kept = getattr(function, 'kept_calls', None)
    if kept is None:
        kept = function.kept_calls = [(ast.unparse(n.func), n) for n in ast.walk(function) if isinstance(n, ast.Call)]
    return kept


QUERY = re.compile(r'^(q|query|q_proj|query_proj|to_q|q_lin|q_linear|w_?qkv|qkv|qkv_proj|in_proj|c_attn|query_key_value|proj_q|'
    r'linear_q|q_b_proj|Wqkv|q_head|att_proj|fused_qkv|in_proj_qkv|query_dense)$', re.I)


def is_softmax(called):
    """Whether it is a softmax of something: the function, a module of that name, or nn.Softmax(dim=-1) made on the spot."""
    return re.search(r'(^|\.)(softmax|Softmax\(.*\))$', called) is not None


def attends(release, o):
    """The call that turns scores into weights, as (module, function, call): an attention has one and makes queries.  An
    indexer may have both, too, but chooses the keys of the attention that holds it."""
    if selects(release, o):
        return None
    found = None
    for m, f in methods(release, o.module, o.node).values():
        for called, n in calls(f):
            last = called.split('.')[-1]
            if last in ('attention_interface', 'scaled_dot_product_attention', 'eager_attention_forward', 'attention_fn',
                        'multi_head_attention_forward', 'flex_attention'):
                return m, f, n
            if is_softmax(called) and found is None:
                found = m, f, n
    if found is None:
        return None
    made = {m.attr for m in o.env.made if m.attr} | set(o.env.attributes)
    return found if any(QUERY.match(a) for a in made) or re.search('Attention|Attn', o.node.name) and scores(found[1]) else None


def takes_largest(n):
    return isinstance(n, ast.Call) and ast.unparse(n.func).split('.')[-1] == 'topk'


PRODUCTS = re.compile(r'^(matmul|bmm|baddbmm|einsum|linear|embedding)$')
FORM_ALONE = re.compile(r'^(dtype|device|shape|ndim)$')  # What asks a tensor for its form.


def of_indices(e, known, own):
    """Whether an expression is made of the indices that a topk gave, those in the names `known` among them, by moving, marking
    and comparing alone: not by a product with them, nor by a module, which is no method of the object's own."""
    if isinstance(e, ast.Name):
        return e.id in known
    if isinstance(e, (ast.Attribute, ast.Subscript)) and takes_largest(e.value):
        return (e.attr if isinstance(e, ast.Attribute) else ast.unparse(e.slice)) in ('indices', '1', '-1')
    if isinstance(e, ast.Attribute) and FORM_ALONE.match(e.attr) or isinstance(e, ast.BinOp) and isinstance(e.op, (ast.MatMult, ast.Mult)):
        return False
    if isinstance(e, ast.Call):
        called = ast.unparse(e.func)
        if takes_largest(e) or PRODUCTS.match(called.split('.')[-1]) or re.fullmatch(r'self\.\w+', called) and called[5:] not in own:
            return False
    return any(of_indices(n, known, own) for n in ast.iter_child_nodes(e) if isinstance(n, (ast.expr, ast.keyword)))


def selects(release, o):
    """Whether what an object's forward method returns is made of the indices of a topk: it chooses for others, and mixes nothing
    itself.  Several things that it returns are none: a router of experts hands on their weights, too."""
    kept = getattr(o.node, 'kept_selects', None)
    if kept is None:
        own = methods(release, o.module, o.node)
        kept = o.node.kept_selects = 'forward' in own and returns_indices(own['forward'][1], own)
    return kept


def returns_indices(f, own):
    known, returned = set(), False
    if not any(takes_largest(n) for n in ast.walk(f)):
        return False
    for s in sorted((n for n in ast.walk(f) if isinstance(n, (ast.Assign, ast.Return))), key=lambda n: n.lineno):
        if isinstance(s, ast.Return):
            returned = returned or s.value is not None and not isinstance(s.value, ast.Tuple) and of_indices(s.value, known, own)
            continue
        for t in s.targets:
            if isinstance(t, ast.Tuple) and takes_largest(s.value) and len(t.elts) == 2 and isinstance(t.elts[1], ast.Name):
                known.add(t.elts[1].id)
            elif of_indices(s.value, known, own):
                base = t.value if isinstance(t, ast.Subscript) else t
                known |= {base.id} if isinstance(base, ast.Name) else set()
    return returned


def scores(function):
    return any(c.split('.')[-1] in ('matmul', 'bmm', 'baddbmm', 'einsum') for c, _ in calls(function)) or \
        any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.MatMult) for n in ast.walk(function))


HEADS = 'num_heads num_attention_heads n_heads n_head num_head heads nhead num_query_heads attention_heads encoder_attention_heads'
KV_HEADS = 'num_key_value_heads num_kv_heads n_kv_heads kv_heads kv_n_heads'
WIDTH = 'head_dim attention_head_size head_size qk_head_dim dim_per_head d_head key_value_proj_dim dim_head attention_head_dim q_head_dim d_kv'


def attribute(o, words):
    for w in words.split():
        e = o.env.attributes.get(w)
        if e is not None and not is_unknown(e) and not (isinstance(e, ast.Constant) and e.value is None):
            return e, o.env.lines.get(w)
    for w in words.split():  # A local of the constructor, which forgets it.
        e = o.env.locals.get(w)
        if e is not None and w not in o.given and not is_unknown(e) and not isinstance(e, ast.Constant):
            return e, o.node.lineno
    return None, None


def heads_of(o, words, width):
    """How many heads a projection makes: its output's width is that times the width of a head."""
    for m in o.env.made:
        if m.attr not in words.split():
            continue
        out = m.args[1] if len(m.args) > 1 else m.keywords.get('out_features')
        if isinstance(out, ast.BinOp) and isinstance(out.op, ast.Mult) and width is not None and not is_unknown(out):
            for one, other in ((out.left, out.right), (out.right, out.left)):
                if text(one) == text(width):
                    return other, m.line
    if width is not None and isinstance(width, ast.BinOp) and isinstance(width.op, (ast.FloorDiv, ast.Div)):
        return width.right, o.node.lineno
    if width is not None and isinstance(width, ast.Call) and text(width.func) == 'int' and isinstance(width.args[0], ast.BinOp):
        return heads_of(o, '', width.args[0])
    key = 'num_attention_heads'
    return (name(key), o.node.lineno) if words.startswith('q') and key in o.env.declared else (None, None)


def shared(o):
    """How many heads of keys there are where so many query heads share one."""
    heads, _ = attribute(o, HEADS)
    each, line = attribute(o, 'num_key_value_groups')
    if heads is None or each is None:
        return None, None
    if text(each) == text(heads):
        return ast.Constant(1), line
    if isinstance(each, ast.BinOp) and isinstance(each.op, ast.FloorDiv) and text(each.left) == text(heads):
        return each.right, line
    return ast.BinOp(heads, ast.FloorDiv(), each), line


def one_tensor(call):
    """Whether an attention is given the same tensor as its keys and as its values, behind another as its queries: one that is given
    its input three times makes them itself."""
    given = [a.id if isinstance(a, ast.Name) else None for a in call.args]
    return any(q and k and q != k and k == v for q, k, v in zip(given, given[1:], given[2:]))


def tiled(f, call):
    """The line on which a method repeats all keys one after the other before it attends, k.repeat(1, N, 1, 1), so that head h takes
    those of head h modulo their number; None: it does not, and heads beside each other share keys."""
    given = {a.id for a in call.args if isinstance(a, ast.Name)}
    for s in ast.walk(f):
        e = s.value if isinstance(s, ast.Assign) and s.lineno < call.lineno and given & {ast.unparse(t) for t in s.targets} else None
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr == 'repeat' and len(e.args) == 4 \
                and [ast.unparse(a) == '1' for a in e.args] == [True, False, True, True]:
            return s.lineno
    return None


def keyword(n, words):
    for k in n.keywords:
        if k.arg in words.split():
            return k.value
    return None


def running(o, f):
    """The environment of a method after it ran on symbols, for the values of its locals."""
    env = o.env.copy()
    env.made = []
    env.locals = {'self': name('_self')}
    for p in f.args.args + f.args.kwonlyargs:
        if p.arg != 'self':
            env.locals[p.arg] = name('_unknown')
    env.run(f.body)
    return env


def power(e):
    return ast.BinOp(left=e, op=ast.Pow(), right=ast.Constant(value=-0.5))


def scale_of(release, o, site):
    """(expression, line) of what the product of query and key is multiplied with; (None, None): not understood."""
    m, f, n = site
    given = keyword(n, 'scaling scale softmax_scale')
    if given is not None:
        e = running(o, f).value(given)
        if isinstance(e, ast.Constant) and e.value is None:
            return width_power(o), n.lineno
        if isinstance(e, ast.Constant) and e.value == 1:
            before, line = scale_in_body(o, f, n, True)
            return (before, line) if before is not None else (e, n.lineno)
        return (e, n.lineno) if not is_unknown(e) else scale_in_body(o, f, n)
    if not is_softmax(ast.unparse(n.func)):
        scaled = scale_in_body(o, f, n, True)
        return scaled if scaled[0] is not None else (width_power(o), n.lineno)
    for _, g in methods(release, o.module, o.node).values():
        if g is f:
            continue
        e, line = scale_in_body(o, g, n, True)
        if e is not None:
            return e, line
    return scale_in_body(o, f, n)


def width_power(o):
    e, _ = attribute(o, WIDTH)
    return power(e) if e is not None else None


def factors(f):
    """(expression, line, whether scores are divided by it) of what a method may scale its scores with."""
    for b in ast.walk(f):
        if isinstance(b, ast.Call) and ast.unparse(b.func).split('.')[-1] == 'baddbmm' and keyword(b, 'alpha') is not None:
            yield keyword(b, 'alpha'), b.lineno, False
        if not isinstance(b, (ast.BinOp, ast.AugAssign)) or not isinstance(b.op, (ast.Mult, ast.Div)):
            continue
        over = isinstance(b.op, ast.Div)
        for side in (b.value,) if isinstance(b, ast.AugAssign) else (b.right,) if over else (b.left, b.right):
            t = ast.unparse(side)
            if re.search(r'sqrt\(|\*\* ?\(?-?0\.5', t) or re.fullmatch(r'self\.\w*(scal|norm_factor|temperature)\w*|scale|scaling|rsqrt_\w+', t):
                yield side, b.lineno, over


# What a class that does not multiply its scores has nowhere in its methods.
SCALES = re.compile(r'sqrt|\*\* ?\(?-?0\.5|scal(e|ing)|norm_factor|normalize\(|softplus|temperature|tanh')


def scale_in_body(o, f, n, only_found=False):
    env = None
    for side, line, over in factors(f):
        env = env or running(o, f)
        e = env.value(side)
        if not is_unknown(e):
            return ast.BinOp(left=ast.Constant(value=1.0), op=ast.Div(), right=e) if over else e, line
    if only_found or not scores(f) or any(SCALES.search(own_text(g)) for _, g in o.node.kept_methods.values()):
        return None, None
    return ast.Constant(value=1.0), n.lineno


def own_text(f):
    """A function's text without its comments and its description."""
    said = ast.get_docstring(f, clean=False)
    return '\n'.join(ast.unparse(s) for s in (f.body[1:] if said is not None else f.body))


MASKS = {'create_causal_mask': 'causal', 'create_bidirectional_mask': 'all', 'create_sliding_window_causal_mask': 'causal window',
    'create_chunked_causal_mask': 'causal chunk', 'create_bidirectional_sliding_window_mask': 'window',
    'create_masks_for_generate': 'causal'}


def masks_called(release, o):
    """Names of the library's mask builders that the object's own methods call, with the line of the first of each.  The
    mask of a cross-attention, made for the keys of the other side, counts only where no mask of its own is certain: one
    under a test of is_decoder leaves an encoder of the same class with what every query sees."""
    own, across, certain = {}, {}, False
    for m, f in methods(release, o.module, o.node).values():
        crossing = {n.func for n in ast.walk(f) if isinstance(n, ast.Call)
                    and any(k.arg == 'encoder_hidden_states' for k in n.keywords)}
        tested = {n for i in ast.walk(f) if isinstance(i, ast.If) and 'is_decoder' in ast.unparse(i.test)
                  for n in ast.walk(i)}
        for n in ast.walk(f):
            word = n.id if isinstance(n, ast.Name) else None
            if word in MASKS:
                (across if n in crossing else own).setdefault(word, (m, n))
                certain = certain or n not in crossing and n not in tested
    return own if certain else {**across, **own}


def triangle(release, o):
    for m, f in methods(release, o.module, o.node).values():
        for called, n in calls(f):
            if called.split('.')[-1] in ('tril', 'triu', '_prepare_4d_causal_attention_mask', 'get_extended_attention_mask'):
                return m, n, called.split('.')[-1]
    return None


def is_cross(o):
    last = o.path.split('.')
    return any(re.search(r'cross|encoder_attn|EncDec|encoder_decoder|encoder_attention|token_to_image|image_to_token', p) for p in last)
