"""C as far as the mutation operators need it: tokens and expressions with their places in the text; statements are in statements.py, files in syntax.py.

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


def plain_type(words):
    """A type as one string, without what decides nothing here: const, storage, the name of an array's length."""
    kept = [w for w in words if w not in ('const', 'restrict', 'volatile', '__restrict') and w not in STORAGE]
    return ' '.join(kept)


class Expressions:
    """Reads expressions; `types` are the names of types that are known."""

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
            while self.kind() in ('str', 'id') and self.kind(-1) in ('str', 'id') and (self.kind() == 'str' or self.peek().isupper()):
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
