#!/bin/bash
# SPDX-License-Identifier: MIT
# Labels of objects, names of references, weak references and groups of roots: heap, dump, check, convert and exports.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

make_trees labels
mprof check labels.mprof
expect_status 0 "a sound log"

mprof heap --json labels.mprof
expect_status 0 "a snapshot with labels"
expect_json "totals" '[.objects, .bytes, .reachable_bytes, .weak_references, .synthetic_objects, .missing_notes]' \
	'[4,128,128,1,1,1]'
expect_json "roots" '.roots_by_kind' '{"runtime":1,"native":1,"other-99":1}'
expect_json "labels" '[.dominators[] | [.object, .label, .retained_bytes, .dominator]]' \
	'[["0x1000","dict of module os",64,null],["0x1040",null,32,null],["0x1060",null,32,"0x1000"],["0x1080",null,32,null]]'
expect_json "paths" '[.paths[] | [.root.kind, .root.name, [.steps[].field]]] | sort' \
	'[["native","",[null]],["native","",["HOME",null]],["other-99","",[null]],["runtime","(Handle scope)",[null]]]'
# The report counts all objects of the log, and states how many of them are no memory.
cp out heap
mprof report --json labels.mprof
expect "the objects of both commands" "$(jq -c '.heap_shots[0] | [.objects - .synthetic_objects, .synthetic_objects]' out)" \
	"$(jq -c '[.objects, .synthetic_objects]' heap)"
mprof report labels.mprof
expect_line out 'no memory'
mprof export --to=csv --table=heap_snapshots -o - labels.mprof
expect "the column of the table" "$(head -n 1 out | tr -d '\r"' | tr ',' '\n' | grep -c '^synthetic_objects$')" 1
mprof heap labels.mprof
expect_line out '^ +64 B +50\.0 % +32 B  dict "dict of module os" 0x1000$'
expect_line out 'dict "dict of module os" 0x1000$'
expect_line out 'native\* -> HOME\* -> str$'
expect_line out 'runtime \(Handle scope\)\* -> str$'
expect_line out '^  labels left out +1$'

mprof heap --object=0x1060 labels.mprof
expect_line out '^  refers weakly to$'
expect_line out '^    HOME +0x1000 dict "dict of module os"$'
mprof heap --object=0x2000 labels.mprof
expect_line out '^  label      \(Handle scope\)$'
expect_line out '^  synthetic: '
mprof heap --json --object=0x1060 labels.mprof
expect_json "weak references" '[.object.weak_references[] | [.field, .object, .label]]' \
	'[["HOME","0x1000","dict of module os"]]'

mprof dump labels.mprof
expect_line out 'object-labels, .* snapshot 1, clock'
expect_line out '^    label 0, object 0x1000, dict of module os$'
expect_line out '^    reference-name 2, object 0x1000, reference 1, HOME$'
expect_line out '^    weak-reference 2, object 0x1060 to 0x1000, HOME$'
mprof dump --json labels.mprof
jq -c 'select(.record == "label") | [.object, .text]' out >found
expect "labels as JSON" "$(tr '\n' ' ' <found)" \
	'["0x1000","dict of module os"] ["0x2000","(Handle scope)"] ["0x9000","nobody"] '

# A copy has the same labels; a dialect without the blocks counts them as left out.
mprof convert labels.mprof copy.mprof
mprof heap --json labels.mprof
cp out expected
mprof heap --json copy.mprof
expect "a copy" "$(jq -c . out)" "$(jq -c . expected)"

mprof export --to=heapsnapshot labels.mprof --output=labels.heapsnapshot
jq -c '.strings' labels.heapsnapshot >out
expect_line out '"dict \\"dict of module os\\""'
expect_line out '"PATH"'
expect "weak edges" "$(jq '[.edges as $e | range(0; $e | length; 3) | select($e[.] == 6)] | length' labels.heapsnapshot)" 1
expect "edges" "$(jq '(.edges | length) / 3 == .snapshot.edge_count' labels.heapsnapshot)" true
expect "nodes" "$(jq '(.nodes | length) / 6 == .snapshot.node_count' labels.heapsnapshot)" true

mprof export --to=hprof labels.mprof --output=labels.hprof
expect_status 0 "a heap dump"
expect "what a heap dump lacks" "$(sed -n 's/.*mprof: \([0-9]*\) \(.*\) left out: .*/\1 \2/p' err)" "1 labels of objects are
1 weak references are
1 names of roots are"
command -v python3 >/dev/null || skip "python3 is not installed: the rest was tested"
# The group of roots is no object, and names of references are fields.
expect "a heap dump" "$(python3 "$srcdir/tests/exports/hprof.py" labels.hprof | grep -E '^(root|object|reference)' |
	tr '\t\n' ' ;')" "root 1000 unknown;root 1040 unknown;root 1080 unknown;object 1000 32 dict;object 1040 32 str;\
object 1060 32 str;object 1080 32 str;reference 1000 HOME 1060;reference 1000 PATH 1040;"
