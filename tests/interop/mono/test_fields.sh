#!/bin/bash
# SPDX-License-Identifier: MIT
# The fields that refer to objects in heap snapshots: those of base classes, structs, arrays, generic types and
# properties have their names, also in the log of a program that was killed.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Fields

# path LOG ROOT FIELD...: the way from a static field through the fields of objects.
path() {
	local log=$1 root=$2
	shift 2
	"$MPROF" dump --json "$log" | jq -rn --arg root "$root" \
		--argjson fields "$(jq -cn '$ARGS.positional' --args -- "$@")" -f "$here/field_path.jq"
}

# check_path LOG CLASS ROOT FIELD...: the class at the end of the way.
check_path() {
	local log=$1 class=$2 wanted
	shift 2
	wanted="static $1"
	for field in "${@:2}" "$class"; do
		wanted+=" -> $field"
	done
	expect "$log: path" "$(path "$log" "$@")" "$wanted"
}

check_paths() {
	check_path "$1" Payload OrderCache.cache entries "[].value"
	check_path "$1" string OrderCache.cache entries "[].key"
	check_path "$1" Far OrderCache.table _entries "[].value"
	check_path "$1" Inherited OrderCache.derived own
	check_path "$1" Automatic OrderCache.derived "<Property>k__BackingField"
	check_path "$1" Nested OrderCache.derived state.inner.owner
	check_path "$1" Element OrderCache.derived elements "[]"
	check_path "$1" Element OrderCache.derived table "[]"
	check_path "$1" Listed OrderCache.derived list _items "[]"
	check_path "$1" Generic OrderCache.derived pair.value
	check_path "$1" Shared OrderCache.wide first
	check_path "$1" Nested OrderCache.wide last.owner
}

profiled heap,quiet,output=fields.mprof Fields.exe
check_complete fields.mprof
check_paths fields.mprof
expect "a field that is not there" "$(path fields.mprof OrderCache.wide nothing)" \
	"static OrderCache.wide -> nothing -> ?"
# Each reference has an offset, and that of an object of the program has a name.
expect "objects whose references have no offsets" "$("$MPROF" dump --json fields.mprof | jq -n '[inputs |
	select(.event == "heap-object" and (.references | length) > 0 and .offsets == null)] | length')" 0

# Without the option, or in a log of an older format, there are none.
for options in no-heap-fields format=mono; do
	profiled "heap,$options,quiet,output=without.mprof" Fields.exe
	check_complete without.mprof
	expect "$options: offsets" "$("$MPROF" dump --json without.mprof | grep -c '"offsets"' || true)" 0
done

# A program that is killed.
mono --profile=mprof:heap,quiet,output=killed.mprof Fields.exe 1000 wait >ready 2>err &
program=$!
trap 'kill -KILL $program 2>/dev/null || true; rm -rf "$work"' EXIT
await has_bytes ready 1 || fail "the program does not start: $(cat err)"
kill -KILL $program || fail "the program has ended"
wait $program || true
"$MPROF" recover killed.mprof >/dev/null
check_paths killed.mprof
