"""What harness/adapters/transformers/cut.py makes of configurations, without any library: python3 cut.py FOLDER-OF-cut.py."""
import json
import math
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
import cut

LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
         "num_hidden_layers": 32, "vocab_size": 32000, "intermediate_size": 11008, "bos_token_id": 1, "pad_token_id": 31999,
         "max_position_embeddings": 131072, "rope_theta": 500000.0, "tie_word_embeddings": False}


class Cut(unittest.TestCase):
    def small(self, full, said=None):
        said = full if said is None else said
        return cut.applied(said, cut.cut(full, said))

    def test_heads_keep_their_width_and_their_groups(self):
        s = self.small(LLAMA)
        self.assertEqual((s["num_attention_heads"], s["num_key_value_heads"], s["hidden_size"]), (4, 2, 512))
        self.assertEqual(s["head_dim"], 128)

    def test_numbers_that_are_not_finite_are_read_in_both_spellings(self):
        text = '{"a": [0.0, {"__float__": "Infinity"}, Infinity], "b": {"__float__": "-Infinity"}, "c": {"__float__": 1}, "d": {}}'
        self.assertEqual(json.loads(text, object_hook=cut.number),
                         {"a": [0.0, math.inf, math.inf], "b": -math.inf, "c": {"__float__": 1}, "d": {}})

    def test_what_says_positions_is_left(self):
        s = self.small(LLAMA)
        self.assertEqual([s[k] for k in ("max_position_embeddings", "rope_theta", "tie_word_embeddings")], [131072, 5e5, False])

    def test_tokens_lie_in_the_vocabulary(self):
        s = self.small(LLAMA)
        self.assertLess(max(s["bos_token_id"], s["pad_token_id"]), s["vocab_size"])

    def test_layers_show_every_kind(self):
        kinds = ["sliding_attention"] * 5 + ["full_attention"]
        s = self.small({**LLAMA, "num_hidden_layers": 30, "layer_types": kinds * 5, "sliding_window": 4096})
        self.assertEqual((s["num_hidden_layers"], s["layer_types"], s["sliding_window"]), (6, kinds, cut.WINDOW))

    def test_a_period_is_no_window_and_decides_the_layers(self):
        s = self.small({**LLAMA, "sliding_window_pattern": 6, "sliding_window": 1024})
        self.assertEqual((s["sliding_window_pattern"], s["num_hidden_layers"], s["sliding_window"]), (6, 6, cut.WINDOW))

    def test_layers_from_which_on_a_window_holds_stay_inside(self):
        s = self.small({**LLAMA, "max_window_layers": 28, "use_sliding_window": True})
        self.assertEqual((s["max_window_layers"], s["num_hidden_layers"]), (1, 2))
        self.assertIs(s["use_sliding_window"], True)

    def test_keys_that_the_file_lacks_are_cut_and_lists_are_not_written_down(self):
        full = {**LLAMA, "layer_types": ["full_attention"] * 32}
        s = self.small(full, {"model_type": "llama"})
        self.assertEqual(s["hidden_size"], 512)
        self.assertNotIn("layer_types", s)

    def test_parts_are_cut_and_told(self):
        full = {"model_type": "pair", "text_config": dict(LLAMA)}
        changes = cut.cut(full, full)
        self.assertEqual(cut.applied(full, changes)["text_config"]["hidden_size"], 512)
        self.assertIn("text_config.hidden_size 4096 -> 512", cut.told(full, changes))
        self.assertEqual(full["text_config"]["hidden_size"], 4096)

    def test_a_key_is_not_said_twice(self):
        s = cut.applied({"num_attention_heads": 8}, {("n_head",): 4}, {"num_attention_heads": "n_head"})
        self.assertEqual(s, {"n_head": 4})

    def test_one_key_head(self):
        s = self.small({**LLAMA, "num_key_value_heads": 1})
        self.assertEqual((s["num_attention_heads"], s["num_key_value_heads"], s["hidden_size"]), (2, 1, 256))


unittest.main()
