"""Compares the cards of `meridian model` with what the library itself computes: process subject, one type at a time.

    python3 harness/types/live.py --program build/meridian TYPE ...

Builds each type's bare model with random weights from its class defaults, cut by rule (few layers, narrow, short windows,
so that every rule bites), lets it read a short text in eager mode, and listens at its attentions: heads, widths, the
scale, the cap, sinks, the mask position by position, and the cosines of the rotation.  Needs torch and transformers; a type
that cannot be built is counted with the library's own message.  Nothing is downloaded, no remote code runs.  Exit 0: no
card differs; 1: one does; 77: nothing was compared."""
import sys
sys.dont_write_bytecode = True
import argparse
import json
import math
import os
import re
import subprocess
import tempfile

LENGTH = 24
# What is cut, where the class has the key and more than this; heads and their widths keep their proportion by hand.
CUT = {'vocab_size': 97, 'intermediate_size': 48, 'hidden_size': 96, 'd_model': 96, 'n_embd': 96, 'num_hidden_layers': 8,
    'n_layer': 4, 'num_layers': 4, 'encoder_layers': 2, 'decoder_layers': 2, 'num_attention_heads': 6, 'n_head': 6,
    'encoder_attention_heads': 6, 'decoder_attention_heads': 6, 'num_key_value_heads': 2, 'num_global_key_value_heads': 2, 'head_dim': 32,
    'global_head_dim': 64, 'sliding_window': 7, 'attention_chunk_size': 8, 'num_local_experts': 4, 'num_experts': 4,
    'n_routed_experts': 8, 'moe_intermediate_size': 16, 'max_position_embeddings': 64, 'n_positions': 64,
    'q_lora_rank': 24, 'kv_lora_rank': 16, 'pad_token_id': 0, 'bos_token_id': 1, 'eos_token_id': 2, 'n_group': 2, 'topk_group': 1,
    'num_experts_per_tok': 2, 'ffn_dim': 48, 'encoder_ffn_dim': 48, 'decoder_ffn_dim': 48, 'vocab_size_per_layer_input': 97,
    'hidden_size_per_layer_input': 16, 'first_k_dense_replace': 1, 'intermediate_size_mlp': 48, 'rotary_dim': 16}


def cut_config(kind):
    from transformers import CONFIG_MAPPING
    cls = CONFIG_MAPPING[kind]
    whole = cls().to_dict()
    over = {k: v for k, v in CUT.items() if isinstance(whole.get(k), (int, float)) and not isinstance(whole[k], bool) and whole[k] > v}
    if 'num_key_value_heads' in over and over.get('num_attention_heads', whole.get('num_attention_heads', 6)) % 2:
        del over['num_key_value_heads']
    if whole.get('num_key_value_heads') == whole.get('num_attention_heads') and 'num_attention_heads' in over:
        over['num_key_value_heads'] = over['num_attention_heads']
    return cls(**over)


def card_of(program, config):
    with tempfile.NamedTemporaryFile('w', suffix='.json', delete=False) as f:
        json.dump({k: v for k, v in config.to_dict().items() if k != '_name_or_path'}, f, default=str)
    try:
        out = subprocess.run([program, 'model', '--card', '--json', f.name], capture_output=True, text=True)
        return json.loads(out.stdout.splitlines()[0])['card'] if out.stdout else None
    finally:
        os.unlink(f.name)


def listen(model, heard):
    """Wraps the eager attention of every module file in use; rotary modules are heard by hooks."""
    names = {id(m): n for n, m in model.named_modules()}

    def wrap(inner):
        def attention(module, query, key, value, mask, *rest, **kw):
            heard[names.get(id(module), '?')] = {'heads': query.shape[1], 'kv_heads': key.shape[1], 'head_dim': query.shape[-1],
                'scale': kw.get('scaling'), 'softcap': kw.get('softcap'), 'sinks': kw.get('s_aux') is not None or hasattr(module, 'sinks'),
                'mask': mask}
            return inner(module, query, key, value, mask, *rest, **kw)
        return attention
    for module in {type(m).__module__ for m in model.modules()}:
        source = sys.modules.get(module)
        if hasattr(source, 'eager_attention_forward'):
            source.eager_attention_forward = wrap(source.eager_attention_forward)


def visible(sees, n):
    """What the card's words mean, as rows of booleans; None: words of another attention."""
    window = re.search(r'a window of (\d+) keys', sees)
    chunk = re.search(r'within chunks of (\d+)', sees)
    both = re.search(r'keys at most (\d+) away', sees)
    if window:
        return [[0 <= i - j < int(window.group(1)) for j in range(n)] for i in range(n)]
    if chunk:
        return [[j <= i and i // int(chunk.group(1)) == j // int(chunk.group(1)) for j in range(n)] for i in range(n)]
    if both:
        return [[abs(i - j) <= int(both.group(1)) for j in range(n)] for i in range(n)]
    return {'causal': [[j <= i for j in range(n)] for i in range(n)], 'every key': [[True] * n] * n}.get(sees)


def layers_of(text):
    out = []
    for part in text.split(', '):
        a, _, b = part.partition('-')
        out += range(int(a), int(b or a) + 1)
    return out


def compare_layer(kind, got):
    """(what, card, library) of each thing that was heard; the two must be equal."""
    for what in ('heads', 'head_dim'):
        yield what, kind.get(what), got[what]
    if got['kv_heads'] not in (kind.get('kv_heads'), kind.get('heads')):  # Some repeat their keys before, some within.
        yield 'kv_heads', kind.get('kv_heads'), got['kv_heads']
    said = kind.get('scores', '')
    scale = got['scale'] if got['scale'] is not None else got['head_dim'] ** -0.5
    if not said or re.fullmatch(r'times [-+.\de]+', said):  # Else the card tells it in words, which nothing here can weigh.
        yield 'scale', said, said if math.isclose(float(said.split()[-1]) if said else math.nan, scale, rel_tol=2 ** -24) else 'times %.9g' % scale
    yield 'softcap', kind.get('softcap'), got['softcap']
    yield 'sinks', bool(kind.get('sinks')), got['sinks']
    want = visible(kind.get('sees', ''), LENGTH)
    mask = got['mask']
    if want is not None and mask is not None and mask.shape[-1] == LENGTH:
        seen = [[float(x) == 0 or x is True for x in row] for row in mask[0, 0].float().tolist()] if mask.dtype.is_floating_point \
            else mask[0, 0].bool().tolist()
        yield 'mask', kind['sees'], kind['sees'] if seen == want else 'another: %s' % first_difference(want, seen)
    elif want is not None and mask is None:
        yield 'mask', kind['sees'], 'every key'


def first_difference(want, seen):
    for i, (a, b) in enumerate(zip(want, seen)):
        for j, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return 'query %d, key %d: %s' % (i, j, 'seen' if y else 'hidden')
    return 'none'


def one(program, kind):
    """Lines "kind layer what card library" of differences, and how much was compared."""
    import torch
    from transformers import AutoModel
    torch.manual_seed(0)
    config = cut_config(kind)
    model = AutoModel.from_config(config, attn_implementation='eager').eval()
    card, heard = card_of(program, config), {}
    listen(model, heard)
    ids = torch.arange(3, 3 + LENGTH).unsqueeze(0) % 97
    with torch.no_grad():
        model(input_ids=ids, **({'decoder_input_ids': ids} if config.is_encoder_decoder else {}))
    compared, wrong = 0, []
    for part in card['parts']:
        for k in part['kinds']:
            for layer in layers_of(k['layers']):
                name = [n for n in heard if re.sub(r'\.\d+', '', n) == part['place'] and int((re.findall(r'\.(\d+)', n) or [0])[0]) == layer]
                for what, said, got in compare_layer(k, heard[name[0]]) if name else ():
                    compared += 1
                    if said != got:
                        wrong.append((kind, name[0], what, said, got))
    return compared, wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--program', default='build/meridian')
    p.add_argument('--one', action='store_true')
    p.add_argument('types', nargs='+')
    a = p.parse_args()
    if a.one:
        print(json.dumps(one(a.program, a.types[0])))
        return 0
    agree = differ = unbuilt = 0
    for kind in a.types:  # Each in a process of its own, for 300 s at most.
        try:
            r = subprocess.run([sys.executable, __file__, '--program', a.program, '--one', kind], capture_output=True, text=True, timeout=300)
            compared, wrong = json.loads(r.stdout.splitlines()[-1])
        except (subprocess.TimeoutExpired, IndexError, ValueError):
            unbuilt += 1
            said = (r.stderr.strip().splitlines() or ['no word'])[-1] if 'r' in dir() else 'longer than 300 s'
            print('%-24s not compared: %s' % (kind, said[:160]))
            continue
        agree, differ = agree + (compared > 0 and not wrong), differ + bool(wrong)
        print('%-24s %5d compared, %d differ%s' % (kind, compared, len(wrong), '' if compared else ': nothing was heard'))
        for w in wrong[:6]:
            print('    %s %s: card %s, library %s' % tuple(w[1:]))
        sys.stdout.flush()
    print('%d types agree, %d differ, %d could not be compared' % (agree, differ, unbuilt))
    return 1 if differ else 0 if agree else 77


if __name__ == '__main__':
    sys.exit(main())
