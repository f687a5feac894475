#!/bin/bash
# SPDX-License-Identifier: MIT
# Flame graphs: their figures are those of mprof report, names are never markup, and what is missing is stated.
set -eu
LEAKS=1
. "$srcdir/tests/tool/support.sh"
needs jq xmllint

make_logs full sample mail
make_trees names shares hostile
make_tree growing growing.mprof 4
make_tree chain long.mprof 30
make_tree chain short.mprof 20

# xpath EXPRESSION: of the file out.svg. Elements are in the namespace of SVG, which patterns leave out.
xpath() {
	xmllint --xpath "$1" out.svg
}
# sum_of EXPRESSION: of attributes, exactly.
sum_of() {
	{ xpath "$1" || true; } | grep -oE '"[0-9]+"' | tr -d '"' | jq -s 'add // 0'
}
graph='//*[local-name()="g" and @class="graph"]'
frames=$graph'[1]/*[local-name()="g"]'

newline=$'\n'

# flame ARGUMENT...: draws all frames into out.svg, which is well-formed.
flame() {
	mprof flame --min-share=0 --depth=60000 -o out.svg "$@"
	xmllint --noout out.svg 2>err2 || fail "flame $*: $(cat err2)"
}

# drawn VALUE LOG FILTER: the sum of all frames, and the total, are those of a filter of the report.
drawn() {
	local wanted
	mprof report --json --tree --depth=60000 --min-percent=0 "$2"
	wanted=$(jq "$3" out)
	flame --value="$1" "$2"
	expect "$1 of $2: sum" "$(sum_of "$frames/@data-self")" "$wanted"
	expect "$1 of $2: total" "$(xpath "string(($frames)[1]/@data-total)")" "$wanted"
}
tree='[.call_tree | .. | objects | select(has("self_ns"))]'
for log in full sample mail shares hostile; do
	mprof report --json $log.mprof
	if jq -e '.methods | map(.calls) | add > 0' out >check; then
		drawn wall $log.mprof "$tree | map(.self_ns) | add"
		drawn calls $log.mprof '.methods | map(.calls) | add'
	fi
	for log_value in samples:.sample_count bytes:'.classes | map(.bytes) | add // 0' \
		allocations:'.classes | map(.allocations) | add // 0' waits:'.monitors | map(.contended_ns) | add // 0' \
		handles:'.handles | map(.alive) | add // 0' heap:'.heap_shots[-1].bytes // 0'; do
		mprof report --json $log.mprof
		test "$(jq "${log_value#*:}" out)" != 0 || continue
		drawn "${log_value%%:*}" $log.mprof "${log_value#*:}"
	done
done
drawn heap growing.mprof '.heap_shots[-1].bytes'

# A caller is as wide as it is in the report, and at least as wide as what it calls.
flame --value=wall shares.mprof
expect "the frames" "$(xpath "count($frames)")" 5
expect "the widths" "$(xpath "concat(($frames)[1]//@width, ' ', ($frames)[2]//@width)")" "1180 1180"
expect "the heaviest frame" "$(xpath "string(($frames)[3]/*[1])" | head -n 1)" "Shares.Most ()"
expect "its figures" "$(xpath "string(($frames)[3]/*[1])" | tail -n 1)" "243 ns (98.0 %), 1 call"

# Filters of frames act as in the report, and those without effect are refused.
mprof report --json --collapse='*.A*' shares.mprof
wanted=$(jq '.methods[] | select(.name == "[*.A*]") | .total_ns' out)
flame --value=wall --collapse='*.A*' shares.mprof
expect "a collapsed frame" "$(sum_of "${frames}[starts-with(*[1], '[*.A*]')]/@data-total")" "$wanted"
expect "the frame that it replaces" "$(xpath "count(${frames}[contains(*[1], 'Shares.Above')])")" 0
for option in --class='*' --at=1; do
	mprof flame --value=wall "$option" -o out.svg shares.mprof
	expect_status 2 "flame --value=wall $option"
	expect_line err "${option%%=*} has no effect on --value=wall"
done

# The nodes below the root of the inverse are methods with their own time.
flame --inverted --value=samples shares.mprof
expect "inverted" "$(sum_of "${frames}[*[local-name()=\"rect\"]/@y = ($frames)[2]//@y]/@data-total")" 248
expect "inverted: the callers" "$(xpath "count(${frames}[contains(., 'Shares.Root')])")" 3

# A name that is too long loses its namespaces, its arguments and text in brackets, in this order.
label() {
	mprof flame --value=wall --width="$1" -o out.svg names.mprof
	xpath "string(($frames)[2]/*[local-name()='text'])"
}
expect "a name without arguments" "$(label 700)" \
	'Générique`2<int, System.Collections.Generic.List`1<string>>.Añadir(…)'
expect "a name without text in brackets" "$(label 460)" 'Générique`2<…>.Añadir(…)'

# What is not drawn is stated.
mprof flame --min-share=1.3 --value=wall shares.mprof
cp out out.svg
expect_line out '>Not drawn: 2 frames of less than 4 ns, together 5 ns\.<'
expect "frames of at least 1.3 percent" "$(xpath "count($frames)")" 3
mprof flame --depth=7 long.mprof
cp out out.svg
expect "rows" "$(xpath "count($frames)")" 8
expect_line out '>Not drawn: 23 frames of less than .* or below the last row, together 23 samples\.<'

# A large log has a document of limited size: small frames are areas, and a list for the script has their names and
# figures. Together with the frames that are not drawn, they are all frames of the log.
make_tree branches branches.mprof 11
mprof flame --value=calls -o out.svg branches.mprof
xmllint --noout out.svg
test "$(wc -c <out.svg)" -lt 300000 || fail "the document has $(wc -c <out.svg) bytes"
number_in() {
	sed -nE "s/.*>$1 ([0-9,]+) frames.*/\1/p" out.svg | tr -d ,
}
xpath 'string(//*[local-name()="metadata"])' | sed '1,/^$/d' | grep , >list || true
expect "small frames" "$(wc -l <list)" "$(number_in 'Gray areas:')"
test -s list || fail "no small frames"
flame --value=calls branches.mprof
all=$(xpath "count($frames)")
mprof flame --value=calls -o out.svg branches.mprof
hidden=$(number_in 'Not drawn:')
expect "all frames" $(($(xpath "count($frames)") + $(wc -l <list) + ${hidden:-0})) "$all"
expect "the list" "$(grep -vcE '^[0-9a-z]*,[0-9a-z]+,[0-9a-z]+,[0-9a-z]*(,[0-9a-z]+)?$' list)" 0

# The path from a root is the call stack of an object.
flame --value=heap --at=2 growing.mprof
expect "a path" "$(xpath "count(${frames}[contains(., 'static Shop.orders')])")" 1
expect "a field" "$(xpath "count(${frames}[contains(., 'List.items')])")" 1
expect "the objects" "$(sum_of "${frames}[starts-with(@class, 'c') and starts-with(., 'Order${newline}')]/@data-self")" 80
# The log is read twice, and its damage reported once.
head -c -20 growing.mprof >ends.mprof
mprof flame --value=heap --at=1 -o out.svg ends.mprof
expect_status 1 "heap of a truncated log"
test "$(grep -c truncated err)" = 1 || fail "damage is not reported once: $(cat err)"
mprof flame --value=heap --at=9 growing.mprof
expect_status 3 "no such snapshot"
mprof flame --value=heap shares.mprof
expect_status 3 "no snapshot"
expect_line err '^mprof: shares\.mprof: --value=heap: the log has no such data; it has wall, calls, samples$'

# A log compared with itself has no differences; frames of one of the logs are new, or in the second picture.
flame shares.mprof shares.mprof
expect "no difference" "$(xpath "count(${frames}[@class='z'])")" 5
expect "nothing is gone" "$(xpath "count(${graph})")" 1
flame long.mprof short.mprof
expect "new frames" "$(xpath "count(${frames}[contains(., ': new')])")" 10
expect "the earlier figures" "$(sum_of "$frames/@data-before")" "$((20 + 20 * 21 / 2))"
flame short.mprof long.mprof
expect "frames that are gone" "$(xpath "count((${graph})[2]/*[contains(., ': gone')])")" 11
expect "less than before" "$(xpath "string(($frames)[1]/@class)")" l2
flame --normalize short.mprof long.mprof
expect "normalized" "$(xpath "string(($frames)[1]/@class)")" z

# Names are text: there is one script, no element or attribute of a name, and all characters are visible.
for value in wall samples bytes; do
	flame --value=$value --title='<script>"]]>' hostile.mprof
	expect "scripts" "$(xpath 'count(//*[local-name()="script"])')" 1
	expect "handlers" "$(xpath 'count(//@*[starts-with(name(), "on")])')" 0
	expect "other elements" "$(xpath 'count(//*[not(contains("|svg|title|style|rect|text|g|script|",
		concat("|", local-name(), "|")))])')" 0
	expect "the title" "$(xpath 'string(/*/*[1])')" '<script>"]]>'
	for name in '<script>alert(1)</script> ()' "\"' onload=\"alert(1) ()" ']]><!--&amp;&#60;--> ()' \
		'\x1b[31mred\x01\x09\x0d\x0a\x7f ()' '\x80\xff\xc3( ()' '方法😀 ()' '<![CDATA[ ;{}%s%n ()'; do
		xpath "$frames/*[1]/text()" >titles
		# Text in the output of xmllint has the escapes of XML.
		sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' titles | grep -qF -- "$name" ||
			fail "$value: no frame $name"
	done
	expect_line titles 'u202egnp'
	! grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\x{202e}|\x{2066}' out.svg || fail "$value: invisible characters"
done

# Lost events are stated.
mprof report --json full.mprof
lost=$(jq .totals.lost_events out)
mprof flame --value=calls -o out.svg full.mprof
test "$lost" -gt 0 || fail "the log has no lost events"
expect_line out.svg ">$lost events were lost: all figures are estimates\.<"

# Damage is stated, and what could be read is drawn.
head -c 600 full.mprof >cut.mprof
mprof flame --value=calls -o out.svg cut.mprof
expect_status 1 "a truncated log"
expect_line out.svg '>The log is incomplete or damaged: it is valid up to offset [0-9]+\.<'
xmllint --noout out.svg
mprof flame -o new.svg nothing.mprof
expect_status 3 "no log"
mprof flame -o new.svg "$srcdir/README.md"
expect_status 3 "not a log"
test ! -e new.svg || fail "a file without a log"

# A full disk is reported; the file of that name is kept.
if test -w /dev/full; then
	mprof flame -o /dev/full shares.mprof
	expect_status 1 "a full disk"
	expect_line err '^mprof: /dev/full: '
fi
echo kept >kept.svg
mprof flame -o kept.svg --value=heap shares.mprof
expect "the file" "$(cat kept.svg)" kept
cp shares.mprof same.mprof
mprof flame -o same.mprof same.mprof
expect_status 2 "the same file"
cmp shares.mprof same.mprof
mprof flame -o missing/out.svg shares.mprof
expect_status 1 "no directory"

# Standard input, also for a value that takes two passes.
"$MPROF" flame --value=heap - <growing.mprof >out.svg 2>err || test $? = 1
expect "standard input" "$(xpath "count(${frames}[contains(., 'static Shop.orders')])")" 1
