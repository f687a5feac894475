#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs with known behaviour: the log matches it to the last call and byte.
set -eu
. "$srcdir/tests/interop/mono/support.sh"
needs_compression

# Mono may abort a thread, as those of a domain that it unloads, within a wrapper that has not called the profiler yet: a
# leave by exception without an enter.
check_balance_of_aborts() {
	local unmatched
	unmatched=$("$MPROF" report --json "$1" | jq .totals.unmatched_leaves)
	test "$unmatched" -le 1 || fail "$1: $unmatched leaves without an enter"
	check_balance "$1" -"$unmatched"
}

for program in Calls Exceptions Allocations Generics Threads Native Collections Dynamic Domains; do
	compile $program
	recorded all $program || fail "$program ended with status $?: $(cat $program.stderr)"
	check_complete $program.mprof
	case $program in
	Exceptions | Domains) check_balance_of_aborts $program.mprof ;;
	*) check_balance $program.mprof ;;
	esac
	check_facts $program.facts $program.mprof
	expect "$program: names missing" "$(grep -c "without a name" $program.stderr)" 0
	echo "$program: $(wc -l <$program.facts) facts"
done

# The same with small buffers, where threads wait for free ones, and compressed.
profiled "calls,alloc,threads,buffers=16,buffer-events=128,gzip=1,output=small.mprof.gz" Threads.exe >small.expected
check_complete small.mprof.gz
check_balance small.mprof.gz
check_facts small.expected small.mprof.gz

# Without precompiled code: calls of Mono's own class library are recorded too.
timeout 120 mono -O=-aot --profile=mprof:calls,exceptions,output=again.mprof Exceptions.exe >again.expected
check_complete again.mprof
check_balance_of_aborts again.mprof
check_facts again.expected again.mprof

# Without methods that the runtime generates, the program's calls are the same.
profiled "calls,no-wrappers,output=own.mprof" Calls.exe >own.expected
check_balance own.mprof
check_facts own.expected own.mprof
expect "calls of wrappers" "$("$MPROF" report --json own.mprof | jq '[.methods[] | select(.wrapper) | .calls] | add // 0')" 0

# Calls that the runtime makes only because allocations are recorded are left out, unless requested.
artifacts='[.methods[] | select(.name | test("^ProfilerAlloc|^__icall_wrapper_mono_profiler")) | .calls] | add // 0'
profiled "calls,alloc,quiet,output=without.mprof" Allocations.exe >/dev/null
expect "calls of the allocator that reports" "$("$MPROF" report --json without.mprof | jq "$artifacts")" 0
profiled "calls,alloc,all-wrappers,quiet,output=with.mprof" Allocations.exe >/dev/null
check_balance with.mprof
test "$("$MPROF" report --json with.mprof | jq "$artifacts")" -gt 100 || fail "all-wrappers records no more"
