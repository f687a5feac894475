#!/bin/bash
# SPDX-License-Identifier: MIT
# A Mono program that executes another one itself: it is not sampled meanwhile, since the signal of a sample would end
# the new program, and it is sampled again if the program cannot be executed.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

cat >busy.c <<'END'
#include <time.h>
static int work(void)
{
	struct timespec now;
	long start;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	start = now.tv_sec * 1000 + now.tv_nsec / 1000000;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < start + 300);
	return 0;
}
int busy(void) { return work(); }
int exec_busy(void) { return work(); }
END
${CC:-cc} -O1 -shared -fPIC -o libbusy.so busy.c || skip "no compiler"
compile Exec
export LD_LIBRARY_PATH="$PWD:$LD_LIBRARY_PATH"

# samples METHOD: with the method on the stack.
samples() {
	jq "[.methods[] | select(.name | contains(\"$1\")).total_hits] | add // 0" report.json
}

for options in --sample=1000 "--sample=1000 --calls" "--sample=1000 --sample-source=timer" \
	"--sample=1000 --sample-source=runtime" "--sample=1000 --sample-real"; do
	status=0
	# shellcheck disable=SC2086
	timeout 120 "$MPROF" record -q --force $options -o exec.mprof -- mono Exec.exe >exec.out 2>&1 || status=$?
	expect "$options: status" $status 0
	"$MPROF" check exec.mprof >check.out || fail "$options: check: $(cat check.out)"
	"$MPROF" report --json exec.mprof >report.json
	for method in WorkBefore WorkAfter; do
		test "$(samples $method)" -gt 0 || fail "$options: no samples of $method"
	done
	# A signal that the runtime sent meanwhile is handled afterwards.
	during=$(samples WorkAsExec)
	test "$during" -le 1 || fail "$options: $during samples while a program is executed"
done
