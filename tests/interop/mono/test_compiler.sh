#!/bin/bash
# SPDX-License-Identifier: MIT
# A real program, Mono's C# compiler, compiles real code: enters and leaves balance, and Mono's own profiler counts the
# same.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compiler=$(dirname "$(readlink -f "$(command -v mcs)")")/../lib/mono/4.5/mcs.exe
test -e "$compiler" || skip "mcs.exe is not where it is expected"

# compile_some PROFILER OUTPUT: every fourth program of these tests.
compile_some() {
	local source number=0
	for source in "$here"/*.cs; do
		test $((++number % 4)) = 0 || continue
		# It needs a library that the compiler does not reference by itself.
		test "${source##*/}" != PortableLines.cs || continue
		timeout 300 mono --profile="$1" "$compiler" -nologo -unsafe -nowarn:0649,0414 -out:"$2.exe" "$source" || return
	done
}

# One compilation, that of the largest program, is compared in detail.
source=$here/Calls.cs
timeout 300 mono --profile=mprof:all,output=mcs.mprof "$compiler" -nologo -out:plain.exe "$source" 2>mcs.stderr ||
	fail "mcs under the profiler: $(cat mcs.stderr)"
check_complete mcs.mprof
! grep 'without a name' mcs.stderr || fail "names are missing"
mono plain.exe >/dev/null || fail "what mcs compiled under the profiler does not work"

# The compiler ends by Environment.Exit: the methods on the stack are not left.
open=$(info mcs.mprof '.events | ."method-enter" - ([."method-leave", ."method-leave-implicit",
	."method-leave-exception", ."method-leave-tail"] | map(. // 0) | add)')
test "$open" -ge 0 -a "$open" -le 5 || fail "methods entered and not left: $open"
expect "leaves without enters" "$("$MPROF" report --json mcs.mprof | jq .totals.unmatched_leaves)" 0

compile_some mprof:calls,alloc,quiet,output=each.mprof each || fail "mcs under the profiler"
check_complete each.mprof

test -e /usr/lib/libmono-profiler-log.so || { echo "Mono's own profiler is not there to compare with"; exit 0; }
command -v mprof-report >/dev/null || { echo "mprof-report is not there to compare with"; exit 0; }

# calls_of_log FILE: "NUMBER<tab>CLASS:METHOD" from Mono's own report.
calls_of_log() {
	LC_ALL=C.UTF-8 mprof-report --reports=call "$1" |
		sed -n 's/^ *[0-9]* *[0-9]* *\([0-9]*\) \(.*\)$/\1\t\2/p'
}

timeout 300 mono --profile=log:nodefaults,calls,alloc,maxframes=0,output=mcs.mlpd "$compiler" -nologo -out:log.exe "$source"
timeout 300 mono --profile=mprof:calls,alloc,all-wrappers,quiet,output=again.mprof "$compiler" -nologo -out:again.exe "$source"
theirs=$(mprof-report --reports=call mcs.mlpd | sed -n 's/^Total calls: //p')
ours=$(info again.mprof '.events."method-enter"')
# The runs differ in calls that depend on time and addresses, such as hash tables.
echo "calls: $ours, by Mono's own profiler $theirs"
test $((ours > theirs ? ours - theirs : theirs - ours)) -le $((theirs / 200)) ||
	fail "$ours calls, and $theirs by Mono's own profiler"

# Compared in detail for a deterministic program.
compile Calls
timeout 120 mono --profile=log:nodefaults,calls,output=calls.mlpd Calls.exe >/dev/null
calls_of_log calls.mlpd | grep -P '\tCalls\.' | LC_ALL=C sort >theirs.tsv
profiled "calls,quiet,output=calls.mprof" Calls.exe >/dev/null
"$MPROF" report --json calls.mprof | jq -r '.methods[] | select(.calls > 0 and (.wrapper | not))
	| "\(.calls)\t\(.class):\(.name)"' | grep -P '\tCalls\.' | LC_ALL=C sort >ours.tsv
# Mono's report leaves out methods without time.
test -z "$(LC_ALL=C comm -23 theirs.tsv ours.tsv)" || fail "$(LC_ALL=C comm -23 theirs.tsv ours.tsv)"
echo "$(wc -l <theirs.tsv) of $(wc -l <ours.tsv) methods are in both, with the same numbers"
