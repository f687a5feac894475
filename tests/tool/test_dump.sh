#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof dump" prints every block and event.
set -eu
LEAKS=1
. "$srcdir/tests/tool/support.sh"
needs jq

make_logs sample mail large

mprof dump --json sample.mprof
expect_status 0 "dump"
jq -c . out >lines || fail "not JSON"
expect "lines" "$(wc -l <lines)" "$(wc -l <out)"
expect "blocks" "$(jq -r 'select(.block) | .block' out | tr '\n' ' ')" \
	"intro directives mapping session thread lost loaded loaded events events statistical end "

# Blocks follow one another without gaps, and the last ends the file.
jq -s -e '[.[] | select(.block)] as $blocks | [range(1; $blocks | length) |
	$blocks[.].offset == $blocks[. - 1].offset + $blocks[. - 1].length + 6] | all' out >/dev/null || fail "offsets"
expect "end" "$(jq -s '[.[] | select(.block)][-1] | .offset + .length + 6' out)" "$(stat -c %s sample.mprof)"

jq -s '[.[] | select(.event)]' out >events
expect "events" "$(jq length events)" 52
expect "first event" "$(jq -c '.[0]' events)" '{"event":"thread-start","thread":"0x10","counter":1000000000,"value":16}'
expect "a call" "$(jq -c '.[1]' events)" '{"event":"method-enter","thread":"0x10","counter":1000001000,"method":1}'
expect "an allocation" "$(jq -c 'map(select(.event == "allocation"))[0] | [.class, .value, has("method")]' events)" \
	'[3,40,false]'
expect "collections" "$(jq -c 'map(select(.event == "gc-start") | .value)' events)" '[0,1]'
expect "samples" "$(jq -c 'map(select(.event == "sample") | .method)' events)" '[2,2,3]'
expect "names" "$(jq -c 'select(.block == "mapping") | [.classes[3].name, .methods[3].wrapper]' out)" \
	'["Bad\"\\\u0001\u001b[31m'$'\302\233''",true]'
expect "what is not UTF-8" \
	"$(jq -r 'select(.block == "mapping") | .classes[4].name' out)" "$(printf 'In\357\277\275valid')"
expect "facts" "$(jq -c 'select(.block == "session") | .properties' out)" \
	'{"program":"a \"quoted\" program","pid":"42"}'
expect "losses" "$(jq -c 'select(.block == "lost") | [.thread, .lost."no-buffer"]' out)" '["0x20",7]'
expect "assembly" "$(jq -c 'select(.block == "loaded") | [.id, .type, .assembly.name]' out | head -n 1)" \
	'[1,"assembly","Game"]'

# Numbers that programs would round are printed as text.
mprof dump --json large.mprof
expect_status 0 "dump of large counters"
expect "large counter" "$(jq -r 'select(.event == "method-enter") | .counter' out | head -n 1)" 1152921504606847976

mprof dump --json mail.mprof
expect_status 0 "dump of the mail's format"
expect "events of the mail's format" "$(jq -s '[.[] | select(.event)] | length' out)" 52

mprof dump sample.mprof
expect_status 0 "dump as text"
expect_line out '^ +0 intro, '
expect_line out '^    1000001000 method-enter 1 Game\.World\.Run \(string\[\]\)$'
expect_line out 'allocation 3 System\.String, 40 bytes'
# Names cannot control the terminal: neither names in a log nor file names.
cp sample.mprof "$(printf 'sample\033[31m')"
head -c 300 sample.mprof >"$(printf 'cut\033[31m')"
for command in dump report decode info check "info --json" "dump --json" "report --json" "check --json"; do
	for log in sample.mprof "$(printf 'sample\033[31m')" "$(printf 'cut\033[31m')"; do
		mprof $command "$log"
		! LC_ALL=C grep -q -e "$(printf '\033')" -e "$(printf '\302\233')" out err ||
			fail "an escape sequence came through $command"
	done
done

# A call stack is printed once, at its definition: the size of the text stays proportional to that of the log.
make_tree chain chain.mprof 20000
for form in "" --json; do
	# shellcheck disable=SC2086
	mprof dump $form chain.mprof
	expect_status 0 "dump $form of a long call stack"
	test "$(stat -c %s out)" -lt 8000000 || fail "dump $form: $(stat -c %s out) bytes"
done
expect "a sample" "$(jq -c 'select(.event == "sample") | [.stack, .name]' out | tail -n 1)" \
	'[20000,"Company.Product.Component.With.A.Name.That.Is.Long.TypeOfTheBranches.Branch1 (System.Collections.Generic.List`1<string>,int,object)"]'
expect "its definition" "$(jq -c 'select(.record == "stack" and .id == 20000) | [.method, .caller]' out)" '[1,19999]'

# Continued references have the address of their object.
make_tree objects objects.mprof
mprof dump --json objects.mprof
expect "objects of references" "$(jq -r 'select(.event | . and startswith("heap-")) | .object' out | tr '\n' ' ')" \
	"0x1000 0x1000 0x1000 0x2000 0x2000 "
mprof dump objects.mprof
expect "objects of references" "$(grep -c 'heap-references, at 0x1000, refers to' out)" 2

# A path from a root to an object of a class, by the names of roots and fields.
cat >path.jq <<'END'
def classes: [.[] | select(.block == "mapping") | .classes[] | {key: "\(.id)", value: .name}] | from_entries;
def edges: map(select(.event == "heap-object" or .event == "heap-references") | . as $event |
	range(.references | length) | {from: $event.object, to: $event.references[.], field: $event.fields[.]});
def find($edges; $class; $wanted): if $class[.object] == $wanted then "\(.text) -> \($wanted)"
	else . as $at | $edges[] | select(.from == $at.object) |
		{object: .to, text: "\($at.text) -> \(.field)"} | find($edges; $class; $wanted) end;
classes as $names | edges as $edges |
(map(select(.event == "heap-object") | {key: .object, value: $names["\(.class)"]}) | from_entries) as $class |
(map(select(.record == "root") | {key: "\(.id)", value: "\(.kind) \(.name)"}) | from_entries) as $roots |
first(.[] | select(.event == "heap-root") | {object, text: $roots["\(.root)"]} | find($edges; $class; "Payload"))
END
make_tree path path.mprof
mprof dump --json path.mprof
expect "a path" "$(jq -s -r -f path.jq out)" "static OrderCache.cache -> entries -> [].value -> Payload"
expect "offsets" "$(jq -c 'select(.offsets) | [.offsets, .fields]' out | tr '\n' ' ')" \
	'[[16],["entries"]] [[72],["[].value"]] [[8],[null]] '
expect "fields" "$(jq -c 'select(.record == "field") | [.class, .offset, .stride, .declared_by, .name]' out |
	tr '\n' ' ')" '[1,16,0,0,"entries"] [2,40,24,0,"[].key"] [2,48,24,0,"[].value"] '
mprof dump path.mprof
expect_line out 'heap-object 1 Dictionary, .* refers to 0x2000 \(entries\)$'
expect_line out 'heap-references, at 0x2000, refers to 0x3000 \(\[1\]\.value\)$'
expect_line out 'heap-object 3 Payload, .* refers to 0x2000 \(offset 8\)$'
expect_line out 'field 2 Entry\[\], offset 40, every 24 bytes, \[\]\.key$'

mprof dump --blocks --json sample.mprof
expect "blocks alone" "$(jq -s 'map(has("block")) | [length, all]' -c out)" '[12,true]'
