"""make lint: the house rules that a program can check, with a closing table.

    python3 tests/lint/lint.py [--say RULE] [--all]

Folders lie in rooms (fast, ref, proofs, harness), a room includes only what lies below it, and no folders include each
other in a circle; what counts is a name that is used, not an include alone.  Folders whose files are found by name (rows,
verbs, checks, tests and the like) may be of any size.  Exit 0 where every rule holds, 1 with the places where one does not."""
import sys
sys.dont_write_bytecode = True
import argparse
import collections
import os
import re
import subprocess

from calls import called
from source import Source, c_files, function_name, parameters

COLUMNS, FILES, PARAMETERS, MACROS, LONGEST, PAGE = 120, 25, 8, 12, 60, 150
ROOMS = ['fast', 'ref', 'proofs', 'harness', 'data', 'tests']
TOP = set(ROOMS) | {'Makefile', 'README.md', 'LICENSE'}
SITES, TAKEN = 'ref/core/edit/site.h', 'ref/core/edit/taken.h'
EXACT = {'b_max', 'b_min', 'b_neg', 'b_abs', 'b_floor', 'b_ceil'}  # what gives no number that its operands' formats would not hold
OWN = 'meridian'  # the program that is built here
PUBLIC = 'fast/meridian.h'  # The installed header lies below every room.
NO_NAME = {'main', 'Test', 'ReportHook', '__attribute__'}  # what the outline takes for a function's name, and is none of this program
BELOW = {'fast': [], 'ref': ['fast'], 'proofs': ['ref'], 'harness': ['fast', 'ref', 'proofs']}


def registry(folder):
    """Whether the build finds the files of this folder by name (see the lists at the head of the Makefile)."""
    return folder in found_by_name()


def found_by_name(seen={}):
    """The folders of the Makefile's lists: $(call name,FOLDER/*.c), and the slots of the kernels."""
    if not seen:
        with open('Makefile') as f:
            text = f.read()
        for m in re.finditer(r'\$\(call name,([^()]*)\)', text):
            for word in m.group(1).split():
                if word.endswith('/*.c'):
                    seen[word[:-4]] = True
        seen.update({os.path.join('fast', s): True for s in os.listdir('fast') if os.path.isdir('fast/' + s) and s != 'core'})
    return seen


def circles(graph):
    """Strongly connected components of more than one node (Tarjan 1972)."""
    index, low, stack, on, out = {}, {}, [], set(), []
    sys.setrecursionlimit(10000)

    def visit(x):
        index[x] = low[x] = len(index)
        stack.append(x)
        on.add(x)
        for y in sorted(graph.get(x, ())):
            if y not in index:
                visit(y)
                low[x] = min(low[x], low[y])
            elif y in on:
                low[x] = min(low[x], index[y])
        if low[x] == index[x]:
            c = []
            while not c or c[-1] != x:
                c.append(stack.pop())
                on.discard(c[-1])
            if len(c) > 1:
                out.append(sorted(c))
    for x in sorted(graph):
        if x not in index:
            visit(x)
    return out


class House:
    """Every file, who declares a name, and who uses whom."""

    def __init__(self):
        self.files = {p: Source(p) for p in c_files(ROOMS)}
        self.headers = [p for p in self.files if p.endswith('.h')]
        self.named = collections.defaultdict(list)
        for p in self.headers:
            self.named[os.path.basename(p)].append(p)
        self.declares = collections.defaultdict(set)
        for p in self.headers:
            if p.startswith('tests/'):
                continue  # Tests have names of their own.
            for n in self.files[p].names:
                self.declares[n].add(p)
            for t in self.files[p].tags:
                self.declares['struct ' + t].add(p)
        self.edges = {p: self.used(p) for p in self.files}

    def meant(self, path, include):
        """The file of the tree that an include names, or None."""
        near = os.path.normpath(os.path.join(os.path.dirname(path), include))
        if near in self.files:
            return near
        ends = [h for h in self.named.get(os.path.basename(include), []) if ('/' + h).endswith('/' + include)]
        return ends[0] if ends else None

    def reached(self, path, seen):
        for i in self.files[path].includes:
            h = self.meant(path, i)
            if h and h not in seen:
                seen.add(h)
                self.reached(h, seen)
        return seen

    def used(self, path):
        """{header: names} of what this file uses of the headers that it reaches."""
        s, out = self.files[path], collections.defaultdict(set)
        reach = self.reached(path, set())
        names, tags = s.uses()
        for n in names - set(s.names):
            for h in self.declares.get(n, set()) & reach:
                out[h].add(n)
        for t in tags - set(s.tags):
            for h in self.declares.get('struct ' + t, set()) & reach:
                out[h].add('struct ' + t)
        out.pop(path, None)
        return out


def home(path):
    return PUBLIC if path == PUBLIC else os.path.dirname(path)


def scripts():
    """The files that call programs: shell, Python and the Makefile."""
    for room in ['.ci', *ROOMS]:
        for folder, inner, names in os.walk(room):
            inner[:] = sorted(n for n in inner if not n.startswith('.') and n != 'target')
            yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith(('.sh', '.py')) or room == '.ci')
    yield 'Makefile'


def looked_for():
    """{name of a program: its line} of data/needs.tsv."""
    out = {}
    if os.path.exists('data/needs.tsv'):
        with open('data/needs.tsv') as f:
            rows = [line.rstrip('\n').split('\t') for line in f if not line.startswith('#')]
        for row in rows:
            kind, *names = row[5].split()
            out.update({n: row[0] for name in names if kind == 'command' for n in name.split('|')})
    return out


def rule_needs(h):
    """programs that are called and stand in no line of data/needs.tsv, or the other way round"""
    there, texts = looked_for(), {}
    for path in scripts():
        with open(path) as f:
            texts[path] = f.read()
    for path, text in texts.items():
        for name in sorted(called(path, text) - set(there) - {OWN}):
            yield '%s calls %s' % (path, name)
    used = {w for text in [*texts.values(), *(s.text for s in h.files.values())] for w in re.findall(r'[\w.+-]+', text)}
    for name in sorted(set(there) - used):
        yield 'data/needs.tsv: nothing calls %s (%s)' % (name, there[name])


def rule_circles(h):
    """folders that use each other in a circle"""
    graph, why = collections.defaultdict(set), {}
    for p, to in h.edges.items():
        if p.startswith('tests/'):
            continue
        for q, names in to.items():
            if home(p) != home(q):
                graph[home(p)].add(home(q))
                why.setdefault((home(p), home(q)), '%s uses %s of %s' % (p, sorted(names)[0], q))
    for c in circles(graph):
        yield ' '.join(c) + ''.join('\n      ' + why[a, b] for a in c for b in c if (a, b) in why)


def rule_files(h):
    """files that use each other in a circle, a source and its header being one"""
    graph, why = collections.defaultdict(set), {}
    for p, to in h.edges.items():
        for q, names in to.items():
            a, b = os.path.splitext(p)[0], os.path.splitext(q)[0]
            if a != b and q != PUBLIC and not p.startswith('tests/'):
                graph[a].add(b)
                why.setdefault((a, b), '%s uses %s of %s' % (p, sorted(names)[0], q))
    for c in circles(graph):
        yield ' '.join(c) + ''.join('\n      ' + why[a, b] for a in c for b in c if (a, b) in why)


def rule_rooms(h):
    """uses of a room above"""
    for p, to in sorted(h.edges.items()):
        room = p.split('/')[0]
        for q in sorted(to):
            other = q.split('/')[0]
            if room != other and q != PUBLIC and room in BELOW and other not in BELOW[room]:
                yield '%s uses %s of %s' % (p, sorted(to[q])[0], q)


def rule_core(h):
    """uses of a folder of files found by name from the core beside it"""
    for p, to in sorted(h.edges.items()):
        for q in sorted(to):
            if '/core/' in p and registry(home(q)) and q != PUBLIC and not p.startswith('tests/'):
                yield '%s uses %s of %s' % (p, sorted(to[q])[0], q)


def rule_folders(h):
    """folders of more than 25 sources"""
    count = collections.Counter(os.path.dirname(p) for p in h.files)
    for folder, n in sorted(count.items()):
        if n > FILES and not registry(folder) and not folder.startswith('tests'):
            yield '%s: %d' % (folder, n)


def rule_columns(h):
    """lines of more than 120 columns"""
    for p, s in sorted(h.files.items()):
        for k, line in enumerate(s.text.split('\n')):
            if len(line) > COLUMNS:
                yield '%s:%d: %d' % (p, k + 1, len(line))


def rule_pages(h):
    """pages of ref of 150 lines or more"""
    for p, s in sorted(h.files.items()):
        n = s.text.count('\n')
        if os.path.dirname(p) == 'ref' and p.endswith('.c') and n >= PAGE:
            yield '%s: %d' % (p, n)


def rule_shared(h):
    """parameters that several tables of ref write out alike, not by ref/core/row/shared.h"""
    where = collections.defaultdict(list)
    for p, s in sorted(h.files.items()):
        if not p.startswith('ref/'):
            continue
        # { "name", "default", "help", KIND, offsetof(..), what is allowed }: all but the place in the row's struct
        for m in re.finditer(r'\{\s*("[^"]*"\s*,\s*"[^"]*"\s*,\s*(?:"(?:[^"\\]|\\.)*"\s*)+,\s*[A-Z]+)\s*'
                             r'(?:,\s*offsetof\s*\([^()]*\))?([^{}]*)\}', s.text):
            where[re.sub(r'\s+', ' ', (m.group(1) + m.group(2)).strip())].append(p)
    for text, files in sorted(where.items()):
        if len(files) > 1:
            yield '%s: %s' % (text, ' '.join(files))


def rule_tags(h):
    """struct tags that several files define"""
    where = collections.defaultdict(set)
    for p, s in h.files.items():
        # A test file has names of its own, but what it includes has not.
        for t in s.tags if not p.startswith('tests/') or p.endswith('.h') else ():
            where[t].add(p)
    for t, files in sorted(where.items()):
        if len(files) > 1:
            yield 'struct %s: %s' % (t, ' '.join(sorted(files)))


def rule_guards(h):
    """include guards that several headers have: who includes two of them gets one"""
    where = collections.defaultdict(set)
    for p, s in sorted(h.files.items()):
        guard = re.search(r'^#ifndef (\w+)\n#define \1$', s.text, re.M) if p.endswith('.h') else None
        if guard:
            where[guard.group(1)].add(p)
    for g, files in sorted(where.items()):
        if len(files) > 1:
            yield '%s: %s' % (g, ' '.join(sorted(files)))


def one_program(path):
    """Whether this source is linked with the library: kernels of a slot have names of its own, and examples, adapters and the
    readers of libFuzzer are programs for themselves."""
    slot = path.startswith('fast/') and not path.startswith('fast/core/')
    alone = path.startswith(('harness/adapters/', 'tests/')) and not re.match(r'tests/(fuzz/storm/)?\w+\.c$', path)
    return not slot and not alone and not path.endswith('storm/subject.c')


def rule_twice(h):
    """functions that several files of one program define"""
    bodies = collections.defaultdict(set)
    for p, s in h.files.items():
        if not p.endswith('.c') or not one_program(p):
            continue
        for text, head, line in s.pieces:
            f = function_name(head)
            if f and f not in NO_NAME and head.rstrip().endswith('}') and not re.match(r'\s*static\b', head):
                bodies[f].add(p)
    for f, where in sorted(bodies.items()):
        if len(where) > 1:
            yield '%s: %s' % (f, ' '.join(sorted(where)))


def rule_parameters(h):
    """functions of more than 8 parameters"""
    for p, s in sorted(h.files.items()):
        for text, head, line in s.pieces:
            n = parameters(head) if function_name(head) else None
            if n and n > PARAMETERS and (p.endswith('.h') or head.rstrip().endswith('}')):
                yield '%s:%d: %s: %d' % (p, line, function_name(head), n)


def rule_macros(h):
    """macros of code (of more than 12)"""
    seen = []
    for p, s in sorted(h.files.items()):
        if p.startswith('tests/'):
            continue
        for m in re.finditer(r'^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\))?((?:[^\n\\]|\\\n|\\.)*)', s.code, re.M):
            # a string that others are joined with is text, which C has no other way to write
            text = not m.group(2) and re.fullmatch(r'(?:\s|\\\n|"[^"]*"|[A-Z_0-9]+)*', m.group(3)) and '"' in m.group(3)
            # what tells a call where it is written (ref/core/edit/site.h) is one table of names, and not code
            if not text and not m.group(1).endswith('_H') and 'HERE' not in m.group(0):
                seen.append('%s: %s' % (p, m.group(1)))
    if len(seen) > MACROS:
        yield from seen


def rule_prototypes(h):
    """prototypes of headers without a comment"""
    for p in h.headers:
        if p.startswith('tests/'):
            continue
        s, lines = h.files[p], h.files[p].text.split('\n')
        said = False
        for text, head, line in s.pieces:
            f = function_name(head)
            if not f or s.names.get(f) != 'function':
                continue
            end = line + text.strip('\n').count('\n')
            above = lines[line - 2].strip() if line > 1 else ''
            here = any('/*' in l for l in lines[line - 1:end])
            prototype_above = above.endswith(';') or '; /*' in above
            said = here or above.endswith('*/') or prototype_above and said
            if not said:
                yield '%s:%d: %s' % (p, line, f)


def rule_modules(h):
    """headers that declare what another folder defines"""
    bodies = collections.defaultdict(set)
    for p, s in h.files.items():
        if p.endswith('.c'):
            for text, head, line in s.pieces:
                if not re.match(r'\s*static\b', head):
                    f = function_name(head)
                    m = re.search(r'(\w+)\s*(?:\[[^\]]*\]\s*)*=', head)
                    if f and head.rstrip().endswith('}'):
                        bodies[f].add(p)
                    elif not f and m:
                        bodies[m.group(1)].add(p)
    for p in h.headers:
        for n, kind in sorted(h.files[p].names.items()):
            where = bodies.get(n, set())
            # This is a kernel of one instruction set.
            slot = all(w.startswith('fast/') and w.split('/')[1] != 'core' for w in where)
            # a page and its gradients are one module, and a row is an object of the whole tree
            page = any(os.path.basename(w)[:-2] == os.path.basename(p)[:-2] for w in where) or n.startswith('row_')
            if kind in ('function', 'variable') and where and not slot and not page and not any(home(w) == home(p) for w in where):
                yield '%s: %s is of %s' % (p, n, ' '.join(sorted(where)))


def rule_operations(h):
    """operations that a page's edits know and whose operands are noted nowhere else (ref/core/edit)"""
    if SITES not in h.files:
        return
    taken = set(re.findall(r'^#define (b_\w+)\(', h.files[TAKEN].text, re.M))
    for m in re.finditer(r'^#define (b_\w+)\((.*)$', h.files[SITES].text, re.M):
        if m.group(1) not in taken and re.search(r'site_one|site_two|noted', m.group(2)) and m.group(1) not in EXACT:
            yield '%s: %s' % (TAKEN, m.group(1))


def rule_opening(h):
    """files that do not open with what they are for"""
    for p, s in sorted(h.files.items()):
        first = s.text.lstrip().split('\n')[0]
        if not first.startswith('/*') or re.fullmatch(r'/\*\s*[Ss]ee \S+\s*\*/', first):
            yield '%s: %s' % (p, first[:60])


def rule_workers(h):
    """forks whose child outlives its parent"""
    for p, s in sorted(h.files.items()):
        # What runs foreign code has processes that see to their own end, and to that of what they started.
        if p.startswith('harness/') and not p.startswith('harness/subject/') and p != 'harness/base/worker.c':
            for m in re.finditer(r'\bv?fork\s*\(', s.code):
                yield '%s:%d: worker_fork (base/worker.h) is the one' % (p, s.code.count('\n', 0, m.start()) + 1)


def rule_top(h):
    """entries of the top level beyond those that are fixed"""
    kept = subprocess.run(['git', 'ls-files'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) if os.path.exists('.git') else None
    names = {f.split('/')[0] for f in kept.stdout.split('\n') if f} if kept and not kept.returncode else set(os.listdir('.')) - {'build', 'dist', 'report'}
    yield from sorted(n for n in names if n not in TOP and not n.startswith('.'))


RULES = collections.OrderedDict((f.__name__[5:], f) for f in (
    rule_circles, rule_files, rule_rooms, rule_core, rule_folders, rule_columns, rule_pages, rule_shared, rule_tags, rule_guards, rule_twice, rule_parameters, rule_macros,
    rule_prototypes, rule_modules, rule_operations, rule_opening, rule_needs, rule_workers,
    rule_top))


def main():
    p = argparse.ArgumentParser(prog='lint.py', description='the house rules that a program can check')
    p.add_argument('--say', default='', help='one rule: every place')
    p.add_argument('--all', action='store_true', help='every place of every rule')
    a = p.parse_args()
    if a.say and a.say not in RULES:
        p.error('--say %s: one of %s' % (a.say, ' '.join(RULES)))
    h, bad = House(), 0
    table = []
    for name, rule in RULES.items():
        if a.say and a.say != name:
            continue
        places = list(rule(h))
        bad += len(places)
        table.append((name, len(places), rule.__doc__))
        for place in places if a.all or a.say else places[:5]:
            print('  %s: %s' % (name, place))
    print('%-12s%8s  %s' % ('rule', 'places', 'what'))
    for name, n, what in table:
        print('%-12s%8d  %s' % (name, n, what))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
