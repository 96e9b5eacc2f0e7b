"""make mutants: faults planted by general operators (operators.py) in the reference, the ruler, the comparison and the verdict; each must make a test fail.

    python3 tests/mutants/run.py [--sample PERCENT] [--seed WORD] [--seconds S] [--shard I/N] [--jobs J] [--only PATTERN] [--suites PATTERN] [--asked S] [--all] [--noted] [--again] [--list] [--survivors]

All mutants of a file are compiled as one object and chosen when a test begins (schemata.py); the tests run in children of one server (serve.c).  A mutant is
asked those tests only that reach its place (reach.py), first what killed its neighbours for little time; the first failure ends it.  What was judged is kept in the
build and stands while the file, its headers and the test that killed it are the same; a survivor is asked
what has changed of the tests.  A run that is stopped goes on.
Exit: 0 no unexplained survivor, 1 some or a stale note, 2 bad usage or a build that is not there.

A survivor that no test can tell from the original carries its reason on its line, or on lines of its own just above:
    /* mutant: OPERATOR TAG: a sentence that says why both are right. */
A mutant that only a suite notices which says of itself that it expects earlier output of this code (reach.OWN) is `own`, and no better than a survivor.
TAG may be left out where all survivors of that operator on the line are meant.  A note that names a mutant that is killed, or none, fails."""
import sys
sys.dont_write_bytecode = True  # the tree stays as it is
import argparse
import collections
import datetime
import hashlib
import os
import re
import time

import build
import reach
import schemata
from judge import ASKED, KILLED, OPEN, File, Judge, Kept

KILLERS = 'tests/mutants/killers.tsv'
# a whole run that is stopped has judged what others rest on
FIRST = ('ref/core/arith/', 'ref/core/ball/', 'ref/core/ruler/', 'ref/core/softmax/', 'ref/core/row/', 'harness/', 'ref/core/', 'ref/')


def work_through(todo, job, jobs, judge, known, kept, until, loud):
    """Judges every jobs-th of the list, until the time is over."""
    for k, (file, m, _) in enumerate(todo):
        if k % jobs != job:
            continue
        if time.time() > until:
            return
        start = time.time()
        verdict, killer = judge.judge(file, m, known[file.path], kept.limit, kept.changed(file, m), kept.once_killed_by(file, m))
        kept.keep(file, m, verdict, killer, time.time() - start)
        if loud or verdict in OPEN:
            print('%s:%d: %s: %s: %s %s (%.2f s)' % (file.path, m.line, m.where, m.says(), verdict, killer, time.time() - start), flush=True)


def prepare(files, todo, table_too):
    """Builds what the mutants to be judged need; the room of the programs, and of each file what the compiler said of its mutants."""
    wanted = {f.path: set() for f in files}
    for f, m, _ in todo:
        wanted[f.path].add(m.tag)
    headers = {os.path.join(os.path.basename(os.path.dirname(f.path)), os.path.basename(f.path)): f for f in files if f.path.endswith('.h')}
    for name, f in headers.items():
        build.put(os.path.join(build.ROOM, 'headers', name), schemata.declared(f))
    objects, known = {}, {}
    for f in files:
        tags = wanted[f.path] | ({'*'} if table_too else set())
        if tags or f.path.endswith('.h'):
            objects[f.path], known[f.path] = schemata.object_of(f, tags, build.ROOM)
    spoken = {name: re.compile(r'\b(%s)\b' % '|'.join(sorted({m.where for m in f.mutants}))) for name, f in headers.items()}
    return build.link(objects, spoken), known


def judge_all(rows, files, kept, a):
    """Judges what is not kept."""
    todo = [r for r in rows if not kept.of(r[0], r[1])]
    if not todo:
        return
    new = reach.to_run(a.again, a.suites) if a.sample == 100 or a.suites else set()
    room, known = prepare(files, todo, bool(new))
    table = reach.make_map(files, room, new, say)
    named = None if table else killers_of_last_run()
    if named is not None or a.suites:
        kept.apart('sample.tsv')
    for t in table.bad if table else ():
        print('mutants: %s fails without any fault; it is asked nothing' % t)
    if new and table and table.dear:
        print('mutants: %d tests take more than %g s and are asked nothing: %s' % (len(table.dear), reach.LONGEST, ' '.join(table.dear)))
    judges, pids = [Judge(room, table, named) for _ in range(a.jobs)], []
    for judge in judges:
        for file, m, _ in rows:
            killer = kept.once_killed_by(file, m)
            if killer:
                judge.count(file, m, killer, True)
    until = time.time() + a.seconds
    for job in range(a.jobs):
        pid = os.fork()
        if pid == 0:
            work_through(todo, job, a.jobs, judges[job], known, kept, until, a.loud)
            os._exit(0)
        pids.append(pid)
    bad = sum(os.waitpid(pid, 0)[1] != 0 for pid in pids)
    for judge in judges:
        judge.server.close()
    if bad:
        raise build.Broken('a job ended early; run it again, it goes on')
    if os.path.exists(kept.own):
        kept.read(kept.own)


def killers_of_last_run():
    """In the place of a map, for a sample in a build that has none: {file or file:function: tests that killed its mutants in the last whole run}, and at
    None the seconds that each takes."""
    if not os.path.exists(KILLERS):
        raise build.Broken('%s is not there, and this build has no map of what tests reach; run make mutants' % KILLERS)
    found = {None: {}}
    with open(KILLERS) as rows:
        for row in rows:
            words = row.split()
            if row.startswith('='):
                found[None][words[1]] = float(words[2])
            elif not row.startswith('#'):
                found[words[0]] = words[1:]
    return found


def write_killers(rows, kept, seconds):
    """For samples to come; written where a whole run is complete."""
    count, used = collections.defaultdict(collections.Counter), set()
    for file, m, _ in rows:
        seen = kept.of(file, m)
        if seen and seen[0] in KILLED:
            count[file.path + ':' + m.where][seen[1]] += 1
            count[file.path][seen[1]] += 1
            used.add(seen[1])
    with open(KILLERS + '.part', 'w') as f:
        f.write('# Written by make mutants.  Of each function and file: the tests that killed its mutants, the one that killed most first; =: the seconds that a test\n'
                '# takes.  A sample in a fresh build asks these.\n')
        for t in sorted(used):
            f.write('= %s %.3f\n' % (t, seconds[t]))
        for path in sorted(count):
            f.write(' '.join([path] + [t for t, _ in sorted(count[path].items(), key=lambda c: (-c[1], c[0]))]) + '\n')
    os.replace(KILLERS + '.part', KILLERS)


def verdict_of(kept, file, m):
    """What is known of a mutant, or None; of one whose code is that of another, what is known of the other."""
    seen = kept.of(file, m)
    if seen and seen[0] == 'double':
        first = next((o for o in file.mutants if o.tag == seen[1]), None)
        return verdict_of(kept, file, first) if first else None
    return seen[0] if seen else None


def meant_by(file, operator, tag, line):
    """The mutants that a note is about."""
    return [m for m in file.mutants if m.operator == operator and (m.tag == tag if tag else m.line == line)]


def read_notes(files, verdicts):
    """Which survivors have a reason; and what is wrong with the notes."""
    explained, wrong = set(), []
    for file in files:
        for operator, tag, reason, line in file.notes:
            place = '%s:%d: the note on %s%s' % (file.path, line, operator, ' ' + tag if tag else '')
            meant = meant_by(file, operator, tag, line)
            known = [(m, verdicts[file.path, m.tag]) for m in meant if (file.path, m.tag) in verdicts]
            if not meant or tag and meant[0].line != line:
                wrong.append('%s names no mutant of its line; take it out' % place)
            elif any(v in KILLED for _, v in known):
                wrong.append('%s names a mutant that a test kills (%s); take it out' % (place, ' '.join(m.tag for m, v in known if v in KILLED)))
            elif len(known) == len(meant) and not any(v in OPEN for _, v in known):
                wrong.append('%s names no survivor; take it out' % place)
            elif len(reason.split()) < 4:
                wrong.append('%s gives no reason; write a sentence' % place)
            explained |= {(file.path, m.tag) for m in meant}
    return explained, wrong


def table_of(rows, verdicts, explained, title, key):
    """Counts by `key` of the rows that were judged."""
    head = ('generated', 'judged', 'broken', 'same', 'double', 'killed', 'by time', 'own', 'explained', 'survive')
    count = collections.defaultdict(collections.Counter)
    for file, m, _ in rows:
        c = [count[key(file, m)], count['all']]
        v = verdicts.get((file.path, m.tag))
        word = None if v is None else 'by time' if v == 'time' else v if v not in OPEN else 'explained' if (file.path, m.tag) in explained else \
            'own' if v == 'own' else 'survive'
        for one in c:
            one['generated'] += 1
            if word:
                one['judged'] += 1
                one[word] += 1
    print('%-28s' % title + ''.join('%10s' % h for h in head))
    for k in sorted(count, key=lambda k: (k == 'all', k)):
        print('%-28s' % k + ''.join('%10d' % count[k][h] for h in head))
    return count['all']


def options():
    p = argparse.ArgumentParser(prog='run.py', description='faults planted by general operators; each must make a test fail')
    p.add_argument('--sample', type=float, default=100, help='percent of the mutants, drawn by the seed')
    p.add_argument('--seed', default=None, help='a word; the default is the day')
    p.add_argument('--seconds', type=float, default=1e9, help='stop after that time; what is judged is kept')
    p.add_argument('--shard', default='0/1', help='I/N, I from 0')
    p.add_argument('--jobs', type=int, default=int(os.environ.get('J', '1')))
    p.add_argument('--only', default='', help='a regular expression on "file:function:operator"')
    p.add_argument('--suites', default='', help='a regular expression: tests of other suites are not asked, and nothing is kept')
    p.add_argument('--asked', type=float, default=ASKED, help='seconds of tests that a mutant is asked at most; survivors of a run with less are asked again')
    p.add_argument('--all', action='store_true', help='every mutant: not only one of each operator and line of what bounds rest on, and one of each line of the rest')
    p.add_argument('--noted', action='store_true', help='only mutants that a note explains: is each still let through by all that is asked?')
    p.add_argument('--again', action='store_true', help='see anew what every test reaches, for sources that have changed much since')
    p.add_argument('--list', action='store_true', help='print the mutants and judge none')
    p.add_argument('--survivors', action='store_true', help='print the survivors of earlier runs and judge none')
    p.add_argument('--loud', action='store_true', help='print every verdict')
    a = p.parse_args()
    m = re.fullmatch(r'(\d+)/(\d+)', a.shard)
    if not m or int(m.group(1)) >= int(m.group(2)):
        p.error('--shard %s: give I/N with 0 <= I < N' % a.shard)
    if not 0 < a.sample <= 100 or a.jobs < 1:
        p.error('--sample is in (0, 100], --jobs at least 1')
    a.shard = int(m.group(1)), int(m.group(2))
    a.seed = a.seed or datetime.date.today().isoformat()
    return a


def draw(seed, path, tag):
    """A number in [0, 1) from a seed and a mutant."""
    return int(hashlib.sha256(('%s|%s|%s' % (seed, path, tag)).encode()).hexdigest()[:13], 16) / 16 ** 13


def say(text):
    print('  ' + text, flush=True)


def main():
    a = options()
    os.makedirs(build.ROOM, exist_ok=True)
    files = [File(f) for f in build.sources()]
    i, n = a.shard
    rows = [(f, m, None) for f in files for m in f.mutants if (a.all or m.tag in f.drawn) and re.search(a.only, '%s:%s:%s' % (f.path, m.where, m.operator))]
    if a.noted:
        noted = {(f.path, m.tag) for f in files for operator, tag, _, line in f.notes for m in meant_by(f, operator, tag, line)}
        rows = [r for r in rows if (r[0].path, r[1].tag) in noted]
    rows = [r for r in rows if draw(a.seed, r[0].path, r[1].tag) * 100 < a.sample and (n == 1 or int(draw('shard', r[0].path, r[1].tag) * n) == i)]
    rows.sort(key=lambda r: (a.sample == 100 and next((k for k, p in enumerate(FIRST) if r[0].path.startswith(p)), len(FIRST)), draw(a.seed, r[0].path, r[1].tag)))
    if a.list:
        for f, m, _ in sorted(rows, key=lambda r: (r[0].path, r[1].start)):
            print('%s:%d: %s: %s' % (f.path, m.line, m.where, m.says()))
        return 0
    kept = Kept('results.tsv' if n == 1 else 'results-%d-of-%d.tsv' % (i, n), a.asked)
    if not a.survivors:
        judge_all(rows, files, kept, a)
    verdicts = {(f.path, m.tag): v[0] for f, m, _ in rows for v in [kept.of(f, m)] if v}
    if a.sample == 100 and n == 1 and not a.only and len(verdicts) == len(rows):
        write_killers(rows, kept, reach.kept_map().seconds)
    explained, wrong = read_notes(files, {(f.path, m.tag): v for f, m, _ in rows for v in [verdict_of(kept, f, m)] if v})
    left = [(f, m) for f, m, _ in rows if verdicts.get((f.path, m.tag)) in OPEN and (f.path, m.tag) not in explained]
    for f, m in sorted(left, key=lambda r: (r[0].path, r[1].start)):
        print('%s:%d: %s: %s: %s' % (f.path, m.line, m.where, m.says(), verdicts[f.path, m.tag]))
    for w in wrong:
        print(w)
    table_of(rows, verdicts, explained, 'file', lambda f, m: f.path)
    print()
    all_of = table_of(rows, verdicts, explained, 'operator', lambda f, m: m.operator)
    print('%d mutants generated%s, %d judged, %d killed, %d explained, %d survive, %d notes wrong' % (
        all_of['generated'], '' if a.sample == 100 else ' (%g %% by the seed %s)' % (a.sample, a.seed), all_of['judged'], all_of['killed'] + all_of['by time'],
        all_of['explained'], len(left), len(wrong)))
    return 1 if left or wrong else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except build.Broken as e:
        print('mutants: %s' % e, file=sys.stderr)
        sys.exit(2)
