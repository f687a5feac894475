#!/bin/bash
# SPDX-License-Identifier: MIT
# Go's pprof reads the export, and its figures are those of the report: own and total time of each method, calls,
# samples, bytes and objects of each class, and live objects of a heap snapshot.
set -eu
. "$srcdir/tests/exports/support.sh"
needs go jq
go tool pprof -h >/dev/null 2>&1 || test $? = 2 || skip "go has no pprof"
make_calls calls large lost
make_dialects
make_truncated

# pprof_rows FILE VALUE: name, flat, cum.
pprof_rows() {
	go tool pprof -top -sample_index="$2" -unit="$3" -symbolize=none -nodecount=0 -nodefraction=0 -edgefraction=0 \
		-trim=false "$1" 2>pprof_err |
		awk -v unit="$3" '
			/flat%/ { inside = 1; next }
			inside {
				flat = $1
				cum = $4
				sub(unit "$", "", flat)
				sub(unit "$", "", cum)
				sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, "")
				print $0 "\t" flat "\t" cum
			}' | sum_rows
	! grep -v '^$' pprof_err || fail "pprof: $(cat pprof_err)"
}

# without_stack: removes the placeholders of what has no call stack.
own_rows() {
	cut -f 1,2 | grep -v "$(printf '\t0$')" || true
}

for log in calls large mono unity drop mail truncated; do
	read_report "$log.mprof"
	export_log pprof "$log.mprof" "$log.pb.gz"
	# The parser of pprof checks the profile.
	go tool pprof -raw "$log.pb.gz" >raw 2>pprof_err || fail "$log: $(cat pprof_err)"
	expect_line raw '^Comment: mprof '
	test $log = large && continue
	report_times >wanted
	pprof_rows "$log.pb.gz" wall ns >found
	same_rows "$log: time"
	report_calls >wanted
	pprof_rows "$log.pb.gz" calls count | own_rows >found
	same_rows "$log: calls"
done

# Times above 2^53 are exact in the file.
export_log pprof large.mprof large.pb.gz
go tool pprof -raw large.pb.gz >raw
read_report large.mprof
expect_line raw "^ .* $(large_time): "

# Samples, and what was allocated.
read_report calls.mprof
report_samples >wanted
pprof_rows calls.pb.gz samples count >found
same_rows "samples"
report_bytes >wanted
pprof_rows calls.pb.gz alloc_space B | own_rows >found
same_rows "bytes by class"
report_objects >wanted
pprof_rows calls.pb.gz alloc_objects count | own_rows >found
same_rows "objects by class"

# The label of a thread selects its call stacks: -tagfocus takes a regular expression.
for thread in 0x10 0x20; do
	read_report calls.mprof --thread=$thread
	report_times >wanted
	go tool pprof -tagfocus="thread=^$thread" -proto -output=one.pb.gz calls.pb.gz >/dev/null 2>&1 || fail "-tagfocus"
	pprof_rows one.pb.gz wall ns >found
	same_rows "thread $thread: time"
done
expect "labels" "$(go tool pprof -tags -sample_index=wall calls.pb.gz 2>/dev/null | grep -c ' 0x[12]0$')" 2

# The chosen value is the default, and is in the last column for viewers that ignore the default.
export_log pprof calls.mprof bytes.pb.gz --value=bytes
go tool pprof -raw bytes.pb.gz >raw
expect_line raw '^calls/count wall/nanoseconds samples/count alloc_objects/count alloc_space/bytes\[dflt\]'
expect_line raw '^PeriodType: alloc_space bytes'

# What is missing is stated in the profile.
export_log pprof lost.mprof lost.pb.gz
go tool pprof -raw lost.pb.gz >raw
expect_line raw '^Comment: 7 events were lost'
export_log pprof truncated.mprof truncated.pb.gz
expect "the status of a truncated log" "$status" 1
go tool pprof -raw truncated.pb.gz >raw
expect_line raw '^Comment: incomplete log: valid up to byte [0-9]+ of [0-9]+'

# A heap snapshot: the own bytes of a class are those of its live objects.
make_tree path path.mprof
mprof heap --json path.mprof
cp out report
report_rows '.classes[] | [(.name | plain), .bytes]' >wanted
export_log pprof path.mprof path.pb.gz
pprof_rows path.pb.gz inuse_space B | own_rows >found
same_rows "live bytes by class"
