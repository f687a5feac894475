# SPDX-License-Identifier: MIT
"""Prints what the calls of a log of make_events are, by the rules of doc/format.md, 4.3 and 4.8. The words of make_events
are on standard input: call_totals.py WHAT [DEPTH]

WHAT is
  totals  a line for each method: name, own time, total time, calls. Methods that are open at the end are so until the end
          of the log, or of their thread.
  decoded the same as "mprof decode" has it (doc/decode.md): methods are open until the last event of their thread, and
          recursive calls count in full
  leaves  the method of each leave, in the order of the log; 0 if none is open
  frames  a line for each second and thread, after its event: second, thread, open methods from the outermost one
The time of frames above DEPTH is that of the frame below them; without it, all frames have their own time.
"""
import collections
import sys

STEP = 10**9


class Stack:
    def __init__(self):
        self.frames = []  # method, and the time of the stack when it was entered
        self.active = collections.Counter()  # frames by method
        self.time = 0
        self.left = None
        self.thread = None

    def methods(self):
        return [method for method, _ in self.frames]


class Thread:
    def __init__(self):
        self.own = Stack()
        self.stack = self.own
        self.last = None
        self.has_ended = False
        self.reported_end = None


class Totals:
    def __init__(self, depth):
        self.depth = depth
        self.threads = collections.defaultdict(Thread)
        self.stacks = {}
        self.gap = None
        self.own = collections.Counter()
        self.total = collections.Counter()
        self.full = collections.Counter()
        self.calls = collections.Counter()
        self.leaves = []
        self.now = 0

    def pass_time(self, thread, until):
        stack = thread.stack
        if thread.last is not None and until > thread.last:
            if stack.frames:
                self.own[stack.frames[min(len(stack.frames), self.depth) - 1][0]] += until - thread.last
            stack.time += until - thread.last
        thread.last = until

    def pop(self, stack):
        """Ends the frame on top, and returns its method."""
        method, entered = stack.frames.pop()
        stack.active[method] -= 1
        if len(stack.frames) < self.depth:
            self.full[method] += stack.time - entered
            self.total[method] += stack.time - entered if stack.active[method] == 0 else 0
        return method

    def clear(self, stack):
        while stack.frames:
            self.pop(stack)

    def enter(self, stack, method):
        stack.frames.append((method, stack.time))
        stack.active[method] += 1
        self.calls[method] += 1

    def leave(self, stack, method):
        method = method or (stack.frames[-1][0] if stack.frames else 0)
        self.leaves.append(method)
        if stack.active[method] > 0:
            while self.pop(stack) != method:
                pass

    def return_to_own(self, thread):
        thread.stack.left = self.now
        thread.stack.thread = None
        thread.stack = thread.own

    def switch(self, thread, stack):
        if stack is thread.stack:
            return
        if stack.thread is not None:
            self.return_to_own(stack.thread)
        thread.stack.left = self.now
        thread.stack.thread = None
        thread.stack = stack
        stack.thread = thread if stack is not thread.own else None
        if self.gap is not None and stack.left is not None and stack.left <= self.gap:
            self.clear(stack)

    def start(self, thread):
        if thread.stack is not thread.own:
            self.return_to_own(thread)
        self.clear(thread.own)

    def add_rare(self, number, thread, kind, value):
        if kind == "<" and value == number:
            self.start(thread)
            thread.has_ended = False
        elif kind == ">" and value == number:
            thread.has_ended = True
        elif kind == ">":
            self.threads[value].reported_end = self.now
        elif kind == "~":
            self.switch(thread, self.stacks.setdefault(value, Stack()) if value else thread.own)
        elif kind == "!" and value in self.stacks:
            stack = self.stacks.pop(value)
            if stack.thread is not None:
                self.return_to_own(stack.thread)
            self.clear(stack)

    def add(self, number, word):
        thread = self.threads[number]
        kind = word[0]
        value = int(word[1:] or 0)
        if kind == "%":
            self.pass_time(thread, self.now - STEP // 2)
            self.clear(thread.stack)
            self.gap = self.now - STEP // 2
        if kind == "<" and value == number and thread.has_ended:
            self.start(thread)
        self.pass_time(thread, self.now)
        if kind == "+":
            self.enter(thread.stack, value)
        elif kind == "-":
            self.leave(thread.stack, value)
        else:
            self.add_rare(number, thread, kind, value)

    def finish(self, lasts):
        for thread in self.threads.values():
            reported = thread.reported_end
            if lasts and thread.last is not None and not thread.has_ended:
                self.pass_time(thread, reported if reported is not None and reported >= thread.last else self.now)
            self.clear(thread.own)
        for stack in self.stacks.values():
            self.clear(stack)


def words():
    for word in sys.stdin.read().split():
        word, _, count = word.partition("*")
        yield from [word] * int(count or 1)


def main():
    what = sys.argv[1]
    totals = Totals(int(sys.argv[2]) if len(sys.argv) > 2 else sys.maxsize)
    number = 0
    for word in words():
        totals.now += STEP
        if word[0] == "@":
            number = int(word[1:])
        elif word[0] in "+-<>~!%":
            totals.add(number, word)
        for thread, state in sorted(totals.threads.items() if what == "frames" else ()):
            print(totals.now // STEP, thread, *state.stack.methods())
    if what == "leaves":
        print(*totals.leaves, sep="\n")
    if what not in ("totals", "decoded"):
        return
    totals.finish(what == "totals")
    sums = totals.full if what == "decoded" else totals.total
    for method, calls in totals.calls.items():
        print("NS.Class.M%d ()\t%d\t%d\t%d" % (method, totals.own[method], sums[method], calls))


main()
