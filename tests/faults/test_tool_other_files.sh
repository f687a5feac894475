#!/bin/bash
# SPDX-License-Identifier: MIT
# mprof merge and mprof import with each request for memory refused, and mprof merge with each call on files failing, as
# test_tool_memory.sh and test_tool_files.sh do with the other commands: the log that they make exists completely or not
# at all.
set -eu
. "$srcdir/tests/faults/support.sh"

mkdir made
export FAULT_OUT=$work/made/copy.mprof
make_tree growing growing.mprof 7

cat >a.cpuprofile <<'END'
{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1,"columnNumber":-1},"children":[2]},
{"id":2,"callFrame":{"functionName":"f","url":"file:///a.js","lineNumber":9,"columnNumber":1},"children":[],
"positionTicks":[{"line":11,"ticks":1}]}],"startTime":1000,"endTime":1300,"samples":[2,2],"timeDeltas":[0,100]}
END
cat >a.heapsnapshot <<'END'
{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],
"node_types":[["object","synthetic"],"string","number","number","number"],
"edge_fields":["type","name_or_index","to_node"],"edge_types":[["element","property","weak"],"string_or_number","node"]}},
"nodes":[1,0,1,0,1, 0,1,3,16,2, 0,1,5,16,0],"edges":[0,0,5, 1,2,10, 0,7,10],"strings":["(Global handles)","Cache","next"]}
END
cat >a.txt <<'END'
server  100/101 [000]  5000.000002000:    1000000 cpu-clock:u: 
	            1010 work(int)+0x10 (/opt/server)
  server.cc:12
	            3004 main+0x4 (/opt/server)

END
"$MPROF" export --to=hprof -o a.hprof growing.mprof >/dev/null 2>&1 || test $? = 1 || fail "no dump is made"

# Logs that state the rate of their clock, of two processes.
"$MPROF" import -o profile.mprof a.cpuprofile >/dev/null 2>&1 || fail "the profile is not converted"
"$MPROF" import -o snapshot.mprof a.heapsnapshot >/dev/null 2>&1 || fail "the snapshot is not converted"

for kind in memory io; do
	test -z "${FAULT_SEEN-}" || export FAULT_SEEN=$work/call_stacks_of_$kind
	with_faults $kind merge -o "$FAULT_OUT" profile.mprof snapshot.mprof
done
# zlib reads the files of other profilers, and does not go on after an interruption.
for file in a.cpuprofile a.heapsnapshot a.txt a.hprof; do
	with_faults memory import -o "$FAULT_OUT" $file
done

echo "$faults faults"
