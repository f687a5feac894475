#!/bin/bash
# SPDX-License-Identifier: MIT
# Trees of call stacks: very deep ones, allocations without call stacks, and the filters of frames. Their figures are
# those of the report, also where frames are folded, hidden or collapsed.
set -eu
. "$srcdir/tests/exports/support.sh"
needs protoc jq
make_calls calls deep plain mixed

# folded LOG VALUE [OPTION...]: the call stacks, in the file stacks.
folded() {
	local log=$1 value=$2

	shift 2
	export_log folded "$log.mprof" stacks --value="$value" "$@"
}

# last_frames: the own value of each last frame.
last_frames() {
	sed 's/^.*;//; s/ \([0-9]*\)$/\t\1/' stacks | sum_rows
}

total() {
	awk '{ sum += $NF } END { print sum }' stacks
}

# 10,000 frames: the warning precedes the file, and the limit keeps the sums.
read_report deep.mprof
wall=$(jq '[.methods[].self_ns] | add' report)
export_log otlp deep.mprof deep.otlp --value=wall
expect_line err '^mprof: deep.mprof: wall: frames deeper than 512 are one frame, "[(]deeper frames[)]"; --max-depth=0 '
test "$(wc -c <deep.otlp)" -lt 1000000 || fail "the size of a deep recursion"
export_log otlp deep.mprof forced.otlp --value=wall --force
export_log otlp deep.mprof deep.otlp --value=wall --max-depth=0
cmp deep.otlp forced.otlp || fail "--force differs from --max-depth=0"
expect_line err '^mprof: deep.mprof: call stacks have up to 10,000 frames and take about 50.* --max-depth=1250 makes it'
export_log otlp deep.mprof deep.otlp --value=wall --max-depth=1250
expect_no_line err 'makes it'
folded deep wall --max-depth=3
expect_line err 'frames deeper than 3 are one frame, "\(deeper frames\)"$'
expect "call stacks of at most 3 frames" "$(wc -l <stacks)" 4
expect_line stacks '^NS\.Foo\.Fib \(int\);NS\.Foo\.Bar \(int\);NS\.Foo\.Fib \(int\);\(deeper frames\) [0-9]+$'
expect "the time with folded frames" "$(total)" "$wall"
folded deep calls --max-depth=3
expect "the calls with folded frames" "$(total)" 10000
folded deep bytes --max-depth=3
expect "the class below folded frames" "$(cat stacks)" \
	'NS.Foo.Fib (int);NS.Foo.Bar (int);NS.Foo.Fib (int);(deeper frames);System.String 24'
folded calls wall
cp stacks whole
folded calls wall --max-depth=1000
cmp stacks whole || fail "a limit above the depth makes a difference"
expect_no_line err 'deeper'

# Other formats have the same call stacks, and state the limit.
folded deep wall --max-depth=40
last_frames >wanted
export_log otlp deep.mprof deep.otlp --value=wall --max-depth=40
protoc --decode=profiles.ProfilesData -I "$srcdir/tests/exports" profiles.proto <deep.otlp >decoded
expect_line decoded 'key: "mprof.max_depth"'
LC_ALL=C awk -v type=wall -f "$srcdir/tests/exports/otlp_rows.awk" decoded | cut -f 1,2 | sum_rows >found
same_rows "otlp with --max-depth"
export_log speedscope deep.mprof deep.json --value=wall --max-depth=40
jq -r '.shared.frames as $frames | .profiles[0] | [.samples, .weights] | transpose[] |
	[$frames[.[0][-1]].name, .[1]] | @tsv' deep.json | sum_rows >found
same_rows "speedscope with --max-depth"
jq -e '.profiles[0].name | test("deeper than 40")' deep.json >/dev/null || fail "speedscope does not state the limit"
export_log pprof deep.mprof deep.pb.gz --max-depth=40
if test -z "${MPROF_WITHOUT_ZLIB-}"; then
	gzip -dc deep.pb.gz >deep.pb
else
	cp deep.pb.gz deep.pb
fi
grep -qaF 'frames deeper than 40 are one frame' deep.pb || fail "pprof does not state the limit"

# Classes are frames below the call path, or below the frame of what has none.
for log in plain mixed; do
	read_report "$log.mprof"
	report_bytes | tr ';' ':' | LC_ALL=C sort >wanted
	folded $log bytes
	last_frames >found
	same_rows "$log: bytes by class"
	report_objects | tr ';' ':' | LC_ALL=C sort >wanted
	folded $log allocations
	last_frames >found
	same_rows "$log: objects by class"
done
folded plain bytes
expect_line stacks '^\(no call stack\);System\.String 32$'
expect_line stacks ';NS\.Foo\.Fib \(int\);NS\.Foo\.Bar \(int\);NS\.Pair<a:b, c>\[\] 112$'
folded plain bytes --class='*String'
expect "one class" "$(last_frames)" "$(printf 'System.String\t1520')"
folded plain bytes --thread=0x20
expect "one thread" "$(total)" 1312

# Filters of frames act as in the report: by time, calls and samples.
while read -r -a filters; do
	read_report calls.mprof "${filters[@]}"
	report_rows '.methods[] | [full, .self_ns]' | tr ';' ':' | LC_ALL=C sort >wanted
	folded calls wall "${filters[@]}"
	last_frames >found
	same_rows "time with ${filters[*]}"
	report_calls | tr ';' ':' | LC_ALL=C sort >wanted
	folded calls calls "${filters[@]}"
	last_frames >found
	same_rows "calls with ${filters[*]}"
	report_rows '.samples[] | [(.name // "(unknown)" | plain), .hits]' | tr ';' ':' | LC_ALL=C sort >wanted
	if test -s wanted; then
		folded calls samples "${filters[@]}"
		last_frames >found
		same_rows "samples with ${filters[*]}"
	fi
	# Of allocations in calls: those of each method with all of its classes.
	read_report plain.mprof --inverted "${filters[@]}"
	report_rows '.inverted_trees[] | select(.source == "allocations") | .tree[] | [(.name | plain), .total]' |
		tr ';' ':' | LC_ALL=C sort >wanted
	folded plain bytes "${filters[@]}"
	sed -i '/^(no call stack)/d; /^[^;]*$/d; s/;[^;]* \([0-9]*\)$/ \1/' stacks
	last_frames >found
	same_rows "bytes with ${filters[*]}"
done <<-'END'
	--collapse=*Add*
	--collapse=*Foo*
	--focus=*Fib*
	--ignore=*Add*
	--hide=*Fib*
	--focus=*Fib* --collapse=*Bar*
	--hide=*Fib* --collapse=*Foo*
	--ignore=*Add* --hide=*Bar* --collapse=*Gr*
END

# Where only the method is known that allocated, the filters apply to it.
make_calls caller
folded caller bytes --focus=*Fib*
expect "bytes of a caller in focus" "$(total)" 40
folded caller bytes --ignore=*Fib*
expect "bytes without a caller" "$(total)" 72
folded caller bytes --hide=*Fib*
expect "bytes below a hidden caller" "$(grep -c '^[^;]*$' stacks)" 2
expect "bytes with a hidden caller" "$(total)" 112
