"""make mutants: faults planted by general operators (operators.py) in the reference, the ruler, the comparison and the verdict; each must make a test fail.

    python3 tests/mutants/run.py [--sample PERCENT] [--seed WORD] [--seconds S] [--shard I/N] [--jobs J] [--only PATTERN] [--list] [--survivors]

A mutant is compiled alone, linked as a library in front of the others, and asked those tests only that reach its line (reach.py), what killed its
neighbours first, then the fastest; the first failure ends it.  What was judged is kept in the build and stands while the file, its headers and the test
that killed it are the same; a survivor stands while no test changes.  A run that is stopped goes on.  Exit: 0 no unexplained survivor, 1 some or a stale
note, 2 bad usage or a build that is not there.

A survivor that no test can tell from the original carries its reason on its line, or on lines of its own just above:
    /* mutant: OPERATOR TAG: a sentence that says why both are right. */
TAG may be left out where all survivors of that operator on the line are meant.  A note that names a mutant that is killed, or none, fails."""
import argparse
import collections
import datetime
import hashlib
import os
import re
import sys
import time

import build
import operators
import reach
import syntax

KILLED, OPEN = ('killed', 'time'), ('survives', 'unreached')
NOTE = re.compile(r'/\*\s*mutant:\s*(\w+)(?:\s+([0-9a-f]{4,}))?:\s*(.*?)\s*\*/', re.S)
FIRST = 0.25     # seconds of tests in the first run of a mutant; each next run has twice as many


class File:
    """A mutated file: its mutants, its notes, and a digest of all that decides what it means."""

    def __init__(self, path):
        self.path = path
        with open(path) as f:
            self.text = f.read()
        includes = [w for w in build.FLAGS if w.startswith(('-I', '-D', '-std'))]
        done = build.run([build.CC, *includes, '-E', '-P', path])
        if done.returncode:
            raise build.Broken('%s: %s' % (path, done.stderr.strip()[:300]))
        types, protos = syntax.context_of(done.stdout)
        try:
            functions, tables, comments = syntax.read_file(self.text, types)
        except syntax.Misread as e:
            raise build.Broken('%s is not understood: %s; mend tests/mutants/syntax.py' % (path, e))
        tokens = syntax.tokens_of(self.text)[0] if path.endswith('.h') else []
        self.digest = hashlib.sha256((' '.join(t.text for t in tokens) + re.sub(r'\s+', ' ', done.stdout)).encode()).hexdigest()[:16]
        self.mutants = operators.mutants_of(path, self.text, functions, tables, protos)
        self.functions = {f.name: (self.line_at(f.start), self.line_at(f.end)) for f in functions}
        self.notes = [(m.group(1), m.group(2), m.group(3), self.line_of_note(at, text)) for text, at in comments for m in [NOTE.match(text)] if m]
        self.whole = None

    def line_at(self, offset):
        return self.text.count('\n', 0, offset) + 1

    def line_of_note(self, at, text):
        """The line that a note speaks of: its own, or the next with code where it stands alone."""
        line = self.text[self.text.rfind('\n', 0, at) + 1:at]
        end = at + len(text)
        if line.strip():
            return self.line_at(at)
        rest = re.match(r'(?:\s|/\*.*?\*/)*', self.text[end:], re.S)
        return self.line_at(end + rest.end())

    def mutated(self, m):
        return self.text[:m.start] + m.after + self.text[m.end:]


class Kept:
    """Verdicts of earlier runs, each line: digest of the file, path, tag, verdict, killer, digest of the killer's file or of all tests."""

    def __init__(self, own):
        self.own, self.found = os.path.join(build.ROOM, own), {}
        self.suites = {}
        tests = sorted(f for f in os.listdir('tests') if f.endswith(('.c', '.h')))
        for f in tests:
            with open(os.path.join('tests', f)) as text:
                for suite in set(re.findall(r'^(?:Parameterized)?Test\((?:struct \w+ \*\w+, )?(\w+)', text.read(), re.M)):
                    self.suites[suite] = reach.digest(os.path.join('tests', f))
        self.all_tests = reach.digest(*[os.path.join('tests', f) for f in tests])
        for name in sorted(os.listdir(build.ROOM)):
            if name.startswith('results') and name.endswith('.tsv'):
                with open(os.path.join(build.ROOM, name)) as rows:
                    for row in rows:
                        cells = row.rstrip('\n').split('\t')
                        if len(cells) == 7:
                            self.found[cells[1], cells[2]] = cells

    def of(self, file, m):
        """(verdict, killer) that still stands, or None."""
        row = self.found.get((file.path, m.tag))
        if not row or row[0] != file.digest:
            return None
        if row[3] in KILLED and row[5] != self.suites.get(row[4].split('/')[0], ''):
            return None
        if row[3] in OPEN and row[5] != self.all_tests:
            return None
        return row[3], row[4]

    def keep(self, file, m, verdict, killer, seconds):
        stands = self.suites.get(killer.split('/')[0], '') if verdict in KILLED else self.all_tests if verdict in OPEN else '-'
        row = '\t'.join((file.digest, file.path, m.tag, verdict, killer or '-', stands, '%.2f' % seconds)) + '\n'
        fd = os.open(self.own, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.write(fd, row.encode())  # one write: two jobs do not mix their lines
        os.close(fd)


class Judge:
    """Judges mutants one after the other in a room of its own."""

    def __init__(self, name, table, kept):
        self.room, self.table, self.kept = build.open_room(name), table, kept
        self.work = os.path.join(build.ROOM, name + '-work')
        os.makedirs(self.work, exist_ok=True)
        self.objects, self.killers = {}, collections.defaultdict(collections.Counter)
        self.seconds = dict(zip(table['tests'], table['seconds']))

    def compile(self, file, text):
        """The objects of a text in the file's place, and their digest; or the compiler's refusal."""
        folder = os.path.join(self.work, 'source')
        os.makedirs(folder, exist_ok=True)
        for old in os.listdir(folder):
            os.unlink(os.path.join(folder, old))
        base = os.path.basename(file.path)
        with open(os.path.join(folder, base), 'w') as f:
            f.write(text)
        if base.endswith('.c'):
            again, more = [os.path.join(folder, base)], ['-I' + os.path.dirname(file.path)]
        else:  # what is inline in a header is in every file of its folder that speaks of it
            again, more = [], []
            for name in os.listdir('ref/core'):
                if name != base:
                    os.symlink(os.path.abspath(os.path.join('ref/core', name)), os.path.join(folder, name))
            words = re.compile(r'\b(%s)\b' % '|'.join(file.functions))
            for name in sorted(os.listdir('ref/core')):
                if name.endswith('.c'):
                    with open(os.path.join('ref/core', name)) as f:
                        if words.search(f.read()):
                            again.append(os.path.join(folder, name))
        objects, h = [], hashlib.sha256()
        for source in again:
            target = os.path.join(self.work, os.path.basename(source)[:-2] + '.o')
            wrong = build.compile_object(source, target, *more)
            if wrong:
                return None, wrong
            with open(target, 'rb') as f:
                h.update(f.read())
            objects.append(target)
        return objects, h.hexdigest()

    def candidates(self, file, m):
        """Tests that reach a line of the mutant; of its function where the line table knows none of them.  Killers of neighbours first."""
        lines = self.table['lines']
        last = m.line + m.before.count('\n')
        found = set().union(*(lines.get('%s:%d' % (file.path, k), ()) for k in range(m.line, last + 1)))
        if not found:
            first, end = file.functions[m.where]
            found = set().union(*(lines.get('%s:%d' % (file.path, k), ()) for k in range(first, end + 1)))
        names = [self.table['tests'][k] for k in sorted(found)]
        best = [t for t, _ in self.killers[file.path, m.where].most_common(3)] + [t for t, _ in self.killers[file.path, None].most_common(2)]
        first = [t for k, t in enumerate(best) if t in names and t not in best[:k]]
        return first, [t for t in names if t not in first]

    def batches(self, first, rest):
        if first:
            yield first
        room, batch, total = FIRST, [], 0.0
        for t in rest:
            if batch and total + self.seconds[t] > room:
                yield batch
                room, batch, total = 2 * room, [], 0.0
            batch.append(t)
            total += self.seconds[t]
        if batch:
            yield batch

    def judge(self, file, m):
        """(verdict, killer)"""
        if file.whole is None:
            file.whole = self.compile(file, file.text)[1]
        objects, found = self.compile(file, file.mutated(m))
        if objects is None:
            return 'broken', found.split('\n')[0].replace('\t', ' ')[:100]
        if found == file.whole:
            return 'same', '-'
        if (file.path, found) in self.objects:
            return 'double', self.objects[file.path, found]
        self.objects[file.path, found] = m.tag
        build.link_mutant(objects, os.path.join(self.room, build.B, 'libmutant.so'))
        first, rest = self.candidates(file, m)
        if not first and not rest:
            return 'unreached', '-'
        for batch in self.batches(first, rest):
            cost = sum(self.seconds[t] for t in batch)
            verdict, killer = reach.run_tests(self.room, batch, 3 + 4 * cost, 30 + 20 * cost)
            if verdict != 'pass':
                killer = killer if killer in self.seconds else batch[0]
                self.killers[file.path, m.where][killer] += 1
                self.killers[file.path, None][killer] += 1
                return ('killed' if verdict == 'fail' else 'time'), killer
        return 'survives', '-'


def work_through(todo, job, jobs, table, kept, until, loud):
    """Judges every jobs-th of the list, until the time is over."""
    judge = Judge('job%d' % job, table, kept)
    for file, m, _ in todo:
        row = kept.of(file, m)
        if row and row[0] in KILLED:
            judge.killers[file.path, m.where][row[1]] += 1
    for k, (file, m, seen) in enumerate(todo):
        if seen or k % jobs != job:
            continue
        if time.time() > until:
            return
        start = time.time()
        verdict, killer = judge.judge(file, m)
        kept.keep(file, m, verdict, killer, time.time() - start)
        if loud or verdict in OPEN:
            print('%s:%d: %s: %s: %s %s (%.1f s)' % (file.path, m.line, m.where, m.says(), verdict, killer, time.time() - start), flush=True)


def read_notes(files, verdicts):
    """Which survivors have a reason; and what is wrong with the notes."""
    explained, wrong = set(), []
    for file in files:
        for operator, tag, reason, line in file.notes:
            place = '%s:%d: the note on %s%s' % (file.path, line, operator, ' ' + tag if tag else '')
            meant = [m for m in file.mutants if m.operator == operator and (m.tag == tag if tag else m.line == line)]
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
    head = ('generated', 'judged', 'broken', 'same', 'double', 'killed', 'by time', 'explained', 'survive')
    count = collections.defaultdict(collections.Counter)
    for file, m, _ in rows:
        c = [count[key(file, m)], count['all']]
        v = verdicts.get((file.path, m.tag))
        word = None if v is None else 'by time' if v == 'time' else v if v not in OPEN else 'explained' if (file.path, m.tag) in explained else 'survive'
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
    rows = [(f, m, None) for f in files for m in f.mutants if re.search(a.only, '%s:%s:%s' % (f.path, m.where, m.operator))]
    rows = [r for r in rows if draw(a.seed, r[0].path, r[1].tag) * 100 < a.sample and (n == 1 or int(draw('shard', r[0].path, r[1].tag) * n) == i)]
    rows.sort(key=lambda r: draw(a.seed, r[0].path, r[1].tag))
    if a.list:
        for f, m, _ in sorted(rows, key=lambda r: (r[0].path, r[1].start)):
            print('%s:%d: %s: %s' % (f.path, m.line, m.where, m.says()))
        return 0
    kept = Kept('results.tsv' if n == 1 else 'results-%d-of-%d.tsv' % (i, n))
    if not a.survivors:
        build.link_whole()
        table = reach.make_map(say)
        for t in table['bad']:
            print('mutants: %s fails without any fault; it is asked nothing' % t)
        todo = [(f, m, kept.of(f, m)) for f, m, _ in rows]
        until, pids = time.time() + a.seconds, []
        if any(not seen for _, _, seen in todo):
            for job in range(a.jobs):
                pid = os.fork()
                if pid == 0:
                    work_through(todo, job, a.jobs, table, kept, until, a.loud)
                    os._exit(0)
                pids.append(pid)
        bad = sum(os.waitpid(pid, 0)[1] != 0 for pid in pids)
        if bad:
            raise build.Broken('a job ended early; run it again, it goes on')
        kept = Kept(os.path.basename(kept.own))
    verdicts = {(f.path, m.tag): v[0] for f, m, _ in rows for v in [kept.of(f, m)] if v}
    explained, wrong = read_notes(files, verdicts)
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
