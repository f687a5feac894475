#!/bin/bash
# SPDX-License-Identifier: MIT
# The graphical programs of Mono 2 show the contents of logs of this library.
set -eu
. "$srcdir/tests/interop/decoder/support.sh"
. "$decoder_tests/windows.sh"

# The name of a class ends at the first blank.
in_lines() {
	LC_ALL=C sort
}

# A heap snapshot: its classes, with their objects and bytes.
compile Heap
logged "heap=all,o=heap.mprof" Heap.exe >heap.expected 2>heap.err
check_complete heap.mprof
windows roots "$heap_viewer" heap.mprof -- until "Heap block" rows quit
shots=$(grep -c '^0	Heap block' roots)
expect "heap snapshots" "$("$MPROF" report --json heap.mprof | jq '.heap_shots | length')" "$shots"
row=$(($(grep -n '^0	Heap block' roots | tail -n 1 | cut -d : -f 1) - 1))
windows heap.rows "$heap_viewer" heap.mprof -- load $row rows quit
roots=$(grep -c . roots)
sed "1,$((roots - 1))d; \$d" heap.rows | cut -f 2- | in_lines >theirs
"$MPROF" report --json heap.mprof |
	jq -r '.heap_shots[-1].classes[] | [.class, .objects, .bytes] | map(tostring) | join("\t")' | in_lines >ours
same "classes of a heap snapshot" theirs ours
grep -F "$(sed -n "$((row + 1))p" heap.rows | cut -f 2-)" heap.rows
echo "heap snapshot: $(wc -l <theirs) classes"

# Calls: the tree contains the methods, by class and name, except those without time.
compile Calls
logged "calls,o=calls.mprof" Calls.exe >calls.expected 2>calls.err
windows calls.rows "$emveepee" -- open "$work/calls.mprof" until "Calls.Program.Main ()" rows quit
awk -F '\t' '$3 ~ /^Calls\./ { print $3 }' calls.rows | in_lines | uniq >theirs
iconv -f UTF-8 -t LATIN1 theirs | in_lines >theirs.utf8
"$MPROF" report --json calls.mprof |
	jq -r '.methods[] | select(.calls > 0 and (.class | startswith("Calls."))) | "\(.class).\(.name)"' |
	in_lines >ours
same "methods in the tree of calls" theirs.utf8 ours
# Callers of methods
awk -F '\t' '
	$1 != "done" { at[$1] = $3 }
	$3 ~ /^Calls\.Outer/ { print at[$1 - 1] " calls " $3; exit }' calls.rows >called
expect "the first caller" "$(cat called)" "Calls.Program.Main () calls Calls.Outer/Inner/Innermost.Depth (int)"
echo "calls: $(wc -l <theirs) methods"

# Allocations: all classes with their bytes, and the allocating methods
compile Allocations
logged "alloc,o=allocations.mprof" Allocations.exe >allocations.expected 2>allocations.err
windows allocations.rows "$emveepee" -- open "$work/allocations.mprof" until "Allocations.Small" rows quit
sed -n 's/^0	 *[0-9.]*% (\([0-9]*\) bytes)	\(.*\)/\2	\1/p' allocations.rows | in_lines >theirs
"$MPROF" report --json allocations.mprof |
	jq -r '.classes | map(select(.bytes > 0)) | group_by(.name)[] | "\(.[0].name)\t\(map(.bytes) | add)"' |
	in_lines >ours
same "bytes by class" theirs ours
awk -F '\t' '
	{ sub(/^.*\(/, "", $2) }
	$1 == 0 { class = $3 }
	$1 == 1 && class == "Allocations.Pair" { print $3, $2 + 0 }' allocations.rows >allocators
expect "who allocates boxes" "$(cat allocators)" "Allocations.Program.Boxes () 1600"
echo "allocations: $(wc -l <theirs) classes"

# Samples: the hottest method comes first.
compile Hot
logged "s=128,o=hot.mprof" Hot.exe 300 >hot.expected 2>hot.err
windows hot.rows "$emveepee" -- open "$work/hot.mprof" until "Hot.Program.Spin" rows quit
head -n 1 hot.rows | grep -q '^0	[ 1-9][0-9.]*%	Hot.Program.Spin (int)$' || fail "samples: $(head hot.rows)"
echo "samples: $(head -n 1 hot.rows | cut -f 2-)"
