#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs a test: run_test.sh PROGRAM [ARGUMENTS]
#
# One that is not done after fifteen minutes, or MPROF_TEST_SECONDS, has failed; what ran then is listed. Nothing that a test
# started in its process group outlives it.
#
# Criterion does not look at how the processes of its tests end, so what a sanitizer reports there, a leak above all,
# would go unseen. Here it is a failure.
#
# The last line is the time that the test took; tests/results.sh lists the longest.
set -u

seconds=${MPROF_TEST_SECONDS:-900}
output=
if test -n "${MPROF_SANITIZED-}"; then
	output=$(mktemp)
	exec 3>&1 >"$output" 2>&1
fi

# The processes of the test, and what their threads wait for in the kernel.
list_processes() {
	for process in $(sed -n "s/^\([0-9]*\) (.*) . [0-9]* $1 .*/\1/p" /proc/[0-9]*/stat 2>/dev/null); do
		echo "$process: $(tr '\0' ' ' 2>/dev/null <"/proc/$process/cmdline")"
		for thread in "/proc/$process/task"/*; do
			echo "	$(cat "$thread/comm" "$thread/wchan" "$thread/syscall" 2>/dev/null | xargs)"
		done
	done
}

# With job control it has a process group of its own, and signals are not ignored in it.
set -m
timeout --kill-after=10 "$seconds" "$@" </dev/null &
group=$!
(
	sleep $((seconds - 1))
	list_processes $group
) </dev/null &
watcher=$!
disown "$watcher"
trap 'kill -KILL -- -$watcher; kill -TERM -- -$group; wait $group' HUP INT TERM
wait $group
status=$?
kill -KILL -- -$group -$watcher 2>/dev/null
test $SECONDS -lt "$seconds" || echo "FAIL: not done after $seconds seconds"

if test -n "$output"; then
	cat "$output" >&3
	if grep -qE '(ERROR|WARNING): [A-Za-z]*Sanitizer|runtime error: ' "$output"; then
		echo "FAIL: a sanitizer has something to report" >&3
		test $status != 0 || status=1
	fi
	rm -f "$output"
	exec >&3
fi
echo "TIME: $SECONDS s"
exit $status
