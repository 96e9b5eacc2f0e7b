"""Statements and declarations of C."""
from expressions import STORAGE, TYPE_WORDS, Expressions, Misread, Node


class Statements(Expressions):
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
