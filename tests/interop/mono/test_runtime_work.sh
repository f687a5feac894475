#!/bin/bash
# SPDX-License-Identifier: MIT
# Samples of threads for which the runtime collects, compiles, or waits for a monitor have a frame for that, directly
# inside the managed code that caused it. Other samples have none. The report has what each thread waits for.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Waits

# Prints for each frame of the sample tree: its samples, their total, name, kind, and the name of its caller.
cat >tree.jq <<'END'
def walk_tree($caller): .[]? | [.hits, .total_hits, .name, .kind, $caller], (.name as $name | .children | walk_tree($name));
.sample_tree | walk_tree("") | @tsv
END

# ends OPTIONS ARGUMENT...: the program ends with status 0. Mono 6.8 sends a signal to a background thread that waits in a
# system call, and only then marks it as interrupted. A thread that is faster than that, because a sample stopped the one
# that ends the program between the two, waits again, and Mono waits for it forever, with its own profiler either.
ends() {
	local attempt status
	for attempt in 1 2 3; do
		status=0
		mono_seconds=20 profiled "$1" Waits.exe "${@:2}" || status=$?
		test $status = 124 || break
		echo "RETRY: $*: Mono did not end"
	done
	test $status = 0 || fail "$*: status $status"
}

# sampled WORK: samples of the program with this work, in frames.tsv.
sampled() {
	ends sample=200,sample-real,quiet,output=waits.mprof 400 "$1"
	check_complete waits.mprof
	"$MPROF" report --json waits.mprof >report.json
	jq -r -f tree.jq report.json >frames.tsv
	# The runtime waits only for the thread that enters a taken monitor.
	share "[waiting for lock]" "object.__icall_wrapper_mono_monitor_enter_v4_internal (object,intptr)" 0.9
}

# share FRAME CALLER SHARE: at least this share of the samples in a method is in this frame, which it calls; the frame
# is work of the runtime, and has samples.
share() {
	awk -F '\t' -v frame="$1" -v caller="$2" -v share="$3" '
		$3 == caller { all += $2 }
		$3 == frame && $5 == caller && $4 == "runtime" { found += $2 }
		END { print found + 0 " of " all + 0; exit !(found > 0 && found >= share * all) }' frames.tsv >found ||
		fail "$1 in $2: $(cat found)"
}

# never FRAME METHOD: no sample of the method has the frame, which would be inside the method itself.
never() {
	awk -F '\t' -v frame="$1" -v caller="$2" '
		$3 == caller { all += $2 }
		$3 == frame && $5 == caller { found += $2 }
		END { print found + 0 " of " all + 0; exit !(all > 0 && found == 0) }' frames.tsv >found ||
		fail "$1 in $2: $(cat found)"
}

sampled collect
share "[GC]" "System.GC.InternalCollect (int)" 0.5

sampled compile
share "[JIT]" "System.Delegate.CreateDelegate_internal (System.Type,object,System.Reflection.MethodInfo,bool)" 0.5
never "[waiting for lock]" "Waits.Program.Compile ()"

sampled compute
for frame in "[GC]" "[JIT]" "[waiting for lock]"; do
	never "$frame" "Waits.Program.Compute ()"
	never "$frame" "System.Threading.Thread.SleepInternal (int)"
	never "$frame" "System.Threading.Monitor.Monitor_wait (object,int)"
done

# waits NAME KIND: most samples of the thread with this name are of this kind.
waits() {
	local id
	id=$(jq -r --arg name "$1" '.threads[] | select(.name == $name).id' report.json)
	"$MPROF" report --json --thread="$id" waits.mprof | jq -e --arg kind "$2" \
		'[.sample_waits[] | select(.wait == $kind).hits] as $hits | $hits != [] and $hits[0] >= .sample_count / 2' \
		>/dev/null || fail "thread $1 does not wait for $2"
}

waits lock lock
waits sleep sleep
waits join join
waits event event
waits accept connect
waits read read/write
waits monitor condition
waits poll poll
waits work "no known wait"
"$MPROF" report --all waits.mprof | grep -q "^Waiting, by kind" || fail "no table of waits"
ends sample=200,quiet,output=time.mprof 50 compute
! "$MPROF" report --all time.mprof | grep -q "^Waiting, by kind" || fail "a table of waits in processor time"
