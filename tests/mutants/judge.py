"""One mutated file, what is kept of earlier runs, and the judgement of one mutant."""
import collections
import hashlib
import json
import os
import re

import build
import operators
import reach
import schemata
import syntax
from server import Server

KILLED, OPEN = ('killed', 'time'), ('survives', 'unreached', 'own')  # own: only what expects this code's earlier output noticed it
NOTE = re.compile(r'/\*\s*mutant:\s*(\w+)(?:\s+([0-9a-f]{4,}))?:\s*(.*?)\s*\*/', re.S)
# what every bound and every verdict rests on: of these each line has one mutant of every operator, of the others one
CLOSE = set('up.h up.c make.h ball.c elementary.c round.c soft.c score.c mean.c plain.c plain_mean.c norm.c backward.c mix_grad.c same.c dual.c expm.c ode.c ruler.c compare.c verdict.c'.split())
ASKED = 6.0      # seconds of tests that one mutant is asked at most, unless a run says less: a fault that needs more is a survivor
PATIENCE = 0.25  # seconds of the processor that a test may take beyond six times what it takes without a fault
COST = 0.002     # seconds that asking any test takes
AGAIN = 0.7      # what each further test of a suite is worth where its earlier ones let the fault pass: they ask alike, another suite asks otherwise


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
        mutated = {m.where for m in self.mutants}
        self.trees = functions
        self.functions = {f.name: self.digest_of(f) for f in functions}
        self.places = {f.name: schemata.places_of(f, self.text) for f in functions if f.name in mutated}
        self.first_place, n = {}, 0
        for name, places in self.places.items():
            self.first_place[name] = n
            n += len(places)
        self.notes = [(m.group(1), m.group(2), m.group(3), self.line_of_note(at, text)) for text, at in comments for m in [NOTE.match(text)] if m]

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

    def place_of(self, m):
        """The number, within its function, of the place that a mutant changes."""
        return schemata.place_at(self.places[m.where], m.start, m.end)

    def mutated(self, m):
        return self.text[:m.start] + m.after + self.text[m.end:]


class Kept:
    """Verdicts of earlier runs, each line: digest of the file, path, tag, verdict, killer, digest of the killer's file or of all tests, seconds, and the seconds of
    tests that it was asked at most."""

    def __init__(self, own, limit=ASKED):
        self.limit = limit
        self.own, self.found, self.killer = os.path.join(build.ROOM, own), {}, {}
        self.suites = reach.suites()
        self.all_tests = reach.digest(*[os.path.join('tests', f) for f in os.listdir('tests') if f.endswith(('.c', '.h'))])
        build.put(self.tests_at(self.all_tests), json.dumps(self.suites))
        for name in sorted(os.listdir(build.ROOM)):
            if name.startswith('results') and name.endswith('.tsv'):
                self.read(os.path.join(build.ROOM, name))

    @staticmethod
    def tests_at(digest):
        return os.path.join(build.ROOM, 'tests-%s.json' % digest)

    def changed(self, file, m):
        """The suites that an earlier survivor has still to be asked, or None where it is to be asked all."""
        row = self.found.get((file.path, m.tag))
        if not row or row[0] != file.digest or row[3] != 'survives' or float(row[7]) < self.limit or not os.path.exists(self.tests_at(row[5])):
            return None
        then = json.loads(build.read(self.tests_at(row[5])))
        return {s for s, d in self.suites.items() if then.get(s) != d}

    def read(self, path):
        with open(path) as rows:
            for row in rows:
                cells = row.rstrip('\n').split('\t')
                if len(cells) == 8:
                    self.found[cells[1], cells[2]] = cells
                    if cells[3] in KILLED:
                        self.killer[cells[1], cells[2]] = cells[4]

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
        if row[3] in OPEN and (row[5] != self.all_tests or row[3] == 'survives' and float(row[7]) < self.limit):
            return None
        return row[3], row[4]

    def once_killed_by(self, file, m):
        """The test that killed it last, even if that no longer stands: it is worth being asked first."""
        return self.killer.get((file.path, m.tag))

    def keep(self, file, m, verdict, killer, seconds):
        stands = self.suites.get(killer.split('/')[0], '') if verdict in KILLED else self.all_tests if verdict in OPEN else '-'
        row = '\t'.join((file.digest, file.path, m.tag, verdict, killer or '-', stands, '%.3f' % seconds, '%g' % self.limit)) + '\n'
        fd = os.open(self.own, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.write(fd, row.encode())  # one write: two jobs do not mix their lines
        os.close(fd)


class Judge:
    """Judges mutants one after the other, with a server of tests of its own."""

    def __init__(self, room, table, named):
        """`table` is a reach.Map; without one, `named` says of each function or file which tests to ask, and how long they take."""
        self.server, self.table, self.named = Server(room), table, named
        there = set(self.server.tests())
        self.seconds = {t: s for t, s in (table.seconds if table else named[None]).items() if t in there}
        self.own = reach.own_output()
        self.kills, self.asked = collections.Counter(), collections.Counter()
        self.passes = {}  # by test: without a fault, at this code

    def order(self, file, m):
        """Tests that reach the mutant's place: first those that kill much for their time, by what they did to neighbours
        and what their suite did to faults of the same kind, but those of one suite ever later."""
        if self.table:
            names = self.table.reaching(file, m.where, file.place_of(m))
        else:
            names = self.named.get('%s:%s' % (file.path, m.where)) or self.named.get(file.path, [])

        def worth(t):
            near, far, kind = (file.path, m.where, t), (file.path, t), (m.operator, t.split('/')[0])
            anywhere = (self.kills[kind] + 0.1) / (self.asked[kind] + 1)
            usual = (self.kills[far] + anywhere) / (self.asked[far] + 1)
            return (self.kills[near] + 2 * usual) / (self.asked[near] + 2) / (self.seconds[t] + COST)
        by_suite = collections.defaultdict(list)
        for t in sorted((t for t in names if t in self.seconds), key=lambda t: (self.of_own_output(t), -worth(t), self.seconds[t], t)):
            by_suite[t.split('/')[0]].append(t)
        ranked = [(self.of_own_output(t), -worth(t) * AGAIN ** k, self.seconds[t], t) for tests in by_suite.values() for k, t in enumerate(tests)]
        return [t for _, _, _, t in sorted(ranked)]

    def of_own_output(self, test):
        return test.split('/')[0] in self.own

    def count(self, file, m, test, killed):
        for key in ((file.path, m.where, test), (file.path, test), (m.operator, test.split('/')[0])):
            self.asked[key] += 1
            self.kills[key] += killed

    def sound(self, t):
        """Does the test pass without a fault?  It did when it was seen what it reaches, and the code may have changed since: asked once, before it kills."""
        if t not in self.passes:
            self.passes[t] = any(self.server.ask(None, t, PATIENCE + 6 * self.seconds[t])[0] in ('pass', 'skip') for _ in range(2))
            if not self.passes[t]:
                print('mutants: %s fails without any fault; it kills nothing' % t, flush=True)
        return self.passes[t]

    def judge(self, file, m, known, limit, suites=None, killer=None):
        """(verdict, killer); `limit`: the seconds of tests that it is asked; `suites`: the tests of others have been asked before; `killer`: the test
        that once killed it, which is asked first where it still reaches it."""
        if m.tag in known['broken']:
            return 'broken', known['broken'][m.tag].replace('\t', ' ')
        if m.tag in known['same']:
            return 'same', '-'
        if m.tag in known['double']:
            return 'double', known['double'][m.tag]
        names, total = self.order(file, m), 0.0
        if not names:
            return 'unreached', '-'
        for t in sorted(names, key=lambda t: t != killer):
            if suites is not None and t.split('/')[0] not in suites or not self.passes.get(t, True):
                continue
            total += self.seconds[t]
            if total > limit and total > self.seconds[t]:
                total -= self.seconds[t]
                continue
            for _ in range(2):  # What fails now and then on a busy machine proves nothing: it has to fail twice.
                verdict, _ = self.server.ask('%s:%s' % (file.path, m.tag), t, PATIENCE + 6 * self.seconds[t])
                if verdict not in ('fail', 'time'):
                    break
            if verdict in ('fail', 'time') and not self.sound(t):
                continue
            self.count(file, m, t, verdict in ('fail', 'time'))
            if verdict in ('fail', 'time'):
                return 'own' if self.of_own_output(t) else 'killed' if verdict == 'fail' else 'time', t
        return 'survives', '-'
