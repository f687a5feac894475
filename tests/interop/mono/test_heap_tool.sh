#!/bin/bash
# SPDX-License-Identifier: MIT
# What "mprof heap" prints of programs whose objects are known: paths with the names of fields, lists and trees as one
# path, what sets of objects retain, and logs that are damaged or too large for the memory that is allowed.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Heap
compile Fields
profiled heap,quiet,output=heap.mprof Heap.exe >/dev/null
profiled heap,quiet,output=fields.mprof Fields.exe >/dev/null
check_complete heap.mprof
check_complete fields.mprof

# heap_json LOG OPTION...: the document of mprof heap, in the file out.
heap_json() {
	local log=$1
	shift
	"$MPROF" heap --json "$@" "$log" >out || fail "mprof heap $*: status $?"
}

# has LOG PATTERN LINE: the paths of objects of classes that match include one.
has() {
	"$MPROF" heap --paths="$2" "$1" >paths
	grep -qF "  $3" paths || fail "no path '$3' in: $(cat paths)"
}

has fields.mprof Payload 'static OrderCache.cache* -> entries* -> [].value* -> Payload'
has fields.mprof Element 'static OrderCache.derived* -> elements* -> []* -> Element'
has fields.mprof Far 'static OrderCache.table* -> _entries* -> [].value* -> Far'
has fields.mprof Nested 'static OrderCache.derived* -> state.inner.owner* -> Nested'
has heap.mprof Heap.Leaf '20,000  static Heap.Program.holder* -> Slots* -> []* -> Heap.Leaf'
has heap.mprof Heap.Link '999  static Heap.Program.list* -> Next...* -> Heap.Link'

# The steps of a path are objects that refer to each other, by the fields that the dump has.
heap_json fields.mprof --paths=Payload
expect steps "$(jq -c '[.paths[0].steps[] | [.class, .field, .dominates]]' out)" \
	'[["Cache","entries",true],["Cache/Entry[]","[].value",true],["Payload",null,true]]'
"$MPROF" dump --json fields.mprof | jq -c 'select(.event == "heap-object") | [.object, .references]' >objects
for ((i = 0; i < 2; i++)); do
	jq -e -n --argjson from "$(jq ".paths[0].steps[$i].object" out)" \
		--argjson to "$(jq ".paths[0].steps[$i + 1].object" out)" \
		'[inputs | select(.[0] == $from)][-1][1] | index($to) != null' objects >/dev/null ||
		fail "step $i of the path does not refer to the next one"
done

# Retained sizes: 24 bytes of the holder, an array with a header of 32 bytes, and 20000 leaves of 16 bytes.
heap_json heap.mprof
held=$((24 + 32 + 20000 * 8 + 20000 * 16))
expect "retained by the class" "$(jq '.classes[] | select(.name == "Heap.Holder").retained_bytes' out)" $held
expect "retained by the object" "$(jq '.dominators[] | select(.class == "Heap.Holder").retained_bytes' out)" $held
expect "the list" "$(jq '.classes[] | select(.name == "Heap.Link").retained_bytes' out)" 32000
expect order "$(jq '[.dominators[].retained_bytes] | . == (sort | reverse)' out)" true
expect sums "$(jq '([.classes[].bytes] | add) == .bytes and ([.classes[].objects] | add) == .objects' out)" true
# The objects of all paths to a class are its reachable objects.
heap_json heap.mprof --top=0 --paths='*'
expect "objects of paths" "$(jq '([.paths[].objects] | add) == .reachable_objects and
	([.paths[].bytes] | add) == .reachable_bytes' out)" true
expect "paths and classes" "$(jq '[.paths | group_by(.class)[] | {"\(.[0].class)": (map(.objects) | add)}] | add' -S -c out)" \
	"$(jq '[.classes | group_by(.name)[] | {"\(.[0].name)": (map(.reachable_objects) | add)} |
		select(.[] > 0)] | add' -S -c out)"

# Sets of objects: by class, by what they refer to, and by what refers to them.
for class in Element string 'Element[]' Wide Nested; do
	pattern=${class//[/\\[}
	"$MPROF" dump --json fields.mprof | jq -n -c --arg class "$class" -f "$here/heap_sets.jq" >wanted
	selected='.selection | [.objects, .bytes, .retained_bytes]'
	heap_json fields.mprof --class="$pattern" --referencing='*'
	expect "$class: at most the objects of the class" \
		"$(jq --argjson most "$(sed -n 1p wanted)" '.selection.objects <= $most[0]' out)" true
	heap_json fields.mprof --referencing="$pattern"
	expect "$class: what refers to it" "$(jq -c "$selected" out)" "$(sed -n 2p wanted)"
	heap_json fields.mprof --referenced-by="$pattern"
	expect "$class: what it refers to" "$(jq -c "$selected" out)" "$(sed -n 3p wanted)"
	heap_json fields.mprof --referrers="$pattern"
	expect "$class: references" "$(jq '[.referrers[] | select(.root == null).references] | add // 0' out)" \
		"$("$MPROF" dump --json fields.mprof | jq -n --arg class "$class" '[reduce inputs as $row ({names: {}};
			if $row.block == "mapping" then
				reduce ($row.classes // [])[] as $class (.; .names[$class.id | tostring] = $class.name)
			elif $row.block == "heap-data" then .classes = {} | .targets = []
			elif $row.event == "heap-object" then
				.classes[$row.object] = .names[$row.class | tostring] | .targets += $row.references
			elif $row.event == "heap-references" then .targets += $row.references
			else . end) | . as $log | .targets[] | select($log.classes[.] == $class)] | length')"
done

# Every damage is reported, and a snapshot that is not complete is shown as such.
size=$(stat -c %s fields.mprof)
last=$("$MPROF" dump --json --blocks fields.mprof | jq 'select(.block == "heap-data") | .offset' | tail -n 1)
head -c $((last + 2000)) fields.mprof >cut.mprof
status=0
"$MPROF" heap cut.mprof >out 2>err || status=$?
expect "truncated in a snapshot: status" $status 1
grep -qF 'The snapshot is incomplete' out || fail "truncated in a snapshot: $(head -20 out)"
grep -qE "^mprof: cut\.mprof: offset $last: " err || fail "truncated in a snapshot: $(cat err)"
"$MPROF" heap --json cut.mprof >out 2>err || true
expect "truncated in a snapshot" "$(jq -c '[.shot, .complete]' out)" '[3,false]'
"$MPROF" heap --json --at=1 cut.mprof >out 2>err || fail "the first snapshot of a truncated log: $(cat err)"
expect "the first snapshot" "$(jq -c '[.shot, .complete]' out)" '[1,true]'
for ((offset = last + 40; offset < size; offset += 211)); do
	cp fields.mprof changed.mprof
	printf '\377' | dd of=changed.mprof bs=1 seek=$offset conv=notrunc 2>/dev/null
	cmp -s fields.mprof changed.mprof && continue
	status=0
	timeout 60 "$MPROF" heap changed.mprof >out 2>err || status=$?
	expect "a changed byte at $offset: status" $status 1
	grep -qE '^mprof: changed\.mprof: offset [0-9]+: ' err || fail "a changed byte at $offset: $(cat err)"
done

# With less memory than the graph needs, what is not known is not printed.
profiled heap,quiet,output=many.mprof Fields.exe 100000 >/dev/null
seen=
for memory in 1 2 3 4 5 6 64; do
	status=0
	"$MPROF" heap --json --memory=$memory many.mprof >out 2>err || status=$?
	case $(jq -c '[.limited, .objects, .reachable_bytes, .classes[0].retained_bytes == null]' out) in
	'[true,null,null,'*) seen+=1 && expect "--memory=$memory: status" $status 1 ;;
	'[false,'*',null,true]') seen+=2 && expect "--memory=$memory: status" $status 1 ;;
	*) seen+=3 && expect "--memory=$memory: status" $status 0 ;;
	esac
done
case $seen in
*2*3) ;;
*) fail "the limits of memory had no effect: $seen" ;;
esac

# The table of handles has those that are alive, with what created them.
compile Handles
profiled handles,quiet,output=handles.mprof Handles.exe >/dev/null
"$MPROF" handles --json handles.mprof >out
expect "pinned handles" "$(jq -c '.handles[] | select(.class == "Handles.Pinned" and .type == "pinned") |
	[.created, .deleted, .alive]' out)" '[20,5,15]'
"$MPROF" handles handles.mprof >out
grep -qF 'Handles.Program.Pin (int)' out || fail "no stack of a handle: $(cat out)"
