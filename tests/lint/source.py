"""C sources as the lint reads them: text without comments and strings, what a header declares, what a file uses."""
import os
import re

KEYWORDS = set('''auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas
_Alignof _Atomic _Bool _Complex _Generic _Noreturn _Static_assert _Thread_local bool true false NULL defined'''.split())
LITERAL = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.S)
WORD = re.compile(r'[A-Za-z_]\w*')


def blanked(text):
    """The text with comments as blanks and strings as "", every newline kept, so that lines stay what they were."""
    def one(m):
        s = m.group(0)
        if s[0] == '/':
            return re.sub(r'[^\n]', ' ', s)
        return s[0] + ' ' * (len(s) - 2) + s[0]
    return LITERAL.sub(one, text)


def outline(code):
    """Top-level pieces of a file, each as (text, text with its braces emptied, line).  Preprocessor lines are left out."""
    code = re.sub(r'^[ \t]*#(?:[^\n\\]|\\\n|\\.)*', lambda m: re.sub(r'[^\n]', ' ', m.group(0)), code, flags=re.M)
    pieces, depth, start, flat, line = [], 0, 0, [], 1
    begin = 1
    for i, c in enumerate(code):
        if c == '\n':
            line += 1
        if not ''.join(flat[-1:]).strip() and not code[start:i].strip():
            begin = line
        if c == '{':
            if depth == 0:
                flat.append('{')
            depth += 1
        elif c == '}':
            depth -= 1
            if depth == 0:
                flat.append('}')
                head = ''.join(flat)
                body_of_function = re.search(r'\)\s*(?:__attribute__\(\([^;{]*\)\)\s*)?\{\}$', head)
                if body_of_function:
                    pieces.append((code[start:i + 1], head, begin))
                    start, flat = i + 1, []
        elif depth == 0:
            flat.append(c)
            if c == ';':
                pieces.append((code[start:i + 1], ''.join(flat), begin))
                start, flat = i + 1, []
    return [p for p in pieces if p[0].strip(' \n;')]


def parameters(head):
    """The number of parameters of the function that this piece declares or defines, or None where it is none."""
    m = re.search(r'\b([A-Za-z_]\w*)\s*\(', head)
    if not m or re.match(r'\s*(typedef|struct\s+\w+\s*\{|enum|union|_Static_assert)', head):
        return None
    depth, n, some = 0, 1, ''
    for c in head[m.end() - 1:]:
        depth += (c == '(') - (c == ')')
        if depth == 1 and c == ',':
            n += 1
        if depth == 0:
            break
        some += c
    return 0 if some.strip(' (\n') in ('', 'void') else n


def function_name(head):
    """The name of the function that a piece declares or defines, or None."""
    if re.match(r'\s*(typedef|_Static_assert)\b', head) or re.match(r'\s*(enum|struct|union)\s*\w*\s*\{', head):
        return None
    before = head.split('=')[0]
    m = re.search(r'\b([A-Za-z_]\w*)\s*\(', before)
    return m.group(1) if m and m.group(1) not in KEYWORDS and '(*' not in before[:m.end() + 1] else None


class Source:
    """One file: path, text, what it declares at its top level, what it uses."""

    def __init__(self, path):
        self.path = path
        with open(path) as f:
            self.text = f.read()
        self.code = blanked(self.text)
        self.pieces = outline(self.code)
        self.includes = re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', self.text, re.M)
        self.macros = re.findall(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', self.code, re.M)
        self.names, self.tags = {}, {}
        for text, head, line in self.pieces:
            self.read(text, head, line)
        for m in self.macros:
            if not m.endswith('_H'):
                self.names.setdefault(m, 'macro')

    def read(self, text, head, line):
        """One top-level piece: its tags, enumerators, typedefs, functions and variables."""
        for m in re.finditer(r'\b(struct|union|enum)\s+(\w+)\s*\{', text):
            self.tags.setdefault(m.group(2), line)
        for m in re.finditer(r'\benum\s*\w*\s*\{([^}]*)\}', text):
            if not re.search(r'\)\s*\{\}$', head):
                for word in re.findall(r'(?:^|,)\s*([A-Za-z_]\w*)', re.sub(r'\([^()]*\)', '', m.group(1))):
                    self.names.setdefault(word, 'enumerator')
        f = function_name(head)
        if f:
            self.names.setdefault(f, 'body' if head.rstrip().endswith('}') else 'function')
        elif re.match(r'\s*typedef\b', head):
            m = re.search(r'\(\*?\s*(\w+)\s*\)\s*\(|(\w+)\s*\([^()]*\)\s*;|(\w+)\s*(?:\[[^\]]*\])*\s*;', head)
            if m:
                self.names.setdefault(m.group(1) or m.group(2) or m.group(3), 'typedef')
        else:
            m = re.search(r'(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|;)', head)
            if m and m.group(1) not in KEYWORDS and not re.match(r'\s*(struct|union|enum)\s+\w+\s*;', head):
                self.names.setdefault(m.group(1), 'variable')

    def uses(self):
        """(names, tags) that occur in the code, apart from preprocessor lines."""
        code = re.sub(r'^[ \t]*#[ \t]*include.*', '', self.code, flags=re.M)
        tags = set(re.findall(r'\b(?:struct|union|enum)\s+(\w+)', code))
        members = re.sub(r'(?:\.|->)\s*[A-Za-z_]\w*', ' ', code)
        return set(WORD.findall(members)) - KEYWORDS, tags


def c_files(folders=('ref', 'fast', 'proofs', 'harness', 'tests')):
    """Every .c and .h below the folders, sorted."""
    found = []
    for folder in folders:
        for at, _, names in os.walk(folder):
            found += [os.path.join(at, n) for n in names if n.endswith(('.c', '.h'))]
    return sorted(found)
