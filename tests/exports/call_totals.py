# SPDX-License-Identifier: MIT
"""Prints what the calls of a log of make_events are, by the rules of doc/format.md, 4.3: call_totals.py WHAT WORD...

WHAT is
  totals  a line for each method: name, own time, total time, calls. Methods that are open at the end are so until the end
          of the log, or of their thread.
  decoded the same as "mprof decode" has it (doc/decode.md): methods are open until the last event of their thread, and
          recursive calls count in full
  leaves  the method of each leave, in the order of the log; 0 if none is open
  frames  a line for each second and thread, after its event: second, thread, open methods from the outermost one
"""
import collections
import sys

STEP = 10**9


class Thread:
    def __init__(self):
        self.stack = []
        self.last = None
        self.has_ended = False
        self.reported_end = None


class Totals:
    def __init__(self):
        self.threads = collections.defaultdict(Thread)
        self.own = collections.Counter()
        self.total = collections.Counter()
        self.full = collections.Counter()
        self.calls = collections.Counter()
        self.leaves = []
        self.frames = []
        self.now = 0

    def pass_time(self, thread, until):
        if thread.last is not None and until > thread.last:
            if thread.stack:
                self.own[thread.stack[-1]] += until - thread.last
            for method in set(thread.stack):
                self.total[method] += until - thread.last
            for method in thread.stack:
                self.full[method] += until - thread.last
        thread.last = until

    def leave(self, thread, method):
        method = method or (thread.stack[-1] if thread.stack else 0)
        self.leaves.append(method)
        if method in thread.stack:
            while thread.stack.pop() != method:
                pass

    def add(self, number, word):
        thread = self.threads[number]
        value = int(word[1:] or 0)
        starts = word[0] == "<" and value == number
        if starts and thread.has_ended:
            thread.stack = []
        self.pass_time(thread, self.now)
        if word[0] == "+":
            thread.stack.append(value)
            self.calls[value] += 1
        elif word[0] == "-":
            self.leave(thread, value)
        elif starts:
            thread.stack = []
            thread.has_ended = False
        elif word[0] == ">" and value == number:
            thread.has_ended = True
        elif word[0] == ">":
            self.threads[value].reported_end = self.now

    def finish(self):
        end = max((thread.last or 0) for thread in self.threads.values())
        for thread in self.threads.values():
            reported = thread.reported_end
            if thread.last is None or thread.has_ended:
                continue
            self.pass_time(thread, reported if reported is not None and reported >= thread.last else end)


def main():
    what, *words = sys.argv[1:]
    totals = Totals()
    number = 0
    for word in words:
        totals.now += STEP
        if word[0] == "@":
            number = int(word[1:])
        elif word[0] in "+-<>":
            totals.add(number, word)
        for thread, state in sorted(totals.threads.items()):
            totals.frames.append((totals.now // STEP, thread, state.stack.copy()))
    if what == "leaves":
        print(*totals.leaves, sep="\n")
    elif what == "frames":
        for time, thread, stack in totals.frames:
            print(time, thread, *stack)
    else:
        if what == "totals":
            totals.finish()
        sums = totals.full if what == "decoded" else totals.total
        for method, calls in totals.calls.items():
            print("NS.Class.M%d ()\t%d\t%d\t%d" % (method, totals.own[method], sums[method], calls))


main()
