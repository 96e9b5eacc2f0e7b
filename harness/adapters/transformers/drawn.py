"""Draws small checkpoints of every class that data/weights has a table for, with what the installed transformers computes
of them: `drawn.py FOLDER SEEDS [TYPE ..]` writes FOLDER/TYPE-SEED as checkpoints.py writes data/weights/tiny, and beside
it told.txt, the line that says what was drawn; broken.txt, a change to the configuration that breaks a rule.

What can be drawn is read, not listed: the keys that the class's table names, their values by their kind (a boolean is
drawn, an activation is any of data/weights/any.tsv's that the library has), the keys of attention that the class's own
configuration has, and the rotary scalings that the library has."""
import ast
import csv
import json
import os
import random
import re
import sys

import torch
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.activations import ACT2FN
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import checkpoints  # noqa: E402

TABLES = os.path.join(HERE, '..', '..', '..', 'data', 'weights')
EPS = 1e-4
LENGTH = 11  # tokens
TURNS = 9  # configurations that are drawn until the library builds one
HEADS = 'num_attention_heads n_head num_heads'.split()
GROUPS = 'num_key_value_heads num_kv_heads'.split()
LAYERS = 'num_hidden_layers n_layer'.split()
POSITIONS = 'max_position_embeddings n_positions'.split()


def table(kind):
    """A class's table as its rows."""
    with open(os.path.join(TABLES, kind + '.tsv'), encoding='utf-8') as f:
        return [row for row in csv.reader(f, delimiter='\t', quoting=csv.QUOTE_NONE) if row and row[0][0] != '#']


def names_of(expression):
    """The names in an expression, in their order."""
    return [n.id for n in ast.walk(ast.parse(expression, mode='eval')) if isinstance(n, ast.Name)]


def keys_of(rows, has):
    """(the keys of the configuration that the table's sizes name by their letters, by its rules, in its conditions)"""
    sizes = {row[1]: [n for n in names_of(row[2]) if n in has] for row in rows if row[0] == 'size'}
    rules = {row[1]: [n for n in names_of(row[2]) if n in has] for row in rows if row[0] == 'rule'}
    when = [n for row in rows if row[0] == 'tensor' and len(row) > 4 for n in names_of(row[4]) if n in has]
    return sizes, rules, when


def switches(kind, base):
    """The switches and factors of the configuration that data/models/types.tsv says attention depends on."""
    with open(os.path.join(TABLES, '..', 'models', 'types.tsv'), encoding='utf-8') as f:
        rows = [line.split('\t') for line in f if line.startswith(kind + '\t')]
    words = {w for row in rows if row[1] != '-' for w in re.findall(r'[a-z_]+', row[3])}
    return [n for n in words if isinstance(base.get(n), (bool, float))]


def rotary(r, law, was, width, most):
    """rope_parameters of one kind of layer, by this law; was: the class's own; width: channels of a head; most:
    positions."""
    said = {'rope_type': law, 'rope_theta': r.choice([100.0, 10000.0, 500000.0])}
    if 'partial_rotary_factor' in (was or {}):
        said['partial_rotary_factor'] = r.choice([0.5, 1.0]) if width == 8 else 1.0
    turned = int(width * said.get('partial_rotary_factor', 1))
    if law != 'default':
        said['factor'] = r.choice([2.0, 4.0, 8.0])
    if law in ('yarn', 'llama3', 'longrope'):
        said['original_max_position_embeddings'] = r.choice([n for n in (4, 8, 16) if n < most])
    if law == 'llama3':
        said.update(low_freq_factor=1.0, high_freq_factor=4.0)
    if law == 'longrope':
        said.update({name: [round(r.uniform(1, 4), 3) for _ in range(turned // 2)]
                     for name in ('short_factor', 'long_factor')})
    return said


def attention(r, base, law, width, most):
    """The keys of attention that the class's configuration has: rotations, windows, kinds of layers."""
    said = {}
    if 'rope_parameters' in base:
        was = base['rope_parameters'] or {}
        nested = bool(was) and all(isinstance(v, dict) for v in was.values())
        laws = [law] + [r.choice(['default', 'linear']) for _ in was]
        said['rope_parameters'] = {k: rotary(r, laws[i], was[k], width, most) for i, k in enumerate(sorted(was))} \
            if nested else rotary(r, law, was, width, most)
    if 'sliding_window' in base:
        said['sliding_window'] = r.choice([3, 5]) if base.get('layer_types') else r.choice([None, 3, 5])
    if base.get('layer_types') is not None:
        slid = base.get('use_sliding_window', True) is not False or r.random() < 0.5
        if 'use_sliding_window' in base:
            said['use_sliding_window'] = slid
        said['layer_types'] = [r.choice(['sliding_attention', 'full_attention'] if slid else ['full_attention'])
                               for _ in range(3)]
    return said


def drawn(kind, seed, turn=0):
    """(a configuration, as keys of the file; the key of the eps of its norms)"""
    r = random.Random(f'{kind} {seed} {turn}')
    base = AutoConfig.for_model(kind).to_dict()
    has = set(base) | set(type(AutoConfig.for_model(kind)).attribute_map)
    sizes, rules, when = keys_of(table(kind), has)
    first = lambda names: next(n for n in names if n in base)
    heads, width = r.choice([2, 3, 4]), r.choice([4, 8])
    said = {first(HEADS): heads, first(LAYERS): 3, first(POSITIONS): (most := r.choice([8, 64]))}
    for name in GROUPS:
        if name in base:
            said[name] = r.choice([g for g in (1, 2, heads) if heads % g == 0])
    said[sizes['c'][0]] = heads * width
    if 'head_dim' in base:
        said.update({'head_dim': width, sizes['c'][0]: heads * r.choice([2, 3, 4])})
    if 'rotary_dim' in base:
        said['rotary_dim'] = r.choice([2, 4])
    said.update({sizes['f'][0]: r.choice([7, 12]), sizes['v'][0]: r.choice([13, 19]), rules['eps'][0]: EPS})
    if (base.get('pad_token_id') or 0) >= 13:
        said['pad_token_id'] = 0
    if 'p' in sizes:
        said[sizes['p'][0]] = r.choice([LENGTH, 16])
    acts = [name for row in table('any') if (name := row[1]) in ACT2FN]
    said[rules['act'][0]] = r.choice(acts)
    for name in sorted({*when, *switches(kind, base), *(n for some in rules.values() for n in some)}):
        if isinstance(base.get(name), bool):
            said[name] = r.random() < 0.5
        elif isinstance(base.get(name), float) and name != rules['eps'][0]:
            said[name] = r.choice([0.5, 0.75, 3.0])
    laws = ['default'] + sorted(k for k in ROPE_INIT_FUNCTIONS if k != 'proportional')
    said.update(attention(r, base, laws[(seed + turn) % len(laws)], said.get('head_dim', width), most))
    return said, rules['eps'][0]


def model_of(kind, said, seed):
    config = AutoConfig.for_model(kind, **json.loads(json.dumps(said)))
    config._attn_implementation = 'sdpa' if seed % 2 else 'eager'
    try:
        model = AutoModelForCausalLM.from_config(config)
    except ValueError:  # a class that has no sdpa
        config._attn_implementation = 'eager'
        model = AutoModelForCausalLM.from_config(config)
    checkpoints.draw(model.eval(), seed * 1000 + sum(map(ord, kind)))
    model.tie_weights()
    with torch.no_grad():  # what is built, but cannot be run, is not built
        model(torch.zeros(1, 1, dtype=torch.long), use_cache=False)
    return model


def built(kind, seed):
    """(a model, its configuration's keys, the key of eps, why what was drawn before is none that the library builds)"""
    why = ''
    for turn in range(TURNS):
        said, eps = drawn(kind, seed, turn)
        try:
            return model_of(kind, said, seed), said, eps, why
        except Exception as e:  # whatever the library says
            why = f'; {turn + 1} before it cannot be built: {" ".join(str(e).split())[:100]}'
    raise SystemExit(f'{kind} {seed}{why}')


def write(to, kind, seed):
    model, said, eps, why = built(kind, seed)
    tokens = random.Random(seed).choices(range(13), k=LENGTH)
    folder = os.path.join(to, f'{kind}-{seed}')
    os.makedirs(folder)
    checkpoints.save(model, folder, tokens=tokens)
    whole = {k: v for k, v in model.config.to_dict().items() if k in said or k in checkpoints.SAID}
    checkpoints.write_json(os.path.join(folder, 'config.json'), whole)
    checkpoints.write_weights(model, folder)
    law = json.dumps(said.get('rope_parameters', {}).get('rope_type', said.get('rope_parameters', 'no rotation')))
    told = ' '.join(f'{k}={json.dumps(v)}' for k, v in sorted(said.items()) if k != 'rope_parameters')
    for name, text in (('tokens', ' '.join(map(str, tokens))), ('told', f'{law[:200]} by '
                       f'{model.config._attn_implementation}; {told}{why}'), ('broken', f'{eps}={EPS * 100}')):
        with open(os.path.join(folder, name + '.txt'), 'w', encoding='utf-8') as f:
            f.write(text + '\n')


if __name__ == '__main__':
    torch.set_num_threads(1)
    types = sys.argv[3:] or sorted(n[:-4] for n in os.listdir(TABLES) if n.endswith('.tsv') and n != 'any.tsv')
    for one in types:
        for k in range(int(sys.argv[2])):
            write(sys.argv[1], one, k)
