"""make types: reads a release of transformers by its syntax trees and writes what each model type does with positions.

    python3 harness/types/main.py --sources WHEEL-OR-FOLDER --out data/models/types.tsv --undecided data/models/undecided.tsv
                                  [--settled data/models/settled.tsv] [--only TYPE ...]

A line: model type ('-': every one), place in the model ('-': the type itself), fact, value, source (file:line).  A value is a
word or an expression in the keys of the configuration.  What the program cannot tell is a line of the other file, for a person; what a person has
settled, each line with the source that was read, is added from --settled."""
import sys
sys.dont_write_bytecode = True
import argparse
import ast
import os
import re

import configs
import facts
import gates
import indexers
import mixers
import positions
import windows
from gates import there
from release import Release
from symbols import is_unknown, text


class Rows:
    """Lines of one model type, and what could not be told of it."""

    def __init__(self, model_type):
        self.type, self.lines, self.open = model_type, [], []

    def add(self, place, fact, value, source):
        line = (self.type, place or '-', fact, ' '.join(str(value).split()), source)
        if line[:4] not in [x[:4] for x in self.lines]:
            self.lines.append(line)

    def undecided(self, place, fact, why, source):
        line = (self.type, place or '-', fact, why, source)
        if line not in self.open:
            self.open.append(line)

    def put(self, place, fact, e, source, why):
        """The fact as an expression, or a line for a person where it was not understood."""
        value = configs.plain(e)
        if value is None:
            self.undecided(place, fact, why, source)
        else:
            self.add(place, fact, value, source)


def at(module, line):
    return '%s:%s' % (os.path.basename(module.path), line)


def say_config(rows, c):
    rows.add('-', 'class', c.node.name, c.place)
    for key, kind in sorted(c.inner.items()):
        rows.add('-', 'inner.' + key, kind or 'any', c.place)
        if key in c.flat:
            rows.add('-', 'flat.' + key, 'True', c.flat[key])
        for word, of in (('merged.', c.merged), ('optional.', c.optional)):
            if key in of:
                rows.add('-', word + key, 'True', of[key])
        values, place = c.filled.get(key, ({}, ''))
        for name, value in sorted(values.items()):
            if configs.literal(value) is not None:
                rows.add('-', 'filled.%s.%s' % (key, name), configs.literal(value), place)
    say_names(rows, c.renamed)
    for (kind, what), (e, place) in sorted(c.kinds.items()):
        rows.put('-', 'rope.%s.%s' % (kind, what), e, place, 'not understood')


def say_names(rows, renamed):
    for key, (names, place) in sorted(renamed.items()):
        rows.add('-', 'names.' + key, text(names), place)


def handed(release, models, folder):
    """{class: configuration class} of what a folder's classes make from a part of their configuration, as in
    Encoder(config.encoder_config): whatever its constructor says, the class is that part's."""
    parts, out = {}, {}
    for m in release.models('configuration_'):
        if m.path.rsplit('/', 1)[0] == folder:
            for c in m.classes.values():
                for key, kind in configs.parts_of(release, m, c).items():
                    parts.setdefault(key, set()).add(kind)
    for m in models:
        if m.path.rsplit('/', 1)[0] != folder:
            continue
        for c in m.classes.values():
            for called, n in facts.calls(c):
                said = called.replace('._from_config', '')
                if said in m.classes and n.args and ast.unparse(n.args[0]).startswith('config.'):
                    kinds = parts.get(ast.unparse(n.args[0])[len('config.'):], set())
                    out[said] = out.get(said, kinds) | kinds
    return {k: v.pop() for k, v in out.items() if len(v) == 1}


def roots(release, models, config_name, module_folder):
    """Model classes that are made from a configuration class, those nearest to the bare model first; where there are none,
    the plain modules that other models make from it."""
    out, plain = [], []
    parts = handed(release, models, module_folder)
    for m in models:
        if m.path.rsplit('/', 1)[0] != module_folder:
            continue
        for c in m.classes.values():
            model = any(b.split('.')[-1] == 'PreTrainedModel' for b in release.bases(m, c))
            if c.name not in parts and not model:
                continue
            _, _, init = release.method(m, c, '__init__')
            said = [ast.unparse(p.annotation) for p in init.args.args[1:2] if p.annotation] if init else []
            own = parts.get(c.name) or (said[0] if said else config_of_class(release, m, c))
            made = c.name in parts or any(isinstance(f, ast.FunctionDef) and f.name == '__init__' for f in c.body)
            if own == config_name and made:
                rank = bool(HEAD.search(c.name)), not c.name.endswith('Model'), len(c.name)
                (out if model else plain).append((rank, m, c))
    out = sorted(out or plain, key=lambda x: x[0])
    return [(m, c) for _, m, c in out]


def config_of_class(release, m, c):
    for m2, c2 in release.mro(m, c):
        for s in c2.body:
            if isinstance(s, ast.AnnAssign) and getattr(s.target, 'id', '') == 'config':
                return ast.unparse(s.annotation)
            if isinstance(s, ast.Assign) and getattr(s.targets[0], 'id', '') == 'config_class':
                return ast.unparse(s.value)
    return ''


HEAD = re.compile(r'For[A-Z]|PreTraining|LMHead|WithLM|Wrapper')


def whole(release, found):
    """The classes of which the others are parts, where the only ones without a head are made twice by one that has a head, as
    encoder and as decoder: those with a head alone."""
    plain = {c.name for _, c in found if not HEAD.search(c.name)}
    for m, c in found:
        _, _, init = release.method(m, c, '__init__')
        made = [called for called, _ in facts.calls(init)] if init is not None and HEAD.search(c.name) else []
        if plain and all(made.count(p) > 1 for p in plain):
            return [(m, c)]
    return found


def class_for(release, models, kind):
    """[(module, class)] that the library makes of a type which has no class of its own, by its table of base models: the
    model of another type."""
    module = release.module('models/auto/modeling_auto.py')
    table = module.constants.get('MODEL_MAPPING_NAMES') if module else None
    for n in ast.walk(table) if table else ():
        if isinstance(n, ast.Tuple) and [getattr(e, 'value', None) for e in n.elts][:1] == [kind] and isinstance(n.elts[1], ast.Constant):
            return [(m, m.classes[n.elts[1].value]) for m in models if n.elts[1].value in m.classes][:1]
    return []


def build_all(release, models, c, kind):
    folder = c.module.path.rsplit('/', 1)[0]
    built = facts.Built(release, c)
    n_plain = 0
    for m, node in whole(release, roots(release, models, c.node.name, folder)) or (() if c.inner else class_for(release, models, kind)):
        heads = HEAD.search(node.name)
        if heads and n_plain or any(o.node is node for o in built.objects):
            continue
        n_plain += not heads
        built.root(m, node)
    return built


def say_attention(rows, release, built, o, site):
    m, f, n = site
    here = at(m, n.lineno)
    rows.add(o.path, 'attention', o.node.name, at(o.module, o.node.lineno))
    if o.when():
        rows.add(o.path, 'when', o.when(), at(o.module, o.node.lineno))
    width = facts.attribute(o, facts.WIDTH)[0]
    for fact, words, projections in (('heads', facts.HEADS, 'q_proj query'), ('kv_heads', facts.KV_HEADS, 'k_proj key'),
                                     ('head_dim', facts.WIDTH, '')):
        e, line = facts.attribute(o, words)
        if e is None and projections:
            e, line = facts.heads_of(o, projections, width)
        if e is None and fact == 'kv_heads':
            e, line = facts.shared(o)
        if e is not None:
            rows.put(o.path, fact, e, at(o.module, line), 'not understood')
        elif fact != 'kv_heads':
            rows.undecided(o.path, fact, 'no attribute of a known name', at(o.module, o.node.lineno))
    e, line = facts.scale_of(release, o, site)
    rows.put(o.path, 'scale', e, at(m, line or n.lineno), 'what the scores are multiplied with was not found')
    tile = facts.tiled(f, n)
    if tile is not None:
        rows.add(o.path, 'tiled', 'True', at(m, tile))
    say_masks(rows, release, o, here)
    say_extras(rows, o, site)
    say_latent(rows, release, o)
    if facts.one_tensor(n) and not any(x[1:3] == (o.path, 'cache') for x in rows.lines):
        rows.add(o.path, 'cache', 'keys as values', here)
    say_norms(rows, release, o)
    for fact, (e, m2, line) in gates.gate_of(release, built, o, site).items():
        rows.put(o.path, fact, e, at(m2, line), 'not understood')
    say_rotation(rows, release, built, o)
    say_indexer(rows, release, built, o)
    for part in [o] + [x for x in built.objects if x.holders and x.holders[-1] is o]:
        for kind, (m2, line) in positions.biases(release, part).items():
            rows.add(o.path, 'position', kind, at(m2, line))
            for attr, fact in WINDOWS if kind.startswith('swin') else ():
                if attr in part.env.attributes:
                    rows.put(o.path, fact, of_number(part.env.attributes[attr]), at(m2, part.env.lines[attr]), 'not understood')
    if not any(x[1:3] == (o.path, 'window_size') for x in rows.lines):
        for fact, (e, m2, line) in windows.windows_of(release, built, o).items():
            rows.put(o.path, fact, e, at(m2, line), 'not understood')


def say_indexer(rows, release, built, o):
    """What chooses the keys that the attention sees, as facts indexer.NAME."""
    for fact, value, m, line in indexers.facts_of(release, built, o):
        name = 'indexer.' + fact if fact else 'indexer'
        if isinstance(value, str):
            rows.add(o.path, name, value, at(m, line))
        elif fact == 'tail':
            rows.undecided(o.path, name, 'whether keys behind the last whole block are seen', at(m, line))
        else:
            rows.put(o.path, name, value, at(m, line), 'not understood')


LATENT = 'kv_lora_rank q_lora_rank qk_nope_head_dim qk_rope_head_dim v_head_dim'


# The window of an image's attention, and the one that it was trained for, rows and columns.
WINDOWS = (('window_size', 'window_size'), ('pretrained_window_size', 'trained_window'))


def of_number(e):
    """What `x if isinstance(x, Iterable) else (x, x)` is of a number, which the key is by default; where x is such an
    expression itself, it is a pair already."""
    if not isinstance(e, ast.IfExp) or 'isinstance' not in text(e.test):
        return e
    inner = of_number(e.body)
    return inner if inner is not e.body else e.orelse


def widens(release, o, called):
    """Whether a call makes keys and values of heads out of the latent, by itself or in a method of the same object."""
    if re.search(r'\.kv_b_proj(\.|$)', called):
        return True
    _, g = facts.methods(release, o.module, o.node).get(called.rpartition('self.')[2], (None, None))
    return g is not None and any(re.search(r'\.kv_b_proj(\.|$)', c) for c, _ in facts.calls(g))


def say_latent(rows, release, o):
    """The parts of latent attention by the names that its articles give them, and whether its cache keeps the latent or
    what is made of it; of any attention, the width of its values where that has a name of its own."""
    latent = 'kv_lora_rank' in o.env.attributes
    for attr in LATENT.split() if latent else ['v_head_dim']:
        e = o.env.attributes.get(attr)
        if e is not None and not (isinstance(e, ast.Constant) and e.value is None):
            rows.put(o.path, 'latent.' + attr if latent else attr, e, at(o.module, o.env.lines.get(attr, o.node.lineno)), 'not understood')
    for m, f in facts.methods(release, o.module, o.node).values() if latent else ():
        kept = [n.lineno for c, n in facts.calls(f) if c.endswith('past_key_values.update')]
        made = [n.lineno for c, n in facts.calls(f) if widens(release, o, c)]
        if kept and made:
            rows.add(o.path, 'cache', 'latent' if min(kept) < min(made) else 'heads', at(m, min(kept)))


def say_masks(rows, release, o, here):
    causal = o.env.attributes.get('is_causal')
    own = configs.plain(causal) if causal is not None and 'is_causal' in o.env.lines else None
    if facts.is_cross(o):
        rows.add(o.path, 'mask', 'cross', here)
        return
    for h in [o] + list(reversed(o.holders)):
        called = facts.masks_called(release, h)
        if called:
            kinds = sorted({facts.MASKS[w] for w in called})
            first = min(called.values(), key=lambda x: x[1].lineno)
            if 'all' in kinds and 'causal' in kinds:
                kinds = causal_or_all(kinds, own or by_decoder(release, h))
            rows.add(o.path, 'mask', '; '.join(kinds), at(first[0], first[1].lineno))
            return
        t = facts.triangle(release, h)
        if t:
            rows.add(o.path, 'mask', 'causal', at(t[0], t[1].lineno))
            return
    if own is not None:
        rows.add(o.path, 'mask', 'causal' if own == 'True' else 'all' if own == 'False' else "'causal' if %s else 'all'" % own, here)
    else:
        rows.add(o.path, 'mask', 'all', here)


def by_decoder(release, h):
    """The test of `create_causal_mask if config.is_decoder else create_bidirectional_mask`, in keys; None: there is none."""
    for _, f in facts.methods(release, h.module, h.node).values():
        for n in ast.walk(f):
            if isinstance(n, ast.IfExp) and isinstance(n.body, ast.Name) and isinstance(n.orelse, ast.Name) \
                    and (facts.MASKS.get(n.body.id), facts.MASKS.get(n.orelse.id)) == ('causal', 'all'):
                return configs.plain(facts.running(h, f).value(n.test))
    return None


def causal_or_all(kinds, own):
    rest = [k for k in kinds if k not in ('all', 'causal')]
    if own in ('True', 'False'):
        return (['causal'] if own == 'True' else ['all']) + rest
    if own:
        return ["'causal' if %s else 'all'" % own] + rest
    return ['causal'] + rest


def say_extras(rows, o, site):
    m, f, n = site
    env = None
    for fact, words in (('window', 'sliding_window window_size'), ('softcap', 'softcap'), ('sinks', 's_aux sinks')):
        given = facts.keyword(n, words)
        if given is None and fact == 'window':
            e, line = facts.attribute(o, 'sliding_window')
        elif given is None:
            e = None
        else:
            env = env or facts.running(o, f)
            e, line = env.value(given), n.lineno
        if fact == 'sinks' and given is not None:
            rows.put(o.path, fact, there(o.env.attributes.get('sinks', e)), at(m, n.lineno), 'not understood')
        elif e is not None and not (isinstance(e, ast.Constant) and e.value is None):
            rows.put(o.path, fact, e, at(m, line), 'not understood')
    for attr in ('attn_logit_softcapping', 'sinks', 'attn_temperature_tuning'):
        fact = {'attn_logit_softcapping': 'softcap', 'attn_temperature_tuning': 'temperature'}.get(attr, attr)
        if attr in o.env.attributes and not any(x[1:3] == (o.path, fact) for x in rows.lines):
            rows.put(o.path, fact, o.env.attributes[attr] if attr != 'sinks' else there(o.env.attributes[attr]),
                at(o.module, o.env.lines[attr]), 'not understood')


NORM = re.compile(r'^(q|query|qk|norm_q)_?(layer_?)?(norm|ln)$|^norm_q$|^q_ln$|^layernorm_q$')


def say_norms(rows, release, o):
    """Norms of queries: their class, and whether they stand before or after the rotation."""
    for attr, f, args, kw, line, tests, _ in o.env.made:
        if not attr or not NORM.match(attr):
            continue
        turned = positions.rotation(release, o)
        order = ''
        for m, g in facts.methods(release, o.module, o.node).values():
            used = [n.lineno for c, n in facts.calls(g) if c == 'self.' + attr]
            if used and turned and turned[1] is g:
                order = ' before the rotation' if min(used) < turned[2].lineno else ' after the rotation'
        width = args[0] if args else kw.get('dim', kw.get('hidden_size'))
        rows.add(o.path, 'qk_norm', '%s of %s%s' % (ast.unparse(f), configs.plain(width) or '?', order), at(o.module, line))
        for t in tests:
            if configs.plain(t):
                rows.add(o.path, 'qk_norm_when', configs.plain(t), at(o.module, line))
        return


def say_rotation(rows, release, built, o):
    found = positions.rotation(release, o)
    if found is None:
        return
    m, f, n, (m2, g) = found
    rows.add(o.path, 'position', 'rope', at(m, n.lineno))
    layout = positions.layout_of(release, o, found)
    if layout:
        rows.add(o.path, 'layout', layout, at(m2, g.lineno))
    else:
        rows.undecided(o.path, 'layout', 'neither halves nor pairs were clear in %s' % g.name, at(m2, g.lineno))
    when = positions.condition_of(o, found)
    if when:
        rows.add(o.path, 'rotates', when, at(m, n.lineno))
    said = False
    for r in positions.rotary_of(release, built, o):
        got = positions.frequencies(release, r.module, r.node, r.env)
        if got is None:
            continue
        base, width, m3, line = got
        said = True
        rows.put(o.path, 'base', base, at(m3, line), 'base not understood in %s' % r.node.name)
        axes = positions.axes_of(release, r)
        if axes.get('frequency', ('',))[0] == 'restart':  # The width of one of two axes.
            width = ast.BinOp(left=ast.Constant(value=2), op=ast.Mult(), right=width)
        rows.put(o.path, 'rotary', width, at(m3, line), 'width not understood in %s' % r.node.name)
        for fact, (value, m4, where) in axes.items():
            if value is None:
                rows.undecided(o.path, fact, 'how the axes lie side by side was not understood in %s' % r.node.name, at(m4, where))
            else:
                rows.add(o.path, fact, value, at(m4, where))
    if not said:
        rows.undecided(o.path, 'rotary', 'no frequencies were found', at(m, n.lineno))


def say_tables(rows, release, built):
    for path, rows_of, o, m, line, tests in positions.tables_of(built):
        if positions.sines(release, o.module, o.node) and path == o.path:
            continue
        filled = positions.set_to_sines(release, o, path.split('.')[-1])
        if filled:
            say_sines(rows, path, filled)
        else:
            rows.add(path, 'position', 'learned', at(m, line))
        for t in tests:
            if configs.plain(t):
                rows.add(path, 'when', configs.plain(t), at(m, line))
        if rows_of is not None and configs.plain(rows_of):
            rows.add(path, 'rows', configs.plain(rows_of), at(m, line))
        offset = o.env.attributes.get('offset')
        if path == o.path and offset is not None:
            rows.put(path, 'offset', offset, at(m, o.env.lines['offset']), 'not understood')
    for o in built.objects:
        if positions.is_rotary_module(o) or not re.search(r'pos|sinusoid', o.node.name + o.path.split('.')[-1], re.I):
            continue
        s = positions.sines(release, o.module, o.node)
        if s and facts.attends(release, o) is None:
            say_sines(rows, o.path, s)


    for o, attr, called, args, kw, line, tests in built.tables:
        if called == 'sines' and re.search('pos', attr):
            say_sines(rows, '.'.join(x for x in (o.path, attr) if x), args)


def say_sines(rows, path, s):
    here = at(s[0], s[1].lineno)
    layout, spacing = positions.form_of_sines(s[1])
    rows.add(path, 'position', 'sinusoid', here)
    rows.add(path, 'spacing', spacing, here)
    if layout:
        rows.add(path, 'layout', layout, here)
    else:
        rows.undecided(path, 'layout', 'order of sines and cosines', here)


def say_holders(rows, release, built, attentions):
    """Biases that are made outside the attention: ALiBi of the whole model, T5's of its stack."""
    for o in built.objects:
        if any(o is a for a, _ in attentions) or facts.attends(release, o):
            continue
        for kind, (m, line) in positions.biases(release, o).items():
            if kind in ('alibi', 't5', 'convolution', 'decomposed'):
                rows.add(o.path, 'position', kind, at(m, line))


def say_mixer(rows, release, built, o):
    """A layer that mixes tokens without a softmax: facts mixer and mixer.NAME, as an attention may lie at the same place."""
    here = at(o.module, o.node.lineno)
    site = mixers.kind_of(release, built, o)
    rows.add(o.path, 'mixer', o.node.name, here)
    if o.when():
        rows.add(o.path, 'mixer.when', o.when(), here)
    if site is None:
        rows.undecided(o.path, 'mixer.kind', 'it keeps a state, and what it does with it was not understood', here)
        return
    kind, n, m, _, _ = site
    rows.add(o.path, 'mixer.kind', repr(kind), at(m, n.lineno))
    for found in (mixers.sizes(release, o, kind), mixers.rule(release, built, o, kind, site)):
        for fact, (e, m2, line) in found.items():
            rows.put(o.path, 'mixer.' + fact, e, at(m2, line), 'not understood')


KEYS = re.compile(r'position|rope|rotary|layer_types|window|head|hidden_size|d_model|n_embd|num_hidden_layers|attention_chunk|alibi|theta|lora_rank|kv_shared')
NO_KEYS = {'rope_scaling', 'default_theta', 'default_rope_type'}


def say_keys(rows, c):
    """Defaults and rules of every key that the lines so far are written in."""
    wanted, seen = set(), set()
    for line in rows.lines:
        wanted |= set(re.findall(r'[A-Za-z_]\w*', line[3]))
    wanted |= {k for k in c.declared_keys() if KEYS.search(k)} - NO_KEYS
    turns = any(x[2] == 'position' and x[3] == 'rope' for x in rows.lines)
    for key in ('default_theta', 'default_rope_type'):
        value, place = c.keys.get(key, (None, ''))
        if turns and value is not None and (key == 'default_theta' or configs.literal(value) != "'default'"):
            rows.add('-', key, configs.literal(value) or text(value), place)
    for key, (e, place) in sorted(c.given.items()):
        if KEYS.search(key) and configs.plain(e) is not None:
            rows.add('-', 'given.' + key, configs.plain(e), place)
    while wanted - seen:
        key = sorted(wanted - seen)[0]
        seen.add(key)
        if key in c.alias:
            rows.add('-', 'alias.' + key, c.alias[key], c.place)
            wanted.add(c.alias[key])
        if key in c.keys:
            value, place = c.keys[key]
            if value is not None and configs.literal(value) is not None:
                rows.add('-', 'default.' + key, configs.literal(value), place)
        if key in c.derived:
            e, place = c.derived[key]
            if configs.plain(e) is None:
                rows.undecided('-', 'rule.' + key, 'not understood', place)
            else:
                rows.add('-', 'rule.' + key, configs.plain(e), place)
                wanted |= set(re.findall(r'[A-Za-z_]\w*', configs.plain(e)))


def named_attention(built):
    """An object whose class is called an attention, or None: what was not found there is no fact."""
    return next((o for o in built.objects if re.search('attention', o.node.name, re.I)), None)


def tell_apart(objects):
    """Gives objects of several classes at one place, of which a key chooses one, places of their own: the second and later
    ones PLACE:CLASS."""
    first = {}
    for o in objects:
        if first.setdefault(o.path, o.node.name) != o.node.name:
            o.path += ':' + o.node.name


def one_type(release, models, kind, module, node, by_name):
    rows = Rows(kind)
    c = configs.Config(release, module, node, by_name)
    say_config(rows, c)
    built = build_all(release, models, c, kind)
    attentions = [(o, s) for o in built.objects for s in [facts.attends(release, o)] if s]
    attentions = [(o, s) for o, s in attentions if not any(a is not o and o in a.holders for a, _ in attentions)]
    mixing = mixers.mixers_of(release, built)
    tell_apart([o for o, _ in attentions])
    tell_apart(mixing)
    for o in mixing:
        say_mixer(rows, release, built, o)
    for o, site in attentions:
        say_attention(rows, release, built, o, site)
    if built.objects:
        say_tables(rows, release, built)
        say_holders(rows, release, built, attentions)
    if attentions and not any(x[2] == 'position' for x in rows.lines):
        say_none(rows, release, built, c)
    if not built.objects:
        rows.add('-', 'model', 'none' if not c.inner else 'parts', c.place)
    elif not attentions and not c.inner and named_attention(built) and not mixing:
        o = named_attention(built)
        rows.add('-', 'model', 'an attention that was not understood', at(o.module, o.node.lineno))
        rows.undecided('-', 'attention', 'a class is called %s, and where it attends was not found' % o.node.name, at(o.module, o.node.lineno))
    elif not attentions:
        rows.add('-', 'model', 'parts' if c.inner else 'no attention', at(built.objects[0].module, built.objects[0].node.lineno))
    say_keys(rows, c)
    return rows


# Biases of scores by distance go by other names, too: a model that has one is for a person, never "none".
NAMES = re.compile(r'rotary|position_emb|pos_emb|relative_pos|pos_enc|alibi|positional|position_bias|attention_biases|rel_logits|'
    r'keypoint_encoder', re.I)


def say_none(rows, release, built, c):
    """A model with an attention in whose whole file nothing has a position encoding's name has none; else a person looks."""
    modules = {o.module.path: o.module for o in built.objects}
    if any(NAMES.search(release.text(path)) for path in modules):
        rows.undecided('-', 'position', 'an attention, and nothing that knows positions was found', c.place)
    else:
        path = sorted(modules)[0]
        rows.add('-', 'position', 'none', '%s: no name of a position encoding in it' % os.path.basename(path))


def read_settled(path):
    out = []
    if path and os.path.exists(path):
        with open(path, encoding='utf-8') as f:
            out = [tuple(x.rstrip('\n').split('\t')) for x in f if x.strip() and not x.startswith('#')]
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--sources', required=True)
    p.add_argument('--out', required=True)
    p.add_argument('--undecided', required=True)
    p.add_argument('--settled')
    p.add_argument('--only', nargs='*')
    a = p.parse_args()
    release = Release(a.sources)
    types, by_name = configs.classes(release)
    models = release.models('modeling_')
    lines, left, settled = [], [], read_settled(a.settled)
    done = {x[:3] for x in settled}
    every = Rows('-')
    say_names(every, configs.renamed_everywhere(release))
    lines += every.lines
    for kind in sorted(types):
        if a.only and kind not in a.only:
            continue
        rows = one_type(release, models, kind, *types[kind], by_name)
        lines += [x for x in rows.lines if x[:3] not in done]
        left += [x for x in rows.open if x[:3] not in done]
    lines = sorted(set(lines) | set(settled))
    with open(a.out, 'w', encoding='utf-8') as f:
        f.write('# By `make types` from transformers %s; do not edit: what a person settles is settled.tsv.\n'
            '# Columns: model_type, place in the model, fact, value, source.\n' % release.version)
        f.writelines('\t'.join(x) + '\n' for x in lines)
    with open(a.undecided, 'w', encoding='utf-8') as f:
        f.write('# What `make types` could not tell from transformers %s.  Columns: model_type, place, fact, why, source.\n' % release.version)
        f.writelines('\t'.join(x) + '\n' for x in sorted(left))
    print('types: %d model types of transformers %s, %d lines, %d undecided' % (len(types), release.version, len(lines), len(left)))


if __name__ == '__main__':
    main()
