"""Makes a configuration small and keeps its rules: cut(full, file) says which keys of the file get which values.

Widths are cut in proportion to the heads, which keep their width; layers are cut to the first that show every kind;
windows and chunks become so short that each has an effect within a dozen tokens; vocabularies, experts and inner widths
become small.  Nothing here knows a model by its name: keys are told by the common spellings of what they mean."""

HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "decoder_attention_heads")
KEY_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num")
WIDTHS = ("hidden_size", "n_embd", "n_embed", "d_model", "dim", "embed_dim")
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers",
          "num_decoder_layers", "num_encoder_layers", "decoder_num_hidden_layers")
VOCABULARY, WINDOW, CHUNK, INNER, RANK, EXPERTS, MOST_HEADS = 64, 5, 4, 64, 32, 4, 4
ALL = ("widths", "layers", "others")  # what is cut; a class may ask of its sizes what the cut ones do not keep, and so:
LESS = (ALL, ("layers", "others"), ("widths", "layers"), ("widths", "others"), ("others",), ("layers",), ("widths",), ())
PERIODS = ("every", "pattern", "interval", "period", "freq", "step")


def whole(v, least=1):
    """Whether v is an integer from least on, and no boolean."""
    return isinstance(v, int) and not isinstance(v, bool) and v >= least


def first_of(d, names, least=1):
    """The first of these keys that d has as an integer, or None."""
    return next((name for name in names if whole(d.get(name), least)), None)


def covering(d, count):
    """How many layers show every kind of layer: by lists with an entry for each layer, and by periods."""
    need = 2
    for key, v in d.items():
        if isinstance(v, (list, tuple)) and len(v) == count and all(isinstance(x, (str, int, bool)) for x in v):
            firsts = {x: k for k, x in reversed(list(enumerate(v)))}
            need = max(need, max(firsts.values()) + 1) if len(firsts) <= 4 else need
        elif whole(v, 2) and v <= count and any(word in key for word in PERIODS):
            need = max(need, v)
    return min(need, count)


def heads_of(d):
    """The changed numbers of heads: few, with as many query heads on one key head as before, two at most."""
    name, change = first_of(d, HEADS), {}
    if not name:
        return None, {}
    heads, keys = d[name], first_of(d, KEY_HEADS)
    of_keys = d[keys] if keys else heads
    if heads % of_keys or of_keys == heads:
        few = min(heads, MOST_HEADS)
        return few / heads, {key: few for key in HEADS + KEY_HEADS if whole(d.get(key)) and d[key] == heads}
    group, few_keys = min(heads // of_keys, 2), min(of_keys, 2)
    change.update({key: group * few_keys for key in HEADS if whole(d.get(key)) and d[key] == heads})
    change.update({key: few_keys for key in KEY_HEADS if whole(d.get(key)) and d[key] == of_keys})
    return group * few_keys / heads, change


def widths_of(d, share, change):
    """The changed widths of a model whose heads were cut to this share; a head keeps its own width.  A width that is none
    of all heads together becomes a multiple of 16 bytes in every element type, which some products want."""
    name = first_of(d, HEADS)
    for key in WIDTHS:
        if share is not None and share < 1 and whole(d.get(key)):
            heads, few, own = d[name], change[name], d.get("head_dim")
            tied = d[key] % heads == 0 and (not whole(own) or own * heads == d[key])
            change[key] = few * (d[key] // heads) if tied else -(-int(d[key] * share) // (8 * few)) * 8 * few


def layers_of(d, change, listed):
    """The changed numbers of layers, and lists with an entry for each layer where the file has the list itself."""
    name = first_of(d, LAYERS)
    if not name:
        return
    count = d[name]
    few = covering(d, count)
    if any("shared" in key and "layers" in key and whole(v) for key, v in d.items()):
        few = min(count, 2 * few)  # the layers that share what others made come last, and leave every kind before them
    for key, v in d.items():
        if key in LAYERS and whole(v):
            change[key] = min(v, few)
        elif "layers" in key and whole(v) and v <= count:
            change[key] = few if v == count else max(1, v * few // count)
        elif isinstance(v, list) and len(v) == count and count > few and key in listed:
            change[key] = v[:few]


def small(key, v):
    """The value of a key that says a length, a vocabulary or an inner width, made small; v where it says none."""
    if not whole(v, 2) or "layer" in key or any(word in key for word in PERIODS):
        return v
    if "vocab" in key:
        return min(v, VOCABULARY)
    if key.endswith(("_token_id", "_token_index", "_idx")):
        return v % VOCABULARY
    if "attention" in key and "chunk" in key:
        return min(v, CHUNK)
    if "window" in key and not key.startswith("max_"):
        return min(v, WINDOW)
    if key == "local_attention":
        return min(v, 2 * CHUNK)
    if "expert" in key and "size" not in key and "dim" not in key:
        return min(v, 2 if "per_tok" in key else EXPERTS)
    if "intermediate" in key or key.endswith(("ffn_dim", "n_inner", "ffn_hidden_size", "d_ff", "dim_feedforward")):
        return min(v, INNER)
    return min(v, RANK) if key.endswith("lora_rank") else v


def level(d, said, what=ALL):
    """The changed keys of one object; said: the same object of the file, whose lists are cut where it has them."""
    share, change = heads_of(d) if "widths" in what else (None, {})
    widths_of(d, share, change)
    if "layers" in what:
        layers_of(d, change, said)
    for key, v in d.items():
        if "others" in what and isinstance(v, int) and key not in change and small(key, v) != v:
            change[key] = small(key, v)
    return {key: v for key, v in change.items() if d[key] != v}


def cut(full, said, what=ALL):
    """The changes by path, ("text_config", "hidden_size") -> 128.  full: every key with its value, defaults too; said: the
    file's own object; what: the kinds of keys that are changed."""
    changes = {(key,): v for key, v in level(full, said, what).items()}
    for key, v in full.items():
        if isinstance(v, dict) and (key.endswith("_config") or "model_type" in v):
            inner = said.get(key) if isinstance(said.get(key), dict) else {}
            changes.update({(key, *path): x for path, x in cut(v, inner, what).items()})
    return changes


def number(o):
    """An object of a file, or the number that is not finite which the library writes as {"__float__": "Infinity"}."""
    return float(o["__float__"]) if list(o) == ["__float__"] and o["__float__"] in ("Infinity", "-Infinity", "NaN") else o


def applied(said, changes, alias=None):
    """The file's object with those changes; alias: {common name: the class's own}, so that no key is said twice."""
    out = {k: applied(v, {}) if isinstance(v, dict) else v for k, v in said.items()}
    for path, v in changes.items():
        at = out
        for key in path[:-1]:
            at[key] = dict(at[key]) if isinstance(at.get(key), dict) else {}
            at = at[key]
        for common, own in (alias or {}).items():
            if own == path[-1] and common in at:
                del at[common]
        at[path[-1]] = v
    return out


def told(full, changes):
    """One line about each kind of change."""
    words = []
    for path, v in sorted(changes.items()):
        old = full
        for key in path:
            old = old.get(key) if isinstance(old, dict) else None
        words.append(f"{'.'.join(path)} {old if not isinstance(old, list) else f'of {len(old)}'} -> "
                     f"{v if not isinstance(v, list) else f'of {len(v)}'}")
    return words
