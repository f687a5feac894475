# SPDX-License-Identifier: MIT
"""Prints words of make_events: random_memory.py SEED COUNT KIND

Threads that allocate, free and resize blocks of native memory at a few addresses, which are used again at once, also by
other threads and while a resize goes on. KIND is "exact"; "coarse" for a counter that does not distinguish a few of the
operations; or "skewed" for threads whose counters differ, with frees and allocations that were not recorded.
"""
import random
import sys

THREADS = 4
ADDRESSES = 10
MISSING = 0.05


class Program:
    def __init__(self, random_source, kind):
        self.random = random_source
        self.kind = kind
        self.events = {thread: [] for thread in range(1, THREADS + 1)}
        self.busy = {}  # until when a thread resizes, and the address that the block gets
        self.blocks = []
        self.free = list(range(1, ADDRESSES + 1))
        self.skew = {thread: thread + 8 * random_source.randint(0, 2) for thread in self.events}

    def counter(self, thread, step):
        if self.kind == "coarse":
            return 1 + int(step // 4)
        return 1 + int(2 * step) if self.kind == "exact" else int(8 * (1 + step)) + self.skew[thread]

    def record(self, thread, step, word):
        if self.kind != "skewed" or self.random.random() >= MISSING:
            self.events[thread].append("=%d %s" % (self.counter(thread, step), word))

    def take_address(self):
        return self.free.pop(self.random.randrange(len(self.free)))

    def size(self):
        return self.random.randint(0, 1000)

    def resize(self, thread, step, address):
        """The old address is free at once, which is before the call ends."""
        end = step + self.random.randint(0, 6) + 0.5
        self.free.append(address)
        target = self.take_address()
        self.busy[thread] = (end, target)
        self.record(thread, end, "r%d:%d:%d:%d" % (address, target, self.size(), self.counter(thread, step)))

    def step(self, step):
        for thread, (end, target) in list(self.busy.items()):
            if end < step:
                self.blocks.append(target)
                del self.busy[thread]
        thread = self.random.randint(1, THREADS)
        if thread in self.busy:
            return
        if self.free and (not self.blocks or self.random.random() < 0.45):
            self.blocks.append(self.take_address())
            self.record(thread, step, "a%d:%d" % (self.blocks[-1], self.size()))
        elif self.blocks:
            address = self.blocks.pop(self.random.randrange(len(self.blocks)))
            if self.random.random() < 0.3:
                self.resize(thread, step, address)
            else:
                self.free.append(address)
                self.record(thread, step, "f%d" % address)

    def words(self, count):
        """Each thread's events are in order, and in blocks, which are not in the order of time."""
        for step in range(count):
            self.step(step)
        last = 8 * (count + 100)
        while any(self.events.values()):
            thread = self.random.choice([thread for thread, events in self.events.items() if events])
            length = self.random.randint(1, 20)
            yield "@%d" % thread
            yield from self.events[thread][:length]
            del self.events[thread][:length]
        yield "=%d @1" % last


print(*Program(random.Random(int(sys.argv[1])), sys.argv[3]).words(int(sys.argv[2])))
