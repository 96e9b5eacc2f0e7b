"""What a question about a site of a live model has of the model's own arguments, without any library:
python3 asked.py FOLDER-OF-ask.py.  A stand-in takes the place of torch, as far as this is asked."""
import sys
import types
import unittest

sys.path.insert(0, sys.argv.pop(1))
torch = types.ModuleType("torch")
torch.is_tensor = lambda v: isinstance(v, list)
torch.zeros_like = lambda v: [0.0] * len(v)
torch.overrides = types.ModuleType("torch.overrides")
torch.overrides.TorchFunctionMode = object
sys.modules.update({"torch": torch, "torch.overrides": torch.overrides})
transformers = types.ModuleType("transformers")
transformers.PretrainedConfig = type("PretrainedConfig", (), {})
sys.modules["transformers"] = transformers
import ask
import sites


class Tokens:
    """An array [1, tokens, 1], or [1, 1, tokens, 1] of which [0] is one, as far as its last tokens are asked for."""
    def __init__(self, rows, batch=False):
        self.rows, self.batch, self.shape = rows, batch, (1,) * (1 + batch) + (len(rows), 1)

    def __getitem__(self, at):
        return Tokens(self.rows) if self.batch else Tokens(self.rows[at[1]])

    def __eq__(self, other):
        return self.rows == other.rows


torch.equal = lambda a, b: a == b


class Asked(unittest.TestCase):
    def test_what_a_cache_holds_is_what_is_attended_with(self):
        ours = Tokens([1, 2, 3, 4, 5])
        for theirs, to, same in (([1, 2, 3], 3, True), ([2, 3, 4], 4, True), ([1, 1, 3], 3, False), ([1, 2, 3, 4], 3, False)):
            self.assertEqual(ask.held(Tokens(theirs, True), ours, to), same, (theirs, to))

    def test_a_site_that_counts_positions_itself_is_not_asked_about_others(self):
        self.assertEqual(ask.asked_of({"rotation": {"own": False}}), [])
        self.assertRaises(sites.Declined, ask.asked_of, {"rotation": {"own": True}})

    def test_the_bias_of_positions_is_taken_off_and_nothing_else(self):
        own = {"position_bias": [0.5, -1.0], "scaling": 0.25, "s_aux": [3.0], "sliding_window": None}
        self.assertEqual(sites.unbiased((None,), own), ([None], {**own, "position_bias": [0.0, 0.0]}))
        self.assertEqual(own["position_bias"], [0.5, -1.0])

    def test_a_question_goes_through_it(self):
        live, got = ask.Live.__new__(ask.Live), []
        live.fed = None

        class Array(list):
            shape = (1, 1, 2, 1)
            def clone(self): return self
            def __setitem__(self, at, value): pass

        def call(module, query, key, value, mask, position_bias):
            got.append(position_bias)
            raise sites.Done
        live.forward = lambda m, attend: attend("here", None, call, Array(), Array(), Array(), (None,), {"position_bias": [2.0]})
        kept = ask.fits
        ask.fits = lambda *_: None
        try:
            live.at_once("here", Array(), Array(), Array(), 0)
        except sites.Done:
            pass
        finally:
            ask.fits = kept
        self.assertEqual(got, [[0.0]])

    def test_a_model_that_is_fed_takes_no_tokens_of_ours(self):
        live = ask.Live.__new__(ask.Live)
        live.fed = {"pixel_values": None}
        self.assertRaises(sites.Declined, live.forward, 11, position_ids=[0])

    def test_a_site_belongs_to_the_configuration_of_the_nearest_module_around_it(self):
        import transformers
        whole, text, vision = (transformers.PretrainedConfig() for _ in range(3))
        whole.text_config, whole.vision_config = text, vision
        modules = {"": whole, "text": text, "text.layers.0.attn": None, "vision": vision, "vision.attn": vision, "head": None}

        class Model:
            config = whole
            def get_submodule(self, name):
                return types.SimpleNamespace(config=modules.get(name))
        for name, path in (("text.layers.0.attn", "text_config"), ("vision.attn", "vision_config"), ("head", "")):
            self.assertEqual(ask.config_path(Model(), name), path, name)

    def test_layers_are_told_by_the_first_number_of_a_name(self):
        for name, layer in (("layers.3.blocks.0.attn", 3), ("block.1.layer.0.SelfAttention", 1), ("attn", 0)):
            self.assertEqual(sites.layer_of(name), layer)


unittest.main()
