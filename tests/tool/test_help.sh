#!/bin/bash
# SPDX-License-Identifier: MIT
# The help text of each command, its section of mprof(1) and the completion have the same options. Help texts
# end with examples, whose options the command has.
set -eu
. "$srcdir/tests/tool/support.sh"

page=$srcdir/doc/mprof.1
# complete WORD...: what the completion offers for the last word.
complete() {
	"$MPROF" complete "$@" | cut -f1
}

# Long options in a text, each once and without their values.
long_options() {
	{ grep -oE -e '(^|[^a-z-])--[a-z][a-z-]*' || true; } | grep -oE -e '--[a-z-]+' | LC_ALL=C sort -u
}

# Options that the command defines: those that begin a line of its help text, before the examples.
help_options() {
	sed '/^Examples:/,$d' out | sed -nE 's/^  ((-[a-z], )?--[a-z].*)/\1/p' | sed -E 's/ {2,}.*//' | long_options
}

# Options that the section of a command describes: those in the tags of its paragraphs.
page_options() {
	awk -v command="$1" '
		/^\.S[SH] / { inside = $1 == ".SS" && $2 == command; next }
		inside && tag { print; tag = 0 }
		inside && /^\.(TP|TQ)/ { tag = 1 }' "$page" | sed 's/\\-/-/g; s/\\fI[^\\]*\\fR//g' | long_options
}

mprof --help
commands=$(sed -nE '/^mprof help TOPIC/,$d; s/^  ([a-z]+) +[a-z].*/\1/p' out | grep -v '^mprof$')
test "$(wc -w <<<"$commands")" -ge 9 || fail "the commands in the help text: $commands"

for command in $commands; do
	mprof "$command" --help
	help_options >listed
	sed -n '/^Examples:/,$p' out >examples
	test "$(wc -l <examples)" -ge 2 || fail "$command --help does not end with examples"
	sed 1d examples | grep -vE "^  mprof $command( |\$)" && fail "$command --help: examples of something else"
	sed 1d examples | long_options | LC_ALL=C comm -13 listed - >unknown
	test ! -s unknown || fail "$command --help: examples have unknown options: $(paste -sd' ' unknown)"
	while read -r line; do
		test ${#line} -le 120 || fail "$command --help: a line has ${#line} characters"
	done <out

	complete "$command" - | long_options >completed
	diff listed completed >differences || fail "$command: help text (<) and completion (>): $(cat differences)"
	# Options of all commands are described once, before the sections.
	page_options "$command" >described
	grep -vxE -e '--(help|version|json|threads)' listed >own || true
	LC_ALL=C comm -23 own described >missing
	test ! -s missing || fail "mprof(1) lacks options of $command: $(paste -sd' ' missing)"
	LC_ALL=C comm -13 listed described >unknown
	test ! -s unknown || fail "mprof(1) has options that $command lacks: $(paste -sd' ' unknown)"
	complete "${command:0:2}" | grep -qx "$command" || fail "the completion lacks the command $command"
	complete help "${command:0:2}" | grep -qx "$command" || fail "the completion lacks help $command"
done

# The commands of mprof control.
mprof control --help
sed -n '/COMMAND is$/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' out >listed
test "$(wc -l <listed)" -ge 6 || fail "the commands in the help text of control: $(paste -sd' ' listed)"
expect "completion of control" "$(complete control 1 '' | paste -sd' ')" "$(paste -sd' ' listed)"
while read -r word; do
	grep -qE "^\.B[RI]? \"?$word( |\$)" "$page" || fail "mprof(1) lacks mprof control $word"
done <listed

# The dialects that can be written are the same everywhere.
mprof convert --dialect=none sample.mprof copy.mprof
dialects=$(sed -n "s/.*is not one of //p" err | tr -d , | tr ' ' '\n' | LC_ALL=C sort | paste -sd' ')
test "$(wc -w <<<"$dialects")" -ge 5 || fail "the dialects in the message: $dialects"
expect "completion of --dialect" "$(complete convert --dialect= | sed 's/.*=//' | LC_ALL=C sort | paste -sd' ')" "$dialects"
expect "completion of --format" "$(complete record --format '' | LC_ALL=C sort | paste -sd' ')" "$dialects"
for command in convert record; do
	mprof $command --help
	for dialect in $dialects; do
		grep -qE -e "--(dialect|format)=DIALECT .*\\b$dialect\\b" out || fail "$command --help lacks the dialect $dialect"
	done
done

# The formats of mprof export are those of the manual: the tags between .RS and .RE after the option.
mprof export --to=help
sed -nE 's/^  ([a-z-]+) .*/\1/p' out | LC_ALL=C sort >listed
test "$(wc -l <listed)" -ge 10 || fail "the formats of export: $(paste -sd' ' listed)"
awk '/^\.SS / { inside = $2 == "export" }
	inside && /^\.RS/ { in_list = 1 }
	inside && /^\.RE/ { in_list = inside = 0 }
	in_list && tag { print $2 }
	{ tag = /^\.TP/ }' "$page" | sed 's/\\-/-/g' | LC_ALL=C sort >described
diff listed described >differences || fail "formats of export, in the help (<) and in mprof(1) (>): $(cat differences)"
