# SPDX-License-Identifier: MIT
"""compare_heap.py TRACE SNAPSHOT REPORT INDEX: compares a heap snapshot of a Perfetto trace with an export for V8 of the
same snapshot and with "mprof heap --json --top=0". The trace is decoded from its bytes. INDEX counts from 0."""
import collections
import json
import re
import sys


def fail(message):
    sys.exit("compare_heap.py: " + message)


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """The fields of a message: lists of values by number."""
    found = collections.defaultdict(list)
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = data[at : at + 8], at + 8
        elif key & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            fail("wire type %d" % (key & 7))
        found[key >> 3].append(value)
    return found


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def one(message, field):
    return message[field][-1] if field in message else 0


def read_graphs(path):
    """The snapshots of a trace: lists of HeapGraph messages, with their times."""
    graphs, current, time = [], [], None
    for packet in fields(open(path, "rb").read())[1]:
        packet = fields(packet)
        if 56 not in packet:
            continue
        graph = fields(one(packet, 56))
        if one(graph, 6) != len(current):
            fail("packet %d has the index %d" % (len(current), one(graph, 6)))
        if current and one(packet, 8) != time:
            fail("packets of a snapshot have different times")
        if len(one(packet, 56)) > 2 << 18:
            fail("a packet has %d bytes" % len(one(packet, 56)))
        time = one(packet, 8)
        current.append(graph)
        if not one(graph, 5):
            graphs.append((time, current))
            current = []
    if current:
        fail("the last snapshot has no last packet")
    if len(set(time for time, _ in graphs)) != len(graphs):
        fail("two snapshots have the same time")
    return [graph for _, graph in graphs]


def plain(name):
    """A name as both formats can have it: without control characters and invalid UTF-8."""
    name = re.sub(r"[\x00-\x1f\x7f]", lambda m: "\\x%02x" % ord(m.group()), name)
    return re.sub(r"\\x[89a-f].|\ufffd", "?", name)


def text(data):
    return plain(data.decode("utf-8"))


def read_trace(graph):
    # 0 is a field that is not known.
    types, names, objects, references, roots = {}, {0: "(unknown field)"}, {}, [], []
    for packet in graph:
        last = 0
        for entry in map(fields, packet[9]):
            types[one(entry, 1)] = text(entry[3][0])
        for entry in map(fields, packet[4]):
            names[one(entry, 1)] = re.sub("^ ", "", text(entry[2][0]))
        for entry in map(fields, packet[7]):
            roots += [(one(entry, 2), number) for number in packed(entry[1][0])]
        for entry in map(fields, packet[2]):
            last = one(entry, 1) if 1 in entry else last + one(entry, 7)
            if last in objects or last == 0:
                fail("object %d again" % last)
            objects[last] = (one(entry, 2), one(entry, 3))
            if 5 in entry:
                targets = [number + one(entry, 6) for number in packed(entry[5][0])]
                ids = packed(entry[4][0])
                if len(ids) != len(targets):
                    fail("fields and references of an object differ")
                references += [(last, field, target) for field, target in zip(ids, targets)]
    found = {"classes": collections.Counter(), "bytes": collections.Counter(), "edges": collections.Counter()}
    for kind, size in objects.values():
        found["classes"][types[kind]] += 1
        found["bytes"][types[kind]] += size
    for source, field, target in references:
        found["edges"][types[objects[source][0]], names[field], types[objects[target][0]]] += 1
    found["roots"] = collections.Counter(
        (kind, types[objects[number][0]], objects[number][1]) for kind, number in roots
    )
    return found


def read_snapshot(path):
    data = json.load(open(path, encoding="utf-8"))
    nodes, edges, strings = data["nodes"], data["edges"], data["strings"]
    found = {"edges": collections.Counter(), "roots": collections.Counter()}
    kinds = {
        "(other roots)": 0,
        "(handles)": 1,
        "(stacks)": 3,
        "(static fields)": 5,
        "(thread-static fields)": 8,
        "(finalizer queue)": 10,
        "(runtime)": 13,
    }
    at = 0
    for source in range(0, len(nodes), 6):
        for _ in range(nodes[source + 4]):
            kind, name, target = edges[at : at + 3]
            at += 3
            if nodes[source] == 3:
                field = "[]" if kind == 1 else plain(strings[name])
                found["edges"][plain(strings[nodes[source + 1]]), field, plain(strings[nodes[target + 1]])] += 1
            elif strings[nodes[source + 1]] in kinds and nodes[target] == 3:
                found["roots"][
                    kinds[strings[nodes[source + 1]]], plain(strings[nodes[target + 1]]), nodes[target + 3]
                ] += 1
    return found


def same(what, found, wanted):
    if found != wanted:
        fail("%s: %s, not %s" % (what, sorted((found - wanted).items())[:5], sorted((wanted - found).items())[:5]))


trace = read_trace(read_graphs(sys.argv[1])[int(sys.argv[4])])
snapshot = read_snapshot(sys.argv[2])
report = json.load(open(sys.argv[3], encoding="utf-8"))
same("objects", trace["classes"], collections.Counter({plain(c["name"]): c["objects"] for c in report["classes"]}))
same("bytes", trace["bytes"], collections.Counter({plain(c["name"]): c["bytes"] for c in report["classes"]}))
same("references", trace["edges"], snapshot["edges"])
# A snapshot without roots has some in the trace, because its reader shows only what it reaches from roots.
if snapshot["roots"]:
    same("roots", trace["roots"], snapshot["roots"])
if sum(trace["edges"].values()) != report["references"] - report["missing_references"]:
    fail("%d references" % sum(trace["edges"].values()))
print(len(trace["classes"]), sum(trace["classes"].values()), sum(trace["edges"].values()), sum(trace["roots"].values()))
