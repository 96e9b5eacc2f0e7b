"""Which types harness/adapters/transformers/sample.py draws: python3 sample.py FOLDER-OF-sample.py TABLE."""
import collections
import os
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv.pop(1))
TABLE = sys.argv.pop(1)
sys.path[:] = [p for p in sys.path if p != os.path.dirname(os.path.abspath(__file__))]
import sample


def lines(kind, *facts):
    """The table's lines of a type with one attention and these facts, as pairs."""
    own = [(kind, "-", "class", "C"), (kind, "layers.attn", "attention", "A")]
    return own + [(kind, "layers.attn", *fact) for fact in facts]


def table_of(rows):
    """A table of these lines in a file; the caller removes it."""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv", delete=False) as f:
        f.writelines("\t".join(row + ("source",)) + "\n" for row in rows)
    return f.name


class Sample(unittest.TestCase):
    def drawn(self, rows, least=2):
        path = table_of(rows)
        try:
            return [kind for kind, _ in sample.drawn(sample.types_of(path), least)]
        finally:
            os.unlink(path)

    def families(self):
        """Three families of three types each."""
        rows = []
        for family in ("rope", "alibi", "t5"):
            for k in range(3):
                rows += lines(f"{family}{k}", ("position", family), ("mask", "causal"))
        return rows

    def test_one_of_each_family(self):
        got = self.drawn(self.families())
        self.assertEqual(sorted(kind[:-1] for kind in got), ["alibi", "rope", "t5"])

    def test_what_a_class_is_called_decides_nothing_but_the_member(self):
        rows = lines("a", ("position", "rope"), ("layout", "half")) + lines("b", ("position", "rope"), ("layout", "half"))
        self.assertEqual(len(self.drawn(rows)), 1)
        rows = lines("a", ("position", "rope"), ("layout", "half")) + lines("b", ("position", "rope"), ("layout", "interleaved"))
        self.assertEqual(len(self.drawn(rows, 1)), 2)
        self.assertEqual(self.drawn(rows), [])

    def test_a_new_type_moves_at_most_the_one_of_its_family(self):
        before = self.drawn(self.families())
        for k in range(40):
            after = self.drawn(self.families() + lines(f"new{k}", ("position", "rope"), ("mask", "causal")))
            self.assertEqual(len(after), len(before))
            moved = [(a, b) for a, b in zip(before, after) if a != b]
            self.assertLessEqual(len(moved), 1)
            self.assertTrue(all(a.startswith("rope") and b == f"new{k}" for a, b in moved))

    def test_a_new_family_moves_none(self):
        before = self.drawn(self.families())
        after = self.drawn(self.families() + lines("x", ("position", "swin")) + lines("y", ("position", "swin")))
        self.assertEqual([kind for kind in after if kind in before], before)
        self.assertEqual(len(after), len(before) + 1)

    def test_types_with_parts_and_without_attention_are_none(self):
        rows = lines("whole", ("position", "rope")) + [("whole", "-", "inner.text_config", "part")]
        rows += [("still", "-", "class", "C"), ("*", "layers.attn", "attention", "any")]
        self.assertEqual(self.drawn(rows, 1), [])

    def test_the_table_gives_more_than_are_wanted_and_no_family_twice(self):
        types = sample.types_of(TABLE)
        got = sample.drawn(types, 2)
        self.assertGreater(len(got), 30)
        self.assertEqual(max(collections.Counter(what for _, what in got).values()), 1)
        self.assertEqual({"rope", "learned", "t5", "swin"} - {w.split()[1] for _, what in got for w in what
                         if w.startswith("position")}, set())


if __name__ == "__main__":
    unittest.main()
