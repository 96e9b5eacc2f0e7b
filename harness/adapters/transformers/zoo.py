"""Every model type of data/models/types.tsv against transformers: `make zoo`.

    python3 zoo.py --meridian build/meridian --out build/zoo.tsv [--shard i/n] [--seconds 120] [CONFIG.json ...]

One line a type is appended to the file, and a type that has a line already is not asked again, so that a run that was
killed goes on where it was.  Torch is loaded once; each type is built, asked and judged in a process of its own, forked
from here, with limits of time and memory.  The class' own defaults are the
configuration, or the files that are named are asked instead.  Verdicts that are no pass go to
the same name with .said behind it.  Last comes a table; exit 0 whatever the verdicts are, which are read by a person."""
import argparse
import collections
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

import against

COLUMNS = ("type", "outcome", "sites", "PASS", "FAIL", "CRASH", "VACUOUS", "UNDECIDED", "SKIP", "seconds", "versions",
           "message")
MEMORY, IDLE = 12 << 30, 20  # bytes of a type; its time on the clock may be so many times its time on a processor


def types_of(table):
    """The model types of the table that have a configuration class, in its order."""
    with open(table, encoding="utf-8") as f:
        lines = [line.split("\t") for line in f if not line.startswith("#")]
    return list(dict.fromkeys(line[0] for line in lines if line[0] != "*" and line[1] == "-" and line[2] == "class"))


def one(kind, say, folder):
    """Builds and judges one type or file, in a process of its own; its line is written to the folder."""
    config = kind if kind.endswith(".json") else os.path.join(folder, f"{kind}.json")
    if config != kind:
        with open(config, "w", encoding="utf-8") as f:
            json.dump({"model_type": kind}, f)
    notes, lives = against.prepared(config)
    path = os.path.join(folder, "notes.json")
    against.quiet(path, notes)
    line = {"type": kind, "versions": notes.get("library", ""), "sites": len(notes.get("sites", ())),
            "message": notes.get("refused") or notes.get("ended") or "",
            "outcome": "refused" if "refused" in notes else "no attention" if notes.get("ended") == against.NOTHING else "built"}
    if "refused" not in notes and notes["sites"]:
        back, forth = os.pipe(), os.pipe()  # what it answers; what it is asked
        with open(os.path.join(folder, "verdicts"), "w", encoding="utf-8") as out:
            words = [say.meridian, "model", config, "--against", f"fd:{back[0]},{forth[1]}={path}", "--json"]
            judge = subprocess.Popen(words, stdout=out, stderr=subprocess.DEVNULL, pass_fds=(back[0], forth[1]))
        os.close(back[0]), os.close(forth[1])
        os.dup2(forth[0], 0), os.dup2(back[1], 1)
        os.close(forth[0]), os.close(back[1])
        against.answer(lives, "", notes["library"])
        os.close(1)
        judge.wait()
        line["outcome"] = "judged"
    with open(os.path.join(folder, "line"), "w", encoding="utf-8") as f:
        json.dump(line, f)


def contained(kind, say, folder):
    """The same in a child with limits; returns the line and the verdicts that are no pass."""
    start, child = time.time(), os.fork()
    if child == 0:
        try:
            os.setpgid(0, 0)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (say.seconds, say.seconds + 5))
            with open(os.path.join(folder, "said"), "w", encoding="utf-8") as f:
                os.dup2(f.fileno(), 2)
            one(kind, say, folder)
        finally:
            os._exit(0)
    got = 0
    try:
        while not got and time.time() - start < IDLE * say.seconds:
            got, status, used = os.wait4(child, os.WNOHANG)
            time.sleep(0.05)
    finally:  # also where this program is told to end
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:
            pass
    if not got:
        _, status, used = os.wait4(child, 0)
    line = read(os.path.join(folder, "line"), {"type": kind, "outcome": "ended", "message": (
        f"by {signal.Signals(os.WTERMSIG(status)).name}" if os.WIFSIGNALED(status) else "without a line")})
    verdicts = []
    if os.path.exists(os.path.join(folder, "verdicts")):
        with open(os.path.join(folder, "verdicts"), encoding="utf-8") as f:
            verdicts = [json.loads(text) for text in f if text.startswith("{")]
    line.update(collections.Counter(v.get("verdict") for v in verdicts), seconds=round(used.ru_utime + used.ru_stime, 1))
    if line["outcome"] == "judged" and not line.get("PASS") and not line.get("FAIL"):
        line["outcome"] = "not judged"
        line["message"] = line.get("message") or next((v.get("reason", "") for v in verdicts), "")
    return line, [v for v in verdicts if v.get("verdict") != "PASS"]


def read(path, otherwise):
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except (OSError, ValueError):
        return otherwise


def lines_of(path):
    """The lines that a file has already, as dictionaries."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [dict(zip(COLUMNS, text.rstrip("\n").split("\t"))) for text in f if not text.startswith("#")]


def close(path):
    """Prints the closing table of all lines of the file."""
    lines = lines_of(path)
    outcomes = collections.Counter(line["outcome"] for line in lines)
    counts = {word: sum(int(line[word] or 0) for line in lines) for word in COLUMNS[3:9]}
    print(f"zoo: {len(lines)} types: " + ", ".join(f"{n} {word}" for word, n in outcomes.most_common()))
    able = len(lines) - outcomes["refused"] - outcomes["no attention"]
    print(f"zoo: {outcomes['judged']} of {able} that can be built and attend are judged ({100 * outcomes['judged'] / max(able, 1):.0f} %)")
    print("zoo: verdicts: " + ", ".join(f"{n} {word}" for word, n in counts.items()))
    wrong = [line["type"] for line in lines if int(line["FAIL"] or 0) or int(line["CRASH"] or 0)]
    print(f"zoo: {len(wrong)} types with a FAIL or CRASH: {' '.join(wrong)}")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--meridian", default="build/meridian")
    words.add_argument("--table", default="data/models/types.tsv")
    words.add_argument("--out", default="build/zoo.tsv")
    words.add_argument("--shard", default="1/1")
    words.add_argument("configs", nargs="*")
    words.add_argument("--seconds", type=int, default=120, help="of processor time for one type")
    say = words.parse_args()
    part, of = (int(x) for x in say.shard.split("/"))
    if not 1 <= part <= of:
        sys.exit("zoo: --shard i/n: i from 1 to n")
    say.meridian = os.path.abspath(say.meridian)
    why = against.loaded()
    if why:
        print(f"zoo: not run: {why}", file=sys.stderr)
        sys.exit(77)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    against.warm()
    done = {line["type"] for line in lines_of(say.out)}
    kinds = say.configs or types_of(say.table)
    if not os.path.exists(say.out):
        with open(say.out, "w", encoding="utf-8") as f:
            f.write("# " + "\t".join(COLUMNS) + "\n")
    for kind in kinds[part - 1::of]:
        if kind in done:
            continue
        with tempfile.TemporaryDirectory() as folder:
            line, wrong = contained(kind, say, folder)
        with open(say.out + ".said", "a", encoding="utf-8") as f:
            f.writelines(json.dumps({"model_type": kind, **v}) + "\n" for v in wrong)
        with open(say.out, "a", encoding="utf-8") as f:
            f.write("\t".join(" ".join(str(line.get(c, "")).split()) for c in COLUMNS) + "\n")
        print(f"{kind}: {line['outcome']}, {line.get('PASS', 0)} pass, {line.get('FAIL', 0)} fail, "
              f"{line.get('CRASH', 0)} crash, {line['seconds']} s", flush=True)
    close(say.out)


if __name__ == "__main__":
    main()
