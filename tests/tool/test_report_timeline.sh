#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof report --pauses" and "--timeline": a log with known pauses, and a Mono program whose lock and collections are.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

"$builddir/tests/tool/make_timeline" timeline.mprof || fail "make_timeline"
mprof report --json --pauses --timeline=10 --time=0-0.1 timeline.mprof
expect_status 0 "timeline"
expect_json "pauses, the longest first" \
	'[.pauses[] | [.kind, .start_ns / 1000000, .duration_ns / 1000000, .thread, .finished]]' \
	'[["wait",60,40,"0x12",false],["wait",20,10,"0x10",true],["stopped_world",40,5,"0x11",true]]'
expect_json "causes" '[.pauses[] | [.collection, .generation, .class, .object, .holder]]' \
	'[[null,null,"C2","0x1000",null],[null,null,"C1","0x1000","0x11"],[1,0,null,null,null]]'
expect_json "summary" '[.pause_summary[] | [.kind, .count, .unfinished, .total_ns, .p50_ns, .max_ns]]' \
	'[["stopped_world",1,0,5000000,5000000,5000000],["wait",2,1,50000000,10000000,40000000]]'
expect_json "histogram" '[.pause_histogram[] | select(.wait + .stopped_world + .collection > 0)]' \
	'[{"below_ns":10000000,"stopped_world":1,"collection":0,"wait":0},{"below_ns":100000000,"stopped_world":0,"collection":0,"wait":2}]'
expect_json "slices" '.timeline | [.start_ns, .slice_ns, .slices, .left_out]' '[0,10000000,10,0]'
# ms WHAT THREAD FIELD WANTED
ms() {
	expect_json "$1" "[.timeline.threads[] | select(.id == \"$2\") | .$3[] / 1000000]" "$4"
}
ms "methods of main" 0x10 methods_ns '[10,10,10,10,10,10,10,10,0,0]'
ms "waits of main" 0x10 waiting_ns '[0,0,10,0,0,0,0,0,0,0]'
ms "stops of main" 0x10 stopped_ns '[0,0,0,0,5,0,0,0,0,0]'
ms "processor time of main" 0x10 cpu_ns '[6,6,6,6,6,0,0,0,0,0]'
ms "methods of the worker" 0x11 methods_ns '[0,10,10,10,10,10,10,10,10,0]'
ms "waits that do not end" 0x12 waiting_ns '[0,0,0,0,0,0,10,10,10,10]'
ms "a thread that starts late" 0x12 existing_ns '[0,0,0,0,0,10,10,10,10,10]'

# What happened at 42 ms: the pause that covers the window, as it is; and at 65 ms.
mprof report --json --pauses --time=42ms-43ms timeline.mprof
expect_json "at 42 ms" '[.pauses[] | [.kind, .duration_ns]]' '[["stopped_world",5000000]]'
mprof report --json --pauses --thread=0x10 timeline.mprof
expect_json "a thread with stops by others" '[.pauses[].kind]' '["wait","stopped_world"]'
mprof report --json --pauses=6ms timeline.mprof
expect_json "long pauses" '[.pauses[].kind]' '["wait","wait"]'
mprof report --json timeline.mprof
expect_json "not requested" '[.pauses, .timeline.slices, .timeline.threads]' '[[],0,[]]'

# As text, and alone.
mprof report --pauses --timeline=10 --time=0-0.1 timeline.mprof
expect_line out '^ +5\.00 ms +0\.040000 s +0x11  stopped world, collection 1, generation 0$'
expect_line out '^ +10\.00 ms +0\.020000 s +0x10  wait for C1 at 0x1000, held by 0x11$'
expect_line out '^ +40\.00 ms +0\.060000 s +0x12  wait for C2 at 0x1000 \(not ended\)$'
expect_line out '^ +0x10 +80\.00 ms +10\.00 ms +5\.00 ms +30\.00 ms  \|##W#S###  \|'
expect_line out '^ +0x12 .*\|     #WWWW\|'
expect_no_line out '^Methods'
mprof report --sections=timeline timeline.mprof
expect_line out '^What threads did'
mprof report --all timeline.mprof
expect_no_line out '^What threads did|^Pauses'
make_logs empty
mprof report --pauses empty.mprof
expect_line out 'none in the log'
mprof report --pauses=x timeline.mprof
expect_status 2 "--pauses=x"
mprof report --timeline=1 timeline.mprof
expect_status 2 "--timeline=1"

# A damaged log: what is before the damage, and a message.
head -c $(($(wc -c <timeline.mprof) - 60)) timeline.mprof >damaged.mprof
mprof report --json --pauses damaged.mprof
expect_status 1 "damaged"
expect_json "pauses before the damage" '[.pauses[] | select(.finished) | .duration_ns]' '[10000000,5000000]'

test -z "${MPROF_SANITIZED-}" || skip "mono cannot load a module built with sanitizers"
needs mono mcs
module_directory=${MONO_MODULE_DIR:-$builddir/examples/mono/.libs}
test -e "$module_directory/libmono-profiler-mprof.so" || skip "the module for Mono was not built"
export MPROF_MODULE_DIR=$module_directory
cat >Wait.cs <<'END'
using System.Threading;
class Resource { }
class Program {
	static readonly Resource resource = new Resource ();
	static readonly ManualResetEvent taken = new ManualResetEvent (false);
	static readonly Thread main = Thread.CurrentThread;
	static volatile bool is_entering;
	/* Holds the lock until the other thread has waited for it for 50 ms. */
	static void Hold () {
		lock (resource) {
			taken.Set ();
			while (!is_entering || (main.ThreadState & ThreadState.WaitSleepJoin) == 0)
				Thread.Sleep (1);
			Thread.Sleep (50);
		}
	}
	static void Main () {
		var holder = new Thread (Hold);
		holder.Start ();
		taken.WaitOne ();
		is_entering = true;
		lock (resource)
			System.GC.Collect ();
		holder.Join ();
	}
}
END
mcs -out:wait.exe Wait.cs || fail "mcs"
mprof record -o wait.mprof --calls --monitor --gc -- mono wait.exe
expect_status 0 "record"
mprof report --json --pauses --timeline=50 wait.mprof
expect_json "the wait for the lock" \
	'[.pauses[] | select(.class == "Resource") | .finished and .duration_ns >= 50000000]' '[true]'
expect_json "the collection" '[.pauses[] | select(.kind != "wait")] | length > 0' true
expect_json "it is on the timeline" '.pauses as $p | .timeline as $t |
	[.pauses[] | select(.class == "Resource")][0] as $w | [$t.threads[] | select(.id == $w.thread)][0] |
	((.waiting_ns | add) - ([$p[] | select(.kind == "wait" and .thread == $w.thread) | .duration_ns] | add)) |
	. < 1000 and . > -1000' true
# The window of the wait contains nothing but the wait of that thread.
start=$(jq '[.pauses[] | select(.class == "Resource")][0].start_ns' out)
end=$(jq '[.pauses[] | select(.class == "Resource")][0] | .start_ns + .duration_ns' out)
mprof report --json --pauses --timeline=4 "--time=${start}ns-${end}ns" wait.mprof
expect_json "the wait fills its window" '[.pauses[] | select(.class == "Resource")][0] as $w |
	.timeline.threads[] | select(.id == $w.thread) | (.waiting_ns | add) / $w.duration_ns | . > 0.99 and . < 1.01' true
