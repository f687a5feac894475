# SPDX-License-Identifier: MIT
"""Prints the counter tracks of a trace of Perfetto.

metrics_trace.py TRACE: prints, for each track of a metric, its name, the name and the number of its unit, and the number
of its values, separated by tabs.
"""
import sys

from gpu_trace import EVENT_TRACK, EVENT_TYPE, NAME, TRACK_DESCRIPTOR, TRACK_EVENT, UUID, fields

TRACK_COUNTER, COUNTER_UNIT, COUNTER_UNIT_NAME, TYPE_COUNTER = 8, 3, 6, 4


def main():
    tracks = {}
    counts = {}
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    for _, packet in fields(data):
        content = dict(fields(packet))
        if TRACK_DESCRIPTOR in content:
            track = dict(fields(content[TRACK_DESCRIPTOR]))
            if TRACK_COUNTER in track:
                tracks[track[UUID]] = track
        if TRACK_EVENT in content:
            event = dict(fields(content[TRACK_EVENT]))
            if event.get(EVENT_TYPE) == TYPE_COUNTER:
                counts[event[EVENT_TRACK]] = counts.get(event[EVENT_TRACK], 0) + 1
    for uuid, track in tracks.items():
        counter = dict(fields(track[TRACK_COUNTER]))
        print(track[NAME].decode(), counter.get(COUNTER_UNIT_NAME, b"").decode(), counter.get(COUNTER_UNIT, 0),
              counts.get(uuid, 0), sep="\t")


if __name__ == "__main__":
    main()
