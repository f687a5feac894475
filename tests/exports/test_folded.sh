#!/bin/bash
# SPDX-License-Identifier: MIT
# Each line of folded call stacks is frames, a space and a number; the sums by frame are those of the report.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq
make_calls calls large
make_dialects
make_truncated

# folded_rows FILE: name, own value, and the value of the lines that contain the frame.
folded_rows() {
	! grep -vE '^[^;]+(;[^;]+)* [0-9]+$' "$1" || fail "$1 has a line that is not a call stack"
	awk '{
			value = $NF
			sub(/ [0-9]+$/, "")
			count = split($0, frames, ";")
			for (i = 1; i <= count; i++) {
				if (!((NR, frames[i]) in seen)) {
					print frames[i] "\t" (frames[count] == frames[i] ? value : 0) "\t" value
				}
				seen[NR, frames[i]] = 1
			}
		}' "$1" | sum_rows
}

for log in calls mono unity drop mail truncated; do
	read_report "$log.mprof"
	export_log folded "$log.mprof" "$log.folded" --value=wall
	report_times | tr ';' ':' | LC_ALL=C sort >wanted
	folded_rows "$log.folded" >found
	same_rows "$log: time"
	export_log folded "$log.mprof" "$log.folded" --value=calls
	report_calls | tr ';' ':' | LC_ALL=C sort >wanted
	folded_rows "$log.folded" | cut -f 1,2 >found
	same_rows "$log: calls"
done

read_report calls.mprof
export_log folded calls.mprof bytes.folded --value=bytes
report_bytes | tr ';' ':' | LC_ALL=C sort >wanted
folded_rows bytes.folded | cut -f 1,2 | grep -v "$(printf '\t0$')" >found
same_rows "bytes by class"

# Filters act as in the report.
read_report calls.mprof --focus='*Fib*'
export_log folded calls.mprof focus.folded --value=wall --focus='*Fib*'
report_times | tr ';' ':' | LC_ALL=C sort >wanted
folded_rows focus.folded >found
same_rows "with --focus"
read_report calls.mprof --thread=0x20
export_log folded calls.mprof thread.folded --value=wall --thread=0x20
report_times | tr ';' ':' | LC_ALL=C sort >wanted
folded_rows thread.folded >found
same_rows "with --thread"

export_log folded large.mprof large.folded
read_report large.mprof
expect "times above 2^53" "$(grep -oE '[0-9]{16,}' large.folded)" \
	"$(large_time)"
