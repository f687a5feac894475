#!/bin/bash
# SPDX-License-Identifier: MIT
# Perfetto's reader drops nothing of a trace, and its viewer shows all: clocks are related, also to those of a trace of
# the system; samples have a source; no more than 512 slices are open; threads have the numbers of the system; losses
# are counted; a heap snapshot without roots has some; the clocks of the log are related to those of the system. perfetto_rules.py has the rules.
set -eu
. "$srcdir/tests/exports/support.sh"
needs python3 jq
make_calls calls lost stacks ids nested
make_dialects
make_truncated

# facts LOG [OPTION...]: exports a log; the facts about the trace are in the file facts.
facts() {
	local log=$1

	shift
	export_log perfetto "$log.mprof" "$log.pftrace" "$@"
	python3 "$srcdir/tests/exports/perfetto_rules.py" "$log.pftrace" >facts || fail "$log: not a trace"
	! grep '^fault' facts || fail "$log $*: the reader would not read all"
}

# fact NAME: the value.
fact() {
	awk -F'\t' -v name="$1" '$1 == name { print $2 }' facts
}

for log in calls mono unity drop mail truncated; do
	facts "$log"
done

# Calls from the level 512 on are left out together with their ends, so that the others have their times, and counted.
facts stacks
expect "the deepest level" "$(fact deepest)" 512
expect "calls" "$(fact calls)" 515
expect_line err '^mprof: export: 90 calls deeper than 512 were left out'
expect "the calls after the deep ones" "$(grep 'Add (string)' facts | cut -f 3-4)" "1	3"
mprof report --json stacks.mprof
expect "the time of the outermost call" "$(awk -F'\t' '$1 == "call" && $3 == 0 { print $5 }' facts)" \
	"$(jq '[.methods[].total_ns] | max' out)"
grep -q '^instant	Exception' facts || fail "the exception above the deepest level is missing"
export_log chrome stacks.mprof stacks.json
expect "the deepest level of chrome" "$(jq '[foreach (.traceEvents[] | .ph) as $p (0;
	if $p == "B" then . + 1 elif $p == "E" then . - 1 else . end; .)] | max' stacks.json)" 512
expect "calls left out of chrome" "$(jq .otherData.deeper_calls_left_out stacks.json)" 90

# Threads have the numbers that the system gave them, if their IDs are these; a second thread of an ID has another one.
facts ids
expect "the process" "$(grep '^process' facts | cut -f 2-)" "4681	bin/program	bin/program --all x"
expect "threads" "$(grep '^thread' facts | cut -f 2-3 | sort -n | head -n 3 | tr '\t\n' ' ;')" \
	"4681 Main;4690 Worker;4700 Thread;"
expect "other numbers" "$(grep '^thread' facts | awk -F'\t' '$2 > 4194304 { print $3, $4 }' | tr '\n' ';')" \
	"Worker Thread 0x1252 of the log;Old Thread 0x7f1234567000 of the log;"
export_log chrome ids.mprof ids.json
expect "threads of chrome" "$(jq -r '.traceEvents[] | select(.name == "thread_name") |
	"\(.pid) \(.tid) \(.args.name)"' ids.json | head -n 2 | tr '\n' ';')" "4681 4681 Main;4681 4690 Worker;"
export_log firefox ids.mprof ids.firefox
expect "threads of firefox" "$(jq -r '.threads[] |
	select(.name == "Main") | "\(.pid) \(.tid)"' ids.firefox)" "4681 4681"
expect "the process of firefox" "$(jq -r .meta.product ids.firefox)" bin/program
export_log csv ids.mprof logs.csv --table=logs
expect_line logs.csv ',bin/program,'

# Losses are in the statistics of the reader.
facts lost
expect "losses" "$(fact losses)" 1

# The start of the log is in the trace, so that times of the viewer are those of the report.
grep -q '^instant	Recording starts	0$' facts || fail "the start is missing"

# Without the clock of the system, traces of mprof are related to one another by the wall clock.
expect "the clock from the start of the system" "$(fact boottime)" "$(fact realtime)"

# Call stacks do not grow with the square of the depth.
facts nested
expect "the deepest sample" "$(awk -F'\t' '$1 == "sample" && $2 > most { most = $2 } END { print most }' facts)" 513
expect_line err 'frames deeper than 512 are one'
test "$(wc -c <nested.pftrace)" -lt 1000000 || fail "the size of nested.pftrace"

# A snapshot without roots is visible: objects that no other one refers to are its roots.
make_tree objects objects.mprof
facts objects
expect "roots of a snapshot without any" "$(fact roots)" 1
expect_line err 'has no roots: objects that no other one refers to are shown as roots$'

# Samples of kinds have a counter with their unit, the processor and the mode; --value chooses a kind.
"$builddir/tests/tool/record_kinds" kinds.mprof || fail "record_kinds"
facts kinds
kinds() {
	grep '^kind' facts | cut -f 2- | sort | uniq -c | awk '{ $1 = $1; print }'
}
expect "samples of kinds" "$(kinds)" "3 cache-misses count 64 1 kernel Thread 0x11 load
2 cache-misses count 64 2 kernel Thread 0x11 load
3 cpu ns 1000000 0 user Thread work
1 heap bytes 100 0 none Thread make
1 heap bytes 200 0 none Thread make
1 heap bytes 300 0 none Thread 0x11 make
1 heap bytes 50 none none Thread 0x11 (no call stack)"
facts kinds --value=samples:cpu
expect "samples of one kind" "$(kinds); $(fact samples)" "3 cpu ns 1000000 0 user Thread work; 3"

# Values of the clock of a device are related to the clocks of the system, in nanoseconds: a tick is 1000 / 19.2 of them.
"$builddir/examples/small/gpu/gpu" gpu.mprof >printed || fail "gpu"
facts gpu
mprof dump --json gpu.mprof
grep '"clock-pair"' out >pairs
expect "values of a clock" "$(awk -F'\t' '$1 == "clock" { print $2, $3, $4 }' facts)" \
	"$(jq -r '(.value % 19200000) as $rest |
		"130 \((.value - $rest) / 19200000 * 1e9 + ($rest * 1e9 / 19200000 + 0.5 | floor)) 1"' pairs)"
start=$(jq -s '.[0].start_clock.counter' out)
mprof report --json gpu.mprof
expect "their times" "$(awk -F'\t' '$1 == "clock" { print $5 }' facts)" "$(jq -r --slurpfile log out \
	--argjson start "$start" \
	'(.counter - $start) * (1e9 / $log[0].session.counters_per_second) + 0.5 | floor' pairs)"

# Classes of arrays are marked.
"$builddir/tests/exports/make_heap" heap.mprof || fail "make_heap"
facts heap
expect "kinds of classes" "$(awk -F'\t' '$1 == "type" { print ($2 ~ /\[\]$/ ? "array" : "other"), $3 }' facts |
	sort -u |
	tr '\n' ';')" "array 4;other 1;"

# A log of native memory is not an empty trace: it has the bytes in use.
make_tree memory memory.mprof 10
for format in perfetto chrome firefox; do
	mprof export --to=$format -o memory.trace memory.mprof
	expect_status 0 "native memory as $format"
	test -s memory.trace || fail "$format: no trace"
done
