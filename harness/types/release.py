"""The sources of one release of transformers, parsed: from a wheel, or from a folder that holds the package.

Nothing of it is imported or run; every class, function and constant is looked up in the syntax trees."""
import ast
import os
import re
import zipfile


class Module:
    """One source file: its classes, functions and constants by name, and where its imported names come from."""

    def __init__(self, path, text):
        self.path, self.classes, self.functions, self.constants, self.imports = path, {}, {}, {}, {}
        self.constants_only = {}
        for node in ast.parse(text).body:
            self.take(node)

    def take(self, node):
        if isinstance(node, ast.ClassDef):
            self.classes[node.name] = node
        elif isinstance(node, ast.FunctionDef):
            self.functions[node.name] = node
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self.constants[node.targets[0].id] = node.value
            if isinstance(node.value, ast.Constant):
                self.constants_only[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            self.constants[node.target.id] = node.value
        elif isinstance(node, ast.ImportFrom):
            for a in node.names:
                self.imports[a.asname or a.name] = (node.level, node.module or '', a.name)
        elif isinstance(node, (ast.If, ast.Try)):  # Imports that depend on what is installed.
            for inner in node.body:
                self.take(inner)

    def at(self, node):
        return '%s:%d' % (os.path.basename(self.path), node.lineno)


class Release:
    """The package's modules, parsed when they are asked for, by their path below the package ("models/bert/...")."""

    def __init__(self, place):
        self.files, self.parsed, self.zip, self.mros = {}, {}, None, {}
        if os.path.isdir(place):
            self.from_folder(place)
        else:
            self.zip = zipfile.ZipFile(place)
            for name in self.zip.namelist():
                if name.startswith('transformers/') and name.endswith('.py'):
                    self.files[name[len('transformers/'):]] = name
        if not self.files:
            raise SystemExit('%s: no sources of transformers in it; a wheel, or the folder of the package' % place)
        self.version = self.find_version()

    def from_folder(self, place):
        for folder, _, names in os.walk(place):
            for name in names:
                if name.endswith('.py'):
                    full = os.path.join(folder, name)
                    self.files[os.path.relpath(full, place)] = full

    def text(self, path):
        if self.zip:
            return self.zip.read(self.files[path]).decode()
        with open(self.files[path], encoding='utf-8') as f:
            return f.read()

    def find_version(self):
        m = re.search(r'^__version__ = "([^"]+)"', self.text('__init__.py'), re.M) if '__init__.py' in self.files else None
        return m.group(1) if m else 'of no stated version'

    def module(self, path):
        if path not in self.parsed:
            self.parsed[path] = Module(path, self.text(path)) if path in self.files else None
        return self.parsed[path]

    def models(self, prefix):
        """The modules models/*/PREFIX*.py, in the order of their paths."""
        found = [p for p in self.files if re.match(r'models/.+/%s[^/]*\.py$' % prefix, p)]
        return [self.module(p) for p in sorted(found)]

    def resolve(self, module, name):
        """(module, class or function) that `name` means in a module, through its imports; (None, None): another's."""
        for _ in range(8):
            if name in module.classes:
                return module, module.classes[name]
            if name in module.functions:
                return module, module.functions[name]
            if name not in module.imports:
                return None, None
            level, inner, name = module.imports[name]
            folder = module.path.split('/')[:-1]
            if not level or level - 1 > len(folder):
                return None, None
            path = '/'.join(folder[:len(folder) - level + 1] + [w for w in inner.split('.') if w]) + '.py'
            module = self.module(path)
            if module is None:
                return None, None
        return None, None

    def mro(self, module, node):
        """The class and those it inherits from, as (module, class), nearest first; a base of another package is left out."""
        key = module.path, node.name
        if key not in self.mros:
            self.mros[key] = out = [(module, node)]
            for base in node.bases:
                name = base.attr if isinstance(base, ast.Attribute) else getattr(base, 'id', '')
                m, c = self.resolve(module, name)
                if isinstance(c, ast.ClassDef):
                    out += [x for x in self.mro(m, c) if x not in out]
        return self.mros[key]

    def bases(self, module, node):
        """Names of every base, of other packages too ("nn.Embedding")."""
        return [ast.unparse(b) for _, c in self.mro(module, node) for b in c.bases]

    def method(self, module, node, name, beyond=None):
        """(module, class, function) of a method; beyond: only of classes after that one in the order of inheritance."""
        chain = self.mro(module, node)
        if beyond is not None:
            seen = [k for k, (_, c) in enumerate(chain) if c is beyond]
            chain = chain[seen[0] + 1:] if seen else []
        for m, c in chain:
            for f in c.body:
                if isinstance(f, ast.FunctionDef) and f.name == name:
                    return m, c, f
        return None, None, None
