"""Tokenizers of every family that `meridian lab tokens` knows, trained by the tokenizers library, and texts, against
what the library's own `encode` gives.

    python3 harness/adapters/tokenizer_files.py record [FOLDER]
    python3 harness/adapters/tokenizer_files.py against [--seed 1] [--tokenizers 100] [--texts 20] [--keep FOLDER]
    python3 harness/adapters/tokenizer_files.py characters

record writes data/tokenizers, which tests/lab_tokens.c reads: NAME/tokenizer.json and NAME/expected.json, a list of
texts with their numbers, with special tokens (ids) and without (plain).  against draws tokenizers and texts and compares
the program with the library; it keeps what differs.  characters compares every character of Unicode in every step that
knows sets of characters, and prints those that differ: the library's crates know Unicode 8 to 16, each its own.

The tables of Precompiled are made by sentencepiece; `against` leaves them out where that is not installed."""
import argparse
import functools
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import unicodedata

sys.dont_write_bytecode = True
from tokenizers import AddedToken, Tokenizer, __version__, models, normalizers, pre_tokenizers, trainers

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
PROGRAM = os.environ.get('MERIDIAN_PROGRAM', os.path.join(ROOT, 'build', 'meridian'))
GPT4 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
        r"|\s+(?!\S)|\s+")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}{1,3}"
         r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
            r"|\s*[\r\n]+|\s+(?!\S)|\s+")
EXPRESSIONS = [GPT4, O200K, DEEPSEEK, r'\s+', r'\w+|[^\w\s]+', r'\p{N}', r'\d{3}', r'[^\S\n]+', r'\b', r'\B', r'x*',
               r'(?=[A-Z])', r'(?<=[a-z])(?=[A-Z0-9])', r'[\W_]+', r'\S{,3}', r'[一-龥ぁ-んァ-ヶ]+', r'[\p{Han}\p{Hiragana}]+',
               r'(?i)the|AND', r'^.', r'.$', r'\h+', r'\v|\r\n', r'(?:\r?\n){1,2}', r'[\x{300}-\x{36f}]', r'(?m:a.b)',
               r'\A\s*', r'\P{L}++', r'(?>\s+)\S', r'a??b', r'[^\p{^L}]+', '\u00e9', r'[a\-c.]', r'\s+$', r'(?<word>\w)\W']
TEXT = '''The quick brown fox doesn't jump over 1234 lazy dogs; it's 3.14159 o'clock, and they'll say: "Hello, world!"
Position encodings rotate q and k by angles m·θ, where θ_i = 10000^(-2i/d). Attention reads what stands before.
L'été, où çà? Straße, naïve, Ångström, Ελλάδα, Привет мир, שלום, مرحبا بالعالم, हिन्दी, 你好，世界！ こんにちは カタカナ 한국어
for (int i = 0; i < n; i++) { x[i] += y[i] * 2; } /* a comment */\treturn 0;\r\n    indented\n\n\nthree lines below
'''


def corpus():
    with open(os.path.join(ROOT, 'LICENSE'), encoding='utf-8') as f:
        return (TEXT * 3 + f.read()).split('\n')


def text_of(r):
    """A text of all kinds of characters."""
    alphabets = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJ', '0123456789', ' \t\n\r\u00a0\u2003\u3000\u200b\u2028\x0b\x0c\x85',
                 '.,;:!?\'"()[]{}<>-_/\\|@#$%^&*~`+=', 'éèüßøåçñÀÉİıſK\u212aǅŉΣςάΐ', '\u0301\u0300\u0323\u0307\u0345\u200d\u200c\ufe0f\u20dd',
                 'привет', 'שלום', 'مرحبا٣٤', 'हिन्दी१२', '你好世界漢字', 'こんにちはカタカナー', '한국어각각', 'ﬁﬀ①Ⅷ½²㎏ｱＡ',
                 '👩\u200d👩\u200d👧\U0001f1e9\U0001f1ea🏽🎉', '\x00\x01\x1b\x7f\x80\ufeff\ufffd\u2581\u0120\u010a', '\U0001d400\U00020000\U000e0041']
    words = ["don't", "I'LL", "it's", '<s>', '</s>', '[MASK]', '<|end|>', 'the', ' new', '<unk>', 'xx', 'foo<s>bar', '▁x', '  ',
             '\r\n', '\n\n\n', '1234567', 'CamelCaseWord', 'aaab', 'SS', 'ss', "'S", "'ſ", '[PAD]', 'tok', 'Tok', 'TOK', '\u01c4']
    out = []
    for _ in range(r.choice([0, 1, 2, 5, 12, 30])):
        kind = r.random()
        if kind < 0.25:
            out.append(r.choice(words))
        elif kind < 0.5:
            line = r.choice(TEXT.split('\n'))
            at = r.randrange(len(line) + 1)
            out.append(line[at:at + r.randrange(20)])
        elif kind < 0.55:
            c = r.randrange(0x110000)
            out.append('' if 0xd800 <= c < 0xe000 else chr(c))
        else:
            alphabet = r.choice(alphabets)
            out.append(''.join(r.choice(alphabet) for _ in range(r.randrange(1, 5))))
        if r.random() < 0.4:
            out.append(r.choice([' ', ' ', '  ', '\n']))
    return ''.join(out)


def field(message, number):
    """The last field of this number in a message of Protocol Buffers that has a length: bytes, or b''."""
    at, found = 0, b''

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value
    while at < len(message):
        key = varint()
        if key & 7 == 2:
            n = varint()
            found = message[at:at + n] if key >> 3 == number else found
            at += n
        elif key & 7 == 0:
            varint()
        else:
            at += {1: 8, 5: 4}[key & 7]
    return found


@functools.lru_cache(maxsize=None)
def charsmap(rule):
    """The table that sentencepiece makes of a rule of its own, by name, or of pairs of texts, (before, after)."""
    import sentencepiece
    with tempfile.TemporaryDirectory() as folder:
        more = dict(normalization_rule_name=rule)
        if not isinstance(rule, str):
            path = os.path.join(folder, 'rule.tsv')
            with open(path, 'w', encoding='utf-8') as f:
                f.writelines('%s\t%s\n' % tuple(' '.join('%X' % ord(c) for c in x) for x in pair) for pair in rule)
            more = dict(normalization_rule_tsv=path)
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(['a b c d'] * 9), model_writer=model, vocab_size=40,
                                                 hard_vocab_limit=False, minloglevel=2, **more)
    return field(field(model.getvalue(), 3), 2)  # ModelProto.normalizer_spec, its precompiled_charsmap


def precompiled(r):
    """Precompiled with the table of a named rule, or of drawn pairs: of one character or of several, in clusters or not."""
    try:
        import sentencepiece  # noqa: F401
    except ImportError:
        return normalizers.NFKC()
    if r.random() < 0.4:
        return normalizers.Precompiled(charsmap(r.choice(['nmt_nfkc', 'nfkc', 'nmt_nfkc_cf', 'nfkc_cf'])))
    some = ['a', 'b', 'e', '\u0301', '\u0300', '\u00e9', '\ufb01', '\u1100', '\u1161', '\u4f60', ' ', '\t', '\r', '\n', '\u200d',
            '\U0001f469', '\ufe0f', '\u0915', '\u094d', 'x', '.', '\u0130', '\u3000', 'T', 'th']
    pairs = {}
    for _ in range(r.choice([1, 5, 40])):
        pairs[''.join(r.choice(some) for _ in range(r.choice([1, 1, 2, 3])))] = ''.join(r.choice(some) for _ in range(r.randrange(4)))
    return normalizers.Precompiled(charsmap(tuple(sorted(pairs.items()))))


def normalizer(r, deep=0):
    n, flag = normalizers, lambda: r.random() < 0.5
    kinds = [n.NFC, n.NFD, n.NFKC, n.NFKD, n.Lowercase, n.StripAccents, n.Nmt, n.ByteLevel,
             lambda: n.Strip(flag(), flag()), lambda: n.BertNormalizer(flag(), flag(), r.choice([None, True, False]), flag()),
             lambda: n.Prepend(r.choice(['▁', ' ', 'xy'])), lambda: n.Replace(r.choice([' ', 'a', '.']), r.choice(['▁', '', 'bc'])),
             lambda: n.Replace(regex(r), r.choice([' ', '', '▁'])), lambda: precompiled(r), lambda: precompiled(r)]
    if deep < 2 and r.random() < 0.3:
        return n.Sequence([normalizer(r, deep + 1) for _ in range(r.randrange(4))])
    return r.choice(kinds)()


def regex(r):
    from tokenizers import Regex
    return Regex(r.choice(EXPRESSIONS))


def splitter(r, deep=0):
    p, flag = pre_tokenizers, lambda: r.random() < 0.5
    behaviors = ['removed', 'isolated', 'merged_with_previous', 'merged_with_next', 'contiguous']
    kinds = [p.Whitespace, p.WhitespaceSplit, p.BertPreTokenizer, lambda: p.Digits(flag()), lambda: p.CharDelimiterSplit(r.choice('e .é')),
             lambda: p.Punctuation(r.choice(behaviors)), lambda: p.ByteLevel(add_prefix_space=flag(), use_regex=flag()),
             lambda: p.Metaspace(r.choice('▁_'), r.choice(['first', 'never', 'always']), flag()),
             lambda: p.FixedLength(r.randrange(1, 6)),
             lambda: p.Split(r.choice([' ', 'e', '.', 'th', '']), r.choice(behaviors), flag()),
             lambda: p.Split(regex(r), r.choice(behaviors), flag())]
    if deep < 2 and r.random() < 0.4:
        return p.Sequence([splitter(r, deep + 1) for _ in range(r.randrange(4))])
    return r.choice(kinds)()


def trained(kind, size, special, normal, split, r=None, **more):
    """A tokenizer of that model, trained on the corpus."""
    alphabet = pre_tokenizers.ByteLevel.alphabet() if split and 'ByteLevel' in str(split) else []
    if kind == 'BPE':
        model = models.BPE(unk_token='<unk>' if '<unk>' in special else None, **more)
        trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=special, initial_alphabet=alphabet, show_progress=False,
                                      **{k: v for k, v in more.items() if k in ('continuing_subword_prefix', 'end_of_word_suffix')})
    elif kind == 'Unigram':
        model, trainer = models.Unigram(), trainers.UnigramTrainer(vocab_size=size, special_tokens=special, unk_token='<unk>',
                                                                   show_progress=False)
    elif kind == 'WordPiece':
        model = models.WordPiece(unk_token='<unk>', max_input_chars_per_word=more.get('most', 100))
        trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=special, show_progress=False)
    else:
        model, trainer = models.WordLevel(unk_token='<unk>'), trainers.WordLevelTrainer(vocab_size=size, special_tokens=special,
                                                                                       show_progress=False)
    t = Tokenizer(model)
    if normal:
        t.normalizer = normal
    if split:
        t.pre_tokenizer = split
    t.train_from_iterator(corpus(), trainer)
    return json.loads(t.to_str())


def with_bytes(file):
    """The same with tokens <0x00> .. and byte_fallback."""
    vocab = file['model']['vocab']
    for b in range(256):
        name = '<0x%02X>' % b
        if isinstance(vocab, list):
            vocab.append([name, -20.0 - b / 256])
        else:
            vocab[name] = max(vocab.values()) + 1
    file['model']['byte_fallback'] = True
    return file


def with_added(file, tokens):
    """The same with these added tokens: text, and the flags that are set, as letters l r w n s."""
    t = Tokenizer.from_str(json.dumps(file))
    t.add_tokens([AddedToken(text, lstrip='l' in flags, rstrip='r' in flags, single_word='w' in flags,
                             normalized='n' in flags, special='s' in flags) for text, flags in tokens])
    return json.loads(t.to_str())


def template(file, before, behind):
    t = Tokenizer.from_str(json.dumps(file))
    special = {name: {'id': name, 'ids': [t.token_to_id(name)], 'tokens': [name]} for name in {*before, *behind}}
    piece = lambda name: {'SpecialToken': {'id': name, 'type_id': 0}}
    single = [*map(piece, before), {'Sequence': {'id': 'A', 'type_id': 0}}, *map(piece, behind)]
    return {'type': 'TemplateProcessing', 'single': single, 'special_tokens': special,
            'pair': single + [{'Sequence': {'id': 'B', 'type_id': 1}}]}


def drawn(r):
    """A tokenizer with random parts."""
    kind = r.choice(['BPE', 'BPE', 'BPE', 'Unigram', 'WordPiece', 'WordLevel'])
    special = ['<unk>', '<s>', '</s>', '[MASK]'] if kind != 'BPE' or r.random() < 0.7 else ['<s>', '</s>']
    more = {}
    if kind == 'BPE' and r.random() < 0.3:
        more = r.choice([dict(continuing_subword_prefix='##'), dict(end_of_word_suffix='</w>'),
                         dict(continuing_subword_prefix='@', end_of_word_suffix='$')])
    if kind == 'WordPiece':
        more = dict(most=r.choice([3, 20, 100]))
    normal = normalizer(r) if r.random() < 0.7 else None
    split = splitter(r) if r.random() < 0.8 else None
    if kind == 'Unigram' and not split:
        split = pre_tokenizers.Metaspace()
    file = trained(kind, r.choice([120, 300, 600]), special, normal, split, **more)
    if kind in ('BPE', 'Unigram') and r.random() < 0.4:
        file = with_bytes(file)
    if kind == 'BPE':
        file['model']['fuse_unk'] = r.random() < 0.5
        file['model']['ignore_merges'] = r.random() < 0.3
        if all(len(m) == 2 and ' ' not in m[0] + m[1] for m in file['model']['merges']) and r.random() < 0.5:
            file['model']['merges'] = [' '.join(m) for m in file['model']['merges']]
    if r.random() < 0.3:  # other steps than those that it was trained with
        file['normalizer'] = json.loads(Tokenizer_with(normalizer(r), None))['normalizer']
    if r.random() < 0.3:
        file['pre_tokenizer'] = json.loads(Tokenizer_with(None, splitter(r)))['pre_tokenizer']
    texts = ['<|end|>', '[PAD]', 'the', ' new', 'tok', 'Tok', 'é', '  ', 'xx', '▁x', 'Ⅷ', "n't", '12', '你好', '<s>']
    added = [(t, ''.join(f for f in 'lrwns' if r.random() < 0.35)) for t in r.sample(texts, r.randrange(5))]
    file = with_added(file, added)
    post = r.random()
    if post < 0.25:
        file['post_processor'] = template(file, ['<s>'], r.choice([[], ['</s>']]))
    elif post < 0.35:
        file['post_processor'] = {'type': 'RobertaProcessing', 'sep': ['</s>', 2], 'cls': ['<s>', 0], 'trim_offsets': True,
                                  'add_prefix_space': True}
    elif post < 0.45:
        bytes_ = {'type': 'ByteLevel', 'add_prefix_space': True, 'trim_offsets': False, 'use_regex': True}
        file['post_processor'] = {'type': 'Sequence', 'processors': [bytes_, template(file, ['<s>', '<s>'], [])]}
    return file


def Tokenizer_with(normal, split):
    t = Tokenizer(models.BPE())
    if normal:
        t.normalizer = normal
    if split:
        t.pre_tokenizer = split
    return t.to_str()


def ids_of(t, text, special):
    return t.encode(text, add_special_tokens=special).ids


def asked(folder, text, special):
    """What the program gives: numbers, or the line of its refusal."""
    run = subprocess.run([PROGRAM, 'lab', 'tokens', folder, '--text', '-', *([] if special else ['--no-special'])],
                         input=text.encode(), capture_output=True, cwd=ROOT)
    if run.returncode:
        return run.stderr.decode(errors='replace').strip() or 'exit %d' % run.returncode
    return [int(x) for x in run.stdout.split()]


def named():
    """The tokenizers of data/tokenizers: one of each way in which released ones are put together, small."""
    n, p = normalizers, pre_tokenizers
    from tokenizers import Regex
    bytes_only = p.ByteLevel(add_prefix_space=False, use_regex=False)
    split = lambda x, behavior='isolated': p.Split(Regex(x), behavior)
    byte_level = {'type': 'ByteLevel', 'add_prefix_space': True, 'trim_offsets': False, 'use_regex': True}
    special = ['<unk>', '<s>', '</s>', '[MASK]']

    f = trained('BPE', 300, ['<|end|>'], None, p.ByteLevel(add_prefix_space=False))
    yield 'byte-level', dict(f, post_processor=byte_level)
    f = trained('BPE', 300, ['<s>', '<|end|>'], None, p.Sequence([split(GPT4), bytes_only]))
    f['model']['ignore_merges'] = True
    yield 'expression', dict(f, post_processor={'type': 'Sequence', 'processors': [byte_level, template(f, ['<s>'], [])]})
    yield 'normal-form', trained('BPE', 300, ['<|end|>'], n.NFC(), p.Sequence([p.Split(Regex(O200K), 'removed', True), bytes_only]))
    yield 'three-splits', trained('BPE', 300, ['<|end|>'], None, p.Sequence([
        split(r'\p{N}{1,3}'), split('[一-龥\u3040-ゟ゠-ヿ]+'), split(DEEPSEEK), bytes_only]))
    f = with_bytes(trained('BPE', 260, special[:3], n.Sequence([n.Prepend('▁'), n.Replace(' ', '▁')]), None))
    f['model'].update(fuse_unk=True, merges=[' '.join(m) for m in f['model']['merges']])
    yield 'byte-fallback', dict(f, post_processor=template(f, ['<s>'], []))
    f = trained('BPE', 260, special[:3], n.Replace(' ', '▁'), p.Split(' ', 'merged_with_previous'))
    f['model']['fuse_unk'] = True
    yield 'fused-unknown', dict(f, post_processor=template(f, ['<s>'], ['</s>']))
    f = trained('BPE', 260, special[:3], n.Sequence([n.NFC(), n.Replace(Regex(r'\s+'), ' '), n.Lowercase()]),
                split(r"(?i:<s>|'s|'t)|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+", 'contiguous'), end_of_word_suffix='</w>')
    yield 'word-ends', dict(f, post_processor={'type': 'RobertaProcessing', 'sep': ['</s>', 2], 'cls': ['<s>', 1],
                                               'trim_offsets': False, 'add_prefix_space': False})
    yield 'word-insides', trained('BPE', 260, special[:1], n.NFKD(), p.Sequence([p.WhitespaceSplit(), p.Digits(True), p.Punctuation('contiguous')]),
                                  continuing_subword_prefix='##')
    f = trained('Unigram', 220, special[:3], n.Sequence([n.Nmt(), n.NFKC(), n.Replace(Regex(' {2,}'), ' ')]), p.Metaspace('▁', 'always'))
    yield 'unigram', dict(f, post_processor=template(f, [], ['</s>']))
    # lower case and a ligature, a letter with its accent as one, a blank for others, what falls away; and a cluster whose first
    # character alone the table has, so that its accent is lost
    pairs = [('T', 't'), ('\ufb01', 'fi'), ('e\u0301', '\u00e9'), ('\u3000', ' '), ('\t', ' '), ('\n', ' '), ('\u200b', ''),
             ('\u4f60\u597d', 'ni hao')]
    f = trained('Unigram', 220, special[:3], n.Sequence([n.Precompiled(charsmap(tuple(pairs))), n.Replace(Regex(' {2,}'), ' ')]),
                p.Metaspace('▁', 'always'))
    yield 'precompiled', dict(f, post_processor=template(f, [], ['</s>']))
    yield 'unigram-bytes', with_bytes(trained('Unigram', 160, special[:3], n.NFD(), p.Metaspace('▁', 'first', False)))
    f = trained('WordPiece', 260, [*special, '[CLS]', '[SEP]'], n.BertNormalizer(), p.BertPreTokenizer())
    yield 'wordpiece', dict(f, post_processor={'type': 'BertProcessing', 'sep': ['[SEP]', 5], 'cls': ['[CLS]', 4]})
    yield 'words', trained('WordLevel', 200, special[:1], n.Sequence([
        n.Strip(), n.NFD(), n.StripAccents(), n.Replace(Regex(r'(?<=\w)\W\b'), ' ')]),
                           p.Sequence([p.Whitespace(), p.Digits(False), p.FixedLength(7)]))
    f = trained('BPE', 200, special[:3], n.Sequence([n.Lowercase(), n.Replace('.', '')]), p.Metaspace('_', 'first'))
    yield 'added', with_added(f, [('<|end|>', 'lrs'), ('[PAD]', 'ws'), ('the', 'wn'), (' new', 'n'), ('Tok', 'n'), ('  ', 'r'), ('é', ''), ('xx', 'l'), ('xxx', '')])


def record(a):
    """Writes the named tokenizers and what the library gives of texts: fixed ones and, from a seed of the name, drawn ones."""
    fixed = ['', ' ', 'a', "The quick brown fox doesn't jump.", '  two  blanks  ', 'tabs\tand\nlines\r\n\n', '<s>foo</s> <|end|> bar[PAD]',
             'thethe the  new Tok tok xxxx', "I'LL it's 'S \u017f\u212a Stra\u00dfe", 'e\u0301 \u00e9 \u1e0d\u0307 \ufb01 \u2167 \uac01 \u1100\u1161\u11a8',
             '\u4f60\u597d\uff0c\u4e16\u754c 12345 \u0663\u0664 \u00b2\u00bd', '\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea\ufe0f',
             'control\x00\x01\x7f\x85\u200b\u2028\ufeff', '\u0345\u0301 a\u0345\u0301', 'w  \r\n  ', 'a\u00b2-x a\u00bd.b', *TEXT.split('\n')]
    more = {'precompiled': ['T\u0301 T\u0301\u0300', '\ufb01\u0301 \ufb01\u0323\u0301', 'e\u0301\u0301 e\u0323\u0301', '\u200b\u4f60\u597d T\u3000t',
                            'T\u0301\u20dd T\u0301\u0301']}
    for name, file in named():
        if a.only not in ('', name):
            continue
        t, r = Tokenizer.from_str(json.dumps(file)), random.Random(name)
        texts = fixed + more.get(name, []) + [text_of(r) for _ in range(12)]
        folder = os.path.join(a.folder, name)
        os.makedirs(folder, exist_ok=True)
        lines = [json.dumps({'text': x, 'ids': ids_of(t, x, True), 'plain': ids_of(t, x, False)}) for x in texts]
        head = json.dumps('tokenizers %s, harness/adapters/tokenizer_files.py' % __version__)
        with open(os.path.join(folder, 'expected.json'), 'w') as f:
            f.write('{"source": %s, "of": [\n%s\n]}\n' % (head, ',\n'.join(lines)))
        with open(os.path.join(folder, 'tokenizer.json'), 'w') as f:
            json.dump(file, f, separators=(',', ':'))
            f.write('\n')


def quiet_panics():
    """The library reports some refusals by a panic, which the compiled crate prints."""
    null = os.open(os.devnull, os.O_WRONLY)
    saved = os.dup(2)
    os.dup2(null, 2)
    return saved


def against(a):
    pairs = differ = refused = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        for k in range(a.tokenizers):
            r = random.Random('%d/%d' % (a.seed, k))
            saved = quiet_panics()
            try:
                file = drawn(r)
                t = Tokenizer.from_str(json.dumps(file))
            except BaseException as e:
                t, why = None, e
                if isinstance(e, KeyboardInterrupt):
                    raise
            finally:
                os.dup2(saved, 2), os.close(saved)
            if t is None:
                skipped += 1
                continue
            with open(os.path.join(folder, 'tokenizer.json'), 'w', encoding='utf-8') as f:
                json.dump(file, f, ensure_ascii=False)
            for i in range(a.texts):
                text, special = text_of(r), r.random() < 0.5
                saved = quiet_panics()
                try:
                    wanted = ids_of(t, text, special)
                except BaseException as e:
                    wanted = 'library: %s' % e
                finally:
                    os.dup2(saved, 2), os.close(saved)
                got = asked(folder, text, special)
                pairs += 1
                if isinstance(got, str) and isinstance(wanted, str):
                    refused += 1
                elif got != wanted:
                    differ += 1
                    print('%d/%d text %d %r\n  library %s\n  program %s\n  %s' % (
                        a.seed, k, i, text, wanted, got, json.dumps({x: file[x] for x in ('normalizer', 'pre_tokenizer')})[:400]))
                    if a.keep:
                        os.makedirs(a.keep, exist_ok=True)
                        with open(os.path.join(a.keep, '%d-%d.json' % (a.seed, k)), 'w') as f:
                            json.dump(file, f)
                    if isinstance(got, str):
                        break
    print('tokenizers %s: %d pairs, %d differ, %d refused by both, %d tokenizers refused by the library' % (
        __version__, pairs, differ, refused, skipped))
    return 1 if differ else 0


def of_characters():
    """Tokenizers that show what a step does with a character, and how it is to be set among others: a format and what
    separates two of them.  A normalizer shows its bytes; a pre-tokenizer whether a letter beside it begins a piece (a)
    or goes on (##a); an expression is a normalizer that replaces what it finds."""
    n, p = normalizers, pre_tokenizers
    seen = {c: k for k, c in enumerate(sorted(p.ByteLevel.alphabet()))}
    steps = [(x, 'q%s', getattr(n, x)()) for x in ('NFC', 'NFD', 'NFKC', 'NFKD', 'Lowercase', 'StripAccents', 'Nmt', 'BertNormalizer')]
    from tokenizers import Regex
    for x in (r'\s', r'\w', r'\d', r'\h', r'\p{L}', r'\p{M}', r'\p{N}', r'\p{P}', r'\p{S}', r'\p{Lu}', r'\p{Han}', r'\W', r'[\W]',
              r'[\w]', r'[\S]', r'(?i)k', r'(?i)s'):
        step = n.Replace(Regex(x), 'X')
        steps.append((x, next((c for c in 'q\x01 ' if step.normalize_str(c) == c), ' ') + '%s', step))
    for name, line, step in steps:
        t = Tokenizer(models.BPE(vocab=seen, merges=[]))
        t.normalizer, t.pre_tokenizer = step, p.ByteLevel(add_prefix_space=False, use_regex=False)
        yield name, line, t
    pieces = {'<unk>': 0, 'a': 1, '##a': 2, 'b': 3, '##b': 4}
    for name in ('Digits', 'Punctuation', 'Whitespace', 'WhitespaceSplit', 'BertPreTokenizer'):
        t = Tokenizer(models.BPE(vocab=pieces, merges=[], unk_token='<unk>', continuing_subword_prefix='##'))
        t.pre_tokenizer = getattr(p, name)()
        yield name, 'ba%sa', t


def ranges(numbers):
    """Numbers as text, neighbours as one range."""
    out = []
    for x in numbers:
        if out and out[-1][1] == x - 1:
            out[-1][1] = x
        else:
            out.append([x, x])
    return ' '.join('%04X' % a if a == b else '%04X-%04X' % (a, b) for a, b in out)


def characters(a):
    codes = [c for c in [*range(1, 0x20000), *range(0x20000, 0x32000, 97), *range(0xe0000, 0xe0200)]
             if not 0xd800 <= c < 0xe000 and not {'b', 'q'} & {*unicodedata.normalize('NFKD', chr(c)).lower()}]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, line, t in of_characters():
            t.save(os.path.join(folder, 'tokenizer.json'))
            stop = {ids[0] for ids in (ids_of(t, line[0], False), ids_of(t, 'a' + line[0], False)[1:]) if ids}
            differ = []
            for at in range(0, len(codes), 20000):
                some = [c for c in codes[at:at + 20000] if chr(c) != line[0]]
                text, groups = ''.join(line % chr(c) for c in some), []
                for ids in (ids_of(t, text, False), asked(folder, text, False)):
                    starts = [k for k, x in enumerate(ids) if x in stop] + [len(ids)]
                    groups.append([ids[x:y] for x, y in zip(starts, starts[1:])])
                assert len(groups[0]) == len(groups[1]) == len(some), (name, at, len(groups[0]), len(groups[1]), len(some))
                differ += [c for c, x, y in zip(some, *groups) if x != y]
            bad += len(differ)
            print('%-16s %6d of %d differ: %s' % (name, len(differ), len(codes), ranges(differ)[:a.most]), flush=True)
    return 1 if bad else 0


if __name__ == '__main__':
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    p.add_argument('verb', choices=['record', 'against', 'characters'])
    p.add_argument('folder', nargs='?', default=os.path.join(ROOT, 'data', 'tokenizers'))
    p.add_argument('--only', default='', help='record this one alone: the library trains others anew, not always the same')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--tokenizers', type=int, default=100)
    p.add_argument('--texts', type=int, default=20)
    p.add_argument('--keep', default='')
    p.add_argument('--most', type=int, default=300, help='of a line that characters prints, so many bytes')
    asked_for = p.parse_args()
    sys.exit({'record': record, 'against': against, 'characters': characters}[asked_for.verb](asked_for))
