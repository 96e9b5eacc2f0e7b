"""C as far as the mutation operators need it: tokens, declarations, statements and expressions with their places in the text.

The grammar is that of C11 without what this tree does not use (bit fields, K&R functions, computed goto).  Names of types and prototypes
come from the preprocessed text of the same file, so a cast is told from a parenthesis without a list of types.  A place that the
parser does not understand raises Misread: the tool counts it and fails, because a line that is not parsed is a line not tested."""
import re

TOKEN = re.compile(r'''
    (?P<space>\s+|\\\n)
  | (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<directive>(?<![^\n])[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<num>\.?[0-9](?:[eEpP][+-]|[\w.])*)
  | (?P<str>(?:[LuU]|u8)?"(?:\\.|[^"\\])*")
  | (?P<chr>[LuU]?'(?:\\.|[^'\\])*')
  | (?P<id>[A-Za-z_]\w*)
  | (?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])
''', re.X | re.S)

TYPE_WORDS = set('void char short int long float double signed unsigned _Bool bool struct union enum const volatile restrict '
                 '_Complex __attribute__'.split())
STORAGE = set('static extern inline register typedef _Noreturn _Thread_local __inline __extension__ auto _Alignas'.split())
BINARY = {'*': 10, '/': 10, '%': 10, '+': 9, '-': 9, '<<': 8, '>>': 8, '<': 7, '>': 7, '<=': 7, '>=': 7, '==': 6, '!=': 6,
          '&': 5, '^': 4, '|': 3, '&&': 2, '||': 1}
ASSIGN = set('= += -= *= /= %= &= |= ^= <<= >>='.split())


class Misread(Exception):
    pass


class Token:
    __slots__ = ('kind', 'text', 'start', 'end')

    def __init__(self, kind, text, start):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)


def tokens_of(text):
    """The tokens of a text without white space, comments and directives; and the comments, with their places."""
    tokens, comments, at = [], [], 0
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise Misread('a character that is no C at offset %d: %r' % (at, text[at:at + 20]))
        kind = m.lastgroup
        if kind == 'comment':
            comments.append((m.group(), at))
        elif kind not in ('space', 'directive'):
            tokens.append(Token(kind, m.group(), at))
        at = m.end()
    return tokens, comments


class Node:
    """A statement or an expression: what it is, its place in the text, its parts.  `op` is an operator's token, `name` a callee."""
    __slots__ = ('kind', 'start', 'end', 'parts', 'op', 'name', 'role')

    def __init__(self, kind, start, end, parts=(), op=None, name=None, role=None):
        self.kind, self.start, self.end, self.parts = kind, start, end, [p for p in parts if p is not None]
        self.op, self.name, self.role = op, name, role

    def walk(self):
        yield self
        for p in self.parts:
            yield from p.walk()


class Function:
    """A function's definition: its name, what it returns, its parameters (type, name) and its body."""

    def __init__(self, name, result, params, body, start):
        self.name, self.result, self.params, self.body, self.start, self.end = name, result, params, body, start, body.end


def plain_type(words):
    """A type as one string, without what decides nothing here: const, storage, the name of an array's length."""
    kept = [w for w in words if w not in ('const', 'restrict', 'volatile', '__restrict') and w not in STORAGE]
    return ' '.join(kept)


class Reader:
    def __init__(self, tokens, types):
        self.t, self.i, self.types = tokens, 0, types

    # tokens
    def peek(self, k=0):
        return self.t[self.i + k].text if self.i + k < len(self.t) else ''

    def kind(self, k=0):
        return self.t[self.i + k].kind if self.i + k < len(self.t) else ''

    def take(self, text=None):
        if self.i >= len(self.t) or (text is not None and self.peek() != text):
            where = self.t[min(self.i, len(self.t) - 1)]
            raise Misread('%r expected, %r found at offset %d' % (text, self.peek(), where.start))
        self.i += 1
        return self.t[self.i - 1]

    def at_type(self, k=0):
        return self.peek(k) in TYPE_WORDS or (self.kind(k) == 'id' and self.peek(k) in self.types)

    def skip_balanced(self):
        """Past one bracketed group; the current token opens it."""
        closing = {'(': ')', '[': ']', '{': '}'}
        stack = [closing[self.take().text]]
        while stack:
            text = self.take().text
            if text in closing:
                stack.append(closing[text])
            elif text == stack[-1]:
                stack.pop()

    # expressions
    def expression(self):
        first = self.assignment()
        if self.peek() != ',':
            return first
        parts = [first]
        while self.peek() == ',':
            self.take()
            parts.append(self.assignment())
        return Node('comma', first.start, parts[-1].end, parts)

    def assignment(self):
        left = self.ternary()
        if self.peek() in ASSIGN:
            op = self.take()
            right = self.assignment()
            return Node('assign', left.start, right.end, [left, right], op)
        return left

    def ternary(self):
        test = self.binary(1)
        if self.peek() != '?':
            return test
        op = self.take()
        yes = self.expression()
        self.take(':')
        no = self.assignment() if self.peek(1) in ASSIGN else self.ternary()
        return Node('ternary', test.start, no.end, [test, yes, no], op)

    def binary(self, least):
        left = self.unary()
        while BINARY.get(self.peek(), 0) >= least:
            op = self.take()
            right = self.binary(BINARY[op.text] + 1)
            left = Node('binary', left.start, right.end, [left, right], op)
        return left

    def type_in_brackets(self):
        """Past `( type )`; the current token is the bracket."""
        words = []
        self.take('(')
        while self.peek() != ')':
            if self.peek() in '([':
                self.skip_balanced()
            else:
                words.append(self.take().text)
        self.take(')')
        return plain_type(words)

    def unary(self):
        if self.peek() in ('-', '+', '!', '~', '*', '&', '++', '--'):
            op = self.take()
            inner = self.unary()
            return Node('unary', op.start, inner.end, [inner], op)
        if self.peek() in ('sizeof', '_Alignof'):
            op = self.take()
            if self.peek() == '(' and self.at_type(1):
                self.skip_balanced()
                return Node('sizeof', op.start, self.t[self.i - 1].end)
            return Node('sizeof', op.start, self.unary().end)
        if self.peek() == '(' and self.at_type(1):
            start = self.t[self.i].start
            name = self.type_in_brackets()
            if self.peek() == '{':
                inner = self.braces()
                return self.postfix(Node('compound', start, inner.end, [inner], name=name))
            inner = self.unary()
            return Node('cast', start, inner.end, [inner], name=name)
        return self.postfix(self.primary())

    def primary(self):
        token = self.take()
        if token.text == '(':
            if self.peek() == '{':
                raise Misread('a statement as an expression at offset %d' % token.start)
            inner = self.expression()
            return Node('paren', token.start, self.take(')').end, [inner])
        if token.kind in ('num', 'chr', 'id'):
            return Node(token.kind, token.start, token.end, name=token.text)
        if token.kind == 'str':
            end = token.end
            while self.kind() in ('str', 'id') and self.kind(-1) in ('str', 'id') and (self.kind() == 'str' or self.peek().startswith('PRI')):
                end = self.take().end
            return Node('str', token.start, end)
        raise Misread('no expression begins with %r at offset %d' % (token.text, token.start))

    def postfix(self, node):
        while True:
            if self.peek() == '(':
                self.take()
                args = []
                while self.peek() != ')':
                    if self.at_type() and node.name in ('va_arg', 'offsetof'):  # a type as an argument
                        while self.peek() not in ',)':
                            self.take()
                    else:
                        args.append(self.assignment())
                    if self.peek() == ',':
                        self.take()
                node = Node('call', node.start, self.take(')').end, [node] + args, name=node.name if node.kind == 'id' else None)
            elif self.peek() == '[':
                self.take()
                inner = self.expression()
                node = Node('index', node.start, self.take(']').end, [node, inner])
            elif self.peek() in ('.', '->'):
                self.take()
                node = Node('member', node.start, self.take().end, [node])
            elif self.peek() in ('++', '--'):
                op = self.take()
                node = Node('postfix', node.start, op.end, [node], op)
            else:
                return node

    def braces(self):
        start, parts = self.take('{').start, []
        while self.peek() != '}':
            while self.peek() in ('.', '['):
                if self.take().text == '.':
                    self.take()
                else:
                    self.ternary()
                    self.take(']')
            if self.peek() == '=':
                self.take()
            parts.append(self.braces() if self.peek() == '{' else self.assignment())
            if self.peek() == ',':
                self.take()
        return Node('braces', start, self.take('}').end, parts)

    # declarations and statements
    def specifiers(self):
        words = []
        while self.at_type() or self.peek() in STORAGE:
            word = self.take().text
            if word in ('struct', 'union', 'enum'):
                words.append(word)
                if self.kind() == 'id':
                    words.append(self.take().text)
                if self.peek() == '{':
                    self.skip_balanced()
            elif word in ('__attribute__', '_Alignas'):
                self.skip_balanced()
            else:
                words.append(word)
            if word in self.types and not self.at_type() and self.peek() not in STORAGE:
                break
        return words

    def declaration(self):
        """`type a = x, *b[n], c;` as a node whose parts are the initialisers, each a node `init`."""
        start, inits = self.t[self.i].start, []
        self.specifiers()
        while self.peek() != ';':
            while self.peek() in ('*', 'const', 'restrict'):
                self.take()
            name = None
            if self.peek() == '(':
                self.skip_balanced()
            else:
                name = self.take().text
            while self.peek() in ('[', '('):
                self.skip_balanced()
            if self.peek() == '=':
                self.take()
                value = self.braces() if self.peek() == '{' else self.assignment()
                inits.append(Node('init', value.start, value.end, [value], name=name))
            if self.peek() == ',':
                self.take()
        return Node('declaration', start, self.take(';').end, inits)

    def at_declaration(self):
        if self.peek() in STORAGE or self.peek() in TYPE_WORDS:
            return True
        return self.at_type() and (self.kind(1) == 'id' or self.peek(1) == '*')

    def block(self):
        start, parts = self.take('{').start, []
        while self.peek() != '}':
            parts.append(self.statement())
        return Node('block', start, self.take('}').end, parts)

    def bracketed(self, role):
        self.take('(')
        node = self.expression()
        self.take(')')
        node.role = role
        return node

    def statement(self):
        word, start = self.peek(), self.t[self.i].start
        if word == '{':
            return self.block()
        if word == ';':
            return Node('empty', start, self.take().end)
        if word in ('case', 'default'):
            self.take()
            while self.peek() != ':':
                self.take()
            self.take()
            return Node('label', start, self.t[self.i - 1].end)
        if self.kind() == 'id' and self.peek(1) == ':':
            self.take(), self.take()
            return Node('label', start, self.t[self.i - 1].end)
        handler = getattr(self, 'statement_' + word, None) if word in ('if', 'while', 'for', 'do', 'switch', 'return') else None
        if handler:
            self.take()
            return handler(start)
        if word in ('break', 'continue', 'goto'):
            while self.peek() != ';':
                self.take()
            return Node(word, start, self.take().end)
        if word == '_Static_assert':
            while self.peek() != ';':
                self.take()
            return Node('empty', start, self.take().end)
        if self.at_declaration():
            return self.declaration()
        inner = self.expression()
        return Node('expression', start, self.take(';').end, [inner])

    def statement_if(self, start):
        parts = [self.bracketed('test'), self.statement()]
        if self.peek() == 'else':
            self.take()
            parts.append(self.statement())
        return Node('if', start, parts[-1].end, parts)

    def statement_while(self, start):
        parts = [self.bracketed('test'), self.statement()]
        return Node('while', start, parts[-1].end, parts)

    def statement_switch(self, start):
        parts = [self.bracketed(None), self.statement()]
        return Node('switch', start, parts[-1].end, parts)

    def statement_do(self, start):
        body = self.statement()
        self.take('while')
        test = self.bracketed('test')
        return Node('do', start, self.take(';').end, [body, test])

    def statement_for(self, start):
        self.take('(')
        parts = [self.declaration() if self.at_declaration() else Node('empty', start, self.take().end) if self.peek() == ';' else self.for_first()]
        if self.peek() != ';':
            parts.append(self.expression())
            parts[-1].role = 'bound'
        self.take(';')
        if self.peek() != ')':
            parts.append(self.expression())
            parts[-1].role = 'step'
        self.take(')')
        parts.append(self.statement())
        return Node('for', start, parts[-1].end, parts)

    def for_first(self):
        node = self.expression()
        self.take(';')
        return node

    def statement_return(self, start):
        parts = [self.expression()] if self.peek() != ';' else []
        return Node('return', start, self.take(';').end, parts)

    # files
    def parameter(self):
        """One parameter: its type and its name."""
        words = []
        while self.peek() not in (',', ')'):
            if self.peek() in '([':
                bracket = self.peek()
                first = self.i
                self.skip_balanced()
                if bracket == '[':
                    words.append('*')
                else:
                    words += [t.text for t in self.t[first:self.i]]
            else:
                words.append(self.take().text)
        names = [w for w in words if re.fullmatch(r'[A-Za-z_]\w*', w)]
        last = names[-1] if len(names) > 1 else None
        if last in TYPE_WORDS or last in self.types or (len(names) == 2 and names[0] in ('struct', 'union', 'enum')):
            last = None
        if last is not None:
            words.reverse()
            words.remove(last)
            words.reverse()
        return plain_type(words), last

    def parameters(self):
        self.take('(')
        all_of = []
        while self.peek() != ')':
            all_of.append(self.parameter())
            if self.peek() == ',':
                self.take()
        self.take(')')
        return [] if len(all_of) == 1 and all_of[0] == ('void', None) else all_of

    def item(self):
        """One item of a file: a Function, a prototype (name, result, types), a typedef ('typedef', name), a declaration, or None."""
        start, first = self.t[self.i].start, self.i
        if self.peek() in (';', '_Static_assert') or self.kind() == 'str':
            while self.take().text != ';':
                pass
            return None
        words, depth_before = [], None
        while self.peek() not in (';', '=', '{'):
            if self.peek() == '(' and self.kind(-1) == 'id' and self.t[self.i - 1].text not in ('__attribute__', '__asm__', '_Alignas') and depth_before is None \
                    and self.t[self.i - 1].text not in TYPE_WORDS:
                depth_before = self.i
                self.skip_balanced()
            elif self.peek() in ('(', '['):
                if words and words[-1] in ('__attribute__', '__asm__', '_Alignas'):
                    words.pop()
                self.skip_balanced()
            elif self.peek() in ('struct', 'union', 'enum'):
                words.append(self.take().text)
                if self.kind() == 'id':
                    words.append(self.take().text)
                if self.peek() == '{':
                    self.skip_balanced()
            else:
                words.append(self.take().text)
        if self.t[first].text == 'typedef' or '__extension__' == self.t[first].text and self.peek(1 - (self.i - first)) == 'typedef':
            last = self.t[depth_before - 1].text if depth_before else next((t.text for t in reversed(self.t[first:self.i]) if t.kind == 'id'), None)
            inside = re.search(r'\(\s*\*\s*(\w+)', ' '.join(t.text for t in self.t[first:self.i]))
            self.take(';')
            return ('typedef', inside.group(1) if inside else last)
        if depth_before is not None and self.peek() in ('{', ';', ',') or (depth_before is not None and self.peek() not in ('=',)):
            name = self.t[depth_before - 1].text
            reader = Reader(self.t, self.types)
            reader.i = depth_before
            params = reader.parameters()
            result = plain_type([w for w in words if w != name and w != '__attribute__'])
            if self.peek() == '{':
                return Function(name, result, params, self.block(), start)
            self.take(';')
            return ('prototype', name, result, [p[0] for p in params])
        if self.peek() == '=':
            self.i = first
            return self.declaration()
        if self.peek() == '{':
            self.skip_balanced()
            while self.peek() != ';':
                self.take()
        self.take(';')
        return None


def context_of(preprocessed):
    """Type names and prototypes (name -> (result, [types])) that a preprocessed text declares; function bodies are not read."""
    tokens, _ = tokens_of(preprocessed)
    types, protos = set(), {}
    reader = Reader(tokens, types)
    while reader.i < len(tokens):
        begin = reader.i
        try:
            reader.block = lambda r=reader: (r.skip_balanced(), Node('block', 0, 0))[1]
            found = reader.item()
        except Misread:
            reader.i = begin
            while reader.i < len(tokens) and reader.peek() != ';' and reader.peek() != '{':
                reader.take()
            if reader.peek() == '{':
                reader.skip_balanced()
            elif reader.i < len(tokens):
                reader.take()
            continue
        if isinstance(found, Function):
            protos[found.name] = (found.result, [p[0] for p in found.params])
        elif isinstance(found, tuple) and found[0] == 'typedef':
            types.add(found[1])
        elif isinstance(found, tuple):
            protos[found[1]] = (found[2], found[3])
    return types, protos


def read_file(text, types):
    """Functions and file-scope declarations of a source, and its comments."""
    tokens, comments = tokens_of(text)
    reader = Reader(tokens, types)
    functions, tables = [], []
    while reader.i < len(tokens):
        found = reader.item()
        if isinstance(found, Function):
            functions.append(found)
        elif isinstance(found, Node):
            tables.append(found)
    return functions, tables, comments
