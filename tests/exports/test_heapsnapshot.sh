#!/bin/bash
# SPDX-License-Identifier: MIT
# The structure of V8 heap snapshots, and their figures, which are those of "mprof heap". The engines of Chrome DevTools
# and memlab read them in tests/interop/mono/test_heap_engines.sh.
set -eu
. "$srcdir/tests/exports/support.sh"
needs node jq

"$builddir/tests/exports/make_heap" hostile.mprof || fail "make_heap"
make_tree growing growing.mprof 5
make_trees objects path

# contents FILE: what the heap snapshot contains, in the file contents.
contents() {
	node "$srcdir/tests/exports/heapsnapshot.mjs" "$1" >contents 2>node_err || fail "$1: $(cat node_err)"
}

# same_classes LOG [OPTION...]: classes with their objects and bytes.
same_classes() {
	local log=$1

	shift
	mprof heap --json --top=0 "$@" "$log"
	jq -r '.classes[] | [.name, .objects, .bytes] | @tsv' out | LC_ALL=C sort >wanted
	sed -n 's/^class\t//p' contents | LC_ALL=C sort >found
	same_rows "$log: classes"
}

for log in growing objects path; do
	export_log heapsnapshot "$log.mprof" "$log.heapsnapshot"
	contents "$log.heapsnapshot"
	same_classes "$log.mprof"
done
export_log heapsnapshot growing.mprof growing.heapsnapshot --at=3
expect_status 0 "a complete heap snapshot"
contents growing.heapsnapshot
same_classes growing.mprof --at=3

# Names with everything that breaks JSON; all kinds of roots; sizes that the format cannot state.
export_log heapsnapshot hostile.mprof hostile.heapsnapshot
expect_status 1 "sizes and references that are missing"
expect_line err '1 objects have more than 4294967295 bytes'
expect_line err '2 references and roots lead to objects that are not in the snapshot'
contents hostile.heapsnapshot
sed -i 's/\t4294967295$/\t5000000000/' contents
same_classes hostile.mprof
LC_ALL=C sort contents | grep -v '^class' >found
cat >wanted <<'END'
root	(finalizer queue)		1
root	(handles)		1
root	(other roots)		1
root	(runtime)		1
root	(stacks)		1
root	(static fields)	Shop."all"\n	1
root	(thread-static fields)		1
root	(unreachable)		2
weak	1
END
same_rows "roots"

# An object that stays at its address has the same ID in all snapshots.
ids() {
	jq -c '.nodes as $n | [range(0; $n | length; 6) | select($n[.] == 3) | $n[. + 2]]' "$1"
}
export_log heapsnapshot hostile.mprof first.heapsnapshot --at=1
expect "the ID of the first object" "$(ids first.heapsnapshot)" "$(ids hostile.heapsnapshot | jq -c '.[:1]')"

expect "the names of fields" "$(jq -c '.strings | map(select(. == "next" or startswith("\"};alert"))) | length' \
	hostile.heapsnapshot)" 2

# Objects that retain little are collapsed: the others retain the same, and no byte is lost.
"$builddir/tests/exports/make_heap" random.mprof random || fail "make_heap random"
mprof heap --json --top=0 random.mprof
cp out random.json
for top in 1 10 50 1000; do
	export_log heapsnapshot random.mprof "top$top.heapsnapshot" --top="$top"
	expect_status 0 "--top=$top"
	expect_line err 'others are collapsed, into [0-9,]+ nodes, without the references between them'
	contents "top$top.heapsnapshot"
	expect "--top=$top: objects and bytes" "$(awk -F'\t' '$1 == "class" { bytes += $4 } END { print bytes }' contents)" \
		"$(jq .bytes random.json)"
done
export_log heapsnapshot random.mprof random.heapsnapshot
node "$srcdir/tests/exports/heapsnapshot_retained.mjs" random.json random.heapsnapshot top*.heapsnapshot >counts 2>node_err ||
	fail "retained sizes: $(cat node_err)"
awk -v all="$(jq .reachable_objects random.json)" '
	NR == 2 { failed = $1 > 1 }
	NR == 3 { failed = $1 > 10 }
	NR == 4 { failed = $1 != all || $2 < 50 }
	NR == 5 { failed = $1 > 50 || $1 < 20 || $2 < 20 }
	failed { exit }
	END { exit failed || NR != 5 }' counts || fail "objects, and those that retain others: $(cat counts)"
expect_line contents '^root.[(]GC roots[)]'
mprof export --to=heapsnapshot --top=10 objects.mprof
expect_status 3 "--top without roots"
expect_line err '--top: what objects retain is not known'

# A log that ends early, one without a heap snapshot, a snapshot that the log does not have, and a full disk.
export_log heapsnapshot growing.mprof incomplete.heapsnapshot
expect_status 1 "an incomplete heap snapshot"
expect_line err 'the heap snapshot is incomplete'
expect_line incomplete.heapsnapshot '[(]heap snapshot 6 of the log, incomplete: '
head -c -60 hostile.mprof >truncated.mprof
mprof export --to=heapsnapshot truncated.mprof
expect_status 1 "a truncated log"
contents truncated.heapsnapshot
make_calls calls
mprof export --to=heapsnapshot --at=9 hostile.mprof
expect_status 3 "a snapshot that the log does not have"
expect_line err '--at=9: the log has 2 heap snapshots'
mprof export --to=heapsnapshot -o none.heapsnapshot calls.mprof
expect_status 3 "a log without a heap snapshot"
expect_line err 'the log has no heap snapshot'
test ! -e none.heapsnapshot || fail "a file without a heap snapshot"
if test -w /dev/full; then
	mprof export --to=heapsnapshot -o /dev/full hostile.mprof
	expect_status 1 "a full disk"
	expect_line err '/dev/full: No space left'
fi
