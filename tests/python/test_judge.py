"""Callables judged in process: what is right passes, what is wrong is named in one clear line, and nothing hangs or is left."""
import json
import os
import subprocess
import sys
import threading
import time
from fractions import Fraction
import numpy as np
import pytest
import meridian
from meridian import _program, _table
import subjects

QUICK = dict(few=True, checks="none")


def no_children():
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_what_is_right_passes_and_the_verdict_says_what_was_asked():
    v = meridian.conforms(subjects.right, "rope")
    assert v and v.status == "PASS" and not v.failures and v.counts()["PASS"] > 8
    assert v.asked == {"subject": "right", "row": "rope", "out": ["y"], "types": ["f32"], "profile": {"f32": "f32"},
                       "conventions": {}, "like": "numpy", "isolate": False}
    assert "no profile was stated: every step may round to the element type (f32)" in v.text
    assert {f["quantity"] for f in v.findings} == {"y"} and all("used" in row for row in v.rows() if row["case"] == "COVER")
    no_children()


def test_findings_are_a_table_where_pandas_is():
    pandas = pytest.importorskip("pandas")
    v = meridian.judge(subjects.interleaved, "rope", **QUICK)
    frame = v.frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame["verdict"]) == ["FAIL"] * len(frame) and len(frame) == 2
    frame = meridian.model(CONFIG, contract="hf-f32").frame()
    assert list(frame["params"]) == ["dim=32"] and frame["valid_to.f16"][0] == 16


def test_what_is_wrong_fails_and_the_call_in_the_verdict_fails_again():
    with pytest.raises(AssertionError) as e:
        meridian.conforms(subjects.interleaved, "rope", **QUICK)
    text = str(e.value)
    assert text.startswith("FAIL: interleaved") and "matches rope.interleaved" in text and "repair:" in text
    call = next(line for line in text.splitlines() if line.startswith("  again: ")).removeprefix("  again: ")
    again = eval(call, {"meridian": meridian, "interleaved": subjects.interleaved})
    assert again.status == "FAIL" and again.failures[0]["mistakes"][0]["id"] == "interleaved"
    assert meridian.judge(subjects.interleaved, "rope", layout="interleaved", **QUICK)


def test_a_parameter_that_is_taken_is_asked_with_every_preset_it_stands_for():
    v = meridian.judge(subjects.layouts, "rope", **QUICK)
    asked = {f["params"] for f in v.findings if f["verdict"] == "PASS"}
    assert v and {"layout=interleaved", ""} <= asked
    assert any("it takes no 'rotary' and stands for rotary=0" in why for why in v.declined)


@pytest.mark.parametrize("how", [dict(), dict(isolate=True)], ids=["here", "isolated"])
@pytest.mark.parametrize("f, says", [
    (subjects.raises, "raised KeyError: 'no table' at subjects.py:"),
    (subjects.shape, "returned y of shape [2, 10, 63], asked for [2, 10, 64]"),
    (subjects.dtype, "returned y of type f64, asked for f32"),
    (subjects.view, "returned y as a view of its input x"),
    (subjects.itself, "returned y as its input x"),
    (subjects.mutates, "changed its input x"),
    (subjects.a_list, "returned y as a list, which is no array"),
    (subjects.two, "returned y as a tuple, which is no array"),
], ids=lambda x: getattr(x, "__name__", ""))
def test_an_answer_that_is_none_is_named_in_one_line(f, says, how):
    v = meridian.judge(f, "rope", **QUICK, **how)
    assert v.status == "CRASH" and says in v.text.splitlines()[1], v.text
    assert len(v.failures) == 2  # the next question was asked
    no_children()


def test_answers_that_differ_are_named():
    v = meridian.judge(subjects.twice, "rope", checks="TWICE")
    assert v.status == "FAIL" and "answers differently twice in a row" in v.text


def test_nothing_judged_is_no_pass():
    with pytest.raises(AssertionError, match="(?s)NOTHING.*it returned None.*which is no pass"):
        meridian.conforms(subjects.nothing, "rope", **QUICK)


@pytest.mark.parametrize("f", [subjects.sleeps, subjects.spins, subjects.waits], ids=lambda f: f.__name__)
def test_what_never_returns_is_named_and_given_up(f):
    begun = time.monotonic()
    v = meridian.judge(f, "rope", seconds=1, **QUICK)
    assert v.status == "CRASH" and "hung: no whole answer in 1 s" in v.text and time.monotonic() - begun < 15
    no_children()


def test_a_hang_in_another_thread_is_given_up_too():
    out = []
    t = threading.Thread(target=lambda: out.append(meridian.judge(subjects.spins, "rope", seconds=1, **QUICK)), daemon=True)
    t.start()
    t.join(30)
    assert out and out[0].status == "CRASH" and "hung" in out[0].text


@pytest.mark.parametrize("f, says", [
    (subjects.crashes, "crashed: Segmentation fault"), (subjects.leaves, "left early (exit 5) before it answered"),
    (subjects.sleeps, "hung: killed after 3 s without an answer"), (subjects.forks, "crashed: Segmentation fault"),
], ids=lambda x: getattr(x, "__name__", ""))
def test_in_isolation_crashes_and_hangs_are_contained(f, says):
    v = meridian.judge(f, "rope", seconds=1, isolate=True, **QUICK)
    assert v.status == "CRASH" and says in v.text.splitlines()[1], v.text
    no_children()


def test_in_isolation_the_next_question_is_asked_after_a_crash():
    v = meridian.judge(subjects.crashes_at_ten, "rope", isolate=True, **QUICK)
    assert [f["verdict"] for f in v.findings] == ["CRASH", "PASS"]


def test_a_crash_of_this_process_ends_the_judge(tmp_path):
    program = tmp_path / "dies.py"
    program.write_text(
        "import os, subprocess, meridian\n"
        "was = subprocess.Popen.__init__\n"
        "def tell(self, *a, **k):\n    was(self, *a, **k)\n    print(self.pid, flush=True)\n"
        "subprocess.Popen.__init__ = tell\n"
        "meridian.judge(lambda x, pos: os._exit(7), 'rope')\n")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 7
    end = time.monotonic() + 10
    while os.path.exists(f"/proc/{done.stdout.strip()}") and time.monotonic() < end:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{done.stdout.strip()}")


@pytest.mark.parametrize("how, error, says", [
    (dict(layuot="half"), TypeError, "no parameter 'layuot'; did you mean 'layout'?"),
    (dict(layout="halff"), ValueError, "found 'halff'; did you mean 'half'?"),
    (dict(row="ropee"), ValueError, "did you mean 'rope'?"),
    (dict(types=["f31"]), ValueError, "types: found 'f31'"),
    (dict(out="z"), ValueError, "out of row rope: found 'z'"),
    (dict(dim=None), ValueError, "dim: found None"),
    (dict(dim=7), ValueError, "dim"),
    (dict(profile="phase=f33"), ValueError, "f33"),
    (dict(preset="papper"), ValueError, "did you mean 'paper'?"),
    (dict(like="tensorflow"), ValueError, "like='tensorflow'"),
    (dict(seconds=0), ValueError, "seconds"),
    (dict(grad="numpy"), ValueError, "grad"),
    (dict(sizes="q=3"), ValueError, "sizes"),
])
def test_what_cannot_be_asked_is_refused_with_the_nearest_word(how, error, says):
    with pytest.raises(error, match=".*") as e:
        meridian.judge(subjects.right, **{"row": "rope", **QUICK, **how})
    assert says in str(e.value) and "\n" not in str(e.value)
    no_children()


@pytest.mark.parametrize("f, says", [
    (lambda u, pos: u, "needs 'u'"), (lambda x: x, "takes no 'pos'"), (lambda x, pos, laoyut: x, "did you mean 'layout'?"),
    (3, "a callable is wanted"),
])
def test_a_callable_of_other_arguments_is_refused(f, says):
    with pytest.raises(TypeError) as e:
        meridian.judge(f, "rope")
    assert says in str(e.value)


def test_several_outputs_come_as_a_tuple_or_by_name():
    def tables(pos):
        a = pos[:, None] * 10000.0 ** (-np.arange(0, 64, 2) / 64)
        return np.cos(a).astype(np.float32), np.sin(a).astype(np.float32)
    assert meridian.judge(tables, "rope", "cos sin", **QUICK)
    assert meridian.judge(lambda pos: dict(zip(("cos", "sin"), tables(pos))), "rope", ["sin", "cos"], **QUICK)
    v = meridian.judge(lambda pos: tables(pos)[0], "rope", "cos sin", **QUICK)
    assert "returned one ndarray, asked for 2 arrays: cos sin" in v.text
    v = meridian.judge(lambda pos: {"cos": tables(pos)[0]}, "rope", "cos sin", **QUICK)
    assert "returned a dict without 'sin'" in v.text


def test_half_formats_and_their_profiles():
    def half(x, pos, layout="half"):
        return subjects.turn(np.asarray(x, np.float32), pos, layout).astype(x.dtype)
    v = meridian.judge(lambda x, pos: half(x, pos), "rope", types=["bf16", "f16"], profile="f32", **QUICK)
    assert v and "profile f32" in v.text and {f["verdict"] for f in v.findings} == {"PASS"}
    v = meridian.judge(lambda x, pos: half(x, pos, "interleaved"), "rope", types="bf16", sizes="n=5")
    assert v.status == "FAIL" and v.failures[0]["mistakes"][0]["id"] == "interleaved"
    v = meridian.judge(lambda x, pos: half(x, pos).astype(np.float64), "rope", types=["bf16"], sizes="n=5")
    assert "of type f64, asked for bf16" in v.text


def test_every_row_takes_the_default_profile_in_every_type():
    for name in meridian.rows():
        arrays = {a["name"] for a in next(iter(_table.row(name).quantities.values()))["in"]}
        scope = {}
        exec(f"def declines({', '.join(f'{a}=None' for a in sorted(arrays))}): return None", scope)
        v = meridian.judge(scope["declines"], name, types=["f64", "f32", "f16", "bf16"], checks="none", few=True)
        assert v.status == "NOTHING", v.text


def test_numbers_and_texts():
    one = meridian.exact("rope.cos", dim=128, base=500000, pos=131071, k=1)
    assert str(one).startswith("-0.81731615002386427278") and float(one) == -0.8173161500238643 and one.known
    assert one.fraction == Fraction(str(one)) and one.radius < 1e-40
    line = meridian.exact("rope.cos", dim=8, pos=1)
    assert [v.element for v in line] == [f"cos[0|{k}]" for k in range(4)]
    assert float(meridian.exact("softmax.p", x=[0.5, 0.5], sizes="m=2", k=0)) == 0.5
    assert "loses the most" in meridian.why("rope.cos", "hf-f32", pos=131071, k=1)
    with pytest.raises(TypeError, match="did you mean 'base'"):
        meridian.exact("rope.cos", bsae=2)
    assert "layout" in meridian.describe("rope") and "rope" in meridian.rows()


def test_fingerprint_and_difference():
    said = meridian.fingerprint(subjects.interleaved, "rope")
    assert said and "= layout=interleaved; f32" in said
    said = meridian.diff(subjects.right, subjects.interleaved, "rope")
    assert not said and said.status == 1 and "layout: half against interleaved" in said
    assert meridian.diff(subjects.right, subjects.right, "rope")
    no_children()


def apply_rope(q, positions):
    return subjects.turn(q, positions, "interleaved")


def softcapped(Q, K, V, softcap=0.0):
    s = np.einsum("hnd,hmd->hnm", np.asarray(Q, float), np.asarray(K, float)) / Q.shape[-1] ** 0.5
    s = softcap * np.tanh(s / softcap) if softcap else s
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.einsum("hnm,hme->hne", e / e.sum(-1, keepdims=True), np.asarray(V, float)).astype(np.float32)


def attention(q, k, v):
    return softcapped(q, k, v)


def causal(x, weight, state):
    return x


@pytest.mark.parametrize("f, how, row", [
    (apply_rope, {}, "rope"), (softcapped, {}, "attention"), (attention, {}, "attention"), (causal, {}, "conv"),
    (lambda pos: pos, {}, "sinusoid"), (lambda x, pos: x, dict(low_freq_factor=1), "rope"),
    (lambda q, k: q, dict(out="scores weights"), "attention"), (lambda q, k, v: q, dict(cap=30), "attention"),
    (lambda q, k, v, kr, qr: q, {}, "deberta"), (lambda q, k, v, beta: q, {}, "deltanet"),
], ids=range(10))
def test_the_row_is_found_by_the_signature(f, how, row):
    from meridian import _infer
    assert _infer.row_of([f], how.pop("out", None), how) == row


@pytest.mark.parametrize("ask", [meridian.fingerprint, lambda f: meridian.diff(f, f)], ids=["fingerprint", "diff"])
@pytest.mark.parametrize("f, says", [
    (lambda x, pos: x, "<lambda>(pos, x): may be any of the rows mrope, rope, rope2d, xpos; name the one that is meant: "
                       "row='mrope'"),
    (lambda q, k, v: q, "attention, "), (lambda a, b: a, "no row has these arrays and parameters"),
    (lambda **how: how, "no row has"), (3, "a callable is wanted, found a int"),
], ids=range(5))
def test_a_signature_of_several_rows_or_none_is_refused_with_the_candidates(ask, f, says):
    with pytest.raises(TypeError) as e:
        ask(f)
    assert says in str(e.value) and "\n" not in str(e.value)


def test_fingerprint_and_difference_need_no_row():
    said = meridian.fingerprint(apply_rope)
    assert said and "= layout=interleaved; f32" in said and "rope.y" in said
    said = meridian.diff(apply_rope, subjects.right)
    assert said.status == 1 and "layout: interleaved against half" in said
    with pytest.raises(TypeError, match="no row has"):
        meridian.diff(apply_rope, attention)
    no_children()


def test_the_words_of_other_libraries_are_keywords_too():
    v = meridian.judge(softcapped, "attention", "o", sizes="n=5 m=7 h=2 g=2", cap=3)
    assert v and {f["params"] for f in v.findings} == {"cap=3"}, v.text
    assert meridian.judge(apply_rope, "rope", layout="interleaved", **QUICK)
    v = meridian.judge(apply_rope, "rope", **QUICK)
    assert v.status == "FAIL" and v.failures[0]["mistakes"][0]["id"] == "interleaved"


CONFIG = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 2, "rope_theta": 10000.0,
          "max_position_embeddings": 16}


class Configured:
    def to_dict(self):
        return dict(CONFIG, torch_dtype=np.dtype("float32"))


@pytest.mark.parametrize("form", ["dictionary", "path", "object"])
def test_a_model_is_a_card_and_tables(form, tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(CONFIG))
    m = meridian.model({"dictionary": CONFIG, "path": file, "object": Configured()}[form])
    rc, out, _ = _program.run(["model", str(file), "--json", "--card"])
    card = json.loads(out)["card"]
    assert rc == 0 and m.card["parts"] == card["parts"] and set(m.card) == set(card) and m.card["complete"]
    rc, out, _ = _program.run(["model", str(file), "--json"])
    told = [json.loads(line) for line in out.splitlines()]
    drop = ("seconds", "file", "keys_not_read")
    assert [{k: x for k, x in t.items() if k not in drop} for t in m] == \
        [{k: x for k, x in t.items() if k not in drop} for t in told]
    assert m[0]["params"] == "dim=32" and not meridian.model(CONFIG, tables=False)


@pytest.mark.parametrize("config, says", [({"hidden_size": -1, "model_type": "llama"}, "hidden_size"), ("/", "is no file")])
def test_what_is_no_configuration_is_refused(config, says):
    with pytest.raises(ValueError) as e:
        meridian.model(config)
    assert says in str(e.value) and "\n" not in str(e.value)


def test_a_baseline_says_what_became_worse(tmp_path):
    file = tmp_path / "base.db"
    assert meridian.judge(subjects.right, "rope", baseline=file, name="mine", **QUICK)
    v = meridian.judge(subjects.interleaved, "rope", baseline=file, name="mine", **QUICK)
    assert v.status == "FAIL" and "passed on " in v.text and any(line.startswith("baseline: ") for line in v.notes)


def test_the_stub_has_every_row_and_every_parameter():
    import ast
    path = os.path.join(os.path.dirname(meridian.__file__), "__init__.pyi")
    if not os.path.exists(path):
        pytest.skip("the package was not made: make package")
    with open(path) as f:
        functions = [n for n in ast.parse(f.read()).body if isinstance(n, ast.FunctionDef)]
    for name in ("conforms", "judge", "fingerprint", "diff"):
        found = {}
        for n in functions:
            if n.name == name:
                at = next((a for a in n.args.args if a.arg == "row"), None)
                if at is None:  # the overload that finds the row by itself
                    assert name in ("fingerprint", "diff")
                    continue
                found[at.annotation.slice.value] = {a.arg for a in n.args.kwonlyargs}
        assert set(found) == set(meridian.rows())
        assert all(set(_table.row(row).params) <= names for row, names in found.items())


def test_the_program_in_the_readme_does_what_it_says(capsys, tmp_path):
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "..", "..", "harness", "adapters", "README.md")) as f:
        blocks = f.read().split("```python\n")[1:]
    scope, blocks = {}, [block.split("```")[0] for block in blocks]
    exec(blocks[0], scope)
    scope["test_rope"]()
    said = capsys.readouterr().out
    for words in ("FAIL: my_rope", "matches rope.half", "frequency law", "loses the most", "'params': 'dim=32'", "rotary encoding"):
        assert words in said, said
    (tmp_path / "test_readme.py").write_text("\n".join(blocks))
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-k", "questions or PERM",
                           "test_readme.py"], cwd=tmp_path, capture_output=True, text=True)
    for name in ("half-f32-questions", "interleaved-f32-questions", "half-f32-PERM"):
        assert f"PASSED test_readme.py::rope[{name}]" in done.stdout, done.stdout
    assert done.returncode == 0


def test_descriptors_that_are_none_are_refused():
    from meridian import _program
    for word in ("fd:5", "fd:300,301=x", "fd:1,1=x", "fd:x"):
        rc, _, err = _program.run(["judge", word])
        assert rc == 2 and len(err.splitlines()) == 1 and "fd:" in err
