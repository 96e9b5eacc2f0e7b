"""Layers that mix tokens without a softmax: recurrences with a state, state spaces and short convolutions.

An object is one when it keeps a state from token to token, by the library's cache or by itself.  Which it is follows from the
names of what its code, and that of the objects within it, calls; its sizes from its attributes and its convolution."""
import ast
import re

from facts import attends, attribute, calls, keyword, methods, running
from gates import condition, gate_of_scan
from symbols import text

# How an object keeps a state: calls of the library's caches, attributes that its methods assign, or a recurrence that returns it.
WKV = r'(^|_)r?wkv_linear_attention$'
KEEPS = re.compile(r'(^|\.)(update_(recurrent|conv)_state|set_linear_cache)$|' + WKV)
KEPT = re.compile(r'^(recurrent|ssm|conv1d)_states?$')

CONVOLUTION = 'short convolution'
SCAN = 'state space with one decay a head'
# Kind, and what its code calls; the first that is met counts, as most recurrences have a short convolution before them.
KINDS = (
    ('gated delta rule', r'gated_delta_rule$'),
    ('delta rule with decays of channels', r'kimi_delta_attention$'),
    (SCAN, r'(^|_)chunk_scan$'),
    ('selective state space', r'selective_scan$'),
    ('real-gated linear recurrence', r'(^|_)rg_?lru$'),
    ('weighted key-value recurrence', WKV),
    ('lightning attention', r'slope_rate$'),
    (CONVOLUTION, r'causal_conv1d_fn$'),
)
# The sizes of each by the attributes that hold them.  A state space has its B as keys and its input as values.
SIZES = (('heads', 'num_v_heads num_heads num_attention_heads'), ('key_heads', 'num_k_heads n_groups'),
    ('key_width', 'head_k_dim ssm_state_size head_dim'), ('value_width', 'head_v_dim head_dim'))
WITH_HEADS = ('gated delta rule', 'delta rule with decays of channels', SCAN, 'lightning attention')


def within(built, o):
    """An object and all that it holds."""
    return [x for x in built.objects if x is o or o in x.holders]


def keeps_state(release, o):
    for _, f in methods(release, o.module, o.node).values():
        if any(KEEPS.search(called) for called, _ in calls(f)):
            return True
        if any(isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and KEPT.match(n.attr) for n in ast.walk(f)):
            return True
    return False


def mixers_of(release, built):
    """The outermost objects that keep a state; an attention that does is none."""
    found = [o for o in built.objects if keeps_state(release, o) and attends(release, o) is None]
    return [o for o in found if not any(h in found for h in o.holders)]


def called_in(release, objects):
    """(text of what is called, the call, module, function, object) of every call in the methods of the objects."""
    for x in objects:
        for m, f in methods(release, x.module, x.node).values():
            for called, n in calls(f):
                yield called, n, m, f, x


def kind_of(release, built, o):
    """(kind, the first call that says so, its module, function and object), or None: it is of no known kind."""
    found = list(called_in(release, within(built, o)))
    for kind, mark in KINDS:
        for called, n, m, f, x in found:
            if re.search(mark, called.split('.')[-1]):
                return kind, n, m, f, x
    return None


def convolution(release, o):
    """{fact: (expression, module, line)} of a convolution of each channel alone over the tokens before; empty: it has none."""
    for made in o.env.made:
        a = dict(zip(('in_channels', 'out_channels', 'kernel_size'), made.args))
        a.update(made.keywords)
        if ast.unparse(made.called) != 'nn.Conv1d' or not {'in_channels', 'kernel_size', 'groups'} <= set(a) \
                or text(a['groups']) != text(a['in_channels']) or 'dilation' in a:
            continue
        out = {'conv': a['kernel_size'], 'channels': a['in_channels'], 'conv_bias': a.get('bias', ast.Constant(value=True)),
            'conv_act': convolution_act(release, o, made.attr)}
        return {fact: (e, o.module, made.line) for fact, e in out.items()}
    return {}


def convolution_act(release, o, attr):
    """What follows the sum of the convolution: the argument `activation` of the call, else the module around it."""
    for called, n, m, f, _ in called_in(release, [o]):
        last = called.split('.')[-1]
        if last == 'causal_conv1d_fn':
            given = keyword(n, 'activation')
            return ast.Constant(value='none') if given is None else o.env.value(given)
        if re.fullmatch(r'self\.act\w*', called) and any('self.%s(' % attr in ast.unparse(a) for a in n.args):
            return activation(o, called.split('.')[-1])
    return ast.Constant(value='none')


def activation(o, attr):
    """The key that names the function of self.ATTR = ACT2FN[key]; None: it is made otherwise."""
    e = o.env.attributes.get(attr)
    return e.slice if isinstance(e, ast.Subscript) and text(e.value) == 'ACT2FN' else None


def sizes(release, o, kind):
    """{fact: (expression or None where it was not found, module, line)}."""
    out = {}
    for fact, words in SIZES if kind in WITH_HEADS else SIZES[2:3] if kind == 'selective state space' else ():
        e, line = attribute(o, words)
        if e is not None or fact != 'key_heads':
            out[fact] = (e, o.module, line or o.node.lineno)
    out.update(convolution(release, o))
    if kind != CONVOLUTION:
        factors = [out[x][0] for x in ('heads', 'key_width', 'value_width') if x in out] if kind in WITH_HEADS else \
            [out[x][0] for x in ('channels', 'key_width') if x in out]
        if factors and None not in factors:
            state = factors[0]
            for e in factors[1:]:
                state = ast.BinOp(left=state, op=ast.Mult(), right=e)
            out['state'] = (state, o.module, o.node.lineno)
    return out


def rule(release, built, o, kind, site):
    """{fact: (expression or None, module, line)} of a delta rule: `l2norm` and `l2_eps` of its keys and queries, `strength` and
    `beta_max` of beta, `gate` and `lower_bound` of its decay; of lightning attention, `act`; of a scan, what scan() finds."""
    _, n, m, f, x = site
    here = m, n.lineno
    if kind == 'lightning attention':
        acts = [a for a in o.env.attributes if re.match(r'act(_fn)?$', a)]
        return {'act': (activation(o, acts[0]) if acts else ast.Constant(value='none'),) + here}
    if kind == SCAN:
        return scan(release, built, o, site)
    if 'delta rule' not in kind:
        return {}
    normed = keyword(n, 'use_qk_l2norm_in_kernel')
    normed = isinstance(normed, ast.Constant) and normed.value is True
    out = {'l2norm': (ast.Constant(value='add' if normed else 'none'),) + here}
    _, g = release.resolve(o.module, 'l2norm')
    if normed and g is not None and g.args.defaults:
        out['l2_eps'] = (g.args.defaults[-1],) + here
    given = [s for s in ast.walk(f) if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == 'beta']
    sigmoid = [s for s in given if 'sigmoid(' in ast.unparse(s.value)]
    out['strength'] = (ast.Constant(value='sigmoid') if sigmoid else None, m, (sigmoid or [n])[0].lineno)
    out.update(doubled(o, m, f, [s for s in ast.walk(f) if s in given or isinstance(s, ast.AugAssign)]))
    out.update(decay(release, [o] + [y for y in built.objects if y.holders and y.holders[-1] is o], here))
    return out


def doubled(o, m, f, statements):
    """{'beta_max': ..} of `beta = beta * 2.0`, under its test; empty: beta stays."""
    for s in statements:
        factor = re.fullmatch(r'beta (?:\*=|= beta \*) ([\d.]+)', ast.unparse(s))
        if factor:
            e = ast.Constant(value=float(factor.group(1)))
            test = condition(o, f, s)
            return {'beta_max': (ast.IfExp(test=test, body=e, orelse=ast.Constant(value=1)) if test is not None else e, m, s.lineno)}
    return {}


def decay(release, objects, here):
    """{'gate': ..} and, where that is a number times a sigmoid, {'lower_bound': ..}."""
    bound, soft = None, None
    for _, n, m, f, x in called_in(release, objects):
        if re.search(r'softplus\(|log\(1(\.0)? \+ torch\.exp\(', ast.unparse(n)):
            soft = soft or (m, n.lineno)
    for x in objects:
        for m, f in methods(release, x.module, x.node).values():
            for n in ast.walk(f):
                if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult) and re.search(r'lower_bound$', ast.unparse(n.left)) \
                        and 'sigmoid(' in ast.unparse(n.right):
                    bound = bound or (x, m, f, n)
    if bound is None:
        return {'gate': (ast.Constant(value='softplus') if soft else None,) + (soft or here)}
    x, m, f, n = bound
    test = condition(x, f, n)
    gate = ast.Constant(value='lower-bound')
    if soft and test is not None:
        gate = ast.IfExp(test=test, body=gate, orelse=ast.Constant(value='softplus'))
    return {'gate': (gate, m, n.lineno), 'lower_bound': (x.env.value(n.left), m, n.lineno)}


def arguments(call, g):
    """{parameter: expression} of a call of a function, the defaults among them."""
    names = [p.arg for p in g.args.args]
    out = dict(zip(reversed(names), reversed(g.args.defaults)))
    out.update(zip(names, call.args))
    out.update({k.arg: k.value for k in call.keywords if k.arg})
    return out


def limit(e, k):
    """One of the two limits of dt in keys, None for an infinite one; e: the pair, or the key that has it."""
    if not isinstance(e, ast.Tuple):
        return ast.Subscript(value=e, slice=ast.Constant(value=k), ctx=ast.Load())
    return ast.Constant(value=None) if text(e.elts[k]) in ("float('inf')", 'math.inf', 'torch.inf') else e.elts[k]


def held_as_log(f, e):
    """'on' where a method makes A as -exp of a parameter, 'off' where the parameter is A; None: otherwise."""
    if isinstance(e, ast.Name):
        made = [s.value for s in ast.walk(f) if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == e.id]
        e = made[0] if made else e
    t = ast.unparse(e)
    return 'on' if re.match(r'-(torch\.)?exp\(self\.', t) else 'off' if re.match(r'self\.\w+$', t) else None


def scan(release, built, o, site):
    """{fact: (expression or None, module, line)} of a scan in the words of row ssd: `dt_softplus`, `dt_min` and `dt_max`, `clamp`,
    `a_log`, whether it has a `skip` (D) and a `dt_bias`, and its `output_gate`."""
    _, n, m, f, x = site
    m2, g = release.resolve(m, ast.unparse(n.func).split('.')[-1])
    if g is None:
        return {}
    given, env, here = arguments(n, g), running(x, f), (m, n.lineno)
    on = {True: 'on', False: 'off'}
    soft = [c.lineno for called, c in calls(g) if called.endswith('softplus')]
    clamped = [c for called, c in calls(g) if called.split('.')[-1] in ('clamp', 'clip') and 'dt_limit' in ast.unparse(c)]
    softplus = given.get('dt_softplus')
    log = held_as_log(f, given['A']) if 'A' in given else None
    out = {'dt_softplus': (ast.Constant(value=on[softplus.value]) if isinstance(softplus, ast.Constant) else None,) + here,
        'a_log': (ast.Constant(value=log) if log else None,) + here}
    if clamped and soft:
        after = min(soft) < clamped[0].lineno
        out['clamp'] = (ast.Constant(value='after' if after else 'before'), m2, clamped[0].lineno)
        for k, fact in enumerate(('dt_min', 'dt_max')):
            out[fact] = (limit(env.value(given['dt_limit']), k),) + here
    for fact, parameter in (('skip', 'D'), ('dt_bias', 'dt_bias')):
        e = given.get(parameter, ast.Constant(value=None))
        out[fact] = (ast.Constant(value=not (isinstance(e, ast.Constant) and e.value is None)),) + here
    gate = gate_of_scan(release, built, o, site)
    if gate is not None:
        out['output_gate'] = gate
    return out
