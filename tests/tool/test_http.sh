#!/bin/bash
# SPDX-License-Identifier: MIT
# The example that records requests: the log has each of them, with its arguments, from the threads that served it.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

server=${HTTP_SERVER:-$builddir/examples/small/http/server}

"$server" requests.mprof || fail "the example ended with $?"
mprof check requests.mprof
expect_status 0 "check"
mprof info --json requests.mprof
expect_json info '.events.typed' 1350

# Three clients send 200 requests each; of four requests, two are for users, one for a file, one for nothing.
mprof dump --json requests.mprof
expect_status 0 "dump"
jq -c 'select(.event == "typed") | {type: .name, thread} + (.arguments | map({(.name): .value}) | add)' out >events
test -s events || fail "no events"
# expect_events WHAT FILTER WANTED: what jq makes of the list of events.
expect_events() {
	expect "$1" "$(jq -s -c "$2" events)" "$3"
}
expect_events "types" 'group_by(.type) | map([.[0].type, length])' '[["ask",600],["message",150],["request",600]]'
expect_events "routes" 'map(select(.type == "request")) | group_by(.route) | map([.[0].route, .[0].status, length])' \
	'[["(no route)",404,150],["/files/:name",200,150],["/users/:id",200,300]]'
expect_events "bytes" 'map(select(.type == "request")) | group_by(.route) | map(map(.bytes) | unique)' '[[45],[2089],[160]]'
expect_events "durations" 'map(select(.type == "request") | .duration > 0) | all' true
expect_events "messages" 'map(select(.type == "message") | .message | test("^/nothing/[0-9]+$")) | all' true
expect_events "severities" 'map(select(.type == "message") | .severity) | unique' '[4]'
# A worker serves all requests of a connection.
expect_events "threads" 'map(select(.type == "request")) | group_by(.thread) | map(length % 200) | unique' '[0]'

mprof dump requests.mprof
expect_line out '^    type 1 request, span, category http, arguments 1 to 5$'
expect_line out '^    argument 1 route, text-id, unsigned, role name$'
expect_line out '^    argument 5 from, number, unsigned, role flow-in$'
expect "texts" "$(grep -cE '^    text [0-9]+ ' out)" 4

# The report measures the requests by route.
mprof report --json requests.mprof
expect_status 0 "report"
expect "spans by route" "$(jq -c '[.spans[] | [.name, .count, .unfinished, .spans]] | sort' out)" \
	'[["(no route)",150,0,150],["/files/:name",150,0,150],["/users/:id",300,0,300],["ask",600,0,600]]'
expect "percentiles" "$(jq -c '[.spans[] | .min_ns > 0 and .p50_ns <= .p90_ns and .p90_ns <= .p99_ns and
	.p99_ns <= .max_ns and .max_ns <= .total_ns] | all' out)" true
expect "messages" "$(jq -c '[.event_types[] | [.name, .count]]' out)" '[["message",150]]'

# An arrow leads from each client to the request that answers it.
mprof export --to=chrome -o requests.json requests.mprof
expect_status 0 "export"
expect "flows of the export" "$(jq -c '[.traceEvents[] | select(.ph == "s" or .ph == "f")] | group_by(.id) |
	[length, (map([.[].ph] | sort == ["f", "s"]) | all), (map(.[0].tid != .[1].tid) | all)]' requests.json)" '[600,true,true]'
