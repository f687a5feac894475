#!/bin/bash
# SPDX-License-Identifier: MIT
# Samples of allocations: what call sites allocate is estimated, with a standard error; classes are exact. A correct
# estimate is off by five standard errors once in a million times.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Sampled

# check_estimates LOG: what the program printed is what the sites are estimated to be.
check_estimates() {
	local class method objects bytes facts
	"$MPROF" report --json --top=0 "$1" >report.json
	expect "$1: the interval" "$(jq -r .session.properties.alloc_sample_bytes report.json)" 2048
	while IFS=$'\t' read -r class method objects bytes; do
		facts=$(jq -c --arg class "$class" --arg method "Sampled.Program.$method (int)" \
			--argjson objects "$objects" --argjson bytes "$bytes" '
			def squares(field): map(field * field) | add;
			[.allocation_stacks[] | select(.class == $class and .stack[0] == $method)] |
			{sites: length, samples: (map(.samples) | add), estimated: all(.estimated),
			 objects: (map(.allocations) | add), objects_error: (squares(.allocations_error) | sqrt),
			 bytes: (map(.bytes) | add), bytes_error: (squares(.bytes_error) | sqrt)} |
			. + {is_close: ((.objects - $objects | fabs) <= 5 * .objects_error + 1 and
					(.bytes - $bytes | fabs) <= 5 * .bytes_error + 1)}' report.json)
		# One site for each thread; the error is below a quarter with as many samples.
		expect "$1: $method: $facts" "$(jq -c '[.sites, .estimated, .is_close, .samples > 10, .bytes_error * 4 < .bytes]' \
			<<<"$facts")" '[2,true,true,true,true]'
	done <expected
	# Of the classes, all objects were recorded.
	expect "$1: classes" "$(jq -r '.classes[] | select(.name | startswith("Sampled.")) |
		select(.name != "Sampled.Program") | [.name, .allocations, .bytes] | @tsv' report.json | LC_ALL=C sort)" \
		"$(awk -F '\t' '{ n[$1] += $3; b[$1] += $4 } END { for (c in n) print c "\t" n[c] "\t" b[c] }' expected |
			LC_ALL=C sort)"
}

profiled "alloc=stack:2k,quiet,output=samples.mprof" Sampled.exe >expected
check_complete samples.mprof
check_estimates samples.mprof
"$MPROF" report --all samples.mprof >report.txt
grep -q '^  Estimates from the call stacks of [0-9,]* objects; +- is the standard error\.$' report.txt ||
	fail "the report does not state that it has estimates"

# Few allocations have a call stack.
"$MPROF" dump --json samples.mprof | grep '^{"event":"allocation"' >events
expect "allocations with and without a stack" "$(jq -n '
	reduce (inputs | .stack != 0 and .stack != null) as $has ([0, 0]; if $has then .[0] += 1 else .[1] += 1 end) |
	[.[0] > 2000, .[0] < 10000, .[1] > 290000]' -c events)" "[true,true,true]"

# With the addresses of objects, with calls, and in a log that was converted.
profiled "calls,alloc=stack:2k+objects,quiet,output=objects.mprof" Sampled.exe >/dev/null
check_complete objects.mprof
check_estimates objects.mprof
"$MPROF" convert objects.mprof converted.mprof
check_estimates converted.mprof
# All have an address.
expect "addresses" "$("$MPROF" dump --json objects.mprof | grep '^{"event":"allocation"' | grep -cv '"object":"0x[1-9a-f]')" 0

# Each run has samples of its own.
profiled "alloc=stack:2k,quiet,output=again.mprof" Sampled.exe >/dev/null
estimates() {
	"$MPROF" report --json --top=0 "$1" | jq -c '[.allocation_stacks[] | select(.class == "Sampled.Small").bytes] | sort'
}
test "$(estimates samples.mprof)" != "$(estimates again.mprof)" || fail "two runs have the same samples"

# Without an interval, all have a call stack, and the figures are exact.
profiled "alloc=stack:2k,alloc=stack,stack-depth=1,quiet,output=all.mprof" Sampled.exe >/dev/null
expect "all: no interval" "$("$MPROF" report --json --top=0 all.mprof | jq -c '[.session.properties | has("alloc_sample_bytes")]')" \
	"[false]"
expect "all" "$("$MPROF" report --json --top=0 all.mprof | jq -r '.allocation_stacks[] |
	select(.class | startswith("Sampled.")) | select(.stack[0] | startswith("Sampled.")) |
	[.class, (.stack[0] | ltrimstr("Sampled.Program.") | rtrimstr(" (int)")), .allocations, .bytes, .estimated,
	 .allocations_error, .bytes_error] | @tsv' | LC_ALL=C sort)" \
	"$(sed 's/$/\tfalse\t0\t0/' expected | LC_ALL=C sort)"
