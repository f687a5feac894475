#!/bin/bash
# SPDX-License-Identifier: MIT
# Each command of each page of "mprof help TOPIC" works as written, and finds what the page is about. The pages in
# mprof(1) are the same.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Topics
mv Topics.exe app.exe
# The program of the topic native.
cat >app.c <<'END'
#include <math.h>
double sum;
__attribute__((noinline)) void compute(int count)
{
	for (int i = 1; i < count; i++)
		sum += sqrt(i);
}
int main(void)
{
	for (int i = 0; i < 100; i++)
		compute(1000000);
	return sum < 0;
}
END
${CC:-cc} -O1 -o app app.c -lm
mprof() {
	timeout 120 "$MPROF" "$@"
}

mprof help >help
sed -n '/^mprof help TOPIC/,/^$/s/^  \([a-z]*\) .*/\1/p' help >topics
test "$(paste -sd' ' topics)" = "leak slow stutter startup locks async native" || fail "the topics: $(paste -sd' ' topics)"
! mprof help leek 2>err >/dev/null || fail "status for a topic that does not exist"
grep -q "did you mean 'leak'" err || fail "no suggestion for leek: $(cat err)"

# The pages in the manual, as text.
sed -n '/^\.SH TOPICS$/,/^\.SH COMMANDS$/p' "$srcdir/doc/mprof.1" |
	sed -e 's/^\.SS \(.*\)/\1\n/' -e '/^\.nf$/d; /^\.fi$/d; /^\.S[HS]/d' -e 's/\\-/-/g; s/\\(aq/'\''/g; s/\\&//; s/\\e/\\/g' >manual

while read -r topic; do
	mprof help "$topic" >page
	sed -n "/^$topic: /,/^\(leak\|slow\|stutter\|startup\|locks\|async\|native\): /p" manual | sed '1n; /^[a-z]*: /d' >described
	diff page described >differences || fail "$topic: page (<) and manual (>): $(cat differences)"
	sed -n 's/^  \(mprof .*\)/\1/p' page >commands
	test "$(wc -l <commands)" = 3 || fail "$topic: not three commands: $(cat commands)"
	test "$(head -n 1 commands | cut -d' ' -f1,2)" = "mprof record" || fail "$topic: $(head -n 1 commands)"
	number=0
	while read -r command; do
		number=$((number + 1))
		# shellcheck disable=SC2086 # The commands have no quoted arguments.
		(set -f && set -- $command && shift && mprof "$@") </dev/null >"$topic.$number" 2>err ||
			fail "$topic: $command: $(cat err)"
		test -s "$topic.$number" || test $number = 1 || test "$topic.$number" = native.3 || fail "$topic: $command prints nothing"
	done <commands
done <topics

# finds FILE TEXT: the output of a command contains the cause.
finds() {
	grep -qE "$2" "$1" || fail "$1 lacks $2: $(head -c 4000 "$1")"
}
finds leak.2 Leaked
finds leak.2 'Topics.*kept|kept'
finds leak.3 Leaked
finds slow.2 'Topics\.Compute'
finds slow.3 'Topics\.Compute'
finds stutter.2 'collection'
finds stutter.2 Gate
finds stutter.3 '^window:'
finds startup.2 'Topics\.Main'
finds startup.2 '^Compilation'
finds startup.3 '^window:'
finds locks.2 'Gate'
finds locks.2 'Topics\.Hold'
finds locks.3 'Topics\.Hold'
finds async.2 'await: Topics\.Answer#1'
finds async.3 'Topics\.Answer#1'
finds native.2 'compute'
grep -q compute native.svg || fail 'the picture lacks the function'
