#!/bin/bash
# SPDX-License-Identifier: MIT
# Logs that the profilers of Mono and Unity wrote, in the directory MPROF_SAMPLES, have the same contents after
# conversion to mprof2, or to another dialect, and back; and if a dialect holds less, everything missing is counted.
set -eu
. "$srcdir/tests/tool/support.sh"

test -n "${MPROF_SAMPLES-}" || skip "MPROF_SAMPLES names no folder of logs"
needs jq

# listing LOG: its contents without those that may differ in a copy: offsets of blocks, definitions of call stacks and
# native code (their names are in the events), stack sections, base counters, and the times at which blocks were
# written.
listing() {
	"$MPROF" dump --json "$1" 2>/dev/null | sed -E '
		/^\{"block":"(directives|code|stacks)"/d
		/^\{"event":"stack-section"/d
		/^\{"record":"(stack|module|function|location)"/d
		s/^(\{"block":"[^"]*"),"schema_version":[0-9]+,"offset":[0-9]+,"length":[0-9]+,"code":[0-9]+/\1/
		s/,"counter_delta":[0-9]+//
		s/,"(base|end)_counter":"?[0-9]+"?//
		/^\{"block":"(mapping|statistical|heap-data|heap-summary)"/s/,"end_clock":\{[^}]*\}//
		/^\{"block":"heap-data"/s/,"(start|end)_clock":\{[^}]*\}//
		/^\{"block":"events"/s/,"start_counter":"?[0-9]+"?//'
}

# In the copy of a cut log, the last block is complete.
cut_listing() {
	listing "$1" | sed -E 's/,"(start|end)_clock":\{[^}]*\}//g; s/,"last":(true|false)//'
}

# The first revisions of the 10-byte headers do not number collections, and a change of the heap's size has a time. In
# copies collections have numbers, so the change has no time of its own.
unnumbered_listing() {
	listing "$1" | sed -E '/"event":"gc-/s/,"collection":[0-9]+//
		/"event":"(gc-resize|allocation)"/s/,"counter":[0-9]+//'
}

# convert_to DIALECT FILE OUT: the status must match the state of the log.
convert_to() {
	mprof convert --dialect="$1" "$2" "$3"
	expect_status "$faults" "convert $2 to $1"
}

# go_by DIALECT LISTING: converts to the dialect and back.
go_by() {
	convert_to "$1" "$log" there.mprof
	convert_to "$dialect" there.mprof back.mprof
	"$2" back.mprof >back
	test -e "$2" || "$2" "$log" >"$2"
	diff "$2" back >difference || fail "$log by $1: $(head -n 5 difference)"
}

# Whether a log of Mono 2 does not number its collections.
is_unnumbered() {
	test "$dialect" = mono && grep '"event":"gc-resize"' listing | grep -qv '"collection":'
}

# Counts of events by kind.
count_events() {
	"$MPROF" info --json "$1" 2>/dev/null | jq -c '.events | del(."stack-section")'
}

# convert_less DIALECT: each event is in the copy, or counted as left out.
convert_less() {
	mprof convert --json --dialect="$1" "$log" less.mprof
	expect_status "$faults" "convert $log to $1"
	expect "$log in $1" "$(jq -c --argjson before "$(count_events "$log")" --argjson after "$(count_events less.mprof)" '
		def plain: (."allocation-at-jit" // 0) as $at_jit
			| del(."allocation-at-jit", ."heap-object", ."heap-free") | .allocation = (.allocation // 0) + $at_jit;
		.left_out as $left_out | ($before | plain) as $all | ($after | plain) as $there
		| [$all | to_entries[] | select(.value != ($there[.key] // 0) + ($left_out.events[.key] // 0))]' out)" '[]'
	mprof check less.mprof
	expect_status "$faults" "check of $log in $1"
}

count=0
for log in "$MPROF_SAMPLES"/*.mprof; do
	test -e "$log" || skip "no logs in $MPROF_SAMPLES"
	# Large logs have nothing that small ones do not have, and take minutes.
	test "$(stat -c %s "$log")" -lt 100000 || continue
	one_of 3 || continue
	dialect=$("$MPROF" info --json "$log" 2>/dev/null | jq -r .dialect)
	test -n "$dialect" || continue
	faults=0
	rm -f listing cut_listing unnumbered_listing
	"$MPROF" info "$log" >/dev/null 2>&1 || faults=1
	listing "$log" >listing
	way=listing
	! is_unnumbered || way=unnumbered_listing
	test $faults = 0 || way=cut_listing
	go_by mprof2 "$way"
	count=$((count + 1))
	case $dialect in
	mono) go_by unity "$way" ;;
	unity) go_by mono "$way" ;;
	drop) go_by mono unnumbered_listing ;;
	esac
	convert_less mail
	convert_less drop
done
test "$count" -gt 0 || skip "no logs in $MPROF_SAMPLES"
echo "$count logs"
