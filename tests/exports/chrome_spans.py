# SPDX-License-Identifier: MIT
"""Prints for each name of spans in a trace of Chrome how many have ended, how many have not, and the nanoseconds of the
first: chrome_spans.py FILE. Spans of a row nest; those of any thread follow each other in pairs."""
import collections
import json
import sys

ended = collections.Counter()
open_ones = collections.Counter()
total = collections.Counter()
rows = collections.defaultdict(list)
for event in json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]:
    if event["ph"] not in "BEbe" or event.get("cat") == "call":
        continue
    row = rows[(event["tid"], event["ph"].isupper(), event.get("id"))]
    if event["ph"] in "Bb":
        row.append(event)
        continue
    begin = row.pop()
    assert begin["name"] == event["name"], (begin, event)
    if event.get("args", {}).get("unfinished"):
        open_ones[begin["name"]] += 1
    else:
        ended[begin["name"]] += 1
        total[begin["name"]] += round((event["ts"] - begin["ts"]) * 1000)
for row in rows.values():
    open_ones.update(event["name"] for event in row)
for name in sorted(ended.keys() | open_ones.keys()):
    print(name, ended[name], open_ones[name], total[name], sep="\t")
