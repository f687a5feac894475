# SPDX-License-Identifier: MIT
"""Computes native memory in use from the events of mprof dump --json on standard input.

live_memory.py NAME RATE: prints a line for each time with events: the time in nanoseconds from the start of the log, and
the value after them. NAME is "bytes" or "blocks", RATE the number of counters in a second.
"""
import json
import sys


def events(lines):
    """The events of native memory, with their counters."""
    for line in lines:
        event = json.loads(line)
        if event.get("event", "").startswith("memory-"):
            yield event


def steps(event, number):
    """The parts of an event: a resize takes its address at its start, and has a new one at its end."""
    kind = event["event"]
    if kind == "memory-resized":
        yield int(event.get("started", event["counter"])), 0, number, "take", event["from"], 0
        yield int(event["counter"]), 1, number, "give", event["address"], event["size"]
    elif kind == "memory-freed":
        yield int(event["counter"]), 0, number, "free", event["address"], 0
    else:
        yield int(event["counter"]), 1, number, "allocate", event["address"], event["size"]


def main():
    lines = sys.stdin.readlines()
    start = int(next(json.loads(line)["start_clock"]["counter"] for line in lines if "start_clock" in line))
    parts = sorted(part for number, event in enumerate(events(lines)) for part in steps(event, number))
    blocks = {}
    moving = {}
    total = 0
    for index, (counter, _, number, kind, address, size) in enumerate(parts):
        if kind == "take":
            if address in blocks:
                moving[number] = blocks.pop(address)
        elif kind == "free":
            total -= blocks.pop(address, 0)
        else:
            total += size - moving.pop(number, 0) - blocks.pop(address, 0)
            blocks[address] = size
        if index + 1 == len(parts) or parts[index + 1][0] != counter:
            print(int((counter - start) * 1e9 / float(sys.argv[2]) + 0.5),
                  total if sys.argv[1] == "bytes" else len(blocks) + len(moving))


if __name__ == "__main__":
    main()
