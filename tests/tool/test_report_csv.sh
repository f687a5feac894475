#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof report --csv" prints the tables and the figures of the JSON document, and --sections chooses among them.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq python3

make_logs sample full memory empty
make_tree branches branches.mprof 12

# Reads out.json and out.csv; prints each value that differs. Values of arrays are joined with semicolons.
cat >compare.py <<'END'
import csv, json, sys

def text(value):
    if isinstance(value, type(None)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ";".join(text(item) for item in value)
    return str(value)

def flatten(row, prefix, cells):
    for key, value in row.items():
        if isinstance(value, dict):
            flatten(value, prefix + key + ".", cells)
        elif not (isinstance(value, list) and (not value or isinstance(value[0], dict))):
            cells[prefix + key] = text(value)

# Rows begin with the first cell of the row that contains them, if that is one of several.
def collect(name, row, tables, link, is_list):
    cells = {}
    flatten(row, "", cells)
    tables.setdefault(name, []).append(link + list(cells.values()))
    first = next(iter(cells.values()), "")
    for key, value in row.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for inner in value:
                if key == "children":
                    collect(name, inner, tables, link, True)
                else:
                    collect(name + "." + key, inner, tables, [first] if is_list else [], True)

tables = {}
document = json.load(open("out.json"))
for key, value in document.items():
    rows = value if isinstance(value, list) else [value] if isinstance(value, dict) else []
    for row in rows:
        collect(key, row, tables, [], isinstance(value, list))

found = {}
text_of_file = open("out.csv", newline="", encoding="utf-8").read()
for block in text_of_file.split("\r\n\r\n"):
    lines = list(csv.reader(block.split("\r\n")))
    lines = [line for line in lines if line]
    for line in lines[1:]:
        assert len(line) == len(lines[0]), (lines[0], line)
        found.setdefault(line[0], []).append(line)

assert set(found) == set(tables), set(found) ^ set(tables)
compared = 0
for name, rows in tables.items():
    assert len(rows) == len(found[name]), (name, len(rows), len(found[name]))
    for wanted, line in zip(rows, found[name]):
        # A column that a row lacks is empty.
        rest = iter(line[1:])
        wanted = [value for value in wanted if value != ""]
        assert all(value in rest for value in wanted), (name, wanted, line)
        compared += len(wanted)
print(compared)
END

for log in sample full memory empty branches; do
	options=(--ages --percentiles --slowest '--callers=*' '--callees=*' --inverted)
	mprof report --json --depth=200 "${options[@]}" $log.mprof
	cp out out.json
	mprof report --csv --depth=200 "${options[@]}" $log.mprof
	cp out out.csv
	expect_status 0 "$log: --csv"
	compared=$(python3 compare.py) || fail "$log: JSON and CSV differ"
	test "$compared" -gt 30 || fail "$log: only $compared values"
done
expect "lines that do not end with CR LF" "$(grep -vc $'\r$' out.csv)" 0

# One section is one table, without the column of its name; all of its rows are there.
mprof report --csv --sections=methods sample.mprof
expect "header of methods" "$(head -n 1 out | cut -d, -f1-6)" id,class,name,calls,total_ns,self_ns
expect "calls of Fib" "$(python3 -c '
import csv
print([row["calls"] for row in csv.DictReader(open("out", newline="")) if row["name"] == "Fib (int)"][0])')" \
	"$(mprof report --json sample.mprof && jq '.methods[] | select(.name == "Fib (int)").calls' out)"
mprof report --csv --sections=heap_shots.classes full.mprof
expect "a table in another" "$(head -n 1 out | cut -d, -f1-3)" heap_shots.number,class,objects
mprof report --csv --sections=tree branches.mprof
expect "nodes of the whole tree" "$(awk -F, 'NR > 1 && $2 != "" && $2 >= $1' out | wc -l),$(wc -l <out)" 0,4096
mprof report --csv --sections=heap,locks full.mprof
expect "the tables of two sections" "$(awk -F, '$1 ~ /^[a-z_.]+$/ && $1 != "table" { print $1 }' out | LC_ALL=C sort -u | paste -sd' ')" \
	"filters heap_shots heap_shots.classes left_out monitor_holders monitor_stacks monitors session"
mprof report --csv --sections=metrics sample.mprof
expect_status 0 "a table without rows"
expect "its output" "$(wc -c <out)" 0
expect_line err "the table 'metrics' has no rows\$"
mprof report --csv --sections=methods full.mprof
expect_line err '5 events were not recorded$'
mprof report --csv --json sample.mprof
expect_status 2 "--csv and --json"

# Sections as text and as JSON.
mprof report --sections=locks,threads full.mprof
expect "titles" "$(grep -E '^[A-Z]' out | paste -sd,)" \
	"Monitors,Monitors by the thread that held them,Waits for monitors by call site,Threads"
mprof report --json --sections=locks,call_tree full.mprof
expect_json "keys" 'keys' '["call_tree","call_tree_min_percent","filters","left_out","monitor_holders","monitor_stacks","monitors","schema_version","session"]'
mprof report --sections=lock sample.mprof
expect_status 2 "a section that does not exist"
expect_line err "there is no section 'lock'; did you mean 'locks'\\?"
mprof report --sections= sample.mprof
expect_status 2 "an empty name"

# Each section of the list can be chosen, and its tables are those of the JSON document.
mprof report --sections=help
expect_status 0 --sections=help
sed 1d out >sections
test "$(wc -l <sections)" -ge 25 || fail "the list of sections: $(cat sections)"
mprof report --json "${options[@]}" full.mprof
jq -r 'to_entries[] | select(.value | type != "number") | .key' out | LC_ALL=C sort >keys
awk '{ for (i = 2; i <= NF && $i ~ /^[a-z_]+$/ && i < 5; i++) print $i }' sections | LC_ALL=C sort -u >tables
LC_ALL=C comm -23 keys tables | grep -vxE 'filters|left_out' >unlisted || true
test ! -s unlisted || fail "tables of no section: $(paste -sd' ' unlisted)"
while read -r section _; do
	mprof report --sections="$section" full.mprof
	expect_status 0 "--sections=$section"
done <sections
