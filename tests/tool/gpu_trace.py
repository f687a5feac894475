# SPDX-License-Identifier: MIT
"""Reads a trace of Perfetto and a dump of the same log, and checks that the device's commands are on its own track.

gpu_trace.py TRACE: prints the name of the queue's track, the name of the track above it, the number of slices below it,
and the number of flows that lead to them from other tracks.
"""
import struct
import sys

TRACK_EVENT, TRACK_DESCRIPTOR = 11, 60
UUID, NAME, PROCESS, THREAD, PARENT, RANK = 1, 2, 3, 4, 5, 12
PROCESS_NAME, THREAD_NAME = 6, 5
EVENT_TYPE, EVENT_TRACK, EVENT_FLOW, BEGIN = 9, 11, 47, 1


def varint(data, offset):
    shift = value = 0
    while True:
        value |= (data[offset] & 0x7f) << shift
        shift += 7
        offset += 1
        if data[offset - 1] < 0x80:
            return value, offset


def fields(data):
    offset = 0
    while offset < len(data):
        key, offset = varint(data, offset)
        if key & 7 == 0:
            value, offset = varint(data, offset)
        elif key & 7 == 1:
            value = struct.unpack_from("<Q", data, offset)[0]
            offset += 8
        else:
            length, offset = varint(data, offset)
            value = data[offset:offset + length]
            offset += length
        yield key >> 3, value


def describe(content):
    part = dict(fields(content.get(PROCESS, b"")))
    name = part.get(PROCESS_NAME, dict(fields(content.get(THREAD, b""))).get(THREAD_NAME, content.get(NAME, b"")))
    return name.decode(), content.get(PARENT), content.get(RANK, 0)


def main():
    tracks = {}
    events = []
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    for _, packet in fields(data):
        content = dict(fields(packet))
        if TRACK_DESCRIPTOR in content:
            track = dict(fields(content[TRACK_DESCRIPTOR]))
            tracks[track[UUID]] = describe(track)
        if TRACK_EVENT in content:
            events.append(list(fields(content[TRACK_EVENT])))
    queue = [uuid for uuid, track in tracks.items() if track[0] == "GPU queue"]
    below = {uuid for uuid, track in tracks.items() if track[1] in queue}
    to_queue = set()
    elsewhere = set()
    slices = 0
    for event in events:
        content = dict(event)
        flows = {value for field, value in event if field == EVENT_FLOW}
        if content.get(EVENT_TYPE) == BEGIN and content.get(EVENT_TRACK) in below:
            slices += 1
            to_queue |= flows
        else:
            elsewhere |= flows
    print(tracks[queue[0]][0], tracks[tracks[queue[0]][1]][0], tracks[queue[0]][2], slices,
          len(to_queue & elsewhere), sep="\t")


if __name__ == "__main__":
    main()
