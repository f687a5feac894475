#!/bin/bash
# SPDX-License-Identifier: MIT
# The example that decodes in one page has the figures of mprof decode, for logs of several profilers: those of classes,
# compilations and collections, and the methods that ran. Their times are others if they call themselves: mprof decode
# counts recursive calls in full, as mprof-decoder did.
set -eu
. "$srcdir/tests/tool/support.sh"

test -n "${MPROF_SAMPLES-}" || skip "MPROF_SAMPLES names no folder of logs"
decoder=$builddir/examples/small/decoder/decoder

# lines SECTION FILE: the lines of a section that are not indented, without its title. Both programs print them.
lines() {
	awk -v title="Reporting $1" 'index($0, title " (") == 1 || index($0, title " for ") == 1 { inside = 1; next }
		/^(Reporting |No |-----)/ || !NF { inside = 0 }
		inside && !/^ *[0-9]+ (calls|bytes)/ && !/^\t/ && !/^        /' "$2"
}

# compare SECTION EXPRESSION: the lines of both programs, as sed makes them of each.
compare() {
	lines "$1" ours | sed -E "$2" | LC_ALL=C sort >ours.lines
	lines "$1" whole | sed -E "$2" | LC_ALL=C sort >whole.lines
	compared=$((compared + $(wc -l <whole.lines)))
	cmp -s ours.lines whole.lines || fail "$name: $1: $(diff whole.lines ours.lines | head -n 6)"
}

compared=0
: >ours.times
: >whole.times
for name in f-calls-alloc e-heap-all f-alloc u-calls e-calls-alloc k-term h-eda30aca51-calls; do
	test -e "$MPROF_SAMPLES/$name.mprof" || continue
	"$decoder" "$MPROF_SAMPLES/$name.mprof" >ours || fail "$name: the example ended with $?"
	"$builddir/examples/mprof/mprof" decode "$MPROF_SAMPLES/$name.mprof" >whole || fail "$name: mprof decode ended with $?"
	compare allocations 's/^ *[^ ]+% \(([0-9]+) bytes[^)]*\)/\1/'
	compare 'execution time' 's/^ *[^ ]+% \([^)]*\) //'
	lines 'execution time' ours | sed -E 's/^ *[^ ]+% \(([0-9.]+)s[^)]*\)/\1/' >>ours.times
	lines 'execution time' whole | sed -E 's/^ *[^ ]+% \(([0-9.]+)s[^)]*\)/\1/' >>whole.times
	compare 'jit time' 's/^ *[^ ]+% //'
	compare 'GC statistics' '/Heap resized/d; s/, mark .*//'
done
same=$(LC_ALL=C comm -12 <(LC_ALL=C sort ours.times) <(LC_ALL=C sort whole.times) | wc -l)
test "$same" -gt $(($(wc -l <whole.times) * 9 / 10)) || fail "only $same methods of $(wc -l <whole.times) have the same time"
test "$compared" -gt 2000 || fail "only $compared lines were compared"
