"""The lint's own test: a small tree that every rule accepts, and the same tree with one fault a rule, which that rule alone
must find, and for which the lint must fail.  Exit 0 where each does."""
import os
import subprocess
import sys
import tempfile

LINT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lint.py')
CLEAN = {
    'Makefile': 'rows := $(call name,ref/*.c)\n',
    'fast/meridian.h': '/* The interface. */\nstruct mer { int n; };\n',
    'fast/core/a/a.h': '/* One. */\nstruct a { int n; };\n/* Doubles it. */\nint a_twice(int n);\n',
    'fast/core/a/a.c': '/* One, done. */\n#include "a/a.h"\nint a_twice(int n) { return 2 * n; }\n',
    'fast/core/b/b.h': '/* Two, made of ones. */\n#include "a/a.h"\n/* Four times it. */\nint b_four(int n);\n',
    'fast/core/b/b.c': '/* Two, done. */\n#include "b/b.h"\nint b_four(int n) { return a_twice(a_twice(n)); }\n',
    'ref/core/r/r.h': '/* A reference. */\nstruct r { int n; };\n/* The truth. */\nint r_truth(int n);\n',
    'ref/core/r/r.c': '/* A reference, done. */\n#include "r/r.h"\nint r_truth(int n) { return n; }\n',
    'ref/page.c': '/* A page. */\nint page(void) { return 1; }\n',
    'proofs/law.c': '/* A law. */\n#include "r/r.h"\nint law(void) { return r_truth(1); }\n',
    'harness/core/h.c': '/* Ground. */\nint h(void) { return 0; }\n',
    'tests/t.c': '/* A test. */\nint t(void) { return 0; }\n',
}
NINE = ', '.join('int p%d' % k for k in range(9))
FAULTS = {
    'circles': {'fast/core/a/c.c': '/* A third. */\n#include "b/b.h"\nint c_eight(int n) { return 2 * b_four(n); }\n'},
    'files': {'fast/core/a/c.h': '/* A third. */\n/* Eight times it. */\nint c_eight(int n);\n',
              'fast/core/a/c.c': '/* A third, done. */\n#include "a/c.h"\n#include "a/a.h"\nint c_eight(int n) { return a_twice(4 * n); }\n',
              'fast/core/a/a.c': '/* One. */\n#include "a/a.h"\n#include "a/c.h"\nint a_twice(int n) { return c_eight(n) / 4; }\n'},
    'rooms': {'fast/core/a/a.c': '/* One. */\n#include "a/a.h"\n#include "r/r.h"\nint a_twice(int n) { return r_truth(n); }\n'},
    'core': {'ref/page.h': '/* A page. */\n/* One. */\nint page(void);\n',
             'ref/core/r/r.c': '/* R. */\n#include "r/r.h"\n#include "page.h"\nint r_truth(int n) { return n + page(); }\n'},
    'folders': {'harness/core/f%d.c' % k: '/* A file. */\nint f%d;\n' % k for k in range(26)},
    'columns': {'ref/page.c': '/* A page. */\nint page(void) { return 1; } /* %s */\n' % ('x' * 100)},
    'pages': {'ref/page.c': '/* A page. */\nint page(void) { return 1; }\n' + '/* A line. */\n' * 148},
    'shared': {'ref/page.c': '/* A page. */\nstruct param page[] = { { "n", "1", "how "\n    "many", INT, offsetof(struct p, n), .least = 1 } };\n',
               'ref/core/r/r.c': '/* R. */\n#include "r/r.h"\nint r_truth(int n) { return n; }\n'
                                 'struct param r[] = { { "n", "1", "how "\n"many", INT, .least = 1 } };\n'},
    'tags': {'harness/core/h.c': '/* Ground. */\nstruct r { int n; };\nint h(void) { return 0; }\n'},
    'guards': {p: '/* Ground. */\n#ifndef H_H\n#define H_H\nextern int %s;\n#endif\n' % p[13:-2] for p in ('harness/core/h.h', 'harness/core/i.h')},
    'twice': {'tests/fuzz/storm/t.c': '/* A generator. */\nint r_truth(int n) { return n + 1; }\n'},
    'parameters': {'harness/core/h.c': '/* Ground. */\nint h(%s) { return p0; }\n' % NINE},
    'macros': {'harness/core/h.c': '/* Ground. */\n' + ''.join('#define M%d(x) ((x) + %d)\n' % (k, k) for k in range(13)) + 'int h;\n'},
    'prototypes': {'fast/core/a/a.h': '/* One. */\nstruct a { int n; };\n\nint a_twice(int n);\n'},
    'modules': {'ref/core/r/r.h': '/* R. */\nstruct r { int n; };\n/* The truth. */\nint r_truth(int n);\n/* Ground. */\nint h(void);\n'},
    'needs': {'tests/t.sh': '#!/bin/sh\nset -e\nf() { echo "$(slint --all)"; } # rlint\ncase $1 in a) : ;; esac\nf'
                           ' >xlint "ylint" <<END\nzlint\nEND\n'},
    'workers': {'harness/core/h.c': '/* Ground. */\nint fork(void);\nint h(void) { return fork(); }\n'},
    'operations': {'ref/core/edit/site.h': '/* Edits. */\n#define b_add(w, x, y) site_two(w, HERE, x, y)\n#define b_max(w, x, y) site_two(w, HERE, x, y)\n',
                   'ref/core/edit/taken.h': '/* Notes. */\n#define b_sub(w, x, y) noted(w, HERE, x)\n'},
    'top': {'saved/config.json': '{}\n'},
    'opening': {'harness/core/h.c': 'int h(void) { return 0; }\n'},
}


def places(files):
    """{rule: number of places} of a tree of these files, and the lint's exit status for it."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)) or root, exist_ok=True)
            with open(os.path.join(root, path), 'w') as f:
                f.write(text)
        run = subprocess.run([sys.executable, LINT], cwd=root, stdout=subprocess.PIPE, text=True)
    table = run.stdout[run.stdout.index('rule  '):].split('\n')[1:]
    return {row.split()[0]: int(row.split()[1]) for row in table if row.strip()}, run.returncode


def main():
    bad = 0
    seen, status = places(CLEAN)
    if status:
        bad, _ = 1, print('lint: fails a tree in which no rule finds anything')
    for rule, n in seen.items():
        if n:
            bad, _ = 1, print('lint: rule %s finds %d places in a tree that has none' % (rule, n))
        if rule not in FAULTS:
            bad, _ = 1, print('lint: rule %s has no planted fault in tests/lint/self.py' % rule)
    for rule, change in FAULTS.items():
        found, status = places({**CLEAN, **change})
        if not status:
            bad, _ = 1, print('lint: the fault of rule %s fails nothing' % rule)
        if not found.get(rule):
            bad, _ = 1, print('lint: rule %s does not find its planted fault' % rule)
        others = [r for r, n in found.items() if n and r != rule]
        if others:
            bad, _ = 1, print('lint: the fault of rule %s is found by %s too' % (rule, ' '.join(others)))
    print('lint: %d rules find their planted faults' % len(FAULTS) if not bad else 'lint: its own test fails')
    return bad


if __name__ == '__main__':
    sys.exit(main())
