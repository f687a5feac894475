#!/bin/bash
# SPDX-License-Identifier: MIT
# Traces have the spans and other events that a program describes, with their times, arguments and flows; formats without
# them state how many they leave out.
set -eu
. "$srcdir/tests/exports/support.sh"
needs protoc jq awk python3

"$builddir/tests/tool/make_spans" spans.mprof || fail "make_spans"

# Chrome: spans of a call stack nest on rows of their own; /a overlaps "parse", which does not end.
export_log chrome spans.mprof spans.json
expect "spans" "$(jq -c '.traceEvents[] | select(.ph == "B" or .ph == "E") | select(.cat != "call") |
	[.ph, .cat, .name, .tid - .pid, .ts]' spans.json)" '["B","http","parse",1,13000]
["E","http","parse",1,15000]
["B","http","/a",1,12000]
["E","http","/a",1,22000]
["B","http","/b <&>\"",1,32000]
["E","http","/b <&>\"",1,52000]
["B","http","/a",2,22000]
["E","http","/a",2,25000]
["B","http","parse",2,42000]
["B","http","/a",3,41000]
["E","http","/a",3,71000]'
expect "spans across threads" "$(jq -c '.traceEvents[] | select(.ph == "b" or .ph == "e") |
	[.ph, .name, .id, .ts, .args]' spans.json)" '["b","task",7,14000,{"task":7,"parent":0}]
["e","task",7,60000,{"task":7}]
["b","task",8,61000,{"task":8,"parent":7}]'
expect "arguments" "$(jq -c '.traceEvents[] | select(.name == "/b <&>\"" and .ph == "B") | .args' spans.json)" \
	'{"route":"/b <&>\"","size":3000,"offset":-3,"load":0.5,"flow":3,"status":500}'
expect "events" "$(jq -c '.traceEvents[] | select(.ph == "X") | [.name, .ts, .dur, .args]' spans.json | sed -n '1p;5p')" \
	'["accepted",10000,0,{"flow":1,"client":"10.0.0.1","secure":true}]
["log",53000,0,{"severity":4,"message":"slow"}]'
expect "flows" "$(jq -r '[.traceEvents[] | select(.cat == "flow")] | group_by(.id)[] |
	map("\(.ph)\(.ts)") | join(" ")' spans.json)" "s10000 f12000
s20000 f22000
s30000 f32000
s40000 f41000"

# Perfetto: the same, with the names of tracks.
export_log perfetto spans.mprof spans.pftrace
decode_perfetto spans.pftrace
awk '
	/^  track_descriptor \{/ { uuid = 0 }
	/^  track_event \{/ { is_event = 1; track = ""; name = ""; category = ""; type = 0; arguments = ""; flows = 0 }
	/^    uuid:/ { uuid = $2 }
	/^    name:/ { sub(/^    name: /, ""); if (is_event) name = $0; else tracks[uuid] = $0 }
	/^  timestamp:/ { time = $2 }
	/^    categories:/ { category = $2 }
	/^    type:/ { type = $2 }
	/^    track_uuid:/ { track = $2 }
	/^    flow_ids:/ { flows++ }
	/^      name:/ { arguments = arguments " " $2 }
	/^  \}/ && is_event { if (track in tracks) print tracks[track], type, name, category, time, flows, arguments; is_event = 0 }
	' text >events
expect "slices" "$(grep -c '^"Spans" 1 .*"http"' events)" 6
expect "slices that end" "$(grep -c '^"Spans" 2 ' events)" 5
expect "slices with a flow" "$(grep -c '^"Spans" 1 .*"http" [0-9]* 1' events)" 4
expect "slices of any thread" "$(grep -c '^"task" [12] ' events)" 3
expect "names of arguments" "$(grep '"/b <&>' events | sed 's/.* [0-9]* 1  "/"/')" \
	'"route" "size" "offset" "load" "flow" "status"'
for line in 'double_value: 0.5' 'int_value: -3' 'bool_value: true' 'uint_value: 3000' 'string_value: "10.0.0.1"'; do
	grep -q "$line" text || fail "no argument with $line"
done

# Firefox: markers, with the arguments as text; one that has not ended is a start.
export_log firefox spans.mprof spans.firefox
python3 "$srcdir/tests/exports/firefox.py" spans.firefox markers >found
expect "markers" "$(awk -F'\t' '{ print $1 " " $2 }' found | LC_ALL=C sort)" '/a 10000000
/a 3000000
/a 30000000
/b <&>" 20000000
accepted 0
accepted 0
accepted 0
accepted 0
log 0
parse 0
parse 2000000
task 0
task 46000000'
gzip -dcf spans.firefox | jq -r '.shared.stringArray[]' >texts
expect_line texts '^route=/b <&>", size=3000, offset=-3, load=0\.5, flow=3, status=500$'

# Above the maximum depth, it is not known which spans end: the others have the times of the report.
"$builddir/tests/tool/make_spans" deep.mprof deep || fail "make_spans deep"
mprof report --json deep.mprof
figures=$(jq -c '.spans[0] | [.spans, (.total_ns / 1000000 | round)]' out)
export_log chrome deep.mprof deep.json
expect_line err '^mprof: export: 976 spans inside or across too many others were left out$'
expect "deep spans" "$(jq -c '[.traceEvents[] | select(.cat == "http")] | [(map(select(.ph == "E")) | length),
	((map(if .ph == "E" then .ts else -.ts end) | add) / 1000 | round)]' deep.json)" "$figures"

# A time window cuts spans, as it cuts calls.
export_log chrome spans.mprof window.json --time=14ms-42ms
expect "a window" "$(jq -c '.traceEvents[] | select(.ph == "B" or .ph == "b") | select(.cat != "call" and .cat != "resumed") |
	[.name, .ts]' window.json)" '["task",14000]
["parse",14000]
["/a",14000]
["/b <&>\"",32000]
["/a",22000]
["/a",41000]'

# Formats with sums state what they lack.
for format in folded speedscope pprof; do
	mprof export --to=$format -o left.out spans.mprof
	expect_line err "^mprof: export: 15 events that the program describes were left out: $format has none$"
done
mprof export --to=csv --table=event_types -o - spans.mprof
expect_status 0 "the table of event types"
expect "the table" "$(cut -d, -f6-9 out | sed -n '2,4p')" 'instant,accepted,http,4
async-end,task done,"",1
async-begin,task,"",2'
