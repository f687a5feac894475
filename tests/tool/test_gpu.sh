#!/bin/bash
# SPDX-License-Identifier: MIT
# The example of a device with a clock of its own: its commands lie after the calls that submitted them, last as long as
# the device states in its own ticks, and are on a track of their own in exports.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq python3

"${GPU:-$builddir/examples/small/gpu/gpu}" gpu.mprof >printed || fail "the example ended with $?"
read -r commands _ busy _ <printed
expect "commands" "$commands" 50
mprof check gpu.mprof
expect_status 0 "check"
mprof info --json gpu.mprof
expect_json info '.events.typed' 100

mprof dump --json gpu.mprof
expect_status 0 "dump"
jq -c 'select(.event == "typed") | {type: .name, thread, end: .counter} + (.arguments | map({(.name): .value}) | add) |
	.start = .end - .time' out >events
test -s events || fail "no events"
expect_events() {
	expect "$1" "$(jq -s -c "$2" events)" "$3"
}
expect_events "types" 'group_by(.type) | map([.[0].type, length, (map(.thread) | unique | length)])' \
	'[["execute",50,1],["launch",50,1]]'
expect_events "order of the queue" 'map(select(.type == "execute") | .end) | . == sort' true
expect_events "kernels after their launches" 'group_by(.command) | map((map(select(.type == "execute"))[0].start) >=
	(map(select(.type == "launch"))[0].start)) | all' true

mprof dump gpu.mprof
expect_line out '^    clock 2 gpu, device, 19200000/1 ticks per second$'
expect_line out '^    timeline 2 thread 0x6770750001 GPU queue, queue, process 1, clock 2, rank 1$'
expect_line out '^    process 1 process 1 renderer, system ID [0-9]+, from [0-9]+$'
expect "pairs" "$(grep -cE '^    clock-pair 2 [0-9]+ at [0-9]+ \+- [0-9]+$' out)" 11

# The sum of the durations is that of the device's ticks: each time is right within a tick and the drift of a pair.
mprof report --json gpu.mprof
expect_status 0 "report"
expect "durations" "$(jq -c --argjson busy "$busy" '[.spans[] | .name as $name | select(["shadows", "scene", "blur"] |
	index($name)) | .total_ns] | length' out)" 6
expect "clock" "$(jq -c '.clocks | map([.id, .name, .kind, .stated_millihertz, .pairs, .backward])' out)" \
	"$(jq -c '[[1, .clocks[0].name, .clocks[0].kind, null, 0, 0], [2, "gpu", "device", 19200000000, 11, 0]]' out)"
expect "drift of 312 ppm" "$(jq -c '.clocks[1].drift_ppb | . > 200000 and . < 425000' out)" true
expect "residual" "$(jq -c '.clocks[1] | .residual_ns != null and .residual_ns < 1000000' out)" true
expect "processes" "$(jq -c '.processes | map([.number, .name, .threads, .end_ns])' out)" '[[1,"renderer",2,null]]'
expect "timelines" "$(jq -c '.timelines | map([.name, .kind, .process, .clock, .rank, .events])' out)" \
	'[["main","thread",1,1,0,50],["GPU queue","queue",1,2,1,50]]'
expect "threads" "$(jq -c '.threads | map(.name) | sort' out)" '["GPU queue","main"]'
busy_ns=$(jq -s --argjson rate "$(jq '.clocks[0].measured_millihertz' out)" \
	'map(select(.type == "execute") | .time) | add * 1e12 / $rate | round' events)
# A tick has 52 ns; a span has two ends. The rest is the uncertainty of the pairs, which depends on the machine.
test $((busy_ns > busy ? busy_ns - busy : busy - busy_ns)) -lt $((50 * 2 * 52 + busy / 500)) ||
	fail "the device was busy for $busy ns, the log has $busy_ns ns"

mprof report --sections=clocks,timelines,processes gpu.mprof
expect_status 0 "report as text"
for title in Processes Timelines Clocks; do
	expect_line out "^$title"
done
expect_line out '19\.200000 MHz .*\+[0-9.]+ ppm .* 2 gpu \(device\)$'
# A log without them has no such sections.
make_logs full
mprof report --all full.mprof
expect_status 0 "report of another log"
expect_no_line out '^(Processes|Timelines|Clocks)'

mprof export --to=perfetto -o gpu.pftrace gpu.mprof
expect_status 0 "export as a trace of Perfetto"
python3 "$srcdir/tests/tool/gpu_trace.py" gpu.pftrace >track || fail "the trace of Perfetto"
expect "track of the queue" "$(cut -f 1,3- track)" "$(printf 'GPU queue\t1\t50\t50')"

mprof export --to=chrome -o gpu.json gpu.mprof
expect_status 0 "export as a trace of Chrome"
expect "sort index" "$(jq -c '.traceEvents | map(select(.name == "thread_sort_index") | .args.sort_index) | sort' gpu.json)" \
	'[0,1]'
mprof export --to=csv --table=clocks -o clocks.csv gpu.mprof
expect_status 0 "export of clocks"
expect "rows of clocks" "$(wc -l <clocks.csv)" 3
