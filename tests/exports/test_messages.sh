#!/bin/bash
# SPDX-License-Identifier: MIT
# Messages of the program are in the logs of the viewers: of Perfetto with the priority, the source and the text, if a
# thread wrote them, and of the Firefox Profiler with the source and the letter of its severity.
set -eu
. "$srcdir/tests/exports/support.sh"
needs protoc jq awk python3

"$builddir/tests/tool/make_spans" messages.mprof messages || fail "make_spans"

# Perfetto: the time, the priority, the source and the text. The message of a queue, and the one without a text, are
# events alone, since the reader counts them as errors.
export_log perfetto messages.mprof messages.pftrace
decode_perfetto messages.pftrace
awk '
	/^packet \{/ { message = 0; priority = 0; source = 0 }
	/^    source_locations \{/ { kind = "source" }
	/^    log_message_body \{/ { kind = "body" }
	/^      iid:/ { id = $2 }
	/^      file_name:/ || /^      body:/ { texts[kind, id] = substr($0, index($0, ":") + 2) }
	/^  timestamp:/ { time = $2 / 1000000 }
	/^    log_message \{/ { message = 1 }
	/^      source_location_iid:/ { source = $2 }
	/^      body_iid:/ { body = $2 }
	/^      prio:/ { priority = $2 }
	/^\}/ && message { print time, priority, source ? texts["source", source] : "none", texts["body", body] }
	' text >found
cat >wanted <<'END'
0 0 "net/http" "text"
1 2 "db" "text"
2 3 "net/http" "text"
3 4 "db" "text"
4 5 "net/http" "text"
5 6 "db" "text"
6 7 "net/http" "text"
7 0 "db" "text"
10 5 none "without a source"
END
same_rows "messages in Perfetto"
expect "each text is defined once" "$(grep -c '^    log_message_body {' text)" 2
expect "events of all messages" "$(grep -c '^    name: "mprof.log"' text)" 11
grep -q 'string_value: "of a queue"' text || fail "the message of the queue is missing"

# Firefox: what the viewer prints of a message, and the other arguments.
export_log firefox messages.mprof messages.firefox
python3 "$srcdir/tests/exports/firefox.py" messages.firefox markers >/dev/null
expect "messages in Firefox" "$(jq -r '.shared.stringArray as $texts | .threads[].markers | [.data, .startTime] |
	transpose[] | select(.[0].type == "Log") |
	[(.[1] | floor), .[0].module, .[0].name,
		(if .[0].severity then $texts[.[0].severity] else "?" end), $texts[.[0].arguments]] | join(" ")' \
	messages.firefox)" "0 D/net/http text ? severity=0, code=0
1 V/db text trace code=1
2 D/net/http text debug code=2
3 I/db text info code=3
4 W/net/http text warning code=4
5 E/db text error code=5
6 E/net/http text fatal code=6
7 db text ? severity=7, code=7
10 W/ without a source warning code=10
11 W/db  warning code=11
20 E/gpu of a queue error code=20"

# A profile without messages does not describe them.
make_calls calls
export_log firefox calls.mprof calls.firefox
expect "the type of messages" "$(jq '[.meta.markerSchema[] | select(.name == "Log")] | length' calls.firefox)" 0
