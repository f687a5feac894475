#!/bin/bash
# SPDX-License-Identifier: MIT
# Graphviz reads the export: gvpr finds the figures of the report in the attributes of the graph, dot makes a layout.
set -eu
. "$srcdir/tests/exports/support.sh"
needs dot gvpr jq
make_calls calls
make_dialects
make_truncated

for log in calls mono unity drop mail truncated; do
	read_report "$log.mprof"
	export_log dot "$log.mprof" "$log.dot" --value=wall --top=1000
	report_times >wanted
	# The first line of a label is the name; in attributes, Graphviz keeps the backslashes of escape sequences.
	gvpr 'N { printf("%s\t%s\t%s\n", $.label, $.self, $.total); }' "$log.dot" >nodes 2>gvpr_err || fail "gvpr"
	test ! -s gvpr_err || fail "gvpr: $(cat gvpr_err)"
	sed 's/\\n\(self\) [^\t]*//; s/\\\\/\\/g' nodes | sum_rows >found
	same_rows "$log: time"
	dot -Tplain "$log.dot" >plain 2>dot_err || fail "dot: $(cat dot_err)"
	expect_line plain '^graph '
done

# The inclusive values of the calls to a function are those of the function without the outermost calls.
gvpr 'E { if ((int)$.inclusive > (int)$.head.total) printf("%s\n", $.name); }' calls.dot >wrong
test ! -s wrong || fail "calls with more than the total of the callee: $(cat wrong)"

# The largest ones are kept, and the title states how many there are.
export_log dot calls.mprof few.dot --value=wall --top=3
expect "functions" "$(gvpr 'BEG_G { printf("%d\n", nNodes($G)); }' few.dot)" 3
expect_line few.dot '\\n3 of 12 functions'
expect_line few.dot 'Fib'

# Names of any length are labels that Graphviz reads.
make_calls names
export_log dot names.mprof names.dot --value=wall --top=1000
dot -Tplain names.dot >plain 2>dot_err || fail "dot: $(cat dot_err)"
test ! -s dot_err || fail "dot: $(cat dot_err)"
