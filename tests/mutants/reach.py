"""Which test reaches which place of a mutated function: each test is run once with marks; kept in the build until its file changes."""
import functools
import hashlib
import json
import os
import re
import subprocess

import build
from server import Server

LONGEST = 8.0  # seconds of the processor: a test dearer than that is not asked about a mutant

# A suite may have no other tests than those of a macro for each row.
TEST = re.compile(r'^(?:#define \w+\(\w*\)\s(?:\\\n)?\s*)?(?:Parameterized)?Test\((?:struct \w+ \*\w+,\s*)?(\w+),\s*(\w+)', re.M)


def digest(*paths):
    """Of the texts of C files without comments and white space: a comment changes nothing."""
    h = hashlib.sha256()
    for p in sorted(paths):
        with open(p) as f:
            text = re.sub(r'("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')|/\*.*?\*/|//[^\n]*', lambda m: m.group(1) or ' ', f.read(), flags=re.S)
        h.update(('%s|%s|' % (p, re.sub(r'\s+', ' ', text))).encode())
    return h.hexdigest()[:16]


def suites():
    """{suite: a digest of the file that defines it}"""
    found = {}
    for f in sorted(os.listdir('tests')):
        if f.endswith(('.c', '.h')):
            with open(os.path.join('tests', f)) as text:
                for suite in {m.group(1) for m in TEST.finditer(text.read())}:
                    found[suite] = digest(os.path.join('tests', f))
    return found


OWN = 'mutants: what this suite expects is earlier output of this code'


def own_output():
    """Suites whose file says of itself that it compares with what this code once said: a fault that they alone notice was not shown to be one."""
    found = set()
    for f in sorted(os.listdir('tests')):
        if f.endswith('.c'):
            with open(os.path.join('tests', f)) as text:
                said = text.read()
            if OWN in ' '.join(said.replace('\n *', '\n').split()):
                found |= set(re.findall(r'^(?:Parameterized)?Test\((?:struct \w+ \*\w+, )?(\w+)', said, re.M))
    return found


class Map:
    """Which tests reach which place of which function.  Places are numbered within their function, and a function is known by its text: where it is
    the same as when a test ran, the place decides; where it has changed since, whether the test reached it; where there was no such function then,
    whether the test reached its file."""

    def __init__(self, rows, worlds):
        """`worlds`: {digest: {path: names of functions}}, as the files were when a row's test ran."""
        rows = list(rows)
        self.worlds, self.world_of = worlds, {r['test']: r.get('world') for r in rows}
        rows = sorted((r['seconds'], r['test'], r) for r in rows)
        fast = [r for s, _, r in rows if r['verdict'] == 'pass' and s < LONGEST]
        self.tests, self.seconds = [r['test'] for r in fast], {r['test']: r['seconds'] for r in fast}
        self.bad = sorted(r['test'] for s, _, r in rows if r['verdict'] == 'fail' and s < LONGEST)
        self.dear = sorted(r['test'] for s, _, r in rows if s >= LONGEST or r['verdict'] == 'time')
        self.at, self.texts = {}, {}
        for r in fast:
            for place, numbers in r['reached'].items():
                path, function, text = place.split(':')
                self.texts.setdefault('%s:%s' % (path, function), {})[r['test']] = text
                for key in {path, path + ':' + function, place, *('%s:%d' % (place, n) for n in numbers)}:
                    self.at.setdefault(key, []).append(r['test'])

    def reaching(self, file, where, place):
        """Tests, the fastest first: those that reached the place of this text, and those that ran when the function had another."""
        key, now = '%s:%s:%s' % (file.path, where, file.functions[where]), file.functions[where]
        seen = self.texts.get('%s:%s' % (file.path, where), {})
        old = [t for t, text in seen.items() if text != now]
        new = [t for t in self.at.get(file.path, []) if t not in seen and where not in self.worlds.get(self.world_of[t], {}).get(file.path, ())]
        return sorted(self.at.get('%s:%d' % (key, place), []) + old + new, key=lambda t: self.seconds[t])


def read_rows():
    """The latest row of each test; a run that was stopped left some."""
    path, rows = os.path.join(build.ROOM, 'reach.rows'), {}
    if os.path.exists(path):
        with open(path) as f:
            for row in map(json.loads, f):
                rows[row['test']] = row
    return rows


def kept_map():
    """What earlier runs of this build found, or None."""
    rows = read_rows()
    return Map(rows.values(), {w: read_world(w) for w in {r.get('world') for r in rows.values()}}) if rows else None


def world_at(name):
    return os.path.join(build.ROOM, 'world-%s.json' % name)


def read_world(name):
    """{path: names of functions}; empty where it was not kept."""
    return json.loads(build.read(world_at(name))) if name and os.path.exists(world_at(name)) else {}


def keep_world(files):
    """Keeps which functions there are now; the digest under which they are found again."""
    text = json.dumps({f.path: sorted(f.functions) for f in files}, sort_keys=True)
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    build.put(world_at(name), text)
    return name


def tests_that_are():
    """suite/test of all: those that the sources show, and those that macros make, as the runner lists them where it is built."""
    found, suite, alarm = set(), '', os.path.join(build.B, 'alarm')
    for f in sorted(os.listdir('tests')):
        if f.endswith(('.c', '.h')):
            found |= {'/'.join(m.groups()) for m in TEST.finditer(build.read(os.path.join('tests', f)))}
    if os.path.exists(alarm):
        listed = subprocess.run([alarm, '--list'], stdout=subprocess.PIPE, env=build.ENVIRONMENT, text=True, check=True).stdout
        for line in listed.splitlines():
            if re.match(r'\w+: \d+ tests?$', line):
                suite = line.split(':')[0]
            else:
                found.add(suite + '/' + line.split()[-1])
    return found


def to_run(again=False, only=''):
    """The tests that no earlier run has a row of, or whose file has changed since, or that reached a source which has another name now: where it is today they
    reach nothing that is known.  With `again`, all.  `only`: a pattern of suites.  A fault in this tool's own tests would be found by no mutant."""
    rows, own = read_rows(), suites()
    there = functools.lru_cache(None)(os.path.exists)

    def moved(row):
        return any(not there(place.split(':')[0]) for place in row['reached'])
    return {t for t in tests_that_are() for s in [t.split('/')[0]]
            if re.search(only, s) and s != 'mutants' and (again or t not in rows or rows[t]['own'] != own[s] or moved(rows[t]))}


def by_function(reached, files):
    """{file: numbers of marks} as {'file:function:text': [numbers within the function]}"""
    found = {}
    for f in files:
        for name, first in f.first_place.items():
            mine = [k - first for k in reached.get(f.path, ()) if first <= k < first + len(f.places[name])]
            if mine:
                found['%s:%s:%s' % (f.path, name, f.functions[name])] = mine
    return found


def make_map(files, room, todo, say):
    """Runs these tests with marks."""
    own, marks = suites(), os.path.join(build.ROOM, 'marks')
    if todo:
        world = keep_world(files)
        if os.path.exists(marks):
            os.unlink(marks)
        server = Server(room, marks)
        tests = [t for t in server.tests() if t in todo]
        hidden = sorted({t.split('/')[0] for t in tests} - set(own))
        if hidden:
            raise build.Broken("the suite '%s' is seen in no file of tests/: begin a line with Test(%s, .." % (hidden[0], hidden[0]))
        for k, name in enumerate(tests):
            verdict, seconds, reached = server.reach(name, 1.2 * LONGEST)
            row = {'test': name, 'own': own[name.split('/')[0]], 'verdict': 'pass' if verdict == 'skip' else verdict, 'seconds': round(seconds, 4),
                   'world': world, 'reached': by_function(reached, files)}
            with open(os.path.join(build.ROOM, 'reach.rows'), 'a') as out:
                out.write(json.dumps(row) + '\n')
            say('%d/%d %s %s %.3f s, %d functions' % (k + 1, len(tests), name, verdict, seconds, len(row['reached'])))
        server.close()
    return kept_map()
