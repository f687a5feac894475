#!/bin/bash
# SPDX-License-Identifier: MIT
# Logs that the module writes in the format of Mono 2: mprof-decoder reads them to their ends and finds the same in them
# as we do, and as the programs say.
. "$srcdir/tests/interop/decoder/support.sh"

# own LOG: what we find, in the words of decoded.awk, in LOG.own.
own() {
	"$MPROF" report --json "$1" >report.json || fail "mprof report $1: status $?"
	jq -r '
		(.methods | map(select(.calls > 0)) | group_by([.class, .name])[]
			| ["calls", .[0].class + "." + .[0].name, (map(.calls) | add)]),
		(.classes | map(select(.allocations > 0)) | group_by(.name)[]
			| ["allocations", .[0].name, (map(.allocations) | add), (map(.bytes) | add)],
			  ["bytes", .[0].name, (map(.bytes) | add)]),
		["monitor", ([.monitors[] | .contentions] | add // 0), ([.monitors[] | .failures] | add // 0)]
		| map(tostring) | join("\t")' report.json | LC_ALL=C sort >"$1.own"
}

# expected FILE: what the program says it did, in the same words.
expected() {
	awk -F '\t' -v OFS='\t' '
		$1 == "calls" { print $1, $2 "." $3, $4 }
		$1 == "allocations" { print; print "bytes", $2, $4 }' "$1" | LC_ALL=C sort
}

# agrees LOG EXPECTED KIND...: of these kinds, the decoder says what we say, and all that the program says.
agrees() {
	local log=$1 program=$2
	shift 2
	check_complete "$log"
	expect "$log: dialect" "$(info "$log" .dialect)" mono
	decode "$log"
	own "$log"
	kinds "$log.facts" "$@" >theirs
	kinds "$log.own" "$@" >ours
	same "$log: mprof-decoder and mprof report" theirs ours
	expected "$program" | kinds /dev/stdin "$@" >said
	LC_ALL=C comm -23 said theirs >missing
	test ! -s missing || fail "$log: not so: $(head -n 20 missing)"
	echo "$log: $(wc -l <theirs) facts are the same, $(wc -l <said) are the program's"
}

for program in Calls Exceptions Generics Threads Native; do
	compile $program
	logged "calls,o=$program.mprof" $program.exe >$program.expected 2>$program.stderr ||
		fail "$program ended with status $?: $(cat $program.stderr)"
	agrees $program.mprof $program.expected calls
done

for program in Allocations Generics Threads; do
	compile $program
	for options in alloc +alloc alloc,-sas calls,alloc alloc,aci jit,alloc monitor,alloc; do
		logged "$options,o=$program.mprof" $program.exe >$program.expected 2>$program.stderr
		agrees $program.mprof $program.expected bytes
		test "$options" != +alloc || continue
		LC_ALL=C comm -23 <(kinds $program.mprof.facts allocations) $program.mprof.own >difference
		test ! -s difference || fail "$program, $options: $(head -n 20 difference)"
		LC_ALL=C comm -23 <(expected $program.expected | kinds /dev/stdin allocations) $program.mprof.facts >missing
		test ! -s missing || fail "$program, $options: not so: $(head -n 20 missing)"
	done
done
