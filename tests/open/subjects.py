"""make power-numpy: single faults that nobody wrote down (arrays.py), planted in the example subjects in numpy, each asked of the default
`meridian judge`, as the process that its author would run.

    python3 tests/open/subjects.py [--faults N] [--seed WORD] [--half work|unseen|both] [--examples A,B] [--seconds S] [--table] [--list]

First the subject and its fault answer the same questions, drawn at random and written by `meridian export`, in this process.  What answers
each with the same numbers, up to rounding, is no fault; nor is what raises.  The others are judged.  What the judge refuses is caught, what it
passes has ESCAPED: both answers are known to differ.  A fault is named where one cause explains every failure of an output.  A name is tried:
another run of the judge with another seed must find the same cause, or one of the same class; where it finds another, the name was WRONG, and
where it finds none, it is no name.  Names of a class stand with commas between them; = joins those that are one cause in other words, since
they give the same numbers in every question (part.h).

Half of the faults, by their tag, is for working (`work`); the other half (`unseen`) gives the figure and is not to be looked at singly.
Results go to BUILD/open/subjects.tsv; a run goes on where the last one stopped, while the subject and the judge are the same.
Exit: 0 the table is printed; 1 a subject without a fault is refused; 2 bad usage or no build; 77 no numpy."""
import sys
sys.dont_write_bytecode = True  # the tree stays as it is
import argparse
import collections
import datetime
import hashlib
import inspect
import json
import os
import random
import re
import shutil
import subprocess
import time
import types

import arrays
try:
    import numpy as np
except ImportError:
    print('no numpy here: python3 -m pip install numpy')
    sys.exit(77)

B = os.environ.get('B', 'build')
ROOM = os.path.join(B, 'open')
PROGRAM = os.path.join(B, 'meridian')
EXAMPLES = 'harness/adapters/examples'
QUESTIONS, ANOTHER_SEED = 60, 977
# So many of them have to be answered: with fewer, what a fault changes is taken for nothing.  A subject that answers few presets is asked up to MOST.
LEAST, MOST = 10, 600
# beside both answers' own rounding: what differs by less in every element of every question is a fault of precision, which this does not ask
STRUCTURE = 1e-3
LENGTHS = list(range(1, 13)) + [15, 16, 17, 31, 33, 63, 65, 127, 129]
CAUGHT, ESCAPED, SAME, RAISES, OPEN = 'caught', 'ESCAPED', 'same', 'raises', 'no verdict'


def run(words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def functions_of(text):
    """[(declaration, function)] of a subject: its own module, asked in this process."""
    import meridian_subject
    captured = []

    def kernel(row, out, type, profile, **claims):
        def declare(f):
            captured.append((dict(row=row, out=out, type=type), f))
            return f
        return declare
    stub = types.ModuleType('meridian_subject')
    stub.__dict__.update({k: v for k, v in meridian_subject.__dict__.items() if not k.startswith('__')})
    stub.kernel, stub.serve = kernel, lambda name: None
    kept = sys.modules['meridian_subject']
    sys.modules['meridian_subject'] = stub
    try:
        exec(compile(text, 'subject', 'exec'), {'__name__': 'subject'})
    finally:
        sys.modules['meridian_subject'] = kept
    return captured


def shown(row):
    """({output: (letters, optional inputs)}, presets) as `meridian show` says them."""
    outs, presets, part = {}, [], ''
    for line in run([PROGRAM, 'show', row]).stdout.split('\n'):
        if line and not line.startswith(' '):
            part = line.strip()
        elif part == 'quantities' and '->' in line:
            left, right = line.split('->')
            letters = sorted(set(re.findall(r'\b[a-z]\b', ' '.join(re.findall(r'\[([^]]*)\]', line)))))
            outs[right.strip().split('[')[0].split()[-1]] = (letters, re.findall(r'(\w+)\?', left))
        elif part == 'presets' and line.startswith('  '):
            presets.append(re.split(r'\s{2,}', line.strip())[0])
    return outs, presets


def export(kernel, out, preset, words, seed, folder):
    """Writes a question; sizes that the preset's parameters set otherwise are left to them."""
    while True:
        said = run([PROGRAM, 'export', kernel['row'], out, '--preset', preset, '--type', kernel['type'], '--sizes', ' '.join(words),
                    '--seed', str(seed), '--out', folder, '--reference']).stderr
        left = re.search(r'sizes say (\w+)=', said)
        kept = [w for w in words if not left or w.split('=')[0] != left.group(1)]
        if len(kept) == len(words):
            return
        words = kept


def questions_of(kernel, f):
    """[(params, arrays, shapes)] of a kernel: presets, sizes and those optional inputs that f takes at random, kept in a folder."""
    takes = inspect.signature(f).parameters
    outs, presets = shown(kernel['row'])
    out = kernel['out'].split()
    letters = sorted(set(x for o in out for x in outs[o][0]))
    optional = [x for x in outs[out[0]][1] if all(x in outs[o][1] for o in out) and x in takes]
    draw, found, answered = random.Random('%s %s' % (kernel['row'], kernel['out'])), [], 0
    for k in range(MOST):
        if k >= QUESTIONS and answered >= LEAST:
            break
        size = {x: draw.choice(LENGTHS) for x in letters}
        if 'g' in size and 'h' in size:
            size['g'] = draw.choice((1, 2, 3))
            size['h'] = size['g'] * draw.choice((1, 2, 3))
        elif 'h' in size:
            size['h'] = draw.choice((1, 2, 3, 5))
        words = ['%s=%d' % x for x in size.items()] + [x for x in optional if draw.random() < 0.5]
        words += [draw.choice(('plain', 'probe', 'normal', 'uniform'))]
        words = [w for w in words if w != 'plain']
        preset = draw.choice(presets)
        name = hashlib.sha256(' '.join([kernel['row'], *out, preset, *words, str(k)]).encode()).hexdigest()[:12]
        folder = os.path.join(ROOM, 'questions', '%s-%s-%s' % (kernel['row'], '-'.join(out), name))
        for o in out:
            if not os.path.exists(os.path.join(folder, o)):
                os.makedirs(folder, exist_ok=True)
                export(kernel, o, preset, words, 100 + k, os.path.join(folder, o))
        for question in read_question(folder, out):
            found.append(question)
            answered += offered(f, *question[:2]) is not None
    return found


def read_question(folder, out):
    """A question of several outputs is exported once for each, with the same inputs."""
    load = {'in': {}, 'out': {}}
    for o in out:
        try:
            with open(os.path.join(folder, o, 'pack.json')) as f:
                case = json.load(f)['cases'][0]
        except (OSError, ValueError, IndexError):
            return []
        for k in load:
            load[k].update({n: np.load(os.path.join(folder, o, p)) for n, p in case[k].items()})
    import meridian_subject
    params = meridian_subject.Params(case['params'])
    params.shape = {o: load['out'][o].shape for o in out}
    return [(params, load['in'], load['out'])]


def asked(f, params, given):
    """The answer as a list of arrays; None: not offered.  An answer of another shape than is asked raises, as it does in the adapter of a process."""
    given = {k: v.copy() for k, v in given.items()}
    for v in given.values():
        v.flags.writeable = False
    y = f(params, **given)
    y = None if y is None else [np.asarray(v) for v in (y if isinstance(y, tuple) else (y,))]
    if y is not None and [v.shape for v in y] != list(params.shape.values()):
        raise ValueError('another shape')
    return y


def offered(f, params, given):
    """The same; None, too, where f does not take an input of the question."""
    try:
        return asked(f, params, given)
    except TypeError as e:
        if 'argument' in str(e):
            return None
        raise


def answers(functions, questions):
    """{(kernel, question): answer} of all questions that are offered."""
    found = {}
    for k, (kernel, f) in enumerate(functions):
        for q, (params, given, _) in enumerate(questions[k]):
            y = offered(f, params, given)
            if y is not None:
                found[k, q] = y
    return found


def differs(x, y):
    """Whether two answers differ by more than rounding, in any element: infinities and NaN in their places, too."""
    for a, b in zip(x, y):
        if a.shape != b.shape:
            return True
        a, b = a.astype(float), b.astype(float)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        with np.errstate(all='ignore'):
            top = np.nanmax(np.where(np.isfinite(a), np.abs(a), 0)) if a.size else 0
            if not (same | (np.abs(a - b) <= STRUCTURE * top)).all():
                return True
    return False


def screened(text, questions, right):
    """What a fault does to the questions: None where it must be judged, or why it need not be."""
    try:
        with np.errstate(all='ignore'):
            theirs = answers(functions_of(text), questions)
    except Exception:
        return RAISES
    if set(theirs) != set(right):
        return RAISES
    try:
        return None if any(differs(right[k], theirs[k]) for k in right) else SAME
    except Exception:
        return RAISES


def judged(path, seed):
    """(verdict, {output: set of names that explain each of its failures, or nothing}, {output: names for one cause}, seconds)"""
    start = time.monotonic()
    command = [PROGRAM, 'judge', '--exec', '%s %s' % (sys.executable, path), '--json', '--seed', str(seed)]
    try:
        done = run(command, timeout=600)
    except subprocess.TimeoutExpired:
        return 'time', {}, {}, time.monotonic() - start
    bad = [o for o in map(json.loads, (x for x in done.stdout.split('\n') if x.startswith('{'))) if o.get('verdict') in ('FAIL', 'CRASH')]
    verdict = 'pass' if done.returncode in (0, 77) else 'fail' if bad else 'exit %d' % done.returncode
    causes, one = {}, {}
    for o in bad:
        out = '%s.%s' % (o['row'], o['quantity'])
        names = causes.setdefault(out, None)
        if 'mistakes' in o:
            here = set()
            if o['mistakes'] and o['mistakes'][0].get('says_nothing'):  # what explains the other failures contradicts nothing here
                continue
            for a in o['mistakes'][:1]:
                if a.get('spellings'):
                    one.setdefault(out, set()).update([a['id']], a['spellings'].split(', '))
                if a['kind'] != 'partial':
                    here = {a['id'] + ('+' + a['second'] if a['second'] else '')} | set(x for x in a.get('class', '').split(', ') if x) | set(x for x in [a.get('cause')] if x)
            # what explains every failure so far takes the place of what explained the earlier ones
            causes[out] = here if names is None or (not names & here and o['mistakes'] and o['mistakes'][0].get('of_all_failures')) else names & here
    return verdict, {o: n or set() for o, n in causes.items()}, one, time.monotonic() - start


def listed(names, one):
    """Names with commas between; those for one cause with = between."""
    words = ' = '.join(sorted(names & one))
    return ', '.join(sorted(names - one) + [words] * bool(words)) or 'no name'


def ask_one(path):
    """[verdict, where, names, of how many outputs, named, wrong, seconds]"""
    verdict, causes, one, seconds = judged(path, 1)
    if verdict != 'fail':
        return [ESCAPED if verdict == 'pass' else OPEN, '-', '-' if verdict == 'pass' else verdict, 0, 0, 0, seconds]
    named = {o: n for o, n in causes.items() if n}
    wrong = 0
    if named:
        _, again, _, _ = judged(path, ANOTHER_SEED)
        wrong = sum(1 for o in named if again.get(o) and not named[o] & again[o])
        named = {o: n for o, n in named.items() if o not in again or again[o]}
    # Several words for one cause stand as one, with = between them.
    says = '; '.join('%s: %s' % (o, listed(n, one.get(o, set()))) for o, n in sorted(causes.items()))
    return [CAUGHT, ' '.join(sorted(causes)), says, len(causes), len(named), wrong, seconds]


def half_of(tag):
    return 'work' if int(tag[0], 16) % 2 == 0 else 'unseen'


def options():
    p = argparse.ArgumentParser(prog='subjects.py', description='faults that nobody wrote down, in numpy, asked of the default judge')
    p.add_argument('--faults', type=int, default=100, help='so many of each example, half of them of code, half of arrays, drawn by the seed')
    p.add_argument('--seed', default=None, help='a word; the default is the day')
    p.add_argument('--half', default='both', choices=('work', 'unseen', 'both'))
    p.add_argument('--examples', default='', help='names with commas between; the default is every *_numpy.py')
    p.add_argument('--seconds', type=float, default=1e9, help='stop after that time; what is judged is kept')
    p.add_argument('--list', action='store_true', help='print the faults and judge none')
    p.add_argument('--table', action='store_true', help='the table of what was judged, and judge none')
    a = p.parse_args()
    a.seed = a.seed or datetime.date.today().isoformat()
    a.examples = a.examples.split(',') if a.examples else sorted(f[:-9] for f in os.listdir(EXAMPLES) if f.endswith('_numpy.py'))
    return a


def drawn(text, name, a):
    """The faults that are asked, most of them screened away before they are judged: of every kind as many, by the seed."""
    key = lambda f: hashlib.sha256(('%s %s %s' % (a.seed, name, f.tag)).encode()).hexdigest()
    found = sorted((f for f in arrays.faults_of(text) if a.half in ('both', half_of(f.tag))), key=key)
    kinds = [[f for f in found if f.of_array == k] for k in (False, True)]
    return [f for pair in zip(*kinds) for f in pair]


def table(results):
    print('%-12s %7s %7s %7s %7s %7s %10s %7s %7s %8s' % ('example', 'asked', 'raises', 'same', 'faults', 'caught', 'no verdict', 'named', 'WRONG', 'ESCAPED'))
    total = collections.Counter()
    for name in sorted({r[1] for r in results}):
        c = collections.Counter()
        for r in results:
            if r[1] == name:
                c['n'] += 1
                c[r[4]] += 1
                c['named'] += r[4] == CAUGHT and r[7] == r[8] and r[9] == '0'
                c['wrong'] += r[4] == CAUGHT and r[9] != '0'
        c['real'] = c[CAUGHT] + c[ESCAPED] + c[OPEN]
        print('%-12s %7d %7d %7d %7d %7d %10d %7d %7d %8d' % (name, c['n'], c[RAISES], c[SAME], c['real'], c[CAUGHT], c[OPEN], c['named'], c['wrong'], c[ESCAPED]))
        total += c
    n = max(total['real'], 1)
    print('%d faults: %d escaped (%.1f %%); %d named as another seed names them (%.0f %%), %d otherwise (%.1f %%)' % (
        total['real'], total[ESCAPED], 100 * total[ESCAPED] / n, total['named'], 100 * total['named'] / n, total['wrong'], 100 * total['wrong'] / n))


def stamp_of(text):
    h = hashlib.sha256(text.encode())
    with open(PROGRAM, 'rb') as f:
        h.update(f.read())
    return h.hexdigest()[:12]


def main():
    a = options()
    if not os.path.exists(PROGRAM):
        print('power-numpy: %s is not built; run it as `make power-numpy`' % PROGRAM, file=sys.stderr)
        return 2
    os.makedirs(os.path.join(ROOM, 'questions'), exist_ok=True)
    sys.path.insert(0, 'harness/adapters/python')
    os.environ['PYTHONPATH'] = 'harness/adapters/python'
    kept = os.path.join(ROOM, 'subjects.tsv')
    known, results, bad = {}, [], 0
    if os.path.exists(kept):
        with open(kept) as f:
            known = {tuple(c[:4]): c for c in (line.rstrip('\n').split('\t') for line in f) if len(c) == 12}
    until = time.monotonic() + a.seconds
    for name in a.examples:
        path = os.path.join(EXAMPLES, name + '_numpy.py')
        with open(path) as f:
            text = f.read()
        stamp, real = stamp_of(text), 0
        functions = functions_of(text)
        questions = [questions_of(*x) for x in functions] if not a.list else []
        right = answers(functions, questions) if not a.list else {}
        few = [k for k, _ in enumerate(functions) if not a.list and sum(kernel == k for kernel, _ in right) < LEAST]
        if few:
            print('%s: fewer than %d of %d questions are answered: %s' % (
                name, LEAST, MOST, ', '.join('%s.%s' % (functions[k][0]['row'], functions[k][0]['out']) for k in few)))
            bad = 1
            continue
        if not a.table and not a.list and judged(path, 1)[0] != 'pass':
            print('%s: the subject without a fault is not passed' % name)
            bad = 1
            continue
        for fault in drawn(text, name, a):
            if a.list:
                print('%s:%d: %s: %s' % (path, fault.line, fault.where, fault.says))
                continue
            if real >= a.faults:
                break
            key = (stamp, name, fault.tag, half_of(fault.tag))
            cells = known.get(key)
            if not cells:
                if a.table or time.monotonic() > until:
                    continue
                cells = list(key) + one(fault, questions, right)
                with open(kept, 'a') as f:
                    f.write('\t'.join(re.sub(r'[\t\n]', ' ', str(c)) for c in cells) + '\n')
                cells = [str(c) for c in cells]
                if cells[4] not in (SAME, RAISES) and key[3] == 'work':
                    print('%s:%d: %s: %s: %s %s%s (%s s)' % (name, fault.line, fault.where, fault.says, cells[4], cells[6],
                                                          ' WRONG' if cells[9] != '0' else '', cells[10]), flush=True)
            results.append(cells)
            real += cells[4] not in (SAME, RAISES)
    if not a.list:
        table(results)
    return bad


def one(fault, questions, right):
    why = screened(fault.text, questions, right)
    path = os.path.join(ROOM, 'fault-%s.py' % fault.tag)
    says = '%d %s' % (fault.line, fault.says)
    if why:
        return [why, '-', '-', 0, 0, 0, '0.0', says]
    with open(path, 'w') as f:
        f.write(fault.text)
    cells = ask_one(path)
    return cells[:6] + ['%.1f' % cells[6], says]


if __name__ == '__main__':
    sys.exit(main())
