#!/bin/bash
# SPDX-License-Identifier: MIT
# Samples of threads that spend their time below native functions have all native frames down to the managed code, and
# each managed frame once. The shares allow for samples at the start of a call, or in the runtime on the way.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

test "$(uname -sm)" = "Linux x86_64" || skip "native frames are unwound on Linux for x86-64"
case $(getconf GNU_LIBC_VERSION 2>/dev/null) in
"glibc 2."[0-9] | "glibc 2."[12][0-9] | "glibc 2.3"[0-4] | "") skip "the C library has no _dl_find_object" ;;
esac
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -shared -fPIC -O2 -fomit-frame-pointer -o libbelow.so "$here/below.c" ||
	fail "the library does not compile"
compile Below
export LD_LIBRARY_PATH="$PWD:$LD_LIBRARY_PATH"

# leads SHARE THREAD FRAMES...: at least this share of the thread's samples, and ten, begin with these frames, innermost
# first.
leads() {
	local share=$1 thread=$2 pattern
	shift 2
	pattern=$(printf '\t%s' "$@")
	awk -F '\t' -v share="$share" -v thread="$thread" -v pattern="$pattern" '
		$1 == thread { all++; if (index(substr($0, length(thread) + 1), pattern) == 1) found++ }
		END { print found + 0 " of " all + 0; exit !(found >= 10 && found >= share * all) }' samples.tsv >found ||
		fail "$thread: $(cat found) samples begin with $*: $(grep "^$thread	" samples.tsv | sort | uniq -c | sort -rn |
			head -n 5)"
}

# check_samples OPTIONS SHARE: of a run of the program.
check_samples() {
	profiled "$1,quiet,output=samples.mprof" Below.exe 400 || fail "$1: status $?"
	check_complete samples.mprof
	read_samples
	leads "$2" call inner middle outer "Below.Program.outer (int)" "Below.Program.Call ()"
	leads "$2" each inner middle outer "Below.Program.outer (int)" "Below.Program.CallBack (int)"
	# The callback and its caller are there once, with the wrapper between them.
	awk -F '\t' '$1 == "each" && $2 == "inner" {
		split("", seen)
		for (i = 2; i <= NF; i++)
			seen[$i]++
		all++
		good += seen["inner"] == 1 && seen["outer"] == 1 && seen["Below.Program.outer (int)"] == 1 &&
			seen["Below.Program.each (Below.Callback,int)"] == 1 && seen["Below.Program.CallEach ()"] == 1
	} END { print good + 0 " of " all + 0; exit !(all > 0 && good == all) }' samples.tsv >found ||
		fail "$1: $(cat found) samples of callbacks have each frame once"
	# The collector has no symbols; its frames are inside the frame for its work, which is inside the managed caller.
	awk -F '\t' '$1 == "collect" {
		all++
		for (i = 2; i <= NF && $i != "[GC]"; i++)
			;
		deep += i >= 5 && i < NF && $(i + 1) == "System.GC.InternalCollect (int)"
	} END { print deep + 0 " of " all + 0; exit !(deep >= 10) }' samples.tsv >found ||
		fail "$1: $(cat found) samples of collections have native frames"
}

check_samples sample=500 0.8
# In real time, a thread that waits for a processor often gets the signal after its next system call.
check_samples sample-real=500 0

# Threads of the runtime that wait for work are one row in text, and no part of a picture, which states how many samples
# it lacks. What a chosen thread waits for is shown.
"$MPROF" report --json --no-lines samples.mprof >all.json
idle=$(jq '[def of_native: select(.kind == "native") | ., (.children[] | of_native);
	.sample_tree[] | of_native | select(.name | test("futex_abstimed_wait|^_*poll$|nanosleep")) | .hits] | add // 0' all.json)
"$MPROF" report --sections=samples --no-lines samples.mprof >samples.txt
row=$(sed -n 's/^ *\([0-9,]*\) .* \[idle threads\]$/\1/p' samples.txt | tr -d ,)
test "$idle" -gt 0 || fail "$idle samples of native threads that wait"
# Some wait in other functions.
test "${row:-0}" -ge "$idle" || fail "$row samples of idle threads, $idle were found"
"$MPROF" flame --no-lines -o idle.svg samples.mprof || fail "flame: status $?"
shown=$(sed -n 's/.*samples.mprof: \([0-9,]*\) samples.*; without \([0-9,]*\) samples of idle.*/\1 \2/p' idle.svg | tr -d ,)
expect "samples in the picture and without it" "$((${shown/ /+}))" "$(jq .sample_count all.json)"
expect "samples that it lacks" "${shown#* }" "$row"
"$MPROF" report --sections=samples --no-lines --thread=Finalizer samples.mprof >finalizer.txt
! grep -qF "[idle threads]" finalizer.txt || fail "the stacks of a chosen thread are left out"

# The frames count for the limit, and the innermost are kept.
profiled sample=500,sample-depth=4,quiet,output=samples.mprof Below.exe 200 || fail "sample-depth: status $?"
read_samples
leads 0.8 call inner middle outer "Below.Program.outer (int)" "[truncated]"
profiled sample=500,sample-depth=2,quiet,output=samples.mprof Below.exe 200 || fail "sample-depth: status $?"
read_samples
leads 0.8 call inner middle "[truncated]"

# The lines above the tree state what is not known: how many samples have no outer callers, all of which are one row.
count=$("$MPROF" report --json --no-lines samples.mprof | jq .samples_truncated)
test "$count" -gt 10 || fail "$count samples are truncated"
"$MPROF" report --tree --no-lines samples.mprof >tree.txt || fail "report --tree: status $?"
grep -qxF "  The outer callers of $count samples are not known: they are below [truncated]." tree.txt ||
	fail "the tree does not state the $count samples: $(head -n 12 tree.txt)"
test "$("$MPROF" report --json --no-lines samples.mprof | jq '[.sample_tree[] | select(.kind == "truncated") | .total_hits] | add')" = \
	"$count" || fail "the rows of the tree have not all $count samples"
