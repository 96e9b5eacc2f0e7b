"""A model class of Hugging Face transformers as a subject of meridian: `meridian model CONFIG --against transformers`.

    python3 against.py CONFIG.json --notes FILE [--as NAME/WAY/MODE]

Builds the class of CONFIG.json with small random weights (cut.py, build.py), writes what it is and where it rotates and
attends to FILE, and answers by the process transport (harness/adapters/README.md).  A question is about the site, way and
mode that its parameter `as` names, "layers.0.self_attn/sdpa/decode", or the flag of that name.
Profiles.  eager: products and scores are stored in the element type, the product and its scale one after the other; the
softmax is float32, with sinks the element type; weights are stored in the element type.  sdpa on a CPU takes its flash
kernel, or the mathematical one: what either rounds is declared (harness/adapters/examples/attention_torch.py)."""
import argparse
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

ROPE = "exponent=f32 rebase=f32 power=f32:2 freq=f32 phase=f32 table=f32:2 amplitude=f32"
EAGER = {
    "f32": "dot=f32 product=f32 score=f32 quotient=f32 tanh=f32:2 capped=f32 shift=f32 exp=f32:2 weight=f32:2.01 "
           "sum=f32 total=f32 div=f32:2",
    "bf16": "dot=f32 product=f32 score=bf16:2.01 quotient=bf16 tanh=bf16:1.02 capped=bf16 shift=%s exp=f32:2 "
            "weight=bf16:1.02 sum=f32 total=f32 div=f32:2"}
SDPA = ("dot=f32 product=f32:4 score=f32:2 bias=f32 shift=f32 exp=f32:9.5+1.7e-38 weight=%s:2.01 sum=f32 total=f32 "
        "div=f32:2 route=online block=32 rescale=f32")
PATIENCE = 60  # seconds of a processor; after them no other size of a model without sites is tried
NOTHING = "it does not attend: there is no softmax in its pass"
UNKNOWN = "its pass ends, and nothing in it attends or turns in a way that is known here"
WAYS, TYPES = ("eager", "sdpa"), ("f32", "bf16")


def profile(row, way, type, sinks, scaled=False):
    """The arithmetic that is declared.  scaled: queries are multiplied and stored before they are handed over."""
    if scaled:
        once = profile(row, way, type, sinks)
        return once.replace("product=f32:4", "product=f32:6" if type == "f32" else "product=bf16:1.01").replace(
            "product=f32 ", "product=f32:2.01 " if type == "f32" else "product=bf16:1.01 ")
    if row == "rope":
        return f"{ROPE} store={type} product={type} sum={type}" if type != "f32" else f"{ROPE} product=f32 sum=f32"
    if way == "sdpa":
        return SDPA % type
    return EAGER[type] % ("bf16" if sinks else "f32") if type == "bf16" else EAGER[type]


def quiet(path, notes):
    """Writes the notes, whole or not at all."""
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(notes, f)
    os.replace(path + ".new", path)


class Lives:
    """The models of one configuration, each made when it is first asked."""

    def __init__(self, said):
        import sites
        self.said, self.made, self.watch, self.sites, self.part, self.fed = said, {}, sites.Watch(), {}, "", None

    def of(self, type, way):
        if (type, way) not in self.made:
            import torch
            import ask
            import build
            import sites
            dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[type]
            model = build.model_of(self.said, dtype, way)
            if not self.made:
                sites.install(self.watch)
            self.made[type, way] = ask.Live(model, self.watch, self.part, self.fed)
        return self.made[type, way]

    def tried(self, site, way, mode):
        """None, or why the site cannot be asked in this way and mode."""
        import torch
        try:
            n, m = (site["length"],) * 2 if site.get("length") else (3, 7)  # of inputs that have one length, that
            q, k, v = (torch.zeros(h, n, d) for h, n, d in ((site["heads"], n, site["head_dim"]),
                       (site["kv_heads"], m, site["head_dim"]), (site["kv_heads"], m, site["value_dim"])))
            self.of("f32", way).attend(site, mode, q, k, v, 2 if mode == "padded" else 0, None)
            return None
        except Exception as e:
            return " ".join(f"{type(e).__name__}: {e}".split())[:200]


def choose(lives):
    """(sites, message) of the first part that attends somewhere when it is given text alone, be it through the library's
    interface or written out, else of the model with what else it takes."""
    live, first = lives.of("f32", "eager"), None
    parts = [""] + [part for part in live.parts() if part]
    for written in (False, True):
        for lives.part in parts:
            live.choose(lives.part)
            sites, ended = live.survey(written)
            if sites:
                return sites, f"only {lives.part} is run: {first}" if lives.part else ended
            first = first or ended
    lives.part = ""
    live.choose("")
    said = live.feed()
    if not live.fed:
        return [], said or (UNKNOWN if live.listening.mixes else NOTHING)
    lives.fed = live.fed
    sites, ended = live.survey(True)
    for site in sites:
        if site.get("written"):
            site["length"] = site["tokens"]
    fed = ", ".join(f"{name} {list(v.shape)}" for name, v in lives.fed.items())
    return sites, f"it runs with {fed}" + (f", and ends early: {ended}" if ended else "")


def limit(lives, site):
    """The last position of a site that looks its tables up, or None where they are made for any position."""
    import torch
    from sites import Declined
    try:
        lives.of("f32", "eager").tables(site, torch.tensor([0, 1, 131071]))
        lives.of("f32", "eager").tables(site, torch.tensor([0, 1, 2]))  # dynamic scaling keeps the longest length it saw
        return None
    except Declined:
        return None
    except Exception:
        config = lives.of("f32", "eager").runs.config
        return getattr(config, "max_position_embeddings", 2) - 1


def own_positions(lives, site):
    """Whether a site turns by positions of its own, whatever it is told; False, too, where its tables are not to be had."""
    try:
        return lives.of("f32", "eager").keeps_positions(site)
    except Exception:
        return False


def adds(lives, site):
    """Whether attention that is written out adds something of its positions to its scores."""
    try:
        return bool(site.get("written")) and lives.of("f32", "eager").adds(site)
    except Exception:
        return False


def runs_in(lives, type):
    """None, or why a model does not run in an element type at all."""
    from ask import TOKENS
    try:
        lives.of(type, "eager").forward(TOKENS)
        return None
    except Exception as e:
        return " ".join(f"{e}".split())[:200]


def look(lives, notes):
    """Fills the notes: sites, and which ways and modes each place answers."""
    import ask
    import build
    from sites import BIAS
    sites, ended = choose(lives)
    notes.update(sites=sites, ended=ended, unable={}, profiles={})
    wrong = runs_in(lives, "bf16") if sites else None
    for site in sites if wrong else ():
        site["types"] = [t for t in TYPES if t != "bf16"]
    seen, moved = {}, sorted({s["place"] for s in sites if s["rotation"] and s["rotation"]["order"]})
    notes["said"] = [f"{place}: its rotary function leaves the channels of queries and keys in another order, the same for "
                     "both, so that scores are as defined; the order is undone here" for place in moved]
    biased = sorted({s["place"] for s in sites if any(BIAS.search(word) for word in s.get("more", [])) or adds(lives, s)})
    notes["said"] += [f"{place}: the bias that its positions add to the scores is taken off here: a row of its own judges it"
                      for place in biased]
    notes["said"] += [f"it does not run in bf16 at all: {wrong}"] if wrong else []
    for site in sites:
        lives.sites[site["name"]] = site
        if site["rotation"]:
            site["rotation"]["most"] = limit(lives, site)
            site["rotation"]["own"] = own_positions(lives, site)
        if "heads" not in site:
            continue
        key = site["place"]
        if key not in seen:
            seen[key] = []
            for way in WAYS:
                for mode in ask.MODES:
                    try:
                        why = lives.tried(site, way, mode)
                    except build.Refused as e:
                        why = str(e)
                    if why:
                        notes["unable"][f"{key}/{way}/{mode}"] = why
                    else:
                        seen[key].append(f"{way}/{mode}")
        site["ways"] = seen[key]
    for way in WAYS:
        for type in TYPES:
            for sinks in (False, True):
                for scaled in (False, True):
                    key = f"attention/{way}/{type}" + "/sinks" * sinks + "/scaled" * scaled
                    notes["profiles"][key] = profile("attention", way, type, sinks, scaled)
    for type in TYPES:
        notes["profiles"][f"rope/{type}"] = profile("rope", "", type, False)


def kernels(lives, usual):
    """Declares what is answered, in the words of meridian_subject."""
    import torch
    from meridian_subject import kernel
    from sites import Declined

    def where(params):
        name, way, mode = params.get("as", usual).split("/")
        return lives.sites[name], way, mode

    def asked(type, answer):
        try:
            return answer(lambda a: torch.from_numpy(a.copy()).to({"f32": torch.float32, "bf16": torch.bfloat16}[type]))
        except Declined as e:
            print(e, file=sys.stderr)
            return None

    def declare(type):
        @kernel("attention", "o", type, profile("attention", "eager", type, False))
        def attention(params, q, k, v, sink=None):
            site, way, mode = where(params)
            if (sink is not None) != site.get("sinks"):
                return None
            first = int(params.get("first", 0))
            return asked(type, lambda t: lives.of(type, way).attend(
                site, mode, t(q), t(k), t(v), first, None if sink is None else t(sink)).float().numpy())

        @kernel("rope", "y", type, profile("rope", "", type, False))
        def rotation(params, x, pos):
            site, way, _ = where(params)
            at = torch.from_numpy(pos.copy()).long()
            return asked(type, lambda t: lives.of(type, way).rotate(site, t(x), at).float().numpy())

        @kernel("rope", "cos sin", type, profile("rope", "", type, False))
        def table(params, pos):
            site, way, _ = where(params)
            at = torch.from_numpy(pos.copy()).long()
            return asked(type, lambda t: tuple(a.float().numpy() for a in lives.of(type, way).tables(site, at)))
    for type in TYPES:
        declare(type)


def loaded():
    """Imports the libraries with one thread and nothing to download; None, or why they cannot be had."""
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
    try:
        import torch
        import transformers
    except ImportError as e:
        return str(e)
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    return None


def warm():
    """Loads the parts of the library that every model needs and that it would load late, so that forks share them."""
    import importlib
    import ask
    import build
    from transformers import DynamicCache, PreTrainedModel, StaticCache
    for kind in ("llama", "bert", "clip"):
        importlib.import_module(f"transformers.models.{kind}.modeling_{kind}")
    build.class_of(build.config_of({"model_type": "llama"}))
    return ask, DynamicCache, PreTrainedModel, StaticCache


def prepared(config):
    """(notes about the model of a configuration file, its models); the notes have "absent" or "refused" where there is
    none."""
    notes, lives, why = {}, None, loaded()
    if why:
        return {"absent": why}, None
    import torch
    import transformers
    import build
    notes["library"] = f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}"
    try:
        for small in build.small_files(config):
            found = {"library": notes["library"], "config": small[0], "cut": small[1]}
            made = Lives(small[0])
            look(made, found)
            if lives is None or found["sites"]:
                notes, lives = found, made
            if found["sites"] or found["ended"] in (NOTHING, UNKNOWN) or time.process_time() > PATIENCE:
                break
    except Exception as e:
        notes["refused"] = str(e) if isinstance(e, build.Refused) else build.one_line(e)
    return notes, lives


def answer(lives, usual, name):
    """Answers questions until standard input ends."""
    from meridian_subject import serve
    kernels(lives, usual)
    sys.argv[1:] = []
    serve(name)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("config")
    words.add_argument("--notes", default=os.devnull)
    words.add_argument("--as", dest="usual", default="")
    say = words.parse_args()
    notes, lives = prepared(say.config)
    if say.notes != os.devnull:
        quiet(say.notes, notes)
    if "absent" in notes or "refused" in notes:
        sys.exit(f"against: {notes.get('absent') or notes['refused']}")
    answer(lives, say.usual, notes["library"])


if __name__ == "__main__":
    main()
