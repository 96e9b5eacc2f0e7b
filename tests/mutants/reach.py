"""Which test reaches which line: each test is run once with marks at every basic block; kept in the build until a source or a test changes."""
import bisect
import glob
import hashlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time

import build

LONGEST = 4.0  # seconds of the processor: a test dearer than that is not asked about a mutant

def digest(*paths):
    """Of the texts of C files without comments and white space: a comment changes nothing."""
    h = hashlib.sha256()
    for p in sorted(paths):
        with open(p) as f:
            text = re.sub(r'("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')|/\*.*?\*/|//[^\n]*', lambda m: m.group(1) or ' ', f.read(), flags=re.S)
        h.update(('%s|%s|' % (p, re.sub(r'\s+', ' ', text))).encode())
    return h.hexdigest()[:16]


def list_tests():
    """suite/test of all; the list is Criterion's own."""
    said = build.run([os.path.join(build.ROOM, 'alarm'), '--list', '--ascii']).stdout
    names, suite = [], None
    for line in said.splitlines():
        head, one = re.match(r'(\w+): \d+ tests?$', line), re.match(r'\W+(\w+)', line)
        if head:
            suite = head.group(1)
        elif one and suite:
            names.append('%s/%s' % (suite, one.group(1)))
    if not names:
        raise build.Broken('%s/alarm lists no tests; run make %s/alarm' % (build.ROOM, build.B))
    return names


def run_tests(room, names, cpu, wall, environment=None):
    """Runs tests until one fails.  'pass', 'fail' or 'time'; which of them failed, where Criterion says so."""
    pattern = names[0] if len(names) == 1 else '@(%s)' % '|'.join(names)
    env = dict(build.ENVIRONMENT, **(environment or {}))
    env['LC_ALL'] = 'C'
    said = tempfile.TemporaryFile()

    def limits():
        import resource
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    child = subprocess.Popen([os.path.join(build.B, 'alarm'), '-j1', '--fail-fast', '--filter', pattern], cwd=room, env=env, preexec_fn=limits,
                             start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
    try:
        verdict = 'pass' if child.wait(timeout=wall) == 0 else 'fail'
    except subprocess.TimeoutExpired:
        verdict = 'time'
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()
    said.seek(0)
    failed = re.search(rb'\[(?:FAIL|CRASH)\] (\w+)::(\w+)', said.read(1 << 20)) if verdict == 'fail' else None
    said.close()
    return verdict, '%s/%s' % (failed.group(1).decode(), failed.group(2).decode()) if failed else ''


class Lines:
    """From marks to lines: the calls at the heads of blocks, and what the line table says of the code between them."""

    def __init__(self, library):
        said = build.run(['objdump', '-d', '--no-show-raw-insn', library]).stdout
        calls = [(int(m.group(1), 16), int(m.group(2), 16)) for m in
                 re.finditer(r'^ *([0-9a-f]+):\tcall +[0-9a-f]+ <__sanitizer_cov_trace_pc(?:@plt)?>\n *([0-9a-f]+):', said, re.M)]
        begins = sorted(int(a, 16) for a in re.findall(r'^([0-9a-f]+) <[^>]*>:$', said, re.M))
        self.calls = [c[0] for c in calls]          # where a block begins
        self.marks = {c[1]: k for k, c in enumerate(calls)}  # the place of return that is marked -> the block
        paths, rows = {build.flat(f): f for f in build.sources()}, []
        for line in build.run(['objdump', '--dwarf=decodedline', library]).stdout.splitlines():
            m = re.match(r'(\S+)\s+(\d+|-)\s+0x([0-9a-f]+)', line)
            if m:
                rows.append((int(m.group(3), 16), paths.get(m.group(1)), m.group(2)))
        self.of_block = [set() for _ in calls]
        for (at, path, n), (end, _, _) in zip(rows, rows[1:]):
            if not path or n == '-':
                continue
            first = bisect.bisect_right(self.calls, at) - 1
            if first < 0 or self.calls[first] < begins[bisect.bisect_right(begins, at) - 1]:
                first += 1  # a function's own begin, before its first block says so
            last = bisect.bisect_left(self.calls, end) - 1
            for k in range(first, min(max(first, last) + 1, len(calls))):
                self.of_block[k].add('%s:%s' % (path, n))

    def reached(self, path):
        with open(path, 'rb') as f:
            f.seek(0)
            data = f.read(max(self.marks) + 1)
        lines = set()
        for m in re.finditer(b'\x01', data):
            k = self.marks.get(m.start())
            if k is not None:
                lines |= self.of_block[k]
        return lines


def suites():
    """{suite: a digest of the file that defines it}"""
    found = {}
    for f in sorted(os.listdir('tests')):
        if f.endswith(('.c', '.h')):
            with open(os.path.join('tests', f)) as text:
                for suite in set(re.findall(r'^(?:Parameterized)?Test\((?:struct \w+ \*\w+, )?(\w+)', text.read(), re.M)):
                    found[suite] = digest(os.path.join('tests', f))
    return found


class Map:
    """Which tests reach which line of which function.  A line is counted from its function's first, and a function is known by its text: where it is
    the same as when the tests ran, its lines decide; where it has changed since, all that reached it; where it is new, all that reached its file."""

    def __init__(self, rows):
        rows = sorted((r['seconds'], r['test'], r) for r in rows)
        fast = [r for s, _, r in rows if r['verdict'] == 'pass' and s < LONGEST]
        self.tests, self.seconds = [r['test'] for r in fast], [r['seconds'] for r in fast]
        self.bad = sorted(r['test'] for s, _, r in rows if r['verdict'] != 'pass' and s < LONGEST)
        self.dear = sorted(r['test'] for s, _, r in rows if s >= LONGEST)
        self.at = {}
        for k, r in enumerate(fast):
            for place, lines in r['reached'].items():
                path, function, text = place.split(':')
                for key in (path, path + ':' + function, *('%s:%d' % (place, n) for n in lines)):
                    self.at.setdefault(key, []).append(k)
                self.at.setdefault(place, []).append(k)

    def reaching(self, file, where, lines):
        """Numbers of tests, the fastest first."""
        first, _, text = file.functions[where]
        place = '%s:%s:%s' % (file.path, where, text)
        if place in self.at:
            exact = set().union(*(self.at.get('%s:%d' % (place, n - first), ()) for n in lines))
            return sorted(exact or self.at[place])
        return sorted(self.at.get('%s:%s' % (file.path, where)) or self.at.get(file.path, ()))


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
    return Map(rows.values()) if rows else None


def by_function(lines, files):
    """['file:line'] as {'file:function:text': [lines from its first]}"""
    spans = {f.path: sorted((first, last, name, text) for name, (first, last, text) in f.functions.items()) for f in files}
    found = {}
    for place in lines:
        path, n = place.rsplit(':', 1)
        for first, last, name, text in spans.get(path, ()):
            if first <= int(n) <= last:
                found.setdefault('%s:%s:%s' % (path, name, text), []).append(int(n) - first)
    return found


def make_map(files, say, again=False, only=''):
    """Runs the tests that no earlier run has a row of, or whose file has changed since; with `again`, all.  `only`: a pattern of suites."""
    rows, own = read_rows(), suites()
    names = [t for t in list_tests() if re.search(only, t.split('/')[0])]
    todo = [t for t in names if not t.startswith('mutants/') and (again or t not in rows or rows[t]['own'] != own.get(t.split('/')[0]))]
    if todo:
        library = build.link_reach()
        room = build.open_room('reach-room')
        os.replace(library, os.path.join(room, build.B, 'libmutant.so'))
        lines = Lines(os.path.join(room, build.B, 'libmutant.so'))
        marks = os.path.abspath(os.path.join(build.ROOM, 'marks'))
    for k, name in enumerate(todo):
        if os.path.exists(marks):
            os.unlink(marks)
        before = os.times()
        verdict, _ = run_tests(room, [name], 2 * LONGEST, 20 * LONGEST, {'MERIDIAN_REACH': marks})
        after = os.times()
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        reached = by_function(lines.reached(marks), files) if os.path.exists(marks) else {}
        rows[name] = {'test': name, 'own': own.get(name.split('/')[0]), 'verdict': verdict, 'seconds': round(seconds, 3), 'reached': reached}
        with open(os.path.join(build.ROOM, 'reach.rows'), 'a') as out:
            out.write(json.dumps(rows[name]) + '\n')
        say('%d/%d %s %s %.2f s, %d functions' % (k + 1, len(todo), name, verdict, seconds, len(reached)))
    return Map(rows[t] for t in names if t in rows)
