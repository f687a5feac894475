#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof control calls" selects the calls of a native program that are recorded from then on: all, none, or those of
# functions that match a pattern, also if the program was started without calls. Needs a compiler and the module.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq
needs_native_sampling

cat >steps.c <<'END'
#include <pthread.h>
#include <stdio.h>
static volatile int sum;
static void step(int n) { sum += n; }
static void other(int n) { sum -= n; }
/* Runs commands until "-1"; "0" runs the next ones in a call that stays open. */
static void run(void)
{
	int count;

	while (scanf("%d", &count) == 1 && count >= 0) {
		for (int i = 0; i < count; i++) {
			step(i);
			other(i);
		}
		if (count == 0)
			run();
		puts("done");
		fflush(stdout);
	}
}
static void *run_thread(void *unused)
{
	run();
	return unused;
}
int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_thread, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	return 0;
}
END
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -O0 -pthread -finstrument-functions -o steps steps.c || skip "no compiler"
mkdir -m 700 run
export XDG_RUNTIME_DIR=$work/run

starts() {
	coproc steps { exec "$MPROF" record -q --force -o log.mprof "$@" ./steps 2>steps.err; }
	recorder=$steps_PID
	# The pipes are closed when the program ends.
	exec {to_steps}>&"${steps[1]}" {from_steps}<&"${steps[0]}"
}
steps() {
	local line
	echo "$1" >&"$to_steps"
	test "$1" != 0 || return 0
	read -r -t 60 -u "$from_steps" line || fail "no answer of the program: $(cat steps.err)"
	expect "output of the program" "$line" "done"
}
answers() {
	"$MPROF" control $recorder status >status 2>control.err
}
# expect_value NAME VALUE: of the status.
expect_value() {
	answers || fail "status: $(cat control.err)"
	expect "$1" "$(sed -n "s/^$1=//p" status)" "$2"
}
controls() {
	mprof control $recorder calls "$1"
	expect_status 0 "calls $1"
	expect "the answer to calls $1" "$(cat out)" "calls=$1"
}
# ends MARKS: the program ends; the log has these markers.
ends() {
	exec {to_steps}>&-
	# shellcheck disable=SC1083,SC2093 # closes a descriptor
	exec {steps[1]}>&- || true
	status=0
	wait $recorder || status=$?
	expect_status 0 "the program: $(cat steps.err)"
	exec {from_steps}<&-
	mprof check log.mprof
	expect_status 0 "check"
	mprof report --json log.mprof
	expect_json "markers" '[.marks[].text]' "$1"
}
# calls FUNCTION COUNT: in the report.
calls() {
	expect_json "$1" "[.methods[] | select(.name == \"$1\").calls] | add // 0" "$2"
}

starts --calls
steps 10
expect_value calls on
expect_value kinds calls
controls off
steps 20
expect_value calls off
# A call that is entered while no calls are recorded returns while they are.
steps 0
controls on
steps 5
steps -1
# The other way round, and at last neither is recorded.
steps 0
controls 'oth*'
steps 40
steps -1
controls 'class:steps'
steps 80
controls 'class:none'
steps 160
controls on
steps 3
ends "$(printf '"mprof control: calls %s"\n' off on 'oth*' class:steps class:none on | jq -sc .)"
calls step $((10 + 5 + 80 + 3))
calls other $((10 + 5 + 40 + 80 + 3))
calls run 2

# With patterns from the start, which are valid in addition; and with a limit of depth.
starts --calls --not=other --depth=3
steps 1
controls '*e*'
steps 2
controls on
steps 4
ends '["mprof control: calls *e*","mprof control: calls on"]'
calls step $((1 + 2 + 4))
calls other 0

# Started without calls
starts --sample=100
steps 10
expect_value calls ""
expect_value kinds samples
controls on
steps 20
expect_value kinds "calls, samples"
controls off
steps 40
ends '["mprof control: calls on","mprof control: calls off"]'
calls step 20
calls run 0

# Of an older log, readers could not know that calls are missing.
starts --sample=100 --format=mono
steps 1
mprof control $recorder calls on
expect_status 1 "calls in an older log"
expect_line err 'older formats have calls only from the start'
ends '[]'
calls step 0
