# SPDX-License-Identifier: MIT
"""Checks the structure of a processed profile of the Firefox Profiler, and prints its figures.

firefox.py FILE WHAT: WHAT is
  samples      a line for each function: name, own weight, total weight; times in nanoseconds
  allocations  a line for each allocation: class, bytes
  markers      a line for each marker: name, duration in nanoseconds, 1
"""
import decimal
import gzip
import json
import sys

COLORS = {"grey", "yellow", "blue", "lightblue", "orange", "purple", "red", "green"}


def require(is_true, what):
    if not is_true:
        sys.exit("! " + what)


def columns(table, what, names):
    """All columns of a table have its length."""
    for name in names:
        require(len(table[name]) == table["length"], "%s: the length of %s" % (what, name))


def indexes(values, limit, what, none=None):
    """All indexes are inside a table."""
    for value in values:
        require(value == none or (isinstance(value, int) and 0 <= value < limit), "%s: %s" % (what, value))


def ascending(times, what):
    require(all(a <= b for a, b in zip(times, times[1:])), "%s: times decrease" % what)


def check_shared(shared, libs, categories):
    strings = len(shared["stringArray"])
    stacks, frames, funcs = shared["stackTable"], shared["frameTable"], shared["funcTable"]
    resources, sources, symbols = shared["resourceTable"], shared["sources"], shared["nativeSymbols"]
    require(all(isinstance(text, str) for text in shared["stringArray"]), "strings")
    columns(stacks, "stackTable", ["frame", "prefix"])
    columns(frames, "frameTable", ["address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol",
                                   "innerWindowID", "line", "column"])
    columns(funcs, "funcTable", ["name", "isJS", "relevantForJS", "resource", "source", "lineNumber", "columnNumber"])
    columns(resources, "resourceTable", ["lib", "name", "host", "type"])
    columns(sources, "sources", ["uuid", "filename"])
    columns(symbols, "nativeSymbols", ["libIndex", "address", "name", "functionSize"])
    indexes(stacks["frame"], frames["length"], "stackTable.frame")
    for index, prefix in enumerate(stacks["prefix"]):
        indexes([prefix], index, "stackTable.prefix")
    indexes(frames["func"], funcs["length"], "frameTable.func")
    indexes(frames["category"], len(categories), "frameTable.category")
    indexes(funcs["name"], strings, "funcTable.name")
    indexes(funcs["resource"], resources["length"], "funcTable.resource", -1)
    indexes(funcs["source"], sources["length"], "funcTable.source")
    indexes(resources["lib"], len(libs), "resourceTable.lib")
    indexes(resources["name"], strings, "resourceTable.name")
    indexes(sources["filename"], strings, "sources.filename")


def check_samples(table, what, stacks):
    columns(table, what, ["stack", "time", "weight"])
    indexes(table["stack"], stacks, what + ".stack")
    ascending(table["time"], what)
    require(all(weight >= 0 for weight in table["weight"]), what + ".weight")


# Fields that are left out if they are not known.
SAMPLE = {"weight", "cpu", "mode", "unit"}
UNKNOWN = {"mprof-collection": {"pause", "mark", "sweep"}, "mprof-sample": SAMPLE, "mprof-sample-time": SAMPLE,
           "mprof-sample-bytes": SAMPLE, "Log": {"severity", "category", "arguments"}}


def check_markers(markers, schemas, strings, stacks, categories):
    columns(markers, "markers", ["data", "name", "startTime", "endTime", "phase", "category"])
    indexes(markers["name"], strings, "markers.name")
    indexes(markers["category"], categories, "markers.category")
    for data, start, end, phase in zip(markers["data"], markers["startTime"], markers["endTime"], markers["phase"]):
        is_open = phase == 2 and end is None and data["type"] == "mprof-event"
        require(is_open or phase == (0 if end is None else 1), "markers.phase")
        require(end is None or start < end, "markers.endTime")
        fields = {field["key"]: field["format"] for field in schemas[data["type"]]["fields"]}
        missing = set(fields) - set(data)
        require(missing <= UNKNOWN.get(data["type"], set()), "fields of " + data["type"])
        require(set(data) - set(fields) - {"type", "cause"} == set(), "more fields of " + data["type"])
        require("cause" not in data or 0 <= data["cause"]["stack"] < stacks, "markers.cause")
        for key, form in fields.items():
            require(form != "unique-string" or data.get(key, 0) < strings, "a string of " + data["type"])
            require(form != "string" or isinstance(data[key], str), "a text of " + data["type"])


def check(profile):
    meta, shared, threads = profile["meta"], profile["shared"], profile["threads"]
    schemas = {schema["name"]: schema for schema in meta["markerSchema"]}
    strings = len(shared["stringArray"])
    require(meta["preprocessedProfileVersion"] == 60, "the version")
    require(meta["categories"][0] == {"name": "Other", "color": "grey", "subcategories": ["Other"]}, "categories")
    require(all(category["color"] in COLORS for category in meta["categories"]), "colors")
    check_shared(shared, profile["libs"], meta["categories"])
    require([thread["isMainThread"] for thread in threads].count(True) == 1, "one main thread")
    require(len({thread["tid"] for thread in threads}) == len(threads), "thread IDs are distinct")
    for thread in threads:
        check_samples(thread["samples"], "samples", shared["stackTable"]["length"])
        if "jsAllocations" in thread:
            check_samples(thread["jsAllocations"], "jsAllocations", shared["stackTable"]["length"])
            columns(thread["jsAllocations"], "jsAllocations", ["className", "typeName", "coarseType", "inNursery"])
        check_markers(thread["markers"], schemas, strings, shared["stackTable"]["length"], len(meta["categories"]))
    for counter in profile["counters"]:
        columns(counter["samples"], "counter", ["time", "count"])
        ascending(counter["samples"]["time"], "counter")
        indexes([counter["mainThreadIndex"]], len(threads), "counter.mainThreadIndex")
    indexes(meta["initialVisibleThreads"] + meta["initialSelectedThreads"], len(threads), "visible threads")


def functions_of(shared):
    """For each call stack, its function, and the set of all its functions."""
    funcs = []
    for frame, prefix in zip(shared["stackTable"]["frame"], shared["stackTable"]["prefix"]):
        func = shared["frameTable"]["func"][frame]
        funcs.append((func, (funcs[prefix][1] if prefix is not None else frozenset()) | {func}))
    return funcs


def print_samples(profile):
    shared = profile["shared"]
    stacks = functions_of(shared)
    own = {}
    total = {}
    for thread in profile["threads"]:
        samples = thread["samples"]
        scale = 1000000 if samples["weightType"] == "tracing-ms" else 1
        for stack, weight in zip(samples["stack"], samples["weight"]):
            if stack is None:
                continue
            func, all_of_stack = stacks[stack]
            own[func] = own.get(func, 0) + weight * scale
            for outer in all_of_stack:
                total[outer] = total.get(outer, 0) + weight * scale
    for func, sum_of_func in total.items():
        name = shared["stringArray"][shared["funcTable"]["name"][func]]
        print("%s\t%d\t%d" % (name, own.get(func, 0), sum_of_func))


def print_allocations(profile):
    for thread in profile["threads"]:
        table = thread.get("jsAllocations", {"className": [], "weight": []})
        for name, weight in zip(table["className"], table["weight"]):
            print("%s\t%d" % (name, weight))


def print_markers(profile):
    for thread in profile["threads"]:
        markers = thread["markers"]
        for name, start, end in zip(markers["name"], markers["startTime"], markers["endTime"]):
            duration = (end - start) * 1000000 if end is not None else 0
            print("%s\t%d\t1" % (profile["shared"]["stringArray"][name], duration))


def load(path):
    """Reads a profile without rounding numbers."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return json.loads(file.read().decode(), parse_float=decimal.Decimal)


def main():
    profile = load(sys.argv[1])
    check(profile)
    {"samples": print_samples, "allocations": print_allocations, "markers": print_markers}[sys.argv[2]](profile)


if __name__ == "__main__":
    main()
