"""How a model knows positions: rotations within attentions, tables that are added, biases of scores."""
import ast
import re

from facts import calls, is_cross, methods, own_text, running
from symbols import CONFIG, Environment, is_unknown, name, text

ROTATES = re.compile(r'rotar|rope|rotate_(half|every)', re.I)


def parents(tree):
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def rotation(release, o):
    """(module, method, call, function that rotates) of the first call in an attention that rotates; None: there is none."""
    for m, f in methods(release, o.module, o.node).values():
        for called, n in calls(f):
            last = called.split('.')[-1]
            if not ROTATES.search(last) or re.search(r'(get|create|compute|_emb$|embedding|build|prepare|freqs)', last) \
                    and not re.search('apply', last):
                continue
            if isinstance(n.func, ast.Attribute) and ast.unparse(n.func.value) == 'self':
                m2, _, g = release.method(o.module, o.node, n.func.attr)
            else:
                m2, g = release.resolve(o.module, last)
            if isinstance(g, ast.FunctionDef):
                return m, f, n, (m2, g)
    return None


def halves_or_pairs(release, module, function, seen=None):
    """Layouts for which a function, and those it calls, give evidence: 'half', 'interleaved'."""
    seen = seen if seen is not None else set()
    if function.name in seen:
        return set()
    seen.add(function.name)
    out = set()
    for n in ast.walk(function):
        t = ast.unparse(n) if isinstance(n, (ast.Subscript, ast.Call)) else ''
        if isinstance(n, ast.Subscript):
            if re.match(r'(cos|sin)', t):
                continue  # A table of which each angle stands twice: no evidence.
            if re.search(r':: ?2\]$', t):
                out.add('interleaved')
            elif re.search(r'// ?2(:|\])|: ?\w*half|half\w* ?:', t):
                out.add('half')
        elif isinstance(n, ast.Call) and re.search(r'chunk\(', t) and re.search(r'\b2\b', t) and not re.search(r'chunk\([^()]*, ?[3-9]', t):
            out.add('half')
        elif isinstance(n, ast.Call) and (re.search(r'view_as_complex\(|\(-1, 2\)\)$', t) or re.search(r'\.(view|reshape)\(.*(// 2|-1), 2\)$', t)):
            out.add('interleaved')
        if isinstance(n, ast.Call):
            m2, g = release.resolve(module, ast.unparse(n.func).split('.')[-1]) if isinstance(n.func, ast.Name) else (None, None)
            if isinstance(g, ast.FunctionDef):
                inner = halves_or_pairs(release, m2, g, seen)
                # A permutation to pairs before a rotation of halves is a rotation of pairs.
                out |= inner
    return out


def layout_of(release, o, found):
    """The layout of pairs: 'half', 'interleaved', an expression of a key that chooses, or None."""
    m, f, n, (m2, g) = found
    up = parents(f)
    at = n
    while at in up:
        at = up[at]
        if isinstance(at, ast.If) and 'interleave' in ast.unparse(at.test):
            return chosen_layout(release, o, at)
    by_key = [x for x in ast.walk(g) if isinstance(x, (ast.If, ast.IfExp)) and 'interleave' in ast.unparse(x.test)]
    if by_key:
        return "'interleaved' if %s else 'half'" % ast.unparse(by_key[0].test)
    seen = halves_or_pairs(release, m2, g)
    if seen == {'half', 'interleaved'}:
        return 'interleaved' if re.search('interleave', g.name) else None
    return seen.pop() if len(seen) == 1 else None


def chosen_layout(release, o, at):
    env = o.env.copy()
    test = env.value(at.test)
    sides = []
    for body in (at.body, at.orelse):
        seen = set()
        for s in body:
            for called, n in calls(s):
                m, g = release.resolve(o.module, called.split('.')[-1])
                if isinstance(g, ast.FunctionDef) and ROTATES.search(called):
                    seen |= {'interleaved'} if 'interleave' in called else halves_or_pairs(release, m, g)
        sides.append(seen.pop() if len(seen) == 1 else None)
    if None in sides or is_unknown(test):
        return None
    return "'%s' if %s else '%s'" % (sides[0], text(test), sides[1]) if sides[0] != sides[1] else sides[0]


def condition_of(o, found):
    """The condition under which the call is met, in the keys of the configuration; None: always, or by what is no key."""
    _, f, n, _ = found
    up, at, out = parents(f), n, []
    env = None
    while at in up:
        below, at = at, up[at]
        if isinstance(at, ast.If):
            other = at.orelse if below in at.body else at.body
            if any(ROTATES.search(c.split('.')[-1]) for x in other for c, _ in calls(x)):
                continue
            env = env or running(o, f)
            test = env.value(at.test)
            if is_unknown(test) or re.search(r'\.|position_embeddings', text(test)) or isinstance(test, ast.Constant):
                continue
            out.append(text(test) if below in at.body else 'not (%s)' % text(test))
    return ' and '.join(reversed(out)) or None


def frequencies(release, module, node, env):
    """(base, width, module, line) of `1 / base ** (arange(0, width, 2) / width)` in a class's methods; None: not there."""
    for mname, (m, f) in methods(release, module, node).items():
        for n in ast.walk(f):
            if not (isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow)):
                continue
            spans = [c for called, c in calls(n.right) if called.endswith('arange')]
            if not spans or len(spans[0].args) < 2:
                continue
            within = env.copy()
            within.made = []
            within.attributes = dict(env.attributes)
            if mname != '__init__':
                within.locals = {'self': name('_self')}
            for p in f.args.args:
                if p.arg in ('config', 'cfg'):
                    within.locals[p.arg] = name(CONFIG)
                elif p.arg != 'self' and mname != '__init__':
                    within.locals[p.arg] = name('_unknown') if p.arg != 'layer_type' else ast.Constant(value=None)
            within.run(f.body)
            return within.value(n.left), span_width(within, spans[0]), m, n.lineno
    return None


def span_width(within, span):
    """How many channels the pairs of arange(0, width, 2) turn; of arange(0, 1, 4 / width), the exponents themselves of two
    axes side by side, the same."""
    end, step = span.args[1], span.args[2] if len(span.args) > 2 else None
    if isinstance(end, ast.Constant) and end.value == 1 and isinstance(step, ast.BinOp) and isinstance(step.op, ast.Div) \
            and isinstance(step.left, ast.Constant) and step.left.value == 4:
        return within.value(step.right)
    return within.value(end)


AXIS = r'freq_(\w+)'
SPREADS = (  # How a module puts the angles of its axes side by side: (what its code has, the order of axes if it names none, word).
    (r'm\[i % 3\] for i, m in enumerate\(freq\.split\(self\.mrope_section', 't h w', 'sections'),
    (r'\bfreqs_thw = freq\[0\].*mrope_section\[dim\] \* 3', 't h w', 'interleaved'),
    (r'freq\.transpose\(1, 2\)\.flip\(-1\)\.flatten\(1\)', 'w h', 'alternate'),
    (r'freq\.flip\(1\)\.flatten\(1\)', 'w h', 'blocks'),
    (r'stack\(\[%s, %s\], dim=-1\)\.flatten\(-2\)\n.*cat\(\[freq_\w+, %s\]' % (AXIS, AXIS, AXIS), '', 'pairwise'),
    (r'stack\(\[%s, %s\], dim=-1\)\.flatten\(-2\)' % (AXIS, AXIS), '', 'alternate'),
    (r'cat\(\[%s, \w+, %s, \w+\]' % (AXIS, AXIS), '', 'apart'),
    (r'cat\(\[%s, %s\], dim=-1\)' % (AXIS, AXIS), '', 'blocks'),
)


def axes_of(release, r):
    """{fact: (value, module, line)} of a rotary module that turns by several positions of a token at once: `axes`, their
    order among the pairs; `spread`, how the pairs are dealt out to them; `sections`, pairs of each, an expression;
    `frequency`, whether each axis has frequencies from 1 on (restart), takes turns at one list (woven), or all share one by
    the pair (shared).  Empty: one position turns everything.  A value of None: not understood."""
    found = methods(release, r.module, r.node)
    m, g = found.get('recomposition_frequencies', (None, None))
    m2, axial = found.get('compute_axial_rope_parameters', (None, None))
    if g is None and axial is None:
        return {}
    m, g = (m, g) if g is not None else (m2, axial)
    body = own_text(g)
    order, spread = None, None
    for mark, said, kind in SPREADS:
        hit = re.search(mark, body, re.S)
        if hit:
            order, spread = said or ' '.join(hit.groups()), kind
            break
    woven = axial is not None and re.search(r'\[(\.\.\., )?0::2\].*\[(\.\.\., )?1::2\]', own_text(axial), re.S)
    out = {'axes': (order, m, g.lineno), 'spread': (spread, m, g.lineno),
        'frequency': ('shared' if axial is None else 'woven' if woven else 'restart', m, g.lineno)}
    sections = r.env.attributes.get('mrope_section')
    if sections is not None and not is_unknown(sections) and not isinstance(sections, ast.Dict):
        out['sections'] = (text(sections), m, r.env.lines.get('mrope_section', g.lineno))
    return out


def is_rotary_module(o):
    return re.search(r'Rotary|RoPE|Rope|Rotational', o.node.name) is not None and not re.search('Attention|Layer$|Block', o.node.name)


def sines(release, module, node):
    """The method or function with both a sine and a cosine of a table, as (module, function); None: there is none."""
    for m, f in methods(release, module, node).values():
        words = {c.split('.')[-1] for c, _ in calls(f)}
        if 'sin' in words and 'cos' in words:
            return m, f
        for c, n in calls(f):
            m2, g = release.resolve(module, c) if isinstance(n.func, ast.Name) else (None, None)
            if isinstance(g, ast.FunctionDef) and re.search('sin', g.name):
                words = {x.split('.')[-1] for x, _ in calls(g)}
                if 'sin' in words and 'cos' in words:
                    return m2, g
    return None


def form_of_sines(f):
    """(layout, spacing) of a sinusoidal table, by the shape of the code; None for what is not clear."""
    t = ast.unparse(f)
    layout = 'interleaved' if re.search(r'0::2|::2\]', t) and not re.search(r'cat\(', t) else None
    if re.search(r'(cat|concatenate)\(\(?\[?[^\]]*sin[^\]]*cos', t, re.S):
        layout = 'concat'
    if layout is None and re.search(r'sentinel|\[:, :?sentinel|:half|half:', t):
        layout = 'concat'
    if layout == 'interleaved' and re.search(r'sentinel|half', t) and re.search(r'0:sentinel|:sentinel', t):
        layout = 'concat'
    layout = layout or order_of_sines(t)
    spacing = 'shifted' if re.search(r'\((\w*half\w*|[\w.]+ // 2) - 1\)', t) else 'paper'
    return layout, spacing


def order_of_sines(t):
    """The layout of a table whose sines and cosines are stacked, set in every second channel, or have the cosines first."""
    if re.search(r'0::2\] = [^\n]*sin\(', t) and re.search(r'1::2\] = [^\n]*cos\(', t):
        return 'interleaved'
    if re.search(r'stack\([([][^\n]*sin[^\n]*cos[^\n]*dim=(-1|4)\)', t) and re.search(r'\.(flatten|reshape|view)\(', t):
        return 'interleaved'
    return 'concat, cosines first' if re.search(r'cat\(\[[^\]]*cos[^\]]*sin', t) else None


BIASES = [('t5', r'relative_position_bucket$'), ('alibi', r'alibi'), ('swin-v2', r'continuous_position_bias_mlp'),
    ('swin', r'^relative_position_bias_table$'), ('deberta', r'disentangled'), ('xl', r'^(pos_bias_u|r_w_bias|bias_u|r_r_bias)$'),
    ('shaw', r'^(distance_embedding|emb_rel_k|embed_relative|rel_pos_bias_k|rel_pos_emb)$'), ('decomposed', r'^(rel_pos_h|rel_h)$'),
    ('convolution', r'^pos_conv_embed$')]


def biases(release, o):
    """{kind: (module, line)} of the relative encodings that an object's class has, by names of its attributes and calls."""
    out = {}
    words = [(m, n.lineno, n.attr if isinstance(n, ast.Attribute) else n.id if isinstance(n, ast.Name) else n.name)
        for m, f in methods(release, o.module, o.node).values()
        for n in ast.walk(f) if isinstance(n, (ast.Attribute, ast.Name, ast.FunctionDef))]
    for kind, mark in BIASES:
        for m, line, w in words:
            if re.search(mark, w):
                out.setdefault(kind, (m, line))
    if 'swin-v2' in out:  # Its network fills a table of the first version's name.
        out.pop('swin', None)
    return out


def rotary_of(release, built, o):
    """Rotary modules that serve an attention: its own, or those of the objects that hold it."""
    holders = [o] + list(reversed(o.holders))
    for h in holders:
        found = [r for r in built.objects if is_rotary_module(r) and r.holders and r.holders[-1] is h]
        if found:
            return found
    return [r for r in built.objects if is_rotary_module(r)]


def tables_of(built):
    """Trained tables of positions: (path, rows or None, holder, module, line, the tests they are under)."""
    out = []
    for o, attr, called, args, kw, line, tests in built.tables:
        path = '.'.join(x for x in (o.path, attr) if x)
        if re.search(r'pos_bias|position_bias|bias_table|rel_pos|relative|distance', attr) or called not in ('nn.Embedding', 'nn.Parameter'):
            continue
        if re.search(r'(^|_)(pos|position|positional|positions|wpe)(_|$|e)', attr.split('.')[-1]) and not re.search('norm|proj|conv', attr):
            rows = args[0] if called == 'nn.Embedding' and args else kw.get('num_embeddings')
            out.append((path, rows, o, o.module, line, tests))
    for o in built.objects:
        if re.search(r'pos|wpe', o.path.split('.')[-1] + o.node.name, re.I) and \
                any(b.endswith('nn.Embedding') for b in built.release.bases(o.module, o.node)):
            sup = o.env.attributes.get('_super')
            rows = sup.elts[0] if isinstance(sup, ast.Tuple) and sup.elts else o.env.locals.get('num_positions', o.given.get('num_embeddings'))
            out.append((o.path, rows, o, o.module, o.node.lineno, []))
    return out


def set_to_sines(release, o, attr):
    """Whether the model's own initialisation fills a table with sines: (module, function), or None."""
    for c in o.module.classes.values():
        for f in c.body:
            if not (isinstance(f, ast.FunctionDef) and f.name == '_init_weights'):
                continue
            for n in ast.walk(f):
                if not (isinstance(n, ast.If) and re.search(r'\b%s\b' % o.node.name, ast.unparse(n.test))):
                    continue
                for called, call in [x for b in n.body for x in calls(b)]:
                    m, g = release.resolve(o.module, called)
                    if isinstance(g, ast.FunctionDef) and {'sin', 'cos'} <= {x.split('.')[-1] for x, _ in calls(g)} \
                            and any(attr in ast.unparse(b) for b in n.body):
                        return m, g
    return None


__all__ = [n for n in dir() if not n.startswith('_')]
_ = Environment, is_cross
