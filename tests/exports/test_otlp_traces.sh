#!/bin/bash
# SPDX-License-Identifier: MIT
# protoc decodes the trace of OpenTelemetry without unknown fields: spans with their times, attributes, parents, errors.
set -eu
. "$srcdir/tests/exports/support.sh"
needs protoc awk jq

"$builddir/tests/tool/make_spans" spans.mprof || fail "make_spans"
export_log otlp-traces spans.mprof spans.otlp
expect "the status" "$status" 0
expect_line err '^mprof: export: 5 events without a duration were left out$'
protoc --decode=trace.TracesData -I "$srcdir/tests/exports" trace.proto <spans.otlp >decoded 2>protoc_err ||
	fail "protoc: $(cat protoc_err)"
! grep -nE '^ *[0-9]+[:{ ]' decoded || fail "unknown fields"
awk '
	/^    spans \{/ { name = ""; start = 0; end = 0; error = 0; parent = 0; attributes = ""; is_span = 1 }
	/^      name:/ && is_span { sub(/^      name: /, ""); name = $0 }
	/^      parent_span_id:/ { parent = 1 }
	/^      start_time_unix_nano:/ { start = substr($2, length($2) - 8) }
	/^      end_time_unix_nano:/ { end = substr($2, length($2) - 8) }
	/^        code: 2/ { error = 1 }
	/^        key:/ { attributes = attributes " " substr($2, 2, length($2) - 2) }
	/^          [a-z]*_value:/ { attributes = attributes "=" $2 }
	/^    \}/ && is_span { printf "%s %.0f %.0f parent=%d error=%d%s\n", name, start / 1000, end / 1000, parent, error, attributes; is_span = 0 }
	' decoded | LC_ALL=C sort >found
cat >wanted <<'END'
"/a" 13000 23000 parent=0 error=0 route="/a" size=1000 offset=-1 load=0.5 flow=1 status=0 category="http" thread.id="0x20"
"/a" 23000 26000 parent=0 error=0 route="/a" size=2000 offset=-2 load=0.5 flow=2 status=0 category="http" thread.id="0x21"
"/a" 42000 72000 parent=0 error=0 route="/a" size=4000 offset=-4 load=0.5 flow=4 status=0 category="http" thread.id="0x21"
"/b <&>\"" 33000 53000 parent=0 error=1 route="/b size=3000 offset=-3 load=0.5 flow=3 status=500 category="http" thread.id="0x20"
"parse" 14000 16000 parent=0 error=0 category="http" thread.id="0x20"
"parse" 43000 101000 parent=0 error=0 category="http" thread.id="0x21" mprof.unfinished=true
"task" 15000 61000 parent=0 error=0 task=7 parent=0 task=7 thread.id="0x20"
"task" 62000 101000 parent=1 error=0 task=8 parent=7 thread.id="0x10" mprof.unfinished=true
END
diff wanted found || fail "the spans differ"
# The parent of task 8 is task 7.
parent=$(awk '/^      parent_span_id:/ { print $2 }' decoded)
grep -qF "      span_id: $parent" decoded || fail "no span has the ID of the parent, $parent"
expect "distinct IDs" "$(grep '^      span_id:' decoded | sort -u | wc -l)" 8

# A log without spans.
make_calls calls
mprof export --to=otlp-traces -o none.otlp calls.mprof
expect_status 3 "a log without spans"
expect_line err 'nothing of this log can be represented in otlp-traces'
test ! -e none.otlp || fail "a file was written"
