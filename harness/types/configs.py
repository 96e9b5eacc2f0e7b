"""What a configuration class says: its keys and their defaults, other names of keys, keys that follow from others, and
the types of the configurations within it."""
import ast
import re

from symbols import Environment, Values, clone, is_unknown, name, text


def declared(release, module, node):
    """Keys of the class and of those it inherits from: {key: (value or None, place)}; the nearest class wins."""
    out = {}
    for m, c in release.mro(module, node):
        for s in c.body:
            if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name):
                out.setdefault(s.target.id, (default_of(s.value), m.at(s)))
            elif isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name):
                out.setdefault(s.targets[0].id, (s.value, m.at(s)))
            elif isinstance(s, ast.FunctionDef) and any(isinstance(d, ast.Name) and d.id == 'property' for d in s.decorator_list):
                out.setdefault(s.name, (None, m.at(s)))
    return out


def default_of(value):
    """The default within `interval(...)(default=0.02)` and its kin, or the value itself."""
    if isinstance(value, ast.Call):
        for k in value.keywords:
            if k.arg == 'default':
                return k.value
        return None
    return value


def is_config(release, module, node):
    return any(b.split('.')[-1] in ('PreTrainedConfig', 'PretrainedConfig') for b in release.bases(module, node))


def classes(release):
    """{model_type: (module, class)} and {class's name: [(module, class)]} of every configuration of the release."""
    types, by_name = {}, {}
    for m in release.models('configuration_'):
        for c in m.classes.values():
            if not is_config(release, m, c):
                continue
            by_name.setdefault(c.name, []).append((m, c))
            own = declared(release, m, c).get('model_type', (None, ''))[0]
            if isinstance(own, ast.Constant) and own.value and own.value not in types:
                types[own.value] = (m, c)
    return types, by_name


def parts_of(release, module, node):
    """{key: class's name} of the configurations within a configuration whose classes it names."""
    out = {}
    for source in ('sub_configs', 'sub_configs_defaults'):
        d = declared(release, module, node).get(source, (None, ''))[0]
        for k, v in zip(d.keys, d.values) if isinstance(d, ast.Dict) else ():
            if isinstance(k, ast.Constant) and isinstance(v, ast.Name) and v.id in module.classes:
                out[k.value] = v.id
    return out


def class_of(spec):
    """The name of the class in CLASS or SubConfigSpec(config_class=CLASS, ..); '': there is none."""
    named = [spec] + [w.value for w in getattr(spec, 'keywords', []) if w.arg == 'config_class']
    return next((x.id for x in named if isinstance(x, ast.Name)), '')


def in_order(f):
    """The nodes of a method in the order in which they are written, a call before what it is called with."""
    return sorted((n for n in ast.walk(f) if hasattr(n, 'lineno')), key=lambda n: (n.lineno, n.col_offset))


def kind_of_rope(n):
    """"full_attention" of the call self.rope_parameters["full_attention"].METHOD(..); None: it is none."""
    of = n.func.value if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) else None
    at = of.slice if isinstance(of, ast.Subscript) and ast.unparse(of.value) == 'self.rope_parameters' else None
    return at.value if isinstance(at, ast.Constant) and isinstance(at.value, str) else None


def once(e, popped):
    """kwargs.pop(KEY, otherwise), or `otherwise` where an earlier statement has popped the key; notes that it is popped."""
    called = ast.unparse(e.func) if isinstance(e, ast.Call) else ''
    key = e.args[0].value if called in ('kwargs.pop', 'kwargs.get') and isinstance(e.args[0], ast.Constant) else None
    if key in popped and len(e.args) > 1:
        return e.args[1]
    if called == 'kwargs.pop':
        popped.add(key)
    return e


class Entries(ast.NodeTransformer):
    """Writes the entry in the place of {"global": 1.0, ..}["global"]."""

    def visit_Subscript(self, node):
        node = self.generic_visit(node)
        found = dict(zip(map(text, node.value.keys), node.value.values)) if isinstance(node.value, ast.Dict) else {}
        return found.get(text(node.slice), node)


def mapped(e):
    """The name of D in `[D.get(x, x) for x in ..]`, which gives names of a list other ones; None: it is no such list."""
    if not isinstance(e, ast.ListComp) or len(e.generators) != 1 or not isinstance(e.elt, ast.Call) or len(e.elt.args) != 2:
        return None
    one = ast.unparse(e.generators[0].target)
    called = e.elt.func.value if isinstance(e.elt.func, ast.Attribute) and e.elt.func.attr == 'get' else None
    return called.id if isinstance(called, ast.Name) and [ast.unparse(a) for a in e.elt.args] == [one, one] else None


def renaming(release):
    """{function: (dictionary, place)} of the functions of the library that give older names in a list their present ones."""
    m, out = release.module('configuration_utils.py'), {}
    for f in m.functions.values() if m else ():
        for n in ast.walk(f):
            d = m.constants.get(mapped(n) or '')
            if isinstance(d, ast.Dict):
                out[f.name] = d, m.at(d)
    return out


def renamed_everywhere(release):
    """{key: (dictionary, place)} of the lists that every configuration renames: those that such a function asks it for where
    the base class hands it itself."""
    m, out = release.module('configuration_utils.py'), {}
    for called, found in renaming(release).items():
        base = [n for c in m.classes.values() for n in ast.walk(c) if isinstance(n, ast.Call) and ast.unparse(n.func) == called
            and any(ast.unparse(x) == 'self' for x in n.args + [k.value for k in n.keywords])]
        for n in ast.walk(m.functions[called]) if base else ():
            if isinstance(n, ast.Call) and ast.unparse(n.func) == 'getattr' and isinstance(n.args[1], ast.Constant):
                out[n.args[1].value] = found
    return out


class Config:
    """A configuration class: keys {key: (value, place)}; alias {name: key}; derived {key: (expression, place)};
    inner {key: model_type or class's name}; renamed {key: (dictionary, place)} of lists whose entries it gives other names;
    kinds {(kind of layers, name): (expression, place)} of what it puts into the rotary parameters of a kind;
    filled {part: ({key: value}, place)} of parts that a file does not have, merged {part: place} of those that get the same beside
    what a file says, optional {part: place} of those that are not there then; flat {key: place} of parts that a class fills with the other keys of a file that lacks them."""

    def __init__(self, release, module, node, by_name):
        self.release, self.module, self.node = release, module, node
        self.keys = declared(release, module, node)
        self.place = module.at(node)
        self.alias, self.derived, self.inner, self.undecided, self.flat = {}, {}, {}, [], {}
        m = self.keys.get('attribute_map', (None, ''))[0]
        if isinstance(m, ast.Dict):
            self.alias = {k.value: v.value for k, v in zip(m.keys, m.values) if isinstance(v, ast.Constant)}
        self.filled, self.optional, self.merged = {}, {}, {}
        self.given, self.kinds, self.renaming = {}, {}, renaming(release)
        self.renamed = self.find_renamed()
        self.run_init()
        self.find_given()
        self.find_kinds()
        self.find_inner(by_name)
        self.find_merged()
        self.find_flat()

    def find_flat(self):
        """if self.text_config is None: self.text_config = .. of kwargs .."""
        for m, c in self.release.mro(self.module, self.node):
            for f in c.body if m.path.startswith('models/') else ():
                if not isinstance(f, ast.FunctionDef) or f.name not in ('__post_init__', '__init__'):
                    continue
                for n in ast.walk(f):
                    key = re.fullmatch(r'(?:self\.)?(\w+) is None', ast.unparse(n.test)) if isinstance(n, ast.If) else None
                    for s in n.body if key and key.group(1) in self.inner else ():
                        if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) in ('self.' + key.group(1), key.group(1)) \
                                and any(isinstance(x, ast.Name) and x.id == 'kwargs' for x in ast.walk(s.value)):
                            self.flat.setdefault(key.group(1), m.at(s))

    def find_renamed(self):
        """self.layers_block_type = RENAMING(self.layers_block_type)"""
        out = {}
        for m, c in self.release.mro(self.module, self.node):
            for n in ast.walk(c) if m.path.startswith('models/') else ():
                called = ast.unparse(n.value.func) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call) else None
                key = re.fullmatch(r'self\.(\w+)', ast.unparse(n.targets[0])) if called in self.renaming else None
                if key and [ast.unparse(a) for a in n.value.args] == [key.group()]:
                    out[key.group(1)] = self.renaming[called][0], m.at(n)
        return out

    def run_init(self):
        env = Environment(set(self.keys) | set(self.alias), True)
        env.renaming = set(self.renaming)
        self.run_method('__post_init__', env, None)
        for key, e in env.attributes.items():
            place = '%s:%d' % (self.place.split(':')[0], env.lines.get(key, self.node.lineno))
            if text(e) != key and not key.startswith('__'):
                self.derived[key] = (e, place)
        for m, c in self.release.mro(self.module, self.node):
            for s in c.body:
                if isinstance(s, ast.FunctionDef) and s.decorator_list and ast.unparse(s.decorator_list[0]) == 'property' \
                        and m.path.startswith('models/'):  # What every configuration has says nothing of this one.
                    self.take_property(m, s)

    def find_kinds(self):
        """What a class puts into the rotary parameters of each kind of layers, in the order of its statements: a dictionary that
        they take over, self.rope_parameters["full_attention"].update(rope_scaling), as 'update', and a default,
        self.rope_parameters["full_attention"].setdefault("rope_theta", kwargs.pop("rope_theta", default)), by its name.  A key that
        was popped is not there a second time."""
        m, c, f = self.release.method(self.module, self.node, 'convert_rope_params_to_dict')
        env, popped = Environment(self.declared_keys(), True), set()
        for n in in_order(f) if f is not None and m.path.startswith('models/') else ():
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name):
                env.step(n, None)
            kind = kind_of_rope(n)
            if kind and n.func.attr == 'update' and len(n.args) == 1:
                self.kinds.setdefault((kind, 'update'), (env.value(n.args[0]), m.at(n)))
            elif kind and n.func.attr == 'setdefault' and len(n.args) == 2 and isinstance(n.args[0], ast.Constant):
                self.kinds.setdefault((kind, n.args[0].value), (self.of_class(env.value(once(n.args[1], popped))), m.at(n)))

    def of_class(self, e):
        """An expression with the class's own constants written out, where they are no keys of a file."""
        value = self.keys.get('default_theta', (None, ''))[0]
        one = ast.parse(text(e).replace('default_theta', '(%s)' % text(value)) if value is not None else text(e), mode='eval').body
        return Entries().visit(one)

    def find_given(self):
        """Defaults that methods put into the rotary parameters: setdefault("partial_rotary_factor", value)."""
        for m, c in self.release.mro(self.module, self.node):
            if not m.path.startswith('models/'):
                continue
            for f in c.body:
                if isinstance(f, ast.FunctionDef) and f.name in ('__post_init__', 'convert_rope_params_to_dict'):
                    self.given_in(m, f)

    def given_in(self, m, f):
        env = Environment(self.declared_keys(), True)
        for n in ast.walk(f):
            key = value = None
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == 'setdefault' and len(n.args) == 2:
                key, value = n.args
                if not re.search(r'kwargs|rope_parameters$', ast.unparse(n.func.value)):
                    continue
            elif isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Subscript) and ast.unparse(n.targets[0].value) == 'kwargs':
                key, value = n.targets[0].slice, n.value
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                self.given.setdefault(key.value, (env.value(value), m.at(n)))

    def take_property(self, m, s):
        returns = [x for x in s.body if isinstance(x, ast.Return)]
        if len(returns) == 1 and returns[0].value is not None and s.name not in self.derived:
            env = Environment(set(self.keys), True)
            env.run([x for x in s.body if x is not returns[0]])
            self.derived[s.name] = (env.value(returns[0].value), m.at(s))

    def run_method(self, method, env, beyond):
        m, c, f = self.release.method(self.module, self.node, method, beyond)
        if f is None or not m.path.startswith('models/'):  # What every configuration does says nothing of this one.
            return

        def call(e, value):
            if isinstance(value, ast.Call) and ast.unparse(value.func).startswith('super().') \
                    and value.func.attr == method:
                self.run_method(method, e, c)
        env.run(f.body, call)

    def find_inner(self, by_name):
        for source in ('sub_configs', 'sub_configs_defaults'):
            d = self.keys.get(source, (None, ''))[0]
            if not isinstance(d, ast.Dict):
                continue
            for k, v in zip(d.keys, d.values):
                if not isinstance(k, ast.Constant):
                    continue
                self.take_part(k.value, v)
                kind = [w.value.value for w in getattr(v, 'keywords', []) if w.arg == 'model_type' and isinstance(w.value, ast.Constant)]
                if kind:
                    self.inner[k.value] = kind[0]
                elif self.type_of(class_of(v)):
                    self.inner[k.value] = self.type_of(class_of(v))
                else:
                    self.inner.setdefault(k.value, '')
                    self.plain_part(k.value, class_of(v))

    def take_part(self, key, spec):
        """What a part is that a file does not have: SubConfigSpec(.., init_kwargs={..}, optional=True)."""
        for w in getattr(spec, 'keywords', []):
            value = self.module.constants.get(w.value.id) if isinstance(w.value, ast.Name) else w.value
            if w.arg == 'init_kwargs' and isinstance(value, ast.Dict):
                self.filled[key] = {k.value: v for k, v in zip(value.keys, value.values) if isinstance(k, ast.Constant)}, self.module.at(value)
            elif w.arg == 'optional' and isinstance(value, ast.Constant) and value.value:
                self.optional[key] = self.module.at(spec)

    def find_merged(self):
        """self.text_config = {**self.sub_configs_defaults["text_config"].init_kwargs, **self.text_config}"""
        for m, c in self.release.mro(self.module, self.node):
            for n in ast.walk(c) if m.path.startswith('models/') else ():
                key = re.fullmatch(r'self\.(\w+)', ast.unparse(n.targets[0])) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Dict) else None
                unpacked = [ast.unparse(v) for k, v in zip(n.value.keys, n.value.values) if k is None] if key else []
                if any('init_kwargs' in u for u in unpacked) and key.group() in unpacked:
                    self.merged.setdefault(key.group(1), m.at(n))

    def plain_part(self, key, class_name):
        """A part without a type of its own is a dictionary of its class's defaults."""
        m, c = self.release.resolve(self.module, class_name)
        if isinstance(c, ast.ClassDef):
            own = {k: v for k, (v, place) in declared(self.release, m, c).items()
                if place.startswith('configuration_') and not place.startswith('configuration_utils')
                and v is not None and literal(v) is not None}
            self.keys[key] = (ast.Dict(keys=[ast.Constant(value=k) for k in own], values=list(own.values())), m.at(c))

    def type_of(self, class_name):
        m, c = self.release.resolve(self.module, class_name)
        if not isinstance(c, ast.ClassDef):
            return ''
        v = declared(self.release, m, c).get('model_type', (None, ''))[0]
        return v.value if isinstance(v, ast.Constant) and isinstance(v.value, str) else ''

    def declared_keys(self):
        return set(self.keys) | set(self.alias) | set(self.derived)


def plain(e):
    """An expression without what a table cannot hold: None where it has something that was not understood."""
    if e is None or is_unknown(e):
        return None
    return text(e)


class Finite(ast.NodeTransformer):
    """Writes None for float("inf")."""

    def visit_Call(self, node):
        return ast.Constant(value=None) if ast.unparse(node) in ("float('inf')", 'math.inf') else node


def literal(e):
    """The text of a constant of JSON's kind, or None.  An infinite limit, which JSON has no number for, is said as none."""
    try:
        v = ast.literal_eval(Finite().visit(clone(e)))
    except (ValueError, SyntaxError, TypeError):
        return None
    return None if isinstance(v, (set, bytes, complex)) else repr(v)
