# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Functions of the tests that run the command line tool repeatedly with requests refused; the tests source this file.
. "$srcdir/tests/tool/support.sh"

test -z "${MPROF_SANITIZED-}" || skip "the sanitizers have their own malloc()"
needs awk
case $(uname -s) in Linux) ;; *) skip "for Linux alone" ;; esac

${CC:-cc} -std=gnu11 -O1 -shared -fPIC "$srcdir/tests/faults/fault_server.c" -o fault_server.so -ldl 2>err ||
	skip "no shared object can be made: $(cat err)"

logs=$builddir/tests/data
faults=0

# Pairs of requests refused in each command, unless MPROF_FAULT_PAIRS sets another number.
pairs=10

# Unless MPROF_FAULTS is set, requests from one call stack are refused only in the first of the commands that make them.
test -n "${MPROF_FAULTS-}" || export FAULT_SEEN=$work/call_stacks

# with_faults KIND ARGUMENT...: runs the tool with each request of a kind, "memory" or "io", refused. The tool may be a
# wrapper of libtool, which runs the program by this name.
with_faults() {
	kind=$1
	shift
	status=0
	LD_PRELOAD=$work/fault_server.so FAULT_PROGRAM=mprof FAULT_KIND=$kind \
		FAULT_PAIRS=${MPROF_FAULT_PAIRS:-$pairs} timeout 900 "$MPROF" "$@" >out 2>err </dev/null ||
		status=$?
	test $status = 0 || fail "mprof $*: $(cat out err)"
	added=$(awk '/ faults, 0 wrong$/ { print $1 }' out)
	test -n "$added" || fail "mprof $*: nothing was refused: $(cat out err)"
	faults=$((faults + added))
}

# all_commands KIND LOG: runs all commands of the tool that only read a log.
all_commands() {
	for arguments in check 'check --json' info 'info --json' dump 'dump --json' report 'report --json' 'report --tree' \
		'report --method=*a*' 'report --class=*' heap \
		'heap --json --referrers=* --referencing=*' 'handles --json' decode; do
		# shellcheck disable=SC2086 # The words are arguments.
		with_faults "$1" $arguments "$2"
	done
}

# every_log: the logs of tests/data and, if MPROF_FAULTS is set, those of MPROF_SAMPLES that have at most that many
# bytes.
every_log() {
	ls "$logs"/*.mprof
	if test -n "${MPROF_FAULTS-}" && test -n "${MPROF_SAMPLES-}"; then
		find "$MPROF_SAMPLES" -name '*.mprof' -size -"$MPROF_FAULTS"c
	fi
}

# make_events: makes events.mprof, a log that is longer than what is read at once, with calls, samples and allocations
# of two threads.
make_events() {
	"$builddir/tests/exports/make_calls" long events.mprof || fail "make_calls long"
}
