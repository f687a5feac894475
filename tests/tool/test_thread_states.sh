#!/bin/bash
# SPDX-License-Identifier: MIT
# The report has the states of threads with the time in each, the names that a thread had, and the messages of
# exceptions; exports and copies have them too.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

"$builddir/tests/tool/record_states" states.mprof || fail "record_states"
mprof check states.mprof
expect_status 0 "check"

mprof convert --columns states.mprof copy.mprof
expect_status 0 "convert"
for log in states.mprof copy.mprof; do
	mprof report --json "$log"
	expect_status 0 "report of $log"
	expect "states" "$(jq -c '.thread_states | map([.thread, .state, .count, .total_ns, .priority, .is_rest])' out)" \
		'[["0x1","blocked",1,4000000,5,false],["0x1","running",2,2000000,5,false]]'
	expect "names" "$(jq -c '.threads | map([.name, .former_name, .names])' out)" '[["request 7","pool-1",3]]'
	expect "exceptions" "$(jq -c '.exceptions | map([.class, .count, .texts, .text, .text_ns])' out)" \
		'[["Error",2,2,"no disk",0],["Fault",1,0,null,null]]'
	expect "sites" "$(jq -c '.exception_stacks | map([.class, .count, .texts, .text, .stack])' out)" \
		'[["Error",2,2,"no disk",["work"]]]'
done

mprof report --sections=thread-states,threads,exceptions states.mprof
expect_status 0 "report as text"
expect_line out '^ +4\.00 ms +1 +5 +0x1  blocked$'
expect_line out '^ +2\.00 ms +2 +5 +0x1  running$'
expect_line out '  request 7 \(formerly pool-1; 3 names\)$'
expect_line out '^ +2  Error: no disk \(the latest of 2\)$'
expect_line out '^ +1  Fault$'
# Half of the blocked time is inside the window.
mprof report --json --time=3ms- states.mprof
expect "window" "$(jq -c '.thread_states | map([.state, .count, .total_ns])' out)" \
	'[["blocked",0,2000000],["running",1,1000000]]'

# What the thread did over time: milliseconds in a state, and in "running", of six slices.
mprof report --json --timeline=6 --time=0-6ms states.mprof
expect_json "timeline" '.timeline.threads[0] | [.state_ns, .running_ns] | map(map(. / 1000000))' \
	'[[1,1,1,1,1,1],[1,0,0,0,0,1]]'
mprof report --timeline=6 --time=0-6ms states.mprof
expect_line out '  |#WWWW#|  request 7$'

for table in thread_states:3 exception_sites:2 threads:2; do
	mprof export --to=csv --table=${table%:*} -o rows.csv states.mprof
	expect_status 0 "export of ${table%:*}"
	expect "rows of ${table%:*}" "$(wc -l <rows.csv)" "${table#*:}"
done
expect_line rows.csv 'pool-1'
