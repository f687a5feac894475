#!/bin/sh
# SPDX-License-Identifier: MIT
# Sums up what "make check" left in build trees: results.sh [--failures | --slowest] BUILD...
#
# Prints "N passed, N failed, N skipped". A program made with Criterion counts as many tests as it
# reports, anything else counts as one. With --failures the ends of the logs of what failed are printed instead, with
# --slowest the ten tests that took longest. Status 1 if anything failed.
set -eu

show_failures=no
if test "${1-}" = --failures; then
	show_failures=yes
	shift
fi

if test "${1-}" = --slowest; then
	shift
	for build in "$@"; do
		grep -r --include='*.log' '^TIME: ' "$build/tests" |
			sed 's|^\(.*\)\.log:TIME: \(.*\)$|\2 \1|' | LC_ALL=C sort -rn | sed 10q
	done
	exit
fi

# Criterion's last line: "[====] Synthesis: Tested: 5 | Passing: 4 | Failing: 1 | Crashing: 0"
count_one() {
	awk -v result="$1" '
		# Not every release of Criterion counts these itself.
		/^\[SKIP\]/ { skipped++ }
		/Synthesis: Tested:/ {
			counted = 1
			for (i = 1; i < NF; i++) {
				if ($i == "Passing:") passed = $(i + 1)
				if ($i == "Failing:") failed = $(i + 1)
				if ($i == "Crashing:") failed += $(i + 1)
				if ($i == "Skipped:") skipped = $(i + 1)
			}
		}
		END {
			if (!counted && result == "PASS") passed = 1
			if (!counted && result == "SKIP") skipped = 1
			# A program can fail although all of its tests passed, for instance by a leak found at its end.
			if (result != "PASS" && result != "SKIP" && !failed) failed = 1
			print passed + 0, failed + 0, skipped + 0
		}' "$2"
}

passed=0
failed=0
skipped=0
retried=0
for build in "$@"; do
	for record in $(find "$build/tests" -name '*.trs' | LC_ALL=C sort); do
		log=${record%.trs}.log
		result=$(sed -n 's/^:global-test-result: //p' "$record")
		set_of_counts=$(count_one "$result" "$log")
		failures=${set_of_counts#* }
		failures=${failures% *}
		passed=$((passed + ${set_of_counts%% *}))
		failed=$((failed + failures))
		skipped=$((skipped + ${set_of_counts##* }))
		retries=$(grep -c '^RETRY: ' "$log") || true
		retried=$((retried + retries))
		if test $show_failures = no && test "$retries" != 0; then
			sed -n "s|^RETRY: |retried in ${log#"$build"/}: |p" "$log"
		fi
		if test $show_failures = yes && test "$failures" != 0; then
			printf '\n==== %s: %s\n' "$result" "${log#"$build"/}"
			tail -n 60 "$log"
		fi
	done
done

test $show_failures = yes || test $retried = 0 || echo "$retried retried"
test $show_failures = yes || echo "$passed passed, $failed failed, $skipped skipped"
test "$failed" = 0
