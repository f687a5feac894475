#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof report --time" and "--last": windows of recorded logs add up to the whole log, times and markers find their
# place, and what cannot be found is refused.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

make_logs sample full

# What windows divide, without times. Of times, each window rounds each figure.
cat >figures.jq <<'END'
{totals: (.totals | {calls, allocations, allocated_bytes, jit_methods, exceptions, collections, samples, contentions}),
	methods: ([.methods[] | {key: "\(.id)", value: [.calls, .samples]}] | from_entries),
	classes: ([.classes[] | {key: "\(.id)", value: [.allocations, .bytes]}] | from_entries),
	exceptions: ([.exceptions[] | {key: "\(.id // .class)", value: .count}] | from_entries)}
END
cat >add.jq <<'END'
def add_figures($b): . as $a |
	if ($a | type) == "object" then reduce ($b | keys_unsorted[]) as $k ($a; .[$k] |= add_figures($b[$k]))
	elif ($a | type) == "array" then [range(0; $a | length) as $i | $a[$i] | add_figures($b[$i])]
	elif $a == null then $b else $a + $b end;
def without_zeros: walk(if type == "object" then
	with_entries(select(.value != 0 and (.value | type != "array" or any(. != 0)))) else . end);
reduce .[] as $part ({}; add_figures($part)) | without_zeros
END

# check_sums LOG CUT...: the windows between the times add up.
check_sums() {
	local log=$1 whole sum=0 start="" end
	shift
	mprof report --json "$log"
	whole=$(jq -c '.totals.method_ns' out)
	jq -c -f figures.jq out >whole.json
	: >parts.json
	for end in "$@" ""; do
		mprof report --json "--time=$start-$end" "$log"
		case $status in 0 | 1) ;; *) fail "$log: $start-$end: status $status" ;; esac
		jq -c -f figures.jq out >>parts.json
		sum=$((sum + $(jq .totals.method_ns out)))
		start=$end
	done
	expect "$log: windows at $*" "$(jq -c -s -S -f add.jq parts.json)" "$(jq -c -s -S -f add.jq whole.json)"
	expect "$log: time in methods" "$((sum - whole <= $# && whole - sum <= $#))" 1
}
check_sums sample.mprof 100ns 600ns 1us
check_sums full.mprof 20us 60us 1ms 100ms
if test -n "${MPROF_SAMPLES-}"; then
	# Every sixth log, which takes long enough.
	logs=("$MPROF_SAMPLES"/*.mprof)
	for ((i = 0; i < ${#logs[@]}; i += 6)); do
		log=${logs[i]}
		end=$("$MPROF" info --json "$log" 2>/dev/null | jq '.end_time_us - .start_time_us')
		test "${end:-0}" -le 9 || check_sums "$log" $((end / 5))us $((end * 2 / 3))us
	done
fi

# Times have units, and markers names.
bounds() {
	expect_json "$1" '[.filters.window.start_ns, .filters.window.end_ns]' "$2"
}
mprof report --json --time=0.5-0.75s full.mprof
bounds "seconds" '[500000000,750000000]'
expect_json "wall time" .totals.wall_ns 250000000
mprof report --json --time=1.5us-2ms full.mprof
bounds "small units" '[1500,2000000]'
mprof report --json --time=100ms- full.mprof
bounds "open end" '[100000000,null]'
mprof report --json --time=-7ns full.mprof
bounds "open start" '[0,7]'
mprof report --json --last=300ms full.mprof
expect_json "last" '.filters.window | [.start_ns > 690000000, .start_ns < 720000000, .end_ns]' '[true,true,null]'
mprof report --json --last=5000 full.mprof
bounds "more than all" '[0,null]'
mprof report --json full.mprof
expect_json "no window" .filters.window null
"$builddir/tests/tool/make_timeline" timeline.mprof || fail "make_timeline"
# marker WANTED VALUE: bounds in ms.
marker() {
	mprof report --json "--time=$2" timeline.mprof
	expect_status 0 "$2"
	expect_json "$2" '[.filters.window | .start_ns, .end_ns | if . then . / 1000000 else . end]' "$1"
}
marker '[15,55]' frame-frame
marker '[55,null]' 55ms-
marker '[15,70]' frame-a-b
marker '[70,null]' a-b-
marker '[0,70]' -a-b
marker '[20,55]' 20ms-frame
marker '[70,80]' a-b-0.08
mprof report --json --time=frame-frame timeline.mprof
expect_json "calls, allocations, waits and a collection" \
	'.totals | [.method_ns, .calls, .allocations, .contentions, .contended_ns, .collections, .gc_ns]' \
	'[85000000,5,4,1,10000000,1,3000000]'
expect_json "the call that covers the window" '[.methods[] | select(.id == 1) | .calls, .total_ns]' '[0,40000000]'
expect_json "processor time up to the window" '[.threads[] | select(.id == "0x10") | .cpu_ns]' '[30000000]'
expect_json "the first marker is inside, the second is not" '[.marks[].text]' '["frame"]'
mprof report --json --last=45ms --thread=0x10 timeline.mprof
expect_json "the last 45 ms of a thread" '.totals | [.method_ns, .calls, .allocations, .wall_ns]' '[25000000,3,3,45000000]'
mprof report --all --time=0.5-0.75 full.mprof
expect_line out '^window: +from 500.0 ms to 750.0 ms, of full.mprof$'
expect_line out '^  events lost in all +5$'

# Standard input is read twice, from a file and from a pipe.
"$MPROF" report --json --time=20us-60us full.mprof | jq -S .totals >wanted
"$MPROF" report --json --time=20us-60us - <full.mprof | jq -S .totals >found
expect "standard input" "$(cat found)" "$(cat wanted)"
# shellcheck disable=SC2002 # The input must be a pipe.
cat full.mprof | "$MPROF" report --json --time=20us-60us - | jq -S .totals >found
expect "a pipe" "$(cat found)" "$(cat wanted)"
if test -z "${MPROF_WITHOUT_ZLIB-}"; then
	gzip -c full.mprof >full.mprof.gz
	"$MPROF" report --json --time=20us-60us full.mprof.gz | jq -S .totals >found
	expect "gzip" "$(cat found)" "$(cat wanted)"
fi

# A damaged log has its windows, and a message; it appears once.
head -c $(($(wc -c <full.mprof) - 40)) full.mprof >damaged.mprof
mprof report --json --time=20us-60us damaged.mprof
expect_status 1 "damaged"
expect "messages" "$(grep -c 'truncated\|without an END' err)" 1
mprof report --all --last=1ms damaged.mprof
expect_status 1 "the end of a damaged log"
expect_line out '^window: '

# refused WANTED ARGUMENT...
refused() {
	local wanted=$1
	shift
	mprof report --all "$@"
	expect_status 2 "$*"
	expect "output of $*" "$(cat out)" ""
	expect_line err "$wanted"
}
refused "is not FROM-TO" --time=5 full.mprof
refused "is not FROM-TO" --time=- full.mprof
refused "is not a duration" --last=soon full.mprof
refused "is not a duration" --last=0 full.mprof
refused "is not a duration" --last=99999999999999999999 full.mprof
refused "cannot be combined" --last=5s --time=1-2 full.mprof
refused "ends before it starts" --time=2s-1s full.mprof
refused "ends before it starts" --time=1s-1s full.mprof
refused 'neither times nor names of markers.*; nearest marker: ' --time=fraem- timeline.mprof
refused "neither times nor names of markers" --time=1h-2h full.mprof
mprof report --all --time=20s- full.mprof
expect_status 0 "after the end"
expect_line err 'full.mprof: nothing is inside the time window: the log ends after 1.00 s'
mprof report --all --time=1-2 nothing.mprof
expect_status 3 "no log"
expect "messages" "$(wc -l <err)" 1

# A log with an index yields the same as one without, also if the index is damaged or the log is truncated: markers and
# the clock are then found without the other blocks.
mprof convert --dialect=mprof2 --columns full.mprof plain.mprof
mprof convert --dialect=mprof2 --columns --index full.mprof indexed.mprof
mprof dump --json --blocks indexed.mprof
index=$(jq -s 'map(select(.block == "index"))[0].offset' out)
cp indexed.mprof damaged.mprof
printf '\377' | dd of=damaged.mprof bs=1 seek=$((index + 8)) conv=notrunc status=none
head -c "$index" indexed.mprof >cut.mprof
head -c "$index" plain.mprof >plain_cut.mprof
# same_window WINDOW LOG OTHER
same_window() {
	mprof report --json --time="$1" "$2"
	jq 'del(.session, .findings)' out >wanted
	mprof report --json --time="$1" "$3"
	jq 'del(.session, .findings)' out >found
	cmp wanted found || fail "--time=$1: $3 differs from $2"
}
for window in 0- 20us-60us -1ms 2us- 40us-45us; do
	same_window $window plain.mprof indexed.mprof
	same_window $window plain.mprof damaged.mprof
	same_window $window plain_cut.mprof cut.mprof
done

# A method that was called before the window and returns after it is in the tables, though nothing is called in it.
mprof report --all --time=2us-3us sample.mprof
expect "calls of the window" "$(awk '$1 == "calls" { print $2 }' out)" 0
expect "time of the window" "$(awk '/time in methods/ { print $4, $5 }' out)" "1.00 us"
expect "rows of methods and calls" "$(grep -c 'Game.World.Run' out)" 3
mprof export --to=folded --time=2us-3us -o - sample.mprof
expect "exported time" "$(cat out)" "Game.World.Run (string[]) 1000"

# Calls that do not return are those of the window that has the end of the log.
mprof report --json sample.mprof
all=$(jq .totals.unclosed_frames out)
mprof report --json --time=2us-3us sample.mprof
expect "calls without a return" "$(jq .totals.unclosed_frames out)" 0
mprof report --json --time=3us- sample.mprof
expect "calls without a return at the end" "$(jq .totals.unclosed_frames out)" "$all"
