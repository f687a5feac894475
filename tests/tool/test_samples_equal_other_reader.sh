#!/bin/bash
# SPDX-License-Identifier: MIT
# Logs that the profilers of Mono and Unity wrote, in the directory MPROF_SAMPLES, each NAME.mprof with the counts of an
# independent reader, NAME.totals.json: the counts are equal, for cut logs up to the cut. Also: no event is after the
# end of its block or before the preceding event, call stacks match the stack sections, and blocks read after seeking
# are the same as in order.
set -eu
. "$srcdir/tests/tool/support.sh"

test -n "${MPROF_SAMPLES-}" || skip "MPROF_SAMPLES names no folder of logs"
needs jq
sample_totals=$builddir/tests/tool/sample_totals

# Counts that must be 0; the totals of the directory do not contain them.
none=$'late_events\nbackward_events\nstrange_callers\nsections_lost\nsamples_without_stack\ndiffering_blocks'
none=$(sed 's/$/\t\t0/' <<<"$none")

# Sums up numbers with the same name.
add_up() {
	awk -F '\t' '{ sum[$1 "\t" $2] += $3 } END { for (what in sum) printf "%s\t%.0f\n", what, sum[what] }' |
		LC_ALL=C sort
}

compare() {
	{
		jq -r -f "$srcdir/tests/tool/totals.jq" "${log%.mprof}.totals.json"
		echo "$none"
	} | add_up >wanted
	"$sample_totals" "$log" | add_up >found || fail "$log: sample_totals failed"
	diff wanted found >difference || fail "$log (<: wanted, >: found): $(cat difference)"
}

# Genuine logs are sound up to their end, and all commands report this.
check() {
	local ended faults=0 size

	ended=$(jq .ended "${log%.mprof}.totals.json")
	test "$ended" = true || faults=1
	size=$(stat -c %s "$log")
	mprof check --json "$log"
	expect_status $faults "check of $log"
	expect_json "$log" '[.sound, .complete, .backward_steps, .unknown_events, .unknown_blocks]' \
		"[$ended,$ended,0,0,0]"
	# First microseconds, then ticks of a processor of 2.3 GHz.
	expect_json "$log" ".counters_per_second | . > 0.99e6 and . < 1.01e6 or . > 2.2e9 and . < 2.4e9" true
	test "$ended" = true || expect_line err ": offset $size: |: the log ends at byte $size\$"
	expect "$log: lines on standard error" "$(wc -l <err)" $faults
	mprof dump "$log"
	expect_status $faults "dump of $log"
	test "$size" -lt 100000 || return 0
	mprof dump --json "$log"
	expect_status $faults "dump --json of $log"
	jq -n 'reduce inputs as $line (0; . + 1)' out >/dev/null || fail "dump --json of $log is not JSON"
}

count=0
for log in "$MPROF_SAMPLES"/*.mprof; do
	test -e "$log" || skip "no logs in $MPROF_SAMPLES"
	if test "$(stat -c %s "$log")" -lt 14; then
		mprof info "$log"
		expect_status 3 "info of $log"
		expect_line err 'offset 0: .*mprof log'
	else
		compare
		! one_of 3 || check
	fi
	count=$((count + 1))
done
echo "$count logs"
