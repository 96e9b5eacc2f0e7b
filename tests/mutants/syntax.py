"""Files of C: functions with their bodies, prototypes, names of types, comments."""
import re

from expressions import STORAGE, TYPE_WORDS, Misread, Node, plain_type, tokens_of
from statements import Statements


class Function:
    """A function's definition: its name, what it returns, its parameters (type, name) and its body."""

    def __init__(self, name, result, params, body, start):
        self.name, self.result, self.params, self.body, self.start, self.end = name, result, params, body, start, body.end


class Reader(Statements):
    """Reads a file, item by item."""

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
            named = self.t[first:self.i]
            plain = next((k for k, t in enumerate(named) if t.text == '__attribute__'), len(named))
            last = self.t[depth_before - 1].text if depth_before else next((t.text for t in reversed(named[:plain]) if t.kind == 'id'), None)
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
