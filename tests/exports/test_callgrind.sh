#!/bin/bash
# SPDX-License-Identifier: MIT
# callgrind_annotate reads the export without a warning, and its own and inclusive costs are those of the report, also
# those of recursive methods and of times above 2^53.
set -eu
. "$srcdir/tests/exports/support.sh"
needs callgrind_annotate jq
make_calls calls large
make_dialects
make_truncated

# annotated_rows FILE OPTION: name and cost.
annotated_rows() {
	callgrind_annotate --threshold=100 "$2" "$1" >annotated 2>annotate_err || fail "$(cat annotate_err)"
	test ! -s annotate_err || fail "callgrind_annotate: $(head annotate_err)"
	awk '/file:function/ { inside = 1; next }
		inside && /^ *[0-9,]+ \(/ {
			cost = $1
			gsub(",", "", cost)
			sub(/^ *[0-9,]+ \([^)]*\)  [^:]*:/, "")
			sub(/ \[[^]]*\]$/, "")
			if ($0 != "(all threads)") {
				print $0 "\t" cost
			}
		}' annotated | LC_ALL=C sort
}

# Sums of awk are doubles; the names of these logs are unique.
report_column() {
	jq -r "$plain_names .methods[] | select($1 > 0) | \"\(full)\t\($1)\"" report | LC_ALL=C sort
}

for log in calls mono unity drop mail truncated; do
	read_report "$log.mprof"
	export_log callgrind "$log.mprof" "$log.callgrind" --value=wall
	report_column .self_ns >wanted
	annotated_rows "$log.callgrind" --inclusive=no >found
	same_rows "$log: own time"
	report_column .total_ns >wanted
	annotated_rows "$log.callgrind" --inclusive=yes >found
	same_rows "$log: inclusive time"
	export_log callgrind "$log.mprof" calls.callgrind --value=calls
	report_column .calls >wanted
	annotated_rows calls.callgrind --inclusive=no >found
	same_rows "$log: calls"
done

# The caller is listed with the number of calls.
callgrind_annotate --threshold=100 --tree=caller mono.callgrind >annotated
expect_line annotated '< .*NS\.Foo\.Fib \(int\) \(7x\)'

export_log callgrind large.mprof large.callgrind --value=wall
read_report large.mprof
callgrind_annotate --threshold=100 large.callgrind | tr -d , >annotated
expect_line annotated "^ *$(large_time) "
