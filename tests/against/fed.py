"""How inputs of models that take more than text are found, and products that modules write out are read, without any
library: python3 fed.py FOLDER-OF-feed.py.  A stand-in takes the place of torch, as far as this is asked."""
import inspect
import sys
import types
import unittest

sys.path.insert(0, sys.argv.pop(1))
torch = types.ModuleType("torch")
torch.is_tensor = lambda v: isinstance(v, Axes)
torch.overrides = types.ModuleType("torch.overrides")
torch.overrides.TorchFunctionMode = object
sys.modules.update({"torch": torch, "torch.overrides": torch.overrides})
import feed
import written


class Axes:
    """An array of which the letters of its axes are known."""
    def __init__(self, letters):
        self.letters = letters

    def permute(self, order):
        return Axes("".join(self.letters[k] for k in order))

    def dim(self):
        return len(self.letters)


def takes(function):
    return inspect.signature(function).parameters


class Feed(unittest.TestCase):
    def setUp(self):
        self.kept = feed.candidates
        feed.candidates = lambda name, shapes: [f"{name} {k}" for k in range(3)]

    def tearDown(self):
        feed.candidates = self.kept

    def found(self, forward, main, run):
        return feed.found(run, takes(forward), main, {})

    def test_shapes_are_tried_until_a_whole_pass_meets_what_is_wanted(self):
        def run(fed):
            return (True, "too short") if fed == {"x": "x 1"} else (True, None) if fed == {"x": "x 2"} else (False, None)
        self.assertEqual(self.found(lambda x, y=None: 0, "x", run), ({"x": "x 2"}, None))

    def test_a_pass_that_meets_it_and_ends_early_is_second_best(self):
        def run(fed):
            return (fed["x"] == "x 1", "it ends")
        self.assertEqual(self.found(lambda x: 0, "x", run), ({"x": "x 1"}, "it ends"))

    def test_what_a_message_names_is_given_too(self):
        def run(fed):
            return (True, None) if "grid" in fed else (False, "ValueError: You have to specify grid")
        fed, said = self.found(lambda x, other=None, grid=None: 0, "x", run)
        self.assertEqual((set(fed), said), ({"x", "grid"}, None))

    def test_what_is_none_is_given_where_it_says_where_things_are(self):
        def run(fed):
            return (True, None) if "lengths" in fed else (False, "TypeError: 'NoneType' object is not iterable")
        fed, _ = self.found(lambda x, past_values=None, lengths=None: 0, "x", run)
        self.assertEqual(set(fed), {"x", "lengths"})

    def test_nothing_met_says_so_or_the_last_message(self):
        self.assertEqual(self.found(lambda x: 0, "x", lambda fed: (False, None)), (None, None))
        self.assertEqual(self.found(lambda x: 0, "x", lambda fed: (False, "no")), (None, "no"))

    def test_numbers_are_read_of_inner_configurations_too(self):
        shapes = feed.Shapes({"vision_config": {"image_size": 8, "patch_size": [2, 4]}, "num_channels": 1, "flag": True})
        self.assertEqual(shapes.pairs("image_size"), [(8, 8)])
        self.assertEqual((shapes.pairs("patch_size"), shapes.channels()), ([(2, 4)], [1, 3]))
        self.assertEqual(shapes.pictures()[0], (1, 1, 8, 8))
        several = feed.Shapes({"num_channels": [3, 6], "patch_size": 2, "temporal_patch_size": [1, 2]})
        self.assertEqual((several.channels(), several.patches()[:4]), ([3, 1], [12, 14, 4, 6]))


class Products(unittest.TestCase):
    def test_heads_are_told_from_a_batch_by_the_module(self):
        module = types.SimpleNamespace(num_heads=4)
        for shape, heads in (((1, 4, 7, 8), 4), ((12, 7, 8), 4), ((1, 6, 7, 8), None), ((10, 7, 8), None)):
            self.assertEqual(written.heads_in(module, shape), heads, shape)
        self.assertEqual(written.heads_in(types.SimpleNamespace(), (1, 6, 7, 8)), 6)

    def read(self, equation, a, b):
        got = []
        p = written.product_of("einsum", lambda e, x, y: got.append((e, x.letters, y.letters)) or Axes(e.split("->")[1]), (
            equation, Axes(a), Axes(b)), {})
        return p, got

    def test_a_sum_by_an_equation_is_rows_times_columns(self):
        for equation, a, b, rows in (("bhid,bhjd->bhij", "bhid", "bhdj", "bhij"), ("ibnd,jbnd->bnij", "bnid", "bndj", "bnij"),
                                     ("bnij,jbnd->ibnd", "bnij", "bnjd", "bnid")):
            left, right = equation.split("->")[0].split(",")
            p, got = self.read(equation, left, right)
            self.assertEqual((p.a.letters, p.b.letters), (a, b), equation)
            self.assertEqual(p.rows(p.of(p.a, p.b)).letters, rows, equation)
            self.assertEqual(got, [(equation, left, right)])

    def test_other_sums_are_none(self):
        for equation in ("bhid,jd->bhij", "bhid,bhjd->bh", "bhide,bhjde->bhij"):
            left, right = equation.split("->")[0].split(",")
            self.assertIsNone(self.read(equation, left, right)[0], equation)

    def test_what_is_added_in_the_same_call_may_be_left_out(self):
        got = []
        p = written.product_of("baddbmm", lambda *of, **named: got.append((of, named)), (Axes("c"), Axes("bij"), Axes("bjk")), {"beta": 2})
        p.of(1, 2), p.of(1, 2, 3)
        self.assertEqual([(of[1:], named) for of, named in got], [((1, 2), {"beta": 2})] * 2)
        self.assertIs(got[0][0][0], p.more)
        self.assertEqual(got[1][0][0], 3)
        q = written.product_of("baddbmm", lambda *of, **named: (of, named), (Axes("c"),), {"batch1": Axes("bij"), "batch2": Axes("bjk"), "beta": 2})
        self.assertEqual((q.a.letters, q.b.letters, q.of(1, 2)[1]), ("bij", "bjk", {"beta": 2}))


unittest.main()
