#!/bin/bash
# SPDX-License-Identifier: MIT
# The example that records tasks: which task created which, what each of them waited for, and what woke it.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

tasks=${TASKS:-$builddir/examples/small/coroutines/tasks}

"$tasks" tasks.mprof || fail "the example ended with $?"
mprof check tasks.mprof
expect_status 0 "check"

# Three requests create two tasks each, and wait for both.
mprof dump --json tasks.mprof
expect_status 0 "dump"
jq -c 'select(.event == "typed") | {type: .name, time_ns} + (.arguments | map({(.name): .value}) | add // {})' out >events
test -s events || fail "no events"
# expect_events WHAT FILTER WANTED: what jq makes of the list of events.
expect_events() {
	expect "$1" "$(jq -s -c "$2" events)" "$3"
}
expect_events "events" 'group_by(.type) | map([.[0].type, length])' \
	'[["continue",6],["task",9],["task ended",9],["wait",6],["wake",6]]'
expect_events "parents" '[.[] | select(.type == "task") | [.task, .parent]] | group_by(.[1]) | map([.[0][1], length])' \
	'[[0,3],[1,2],[2,2],[3,2]]'
# Each task that a request created woke it once, and before it ended.
expect_events "causes" '([.[] | select(.type == "task" and .parent > 0) | .task] | sort) ==
	([.[] | select(.type == "continue") | .["woken by"]] | sort)' true
expect_events "flows" '([.[] | select(.type == "wake") | .to] | sort) == ([.[] | select(.type == "continue") | .from] | sort)' true

mprof report --json tasks.mprof
expect_status 0 "report"
expect "spans" "$(jq -c '[.spans[] | [.name, .count, .unfinished, .errors]] | sort' out)" \
	'[["fetch",6,0,0],["request",3,0,0],["wait",6,0,0]]'
expect "waits are on the stacks of requests" \
	"$(jq -c '[.longest_spans[] | select(.name == "wait") | .stack_number] | sort' out)" '[1,1,2,2,3,3]'
expect "what does not end" "$(jq -c '[.longest_spans[] | .unfinished] | any' out)" false
# A request lasts longer than each task that it waited for.
expect "durations" "$(jq -c '[.spans[] | {(.name): .}] | add | .request.min_ns > .fetch.min_ns' out)" true

# Arrows lead from what wakes to what continues.
mprof export --to=chrome -o tasks.json tasks.mprof
expect_status 0 "export"
expect "flows of the export" \
	"$(jq -c '[.traceEvents[] | select(.ph == "s" or .ph == "f")] | group_by(.ph) | map([.[0].ph, length])' tasks.json)" \
	'[["f",6],["s",6]]'
expect "flows end after they start" "$(jq -c '[.traceEvents[] | select(.ph == "s" or .ph == "f")] | group_by(.id) |
	map((map(select(.ph == "s"))[0].ts) <= (map(select(.ph == "f"))[0].ts)) | all' tasks.json)" true
