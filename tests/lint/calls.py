"""Which programs the scripts, the Makefile and the Python of this tree call: the first word of every simple command of the
shell, found by the shell's own rules of quoting, and the programs that Python starts or looks for by name."""
import ast
import re

# Words of the shell's language (POSIX, Shell Command Language, 2.4 and 2.14; 2.9.1.4 names the utilities that a shell has
# in itself), which no package brings.
RESERVED = {'!', '{', '}', 'case', 'do', 'done', 'elif', 'else', 'esac', 'fi', 'for', 'if', 'in', 'then', 'until', 'while'}
BUILTIN = set('''. : [ alias bg break cd command continue echo eval exec exit export false fc fg getopts hash jobs kill local
printf pwd read readonly return set shift test times trap true type ulimit umask unalias unset wait'''.split())
# Programs that run the program behind their own flags.
RUNNERS = {'exec', 'command', 'env', 'nice', 'nohup', 'setsid', 'sudo', 'time', 'timeout', 'xargs', '!'}
NAME = re.compile(r'[a-z][a-z0-9_.+-]*\Z')


class Shell:
    """Reads a script; .words: the first words of its simple commands, .functions: the names that it defines."""

    def __init__(self, text):
        self.words, self.functions = set(), set()
        self.commands(text.replace('\\\n', ' '), 0, '')

    def commands(self, text, at, until):
        """Reads commands from `at` to the character `until` that closes them, and returns the place behind it."""
        words, word, here, case = [], None, [], []
        while at < len(text):
            c = text[at]
            if c == until and not case:
                break
            if c == '#' and word is None:
                at = self.line(text, at)
                continue
            if c in ' \t':
                words, word = self.put(words, word), None
            elif c in ';&|\n()':
                words, word = self.put(words, word), None
                at = self.operator(text, at, words, case)
                if c == '\n' and here:
                    at, here = self.bodies(text, at, here), []
                words = []
                continue
            elif text.startswith('<<', at) and text[at:at + 3] != '<<<':
                m = re.compile(r'<<(-?)\s*(["\']?)(\w+)\2').match(text, at)
                here.append(m.group(3))
                at = m.end()
                continue
            elif c in '<>':
                if word and word.isdigit():
                    word = None
                words, word = self.put(words, word), None
                at = re.compile(r'[<>]+[&|]?\s*').match(text, at).end()
                at, _ = self.one(text, at)
                continue
            else:
                at, piece = self.piece(text, at)
                word = (word or '') + piece
                continue
            at += 1
        self.end(self.put(words, word))
        return at + 1

    @staticmethod
    def line(text, at):
        end = text.find('\n', at)
        return len(text) if end < 0 else end

    @staticmethod
    def put(words, word):
        return words if word is None else words + [word]

    def operator(self, text, at, words, case):
        """Ends a command at an operator, and returns the place behind it.  A ")" without a "(" of its own ends the
        pattern of a case."""
        c = text[at]
        if c == '(' and text[at:at + 2] == '()':
            self.functions.update(words[-1:])
            return at + 2
        if c == '(':
            self.end(words)
            return self.commands(text, at + 1, ')')
        if c == ')' or (c == '|' and case and case[-1]):
            if case and c == ')':
                case[-1] = False  # its commands follow
            return at + 1
        if case and case[-1] and 'esac' not in words:
            return at + 1
        self.end(words)
        if 'case' in words:
            case.append(True)
        if 'esac' in words and case:
            case.pop()
        if text[at:at + 2] == ';;' and case:
            case[-1] = True
            return at + 2
        return at + 1

    def one(self, text, at):
        """A word from `at` on, such as the file of a redirection."""
        word = ''
        while at < len(text) and text[at] not in ' \t\n;&|()<>':
            at, piece = self.piece(text, at)
            word += piece
        return at, word

    def piece(self, text, at):
        """A quoted string, an expansion or a character: (the place behind it, what of it is plain text)."""
        c = text[at]
        if c == '\\':
            return at + 2, '?'
        if c == "'":
            return text.index("'", at + 1) + 1, '?'
        if c == '"':
            at, plain = at + 1, ''
            while text[at] != '"':
                at, more = (at + 1, text[at]) if text[at] == "'" else self.piece(text, at)
                plain += more
            return at + 1, plain
        if c == '`':
            return self.commands(text, at + 1, '`'), '?'
        if text.startswith('$((', at):
            return text.index('))', at) + 2, '?'
        if text.startswith('$(', at):
            return self.commands(text, at + 2, ')'), '?'
        if text.startswith('${', at):
            depth, at = 1, at + 2
            while depth:
                if text[at] in '$"\'`\\':
                    at, _ = (at + 1, '') if text[at] == "'" else self.piece(text, at)
                else:
                    depth += {'{': 1, '}': -1}.get(text[at], 0)
                    at += 1
            return at, '?'
        return at + 1, '?' if c == '$' else c

    @staticmethod
    def bodies(text, at, here):
        """The place behind the bodies of here-documents that begin at the line `at`."""
        for word in here:
            m = re.compile(r'^\t*%s$' % re.escape(word), re.M).search(text, at)
            at = m.end() + 1 if m else len(text)
        return at

    def end(self, words):
        """A simple command has ended."""
        words = list(words)
        while words and (words[0] in RESERVED or re.match(r'\w+=', words[0])):
            if words[0] in ('for', 'case', 'in'):
                return
            words.pop(0)
        while words and words[0] in RUNNERS:
            runner = words.pop(0)
            self.words.add(runner)
            while words and re.match(r'-|\w+=' if runner == 'timeout' else r'-|\w+=|\d+$', words[0]):
                words.pop(0)
            del words[:runner == 'timeout']  # its seconds
        self.words.update(words[:1])


def recipes(text):
    """The commands of a Makefile, as a script: of its recipes and of the lines behind a rule's semicolon; variables and
    functions of make stand as one character."""
    out = []
    for line in text.replace('\\\n', ' ').split('\n'):
        m = re.match(r'[^\t#=][^#=]*?:(?!=)[^;=]*;(.*)', line)
        if not line.startswith('\t') and not m:
            continue
        line = m.group(1) if m else line
        while True:  # the innermost first
            shorter = re.sub(r'(?<!\$)\$\(shell ([^()]*)\)', r'$$$$[\1]', line)
            shorter = re.sub(r'(?<!\$)\$\([^()]*\)', '?', shorter)
            if shorter == line:
                break
            line = shorter
        line = re.sub(r'(?<!\$)\$(\((call|foreach|if) [^,]*,|[@<^*?+\w])', '?', line)
        out.append(line.replace('$$', '$').lstrip('\t @-+'))
    return '\n'.join(out)


def of_python(text):
    """Names of programs that Python code starts by subprocess, or looks for by shutil.which."""
    found = set()
    for n in ast.walk(ast.parse(text)):
        if not isinstance(n, ast.Call):
            continue
        name = ast.unparse(n.func)
        mapped = name == 'map' and len(n.args) == 2 and ast.unparse(n.args[0]) == 'shutil.which'
        if not mapped and name != 'shutil.which' and not name.startswith('subprocess.'):
            continue
        first = n.args[1] if mapped else n.args[0] if n.args else None
        several = getattr(first, 'elts', [first])
        for one in several if mapped else several[:1]:
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                found.add(one.value)
    return found


def called(path, text):
    """The programs that this file calls by plain names."""
    if path.endswith('.py'):
        return {w for w in of_python(text) if NAME.match(w)}
    shell = Shell(recipes(text) if path.endswith('Makefile') else text)
    return {w for w in shell.words - shell.functions - BUILTIN - RESERVED if NAME.match(w)}
