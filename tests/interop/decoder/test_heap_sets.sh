#!/bin/bash
# SPDX-License-Identifier: MIT
# Sets of the objects of a heap snapshot have as many objects and bytes as those that mprof-heap-viewer makes: by class, by
# what they refer to and by what refers to them, their intersections and differences, and the same for sets.
set -eu
. "$srcdir/tests/interop/decoder/support.sh"

library=$(find /usr/lib/mono-tools /usr/lib/mono -name mprof-decoder-library.dll 2>/dev/null | head -n 1)
test -n "$library" || skip "the library of mprof-heap-viewer is not installed (package mono-profiler)"
cp "$library" .
mcs -nologo -r:mprof-decoder-library.dll -out:Sets.exe "$decoder_tests/Sets.cs" || fail "Sets.cs does not compile"
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -I"$srcdir/include" -o heap_sets "$decoder_tests/heap_sets.c" -L"$builddir/lib/.libs" -lmprof ||
	fail "heap_sets.c does not compile"

# compare LOG LEAST CLASS: the sets of its last snapshot, which are at least LEAST, and those of the class CLASS.
compare() {
	# The library prints a line whenever it intersects sets.
	timeout 120 mono Sets.exe "$1" >printed || fail "$1: mprof-heap-viewer's library: status $?"
	grep -v '^Inside ' printed | LC_ALL=C sort >theirs
	./heap_sets "$1" >found || fail "$1: status $?"
	LC_ALL=C sort found >ours
	same "$1: sets of objects" theirs ours
	test "$(wc -l <ours)" -ge "$2" || fail "$1: only $(wc -l <ours) sets"
	# The command selects by name, and several classes can have one name.
	"$MPROF" heap --json --referencing="$3" "$1" >referencing
	"$MPROF" heap --json --referenced-by="$3" "$1" >referenced
	expect "$1: sets of $3 that the command prints" \
		"$(jq -s -r 'map(.selection | "\(.objects) \(.bytes)") | join(" ")' referencing referenced)" \
		"$(awk -F '\t' -v name="$3" '$1 == name && ($2 == "referencing" || $2 == "referenced") { print $2, $3, $4 }' theirs |
			sort -r | cut -d ' ' -f 2- | xargs)"
	echo "$1: $(wc -l <ours) sets"
}

compile Heap
logged "heap=all,o=heap.mprof" Heap.exe >heap.expected 2>heap.err
compare heap.mprof 100 Heap.Branch
for name in f-heap-all e-heap-all h-b73ecdebe8-heapall; do
	test ! -e "${MPROF_SAMPLES-}/$name.mprof" || compare "$MPROF_SAMPLES/$name.mprof" 400 Gen.Node
done
