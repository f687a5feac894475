#!/bin/bash
# SPDX-License-Identifier: MIT
# Lines of methods: in the report, in tables, in call stacks, and in copies of the log.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

lines='[.lines[] | [.name, .file, .line, .samples, .samples_total, .allocations, .bytes]] | sort'
expected='[["main ()","demo.txt",1,0,6,0,0],["main ()","demo.txt",2,0,6,0,0],["main ()","demo.txt",3,0,0,1,24],'
expected+='["square ()","squares.txt",5,6,6,0,0],["sum ()","demo.txt",10,6,6,0,0],["sum ()","demo.txt",11,0,6,0,0],'
expected+='["sum ()","demo.txt",13,0,0,2,200]]'

"$builddir/tests/tool/make_lines" lines.mprof || { test $? -eq 77 && exit 77; fail "make_lines"; }
mprof check lines.mprof
expect_status 0 "check"
mprof report --json lines.mprof
expect_json "lines" "$lines" "$expected"
expect_json "methods as without lines" '[.samples[] | [.name, .hits, .total_hits]] | sort' \
	'[["main ()",0,12],["square ()",6,6],["sum ()",6,12]]'
expect_json "call sites by line" '[.allocation_stacks[] | [.stack, .allocations]] | sort' \
	'[[["main ()"],1],[["sum ()","main ()"],1],[["sum ()","main ()"],1]]'

mprof report --sections=lines lines.mprof
expect "text" "$(grep -c ' at demo.txt:1[013]$' out)" 3
expect "inlined, in another file" "$(grep -o 'square () at .*' out)" 'square () at squares.txt:5'
mprof report --sections=lines --sort=lines:total lines.mprof
expect "sorted" "$(grep -m1 -o '[a-z]* () at .*' out)" 'sum () at demo.txt:10'
mprof report --sections=allocation-sites lines.mprof
expect "frames" "$(grep -o 'sum () at .*' out)" $'sum () at demo.txt:13\nsum () at demo.txt:13'

mprof dump lines.mprof
grep -q 'position [0-9]* method [0-9]* square (), line 5 of squares.txt (inlined)' out || fail "dump: $(grep position out)"

mprof convert lines.mprof copy.mprof
expect_status 0 "convert"
mprof report --json copy.mprof
expect_json "a copy" "$lines" "$expected"

# Other dialects have the methods alone.
mprof convert --dialect=mono --json lines.mprof mono.mprof
expect_status 0 "convert to mono"
expect_json "what mono lacks" '.left_out.shortened_blocks.stacks > 0' true
mprof report --json mono.mprof
expect_json "mono" '[.lines, ([.samples[].hits] | add)]' '[[],12]'

# Exports by line: folded stacks, the lines of pprof's locations, of which inlined frames are a part.
mprof export --to=folded --value=samples --by-line -o - lines.mprof
expect "folded" "$(sort out)" 'main ():1;sum ():10 3
main ():1;sum ():11;square ():5 3
main ():2;sum ():10 3
main ():2;sum ():11;square ():5 3'
mprof export --to=folded --value=samples -o - lines.mprof
expect "folded without lines" "$(sort out)" 'main ();sum () 6
main ();sum ();square () 6'
mprof export --to=folded --value=bytes --by-line -o - lines.mprof
expect "folded bytes" "$(sort out)" 'main ():1;sum ():13;Object 100
main ():2;sum ():13;Object 100
main ():3;Object 24'
mprof export --to=callgrind --value=samples --by-line -o - lines.mprof
expect "callgrind" "$(grep -cE '^(5|10) 6$' out)" 2
mprof export --to=speedscope --value=samples --by-line -o - lines.mprof
expect_json "speedscope" '[.shared.frames[] | select(.name == "sum ()") | .line] | sort' '[10,11]'
mprof export --to=firefox -o - lines.mprof
expect_json "firefox" '[.shared.frameTable | [.line, .inlineDepth] | transpose[] | select(.[0] != null)] | unique' \
	'[[1,0],[2,0],[3,0],[5,1],[10,0],[11,0],[13,0]]'
mprof flame --by-line --value=samples lines.mprof
expect_status 0 "flame"
for frame in 'main \(\):1' 'main \(\):2' 'sum \(\):10' 'sum \(\):11' 'square \(\):5'; do
	expect_line out "$frame"
done
mprof flame --by-line --inverted --value=samples lines.mprof
expect_line out 'square \(\):5'
mprof flame --value=samples lines.mprof
expect_no_line out '\(\):[0-9]'
mprof export --to=otlp --value=samples --by-line -o lines.otlp lines.mprof
expect_status 0 "OTLP"
mprof export --to=dot --by-line -o - lines.mprof
expect_status 2 "an export without lines"
