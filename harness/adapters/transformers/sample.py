"""Which model types, and which recorded configurations, stand for all of them where time is short: one of each family.

    python3 sample.py [--table data/models/types.tsv] [--models data/models] [--say]

A family is what the classes do with positions and attention, not what they are called: the kinds of positions, how the
pairs of a rotation lie and are dealt out, what is seen, whether scores are capped or have sinks, whether queries are
normed, whether the attention is latent, whether layers differ.  Of a family the type with the least digest of its name
stands for it, and families come in the order of the digests of what they do; so a new type can take the place of one
other, that of its own family, and a new family comes between others and moves none.  Types that are parts of others or
have parts are left out, as is a family of one type.  First come the types, a name a line, then of the configurations of
released models (--models) one of each family, a path a line; --say puts the family beside each."""
import argparse
import collections
import glob
import hashlib
import json
import os
import re

SWITCHES = ("softcap", "sinks", "qk_norm", "latent.kv_lora_rank", "rotates", "temperature", "shares")


def words(value):
    """The first words of a text of the table: of "rope, half: by x" the rope."""
    return re.split(r"[,(]", value.strip("'"))[0].strip()


def traits(facts):
    """What one type does, as a sorted tuple of words; facts: (place, fact, value) of its lines."""
    said = collections.defaultdict(set)
    for place, fact, value in facts:
        if place != "-":
            said[fact].add(value)
    out = {f"{fact} {words(v)}" for fact in ("position", "layout", "mask", "spread") for v in said[fact]}
    out |= {fact for fact in SWITCHES if said[fact]}
    if any(place == "-" and fact == "rule.layer_types" for place, fact, _ in facts):
        out.add("kinds of layers")
    return tuple(sorted(out))


def types_of(table):
    """{type: traits} of every type that attends and has no parts of its own."""
    lines = collections.defaultdict(list)
    with open(table, encoding="utf-8") as f:
        for text in f:
            if not text.startswith(("#", "*")):
                kind, place, fact, value = text.rstrip("\n").split("\t")[:4]
                lines[kind].append((place, fact, value))
    out = {}
    for kind, facts in lines.items():
        names = {fact for _, fact, _ in facts}
        if {"attention", "class"} <= names and not any(n.startswith("inner.") for n in names):
            out[kind] = traits(facts)
    return out


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def drawn(members, least):
    """[(member, traits)] of {member: traits}: of each family of `least` members and more the one of the least digest."""
    families = collections.defaultdict(list)
    for member, what in members.items():
        families[what].append(member)
    chosen = [(min(some, key=digest), what) for what, some in families.items() if len(some) >= least]
    return sorted(chosen, key=lambda x: digest(" ".join(x[1])))


def published(models, types):
    """{path: traits} of the recorded configurations of released models whose type is one of these."""
    out = {}
    for path in sorted(glob.glob(os.path.join(models, "published-*.json"))):
        with open(path, encoding="utf-8") as f:
            kind = json.load(f).get("model_type")
        if kind in types:
            out[path] = types[kind]
    return out


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--table", default="data/models/types.tsv")
    ask.add_argument("--models", default="data/models")
    ask.add_argument("--say", action="store_true")
    asked = ask.parse_args()
    types = types_of(asked.table)
    for member, what in drawn(types, 2) + drawn(published(asked.models, types), 1):
        print(f"{member}\t{', '.join(what)}" if asked.say else member)


if __name__ == "__main__":
    main()
