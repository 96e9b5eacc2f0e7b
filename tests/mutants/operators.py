"""The operators: every small fault that they can plant in one function, found from its structure.

term       an operand of a sum, product, shift, bit or logical operation is left out
sign       + for -, * for /, << for >>, += for -=, a unary minus or a ! left out
rounding   another MPFR direction
constant   a whole number one more or one less, a real one doubled or halved, zero made something
compare    < for <= and the like, == for !=, and && for ||
condition  a test that is always true or never
argument   two arguments of one type exchanged
call       a call replaced by one of its arguments of the type that it returns; a call for its effect by one of its arguments
opposite   a function's counterpart in its place: min for max, add for sub, sin for cos
statement  a statement, a return before the end, a break or an assignment left out
loop       a bound one more or one less
early      a function returns at once: nothing, one of its parameters, or a constant

Not mutated, because no test of values can tell and other tools judge them: what is only room (sizes of allocations and of text buffers,
lengths of arrays: AddressSanitizer), what only gives room back (its leak check), and the direction of MPFR operations that are exact, by
themselves or as `exactly` (ref/core/arith/exactly.h) checks."""
import hashlib
import os
import re

import symmetry

ROOM = re.compile(r'^(need(_more|_stream|_text)?|malloc|calloc|realloc|sizeof|mpfr_custom_init.*)$')
RELEASE = re.compile(r'(^|_)(free|clears?|decref|unlink)$|^fclose$|^mpfr_free|^ask_trim$')
KEEPS = re.compile(r'^ask_keep$')  # of its last argument's room it gives back what that does not need
EXACT = re.compile(r'^mpfr_(mul|div)_2(si|ui|exp)$|^mpfr_(neg|abs|setsign|custom_init_set)$')
TEXT = re.compile(r'printf$|^fput[cs]$|^put(char|s)$|^xml$|^json_|^fflush$|^str(cpy|cat|ncat)$')
COMMUTES = re.compile(r'(^|_)(add|mul|max|min|equal|equal_p|same|fmax|fmin|strcmp|strncmp|memcmp|hypot|far|less_greater_p)$')
DIRECTIONS = {'MPFR_RNDN': ['MPFR_RNDZ'], 'MPFR_RNDU': ['MPFR_RNDD'], 'MPFR_RNDD': ['MPFR_RNDU'], 'MPFR_RNDZ': ['MPFR_RNDA'], 'MPFR_RNDA': ['MPFR_RNDZ']}
OPPOSITE = [('add', 'sub'), ('mul', 'div'), ('min', 'max'), ('fmin', 'fmax'), ('floor', 'ceil'), ('sin', 'cos'), ('cmpabs', 'cmp'), ('lo', 'hi'), ('up', 'down')]
COUNTERPART = {a: b for pair in OPPOSITE for a, b in (pair, pair[::-1])}
SIGNS = {'+': '-', '-': '+', '/': '*', '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=', '<<=': '>>=', '>>=': '<<='}
BOUNDARY = {'<': '<=', '<=': '<', '>': '>=', '>=': '>'}
WHOLE = set('int long short unsigned size_t _Bool bool double mpfr_prec_t mpfr_exp_t uint64_t int64_t uint32_t'.split())


class Mutant:
    """One change: text[start:end] of the file becomes `after`.  `where` is the function; `tag` tells it from every other of its file."""
    __slots__ = ('file', 'where', 'operator', 'start', 'end', 'before', 'after', 'line', 'tag')

    def __init__(self, file, where, operator, start, end, before, after, line):
        self.file, self.where, self.operator, self.start, self.end = file, where, operator, start, end
        self.before, self.after, self.line, self.tag = before, after, line, None

    def says(self):
        def short(s):
            s = ' '.join(s.split())
            return s if len(s) <= 60 else s[:40] + ' .. ' + s[-16:]
        return "%s %s: '%s' -> '%s'" % (self.operator, self.tag, short(self.before), short(self.after))


def releases(node, own=()):
    """Whether a statement, or a test or loop with all that it decides, only gives room back; `own` are functions that do."""
    if node.kind == 'call':
        return bool(node.name and (RELEASE.search(node.name) or node.name in own))
    if node.kind in ('expression', 'comma', 'block'):
        return bool(node.parts) and all(releases(p, own) for p in node.parts)
    if node.kind == 'if':
        return all(releases(p, own) for p in node.parts[1:])
    return node.kind == 'for' and node.parts[-1].role is None and releases(node.parts[-1], own)


def releasing(functions):
    """The functions of a file that only give room back."""
    own = set()
    while True:
        more = {f.name for f in functions if f.name not in own and f.result == 'void' and releases(f.body, own)}
        if not more:
            return own
        own |= more


class Planter:
    def __init__(self, file, text, protos, commuting, own):
        self.file, self.text, self.protos, self.commuting, self.own, self.found = file, text, protos, commuting, own, []
        self.where, self.result, self.exact = '', '', set()

    def src(self, node):
        return self.text[node.start:node.end]

    def plant(self, operator, start, end, after):
        before = self.text[start:end]
        if ' '.join(before.split()) != ' '.join(after.split()):
            self.found.append(Mutant(self.file, self.where, operator, start, end, before, after, self.text.count('\n', 0, start) + 1))

    def replace(self, operator, node, after):
        self.plant(operator, node.start, node.end, after)

    def function(self, f):
        self.where = f.name
        if f.name in self.own:
            return
        result, types = self.protos.get(f.name, (f.result, [p[0] for p in f.params]))
        self.early(f, result, types)
        last = f.body.parts[-1] if f.body.parts else None
        for part in f.body.parts:
            self.visit(part, f.body, last, False)

    def early(self, f, result, types):
        at = f.body.start + 1
        only = f.body.parts[0] if len(f.body.parts) == 1 and f.body.parts[0].kind == 'return' and f.body.parts[0].parts else None
        if only:
            ways = []
        elif result == 'void':
            ways = ['']
        elif result == 'struct up':
            ways = ['(struct up){ 0, 0 }']
        elif result == '_Bool':
            ways = ['0', '1']
        elif result in WHOLE:
            ways = ['0']
        else:
            ways = ['NULL'] if result == 'char *' else []
        if result != 'void':
            ways += [p[1] for p, t in zip(f.params, types) if t == result and p[1] and p[1] not in ways]
        for way in ways:
            if only:
                self.replace('early', only.parts[0], way)
            else:
                self.plant('early', at, at, ' return %s;' % way if way else ' return;')

    # statements
    def visit(self, node, parent, last, place):
        """`place`: within a subscript, where the operators plant one fault and no more."""
        if node.kind == 'call' and node.name and (ROOM.match(node.name) or TEXT.search(node.name)) or releases(node, self.own):
            return
        handler = getattr(self, 'on_' + node.kind, None)
        if handler:
            handler(node, parent, last)
        for k, p in enumerate(node.parts):
            self.visit(p, node, last, place or (node.kind == 'index' and k == 1))
        if node.kind == 'index' and not place:
            self.one_of(node.parts[1])

    def one_of(self, subscript):
        """Of the faults within a subscript keeps one, drawn by its text: each is a wrong element."""
        inside = [m for m in self.found if m.where == self.where and subscript.start <= m.start and m.end <= subscript.end]
        if len(inside) > 1:
            kept = min(inside, key=lambda m: hashlib.sha256((m.before + '|' + m.after).encode()).digest())
            self.found = [m for m in self.found if m is kept or m not in inside]

    def alone(self, node, parent):
        """Whether the statement is all that an `if` decides, so that leaving it out is the test that never holds."""
        return parent.kind == 'if' and len(parent.parts) == 2 or parent.kind in ('for', 'while')

    def drop(self, node, parent):
        if not self.alone(node, parent):
            self.replace('statement', node, ';')

    def on_expression(self, node, parent, last):
        inner = node.parts[0]
        if inner.kind == 'call':
            if releases(inner, self.own):
                return
            for arg in inner.parts[1:]:
                if any(p.kind == 'call' for p in arg.walk()) and inner.name != 'exactly':
                    self.replace('call', inner, self.src(arg))
        if inner.kind != 'comma':
            self.drop(node, parent)

    def on_comma(self, node, parent, last):
        parts = node.parts if parent.kind in ('expression', 'for') else node.parts[:-1]
        for p in parts:
            if not releases(p, self.own):
                self.replace('statement', p, '(void)0')

    def on_return(self, node, parent, last):
        if node is not last and parent.kind != 'for':
            self.drop(node, parent)

    def on_break(self, node, parent, last):
        self.drop(node, parent)

    on_continue = on_break

    def on_if(self, node, parent, last):
        if not releases(node, self.own):
            self.test(node.parts[0], ['0', '1'])

    def on_while(self, node, parent, last):
        self.test(node.parts[0], ['0'])

    def on_for(self, node, parent, last):
        bound = next((p for p in node.parts if p.role == 'bound'), None)
        if bound is None:
            return
        self.test(bound, ['0'])
        for p in bound.walk():
            if p.kind == 'binary' and p.op.text in ('<', '<=', '>', '>='):
                p.role = 'bound'
                right = p.parts[1]
                self.replace('loop', right, '%s + 1' % self.src(right))
                self.replace('loop', right, '%s - 1' % self.src(right))

    def test(self, node, ways):
        node.role = node.role or 'test'
        if node.kind not in ('num',):
            for way in ways:
                self.replace('condition', node, way)

    # expressions
    def on_ternary(self, node, parent, last):
        self.test(node.parts[0], ['0', '1'])

    def on_binary(self, node, parent, last):
        op, (a, b) = node.op.text, node.parts
        if op in SIGNS:
            self.plant('sign', node.op.start, node.op.end, SIGNS[op])
        if op in ('&&', '||'):
            other = '(%s || %s)' if op == '&&' else '(%s && %s)'
            self.replace('compare', node, other % (self.src(a), self.src(b)))
        elif op in BOUNDARY and node.role != 'bound':
            self.plant('compare', node.op.start, node.op.end, BOUNDARY[op])
        elif op in ('==', '!=') and node.role != 'test' and parent.op is None:
            self.plant('compare', node.op.start, node.op.end, '!=' if op == '==' else '==')
        if op in ('+', '-', '*', '&', '|', '^', '&&', '||'):
            self.replace('term', node, self.src(a))
            self.replace('term', node, '-' + self.src(b) if op == '-' and b.kind not in ('unary',) else self.src(b))
        elif op in ('/', '%', '<<', '>>'):
            self.replace('term', node, self.src(a))

    def on_assign(self, node, parent, last):
        op = node.op.text
        if op in SIGNS:
            self.plant('sign', node.op.start, node.op.end, SIGNS[op])
        if op != '=':
            self.plant('term', node.op.start, node.op.end, '=')

    def on_unary(self, node, parent, last):
        if node.op.text in ('-', '!', '~'):
            self.replace('sign', node, self.src(node.parts[0]))
        elif node.op.text in ('++', '--'):
            self.plant('sign', node.op.start, node.op.end, '--' if node.op.text == '++' else '++')

    def on_postfix(self, node, parent, last):
        if parent.kind == 'for':
            return
        self.plant('sign', node.op.start, node.op.end, '--' if node.op.text == '++' else '++')

    def on_num(self, node, parent, last):
        text = node.name
        m = re.fullmatch(r'(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)', text)
        if parent.kind == 'braces' and parent.role == 'zero':
            if node is parent.parts[0]:
                self.replace('constant', node, '0.5')
        elif not m:
            for after in ('(2 * %s)' % text, '(%s / 2)' % text):
                self.replace('constant', node, after)
        elif parent.kind == 'call' and parent.name and parent.name.startswith('mpfr_init'):
            self.replace('constant', node, '(%s / 2)' % text)  # any precision that is enough is right, so one bit decides nothing
        else:
            value = int(m.group(1), 0)
            if value or parent.kind != 'call':
                self.replace('constant', node, str(value + 1) + m.group(2))
            if value:
                self.replace('constant', node, str(value - 1) + m.group(2))

    def on_compound(self, node, parent, last):
        if node.name == 'struct up' and [p.name for p in node.parts[0].parts] == ['0', '0']:
            node.parts[0].role = 'zero'

    def on_init(self, node, parent, last):
        inner = node.parts[0]
        if inner.kind == 'braces' and [p.name for p in inner.parts] == ['0', '0']:
            inner.role = 'zero'

    def on_id(self, node, parent, last):
        if node.name in DIRECTIONS and not (parent.kind == 'call' and parent.name and EXACT.match(parent.name)) and id(parent) not in self.exact:
            for other in DIRECTIONS[node.name]:
                self.replace('rounding', node, other)

    def on_call(self, node, parent, last):
        if node.name == 'exactly':  # It ends the program where the operation rounds.
            self.exact.add(id(node.parts[1]))
        if not node.name or ROOM.match(node.name):
            return
        result, types = self.protos.get(node.name, (None, []))
        args = node.parts[1:]
        if len(types) == len(args) and result not in (None, 'void') and not KEEPS.match(node.name):
            for arg, t in zip(args, types):
                if t == result and parent.kind != 'expression' and result not in WHOLE - {'double'}:
                    self.replace('call', node, self.src(arg))
        if len(types) == len(args) and not COMMUTES.search(node.name):
            for x, y, t, u in zip(args, args[1:], types, types[1:]):
                either = node.name in self.commuting and (y is args[-1] or node.name.startswith('mpfr_'))
                if t == u and t != 'char *' and self.src(x) != self.src(y) and not either:
                    self.plant('argument', x.start, y.end, self.src(y) + self.text[x.end:y.start] + self.src(x))
        self.opposite(node)

    def opposite(self, node):
        words = node.name.split('_')
        for k, word in enumerate(words):
            other = COUNTERPART.get(word)
            if other:
                name = '_'.join(words[:k] + [other] + words[k + 1:])
                if name in self.protos and self.protos[name] == self.protos[node.name]:
                    callee = node.parts[0]
                    self.replace('opposite', callee, name)


def mutants_of(file, text, functions, tables, protos):
    """Every mutant of a file, each with a tag of four hexadecimal digits or more that no line number enters."""
    commutes = symmetry.asked(os.path.join('tests', 'commutes.c'))
    planter = Planter(file, text, protos, symmetry.commuting_in(functions, text, commutes), releasing(functions))
    for f in functions:
        planter.function(f)
    found, seen, tags = [], {}, set()
    for m in planter.found:
        place = (m.start, m.end, ' '.join(m.after.split()))
        if place in seen:
            continue
        seen[place] = m
        found.append(m)
    count = {}
    for m in found:
        key = '|'.join((m.where, m.operator, ' '.join(m.before.split()), ' '.join(m.after.split())))
        count[key] = count.get(key, 0) + 1
        digest = hashlib.sha256(('%s|%s|%d' % (file, key, count[key])).encode()).hexdigest()
        n = 4
        while digest[:n] in tags:
            n += 1
        m.tag = digest[:n]
        tags.add(m.tag)
    return found
