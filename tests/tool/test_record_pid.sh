#!/bin/bash
# SPDX-License-Identifier: MIT
# mprof record --pid: samples of all threads of a program that runs already, also those that start later and those that
# have ended; functions, callers without frame pointers, names; the program goes on. What cannot be recorded has a reason.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq
test -z "${MPROF_SANITIZED-}" || skip "not with sanitizers: the limits of memory do not fit the rings"

# refuse PATTERN ARGUMENT...: the exit status is 2, and there is one sentence.
refuse() {
	mprof record "${@:2}"
	expect_status 2 "record ${*:2}"
	expect_line err "$1"
}
refuse 'there is no process 999999999' --pid=999999999
refuse "'x' is not the number of a process" --pid x
refuse "'-5' is not the number of a process" --pid=-5
refuse 'exclude each other' --pid=1 -- true
refuse '\-\-duration needs --pid' --duration=1s -- true
refuse "'--alloc' needs a program that" --pid=$$ --alloc
refuse 'no PROGRAM' --sample
refuse 'for programs that' --pid=$$ --children

test "$(uname -sm)" = "Linux x86_64" || skip "processes are sampled only on Linux for x86-64; the rest was tested"
# A program whose main thread and first worker run already, and that starts another worker on request.
cat >app.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
volatile double sum;
volatile int is_over;
__attribute__((noinline)) void innermost(void)
{
	for (int i = 0; i < 10000; i++)
		sum += i;
}
__attribute__((noinline)) int compare(const void *a, const void *b)
{
	innermost();
	return *(const int *)a - *(const int *)b;
}
__attribute__((noinline)) void through_library(void)
{
	int numbers[] = {3, 1, 2};
	qsort(numbers, 3, sizeof(int), compare);
}
static void *work(void *name)
{
	pthread_setname_np(pthread_self(), name);
	while (!is_over)
		through_library();
	return NULL;
}
int main(void)
{
	pthread_t first, second;
	pthread_create(&first, NULL, work, "first");
	puts("ready");
	fflush(stdout);
	getchar();
	pthread_create(&second, NULL, work, "second");
	puts("started");
	fflush(stdout);
	getchar();
	is_over = 1;
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 7;
}
END
${CC:-cc} -O1 -fomit-frame-pointer -pthread -o app app.c || skip "no compiler"
mkfifo commands
./app <commands >answers &
app=$!
exec 5>commands
await grep -q ready answers

"$MPROF" record --pid=$app -o app.mprof 2>messages &
recorder=$!
await test -s app.mprof || true
if ! kill -0 $recorder 2>/dev/null; then
	wait $recorder && status=0 || status=$?
	exec 5>&-
	wait $app || true
	expect "status if the system refuses" $status 2
	expect_line messages 'cannot be sampled: '
	skip "the system does not allow it: $(cat messages)"
fi
echo >&5
await grep -q started answers
# Until both threads have samples: the log is written while the program runs.
has_both() {
	"$MPROF" report --json app.mprof >out 2>/dev/null || test $? = 1 || return 1
	test "$(jq '[.threads[] | select((.name == "first" or .name == "second") and .samples >= 20)] | length' out)" = 2
}
await has_both
kill -INT $recorder
wait $recorder && status=0 || status=$?
expect "status" $status 0
expect_line messages '^mprof: app.mprof: [0-9]+ bytes, [0-9]+ events, [0-9]+ lost$'
kill -0 $app || fail "the program ended with the recording"

mprof check app.mprof
expect_status 0 "check"
mprof report --json app.mprof
expect_json "threads" '[.threads[].name] | sort' '["app","first","second"]'
expect_json "function" '[.samples[] | select(.name == "innermost")] | .[0].hits > 30' true
expect_json "callers" '([.samples[] | select(.name == "through_library") | .total_hits][0]) as $outer |
	([.samples[] | select(.name == "innermost") | .total_hits][0]) as $inner | $outer >= $inner * 9 / 10' true
expect_json "session" '.session.properties | [.sample_clock, .sample_source, .recorder]' \
	'["processor","perf","mprof record --pid"]'
expect_json "modules" '[.samples[] | select(.name == "innermost") | .module | test("/app$")]' '[true]'
mprof dump --json app.mprof
expect "build ID" "$(jq -r 'select(.record == "module" and (.file | test("/app$"))) | .build_id | length' out | head -n 1)" \
	"$(readelf -n app 2>/dev/null | sed -n 's/.*Build ID: //p' | tr -d '\n' | wc -c)"

# For a time, to the default name; a file that exists is kept.
mprof record --pid=$app --duration=300ms --sample=500
expect_status 0 "a duration"
test -s app.2.mprof || fail "no second log: $(ls)"
mprof report --json app.2.mprof
expect_json "rate" '.session.properties | [.sample_hz, .sample_period_ns]' '["500","2000000"]'
mprof record --pid=$app --duration=100ms -o app.mprof
expect_status 2 "a file that exists"

# A program that ends while it is recorded, and its own exit status.
"$MPROF" record --pid=$app -o end.mprof 2>messages &
recorder=$!
await test -s end.mprof
echo >&5
wait $app && status=0 || status=$?
expect "status of the program" $status 7
wait $recorder || fail "status of a recording until the end: $(cat messages)"
mprof check end.mprof
expect_status 0 "check of a recording until the end"
