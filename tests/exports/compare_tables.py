# SPDX-License-Identifier: MIT
"""Compares the tables of an export with the reports of its logs.

compare_tables.py TABLES REPORT...: TABLES is a database of SQLite, or a directory of files in CSV; a REPORT is the
document of "mprof report --json --pauses" of each log, in their order.
"""
import csv
import json
import os
import sqlite3
import sys

TEXT_COLUMNS = {"thread", "holder", "value", "name", "text"}
failures = []


def plain(text):
    """Control characters are written as \\xNN in exports."""
    if text is None:
        return None
    return "".join(char if char >= " " and not "\x7f" <= char < "\xa0" else
                   "".join("\\x%02x" % byte for byte in char.encode()) for char in text)


def typed(name, text):
    if text == "":
        return None
    try:
        return int(text) if name not in TEXT_COLUMNS else text
    except ValueError:
        return text


def read_database(path):
    """The tables with their texts. The rows of the views must be those of the tables."""
    database = sqlite3.connect(path)
    tables = {}
    names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    strings = dict(database.execute("SELECT id, text FROM strings"))
    for name in names:
        if name == "strings":
            continue
        columns = database.execute("PRAGMA table_info(%s)" % name).fetchall()
        texts = {row[3] for row in database.execute("PRAGMA foreign_key_list(%s)" % name) if row[2] == "strings"}
        rows = [{column[1]: strings[value] if column[1] in texts and value is not None else value
                 for column, value in zip(columns, row)}
                for row in database.execute("SELECT * FROM %s" % name)]
        tables[name] = rows
        cursor = database.execute("SELECT * FROM %s_view" % name)
        keys = [column[0] for column in cursor.description]
        for row, viewed in zip(rows, cursor.fetchall()):
            viewed = dict(zip(keys, viewed))
            for key, value in row.items():
                milliseconds = key[:-3] + "_ms"
                if key.endswith("_ns") and value is not None:
                    same = abs(viewed[milliseconds] * 1e6 - value) <= abs(value) * 1e-12
                else:
                    same = viewed.get(key, viewed.get(milliseconds)) == value
                expect("view of %s: %s" % (name, key), same, True)
    return tables


def read_directory(path):
    tables = {}
    for name in os.listdir(path):
        with open(os.path.join(path, name), newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file, strict=True))
        expect("columns of %s" % name, {len(row) for row in rows}, {len(rows[0])})
        tables[name.rsplit(".", 1)[0]] = [
            {key: typed(key, value) for key, value in zip(rows[0], row)} for row in rows[1:]]
    return tables


def expect(what, found, wanted):
    if found != wanted:
        failures.append("%s: %r, not %r" % (what, found, wanted))


def rows_of(rows, columns):
    def cell(value):
	# In CSV an empty text and no text are the same.
        return int(value) if isinstance(value, bool) else plain(value) or None if isinstance(value, str) else value
    return sorted(([cell(row[column]) for column in columns] for row in rows), key=repr)


def compare_rows(what, tables, number, table, wanted, columns, renamed=()):
    """Compares columns; renamed has pairs of a column and the key of the report."""
    own = [row for row in tables[table] if row["log"] == number]
    for column, key in renamed:
        for row in wanted:
            row[column] = row[key]
        columns = columns + [column]
    found = rows_of(own, columns)
    wanted = rows_of(wanted, columns)
    for left, right in zip(found, wanted):
        if left != right:
            failures.append("%s: %s: %r, not %r" % (what, table, left, right))
            return
    expect("%s: rows of %s" % (what, table), len(found), len(wanted))


def compare_sums(what, tables, number):
    """The call tree has the figures of the methods."""
    sums = {}
    for row in tables["call_tree"]:
        if row["log"] == number and row["method_id"]:
            entry = sums.setdefault(row["method_id"], [0, 0, 0])
            entry[0] += row["calls"]
            entry[1] += row["self_ns"] if not row["compilation"] else 0
            entry[2] += 1
    for row in tables["methods"]:
        if row["log"] == number and row["calls"]:
            calls, self_ns, nodes = sums.get(row["method_id"], (0, 0, 0))
            expect("%s: call tree of %s: calls" % (what, row["name"]), calls, row["calls"])
            # Each node is rounded to a nanosecond.
            if abs(self_ns - row["self_ns"]) > nodes:
                expect("%s: call tree of %s: self_ns" % (what, row["name"]), self_ns, row["self_ns"])
    roots = [row for row in tables["sample_tree"] if row["log"] == number and row["node"] == 0]
    hits = sum(row["hits"] for row in tables["sample_tree"] if row["log"] == number)
    expect("%s: roots" % what, len(roots), 1)
    expect("%s: samples" % what, hits, roots[0]["total"])


def compare_log(tables, number, report):
    session = report["session"]
    what = session["file"]
    log = [row for row in tables["logs"] if row["log"] == number]
    expect("%s: rows of logs" % what, len(log), 1)
    log = log[0]
    for column in ("wall_ns", "calls", "method_ns", "samples", "allocations", "allocated_bytes", "collections",
                   "gc_ns", "exceptions", "contentions", "contended_ns", "jit_methods", "jit_ns", "events",
                   "handles_alive", "lost_events", "freed_objects", "freed_bytes"):
        expect("%s: %s" % (what, column), log[column], report["totals"][column])
    for column in ("valid_bytes", "size", "dialect", "version"):
        expect("%s: %s" % (what, column), log[column], session[column])
    expect("%s: complete" % what, log["complete"], int(session["complete"]))
    expect("%s: start_us" % what, log["start_us"], session["start_time_us"])
    compare_rows(what, tables, number, "properties",
                 [{"key": key, "value": value or None} for key, value in session["properties"].items()],
                 ["key", "value"] if all(session["properties"].values()) else ["key"])
    compare_rows(what, tables, number, "damage", session["damage"], ["offset", "what"])
    compare_rows(what, tables, number, "losses",
                 [{"cause": key, "events": value} for key, value in session["lost_by_cause"].items()],
                 ["cause", "events"])
    compare_rows(what, tables, number, "methods", report["methods"],
                 ["name", "assembly", "calls", "total_ns", "self_ns", "jit_ns", "samples", "wrapper"],
                 [("method_id", "id"), ("samples_total", "total_hits")])
    compare_rows(what, tables, number, "classes", report["classes"],
                 ["name", "assembly", "allocations", "bytes", "freed", "freed_bytes", "load_ns"], [("class_id", "id")])
    compare_rows(what, tables, number, "threads", report["threads"],
                 ["name", "events", "self_ns", "samples", "lost_events"], [("thread", "id")])
    compare_rows(what, tables, number, "samples", report["samples"], ["kind", "name", "module", "hits", "inlined"],
                 [("total", "total_hits")])
    compare_rows(what, tables, number, "collections", report["collections"],
                 ["number", "generation", "start_ns", "duration_ns", "mark_ns", "sweep_ns", "pause_ns", "finished", "name",
                  "cause"])
    compare_rows(what, tables, number, "pauses", report["pauses"],
                 ["kind", "start_ns", "duration_ns", "finished", "thread", "collection", "generation", "class",
                  "holder"])
    compare_rows(what, tables, number, "monitors", report["monitors"],
                 ["class", "contentions", "acquired", "failures", "contended_ns"])
    compare_rows(what, tables, number, "handles", report["handles"], ["class", "type", "created", "alive", "deleted"])
    compare_rows(what, tables, number, "marks", report["marks"], ["time_ns", "text"])
    compare_rows(what, tables, number, "event_types", report["spans"] + report["event_types"],
                 ["name", "category", "form", "count", "errors"])
    compare_rows(what, tables, number, "spans", report["longest_spans"],
                 ["name", "category", "form", "thread", "start_ns", "duration_ns", "unfinished"])
    compare_rows(what, tables, number, "lines", report["lines"],
                 ["kind", "name", "file", "samples", "samples_total", "allocations", "bytes"])
    compare_rows(what, tables, number, "metrics", report["metrics"], ["section", "name", "thread", "unit", "count"])
    compare_rows(what, tables, number, "heap_snapshots", report["heap_shots"], ["number", "objects", "bytes"])
    classes = [{"snapshot": i + 1, **row} for i, shot in enumerate(report["heap_shots"]) for row in shot["classes"]]
    if not report["left_out"]["heap_shot_classes"]:
        compare_rows(what, tables, number, "heap_snapshot_classes", classes, ["snapshot", "objects", "bytes"])
    compare_sums(what, tables, number)


def main():
    path = sys.argv[1]
    tables = read_directory(path) if os.path.isdir(path) else read_database(path)
    expect("logs", [row["log"] for row in tables["logs"]], list(range(1, len(sys.argv) - 1)))
    for number, name in enumerate(sys.argv[2:], 1):
        with open(name, encoding="utf-8", errors="surrogateescape") as file:
            compare_log(tables, number, json.load(file))
    for failure in failures[:20]:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


sys.exit(main())
