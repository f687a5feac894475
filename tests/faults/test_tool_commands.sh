#!/bin/bash
# SPDX-License-Identifier: MIT
# The commands of the tool that read no log, record, control and doctor, with each of their requests for memory refused,
# as test_tool_memory.sh does with the others. The programs that they start get all memory that they request.
set -eu
. "$srcdir/tests/faults/support.sh"

# Each of these runs starts a program.
pairs=20

export MPROF_MODULE_DIR=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}
if test -e "$MPROF_MODULE_DIR/libmprof-instrument.so"; then
	echo 'int main(void) { return 0; }' >program.c
	${CC:-cc} -finstrument-functions -o program program.c || fail "the program does not compile"
	export FAULT_MADE=$work/made.mprof
	with_faults memory record -o made.mprof -- ./program
	with_faults memory record --alloc -o made.mprof -- ./program
	with_faults memory record --malloc -o made.mprof -- ./program
	unset FAULT_MADE
fi
with_faults memory record -- ./not-there
# No process has this number.
with_faults memory record --pid=4194305 -o none.mprof
test ! -e none.mprof || fail "a log of no process"
unset MPROF_MODULE_DIR
pairs=20
with_faults memory doctor

# A program for Mono that waits until it is asked to end.
module_directory=$builddir/examples/mono/.libs
if test -e "$module_directory/libmono-profiler-mprof.so" && command -v mono >/dev/null &&
	command -v mcs >/dev/null; then
	echo 'class Waits { static void Main() { System.Console.WriteLine("ready"); System.Console.Read(); } }' >Waits.cs
	mcs -nologo Waits.cs
	mkdir -m 700 run
	export XDG_RUNTIME_DIR=$work/run
	coproc program {
		export LD_LIBRARY_PATH=$module_directory:$builddir/lib/.libs
		exec mono --profile=mprof:calls,output=waits.mprof Waits.exe
	}
	# shellcheck disable=SC2154 # coproc sets it.
	program_id=$program_PID
	trap 'kill -KILL "$program_id" 2>/dev/null || true; rm -rf "$work"' EXIT
	read -r -t 60 -u "${program[0]}" line || fail "the program does not start"
	expect "the output of the program" "$line" ready
	pairs=30
	with_faults memory control "$program_id" disable
	with_faults memory control --json "$program_id" disable
	with_faults memory control "$program_id" mark "half way"
	with_faults memory control "$program_id" nonsense
	kill -KILL "$program_id"
	wait "$program_id" 2>/dev/null || true
fi

echo "$faults faults"
