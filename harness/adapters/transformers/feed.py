"""Finds inputs with which a model runs that takes more than text: pictures, sounds, patches and where they lie, states.

What the forward pass wants is read from its signature, from the name of its main input and from what it complains of;
shapes are tried that the configuration's numbers allow, until a pass ends or does what is wanted of it.  Nothing here
knows a model by its name: arguments are told by the common spellings of what they hold."""
import inspect
import itertools
import re
import time
import torch

TOKENS = 12  # of a sequence whose length nothing says
MOST, SECONDS = 160, 25  # passes that are tried, and processor time for them
SIDE = 4  # patches along each side of a picture that is given as patches


def numbers_of(config, found=None):
    """{key: [values]} of all whole numbers and short lists of them, inner configurations included, outer ones first."""
    found = {} if found is None else found
    told = config if isinstance(config, dict) else config.to_dict()
    inner = []
    for key, v in told.items():
        if isinstance(v, dict):
            inner.append(v)
            if set(v) == {"height", "width"}:
                found.setdefault(key, []).append((v["height"], v["width"]))
        elif isinstance(v, int) and not isinstance(v, bool):
            found.setdefault(key, []).append(v)
        elif isinstance(v, (list, tuple)) and len(v) in (1, 2) and all(isinstance(x, int) for x in v):
            found.setdefault(key, []).append(tuple(v))
    for v in inner:
        numbers_of(v, found)
    return found


class Shapes:
    """The shapes that a configuration allows for each kind of array."""

    def __init__(self, config):
        self.of = numbers_of(config)

    def said(self, *keys, otherwise=()):
        """The values of the keys that end so, in that order of the keys, each once; what is not said last."""
        values = [v for key in keys for own, vs in self.of.items() if own == key or own.endswith("_" + key) for v in vs]
        return list(dict.fromkeys([v for v in values if v != 0] + list(otherwise)))[:4]

    def counts(self, *keys, otherwise=()):
        """The same of those that are one number."""
        return [v for v in self.said(*keys, otherwise=otherwise) if isinstance(v, int)]

    def pairs(self, *keys, otherwise=()):
        return [(v if len(v) == 2 else v * 2) if isinstance(v, tuple) else (v, v)
                for v in self.said(*keys, otherwise=otherwise)]

    def channels(self):
        return self.counts("num_channels", "in_channels", "in_chans", "input_channels", "channels", otherwise=(3, 1))

    def widths(self):
        return self.counts("hidden_size", "d_model", "embed_dim", "hidden_dim", "dim", "input_dim", otherwise=(64,))

    def patches(self):
        """Numbers of values in a patch: of one picture, and of some in a row."""
        out = []
        for (a, b), c in itertools.product(self.pairs("patch_size", otherwise=(16,)), self.channels()):
            out += [c * a * b] + [t * c * a * b for t in self.counts("temporal_patch_size", "patch_size_t")]
            out += [c * a * b + 2]  # with its row and column before it
        return list(dict.fromkeys(out))

    def pictures(self):
        sides = self.pairs("image_size", "crop_size", "input_size", "resolution", "img_size", otherwise=(64, 224))
        out = [(1, c, *s) for s in sides for c in self.channels()]
        frames = self.counts("num_frames", "frames", "tubelet_size", otherwise=(1, 4))
        out += [(1, f, *shape[1:]) for f in frames for shape in out[:2]]
        few = [(SIDE * SIDE, n) for n in self.patches()]
        return out + few + [(1, *shape) for shape in few] + [(1, 1, *out[0][1:]), (1, 1, 1, *out[0][1:])]

    def sounds(self):
        """Features of frames, in both orders: as many frames as the positions that are said, and few."""
        bins = self.counts("num_mel_bins", "mel_bins", "feature_size", "n_mels", "num_features", "input_feat_per_channel",
                         "input_feat_size", "input_size", "input_dim", "input_channels", otherwise=(80, 128, 160))
        lengths = [2 * v for v in self.counts("max_source_positions")] + self.counts("max_length", "n_window", otherwise=(96,))
        return [shape for b in bins for n in lengths + [2 * 100] for shape in ((1, n, b), (1, b, n), (1, 1, n, b), (b, n))
                if n < 1 << 14]

    def waves(self):
        return [(1, n) for n in (16000, 4000)] + [(1, c, n) for c in (1, 2) for n in (16000, 3840)] + self.sounds()

    def states(self):
        out = [(1, TOKENS, w) for w in self.widths()]
        return out + [(TOKENS, w) for _, _, w in out] + [(1, SIDE * SIDE, n) for n in self.patches()[:2]] + self.pictures()[:2]


def whole(shape, most=5):
    """Small numbers from 1 on, such as tokens."""
    count = 1
    for n in shape:
        count *= n
    return (torch.arange(count) % most + 1).reshape(shape)


def real(shape):
    """Normal numbers, the same each time."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(7))


def grids():
    """Time, height and width of one picture in patches; height and width; the same as sizes of a list."""
    return [torch.tensor([[1, SIDE, SIDE]]), torch.tensor([[SIDE, SIDE]]), torch.tensor([[[SIDE, SIDE]]])]


def places():
    """[1, patches, 2] and [patches, 2]: row and column of each."""
    where = torch.cartesian_prod(torch.arange(SIDE), torch.arange(SIDE))
    return [where[None], where]


KINDS = (  # spellings of names, the first that fits says what an argument holds
    (r"grid|spatial_shapes|image_sizes|target_sizes", lambda s: grids()),
    (r"bbox|boxes", lambda s: [torch.zeros(1, TOKENS, 4, dtype=torch.long)]),
    (r"(pixel|image|patch)\w*position_ids|pixel_position|patch_pos", lambda s: places()),
    (r"aspect_ratio_ids", lambda s: [torch.ones(1, 1, dtype=torch.long), torch.ones(1, dtype=torch.long)]),
    (r"aspect_ratio_mask", lambda s: [torch.ones(1, 1, n, dtype=torch.long) for n in s.counts("max_num_tiles", otherwise=(4, 1))]),
    (r"(pixel|patch|bool)\w*mask", lambda s: [torch.ones(1, SIDE * SIDE, dtype=torch.bool)] + [
        torch.ones(1, *shape[-2:], dtype=torch.bool) for shape in s.pictures()[:2]]),
    (r"features_mask|mask", lambda s: [torch.ones(shape[:2], dtype=torch.bool) for shape in s.sounds()[:4]]),
    (r"(input|audio|code|prompt|text)\w*_ids|codes?$|tokens", lambda s: [
        whole((1, TOKENS)), *[whole((1, TOKENS, k)) for k in s.counts("num_codebooks", "num_quantizers", otherwise=(8,))],
        *[whole((1, k, TOKENS)) for k in s.counts("num_codebooks", "num_quantizers", otherwise=(8,))]]),
    (r"lens$|lengths$|num_patches|num_frames", lambda s: [torch.tensor([n]) for n in (96, SIDE * SIDE, TOKENS)]),
    (r"pixel|image|patches|video|frames", lambda s: [real(shape) for shape in s.pictures()]),
    (r"features?$|spectrogram|mel", lambda s: [real(shape) for shape in s.sounds()]),
    (r"values?$|audio|wave|speech|inputs$", lambda s: [real(shape) for shape in s.waves()]),
    (r"", lambda s: [real(shape) for shape in s.states()]))


def candidates(name, shapes):
    """Arrays that an argument of that name may be."""
    if name == "input_ids":
        return [whole((1, TOKENS)) + 6]
    return next(made for words, made in KINDS if re.search(words, name))(shapes)


def wanted(takes, main):
    """The names of the arguments without which a forward pass cannot run: no default, or the main input."""
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needs = [name for name, p in takes.items() if p.default is inspect.Parameter.empty and p.kind not in kinds]
    names = main if isinstance(main, (list, tuple)) else [main]
    return list(dict.fromkeys(needs + [name for name in names if name in takes]))


def complained(message, takes, fed):
    """The first argument that a message names and that is not given yet, or None."""
    words = set(re.findall(r"\w+", message)) - set(fed)
    left = [name for name in takes if name not in fed and name not in ("self", "kwargs", "args")]
    return next((name for name in left if name in words), None) or next(
        (name for name in left if re.search("specify|provide|missing", message) and any(name.endswith("_" + w) for w in words)), None)


def unsaid(message, takes, fed):
    """Where a message is of something that is None, the first argument left out that says where things are, or NONE."""
    if "NoneType" not in message:
        return None
    return next((name for name, p in takes.items() if name not in fed and p.default is None and re.search(
        r"mask|grid|len|ids|position|bbox|values|features|embeds", name) and not re.search(r"past|label|head_mask", name)), None)


WIDTHS = (  # what messages say of a width that is wanted
    r"cannot be multiplied \(\d+x\d+ and (\d+)x\d+\)", r"must match the size of tensor b \((\d+)\)", r"to have (\d+) channels",
    r"normalized_shape=\[(\d+)\]", r"expected input\[.*\] to have (\d+)")


def told(messages):
    """The widths that messages say are wanted, each once."""
    return list(dict.fromkeys(int(n) for message in messages for words in WIDTHS for n in re.findall(words, message)))[:6]


def widened(arrays, widths):
    """The arrays of real numbers of rank 2 and 3 with these widths in the place of their last axis, and of the one before."""
    shapes = [tuple(a.shape) for a in arrays if torch.is_tensor(a) and a.is_floating_point() and a.dim() in (2, 3)]
    made = [shape for w in widths for s in shapes for shape in ((*s[:-1], w), (*s[:-2], w, s[-1]))]
    return [real(shape) for shape in dict.fromkeys(made)]


def found(run, takes, main, config):
    """(arguments by name, why the pass over them ended early or None) of the first whole pass in which `run` met what is
    wanted, else of the first that met it at all.  (None, the last message): none met it; (None, None): a pass ended well,
    and met nothing.

    run(arguments): a pass, which answers (whether it met what is wanted, the message with which it ended early or None)."""
    search = Search(run, takes, Shapes(config))
    needs = wanted(takes, main)
    while True:
        options = {name: candidates(name, search.shapes) for name in needs}
        missing = search.through(options)
        if not missing and not search.done:
            missing = search.through({name: widened(made, told(search.messages)) or made for name, made in options.items()})
        if search.done or not missing:
            return search.best()
        needs.append(missing)


class Search:
    """A search for arguments, which ends with the first whole pass that meets what is wanted, or with too many."""

    def __init__(self, run, takes, shapes):
        self.run, self.takes, self.shapes = run, takes, shapes
        self.tried, self.start, self.done, self.ended = 0, time.process_time(), None, False
        self.first, self.messages = (None, ""), []

    def through(self, options):
        """Tries all arrays of these arguments; the name of another one that is wanted, or None."""
        for arrays in itertools.product(*options.values()):
            if self.tried >= MOST or time.process_time() - self.start > SECONDS:
                self.done = self.done or self.first
                return None
            fed, self.tried = dict(zip(options, arrays)), self.tried + 1
            met, said = self.run(fed)
            if met and not said:
                self.done = fed, None
                return None
            self.ended |= not said
            self.first = self.first if self.first[0] or not met else (fed, said)
            self.messages += [said] if said else []
            missing = (complained(said, self.takes, fed) or unsaid(said, self.takes, fed)) if said else None
            if missing:
                return missing
        return None

    def best(self):
        for fed in (self.done, self.first):
            if fed and fed[0]:
                return fed
        return None, None if self.ended else (self.messages or [""])[-1]
