#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a test program: run_program.sh PROGRAM [ARGUMENTS]
#
# Criterion does not look at how the processes of its tests end, so what a sanitizer reports there, a leak above all,
# would go unseen. Here it is a failure.
set -u

if test -z "${MPROF_SANITIZED:-}"; then
	exec "$@"
fi

output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$@" >"$output" 2>&1
status=$?
cat "$output"
if grep -qE '(ERROR|WARNING): [A-Za-z]*Sanitizer|runtime error: ' "$output"; then
	echo "FAIL: a sanitizer has something to report"
	test $status != 0 || status=1
fi
exit $status
