#!/bin/bash
# SPDX-License-Identifier: MIT
# No script gets a warning of shellcheck. .shellcheckrc gives the reasons for what is not looked at.
set -eu

command -v shellcheck >/dev/null || {
	echo "SKIP: shellcheck is missing"
	exit 77
}
cd "$srcdir"
scripts=(bootstrap)
test ! -e .ci/run || scripts+=(.ci/run)
while read -r script; do
	scripts+=("$script")
done < <(find tests -name '*.sh' | LC_ALL=C sort)
test ${#scripts[@]} -gt 50 || {
	echo "FAIL: only ${#scripts[@]} scripts were found"
	exit 1
}
shellcheck --severity=warning --format=gcc "${scripts[@]}"
