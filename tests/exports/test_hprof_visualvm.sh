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
make_trees objects path
names=(small growing objects path)
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
	test "$name" = objects || same_rows "$name: retained sizes"

	# The steps from a root to the largest object of each class.
	jq -r '.paths[] | "\(.steps[-1].object | ltrimstr("0x"))\t\([.steps[].repeats] | add)"' out |
		LC_ALL=C sort >wanted
	awk -F'\t' '
		$1 == "nearest" { next_object[$2] = $3 }
		$1 == "root" { is_root[$2] = 1 }
		$1 == "object" { objects[$2] = 1 }
		END {
			for (object in objects) {
				steps = 1
				for (at = object; at in next_object && !(at in is_root); at = next_object[at])
					steps++
				if (at in is_root)
					print object "\t" steps
			}
		}' "$name.visualvm" | LC_ALL=C sort >all
	join -t"$(printf '\t')" <(cut -f1 wanted) all >found
	test "$name" = objects || same_rows "$name: steps from a root"
done
