"""The pytest plug-in: a marked function is a subject, one test for each convention, type and family of questions."""
import os
import re
import subprocess
import sys
import pytest

FILE = '''
import pytest, sys
sys.path.insert(0, {here!r})
from subjects import turn

@pytest.mark.meridian(row="rope", layout=["half", "interleaved"], checks="none,ONEHOT,PERM", few=False)
def layouts(x, pos, layout):
    return turn(x, pos, layout)

@pytest.mark.meridian("rope", sizes="n=4")
def test_interleaved(x, pos):
    return turn(x, pos, "interleaved")

@pytest.mark.meridian("rope", types=["f32", "bf16"], sizes="n=4")
def right(x, pos):
    return turn(x, pos).astype(x.dtype)

@pytest.mark.meridian("rope", layuot="half")
def typo(x, pos):
    return x

def test_beside():
    pass
'''


def run(tmp_path, *words, text=FILE):
    (tmp_path / "test_mine.py").write_text(text.format(here=os.path.dirname(__file__)))
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *words, "test_mine.py"],
                          cwd=tmp_path, capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr


def test_each_convention_type_and_family_is_a_test(tmp_path):
    said = run(tmp_path)
    for name in ("layouts[half-f32-ONEHOT]", "layouts[interleaved-f32-PERM]", "right[f32-questions]",
                 "right[bf16-questions]", "test_beside"):
        assert f"PASSED test_mine.py::{name}" in said, said
    assert "FAILED test_mine.py::test_interleaved[f32-questions]" in said
    assert "matches rope.interleaved" in said
    assert re.search(r"^smallest failing case: meridian.judge\(test_interleaved, 'rope'.*sizes='n=4'", said, re.M)
    assert "no parameter 'layuot'; did you mean 'layout'?" in said


def test_a_baseline_is_kept_by_several_processes(tmp_path):
    pytest.importorskip("xdist")
    text = FILE.replace('@pytest.mark.meridian("rope", layuot="half")', "")
    said = run(tmp_path, "-n", "2", "--meridian-baseline", "base.db", text=text)
    assert "1 failed" in said and (tmp_path / "base.db").exists(), said
    again = run(tmp_path, "-n", "2", "--meridian-baseline", "base.db", text=text.replace("turn(x, pos, layout)", "turn(x, pos)"))
    assert "passed on " in again and "FAILED test_mine.py::layouts[interleaved-f32-ONEHOT]" in again, again
    assert "baseline: " in said
