#!/bin/bash
# SPDX-License-Identifier: MIT
# The heap library of VisualVM (Debian's visualvm, with a JDK) reads from HPROF files what is in them, and computes the
# same retained sizes and shortest paths from roots as "mprof heap". VISUALVM_HEAP may name the library.
set -eu
. "$srcdir/tests/exports/support.sh"
needs python3 jq java javac

library=${VISUALVM_HEAP:-/usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar}
test -e "$library" || skip "visualvm is not installed"

"$builddir/tests/exports/make_heap" small.mprof small || fail "make_heap small"
make_tree growing growing.mprof 100
make_trees objects path labels
names=(small growing objects path labels)
for name in "${names[@]}"; do
	export_log hprof "$name.mprof" "$name.hprof"
done
java -Xmx512m -cp "$library" "$srcdir/tests/exports/HprofReader.java" "${names[@]}" >java.log 2>&1 ||
	fail "VisualVM: $(head -n 3 java.log)"

for name in "${names[@]}"; do
	python3 "$srcdir/tests/exports/hprof.py" "$name.hprof" >contents || fail "$name: structure"
	grep -v '^file' contents | LC_ALL=C sort >wanted
	grep -vE '^(retained|nearest)' "$name.visualvm" | LC_ALL=C sort >found
	same_rows "$name: VisualVM (<) and the file (>)"

	# The objects that roots reach.
	mprof heap --json --top=0 "$name.mprof"
	jq -r '.dominators[] | "retained\t\(.object | ltrimstr("0x"))\t\(.retained_bytes)"' out | LC_ALL=C sort >wanted
	grep '^retained' "$name.visualvm" | awk -F'\t' '$3 > 0' | LC_ALL=C sort >found
	# VisualVM takes the only object that refers to a root for its dominator, which labels has.
	test "$name" = objects || test "$name" = labels || same_rows "$name: retained sizes"

	# The steps from a root to the largest object of each class. VisualVM takes the class of a static field for one more.
	jq -r '.paths[] | "\(.steps[-1].object | ltrimstr("0x"))\t\([.steps[].repeats] | add)\t\(.root.kind)"' out |
		LC_ALL=C sort >wanted
	awk -F'\t' '
		$1 == "nearest" { next_object[$2] = $3 }
		END {
			for (object in next_object) {
				steps = 1
				for (at = object; next_object[at] != at && steps < 1000; at = next_object[at])
					steps++
				print object "\t" steps
			}
		}' "$name.visualvm" | LC_ALL=C sort >all
	join -t"$(printf '\t')" wanted all >both
	test "$(wc -l <both)" = "$(wc -l <wanted)" || fail "$name: an object has no path in VisualVM"
	awk -F'\t' '$4 != $2 && !($3 == "static" && $4 == $2 + 1)' both >differences
	test ! -s differences || fail "$name: address, steps, root, and steps in VisualVM: $(cat differences)"
done
