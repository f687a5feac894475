#!/bin/bash
# SPDX-License-Identifier: MIT
# Mono programs that die in each way at random times, while they record to a file, to a compressed file or to a ring,
# and inside heap snapshots: every call whose method had returned is in the completed log with its leave, and at most
# one more of each thread. A program that closes its log itself has at least the calls that had returned before.
# MPROF_STRESS_DEATHS is how many die in each way (1), MPROF_STRESS_SEED what the times are chosen from (1).
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
ways=("9 137" "15 143" "2 130" "6 134|137" "11 134|137|1" "exit 3" "end 4" "throw 1" "fail 134|137")
died=0
hung=0
thrown=0

# The kernel kills a program whose control group is out of memory. Only root can create such a group.
group=/sys/fs/cgroup/memory/mprof-deaths.$$
remove_group() {
	test ! -d "$group" || rmdir "$group"
	rm -rf "$work"
}
launch=()
if mkdir "$group" 2>/dev/null; then
	trap remove_group EXIT
	ways+=("memory 137")
	echo 256m >"$group/memory.limit_in_bytes"
	# shellcheck disable=SC2016
	launch=(bash -c 'echo $$ >'"$group/cgroup.procs"'; exec "$@"' bash)
fi

# values LOG COMMAND FILTER: of the output of a command of the tool, in one line.
values() {
	"$MPROF" "$2" --json "$1" >"$2.json" || fail "$death: $2: $(head -n 20 death.out)"
	jq -r "[$3] | join(\" \")" "$2.json"
}

# die FORM STATUS WAY MICROSECONDS [NODES]
die() {
	local form=$1 expected=$2 status=0 first=() options=(-q --calls --no-aot --force -o death.mprof)
	local enters leaves lost complete calls returned before is_copied
	shift 2
	test $# -lt 3 || options+=(--heap=every-gc)
	test -z "$form" || options+=("$form")
	# These close the log themselves.
	[[ $1 != end && $1 != throw ]] || options+=(--salvage=no)
	test "$1" != memory || first=("${launch[@]}")
	rm -f counts
	truncate -s 4096 counts
	timeout 120 "$MPROF" record "${options[@]}" -- "${first[@]}" mono Deaths.exe counts "$@" >death.out 2>&1 ||
		status=$?
	death="$form $*, death $((died += 1))"
	test $status != 137 || [[ $1 = 9 || $1 = memory ]] || hung=$((hung + 1))
	[[ $status =~ ^($expected)$ ]] || fail "$death: status $status: $(head -n 20 death.out)"
	"$MPROF" check death.mprof >check.out 2>&1 || fail "$death: check: $(cat check.out)"
	calls=$(values death.mprof report '[.methods[] | select(.name | contains("Step")).calls] | add')
	read -r enters leaves lost complete <<<"$(values death.mprof info '(.events | .["method-enter"],
		(with_entries(select(.key | startswith("method-leave"))) | add)), .lost_events, .complete')"
	read -r returned before is_copied <<<"$(od -An -t d8 -v counts | awk 'NR % 4 != 1 { next }
		NR <= 9 { returned += $1 } NR > 9 && NR <= 21 { before += $1 } NR == 25 { is_copied = $1 }
		END { print returned, before, is_copied }')"
	if [[ $status = 1 || $status = 4 ]]; then
		# The runtime closes the log while other threads still run.
		expect "$death: the calls that had returned before the end were counted" "$is_copied" 1
		thrown=$((thrown + (status == 1)))
	else
		before=$returned
	fi
	death="$death: $calls calls, of $before to $returned, $enters enters, $leaves leaves"
	expect "$death: lost and complete" "$lost $complete" "0 true"
	test "$calls" -ge "$before" || fail "$death: calls that had returned are missing"
	test "$calls" -le $((returned + 3)) || fail "$death: too many calls"
	# None of the six threads has more than a few open calls.
	test $((enters - leaves)) -le 60 || fail "$death: leaves are missing"
}

for ((i = 0; i < count; i++)); do
	for ((way = 0; way < ${#ways[@]}; way++)); do
		read -r name status <<<"${ways[way]}"
		die "${forms[(i + way) % ${#forms[@]}]}" "$status" "$name" $((RANDOM % 30000))
	done
done
echo "$died programs have died, in ${#ways[@]} ways; Mono hung in $hung of them, $thrown ended by an exception"

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
