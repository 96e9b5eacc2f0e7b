"""Looks for keys of configurations that cards pass over in silence: by hand, or a few types as a test.

    python3 harness/types/silent.py --program build/meridian --sources WHEEL-OR-FOLDER [--out FILE] [TYPE ...]

Of every model type of the release and every key that its class declares, or asks a file for, a configuration with another value
of that key is given to `meridian model`, beside one that says nothing.  A key is told where the card changes or lists it as not
read; it is silent where it counts as read and changes nothing, whatever value of its kind it gets.  Then it is looked up, in the
syntax trees, whether the classes that attend, turn or make masks use the key; only those are findings.  FILE gets a line for each
key that changes nothing: type, key, silent | listed, used | -, the values that were tried; of one that is listed it is not looked
up whether it is used.  Exit 0, or 1 where a silent key is
used."""
import sys
sys.dont_write_bytecode = True
import argparse
import ast
import json
import os
import re
import subprocess
import tempfile

import configs
import facts
import main as table
import positions
from release import Release
from symbols import text


def fields(release, m, c):
    """{key: (annotation, default)} of what a configuration class declares, the nearest class first; constants of a class are
    none of a file's keys."""
    out = {}
    for m2, c2 in release.mro(m, c):
        for s in c2.body if m2.path.startswith('models/') else ():
            if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name):
                out.setdefault(s.target.id, (s.annotation, configs.default_of(s.value)))
    return out


def strings_beside(release, folder, key):
    """Texts that the sources of a model compare a key with: KEY == 'x', KEY in ['x', 'y'], {'x': ..}[config.KEY]."""
    out = set()
    for path in release.files:
        if path.startswith(folder + '/') and re.search(r'/(modeling|configuration)_\w+\.py$', path):
            for n in ast.walk(ast.parse(release.text(path))):
                if isinstance(n, ast.Compare) and re.search(r'\b%s\b' % key, ast.unparse(n)):
                    out |= {x.value for x in ast.walk(n) if isinstance(x, ast.Constant) and isinstance(x.value, str)}
                elif isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and re.search(r'\b%s\b' % key, ast.unparse(n.slice)):
                    for d in ast.walk(ast.parse(release.text(path))):
                        if isinstance(d, ast.Assign) and ast.unparse(d.targets[0]) == n.value.id and isinstance(d.value, ast.Dict):
                            out |= {x.value for x in d.value.keys if isinstance(x, ast.Constant)}
    return {x for x in out if isinstance(x, str)}


ROPE = ({'rope_type': 'linear', 'factor': 3.0, 'rope_theta': 777.0}, {k: {'rope_type': 'linear', 'factor': 3.0, 'rope_theta': 777.0}
    for k in ('full_attention', 'sliding_attention')})
KINDS = ('full_attention', 'sliding_attention', 'linear_attention', 'chunked_attention')


def of_number(x):
    """Other numbers of the same kind, small ones among them: a context that is short is judged soon."""
    return [x * 2, 3 if x != 3 else 5] if isinstance(x, int) else [x * 2, x / 2 + 0.25]


def of_list(v, key, layers, texts):
    """Other lists: of layers by their number, one entry less, other names.  texts: kinds that the sources name beside the key,
    of which those of this type alone come first."""
    if re.search('layers?_types?$', key):
        return [[k] * layers for k in sorted(set(texts) - set(KINDS)) + list(KINDS)]
    if v and all(isinstance(x, int) and not isinstance(x, bool) for x in v):
        return [[x * 2 for x in v], v[:-1], [0, 1]]
    return [v[:-1], [0, 1], [1] * layers] if v else [[0, 1], [1] * layers, [2, 3]]


def values(release, folder, key, annotation, default, layers):
    """Other values of a key, of its own type; empty: it is of no type that can be made up."""
    said = ast.unparse(annotation) if annotation is not None else ''
    try:
        now = ast.literal_eval(default) if default is not None else None
    except (ValueError, SyntaxError, TypeError):
        now = None
    if re.search('rope_(scaling|parameters)', key):
        return list(ROPE)
    if isinstance(now, bool) or now is None and re.search(r'\bbool\b', said):
        return [not now] if isinstance(now, bool) else [True, False]
    if isinstance(now, (int, float)):
        return of_number(now)
    if isinstance(now, str) or now is None and re.search(r'\b(str|Literal)\b', said) and 'list' not in said:
        literal = {x.value for x in ast.walk(annotation) if isinstance(x, ast.Constant)} if annotation is not None else set()
        return sorted({x for x in strings_beside(release, folder, key) | literal if isinstance(x, str)} - {now}) or ['another']
    texts = strings_beside(release, folder, key) if 'str' in said and not re.search('layers?_types?$', key) else ()
    if texts and (isinstance(now, (list, tuple)) or now is None and 'list' in said):
        return [[x] for x in sorted(texts)]
    if isinstance(now, (list, tuple)) or now is None and re.search('list|tuple', said):
        return of_list(list(now or []), key, layers, strings_beside(release, folder, key))
    if now is None and re.search(r'\b(int|float)\b', said):
        return [48, 3] if 'int' in said else [0.37, 30.0]
    return []


def is_switch(field):
    """Whether a key may switch others on: a truth, a choice of texts or kinds, or one that is None by default."""
    if field is None:
        return False
    said, d = ast.unparse(field[0]) if field[0] is not None else '', field[1]
    return bool(re.search(r'\b(bool|str|Literal|list)\b', said)) or isinstance(d, ast.Constant) and d.value is None


def asked_for(c, known):
    """Keys that a class asks a file for and does not declare: kwargs.get("full_every", 3)."""
    said = ' '.join(text(e) for e, _ in list(c.derived.values()) + list(c.given.values()) + list(c.kinds.values()))
    return {k for k in re.findall(r'\b(?:get|has)\((\w+)', said) if k not in known}


def mentioned(e):
    return set(re.findall(r'[A-Za-z_]\w*', text(e)))


def makes_module(e):
    """Whether an attribute is an object that a class makes, whose arguments are sizes of weights."""
    return any(isinstance(n, ast.Call) and re.search(r'(^|\.)[A-Z]\w*$', text(n.func)) for n in ast.walk(e))


def stand_ins(n):
    """What an expression takes where its first choice is not there: a or THIS, getattr(config, 'a', THIS)."""
    if isinstance(n, ast.BoolOp) and isinstance(n.op, ast.Or):
        return n.values[1:]
    return n.args[2:] if isinstance(n, ast.Call) and ast.unparse(n.func) == 'getattr' else []


def used_by(release, built):
    """Keys that the classes use which attend, turn or make masks: of their attributes, those that a method reads; and what a
    method asks the configuration for itself."""
    out = set()
    for o in built.objects:
        attends = facts.attends(release, o) is not None or facts.selects(release, o)
        masks = bool(facts.masks_called(release, o))
        if not (attends or masks or positions.is_rotary_module(o)):
            continue
        for m, f in facts.methods(release, o.module, o.node).values():
            if not m.path.startswith('models/') or f.name == '__init__' or not attends and masks and f.name != 'forward':
                continue  # What a constructor does with a key beside its attributes are sizes of weights.
            spare = {x for n in ast.walk(f) for e in stand_ins(n) for x in ast.walk(e)}
            for n in ast.walk(f):
                if n in spare:
                    continue
                if isinstance(n, ast.Attribute) and ast.unparse(n.value) in ('config', 'self.config'):
                    out.add(n.attr)
                elif isinstance(n, ast.Attribute) and ast.unparse(n.value) == 'self' and n.attr in o.env.attributes:
                    out |= mentioned(o.env.attributes[n.attr]) if not makes_module(o.env.attributes[n.attr]) else set()
    return out


def cards_of(program, configurations):
    """The cards of several configurations, in their order, without what is only said about the reading."""
    with tempfile.TemporaryDirectory() as folder:
        for k, config in enumerate(configurations):
            with open(os.path.join(folder, '%05d.json' % k), 'w') as f:
                json.dump(config, f)
        out = subprocess.run([program, 'model', folder, '--json'], capture_output=True, text=True).stdout
    return [json.loads(line)['card'] for line in out.splitlines()]


def bare(card):
    """A card without what it says about the reading of its file."""
    if isinstance(card, dict):
        return {k: bare(v) for k, v in card.items() if k not in ('read', 'defaults', 'keys_not_read')}
    return [bare(v) for v in card] if isinstance(card, list) else card


def tables_of(program, config):
    """The tables of positions that are judged, with the context that the file says and without their figures: what is printed
    before a table is looked at, which may take long and is not waited for."""
    with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
        json.dump(config, f)
        f.flush()
        words = ['stdbuf', '-oL', program, 'model', f.name, '--contract', 'f32']
        try:
            out = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1.5).stdout
        except subprocess.TimeoutExpired as e:
            out = e.stdout or b''
    name = os.path.basename(f.name)
    return [line.replace(name, '') for line in out.decode(errors='replace').splitlines()
        if re.search(r'\(from |positions 0 |cannot be judged|not judged|^meridian', line)]


def tables_told(program, kind, key, tried, before):
    """Whether some value changes the tables of positions, which are judged beside the card.  before: those of a file that says
    nothing."""
    return any(tables_of(program, {'model_type': kind, key: v}) != before for v in tried)


def told_beside(program, kind, key, tried, switches):
    """Whether the card changes with the key where another one, of `switches`, has another value: one that switches it on."""
    pairs = [({s: v}, {s: v, key: x}) for s, others in switches.items() for v in others[:2] for x in tried if s != key]
    cards = [bare(c) for c in cards_of(program, [{'model_type': kind, **o} for pair in pairs for o in pair])]
    return any(a != b for a, b in zip(cards[::2], cards[1::2]))


def one_type(release, models, by_name, program, kind, m, c):
    """(how many keys, lines (type, key, state, whether it is used, values)) of a model type."""
    config = configs.Config(release, m, c, by_name)
    declared = fields(release, m, c)
    layers = next((d.value for k, (_, d) in declared.items() if k in ('num_hidden_layers', 'n_layer', 'num_layers') and
                   isinstance(d, ast.Constant) and isinstance(d.value, int)), 4)
    keys = {k: values(release, m.path.rsplit('/', 1)[0], k, a, d, layers) for k, (a, d) in declared.items() if k not in config.inner}
    keys.update({k: [3, True, 'another'] for k in asked_for(config, declared)})
    keys = {k: [v for v in tried if v is not None] for k, tried in keys.items()}
    keys = {k: tried for k, tried in keys.items() if tried}
    asked = [{'model_type': kind}] + [{'model_type': kind, k: v} for k, tried in keys.items() for v in tried]
    cards = cards_of(program, asked)
    before, at, lines = bare(cards[0]), 1, []
    used = tables = None
    for key, tried in keys.items():
        mine, at = cards[at:at + len(tried)], at + len(tried)
        if any(bare(x) != before for x in mine):
            continue
        listed = all(key in x['keys_not_read'] for x in mine)
        if not listed:
            tables = tables if tables is not None else tables_of(program, {'model_type': kind})
            if tables_told(program, kind, key, tried, tables):
                continue
        if used is None and not listed:
            used = used_by(release, table.build_all(release, models, config, kind))
        names = {key} | {a for a, own in config.alias.items() if own == key}
        if not listed and names & used and told_beside(program, kind, key, tried, {k: v for k, v in keys.items() if is_switch(declared.get(k))}):
            continue
        lines.append((kind, key, 'listed' if listed else 'silent', 'used' if not listed and names & used else '-', json.dumps(tried)))
    return len(keys), lines


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--program', required=True)
    p.add_argument('--sources', required=True)
    p.add_argument('--out')
    p.add_argument('types', nargs='*')
    a = p.parse_args()
    release = Release(a.sources)
    types, by_name = configs.classes(release)
    models, many, lines = release.models('modeling_'), 0, []
    chosen = a.types or sorted(types)
    for kind in chosen:
        n, found = one_type(release, models, by_name, a.program, kind, *types[kind])
        many, lines = many + n, lines + found
        if a.out:
            with open(a.out, 'a', encoding='utf-8') as f:
                f.writelines('\t'.join(x) + '\n' for x in found)
    silent, wrong = [x for x in lines if x[2] == 'silent'], [x for x in lines if x[3] == 'used']
    print('silent: %d types, %d keys; %d are listed as not read; %d silent, of which %d are used where a model attends, turns or masks'
        % (len(chosen), many, len(lines) - len(silent), len(silent), len(wrong)))
    for x in wrong:
        print('%s: %s is used and read, and changes nothing: tried %s' % (x[0], x[1], x[4]))
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
