#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof control" changes the samples of a native program while it runs, and the log of a program that is killed states
# how they were taken. Needs a compiler and the module.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

needs_native_sampling

cat >program.c <<'END'
#include <pthread.h>
static volatile unsigned long sink;
static void *work(void *unused)
{
	for (;;)
		sink++;
	return unused;
}
int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	return 0;
}
END
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -O1 -pthread -o program program.c || skip "no compiler"
"${compiler[@]}" -O1 -pthread -finstrument-functions -o instrumented program.c || fail "compiler"

# starts PROGRAM OPTION...: runs it in the background.
starts() {
	local program=$1

	shift
	"$MPROF" record --force -o log.mprof "$@" -- "./$program" 2>err &
	recorder=$!
	await answers_or_ends && answers || fail "no answer: $(cat control.err err)"
}
answers_or_ends() {
	answers || ! kill -0 $recorder 2>/dev/null
}
answers() {
	"$MPROF" control $recorder status >status 2>control.err
}
controls() {
	mprof control $recorder "$@"
	expect_status 0 "control $*"
}
# The value of a line NAME=VALUE of the status.
value() {
	answers || fail "status: $(cat control.err)"
	sed -n "s/^$1=//p" status
}
has_more_samples() {
	test "$(value samples)" -gt "$before"
}
stops() {
	kill -KILL "$(value pid)"
	status=0
	wait $recorder || status=$?
	expect_status 137 "a killed program"
}

starts program --sample=500
expect "kinds" "$(value kinds)" samples
expect "rate" "$(value sample_hz)" 500
before=0
await has_more_samples || fail "no samples"
controls sample off
expect "rate" "$(value sample_hz)" 0
controls flush
# At most one more for each thread, whose signal was on its way.
before=$(value samples)
for _ in 1 2 3 4 5; do
	value samples >after
done
test "$(cat after)" -le $((before + 2)) || fail "$(cat after) samples after sampling stopped, $before before"
controls sample 2000
expect_line out '^sample_hz=2000$'
before=$(value samples)
await has_more_samples || fail "no samples after they were resumed"
controls sample on
expect "rate" "$(value sample_hz)" 500
for wrong in 0 10001 x; do
	mprof control $recorder sample $wrong
	expect_status 2 "sample $wrong"
done
# The totals are stated from time to time.
has_totals() {
	"$MPROF" control $recorder flush && cat ./*.part | grep -qa sample_time_ns
}
await has_totals || fail "no totals while the program runs"
stops
mprof report --json log.mprof
expect_status 0 "report"
expect_json "markers" '[.marks[].text]' \
	'["mprof control: sample off","mprof control: sample 2000","mprof control: sample on"]'
test "$(jq '.session.properties | [.sample_time_ns, .sample_hits] | map(tonumber) | min' out)" -gt 0 ||
	fail "no totals of a program that was killed"

# Calls are recorded of instrumented programs only.
starts instrumented --calls --sample
expect "kinds" "$(value kinds)" "calls, samples"
stops
