# SPDX-License-Identifier: MIT
"""Checks a Perfetto trace by the rules that Perfetto's trace_processor and viewer apply to what they read.

Usage: perfetto_rules.py TRACE. Prints what the trace contains, one fact on a line, and on lines that begin with "fault"
where the reader would drop something, count an error, or show nothing.
"""
import sys

BOOTTIME, SINCE_PREVIOUS = 6, 64
STATE_CLEARED, NEEDS_STATE = 1, 2
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
MOST_OPEN = 512  # The beginnings of further slices are dropped, and not their ends.
faults = []


def fault(text):
    faults.append(text)


def number_at(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message: lists of numbers and of bytes by number."""
    found, at = {}, 0
    while at < len(data):
        key, at = number_at(data, at)
        kind = key & 7
        if kind == 0:
            value, at = number_at(data, at)
        elif kind == 2:
            length, at = number_at(data, at)
            value, at = data[at:at + length], at + length
        else:
            size = 8 if kind == 1 else 4
            value, at = data[at:at + size], at + size
        found.setdefault(key >> 3, []).append(value)
    return found


def first(message, field, otherwise=None):
    return message.get(field, [otherwise])[0]


class Sequence:
    def __init__(self):
        self.is_cleared = False
        self.lost = False
        self.clock = None
        self.previous = None
        self.clocks = {}
        self.track = None
        self.source = None
        self.names = {}
        self.functions, self.frames, self.stacks, self.mappings, self.sources = {}, {}, {}, {}, {}


sequences, tracks, threads, processes, open_slices, listed, dropped = {}, {}, {}, {}, {}, set(), set()
thread_names, last_clocks = {}, {}
times, used_tracks, samples, roots, types, names = [], set(), [], 0, {}, {}
facts = {"calls": 0, "deepest": 0, "instants": 0, "samples": 0}


def read_snapshot(sequence, message):
    clocks = {first(fields(c), 1): first(fields(c), 2, 0) for c in message.get(1, [])}
    if BOOTTIME not in clocks:
        fault("a clock snapshot has no BOOTTIME: the reader cannot relate the trace to others")
    if first(message, 2) not in clocks:
        fault("the primary clock is not in its snapshot")
    for clock in (1, BOOTTIME):
        if clocks.get(clock, 0) < last_clocks.get(clock, 0):
            fault("clock %d goes back from one snapshot to the next" % clock)
        last_clocks[clock] = clocks.get(clock, 0)
    for clock in message.get(1, []):
        clock = fields(clock)
        if first(clock, 1) >= 128:
            print("clock", first(clock, 1), first(clock, 2, 0), first(clock, 4, 1), clocks[1] - facts["realtime"],
                  sep="\t")
            return
    sequence.clocks = clocks
    facts.setdefault("boottime", clocks.get(BOOTTIME))
    facts.setdefault("monotonic", clocks.get(3))
    facts.setdefault("realtime", clocks.get(1))


def read_interned(sequence, message):
    for field, table in ((2, sequence.names), (5, sequence.functions), (6, sequence.frames), (7, sequence.stacks),
                         (19, sequence.mappings), (18, sequence.sources)):
        for entry in message.get(field, []):
            entry = fields(entry)
            table[first(entry, 1)] = entry


def read_descriptor(message):
    uuid = first(message, 1)
    parent = first(message, 5)
    if parent is not None and parent not in tracks:
        fault("the parent of a track is not described")
    tracks[uuid] = message
    if 3 in message:
        process = fields(message[3][0])
        processes[uuid] = process
        print("process", first(process, 1), first(process, 6, b"").decode(),
              " ".join(part.decode() for part in process.get(2, [])), sep="\t")
    if 4 in message:
        thread = fields(message[4][0])
        tid = first(thread, 2)
        if not 0 < tid < 1 << 31:
            fault("thread number out of range: %d" % tid)
        if tid in threads.values():
            fault("two threads have the number %d" % tid)
        threads[uuid] = tid
        thread_names[tid] = first(thread, 5, b"").decode()
        print("thread", tid, first(thread, 5, b"").decode(), first(message, 14, b"").decode(), sep="\t")


def read_event(sequence, message, time):
    kind = first(message, 9)
    track = first(message, 11, sequence.track)
    if track not in tracks:
        fault("an event is on a track that is not described")
    used_tracks.add(track)
    if kind in (BEGIN, INSTANT) and 23 not in message and first(message, 10) not in sequence.names:
        fault("an event has no name")
    slices = open_slices.setdefault(track, [])
    if kind in (BEGIN, INSTANT) and len(slices) >= MOST_OPEN:
        fault("more than %d slices are open" % MOST_OPEN)
    if kind == BEGIN:
        name = None
        if 10 in message:
            name = first(sequence.names.get(first(message, 10), {}), 2, b"").decode()
            facts["calls"] += 1
        slices.append((name, time))
        facts["deepest"] = max(facts["deepest"], len(slices))
    elif kind == END:
        if not slices:
            fault("an end has no beginning")
            return
        name, start = slices.pop()
        if name is not None:
            count, total = names.get((name, len(slices)), (0, 0))
            names[name, len(slices)] = (count + 1, total + time - start)
    elif kind == INSTANT:
        facts["instants"] += 1
        if 23 in message:
            print("instant", first(message, 23).decode(), time - facts["realtime"], sep="\t")


def read_sample(sequence, message, time):
    facts["samples"] += 1
    if sequence.source is None:
        fault("a sample has no source: the viewer does not show it")
    task = fields(first(message, 1))
    if first(task, 3) not in threads.values() and first(task, 3) not in [first(p, 1) for p in processes.values()]:
        fault("a sample is of a thread that is not described")
    stack = sequence.stacks.get(first(message, 6))
    if stack is None:
        fault("a sample has no call stack")
        return
    path = []
    for frame in stack.get(2, []):
        frame = sequence.frames.get(frame)
        if frame is None or first(frame, 2) not in sequence.functions:
            fault("a frame is not defined")
            continue
        if 3 in frame and (first(frame, 3) not in sequence.mappings or 4 not in frame):
            fault("a frame has a module and no address, or the module is not defined")
        if 5 in frame and first(frame, 5) not in sequence.sources:
            fault("a source file is not defined")
        path.append(first(sequence.functions[first(frame, 2)], 2).decode())
    counter = fields(first(message, 9))
    samples.append((path, first(counter, 3), first(message, 11, 0)))
    print_kind(message, counter, first(task, 3), path)


def print_kind(message, counter, tid, path):
    """Samples of kinds have a counter that is not that of plain samples."""
    name = first(counter, 2).decode()
    if name in ("samples", "processor time"):
        return
    if 3 not in counter and 4 not in counter:
        fault("a counter has no unit")
    execution = fields(first(message, 3, b""))
    unit = {1: "ns", 4: "bytes", 9: "count"}.get(first(counter, 3), first(counter, 4))
    mode = {1: "user", 2: "kernel"}.get(first(execution, 3), "none")
    print("kind\t" + name, unit, first(message, 11), first(execution, 2, "none"), mode, thread_names.get(tid), path[-1])


def read_packet(packet):
    global roots
    sequence = sequences.setdefault(first(packet, 10), Sequence())
    flags = first(packet, 13, 0)
    if first(packet, 42):
        sequence.lost = True
        dropped.add(first(packet, 10))
    if flags & STATE_CLEARED:
        sequence.__init__()
        sequence.is_cleared = True
    if flags & NEEDS_STATE and not sequence.is_cleared:
        fault("a packet needs definitions that its sequence does not have")
    if sequence.lost:
        fault("after a loss, the sequence is not cleared")
    if 6 in packet:
        read_snapshot(sequence, fields(packet[6][0]))
    if 59 in packet:
        defaults = fields(packet[59][0])
        sequence.clock = first(defaults, 58)
        if 11 in defaults:
            sequence.track = first(fields(defaults[11][0]), 11)
        if 100 in defaults:
            sequence.source = first(fields(defaults[100][0]), 1)
    if 12 in packet:
        read_interned(sequence, fields(packet[12][0]))
    time = None
    if 8 in packet:
        clock = first(packet, 58, sequence.clock)
        if clock not in sequence.clocks or 1 not in sequence.clocks:
            fault("a timestamp is of a clock that is not related to others")
            return
        if clock == SINCE_PREVIOUS:
            previous = sequence.previous if sequence.previous is not None else sequence.clocks[clock]
            sequence.previous = previous + first(packet, 8)
            since = sequence.previous
        else:
            since = first(packet, 8)
        time = since - sequence.clocks[clock] + sequence.clocks[1]
        times.append(time)
    if 60 in packet:
        read_descriptor(fields(packet[60][0]))
    if 11 in packet:
        read_event(sequence, fields(packet[11][0]), time)
    if 135 in packet:
        read_sample(sequence, fields(packet[135][0]), time)
    if 35 in packet:
        for writer in fields(packet[35][0]).get(18, []):
            listed.add(first(fields(writer), 1))
    if 56 in packet:
        graph = fields(packet[56][0])
        for root in graph.get(7, []):
            data, at = first(fields(root), 1, b""), 0
            while at < len(data):
                _, at = number_at(data, at)
                roots += 1
        for kind in graph.get(9, []):
            kind = fields(kind)
            types[first(kind, 3).decode()] = first(kind, 7, 0)


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    for packet in fields(data).get(1, []):
        read_packet(fields(packet))
    for track, slices in open_slices.items():
        if any(name is not None for name, _ in slices):
            fault("calls are open at the end")
    for sequence in dropped - listed:
        fault("the loss of sequence %d is in no statistics" % sequence)
    for name in ("calls", "deepest", "samples"):
        print(name, facts[name], sep="\t")
    for name in ("boottime", "monotonic", "realtime"):
        print(name, facts.get(name), sep="\t")
    print("losses", len(dropped), sep="\t")
    print("roots", roots, sep="\t")
    for name, kind in sorted(types.items()):
        print("type", name, kind, sep="\t")
    for (name, depth), (count, total) in sorted(names.items()):
        if depth < 3:
            print("call", name, depth, count, total, sep="\t")
    for path, unit, weight in samples[:1000]:
        print("sample", len(path), unit, weight, path[-1] if path else "", sep="\t")
    for text in sorted(set(faults)):
        print("fault", faults.count(text), text, sep="\t")


main()
