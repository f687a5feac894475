#!/bin/bash
# SPDX-License-Identifier: MIT
# Spans are joined with their parents and causes, in a log of one process and in one of several, whose spans, heap and
# resources are apart; what the log does not have is counted.
set -eu
. "$srcdir/tests/exports/support.sh"
needs protoc awk

"$builddir/tests/tool/make_spans" links.mprof links || fail "make_spans"

# arrows FILE: from which span to which one, by the flows that have both ends; and the names of spans with their process.
arrows() {
	decode_perfetto "$1"
	awk '
		/^  track_descriptor \{/ { uuid = parent = ""; is_event = is_process = 0 }
		/^    uuid:/ { uuid = $2 }
		/^    parent_uuid:/ { parents[uuid] = $2 }
		/^    process \{/ { processes[uuid] = ++process_count }
		/^  track_event \{/ { is_event = 1; type = 0; name = ""; count = 0 }
		/^  timestamp:/ { time = $2 }
		/^    type:/ { type = $2 }
		/^    name:/ { if (is_event) name = $2 }
		/^    track_uuid:/ { track = $2 }
		/^    flow_ids:/ { flows[++count] = $2 }
		/^\}/ && is_event && type == 1 {
			for (at = track; !(at in processes) && at in parents; at = parents[at])
				;
			print "span", time, processes[at] + 0, name >"spans"
			for (i = 1; i <= count; i++) print flows[i], time, processes[at] + 0, name
			is_event = 0
		}
		' text | sort -k 1,1 -k 2,2n >ends
	awk '$1 == flow { print process, from, $3, $4; flow = ""; next } { flow = $1; process = $3; from = $4 }' ends | sort
}

# Parents, causes, and a cause that had ended before.
export_log perfetto links.mprof links.pftrace
expect_line err '^mprof: export: 2 parents and causes of spans were left out: '
arrows links.pftrace >found
cat >wanted <<'END'
1 "first" 1 "deeper"
1 "first" 1 "inside"
1 "first" 1 "late"
1 "inside" 1 "deeper"
END
same_rows "arrows"
expect "ends of arrows" "$(cut -d ' ' -f 1 ends | sort | uniq -c | awk '$1 != 2' | wc -l)" 0

# OpenTelemetry has the same parents and links.
# traces FILE: the name of each span, with those of its parent and of what it links to.
traces() {
	export_log otlp-traces "$1" "$1.otlp"
	protoc --decode=trace.TracesData -I "$srcdir/tests/exports" trace.proto <"$1.otlp" >decoded 2>protoc_err ||
		fail "protoc: $(cat protoc_err)"
	LC_ALL=C awk '
		/^    spans \{/ { parent = ""; link = ""; in_link = 0 }
		/^      span_id:/ { id = $2 }
		/^      parent_span_id:/ { parent = $2 }
		/^      links \{/ { in_link = 1 }
		/^        span_id:/ { if (in_link) link = $2 }
		/^      name:/ { name = $2 }
		/^    \}/ && id != "" { count++; names[id] = name; name_of[count] = name; parent_of[count] = parent; link_of[count] = link; id = "" }
		END {
			for (i = 1; i <= count; i++)
				print name_of[i], parent_of[i] == "" ? "-" : names[parent_of[i]],
					link_of[i] == "" ? "-" : names[link_of[i]]
		}' decoded | sort
}
traces links.mprof >found
expect_line err '^mprof: export: 2 parents and causes of spans were left out: '
cat >wanted <<'END'
"again" - -
"again" - -
"deeper" "inside" "first"
"first" - -
"inside" "first" -
"late" - "first"
"lost" - -
"open" - -
END
LC_ALL=C sort -o found found
LC_ALL=C sort -o wanted wanted
same_rows "parents and links"

# Two processes with the same numbers in one log: no arrow leads from one to the other.
cp links.mprof other.mprof
mprof merge -o both.mprof links.mprof other.mprof
expect_status 0 "merge"
export_log perfetto both.mprof both.pftrace
expect_line err '^mprof: export: 4 parents and causes of spans were left out: '
arrows both.pftrace >found
expect "arrows of two processes" "$(wc -l <found)" 8
expect "arrows between processes" "$(awk '$1 != $3' found | wc -l)" 0
expect "processes with arrows" "$(awk '{ print $1 }' found | sort -u | wc -l)" 2
expect "processes with spans" "$(awk '{ print $3 }' spans | sort | uniq -c | awk '{ printf "%s ", $1 }')" "8 8 "
traces both.mprof >found
expect "spans of two processes" "$(wc -l <found)" 16
expect "resources" "$(grep -c '^resource_spans {' decoded)" 2
expect "parents of two processes" "$(awk '$2 != "-"' found | wc -l)" 4

# The heap snapshots of a log of two processes are those of their processes.
"$builddir/tests/exports/make_heap" heap.mprof || fail "make_heap"
cp heap.mprof heap2.mprof
mprof merge -o heaps.mprof heap.mprof heap2.mprof
export_log perfetto heaps.mprof heaps.pftrace
decode_perfetto heaps.pftrace
expect "processes with heap graphs" "$(awk '/^  heap_graph \{/ { inside = 1 } inside && /^    pid:/ { print $2; inside = 0 }' text |
	sort -u | wc -l)" 2
