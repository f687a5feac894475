#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that do what is known beforehand: the log says the same, to the last call and byte.
set -eu
. "$srcdir/tests/interop/mono/support.sh"
needs_compression

for program in Calls Exceptions Allocations Generics Threads Native Collections Dynamic Domains; do
	compile $program
	recorded all $program || fail "$program ended with status $?: $(cat $program.stderr)"
	check_complete $program.mprof
	check_balance $program.mprof
	check_facts $program.said $program.mprof
	expect "$program: names missing" "$(grep -c 'have no name' $program.stderr)" 0
	echo "$program: $(wc -l <$program.said) facts"
done

# The same through small buffers, waiting for free ones, compressed.
profiled "calls,alloc,threads,buffers=16,buffer-events=128,gzip=1,output=small.mprof.gz" Threads.exe >small.expected
check_complete small.mprof.gz
check_balance small.mprof.gz
check_facts small.expected small.mprof.gz

# What Mono's own code does is compiled anew, too.
timeout 120 mono -O=-aot --profile=mprof:calls,exceptions,output=anew.mprof Exceptions.exe >anew.expected
check_complete anew.mprof
# Mono may abort a thread within a wrapper that has not called the profiler yet: a leave by exception without an enter.
unmatched=$("$MPROF" report --json anew.mprof | jq .totals.unmatched_leaves)
test "$unmatched" -le 1 || fail "anew.mprof: $unmatched leaves without an enter"
check_balance anew.mprof -"$unmatched"
check_facts anew.expected anew.mprof

# Without the runtime's own methods, the program's calls are the same.
profiled "calls,no-wrappers,output=own.mprof" Calls.exe >own.expected
check_balance own.mprof
check_facts own.expected own.mprof
expect "calls of wrappers" "$("$MPROF" report --json own.mprof | jq '[.methods[] | select(.wrapper) | .calls] | add // 0')" 0

# What the runtime calls only because allocations are recorded is not the program's, unless it is asked for.
artifacts='[.methods[] | select(.name | test("^ProfilerAlloc|^__icall_wrapper_mono_profiler")) | .calls] | add // 0'
profiled "calls,alloc,quiet,output=without.mprof" Allocations.exe >/dev/null
expect "calls of the allocator that reports" "$("$MPROF" report --json without.mprof | jq "$artifacts")" 0
profiled "calls,alloc,all-wrappers,quiet,output=with.mprof" Allocations.exe >/dev/null
check_balance with.mprof
test "$("$MPROF" report --json with.mprof | jq "$artifacts")" -gt 100 || fail "all-wrappers records no more"
