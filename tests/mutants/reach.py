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

LONGEST = 5.0  # seconds of the processor: a test dearer than that is not asked about a mutant

def digest(*paths):
    h = hashlib.sha256()
    for p in sorted(paths):
        with open(p, 'rb') as f:
            h.update(p.encode() + b'\0' + f.read() + b'\0')
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


def key_of_tree():
    """A digest of all that decides which test reaches what."""
    inputs = sorted(set(glob.glob('ref/**/*.[ch]', recursive=True) + glob.glob('harness/**/*.[ch]', recursive=True) + glob.glob('fast/**/*.[ch]', recursive=True)
                        + glob.glob('proofs/**/*.[ch]', recursive=True) + glob.glob('tests/*.[ch]')))
    return digest(*inputs)


def kept_map():
    """The map of an earlier run if it is of this tree, else None."""
    kept = os.path.join(build.ROOM, 'reach.json')
    if not os.path.exists(kept):
        return None
    with open(kept) as f:
        found = json.load(f)
    return found if found['key'] == key_of_tree() else None


def make_map(say):
    """{'tests': [names, the fastest first], 'seconds': [theirs], 'lines': {'file:line': [numbers of tests]}, 'bad': [..], 'dear': [..]}; tests that
    fail by themselves ('bad') and those that take longer than LONGEST ('dear') are asked nothing."""
    known = kept_map()
    if known:
        return known
    key, part, kept = key_of_tree(), os.path.join(build.ROOM, 'reach.part'), os.path.join(build.ROOM, 'reach.json')
    library = build.link_reach()
    room = build.open_room('reach-room')
    os.replace(library, os.path.join(room, build.B, 'libmutant.so'))
    lines = Lines(os.path.join(room, build.B, 'libmutant.so'))
    done = {}
    if os.path.exists(part):  # a run that was stopped goes on
        with open(part) as f:
            for row in map(json.loads, f):
                if row['key'] == key:
                    done[row['test']] = row
    names, marks = list_tests(), os.path.abspath(os.path.join(build.ROOM, 'marks'))
    with open(part, 'a' if done else 'w') as out:
        for k, name in enumerate(names):
            if name in done or name.startswith('mutants/'):
                continue
            if os.path.exists(marks):
                os.unlink(marks)
            start = time.time()
            before = os.times()
            verdict, _ = run_tests(room, [name], 2 * LONGEST, 20 * LONGEST, {'MERIDIAN_REACH': marks})
            after = os.times()
            seconds = after.children_user + after.children_system - before.children_user - before.children_system
            reached = sorted(lines.reached(marks)) if os.path.exists(marks) else []
            done[name] = {'key': key, 'test': name, 'verdict': verdict, 'seconds': round(seconds, 3), 'lines': reached}
            out.write(json.dumps(done[name]) + '\n')
            out.flush()
            say('%d/%d %s %s %.2f s (%.1f s), %d lines' % (k + 1, len(names), name, verdict, seconds, time.time() - start, len(reached)))
    tests = sorted((r['seconds'], r['test']) for r in done.values() if r['verdict'] == 'pass' and r['seconds'] < LONGEST)
    found = {'key': key, 'tests': [t for _, t in tests], 'seconds': [s for s, _ in tests], 'lines': {}, 'bad': sorted(t for t in done if done[t]['verdict'] == 'fail' and done[t]['seconds'] < LONGEST), 'dear': sorted(t for t in done if done[t]['seconds'] >= LONGEST)}
    for k, (_, t) in enumerate(tests):
        for line in done[t]['lines']:
            found['lines'].setdefault(line, []).append(k)
    with open(kept + '.part', 'w') as f:
        json.dump(found, f)
    os.replace(kept + '.part', kept)
    os.unlink(part)
    return found
