"""One mutated file, what is kept of earlier runs, and the judgement of one mutant."""
import collections
import hashlib
import os
import re
import shutil

import build
import operators
import reach
import syntax

KILLED, OPEN = ('killed', 'time'), ('survives', 'unreached')
NOTE = re.compile(r'/\*\s*mutant:\s*(\w+)(?:\s+([0-9a-f]{4,}))?:\s*(.*?)\s*\*/', re.S)
# what every bound and every verdict rests on: of these each line has one mutant of every operator, of the others one
CLOSE = set('up.h up.c make.h ball.c elementary.c round.c soft.c plain.c norm.c backward.c mix_grad.c same.c dual.c expm.c ode.c ruler.c compare.c verdict.c'.split())
ASKED = 20.0     # seconds of tests that one mutant is asked at most, the fastest that reach it: a fault that needs more is a survivor
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
        self.drawn = self.draw()
        self.functions = {f.name: (self.line_at(f.start), self.line_at(f.end), self.digest_of(f)) for f in functions}
        self.notes = [(m.group(1), m.group(2), m.group(3), self.line_of_note(at, text)) for text, at in comments for m in [NOTE.match(text)] if m]
        self.whole = None

    def line_at(self, offset):
        return self.text.count('\n', 0, offset) + 1

    def draw(self):
        """Tags of the mutants that a run takes unless it takes all: of each line the first of every operator by its tag where the file is of CLOSE,
        else the first of all.  A tag is a digest, so the choice is fixed and follows no order of the text."""
        first = {}
        for m in sorted(self.mutants, key=lambda m: hashlib.sha256(m.tag.encode()).digest()):
            first.setdefault((m.line, m.operator if os.path.basename(self.path) in CLOSE else None), m.tag)
        return set(first.values())

    def digest_of(self, f):
        """Of a function's text; comments within its lines do not count."""
        text = re.sub(r'/\*[^\n]*?\*/|//[^\n]*', '', self.text[f.start:f.end])
        return hashlib.sha256('\n'.join(line.strip() for line in text.split('\n')).encode()).hexdigest()[:6]

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
        self.suites = reach.suites()
        self.all_tests = reach.digest(*[os.path.join('tests', f) for f in os.listdir('tests') if f.endswith(('.c', '.h'))])
        for name in sorted(os.listdir(build.ROOM)):
            if name.startswith('results') and name.endswith('.tsv'):
                self.read(os.path.join(build.ROOM, name))

    def read(self, path):
        with open(path) as rows:
            for row in rows:
                cells = row.rstrip('\n').split('\t')
                if len(cells) == 7:
                    self.found[cells[1], cells[2]] = cells

    def apart(self, own):
        """Keeps what follows in a file that later runs do not read: a survivor of some tests is none of all."""
        self.own = os.path.join(build.ROOM, own)
        if os.path.exists(self.own):
            os.unlink(self.own)

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

    def __init__(self, name, table, named):
        """`table` is a reach.Map; without one, `named` says of each file which tests to ask."""
        self.room, self.table, self.named = build.open_room(name), table, named
        self.work = os.path.join(build.ROOM, name + '-work')
        os.makedirs(self.work, exist_ok=True)
        self.objects, self.killers = {}, collections.defaultdict(collections.Counter)
        self.seconds = dict(zip(table.tests, table.seconds)) if table else collections.defaultdict(lambda: 1.0)

    def compile(self, file, text):
        """The objects of a text in the file's place, and their digest; or the compiler's refusal."""
        folder = os.path.join(self.work, 'source')
        os.makedirs(folder, exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        base = os.path.basename(file.path)
        if base.endswith('.c'):
            again, more = [os.path.join(folder, base)], ['-I' + os.path.dirname(file.path)]
            with open(again[0], 'w') as f:
                f.write(text)
        else:  # what is inline in a header is in every file of the core that speaks of it: a tree of links around the one that changed
            more = ['-I' + folder]
            again = self.mirror(file, text, folder)
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

    def mirror(self, file, text, folder):
        """Links to everything in ref/core below the folder, the text in the file's place; the sources that speak of its functions."""
        words, again = re.compile(r'\b(%s)\b' % '|'.join(file.functions)), []
        for at, _, names in os.walk('ref/core'):
            there = os.path.join(folder, os.path.relpath(at, 'ref/core'))
            os.makedirs(there, exist_ok=True)
            for name in sorted(names):
                path, target = os.path.join(at, name), os.path.join(there, name)
                if path == file.path:
                    with open(target, 'w') as f:
                        f.write(text)
                    continue
                os.symlink(os.path.abspath(path), target)
                if name.endswith('.c'):
                    with open(path) as f:
                        if words.search(f.read()):
                            again.append(target)
        return sorted(again)

    def candidates(self, file, m):
        """Tests that reach a line of the mutant; of its function where the line table knows none of them.  Killers of neighbours first."""
        if self.named is not None:
            tests = self.named.get(file.path, [])
            return tests[:1], tests[1:]
        names = [self.table.tests[k] for k in self.table.reaching(file, m.where, range(m.line, m.line + m.before.count('\n') + 1))]
        best = [t for t, _ in self.killers[file.path, m.where].most_common(3)] + [t for t, _ in self.killers[file.path, None].most_common(2)]
        first = [t for k, t in enumerate(best) if t in names and t not in best[:k]]
        rest, total = [], 0.0
        for t in names:
            total += self.seconds[t]
            if t not in first and total <= ASKED:
                rest.append(t)
        return first, rest

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
                killer = killer if killer in batch else batch[0]
                self.killers[file.path, m.where][killer] += 1
                self.killers[file.path, None][killer] += 1
                return ('killed' if verdict == 'fail' else 'time'), killer
        return 'survives', '-'
