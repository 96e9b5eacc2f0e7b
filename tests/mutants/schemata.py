"""All mutants of a file in one object: every function once as written, once with marks, once with each fault.

A function that has mutants becomes a call through its slot, a pointer to the version that holds; plant.h and plant.c choose it.  So a file is compiled
once and the program linked once for all its mutants, and a fault costs what its tests cost.  What is inline in a header becomes an ordinary function of the
header's own object: the files that call it are compiled with a header that only declares it.

The version with marks says which places a test reaches: a place is a run of statements of which all are reached where the first one is, or an operand that is
not always evaluated.

The compiler's own text of each version decides what no test has to: a version whose code is that of the function as written is the same, and of versions with
one code one is asked."""
import hashlib
import json
import os
import re

import build

PLAIN = '0'     # the version as written
STRAIGHT = ('expression', 'declaration', 'empty')  # behind these the next statement is reached


# places

class Place:
    """A stretch of a function's text that is reached as a whole; `kind` says how a mark is put there."""
    __slots__ = ('start', 'end', 'kind')

    def __init__(self, start, end, kind):
        self.start, self.end, self.kind = start, end, kind


def places_of(function, text):
    """The places of a function; the first is all of it."""
    found = [Place(function.start, function.end, 'entry')]

    def body(node):
        if node.kind == 'block':
            block(node)
        elif node.kind != 'empty':
            found.append(Place(node.start, node.end, 'alone'))
            inside(node)

    def block(node, first=False):
        run = found[0] if first else None
        for s in node.parts:
            if s.kind == 'label':
                run = None
                continue
            if run is None:
                run = Place(s.start, s.end, 'run')
                found.append(run)
            run.end = max(run.end, s.end)
            inside(s)
            if s.kind not in STRAIGHT:
                run = None

    def inside(s):
        if s.kind == 'block':
            block(s)
        elif s.kind == 'if':
            operand(s.parts[0])
            for p in s.parts[1:]:
                body(p)
        elif s.kind in ('for', 'while', 'switch'):
            for p in s.parts[:-1]:
                operand(p)
            body(s.parts[-1])
        elif s.kind == 'do':
            body(s.parts[0])
            operand(s.parts[1])
        elif not (s.kind == 'declaration' and text.startswith('static', s.start)):
            operand(s)

    def operand(e):
        if e.kind == 'declaration' and text.startswith('static', e.start):
            return
        sometimes = e.parts[1:] if e.kind == 'ternary' or e.kind == 'binary' and e.op.text in ('&&', '||') else ()
        for p in e.parts:
            if p in sometimes:
                found.append(Place(p.start, p.end, 'operand'))
            operand(p)

    block(function.body, first=True)
    return found


def place_at(places, start, end):
    """The number of the smallest place that holds all of a stretch."""
    return min((k for k, p in enumerate(places) if p.start <= start and end <= p.end), key=lambda k: places[k].end - places[k].start)


# versions

def head_of(function, text):
    """A function's text before its body, in two: storage, and the rest."""
    head = text[function.start:function.body.start].rstrip()
    storage = re.match(r'(?:(?:static|inline|extern|__inline)\s+)*', head).group()
    return storage, head[len(storage):]


def arguments(head, name):
    """The names of a function's parameters, or None where they cannot be passed on one by one."""
    at = re.search(r'\b%s\s*\(' % name, head).end()
    names, depth, part = [], 0, ''
    for c in head[at:]:
        if c == ')' and depth == 0:
            break
        depth += (c in '([') - (c in ')]')
        if c == ',' and depth == 0:
            names.append(part)
            part = ''
        else:
            part += c
    names.append(part)
    if len(names) == 1 and names[0].strip() in ('', 'void'):
        return []
    found = [re.search(r'\(\s*\*\s*(?:const\s+)?(\w+)', n) or re.search(r'(\w+)\s*(?:\[[^\]]*\]\s*)*$', n) for n in names]
    return None if any('...' in n for n in names) or None in found else [m.group(1) for m in found]


def version(function, head, name, body, place):
    """`place`: the directive that gives the body the lines that it has in its file, which the code may speak of."""
    renamed = re.sub(r'\b%s(?=\s*\()' % function.name, '%s__%s' % (function.name, name), head, count=1)
    return 'static __attribute__((noipa)) %s\n%s%s\n' % (renamed, place, body)


def marked(text, function, places, first, name, finest):
    """The body with a mark at each place; `finest` 2: all, 1: no operands, 0: the function alone."""
    before, behind = {}, {}
    for k, p in enumerate(places):
        mark = 'MARK(%s, %d)' % (name, first + k)
        if p.kind == 'entry':
            before.setdefault(function.body.start + 1, []).append(' %s;' % mark)
        elif p.kind == 'operand' and finest == 2:
            before.setdefault(p.start, []).append('(%s, ' % mark)
            behind.setdefault(p.end, []).append(')')
        elif p.kind == 'run' and finest:
            before.setdefault(p.start, []).append(' %s; ' % mark)
        elif p.kind == 'alone' and finest:
            before.setdefault(p.start, []).append('{ %s; ' % mark)
            behind.setdefault(p.end, []).append(' }')
    out, at = '', function.body.start
    for place in sorted(set(before) | set(behind)):
        out += text[at:place] + ''.join(reversed(behind.get(place, []))) + ''.join(before.get(place, []))
        at = place
    return out + text[at:function.body.end]


class Writer:
    """Writes the source of one file's object."""

    def __init__(self, file, tags, dropped, finest):
        """`tags`: the mutants that are there, and '*' for marks; `dropped`: those that do not compile; `finest`: {function: how fine its marks are}."""
        self.file, self.tags, self.dropped, self.finest = file, tags, dropped, finest
        self.name, self.out = re.sub(r'\W', '_', file.path), []

    def line(self, at):
        return '#line %d "%s"\n' % (self.file.line_at(at), self.file.path)

    def source(self):
        text, at = self.file.text, 0
        self.out.append('#include "plant.h"\n')
        if '*' in self.tags:
            self.out.append('MARKS(%s, "%s", %d);\n' % (self.name, self.file.path, max(1, sum(len(p) for p in self.file.places.values()))))
        self.out.append(self.line(0))
        for f in self.file.trees:
            mine = [m for m in self.file.mutants if m.where == f.name]
            if mine:
                self.out.append(text[at:f.start])
                self.function(f, mine)
                self.out.append(self.line(f.end))
                at = f.end
        self.out.append(text[at:])
        return ''.join(self.out)

    def function(self, f, mutants):
        text, line = self.file.text, self.line(f.body.start)
        storage, head = head_of(f, text)
        if self.file.path.endswith('.h'):
            storage = ''
            self.out.append('%s __asm__("%s_%s");\n' % (head, self.name, f.name))
        self.out.append('\n%s%s;\n' % (storage, head))
        self.out.append(version(f, head, PLAIN, text[f.body.start:f.body.end], line))
        self.out.append('static __typeof__(%s__0) *slot_of_%s = %s__0;\n' % (f.name, f.name, f.name))
        for m in mutants:
            if m.tag in self.tags and m.tag not in self.dropped:
                lost = '\n' * (m.before.count('\n') - m.after.count('\n'))
                self.out.append(version(f, head, m.tag, text[f.body.start:m.start] + m.after + lost + text[m.end:f.body.end], line))
                self.out.append('PLANT(%s_%s, "%s:%s", slot_of_%s, %s__%s);\n' % (self.name, m.tag, self.file.path, m.tag, f.name, f.name, m.tag))
        if '*' in self.tags:
            body = marked(text, f, self.file.places[f.name], self.file.first_place[f.name], self.name, self.finest.get(f.name, 2))
            self.out.append(version(f, head, 'marks', body, line))
            self.out.append('PLANT(%s_%s_marks, "*", slot_of_%s, %s__marks);\n' % (self.name, f.name, f.name, f.name))
        names = arguments(head, f.name)
        if names is None:
            call = '__builtin_return(__builtin_apply((void (*)())slot_of_%s, __builtin_apply_args(), 256));' % f.name
        else:
            call = '%s(*slot_of_%s)(%s);' % ('' if f.result == 'void' else 'return ', f.name, ', '.join(names))
        self.out.append('%s%s { %s }\n' % (storage, head, call))


def declared(file):
    """A header in which the functions that have mutants are only declared."""
    name, out, at = re.sub(r'\W', '_', file.path), '', 0
    with_mutants = {m.where for m in file.mutants}
    for f in file.trees:
        if f.name in with_mutants:
            out += file.text[at:f.start] + '%s __asm__("%s_%s");' % (head_of(f, file.text)[1], name, f.name)
            at = f.end
    return out + file.text[at:]


# objects

def refused(said, path):
    """{(function, version): what the compiler has against it}; an error elsewhere is one that such a version has made."""
    bad, where = {}, None
    for line in said.splitlines():
        m = re.search(r": In function '(\w+?)__(\w+)':", line)
        if m:
            where = m.groups()
        elif ': At top level:' in line:
            where = None
        elif ': error: ' in line:
            if where and where[1] != PLAIN:
                bad.setdefault(where, line.split(': error: ', 1)[1][:100])
    if not bad:
        raise build.Broken('%s: %s' % (path, said.strip()[:600]))
    return bad


def codes_of(assembly):
    """{function: its code}, with labels counted from its begin and constants in the place of their names."""
    constants, label = {}, None
    for line in assembly.split('\n'):
        m = re.match(r'(\.LC\d+):', line)
        if m:
            label = m.group(1)
            constants[label] = ''
        elif label and re.match(r'\t\.(long|quad|string|ascii|byte|value|zero|octa)', line):
            constants[label] += line
        elif label and not line.startswith('\t.align'):
            label = None
    codes = {}
    for m in re.finditer(r'^([A-Za-z_]\w*):\n(.*?)^\t\.size\t\1, ', assembly, re.M | re.S):
        name, number = m.group(1), {}

        def plain(k):
            word = k.group()
            return constants[word] if word in constants else number.setdefault(word, '.L%d' % len(number))
        code = re.sub(r'\.L\w+', plain, m.group(2))
        code = re.sub(r'\b([A-Za-z_]\w*)\.\d+\b', r'\1', code)
        codes[name] = re.sub(r'\b%s\b' % re.escape(name), 'SELF', code)
    return codes


def alike(file, tags, dropped, assembly):
    """Mutants whose code is that of the function as written, and {mutant: the first that has its code}."""
    codes, same, double, first = codes_of(assembly), [], {}, {}
    static = [(s.start, s.end) for f in file.trees for s in f.body.walk() if s.kind == 'declaration' and file.text.startswith('static', s.start)]
    for m in file.mutants:
        if m.tag not in tags or m.tag in dropped or any(a <= m.start < b for a, b in static):
            continue
        code, plain = codes.get('%s__%s' % (m.where, m.tag)), codes.get('%s__0' % m.where)
        if code is None or plain is None:
            raise build.Broken('%s: the compiler gives no code of %s' % (file.path, m.says()))
        if code == plain:
            same.append(m.tag)
        elif (m.where, code) in first:
            double[m.tag] = first[m.where, code]
        else:
            first[m.where, code] = m.tag
    return same, double


def object_of(file, tags, folder):
    """The path of an object with these mutants at least, and what is known of them: {'tags', 'broken', 'same', 'double'}."""
    base = os.path.join(folder, re.sub(r'\W', '_', file.path))
    source, target, known = base + '.c', base + '.o', base + '.json'
    stamp = hashlib.sha256(json.dumps([file.digest, file.text, build.FLAGS, build.text_of_headers(), build.own_text('schemata.py', 'plant.h')]).encode()).hexdigest()
    if os.path.exists(known) and os.path.exists(target):
        with open(known) as f:
            found = json.load(f)
        if found['stamp'] == stamp and set(tags) <= set(found['tags']):
            return target, found
    broken, finest = {}, {}
    command = [build.CC, '-I' + os.path.join(folder, 'headers'), '-I' + os.path.dirname(file.path), '-I' + build.HERE, *[w for w in build.FLAGS if w != '-w'],
               '-Werror=implicit-function-declaration']  # else a function that stands further down would be declared by its call
    for _ in range(6):
        with open(source, 'w') as f:
            f.write(Writer(file, tags, broken, finest).source())
        done = build.run([*command, '-foptimize-sibling-calls', '-fno-asynchronous-unwind-tables', '-S', '-o', base + '.s', source])
        if done.returncode == 0:
            break
        for (function, name), why in refused(done.stderr, file.path).items():
            if name == 'marks':
                finest[function] = finest.get(function, 2) - 1
            else:
                broken[name] = why
    else:
        raise build.Broken('%s: %s' % (file.path, done.stderr.strip()[:600]))
    with open(base + '.s') as f:
        same, double = alike(file, tags, broken, f.read())
    build.must([build.CC, '-c', '-o', target, base + '.s'], file.path)
    os.unlink(base + '.s')
    found = {'stamp': stamp, 'tags': sorted(tags), 'broken': broken, 'same': same, 'double': double}
    with open(known, 'w') as f:
        json.dump(found, f)
    return target, found
