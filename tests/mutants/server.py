"""The server of tests (serve.c) as an object: lists the tests, asks one with a fault, sees what one reaches."""
import os
import subprocess

import build


class Server:
    def __init__(self, room, marks=None):
        """`marks`: a file for what tests reach, where that is asked."""
        self.process = subprocess.Popen([os.path.join(build.B, 'alarm'), *([os.path.abspath(marks)] if marks else [])], cwd=room, env=build.ENVIRONMENT, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def answer(self, line=None):
        if line:
            self.process.stdin.write(line + '\n')
            self.process.stdin.flush()
        said = self.process.stdout.readline().rstrip('\n')
        if not said or said.startswith('what?'):
            raise build.Broken('the server of tests says %r of %r' % (said, line))
        return said

    def block(self, first):
        lines = []
        while first != '.':
            lines.append(first)
            first = self.answer()
        return lines

    def tests(self):
        return self.block(self.answer('list'))

    def ask(self, key, test, cpu):
        """('pass', 'fail', 'time' or 'skip', seconds of the processor)"""
        word, seconds = self.answer('ask %s %.3f %.1f %s' % (key or '-', cpu, 20 + 20 * cpu, test)).split()
        return word, float(seconds)

    def reach(self, test, cpu):
        """The same, and {file: numbers of marks}."""
        word, seconds = self.answer('reach %.3f %.1f %s' % (cpu, 20 + 20 * cpu, test)).split()
        rows = [line.split() for line in self.block(self.answer())]
        return word, float(seconds), {r[0]: [int(k) for k in r[1:]] for r in rows if len(r) > 1}

    def close(self):
        self.process.stdin.close()
        self.process.wait()
