"""Building for mutants: the objects of the tree, in the place of each mutated file's one that holds all its mutants (schemata.py), and the tests, with a
server (serve.c) in the place of Criterion's runner.  The program itself is linked of the same objects for the tests that start it."""
import glob
import hashlib
import os
import re
import subprocess

B = os.environ.get('B', 'build')
HERE = os.path.dirname(os.path.abspath(__file__))
CC = os.environ.get('CC', 'cc')
FLAGS = os.environ.get('MUTANT_FLAGS', '').split()
OBJECTS = os.environ.get('MUTANT_OBJECTS', '').split()
TESTS = os.environ.get('MUTANT_TESTS', '').split()
LIBS = os.environ.get('MUTANT_LIBS', '').split()
# beside the reference: its headers with arithmetic, the comparison and the verdict
MORE = ['ref/core/arith/up.h', 'ref/core/ball/make.h', 'harness/compare/ball_share.c', 'harness/compare/compare.c', 'harness/judge/finding.c',
        'harness/judge/verdict.c']
ROOM = os.path.join(B, 'mutants')


# what is searched with a seed is asked with a kept one, as in make test: a fault is not to be found by the day
os.environ.setdefault('SEED', '20261123')
# a test of this tool runs within Criterion, whose words to its own children must not reach a second one
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith('BXF')}
ENVIRONMENT['LC_ALL'] = 'C'


class Broken(Exception):
    """The tool cannot go on: what, and what to do."""


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, **more)


def sources():
    """What is mutated: the reference (pages, balls, ruler and their headers with arithmetic), the comparison and the verdict."""
    words = ('param', 'question', 'called', 'need', 'self_test', 'step')  # parameters' text, messages and room; the ruler's own test
    core = [f for f in glob.glob('ref/core/*/*.c') if os.path.basename(f)[:-2] not in words]
    return sorted(glob.glob('ref/*.c') + core + [f for f in MORE if os.path.exists(f)])


def newer(target, of):
    """Whether the target stands and nothing that it is made of is younger."""
    return os.path.exists(target) and all(os.path.getmtime(f) <= os.path.getmtime(target) for f in of)


def must(command, what):
    done = run(command)
    if done.returncode:
        raise Broken('%s: %s' % (what, done.stderr.strip()[:600]))


def compile_object(source, target, *more):
    """Compiles one file; the compiler's message where it refuses, else None."""
    done = run([CC, *[m for m in more if m.startswith('-I')], *FLAGS, *[m for m in more if not m.startswith('-I')], '-c', '-o', target, source])
    return None if done.returncode == 0 else done.stderr.strip()[:300] or 'the compiler failed'


def read(path):
    with open(path) as f:
        return f.read()


def own_text(*names):
    return [read(os.path.join(HERE, n)) for n in names]


def put(path, text):
    """Writes a file where it is not there with that text."""
    if not os.path.exists(path) or read(path) != text:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as f:
            f.write(text)


def text_of_headers():
    """What the headers with declared functions say: the digest of all."""
    folder, h = os.path.join(ROOM, 'headers'), hashlib.sha256()
    for at, _, names in sorted(os.walk(folder)):
        for n in sorted(names):
            h.update(read(os.path.join(at, n)).encode())
    return h.hexdigest()


def speaks(source, headers):
    """Whether a file calls an inline function of a mutated header: its name is there, and the header is read with it."""
    made_of = os.path.join(B, source[:-2] + '.d')
    return any(words.search(read(source)) and (not os.path.exists(made_of) or h in read(made_of)) for h, words in headers.items())


def again(objects, headers):
    """The objects, those in the place of which one stands that calls what is inline in a header through its slot."""
    found, stamp = [], text_of_headers()
    for o in objects:
        source = os.path.relpath(o, B)[:-2] + '.c'
        if source.startswith('fast/') or not os.path.exists(source) or not speaks(source, headers):
            found.append(o)
            continue
        target = os.path.join(ROOM, re.sub(r'\W', '_', source) + '.again')
        text = hashlib.sha256((stamp + read(source) + ' '.join(FLAGS)).encode()).hexdigest()
        if not os.path.exists(target + '.o') or not newer(target + '.o', [o]) or not os.path.exists(target) or read(target) != text:
            wrong = compile_object(source, target + '.o', '-I' + os.path.join(ROOM, 'headers'))
            if wrong:
                raise Broken('%s: %s' % (source, wrong))
            put(target, text)
        found.append(target + '.o')
    return found


def link(objects, headers):
    """The server of tests and, where the tree has one, the program.  `objects`: {source: the object with its mutants}; `headers`: {a mutated header: a pattern of
    its functions' names}."""
    room = open_room()
    there = {os.path.relpath(o, B)[:-2] + '.c': o for o in OBJECTS}
    lib = [objects.pop(s, None) or o for s, o in sorted(there.items())]
    lib = again(lib, headers) + sorted(objects.values())
    own = []
    for name in ('plant', 'serve'):
        own.append(os.path.join(ROOM, name + '.o'))
        if not newer(own[-1], [os.path.join(HERE, f) for f in (name + '.c', 'plant.h')]):
            must([CC, '-std=c11', '-D_GNU_SOURCE', '-O2', '-c', '-o', own[-1], os.path.join(HERE, name + '.c')], name)
    alarm, main = os.path.join(room, B, 'alarm'), os.path.join(room, B, 'meridian')
    plain, tests = ['-no-pie', '-Wl,--strip-debug'], again(TESTS, headers)
    if not newer(alarm, lib + tests + own):
        must([CC, *plain, '-o', alarm, *lib, *own, *tests, *LIBS], 'the tests')
    entry = os.path.join(B, 'harness/core/main.o')
    if os.path.exists(entry) and not newer(main, lib + own):
        must([CC, *plain, '-o', main, *lib, own[0], entry, *LIBS], 'the program')
    return room


def open_room():
    """A folder that looks like the tree to a test, with programs of its own; its path."""
    room = os.path.abspath(os.path.join(ROOM, 'room'))
    os.makedirs(os.path.join(room, B), exist_ok=True)
    wanted = {e: os.path.abspath(e) for e in os.listdir('.') if e not in (B.split('/')[0], '.git')}
    wanted.update({os.path.join(B, e): os.path.abspath(os.path.join(B, e)) for e in os.listdir(B) if e not in ('mutants', 'alarm', 'meridian')})
    for at in ('', B):
        for e in os.listdir(os.path.join(room, at)):
            path = os.path.join(room, at, e)
            if os.path.islink(path) and os.readlink(path) != wanted.get(os.path.join(at, e)):
                os.unlink(path)
    for e, path in wanted.items():
        if not os.path.lexists(os.path.join(room, e)):
            os.symlink(path, os.path.join(room, e))
    return room
