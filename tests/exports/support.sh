# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Functions shared by the tests of exports, which source this file.
#
# Each test compares the figures that a program of others reads from an export with those of "mprof report --json", as
# sorted lines of a name and numbers, with tabs between them. Rows without a value are left out, and equal names are
# one row, as in most of these programs. Control characters in names are written as \xNN, as in the exports.

. "$srcdir/tests/tool/support.sh"

# make_calls KIND...: makes KIND.mprof for each.
make_calls() {
	for kind in "$@"; do
		"$builddir/tests/exports/make_calls" "$kind" "$kind.mprof" || fail "make_calls $kind"
	done
}

# export_log FORMAT FILE OUT [OPTION...]
export_log() {
	local format=$1 log=$2 out=$3

	shift 3
	mprof export --to="$format" -o "$out" "$@" "$log"
	test "$status" -le 1 || fail "export --to=$format $* $log: status $status; $(cat err)"
}

# sum_rows: adds up the numbers of lines with equal names, and sorts them.
sum_rows() {
	awk -F'\t' '{
			names[$1] = 1
			for (i = 2; i <= NF; i++) {
				sums[$1, i] += $i
			}
			columns = NF
		}
		END {
			for (name in names) {
				line = name
				some = 0
				for (i = 2; i <= columns; i++) {
					line = line "\t" sprintf("%.0f", sums[name, i])
					some = some || sums[name, i] != 0
				}
				if (some) {
					print line
				}
			}
		}' | LC_ALL=C sort
}

plain_names='
	def plain: gsub("\u001b"; "\\x1b") | gsub("\n"; "\\x0a") | gsub("\t"; "\\x09");
	def full: (if .class == null or .class == "" then .name else .class + "." + .name end) | plain;
'

# read_report FILE [OPTION...]: the report as JSON, in the file report.
read_report() {
	local log=$1

	shift
	mprof report --json "$@" "$log"
	test "$status" -le 1 || fail "report $log: status $status; $(cat err)"
	cp out report
}

# report_rows FILTER: rows of the report in the file report; the filter makes arrays of a name and numbers.
report_rows() {
	jq -r "$plain_names $1 | @tsv" report | sed 's/\\\\/\\/g' | sum_rows
}

report_times() {
	report_rows '.methods[] | [full, .self_ns, .total_ns]'
}

report_calls() {
	report_rows '.methods[] | [full, .calls]'
}

report_all() {
	report_rows '.methods[] | [full, .self_ns, .total_ns, .calls]'
}

report_samples() {
	report_rows '.samples[] | [(.name // "(unknown)" | plain), .hits, .total_hits]'
}

report_bytes() {
	report_rows '.classes[] | [(.name | plain), .bytes]'
}

report_objects() {
	report_rows '.classes[] | [(.name | plain), .allocations]'
}

# Of large.mprof in the file report: the own time of its first method, since jq rounds numbers above 2^53.
large_time() {
	grep -oE '"self_ns": ?[0-9]+' report | grep -oE '[0-9]{16,}' | head -n 1
}

# same_rows WHAT: compares the files found and wanted.
same_rows() {
	test -s wanted || fail "$1: no figures to compare"
	diff found wanted >differences || fail "$1: found (<) and wanted (>): $(head -n 20 differences)"
}

# Logs of each dialect that have calls: copies of calls.mprof.
make_dialects() {
	for dialect in mono unity drop mail; do
		"$MPROF" convert --dialect="$dialect" calls.mprof "$dialect.mprof" 2>/dev/null ||
			test -s "$dialect.mprof" || fail "convert to $dialect"
	done
}

# The start of calls.mprof, with open frames.
make_truncated() {
	head -c -$(($(wc -c <calls.mprof) / 4)) calls.mprof >truncated.mprof
}

# What readers of single calls find in an export.

# chrome_calls FILE: name, own time, total time, calls.
chrome_calls() {
	jq -r '.traceEvents[] | select(.ph == "B" or .ph == "E") |
		[.ph, .cat, .tid, (.ts * 1000 | round), .name] | @tsv' "$1" | sed 's/\\\\/\\/g' |
		awk -f "$srcdir/tests/exports/calls.awk" >calls_found
	! grep '^!' calls_found || fail "$1: faults of the trace"
	sum_rows <calls_found
}

# decode_perfetto FILE: the trace as text, in the file text.
decode_perfetto() {
	protoc --proto_path="$srcdir/tests/exports" --decode=Trace perfetto.proto <"$1" >text 2>protoc_err ||
		fail "$1: $(cat protoc_err)"
	# Fields that the description does not have are printed as numbers.
	! grep -nE '^ *[0-9]+[:{ ]' text || fail "$1: unknown fields"
}

# perfetto_calls FILE: name, own time, total time, calls.
perfetto_calls() {
	decode_perfetto "$1"
	LC_ALL=C awk -f "$srcdir/tests/exports/perfetto.awk" text >calls_found
	! grep '^!' calls_found || fail "$1: faults of the trace"
	sum_rows <calls_found
}

# speedscope_calls FILE: name, own time, total time, calls.
speedscope_calls() {
	jq -r '.shared.frames as $frames | .profiles | to_entries[] | .key as $row | .value.events[] |
		[(if .type == "O" then "B" else "E" end), "call", $row, .at, $frames[.frame].name] | @tsv' "$1" |
		sed 's/\\\\/\\/g' | awk -f "$srcdir/tests/exports/calls.awk" >calls_found
	! grep '^!' calls_found || fail "$1: faults of the profile"
	sum_rows <calls_found
}

# firefox_rows FILE WHAT: the figures of a profile, which is checked; see firefox.py.
firefox_rows() {
	python3 "$srcdir/tests/exports/firefox.py" "$1" "$2" >rows || fail "$1: $(grep '^!' rows)"
	sum_rows <rows
}
