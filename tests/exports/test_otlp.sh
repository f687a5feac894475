#!/bin/bash
# SPDX-License-Identifier: MIT
# protoc decodes the export with a description of OpenTelemetry's profiles, without unknown fields, and its figures are
# those of the report. Each table of the dictionary begins with the zero value.
set -eu
. "$srcdir/tests/exports/support.sh"
needs protoc jq
make_calls calls lost
make_dialects
make_truncated

# otlp_rows FILE VALUE
otlp_rows() {
	protoc --decode=profiles.ProfilesData -I "$srcdir/tests/exports" profiles.proto <"$1" >decoded 2>protoc_err ||
		fail "protoc: $(cat protoc_err)"
	LC_ALL=C awk -v type="$2" -f "$srcdir/tests/exports/otlp_rows.awk" decoded | sum_rows
}

for log in calls mono unity drop mail truncated; do
	read_report "$log.mprof"
	export_log otlp "$log.mprof" "$log.otlp"
	report_times >wanted
	otlp_rows "$log.otlp" wall >found
	same_rows "$log: time"
	report_calls >wanted
	otlp_rows "$log.otlp" calls | cut -f 1,2 >found
	same_rows "$log: calls"
done

read_report calls.mprof
report_samples >wanted
otlp_rows calls.otlp samples >found
same_rows "samples"
report_bytes >wanted
otlp_rows calls.otlp bytes | cut -f 1,2 | grep -v "$(printf '\t0$')" >found
same_rows "bytes by class"

for table in mapping_table location_table function_table link_table stack_table attribute_table string_table; do
	expect_line decoded "^  $table"
done
expect "the first text" "$(grep -m 1 string_table decoded)" '  string_table: ""'
expect "the first stack" "$(grep -A 1 -m 1 stack_table decoded | tail -n 1)" '  }'
expect_line decoded 'version: ".*opentelemetry-proto 1\.'

# Only the chosen value, and what the log lacks.
export_log otlp lost.mprof lost.otlp --value=calls
otlp_rows lost.otlp calls >found
expect "profiles" "$(grep -c '^    profiles {' decoded)" 1
grep -A 3 lost_events decoded >losses
expect_line losses 'string_value: "7"'

# Locations in the lines of the frames, and one for each function without them.
"$builddir/tests/tool/make_lines" lines.mprof || fail "make_lines"
# otlp_lines FILE: the lines of all locations but the zero value.
otlp_lines() {
	otlp_rows "$1" samples >found
	awk '/^  location_table/ { inside = 1 } /^  function_table/ { inside = 0 }
		inside && $1 == "line:" { print $2 }' decoded | sort -n | tr '\n' ' '
}
export_log otlp lines.mprof lines.otlp --value=samples --by-line
expect "lines" "$(otlp_lines lines.otlp)" "1 2 5 10 11 "
export_log otlp lines.mprof lines.otlp --value=samples
expect "one location for each function" "$(otlp_lines lines.otlp | wc -w)" 3
