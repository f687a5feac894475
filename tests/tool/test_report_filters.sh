#!/bin/bash
# SPDX-License-Identifier: MIT
# Filters of "mprof report" that match nothing are reported, and titles of tables show filters that they ignore.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

make_logs sample full

# silent ARGUMENT...: there is no message.
silent() {
	mprof report --all "$@" sample.mprof
	expect_status 0 "$*"
	test ! -s err || fail "$*: $(cat err)"
}
# nothing NEAREST ARGUMENT...: there is a message of one line.
nothing() {
	local nearest=$1
	shift
	mprof report --all "$@" sample.mprof
	expect_status 0 "$*"
	expect "$*" "$(cat err)" "mprof: sample.mprof: nothing matches $*; nearest: $nearest"
	mprof report --json "$@" sample.mprof
	expect_status 0 "$*"
	expect "$*" "$(cat err)" "mprof: sample.mprof: nothing matches $*; nearest: $nearest"
}
silent --class='Game.*'
silent --class=System.String
silent --method=Unused
silent --assembly=mscorlib
silent --thread=16
nothing Game.World --class=Game.Wolrd
nothing Game.World --class=World
nothing System.String '--class=Strnig*'
nothing 'Game.World.Fib (int)' --method=fibb
nothing 'Game.World.Run (string[])' '--method=Game.World.run*'
nothing mscorlib --assembly=mscorlibb
nothing 0x10 --thread=0x11
expect_json "the filter" '.filters | del(.ignored)' '{"method":null,"class":null,"assembly":null,"focus":null,"ignore":null,"hide":null,"collapse":null,"thread":"0x11","process":null,"window":null}'

# Memory that a thread allocated may be freed by any thread.
make_tree memory memory.mprof 100
mprof report --json --thread=0x10 memory.mprof
expect_json "native memory of a thread" '.memory | [.allocations, .frees, .live, .unmatched_frees]' '[100,50,50,0]'
mprof report --json --thread=0x11 memory.mprof
expect_json "native memory of another one" '.memory | [.allocations, .frees, .live, .unmatched_frees]' '[0,0,0,0]'
expect_json "threads" '[.threads[].id]' '["0x11"]'

# titles WANTED ARGUMENT...: the titles with a note about their scope.
titles() {
	local wanted=$1
	shift
	mprof report --all "$@" full.mprof
	expect "titles with $*" "$(grep ' (.*of all ' out | tr '\n' ';')" "$wanted"
}
names="of all methods and classes"
titles ""
titles "Totals ($names);Call tree ($names);Sample tree ($names);Heap snapshots ($names);Metrics ($names);Markers ($names);Threads ($names);" \
	'--class=Game.*'
titles "Heap snapshots (of all threads);Objects alive in snapshot 2 (of all threads);Objects freed by class (of all threads);Objects at the last full collection (of all threads);Metrics (of all threads);" \
	--thread=0x10
mprof report --all --class='Game.*' sample.mprof
expect_line out "^Call tree \\($names\\)\$"
expect_line out '^Methods by their own time$'
mprof report --all --top=1 --class='Game.*' full.mprof
expect_line out "^Heap snapshots \\(1 of 2; $names\\)\$"

# No table has figures that a filter should have left out, unless its title, and the document, state that it ignores the
# filter. Each filter matches nothing; the logs have all tables. Findings are sentences on what is left.
# These are no figures of a table, but state what the log has.
no_figures='"id", "class_id", "line", "wall_ns", "deaths_read", "unmatched_deaths", "unmatched_moves",
	"missing_deaths", "time_ns", "start_ns", "without_address", "collections", "slice_ns", "slices"'
figures="def has_figures: [paths(type == \"number\") as \$path | select(\$path[-1] | IN($no_figures) | not) |
	getpath(\$path)] | any(. > 0);"'
	[to_entries[] | select(.key | IN("schema_version", "session", "filters", "left_out", "findings") | not) |
	select(.value | has_figures) | .key] - [.filters.ignored[].table | split(".")[0]]'
for filter in --class=None --method=None --assembly=None --focus=None --thread=0xdead --time=1000-2000; do
	for choice in "full --tree" "full --ages" "full --pauses --timeline" "full --percentiles --slowest" "memory"; do
		read -r log tables <<<"$choice"
		# shellcheck disable=SC2086
		mprof report --json $tables "$filter" "$log.mprof"
		expect "tables of $choice that ignore $filter" "$(jq -c "$figures" out)" '[]'
		# shellcheck disable=SC2086
		mprof report --all $tables "$filter" "$log.mprof"
		# Without figures, these are printed nevertheless.
		awk 'before == "" && /^[A-Z]/ && !/ \(.*(of all|all stops)/ { print } { before = $0 }' out |
			grep -vE '^(What stands out|Totals|Objects of the heap|History of the heap|Threads|What threads did|Pauses)' >wrong ||
			true
		test ! -s wrong || fail "$choice: $filter is ignored: $(cat wrong)"
	done
done

# Sections that were asked for and have nothing say why.
make_logs memory
mprof report --sections=samples,locks,spans,memory memory.mprof
expect_line out '^spans: not in this log$'
expect_line out '^samples: not recorded \(start with --sample\)$'
expect_line out '^locks: not recorded \(start with --monitor\)$'
expect_no_line out '^memory: '
mprof report --sections=memory --time=0s-1ns memory.mprof
expect_status 0 "a window without allocations"
mprof report memory.mprof
expect_no_line out 'not recorded|not in this log'
