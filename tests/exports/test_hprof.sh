#!/bin/bash
# SPDX-License-Identifier: MIT
# The structure of HPROF files, and their figures, which are those of "mprof heap". test_hprof_visualvm.sh reads them
# with the library of VisualVM.
set -eu
. "$srcdir/tests/exports/support.sh"
needs python3 jq

"$builddir/tests/exports/make_heap" hostile.mprof || fail "make_heap"
"$builddir/tests/exports/make_heap" small.mprof small || fail "make_heap small"
make_tree growing growing.mprof 5
make_trees objects path

# contents FILE: what the heap dump contains, in the file contents.
contents() {
	python3 "$srcdir/tests/exports/hprof.py" "$1" >contents 2>python_err || fail "$1: $(cat python_err)"
}

# same_classes LOG [OPTION...]: classes with their objects and bytes. The name of a class whose objects have several
# sizes ends with " []".
same_classes() {
	local log=$1

	shift
	mprof heap --json --top=0 "$@" "$log"
	jq -r "$plain_names"'.classes[] | [(.name | plain), .objects, .bytes] | @tsv' out |
		sed 's/\\\\/\\/g; s/\xef\xbf\xbd/?/g; s,/,.,g' | LC_ALL=C sort >wanted
	sed -n 's/^class\t//p' contents | awk -F'\t' '$2 > 0' |
		sed 's/ \[\]\t/\t/; s/\\xf[ef]/?/g' | LC_ALL=C sort >found
	same_rows "$log: classes"
}

for log in small growing objects path; do
	export_log hprof "$log.mprof" "$log.hprof"
	contents "$log.hprof"
	same_classes "$log.mprof"
done
export_log hprof growing.mprof growing.hprof --at=3
expect_status 0 "a complete heap snapshot"
contents growing.hprof
same_classes growing.mprof --at=3
expect_line contents '^class.[(]heap snapshot 3 of the log[)]'
# The addresses of this log have 32 bits, so the IDs have too.
expect_line contents '^file.4.1.1700000000000'

# The class of this static field has no objects; its other field is an element.
contents path.hprof
expect_line contents '^class.OrderCache.0.0$'
expect_line contents '^static.OrderCache.cache.1000$'
expect_line contents '^reference.1000.entries.2000$'

# Names, fields and elements with everything that breaks a reader; all kinds of roots; sizes that the format cannot
# state; elements that refer to missing objects.
export_log hprof hostile.mprof hostile.hprof
expect_status 1 "sizes and references that are missing"
expect_line err '1 objects have more than 2 GiB'
expect_line err '4 objects are smaller than their references'
expect_line err '1 references of unreachable objects'
expect_line err '2 references and roots lead to objects that are not in the snapshot'
test "$(du -k hostile.hprof | cut -f1)" -lt 100000 || fail "the zeros of a large object take space on the disk"
contents hostile.hprof
grep -E '^(class.*[^0]$|root|static|reference|file)' contents | sed 's/\t1[0-9]\{12\}$//' >found
cat >wanted <<'END'
class	Node	1	32
class	Node[]	1	56
class	Quote"\<.script>\x0a\x09,|	1	24
class	Invalid\xff\xfeUTF-8	1	24
class	Ü.日本`2<System.Object, A b>	1	32
class	Huge []	1	2147479576
class	Holder	3	96
class	System.String []	2	72
root	Holder	sticky class
root	7f0000000000	unknown
root	7f0000000040	thread block
root	7f0000000060	Java frame
root	7f0000000080	JNI global
root	7f00000000a0	unknown
root	7f00000000c0	unknown
static	Holder	Shop."all"\x0a	7f0000000020
reference	7f0000000000	next	7f0000000020
reference	7f0000000000	"};alert(1)\\x0a\xff	7f00000000e0
reference	7f0000000020	[0]	7f0000000100
reference	7f0000000020	[2]	7f0000000040
reference	7f0000000040	ref0	7f0000000040
reference	7f0000000080	ref0	7f00000000e0
reference	7f0000000080	ref1	7f00000000e0
reference	7f0000000120	ref1	7f0000000140
reference	7f0000000140	ref0	7f0000000120
file	8	3
END
same_rows "contents"

# Standard output, which need not have room for holes.
mprof export --to=hprof -o - small.mprof
cmp -s out small.hprof || fail "standard output has another content"

# A log that ends early, one without a heap snapshot, a snapshot that the log does not have, an empty log and a full
# disk.
export_log hprof growing.mprof incomplete.hprof
expect_status 1 "an incomplete heap snapshot"
expect_line err 'the heap snapshot is incomplete'
contents incomplete.hprof
expect_line contents '[(]heap snapshot 6 of the log, incomplete: '
head -c -60 small.mprof >truncated.mprof
mprof export --to=hprof truncated.mprof
expect_status 1 "a truncated log"
contents truncated.hprof
make_calls calls
mprof export --to=hprof --at=9 small.mprof
expect_status 3 "a snapshot that the log does not have"
expect_line err '--at=9: the log has 2 heap snapshots'
mprof export --to=hprof -o none.hprof calls.mprof
expect_status 3 "a log without a heap snapshot"
expect_line err 'the log has no heap snapshot'
: >empty.mprof
mprof export --to=hprof -o none.hprof empty.mprof
expect_status 3 "an empty log"
test ! -e none.hprof || fail "a file without a heap snapshot"
if test -w /dev/full; then
	mprof export --to=hprof -o /dev/full small.mprof
	expect_status 1 "a full disk"
	expect_line err '/dev/full: No space left'
fi
