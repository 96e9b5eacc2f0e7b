"""make power-open: single faults that nobody wrote down, planted by general operators in the project's own scalar kernels, each asked
of the default `meridian judge` as a stranger's plug-in.

    python3 tests/open/run.py [--sample PERCENT] [--seed WORD] [--seconds S] [--half work|unseen|both] [--rows A,B] [--named PERCENT] [--shard I/N] [--list] [--table]

The faults are those of `make mutants` (tests/mutants/operators.py): terms, signs, constants, comparisons, arguments, bounds of loops and the
rest, of every function of a row's kernel and of the scalar parts that it is made of.  A mutated file is compiled alone and linked with
the others into a plug-in.  All kernels of the row are first asked the judge's plain questions (`--few --checks none`), which are among
those of the default: what they refuse is caught, and --named percent of it is asked by the default judge, with its diagnosis, for a name.
The rest is asked in another way: `meridian climb` with the same fault among its own kernels, drawing questions at random and going uphill,
for --oracle seconds.  A fault that no question tells there keeps its bounds wherever it was asked, and counts as no fault, whatever the
default judge would say of it.  One that is outside its bound is asked of the default judge, all kernels of the row at once as a stranger's
plug-in is, and where the judge passes it, too, it has ESCAPED.

A name is asked of fresh questions, which no search has seen (`meridian confirm`): does the subject answer them as a kernel with that cause
does?  A kernel that crashes, touches memory that is not its own or
answers that it failed has no wrong numbers to name; it is counted apart.  Where the judge itself does not end or gives no verdict, that
is counted apart and is no catch; nor is a fault that escapes by a question which the kernel without it fails, too.

Half of the faults, by their tag, is for working (`work`); the other half (`unseen`) gives the figure and is not to be looked at singly.
Results go to BUILD/open/results.tsv; a run goes on where the last one stopped, while the kernels and the judge are the same;
several at once take a shard each.
Exit: 0 the table is printed; 1 an original is refused, so that nothing was measured; 2 bad usage or no build."""
import sys
sys.dont_write_bytecode = True  # the tree stays as it is
import argparse
import collections
import datetime
import glob
import hashlib
import json
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'mutants'))
import build
from judge import File
from run import draw

ROOM = os.path.join(build.B, 'open')
CAUGHT, ESCAPED, SAME, BROKEN, OPEN = 'caught', 'ESCAPED', 'same', 'broken', 'no verdict'
UNASKED = '?'  # no name was asked
# What is said of a fault that has no name: the verdicts are crashes, which have no numbers to explain; one hypothesis explains the wrong
# elements of every failure, and the others are as declared; or facts about where it is wrong, what the numbers are or what is not read, beside
# "every element is wrong".
CRASH, PART, FACTS = '(crash)', '(in part)', '(facts)'
PLUGIN = '''#include "meridian.h"
extern const struct mer_kernel %s_scalar[];
const struct mer_plugin *meridian_plugin(void);
const struct mer_plugin *meridian_plugin(void)
{
    static struct mer_plugin p = { MER_ABI, "open", %s_scalar };
    return &p;
}
'''


KERNELS = '''#include <dlfcn.h>
#include <stdio.h>
#include "meridian.h"
int main(int n, char **v)
{
    void *of = dlopen(v[n - 1], RTLD_NOW);
    const struct mer_plugin *(*plugin)(void) = of ? (const struct mer_plugin *(*)(void))dlsym(of, "meridian_plugin") : 0;
    if (!plugin)
        return fprintf(stderr, "%s\\n", dlerror()), 1;
    for (const struct mer_kernel *k = plugin()->kernel; k->row; k++)
        printf("%s\\t%s\\t%s\\n", k->row, k->out, k->type);
    return 0;
}
'''


def rows():
    """Rows that have a scalar kernel file."""
    return sorted(os.path.basename(f)[:-2] for f in glob.glob('fast/*.c'))


def includes_of(source):
    """The files of fast/core that a source includes, directly or not."""
    done = build.run([build.CC, *build.FLAGS, '-MM', source])
    return {os.path.normpath(w) for w in done.stdout.replace('\\\n', ' ').split() if w.startswith('fast/core')}


def parts():
    """{row: sources of fast/core that its kernel is made of}: those whose header it includes, and so on, until no more come."""
    sources = [f for f in glob.glob('fast/core/**/*.c', recursive=True) if os.path.basename(f) != 'kernels.c']
    found = {}
    reach = {f: includes_of(f) for f in sources}
    for row in rows():
        seen, more = set(), includes_of('fast/%s.c' % row)
        while True:
            add = {f for f in sources if f[:-2] + '.h' in more} - seen
            if not add:
                break
            seen |= add
            for f in add:
                more |= reach[f]
        found[row] = sorted(seen)
    return found


def archive():
    """All kernels as one archive (tables choose among instruction sets, which MERIDIAN_ISA masks); the mutated object is linked in front of it."""
    objects = [o for o in build.OBJECTS if '/fast/' in o]
    target = os.path.join(ROOM, 'libscalar.a')
    if not build.newer(target, objects):
        if os.path.exists(target):
            os.unlink(target)
        build.must(['ar', 'rcs', target, *objects], 'the archive of scalar kernels')
    return target


def plug(row, mutant, target):
    """Links the plug-in of one row, with the mutated object in front; None, or why not."""
    main = os.path.join(ROOM, 'plug_%s' % row)
    if not os.path.exists(main + '.o'):
        with open(main + '.c', 'w') as f:
            f.write(PLUGIN % (row, row))
        wrong = build.compile_object(main + '.c', main + '.o')
        if wrong:
            return wrong
    done = build.run([build.CC, '-shared', '-o', target, main + '.o', *([mutant] if mutant else []), archive(), '-lm', '-Wl,-z,muldefs'])
    return None if done.returncode == 0 else done.stderr.strip()[:300]


def kernels_of(plugin):
    """[(row, outputs, type)] of a plug-in, each once, float32 first: the questions that a judge is asked one after the other."""
    main = os.path.join(ROOM, 'kernels')
    if not os.path.exists(main):
        with open(main + '.c', 'w') as f:
            f.write(KERNELS)
        build.must([build.CC, '-w', '-Ifast', '-o', main, main + '.c', '-ldl'], 'the list of kernels')
    done = build.run([main, os.path.abspath(plugin)])
    if done.returncode:
        raise build.Broken('%s: %s' % (plugin, done.stderr.strip()[:300]))
    found = list(dict.fromkeys(tuple(line.split('\t')) for line in done.stdout.split('\n') if line))
    return sorted(found, key=lambda k: (k[2] != 'f32', found.index(k)))


def own(name):
    """A file of this process alone: several shards may run at once."""
    return os.path.join(ROOM, '%d-%s' % (os.getpid(), name))


STAMPS = {}  # The digest of each row (digest).
SOUND = {}  # What was asked of a row's kernels without a fault, by (digest, row, what was asked): the same for all shards, and for the next run.
LASTING = ('pass', 'fail', 'refused', 'inside')  # What the same question would answer again; that a busy machine left no time is not kept.


def of_sound(row, what, ask):
    """What `ask` answers, a text, of the row's kernels without a fault: it is asked once, and kept where it would be answered again."""
    key, path = (STAMPS[row], row, what), os.path.join(ROOM, 'sound.tsv')
    if key not in SOUND and os.path.exists(path):
        with open(path) as f:
            SOUND.update({tuple(c[:3]): c[3] for c in (line.rstrip('\n').split('\t') for line in f) if len(c) == 4})
    if key not in SOUND:
        SOUND[key] = re.sub(r'[\t\n]', ' ', ask())
        if SOUND[key] in LASTING or SOUND[key].startswith('outside'):
            with open(path, 'a') as f:
                f.write('\t'.join([*key, SOUND[key]]) + '\n')
    return SOUND[key]


def refused(plugin, row):
    """The first kernel, as (row, outputs, type), that the plain questions refuse; None: none is, or the judge gives no verdict."""
    command = [os.path.join(build.B, 'meridian'), 'judge', plugin, '--row', row, '--few', '--verdicts', '--checks', 'none', '--json', '--seconds', '2']
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(build.ENVIRONMENT, MERIDIAN_ISA='scalar'), timeout=120)
    except subprocess.TimeoutExpired:
        return None
    said = [o for o in map(json.loads, (x for x in done.stdout.split('\n') if x.startswith('{'))) if o.get('verdict') in ('FAIL', 'CRASH')]
    for question in kernels_of(plugin):
        if any("--type '%s'" % question[2] in o.get('replay', '') and o.get('quantity') in [question[1], *question[1].split()] for o in said):
            return question
    return None


def right(row):
    """What the default judge says of the row's kernels without a fault."""
    plugin = own('right.so')
    said = of_sound(row, 'judge', lambda: plug(row, None, plugin) or judge(plugin, row)[0])
    if said != 'pass' and row not in REFUSED:
        REFUSED.add(row)
        print('%s: the kernels without a fault are not passed (%s)' % (row, said), flush=True)
    return said


REFUSED = set()  # Rows whose kernels without a fault the default judge does not pass.


def plainly(plugin, row):
    """The kernel that the plain questions refuse, where they pass those without a fault."""
    sound = own('right.so')
    few = of_sound(row, 'few', lambda: plug(row, None, sound) or ('pass' if refused(sound, row) is None else 'refused'))
    return refused(plugin, row) if few == 'pass' else None


def plain_catch(plugin, row, named):
    """(verdict, failing output, names that the judge prints of it, what fresh questions say of these) where the plain questions refuse it;
    None: they do not.  named: is it asked for its names?"""
    question = plainly(plugin, row)
    if not question:
        return None
    out = '%s.%s %s' % (question[0], question[1].split()[0], question[2])
    return (CAUGHT, out, *judge(plugin, *question)[2:]) if named else (CAUGHT, out, UNASKED, '-')


def judge(plugin, row, outs=None, type_=None):
    """(verdict, failing output, names, what fresh questions say of these) of the default judge on all kernels of a row, or on those of
    some outputs and a type alone."""
    only = ['--out', outs, '--type', type_] if outs else []
    command = [os.path.join(build.B, 'meridian'), 'judge', plugin, '--row', row, *only, '--json', '--seconds', '2']
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(build.ENVIRONMENT, MERIDIAN_ISA='scalar'), timeout=600)
    except subprocess.TimeoutExpired:
        return 'time', '-', '-', '-'
    bad = [o for o in map(json.loads, (x for x in done.stdout.split('\n') if x.startswith('{'))) if o.get('verdict') in ('FAIL', 'CRASH')]
    if done.returncode not in (0, 1, 3, 77):
        return 'exit %d' % done.returncode, '-', done.stderr.strip()[-80:] or '-', '-'
    if not bad:
        return 'pass', '-', '-', '-'
    names = collections.Counter(name_of(o) for o in bad if name_of(o))
    best = names.most_common(1)[0][0] if names else None
    fresh = confirm(plugin, row, next(o for o in bad if name_of(o) == best)) if best else '-'
    return 'fail', '%s.%s' % (row, bad[0].get('quantity', '?')), ' '.join('%s*%d' % n for n in names.most_common(3)) or nameless(bad), fresh


def causes(o):
    """What explains all of one finding: one cause, or one of each output; []: nothing."""
    answers = [a for a in o.get('mistakes') or [] if a['kind'] != 'partial']
    return answers if answers and 'outputs' in answers[0] else answers[:1]


def name_of(o):
    return '; '.join((a['outputs'] + ':' if 'outputs' in a else '') + a['id'] + ('+' + a['second'] if a['second'] else '') +
                     ('/' + a['under'] if 'under' in a else '') for a in causes(o))


def confirm(plugin, row, o):
    """What fresh questions, which no search has seen, say of the name of a finding: `confirmed`, where some are wrong as it says and none
    contradicts it; CONTRADICTED; `silent`: none was wrong."""
    said = []
    for a in causes(o):
        about = re.findall(r"--(?:out|type|profile) '[^']*'", o.get('replay', ''))
        about = [w for pair in about for w in pair.replace("'", '').split(' ', 1)]
        about += (['--in', ','.join(a['outputs'].split(', '))] if 'outputs' in a else [])
        about += ['--under', a['under']] if 'under' in a else []
        about += ['--part'] if a.get('of_the_wrong_elements') else []
        about += ['--second', a['second']] if a['second'] else []
        if not a['change'] or a['id'] in ('unset-memory', 'unsteady'):
            return 'silent'  # The kernel's own memory says more than any question.
        command = [os.path.join(build.B, 'meridian'), 'confirm', plugin, '--row', row, '--as', a['change'], *about, '--seconds', '2']
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(build.ENVIRONMENT, MERIDIAN_ISA='scalar'), timeout=120)
        except subprocess.TimeoutExpired:
            return 'silent'
        said.append({0: 'confirmed', 1: 'CONTRADICTED', 77: 'silent'}.get(done.returncode, 'silent'))
    return next(s for s in ('CONTRADICTED', 'confirmed', 'silent') if s in said)


def nameless(bad):
    """What is said of findings without a name."""
    if any(o['verdict'] == 'CRASH' for o in bad):
        return CRASH
    partial = {o['mistakes'][0]['id'] if o.get('mistakes') else None for o in bad}
    if len(partial) == 1 and None not in partial:
        return PART
    facts = [f for o in bad for f in o.get('anatomy', []) if not f.startswith('every element of ')]
    return FACTS if facts else '-'


def climbs_out(path, mutant, row, seconds):
    """(question, '') that shows the fault, the first at random; (None, ''): none does; (None, why): it could not be asked.  The program
    again, with the mutated object in the place of its own."""
    original = os.path.join(build.B, path[:-2] + '.o')
    program = own('meridian')
    objects = [mutant if mutant and o == original else o for o in build.OBJECTS]
    build.must([build.CC, '-o', program, '-Wl,--strip-debug', *objects, os.path.join(build.B, 'harness/core/main.o'), *build.LIBS], 'the program with the fault')
    try:
        done = subprocess.run([program, 'climb', row, '--only', 'own', '--seconds', str(seconds), '--seed', '7', '--json'],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(build.ENVIRONMENT, MERIDIAN_ISA='scalar'), timeout=20 * seconds + 60)
    except subprocess.TimeoutExpired:
        return None, 'climb does not end'
    finally:
        os.unlink(program)
    if done.returncode not in (0, 1, 3):
        return None, 'climb ended with %d: %s' % (done.returncode, done.stderr.strip()[-120:])
    return done.stdout.strip().split('\n')[0][:200] if done.returncode else None, ''


def climbed(shown, wrong):
    """What climbs_out answers, in words."""
    return wrong or ('outside its bound, too: ' + shown if shown else 'inside')


def digest(row, of):
    """Of the judge and of the kernels of a row: a verdict stands while both are the same."""
    h = hashlib.sha256()
    for o in sorted(build.OBJECTS):
        if '/fast/' not in o or any(o.endswith(s[:-2] + '.o') for s in of + ['fast/%s.c' % row]):
            with open(o, 'rb') as f:
                h.update(f.read())
    return h.hexdigest()[:12]


def options():
    p = argparse.ArgumentParser(prog='run.py', description='faults that nobody wrote down, asked of the default judge')
    p.add_argument('--sample', type=float, default=100, help='percent of the faults, drawn by the seed')
    p.add_argument('--seed', default=None, help='a word; the default is the day')
    p.add_argument('--seconds', type=float, default=1e9, help='stop after that time; what is judged is kept')
    p.add_argument('--most', type=int, default=10**9, help='stop after so many new faults')
    p.add_argument('--half', default='both', choices=('work', 'unseen', 'both'))
    p.add_argument('--rows', default='', help='names with commas between; the default is every row with a scalar kernel')
    p.add_argument('--oracle', type=int, default=10, help='seconds of questions at random for a fault that the judge passes')
    p.add_argument('--named', type=float, default=100, help='percent of what the plain questions refuse that is asked for a name')
    p.add_argument('--shard', default='0/1', help='I/N, I from 0: every Nth fault')
    p.add_argument('--list', action='store_true', help='print the faults and judge none')
    p.add_argument('--table', action='store_true', help='the table of what was judged, and judge none')
    a = p.parse_args()
    a.seed = a.seed or datetime.date.today().isoformat()
    a.rows = a.rows.split(',') if a.rows else rows()
    unknown = [r for r in a.rows if r not in rows()]
    if unknown:
        p.error('--rows: no scalar kernel of %s' % ' '.join(unknown))
    m = re.fullmatch(r'(\d+)/(\d+)', a.shard)
    if not m or int(m.group(1)) >= int(m.group(2)):
        p.error('--shard %s: give I/N with 0 <= I < N' % a.shard)
    a.shard = int(m.group(1)), int(m.group(2))
    if not 0 < a.sample <= 100:
        p.error('--sample is in (0, 100]')
    return a


def half_of(tag):
    return 'work' if int(tag[0], 16) % 2 == 0 else 'unseen'


class Results:
    def __init__(self):
        self.path, self.found = os.path.join(ROOM, 'results.tsv'), {}
        if os.path.exists(self.path):
            with open(self.path) as f:
                for line in f:
                    cells = line.rstrip('\n').split('\t')
                    if len(cells) == 10:
                        self.found[tuple(cells[1:4])] = cells

    def of(self, key, stamp):
        cells = self.found.get(key)
        return cells if cells and cells[0] == stamp else None

    def keep(self, cells):
        self.found[tuple(cells[1:4])] = cells
        with open(self.path, 'a') as f:
            f.write('\t'.join(re.sub(r'[\t\n]', ' ', str(c)) for c in cells) + '\n')


def ask_one(row, file, m, a):
    """[verdict, output, names, fresh] of one fault."""
    source, target = own('fault.c'), own('fault.o')
    with open(source, 'w') as f:
        f.write(file.mutated(m))
    if build.compile_object(source, target, '-I' + os.path.dirname(file.path)):
        return [BROKEN, '-', '-', '-']
    original = own('original.o')
    build.compile_object(file.path, original)
    with open(target, 'rb') as x, open(original, 'rb') as y:
        if x.read() == y.read():
            return [SAME, '-', 'the compiler sees no difference', '-']
    plugin = own('fault.so')
    wrong = plug(row, target, plugin)
    if wrong:
        return [BROKEN, '-', wrong, '-']
    caught = plain_catch(plugin, row, draw('named', file.path, m.tag) * 100 < a.named)
    return list(caught or shown_or_same(plugin, file.path, target, row, a.oracle))


def shown_or_same(plugin, path, target, row, oracle):
    """(verdict, output, names, fresh) of a fault that the plain questions pass: what climbing shows of it, and what the default judge says of that."""
    shown, wrong = climbs_out(path, target, row, oracle)
    if wrong:
        return OPEN, '-', wrong, '-'
    if not shown:
        return SAME, '-', 'no question tells', '-'
    said = of_sound(row, 'climb %d s' % oracle, lambda: climbed(*climbs_out(path, None, row, oracle)))
    if said != 'inside':
        return OPEN, '-', 'the kernel without a fault: ' + said, '-'
    if right(row) != 'pass':
        return OPEN, '-', 'the judge does not pass the kernels without a fault', '-'
    verdict, out, names, fresh = judge(plugin, row)
    if verdict == 'pass':
        return ESCAPED, '-', shown, '-'
    return (CAUGHT, out, names, fresh) if verdict == 'fail' else (OPEN, out, '%s %s' % (verdict, names), '-')


def table(results, stamps, picked):
    print('%-14s %9s %7s %7s %11s %7s %7s %9s %12s %7s %7s %7s %9s %7s' % (
        'row', 'faults', 'broken', 'same', 'no verdict', 'caught', 'a name', 'confirmed', 'CONTRADICTED', 'crash', 'in part', 'facts', 'ESCAPED', 'seconds'))
    total = collections.Counter()
    for row in sorted({k[0] for k in picked}):
        c = collections.Counter()
        for key in picked:
            cells = results.of(key, stamps[key[0]]) if key[0] == row else None
            if cells:
                c['n'] += 1
                c[cells[4]] += 1
                c['asked'] += cells[4] == CAUGHT and cells[6] != UNASKED
                c[cells[6]] += cells[4] == CAUGHT and cells[6] in (CRASH, PART, FACTS)
                c[cells[9]] += cells[4] == CAUGHT
                c['named'] += cells[4] == CAUGHT and cells[6] not in ('-', UNASKED, CRASH, PART, FACTS)
                c['s'] += float(cells[7])
        if c['n']:
            print('%-14s %9d %7d %7d %11d %7d %7d %9d %12d %7d %7d %7d %9d %7.0f' % (
                row, c['n'], c[BROKEN], c[SAME], c[OPEN], c[CAUGHT], c['named'], c['confirmed'], c['CONTRADICTED'], c[CRASH], c[PART], c[FACTS], c[ESCAPED], c['s']))
        total += c
    real = total[CAUGHT] + total[ESCAPED]
    print('%d faults over %d rows: %d that a question tells; %d escaped (%.2f %%)' % (
        total['n'], len({k[0] for k in picked}), real, total[ESCAPED], 100 * total[ESCAPED] / max(real, 1)))
    numbers = total['asked'] - total[CRASH]
    print('of %d caught that were asked for a name %d crash; of the %d whose numbers are wrong %d have a name (%.0f %%), %d one of their wrong elements alone, '
          '%d facts alone, %d nothing' % (total['asked'], total[CRASH], numbers, total['named'], 100 * total['named'] / max(numbers, 1), total[PART], total[FACTS],
                                          numbers - total['named'] - total[PART] - total[FACTS]))
    print('of the names fresh questions confirm %d, contradict %d, and are silent on %d' % (
        total['confirmed'], total['CONTRADICTED'], total['named'] - total['confirmed'] - total['CONTRADICTED']))


def main():
    a = options()
    if not build.OBJECTS:
        raise build.Broken('run it as `make power-open`, which says what was built')
    os.makedirs(ROOM, exist_ok=True)
    of = parts()
    results, stamps, picked = Results(), STAMPS, {}
    files = {}
    for row in a.rows:
        stamps[row] = digest(row, of[row])
        for path in ['fast/%s.c' % row] + of[row]:
            files[path] = files.get(path) or File(path)
            for m in files[path].mutants:
                # a fault of a shared part is asked of one of its rows
                sharing = [r for r in rows() if path in of[r]]
                if sharing and sharing[int(draw('row', path, m.tag) * len(sharing))] != row:
                    continue
                if draw(a.seed, path, m.tag) * 100 < a.sample and a.half in ('both', half_of(m.tag)):
                    picked[row, path, m.tag] = (files[path], m)
    if a.list:
        for (row, path, tag), (f, m) in picked.items():
            print('%s %s:%d: %s: %s' % (row, path, m.line, m.where, m.says()))
        return 0
    order = sorted(picked, key=lambda k: draw(a.seed, k[1], k[2]))
    until = datetime.datetime.now().timestamp() + a.seconds
    new = 0
    i, n = a.shard
    for key in order[i::n] if not a.table else []:
        row, path, tag = key
        file, m = picked[key]
        if results.of(key, stamps[row]):
            continue
        if datetime.datetime.now().timestamp() > until or new >= a.most:
            break
        start = datetime.datetime.now()
        verdict, out, names, fresh = ask_one(row, file, m, a)
        seconds = (datetime.datetime.now() - start).total_seconds()
        new += 1
        results.keep([stamps[row], row, path, tag, verdict, out, names, '%.1f' % seconds, '%s:%d %s' % (path, m.line, m.says()), fresh])
        if half_of(tag) == 'work':
            print('%s %s:%d: %s: %s: %s %s %s (%.1f s)' % (row, path, m.line, m.where, m.says(), verdict, names, fresh, seconds), flush=True)
    for f in glob.glob(own('*')):
        os.unlink(f)
    table(Results() if n > 1 else results, stamps, picked)
    return 1 if REFUSED else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except build.Broken as e:
        print('power-open: %s' % e, file=sys.stderr)
        sys.exit(2)
