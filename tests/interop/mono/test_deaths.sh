#!/bin/bash
# SPDX-License-Identifier: MIT
# Mono programs that die in each way at random times, while they record to a file, to a compressed file or to a ring,
# and inside heap snapshots: every call whose method had returned is in the completed log, and at most one more of each
# thread. MPROF_STRESS_DEATHS is how many die in each way (1), MPROF_STRESS_SEED what the times are chosen from (1).
set -eu
. "$srcdir/tests/interop/mono/support.sh"

count=${MPROF_STRESS_DEATHS:-1}
RANDOM=${MPROF_STRESS_SEED:-1}
mcs -nologo -unsafe -out:Deaths.exe "$here/Deaths.cs"
# Otherwise Mono runs a debugger when it crashes, which takes seconds.
export MONO_DEBUG=no-gdb-backtrace

forms=("" "--ring=256m")
test -n "${MPROF_WITHOUT_ZLIB-}" || forms+=("--gzip")
# How a program ends, and its status then. Mono turns signal 11 into an exception in managed code, and otherwise aborts.
# Its handler of crashes sometimes hangs, also without a profiler; the program has itself killed then.
ways=("9 137" "15 143" "2 130" "6 134|137" "11 134|137|1" "exit 3" "fail 134|137")
died=0
hung=0

# die FORM STATUS WAY MICROSECONDS [NODES]
die() {
	local form=$1 expected=$2 status=0 options=--calls
	shift 2
	test $# -lt 3 || options="--calls --heap=every-gc"
	rm -f counts
	truncate -s 4096 counts
	# shellcheck disable=SC2086
	timeout 120 "$MPROF" record -q $options --no-aot $form --force -o death.mprof -- mono Deaths.exe counts "$@" \
		>death.out 2>&1 || status=$?
	death="$form $*, death $((died += 1))"
	test $status != 137 || test "$1" = 9 || hung=$((hung + 1))
	[[ $status =~ ^($expected)$ ]] || fail "$death: status $status: $(head -n 20 death.out)"
	"$MPROF" report --json death.mprof >report.json || fail "$death: report: $(head -n 20 death.out)"
	"$MPROF" check death.mprof >check.out 2>&1 || fail "$death: check: $(cat check.out)"
	read -r -a worked <<<"$(od -An -t d8 -v counts | awk 'NR % 4 == 1 && NR <= 9 { printf "%s ", $1 }')"
	calls=$(jq '[.methods[] | select(.name | contains("Step")).calls] | add' report.json)
	truth=$((worked[0] + worked[1] + worked[2]))
	test "$calls" -le $((truth + 3)) || fail "$death: $calls calls, of $truth"
	# An exception that nothing handles ends the runtime, which closes the log; other threads still run for a while.
	test $status = 1 || test "$calls" -ge $truth || fail "$death: $calls calls, of $truth"
	expect "$death: lost" "$(jq .totals.lost_events report.json)" 0
}

for ((i = 0; i < count; i++)); do
	for ((way = 0; way < ${#ways[@]}; way++)); do
		read -r name status <<<"${ways[way]}"
		die "${forms[(i + way) % ${#forms[@]}]}" "$status" "$name" $((RANDOM % 30000))
	done
done
echo "$died programs have died, in ${#ways[@]} ways; Mono hung in $hung of them"

# Inside a heap snapshot, or between two: all but the last one are complete, with each node and its reference.
nodes=50000
incomplete=0
for ((i = 0; i < 3 + count / 5; i++)); do
	form=${forms[i % 2 * (${#forms[@]} - 1)]}
	die "$form" 137 9 $((100000 + RANDOM * 13)) $nodes
	jq --argjson nodes $nodes -e '[.heap_shots[] | (.classes[] | select(.class == "Node").objects) // 0 |
		select(. > $nodes)] == []' report.json >check.out || fail "$death: too many nodes"
	jq --argjson nodes $nodes -e '[.heap_shots[] | select(.incomplete | not) |
		select([.classes[] | select(.class == "Node").objects] != [$nodes] or .references < $nodes - 1)] == []' \
		report.json >check.out || fail "$death: a complete heap snapshot lacks nodes"
	jq -e '[.heap_shots[:-1][] | select(.incomplete)] == []' report.json >check.out ||
		fail "$death: a heap snapshot that had ended is incomplete"
	incomplete=$((incomplete + $(jq '[.heap_shots[] | select(.incomplete)] | length' report.json)))
done
echo "$i programs have died while they recorded heap snapshots, $incomplete of them inside one"
