"""The program `meridian`: where it is, and how it is run."""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def path():
    """The program: that of MERIDIAN_PROGRAM, else of this package, else of the source tree, else of PATH."""
    said = os.environ.get("MERIDIAN_PROGRAM")
    tree = os.path.join(HERE, "..", "..", "..", "..", "build", "meridian")
    for place in ([said] if said else [os.path.join(HERE, "bin", "meridian"), os.path.normpath(tree)]):
        if os.access(place, os.X_OK):
            return place
    found = None if said else shutil.which("meridian")
    if found and not said:
        with open(found, "rb") as f:
            if f.read(2) != b"#!":  # the console script of this package would only look here again
                return found
    raise FileNotFoundError(f"no program {said or 'meridian'}: MERIDIAN_PROGRAM names one, and `make` builds one")


def run(words, **how):
    """Runs the program and returns (exit status, standard output, standard error)."""
    done = subprocess.run([path(), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", **how)
    return done.returncode, done.stdout, done.stderr


def refused(text):
    """The reason in the line by which the program refused a command, without the program's own name."""
    lines = text.strip().splitlines() or ["it ended without a reason"]
    line = next((line for line in lines if line.startswith("meridian")), lines[-1])
    return line.split(": ", 1)[1] if line.startswith("meridian") and ": " in line else line


def main():
    """The console script: becomes the program."""
    try:
        program = path()
    except FileNotFoundError as e:
        sys.exit(f"meridian: {e}")
    os.execv(program, ["meridian", *sys.argv[1:]])
