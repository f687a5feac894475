# SPDX-License-Identifier: MIT
"""Prints words of make_events: random_calls.py SEED COUNT KIND

Enters and leaves of threads, with enters and leaves that are missing, leaves of methods further down the stack and of
methods that are not open, recursion, and starts and ends of threads. KIND is "calls" for these alone, or "switches" for
call stacks that threads switch between, and pauses of the recording, as well.
"""
import random
import sys

METHODS = 6
DEPTH = 40


class Words:
    def __init__(self, random_source, has_switches):
        self.random = random_source
        self.has_switches = has_switches
        self.depths = {}  # about how deep the stacks of threads are
        self.words = []

    def next_call(self, thread):
        choice = self.random.random()
        depth = self.depths.get(thread, 0)
        if choice < 0.5 and depth < DEPTH:
            self.depths[thread] = depth + 1
            return "+%d" % self.random.randint(1, METHODS)
        self.depths[thread] = max(depth - 1, 0)
        return "-" if choice < 0.75 else "-%d" % self.random.randint(1, METHODS + 2)

    def next_rare(self, thread):
        kinds = "<<<>>>" + ("~~~~~~~~!!%" if self.has_switches else "")
        kind = self.random.choice(kinds)
        if kind == "~":
            return "~%d" % self.random.randint(0, 3)
        if kind == "!":
            return "!%d" % self.random.randint(1, 3)
        if kind == "%":
            return kind
        # Most events about the life of a thread are its own.
        other = self.random.randint(1, 4) if self.random.random() < 0.2 else thread
        return "%s%d" % (kind, other)

    def make(self, count):
        thread = 1
        self.words.append("@1")
        while len(self.words) < count:
            if self.random.random() < 0.1:
                thread = self.random.randint(1, 4)
                self.words.append("@%d" % thread)
            rare = self.random.random() < (0.15 if self.has_switches else 0.05)
            self.words.append(self.next_rare(thread) if rare else self.next_call(thread))
        return self.words


print(*Words(random.Random(int(sys.argv[1])), sys.argv[3] == "switches").make(int(sys.argv[2])))
