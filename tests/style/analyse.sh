#!/bin/bash
# SPDX-License-Identifier: MIT
# clang-tidy, cppcheck and shellcheck find nothing. .clang-tidy, cppcheck.supp and .shellcheckrc give the reasons for what
# is not looked at.
#
# analyse.sh BUILD: a directory that is configured. Called by .ci/run; takes long, hence no part of make check. Status 77
# if none of the programs is there.
set -eu

build=$(realpath "${1:?a directory that is configured}")
cd "$(dirname "$0")/../.."
jobs=$(nproc)
status=77

# judge COMMAND...: a failure of one is that of all.
judge() {
	if ! "$@"; then
		status=1
	elif test $status = 77; then
		status=0
	fi
}

# What .clang-tidy selects is printed to the standard output; counts of other warnings are not.
tidy() {
	make -s -C "$build" compile_commands.json || return
	find lib -name '*.c' ! -name '*_windows.c' ! -name 'windows_*.c' ! -name unsupported.c -print0 |
		xargs -0 -n 20 -P "$jobs" clang-tidy -p "$build" --quiet 2>"$build/clang-tidy.stderr"
}

shells() {
	find bootstrap .ci/run tests -name '*.sh' -o -path bootstrap -o -path .ci/run | LC_ALL=C sort >"$build/scripts"
	test "$(wc -l <"$build/scripts")" -gt 50 || return
	xargs -n 30 -P "$jobs" shellcheck --severity=warning --format=gcc <"$build/scripts"
}

if command -v clang-tidy >/dev/null && clang-tidy --version | grep -q 'version 14\.'; then
	judge tidy
else
	echo "SKIP: clang-tidy is missing, or not of version 14"
fi

if command -v cppcheck >/dev/null; then
	judge cppcheck -j"$jobs" --quiet --std=c11 --platform=unix64 --enable=warning,performance,portability \
		--suppressions-list=tests/style/cppcheck.supp --error-exitcode=1 --include="$build/config.h" \
		-DHAVE_CONFIG_H -DMPROF_UNSTABLE -Iinclude -Ilib -Iexamples -Iexamples/mprof \
		lib examples/mprof examples/shared
else
	echo "SKIP: cppcheck is missing"
fi

# Each script is read with those that it sources.
if command -v shellcheck >/dev/null; then
	judge shells
else
	echo "SKIP: shellcheck is missing"
fi
exit $status
