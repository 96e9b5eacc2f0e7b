"""Building for mutants: everything but the mutated file is one shared library that is linked once; a mutant is one object in a library of its
own that the loader asks first, so that its functions stand for those of the same name.  Nothing else is linked again."""
import glob
import os
import shutil
import subprocess

B = os.environ.get('B', 'build')
HERE = os.path.dirname(os.path.abspath(__file__))
CC = os.environ.get('CC', 'cc')
FLAGS = os.environ.get('MUTANT_FLAGS', '').split()
OBJECTS = os.environ.get('MUTANT_OBJECTS', '').split()
TESTS = os.environ.get('MUTANT_TESTS', '').split()
LIBS = os.environ.get('MUTANT_LIBS', '').split()
# beside the reference: its headers with arithmetic, the comparison and the verdict
MORE = ['ref/core/ball/up.h', 'ref/core/ball/make.h', 'harness/compare/compare.c', 'harness/judge/verdict.c']
ROOM = os.path.join(B, 'mutants')


# a test of this tool runs within Criterion, whose words to its own children must not reach a second one
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith('BXF')}


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


def link_whole():
    """The library of everything, an empty one in front of it, and the two programs that ask them; only what is out of date is made."""
    os.makedirs(ROOM, exist_ok=True)
    whole, empty = os.path.join(ROOM, 'libsubject.so'), os.path.join(ROOM, 'libmutant.so')
    if not newer(whole, OBJECTS):
        must([CC, '-shared', '-Wl,--strip-debug', '-o', whole, *OBJECTS, *LIBS], 'the library of all objects')
    if not os.path.exists(empty):
        must([CC, '-shared', '-x', 'c', '/dev/null', '-o', empty], 'an empty library')
    both = ['-Wl,--no-as-needed', '-L' + ROOM, '-lmutant', '-lsubject', '-Wl,-rpath,$ORIGIN', '-Wl,--strip-debug']
    # kernels are hidden in a shared library (they ship in one of their own), so a test that names one has it in the program
    kernels = [f for f in OBJECTS if f.startswith(os.path.join(B, 'fast/'))]
    archive = os.path.join(ROOM, 'libkernels.a')
    if kernels and not newer(archive, kernels):
        must(['ar', 'rcs', archive, *kernels], 'the archive of kernels')
    alarm, main = os.path.join(ROOM, 'alarm'), os.path.join(ROOM, 'meridian')
    if not newer(alarm, TESTS + [whole]):
        must([CC, '-o', alarm, *TESTS, *both, *([archive] if kernels else []), '-lcriterion', *LIBS], 'the tests')
    if not newer(main, [whole]) and os.path.exists(os.path.join(B, 'harness/core/main.o')):
        must([CC, '-o', main, os.path.join(B, 'harness/core/main.o'), *both, *([archive] if kernels else []), *LIBS], 'the program')


def compile_object(source, target, *more):
    """Compiles one file; the compiler's message where it refuses, else None."""
    done = run([CC, *[m for m in more if m.startswith('-I')], *FLAGS, *[m for m in more if not m.startswith('-I')], '-c', '-o', target, source])
    return None if done.returncode == 0 else done.stderr.strip()[:300] or 'the compiler failed'


def link_mutant(objects, target):
    must(['ld', '-shared', '-o', target + '.new', *objects], 'a mutant')
    os.replace(target + '.new', target)


def flat(path):
    """A name for a source that no other has, without folders."""
    return os.path.basename(path) if path.endswith('.h') else path.replace('/', '_')


def link_reach():
    """The mutated files once more with a mark at every basic block, as a library in the mutant's place."""
    folder = os.path.join(ROOM, 'reach')
    os.makedirs(folder, exist_ok=True)
    objects = []
    for f in sources():
        if f.endswith('.c'):
            named = os.path.join(folder, flat(f))  # the line table knows files by their last name, and two have the same
            shutil.copy(f, named)
            target = named[:-2] + '.o'
            wrong = compile_object(named, target, '-O0', '-g1', '-fsanitize-coverage=trace-pc', '-I' + os.path.dirname(f))
            if wrong:
                raise Broken('%s: %s' % (f, wrong))
            objects.append(target)
    own = os.path.join(folder, 'reach.o')
    must([CC, '-std=gnu11', '-O1', '-fPIC', '-c', '-o', own, os.path.join(HERE, 'reach.c')], 'the marks')
    target = os.path.join(folder, 'libmutant.so')
    must([CC, '-shared', '-o', target, *objects, own], 'the library with marks')
    return target


def open_room(name):
    """A folder that looks like the tree to a test, with programs of its own, so that mutants side by side do not meet; its path."""
    room = os.path.abspath(os.path.join(ROOM, name))
    shutil.rmtree(room, ignore_errors=True)
    os.makedirs(os.path.join(room, B))
    for entry in os.listdir('.'):
        if entry not in (B.split('/')[0], '.git'):
            os.symlink(os.path.abspath(entry), os.path.join(room, entry))
    for entry in os.listdir(B):
        if entry not in ('mutants', 'alarm', 'meridian') and not os.path.isdir(os.path.join(B, entry)):
            os.symlink(os.path.abspath(os.path.join(B, entry)), os.path.join(room, B, entry))
    for entry in ('alarm', 'meridian', 'libsubject.so'):
        if os.path.exists(os.path.join(ROOM, entry)):
            os.link(os.path.join(ROOM, entry), os.path.join(room, B, entry))
    shutil.copy(os.path.join(ROOM, 'libmutant.so'), os.path.join(room, B, 'libmutant.so'))
    return room
