# SPDX-License-Identifier: MIT
"""Checks that exports with single events have a valid structure.

event_targets.py FORMAT FILE...: prints the number of calls of each file. Calls must nest and end, and the times of a
thread must not decrease.
"""
import json
import struct
import sys

import firefox

# Fields of the messages of Perfetto that are read, and the types of a TrackEvent.
PACKET, SEQUENCE, TRACK_EVENT = 1, 10, 11
EVENT_TYPE, EVENT_TRACK, BEGIN, END = 9, 11, 1, 2


class Calls:
    """The open calls of each thread."""

    def __init__(self):
        self.open = {}
        self.times = {}
        self.count = 0

    def begin(self, thread, name, time):
        self.advance(thread, time)
        self.open.setdefault(thread, []).append(name)
        self.count += 1

    def end(self, thread, name, time):
        self.advance(thread, time)
        firefox.require(self.open.get(thread) and self.open[thread][-1] == name, "an end without its beginning")
        self.open[thread].pop()

    def advance(self, thread, time):
        firefox.require(time >= self.times.get(thread, time), "time goes back")
        self.times[thread] = time

    def finish(self):
        firefox.require(not any(self.open.values()), "calls are open at the end")
        return self.count


def count_chrome(path):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    calls = Calls()
    intervals = set()
    for event in trace["traceEvents"]:
        if event["ph"] == "B":
            calls.begin(event["tid"], event["name"], event["ts"])
        elif event["ph"] == "E":
            calls.end(event["tid"], event["name"], event["ts"])
        elif event["ph"] == "b":
            intervals.add(event["id"])
        elif event["ph"] == "e":
            intervals.remove(event["id"])
    firefox.require(not intervals, "intervals are open at the end")
    return calls.finish()


def count_speedscope(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    firefox.require(document["$schema"] == "https://www.speedscope.app/file-format-schema.json", "the schema")
    calls = Calls()
    for thread, profile in enumerate(document["profiles"]):
        for event in profile["events"]:
            firefox.require(0 <= event["frame"] < len(document["shared"]["frames"]), "frame")
            (calls.begin if event["type"] == "O" else calls.end)(thread, event["frame"], event["at"])
            firefox.require(profile["startValue"] <= event["at"] <= profile["endValue"], "bounds")
    return calls.finish()


def count_firefox(path):
    profile = firefox.load(path)
    firefox.check(profile)
    # The format has no calls.
    return sum(thread["samples"]["length"] for thread in profile["threads"])


def varint(data, offset):
    shift = value = 0
    while True:
        firefox.require(offset < len(data), "a varint is truncated")
        value |= (data[offset] & 0x7f) << shift
        shift += 7
        offset += 1
        if data[offset - 1] < 0x80:
            return value, offset


def fields(data):
    """The number and the value of each field of a message."""
    offset = 0
    while offset < len(data):
        key, offset = varint(data, offset)
        kind = key & 7
        if kind == 0:
            value, offset = varint(data, offset)
        elif kind == 1:
            value = struct.unpack_from("<Q", data, offset)[0]
            offset += 8
        else:
            firefox.require(kind == 2, "a field of kind %d" % kind)
            length, offset = varint(data, offset)
            firefox.require(offset + length <= len(data), "a message is truncated")
            value = data[offset:offset + length]
            offset += length
        yield key >> 3, value


def count_perfetto(path):
    calls = Calls()
    with open(path, "rb") as file:
        data = file.read()
    for number, packet in fields(data):
        firefox.require(number == PACKET, "a field of a trace")
        content = dict(fields(packet))
        event = dict(fields(content.get(TRACK_EVENT, b"")))
        # Calls have the track of their sequence. What is on other tracks may be unfinished.
        if event.get(EVENT_TYPE) == BEGIN and EVENT_TRACK not in event:
            calls.begin(content[SEQUENCE], "", 0)
        elif event.get(EVENT_TYPE) == END and EVENT_TRACK not in event:
            calls.end(content[SEQUENCE], "", 0)
    return calls.finish()


def main():
    count = {"chrome": count_chrome, "speedscope": count_speedscope, "firefox": count_firefox,
             "perfetto": count_perfetto}[sys.argv[1]]
    for path in sys.argv[2:]:
        try:
            print(count(path))
        except (KeyError, ValueError, SystemExit) as problem:
            sys.exit("%s: %r" % (path, problem))


main()
