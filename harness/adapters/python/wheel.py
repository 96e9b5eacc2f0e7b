"""Writes the wheel of this package, or the same files as a folder: the modules, the program, its data, the table of rows
and the type stub, the last two as that program states them.

    python3 wheel.py --program build/wheel/meridian --version 0.1.0 --out dist [--golden FILE.tar]
    python3 wheel.py --program build/meridian --version 0.1.0 --folder build/python

A wheel is a zip with metadata, so that no build backend is needed and nothing is fetched.  Its platform is read off the
program: the newest version of glibc that a symbol of it asks for.  The same tree and tools write the same bytes: names are
sorted, and times are SOURCE_DATE_EPOCH or 1980."""
import argparse
import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
LINKED = ("gmp", "mpfr", "jansson", "sqlite3", "pcre2", "utf8proc")
MOST = 15 << 20


def read(path):
    with open(path, "rb") as f:
        return f.read()


def modules():
    """The sources: the package and the module beside it."""
    out = {"meridian_subject.py": read(os.path.join(HERE, "meridian_subject.py"))}
    for name in os.listdir(os.path.join(HERE, "meridian")):
        if name.endswith(".py"):
            out["meridian/" + name] = read(os.path.join(HERE, "meridian", name))
    return out


def data():
    """What the program reads.  Recordings of other people's libraries, folders with a pack.json, are not read by it."""
    out, root = {}, os.path.join(TREE, "data")
    for folder, folders, names in os.walk(root):
        if "pack.json" in names:
            folders[:] = []
            continue
        for name in names:
            path = os.path.join(folder, name)
            if not name.startswith(".") and not name.endswith(".pyc"):
                out["meridian/data/" + os.path.relpath(path, root)] = read(path)
    return out


def said(program):
    """The table of rows of this program, and the stub that is made of it."""
    os.environ["MERIDIAN_PROGRAM"] = os.path.abspath(program)
    sys.path.insert(0, HERE)
    from meridian import _stub, _table
    table = _table.ask()
    return {"meridian/table.json": json.dumps(table, separators=(",", ":"), sort_keys=True).encode(),
            "meridian/__init__.pyi": _stub.write(table).encode(), "meridian/py.typed": b""}


def notices():
    """What the libraries inside say of their own terms, as their Debian packages have it."""
    out = {}
    for name in LINKED:
        path = f"/usr/share/doc/lib{name}-dev/copyright"
        if not os.path.exists(path):
            sys.exit(f"wheel: no {path}: the terms of {name}, without which a wheel may not be given away")
        out[f"{name}.txt"] = read(path)
    return out


def glibc(program):
    """The newest glibc that a symbol asks for: "2_34"."""
    asked = subprocess.run(["objdump", "-T", program], check=True, capture_output=True, text=True).stdout
    found = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9.]+)", asked)}
    if not found:
        sys.exit(f"wheel: {program} asks for no version of glibc, so that nothing is known of where it runs")
    needed = subprocess.run(["objdump", "-p", program], check=True, capture_output=True, text=True).stdout
    others = [w for w in re.findall(r"NEEDED +(\S+)", needed) if not re.match(r"(libc|libm|libdl|libpthread|ld-linux)\b", w)]
    if others:
        sys.exit(f"wheel: {program} needs {' '.join(others)}, which a user's machine may lack")
    return "_".join(map(str, max(found)))


def machine(program):
    text = subprocess.run(["objdump", "-f", program], check=True, capture_output=True, text=True).stdout
    return re.search(r"architecture: i386:(\S+?),", text).group(1).replace("-", "_")


def metadata(version):
    lines = ["Metadata-Version: 2.1", "Name: meridian", f"Version: {version}",
             "Summary: The referee for Transformer position encodings and attention: judges callables of numpy, torch and jax",
             "License: MIT", "Requires-Python: >=3.9", "Requires-Dist: numpy", "Classifier: Framework :: Pytest",
             "Classifier: Operating System :: POSIX :: Linux", "Classifier: Typing :: Typed",
             "Description-Content-Type: text/markdown", ""]
    return "\n".join(lines).encode() + b"\n" + read(os.path.join(HERE, "README.md"))


def package(args):
    """All files below site-packages but the metadata, by name."""
    files = {**modules(), **said(args.program)}
    if args.golden:
        files["meridian/golden.tar"] = read(args.golden)
    return files


def folder(args):
    """The files as a folder, with the program and the data as links."""
    shutil.rmtree(args.folder, ignore_errors=True)
    for name, content in package(args).items():
        path = os.path.join(args.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(content)
    os.makedirs(os.path.join(args.folder, "meridian", "bin"))
    os.symlink(os.path.abspath(args.program), os.path.join(args.folder, "meridian", "bin", "meridian"))
    info = os.path.join(args.folder, f"meridian-{args.version}.dist-info")
    os.makedirs(info)  # so that pytest finds the plug-in
    for name, content in described(args.version, "any").items():
        with open(os.path.join(info, name), "wb") as f:
            f.write(content)


def described(version, tag):
    return {"METADATA": metadata(version), "entry_points.txt":
            b"[console_scripts]\nmeridian = meridian._program:main\n\n[pytest11]\nmeridian = meridian.pytest_plugin\n",
            "WHEEL": f"Wheel-Version: 1.0\nGenerator: meridian\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n".encode()}


def wheel(args):
    tag = f"manylinux_{glibc(args.program)}_{machine(args.program)}"
    info = f"meridian-{args.version}.dist-info/"
    files = {**package(args), **data(), "meridian/bin/meridian": read(args.program),
             **{info + name: content for name, content in described(args.version, tag).items()},
             info + "licenses/LICENSE": read(os.path.join(TREE, "LICENSE")),
             **{info + "licenses/" + name: content for name, content in notices().items()}}
    record = []
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(files[name])}\n")
    files[info + "RECORD"] = "".join([*record, f"{info}RECORD,,\n"]).encode()
    os.makedirs(args.out, exist_ok=True)
    path = os.path.join(args.out, f"meridian-{args.version}-py3-none-{tag}.whl")
    when = max(time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", 0)))[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name in sorted(files, key=lambda name: (name.startswith(info), name)):  # the metadata last, as is usual
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = (0o100755 if name == "meridian/bin/meridian" else 0o100644) << 16
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            z.writestr(entry, files[name])
    size = os.path.getsize(path)
    print(f"{path}: {size / 2 ** 20:.2f} MB, {len(files)} files")
    if size > MOST:
        sys.exit(f"wheel: more than {MOST >> 20} MB")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--program", required=True)
    p.add_argument("--version", required=True)
    p.add_argument("--golden")
    p.add_argument("--out")
    p.add_argument("--folder")
    args = p.parse_args()
    if args.folder:
        folder(args)
    if args.out:
        wheel(args)


main()
