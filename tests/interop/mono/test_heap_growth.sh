#!/bin/bash
# SPDX-License-Identifier: MIT
# What mprof heap --leaks finds in programs that leak in a known way, and that it finds nothing in those that do not.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Growing

# leaks WHAT ROUNDS: the result is in found, as JSON and as text.
leaks() {
	profiled heap,quiet,output=growing.mprof Growing.exe "$1" "$2"
	check_complete growing.mprof
	"$MPROF" heap --leaks --json growing.mprof >found.json
	"$MPROF" heap --leaks growing.mprof >found
}

# fact FILTER: applies jq to the result.
fact() {
	jq -c "$1" found.json
}

# path LEAK: its root, and the field that leads to each step.
path='(.leaks[0] | [.root.kind + " " + .root.name] + [.steps[].field | select(. != null)] | join(" -> "))'

# Each round adds 200 orders. The last snapshot is that of the runtime shutting down.
leaks cache 4
expect "cache: classes" "$(fact '[.leaks[].class]')" '["Growing.Order"]'
expect "cache: path" "$(fact "$path")" '"static Growing.OrderCache.cache -> _entries -> [].value"'
expect "cache: figures" "$(fact '.leaks[0] | [.shots, .objects_first, .objects_last, .bytes_last == .bytes_first * 4]')" \
	'[4,200,800,true]'
expect "cache: snapshots" "$(fact '[.leak_shots.compared, .leak_shots.at_shutdown]')" '[4,1]'
# What a leaked order holds counts for it: an order, its text, its array and three lines.
expect "cache: the classes of the steps" "$(fact '[.leaks[0].steps[].class | sub("`.*"; "")] | .[0]')" \
	'"System.Collections.Generic.Dictionary"'
grep -qxF "    held by static Growing.OrderCache.cache -> _entries -> [].value" found || fail "text: $(cat found)"
grep -q "^  Growing.Order grew in 4 of 4 snapshots, .* -> .*, 200 -> 800 objects" found || fail "text: $(cat found)"

# If the log does not state which snapshots are those of the end, the last one need not show growth.
LC_ALL=C sed s/snapshots_before_shutdown/snapshots_before_shutdowN/ growing.mprof >unstated.mprof
cmp -s growing.mprof unstated.mprof && fail "the log does not state the snapshots of the end"
"$MPROF" heap --leaks unstated.mprof >found 2>err || true
grep -q "^  Growing.Order grew in 4 of 5 snapshots, .* -> .*, 200 -> 800 objects" found || fail "the end: $(cat found err)"

# All links of a list have the same path, however long the list is.
leaks list 4
expect "list: classes" "$(fact '[.leaks[] | [.class, .objects_first, .objects_last]]')" '[["Growing.Link",200,800]]'
expect "list: path" "$(fact "$path")" '"static Growing.Program.list"'

# Objects that an event refers to.
leaks events 4
expect "events: path" "$(fact "$path" | sed 's/Changed.*/Changed/')" '"static Growing.Program.subject -> Changed'
expect "events: figures" "$(fact '.leaks[0] | .objects_last - .objects_first')" 600

# A cache that fills, growth that is undone, weak references, and objects that die in each round. Tables of the runtime
# may grow by a few objects meanwhile.
for what in fills shrinks weak nothing; do
	leaks "$what" 6
	expect "$what: snapshots" "$(fact .leak_shots.compared)" 6
	expect "$what" "$(fact '[.leaks[] | select(.root.kind != "runtime") | .class]')" '[]'
	test "$(fact '.leaks | length')" != 0 ||
		grep -q '^No class grew from snapshot to snapshot: 6 were compared\.$' found || fail "$what: $(cat found)"
done

# Two snapshots do not show growth.
leaks cache 2
expect "two snapshots" "$(fact '[.leaks, .leak_shots.compared]')" '[[],2]'
grep -q '^Growth is only visible in three or more .* the log has 2\.$' found || fail "two snapshots: $(cat found)"

# A log that is truncated in the last snapshot: those before are compared, and the loss is stated.
leaks cache 5
offset=$("$MPROF" dump --json growing.mprof | grep '"block":"heap-data"' | jq -s 'map(select(.shot == 5))[-1].offset')
head -c $((offset + 100)) growing.mprof >truncated.mprof
status=0
"$MPROF" heap --leaks truncated.mprof >found 2>err || status=$?
expect "truncated: status" "$status" 1
grep -q '^  Growing.Order grew in 4 of 4 snapshots' found || fail "truncated: $(cat found)"
grep -q '^  Not compared: 1 incomplete heap snapshot: number 5\.' found || fail "truncated: $(cat found)"
expect "truncated: message" "$(grep -c "^mprof: truncated.mprof: offset $offset: " err)" 1

# Standard input is read as well.
"$MPROF" heap --leaks --json - <growing.mprof | jq -c .leaks >piped.json
"$MPROF" heap --leaks --json growing.mprof | jq -c .leaks | cmp - piped.json || fail "standard input"
# shellcheck disable=SC2002 # a pipe is what is tested
cat growing.mprof | "$MPROF" heap --leaks --json - | jq -c .leaks | cmp - piped.json || fail "a pipe"
