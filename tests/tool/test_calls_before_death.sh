#!/bin/bash
# SPDX-License-Identifier: MIT
# Native programs that die in each way at random times, while they record to a file, to a compressed file or to a ring:
# every call that had returned is in the completed log with its leave, and at most one more of each thread. A program
# that closes its log itself has at least the calls that had returned before. MPROF_STRESS_DEATHS is how many die in
# each way (2), MPROF_STRESS_SEED what the times are chosen from (1).
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
module_directory=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}
test -e "$module_directory/libmprof-instrument.so" || skip "the module for native programs was not built"
export MPROF_MODULE_DIR=$module_directory

count=${MPROF_STRESS_DEATHS:-2}
RANDOM=${MPROF_STRESS_SEED:-1}
${CC:-cc} -O1 -pthread -finstrument-functions "$srcdir/tests/tool/deaths.c" -o deaths

forms=("" "--ring=128m")
test -n "${MPROF_WITHOUT_ZLIB-}" || forms+=("--gzip")
# How a program ends, and its status then.
ways=("9 137" "15 143" "2 130" "6 134" "11 139" "abort 134" "fault 139" "_exit 3" "quick_exit 5" "exec 6" "exit 4")

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

# numbers FILTER: of the file out, in one line.
numbers() {
	jq -r "[$1] | join(\" \")" out
}

# die WANTED_STATUS FORM WAY MICROSECONDS
die() {
	local wanted=$1 death="$2 $3 $4" enters leaves calls lost complete returned before
	local options=(--calls --force -o death.mprof) first=()
	test -z "$2" || options+=("$2")
	test "$3" != memory || first=("${launch[@]}")
	# The program closes the log itself.
	test "$3" != exit || options+=(--salvage=no)
	rm -f counts
	truncate -s 4096 counts
	mprof record "${options[@]}" -- "${first[@]}" ./deaths counts "$3" "$4"
	expect_status "$wanted" "$death"
	test "$status" -le 128 || grep -Eq "[0-9]+ events salvaged, 0 lost" err || fail "$death: $(cat err)"
	mprof check death.mprof
	expect_status 0 "$death: check"
	mprof info --json death.mprof
	read -r enters leaves lost complete < <(numbers '(.events | .["method-enter"], (with_entries(select(.key |
		startswith("method-leave"))) | add)), .lost_events, .complete')
	mprof report --json death.mprof
	calls=$(numbers '.methods[] | select(.name == "step").calls')
	read -r returned before < <(od -An -t d8 -v counts | awk 'NR % 4 == 1 && NR <= 9 { returned += $1 }
		NR % 4 == 1 && NR > 9 && NR <= 21 { before += $1 } END { print returned, before }')
	test "$3" = exit || before=$returned
	death="$death: $enters enters, $leaves leaves, of $before to $returned"
	test "$enters" = "$calls" || fail "$death: $calls calls of step"
	test "$lost $complete" = "0 true" || fail "$death: $lost lost, complete: $complete"
	test "$leaves" -ge "$before" || fail "$death: calls that had returned are missing"
	test "$enters" -le $((returned + 3)) && test "$leaves" -le "$enters" || fail "$death: too many"
}

died=0
for ((i = 0; i < count; i++)); do
	for ((way = 0; way < ${#ways[@]}; way++)); do
		read -r name wanted <<<"${ways[way]}"
		# Some die only after several rounds of the writer thread.
		limit=$((i % 20 == 19 ? 100000 : 10000))
		die "$wanted" "${forms[(i + way) % ${#forms[@]}]}" "$name" $((RANDOM * 10 % limit))
		died=$((died + 1))
	done
done
echo "$died programs have died, in ${#ways[@]} ways"
