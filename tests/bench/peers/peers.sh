#!/bin/bash
# SPDX-License-Identifier: MIT
# Records the same C program and the same C# program with libmprof and with other tools, and prints what an event costs
# with each: processor time of the recorded thread and of all processes over the program alone, bytes, lost events, and
# processor time to read it. Usage: peers.sh [ROUNDS [MILLIONS]]
#
# Each round runs all tools in turn; the best round counts. MILLIONS is the number of events of the C program, 8 if not
# given, and may be a fraction. A tool that is not installed is left out. In the environment: srcdir, builddir, CC.
set -eu

rounds=${1:-5}
millions=${2:-8}
srcdir=${srcdir:-.}
builddir=${builddir:-.}
peers=$srcdir/tests/bench/peers
work=$(mktemp -d "${TMPDIR:-/tmp}/mprof-peers.XXXXXX")
CC=${CC:-cc}
# One decimal point for all tools
export LC_ALL=C

# Each file defines, for each of its tools: NAME_base, the tool whose time is subtracted, NAME_find, which prints the
# version or why the tool is left out, NAME_record, which makes NAME.log, NAME_bytes, NAME_count, which prints recorded
# and lost events, and NAME_read if a program can read the log without a window.
tools=(bare libmprof spall lttng uftrace mono_bare mono_libmprof mono_log)
for file in native lttng mono; do
	# shellcheck disable=SC1090
	. "$peers/$file.sh"
done

stop_all() {
	lttng_stop
	rm -rf "$work"
}
trap stop_all EXIT

# shellcheck disable=SC2034 # used in the files of the tools
program_rounds=$(awk -v millions="$millions" 'BEGIN { printf "%d", millions * 1e6 / 1022 + 1 }')

# seconds COMMAND...: prints the processor time of a command and its children in seconds; what the command prints goes
# to the file "printed"
seconds() {
	local TIMEFORMAT='%U %S' used

	used=$({ time "$@" >"$work/printed" 2>"$work/errors"; } 2>&1) || {
		echo "peers: $1 failed" >&2
		tail -5 "$work/errors" >&2
		exit 1
	}
	awk '{ printf "%.3f\n", $1 + $2 }' <<<"${used##*$'\n'}"
}

# keep_least FILE NUMBER
keep_least() {
	local number=$2

	test ! -e "$work/$1" || number=$(awk -v new="$2" '{ print $1 < new ? $1 : new }' "$work/$1")
	echo "$number" >"$work/$1"
}

# get FILE [OTHERWISE]
get() {
	cat "$work/$1" 2>/dev/null || echo "${2:-}"
}

record() {
	local before after used

	rm -rf "$work/$1.log"
	before=$(daemon_seconds)
	used=$(seconds "$1_record")
	after=$(daemon_seconds)
	cp "$work/printed" "$work/$1.printed"
	keep_least "$1.all" "$(awk -v a="$before" -v b="$after" -v used="$used" 'BEGIN { print used + b - a }')"
	used=$(sed -n 's/^thread_ns //p' "$work/$1.printed")
	test -z "$used" || keep_least "$1.thread" "$used"
	"$1_count" >"$work/$1.count"
	"$1_bytes" >"$work/$1.bytes"
}

# What the processes of a tool used that are no children of this script
daemon_seconds() {
	lttng_daemon_seconds
}

print_row() {
	local recorded lost reading

	read -r recorded lost <"$work/$1.count"
	reading=$(get "$1.read")
	awk -v name="$("$1_find")" -v all="$(get "$1.all")" -v thread="$(get "$1.thread")" -v recorded="$recorded" \
		-v lost="$lost" -v bytes="$(get "$1.bytes")" -v base="$(get "$("$1_base").all")" -v reading="$reading" \
		-v base_thread="$(get "$("$1_base").thread")" 'BEGIN {
		printf "%-40s %9s %9.1f %9.2f %10s %9s\n", name,
			thread == "" ? "-" : sprintf("%.1f", (thread - base_thread) / (recorded + lost)),
			(all - base) * 1e9 / (recorded + lost), bytes / recorded, lost,
			reading == "" ? "-" : sprintf("%.1f", reading * 1e9 / recorded)
	}'
}

found=()
for tool in "${tools[@]}"; do
	if "${tool}_find" >"$work/found"; then
		found+=("$tool")
	else
		echo "left out: $(cat "$work/found")"
	fi
done
native_build
test ! -e "$work/has_mono" || mono_build

for ((round = 0; round < rounds; round++)); do
	for tool in "${found[@]}"; do
		record "$tool"
		if declare -F "${tool}_read" >/dev/null; then
			keep_least "$tool.read" "$(seconds "${tool}_read")"
		fi
	done
done

echo "Nanoseconds of processor time for one event over the program alone: the best of $rounds rounds"
printf '%-40s %9s %9s %9s %10s %9s\n' tool thread 'all CPU' bytes lost reading
for tool in "${found[@]}"; do
	case $tool in
	bare) printf '%-40s %9d events, %.3f s\n' "C program alone" "$(sed -n 's/^events //p' "$work/bare.printed")" "$(get bare.all)" ;;
	mono_bare) printf '%-40s %.3f s with a profiler that does nothing\n' "C# compiler" "$(get mono_bare.all)" ;;
	*) print_row "$tool" ;;
	esac
done
