#!/bin/bash
# SPDX-License-Identifier: MIT
# The keys of JSON documents are exactly those that the manual lists: each is in every document, null if a log does not
# contain it, and in every row of a table. Together the logs fill every table.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

make_logs sample full memory empty mail

# Prints missing keys. The input is the list of documented_keys.awk. Rows are the objects that have a key: the
# documents, and the elements of their tables and objects.
cat >missing.jq <<'END'
def rows($path): reduce $path[:-1][] as $key (.;
	map(.[$key]? | if type == "array" then .[] elif type == "object" then . else empty end));
. as $documents | $keys | split("\n")[] | select(. != "") | . as $line | split(".") as $path |
($documents | rows($path)) as $rows |
if $rows == [] then "\($line): no rows"
elif $rows | all(type == "object" and has($path[-1])) then empty
else "\($line): missing" end
END

# Prints keys that are not listed. The keys of some objects are names of kinds, causes or properties.
cat >unknown.jq <<'END'
def names:
	if type == "array" then .[] | names
	elif type == "object" then to_entries[] | .key, (select(.key | IN("blocks", "events", "records",
		"shortened_blocks", "shortened_events", "lost_by_cause", "properties", "roots_by_kind") | not) |
		.value | names)
	else empty end;
($keys | split("\n") | map(split(".")[]) + ["schema_version"]) as $known | [.[] | names] | unique - $known | .[]
END

# documented DOCUMENT: its keys.
documented() {
	awk -v document="$1" -f "$srcdir/tests/tool/documented_keys.awk" "$srcdir/doc/mprof.1"
}
info=$(documented info)
report=$(documented report; sed 's/^/session./' <<<"$info")
check=$info$'\n'$(documented check)

# check_keys NAME KEYS FILE...: checks documents that together have rows in every table.
check_keys() {
	local name=$1 keys=$2
	shift 2
	test "$(wc -l <<<"$keys")" -gt 10 || fail "$name: the manual lists only $keys"
	jq -s -r --arg keys "$keys" -f missing.jq "$@" >missing || fail "$name: jq"
	test ! -s missing || fail "$name: $(cat missing)"
	jq -s -r --arg keys "$keys" -f unknown.jq "$@" >unknown || fail "$name: jq"
	test ! -s unknown || fail "$name: not in the manual: $(xargs <unknown)"
}

head -c 300 sample.mprof >cut.mprof
"$builddir/tests/tool/make_timeline" timeline.mprof || fail "make_timeline"
"$builddir/tests/tool/make_spans" spans.mprof || fail "make_spans"
"$builddir/examples/small/gpu/gpu" gpu.mprof >printed || fail "the example of clocks"
"$builddir/examples/small/metrics/metrics" jobs.mprof || fail "the example of metrics"
"$builddir/tests/tool/record_generations" generations.mprof || fail "record_generations"
# 77: a library without the recorder.
"$builddir/tests/tool/make_lines" positions.mprof || { test $? -eq 77 && exit 77; fail "make_lines"; }
"$builddir/tests/tool/record_kinds" kinds.mprof || fail "record_kinds"
"$builddir/tests/tool/record_code" code.mprof || fail "record_code"
for log in sample full memory empty mail timeline spans gpu jobs generations positions kinds code cut; do
	for command in info report check; do
		options=()
		test $command != report || options=(--time=0- --pauses --timeline --ages --percentiles --slowest
			'--callers=*' '--callees=*' --inverted)
		mprof $command --json "${options[@]}" $log.mprof
		test "$status" = 0 || expect "$command $log: status" "$log$status" cut1
		cp out $log.$command
	done
	mprof heap --json --referrers='*' --referencing='*' --object=0x1000 $log.mprof
	cp out $log.heap
	mprof handles --json $log.mprof
	cp out $log.handles
	mprof top --once --json $log.mprof
	cp out $log.top
	mprof diff --json --sites --tree --fail-above=0 --of=allocated full.mprof $log.mprof
	cp out $log.diff
	mprof convert --json --dialect=drop $log.mprof copy.mprof
	cp out $log.convert
done
make_tree growing growing.mprof 4
mprof heap --json --leaks --object=0x10000 growing.mprof
cp out growing.heap
make_tree origins origins.mprof
mprof heap --json --object=0x2000 --min-age=0 origins.mprof
cp out origins.heap
mprof diff --json memory.mprof memory.mprof
cp out memories.diff
mprof diff --json --shots=1,4 growing.mprof
cp out growing.diff
mprof diff --json --shots=1,2 origins.mprof
cp out origins.diff
# Rows about lines of native code need a program with debug information.
if test -z "${MPROF_WITHOUT_LIBDW-}" && command -v gcc nm objcopy readelf >/dev/null; then
	. "$srcdir/tests/tool/code.sh"
	write_app
	gcc -g -O2 -o app app.c
	make_app_log app lines.mprof
	mprof report --json lines.mprof
	cp out lines.report
else
	report=$(grep -vE '^(sample_lines|debug_information)\.' <<<"$report")
fi
check_keys info "$info" ./*.info
check_keys report "$report" ./*.report
check_keys check "$check" ./*.check
check_keys top "$(documented top)" ./*.top
check_keys heap "$(documented heap)" ./*.heap
check_keys handles "$(documented handles)"$'\n'"$(grep '^handles' <<<"$report")" ./*.handles
check_keys diff "$(documented diff)" ./*.diff
check_keys convert "$(documented convert)" ./*.convert

# The test detects a listed key that is missing, and a key that is not listed.
jq 'del(.memory.places[0].stack)' memory.report >changed.report
expect "found" "$(jq -s -r --arg keys "$report" -f missing.jq ./*.report)" "memory.places.stack: missing"
jq '.marks[0].more = 1' full.report >changed.report
expect "found" "$(jq -s -r --arg keys "$report" -f unknown.jq ./*.report)" more
