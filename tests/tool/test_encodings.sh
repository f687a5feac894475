#!/bin/bash
# SPDX-License-Identifier: MIT
# A report of a log is the same whether its events are in rows or in columns, whether its blocks are compressed, and
# whether it has an index; also if several threads decode it. This holds for the logs of the directory MPROF_SAMPLES,
# or those made here if it is not set.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

# report_of LOG OPTION...: what the report states of the program. Offsets and blocks are those of the file. Trees are
# complete, since the size of the log limits them otherwise.
report_of() {
	"$MPROF" report --json --top=1000000 --min-percent=0 "${@:2}" "$1" 2>/dev/null |
		jq -cS '.session |= del(.file, .valid_bytes, .size, .file_size, .blocks, .packed, .index, .damage[].offset) | del(.findings[].command)'
}

# Codecs that this build has.
codecs=()
make_logs sample full deep memory open
for codec in deflate zstd; do
	! "$MPROF" convert --compress=$codec sample.mprof try.mprof 2>/dev/null || codecs+=("--compress=$codec")
done

# compare LOG OPTION...: copies in rows and with these options have the same report.
compare() {
	local log=$1
	shift
	mprof convert "$@" "$log" encoded.mprof
	test "$status" -le 1 || fail "convert $* $log: $(cat err)"
	report_of encoded.mprof >encoded.json
	cmp -s rows.json encoded.json || fail "$log: the report differs with $*: $(diff rows.json encoded.json | head -c 400)"
}

count=0
number=0
for log in "${MPROF_SAMPLES:-.}"/*.mprof; do
	case $log in */encoded.mprof | */rows.mprof | */try.mprof) continue ;; esac
	# Every third sample: tests/convert/test_convert_encodings.c compares the events of all.
	number=$((number + 1))
	test -z "${MPROF_SAMPLES-}" || test $((number % 3)) = 0 || continue
	"$MPROF" convert "$log" rows.mprof 2>/dev/null || test $? = 1 || continue
	report_of rows.mprof >rows.json
	test -s rows.json || continue
	# Each log in one other way, by turns; in all ways if there are few.
	ways=("--columns" "--columns --index" "--index" "${codecs[@]/#/--columns --index }" "${codecs[@]}")
	for i in "${!ways[@]}"; do
		test -z "${MPROF_SAMPLES-}" || test "$i" = $((count % ${#ways[@]})) || continue
		# shellcheck disable=SC2086 # several options
		compare "$log" ${ways[i]}
		report_of encoded.mprof --threads=3 >threads.json
		cmp -s rows.json threads.json || fail "$log: the report differs with three threads and ${ways[i]}"
	done
	count=$((count + 1))
done
test $count -gt 0 || fail "no log was compared"
echo "$count logs"
