#!/bin/bash
# SPDX-License-Identifier: MIT
# Every exit status in the manual, for every command that can end with it. The tests of control and doctor need Mono,
# and those of record a compiler; missing programs are listed at the end.
set -eu
. "$srcdir/tests/tool/support.sh"

missing=

make_logs sample open
head -c 300 sample.mprof >cut.mprof
cp sample.mprof changed.mprof
change_byte changed.mprof 200
echo 'a text that is longer than the introduction of a log' >text

# ends WANTED ARGUMENT...: checks the exit status; if it is not 0, there is a message.
ends() {
	local wanted=$1
	shift
	mprof "$@"
	expect_status "$wanted" "$*"
	test "$wanted" = 0 || grep -q '^mprof: ' err || test "$1" = doctor || fail "$*: status $wanted without a message"
}

# Commands that read a log
for command in info "info --json" dump "dump --json" "dump --blocks" report "report --json" heap "heap --json" handles "handles --json" decode check "check --json"; do
	ends 0 $command sample.mprof
	for log in open cut changed; do
		ends 1 $command $log.mprof
		expect_line err "^mprof: $log.mprof: offset [0-9]+: "
		test -s out || fail "$command $log.mprof: no output"
	done
	ends 2 $command
	ends 2 $command --nonsense sample.mprof
	ends 2 $command sample.mprof sample.mprof
	for file in text absent . /dev/null; do
		ends 3 $command "$file"
		test ! -s out || fail "$command $file: output"
	done
done
ends 0 convert sample.mprof copy.mprof
for log in open cut changed; do
	ends 1 convert $log.mprof copy.mprof
done
ends 1 convert sample.mprof absent/copy.mprof
ends 2 convert sample.mprof
ends 2 convert --dialect=nonsense sample.mprof copy.mprof
ends 3 convert text other.mprof
ends 3 convert absent other.mprof
test ! -e other.mprof || fail "a copy of what is no log"

# Output that cannot be written, with a complete log
if test -w /dev/full; then
	for command in info dump report decode check convert; do
		status=0
		output=()
		test $command != convert || output=(-)
		"$MPROF" $command sample.mprof "${output[@]}" >/dev/full 2>err || status=$?
		expect_status 1 "$command to a full disk"
		expect_line err '^mprof: '
	done
fi

# Failures that need no Mono
ends 2 doctor nonsense
ends 2 control
ends 2 control $$ nonsense
ends 3 control $$ status
ends 3 control "$work/absent.sock" status
ends 2 record
ends 2 record --nonsense -- true
ends 127 record -- absent-program
ends 127 record -- ./absent-program
ends 126 record -- ./text
ends 126 record -- ./.

# Programs that end by themselves, and by signals: their status is kept.
modules=$builddir/examples/native/.libs
read -ra compiler <<<"${CC:-cc}"
cat >program.c <<'END'
#include <signal.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	if (argc > 2)
		raise(atoi(argv[2]));
	return argc > 1 ? atoi(argv[1]) : 0;
}
END
if test -n "${MPROF_SANITIZED-}" || ! test -e "$modules/libmprof-instrument.so"; then
	missing="the module for native programs"
elif ! "${compiler[@]}" -finstrument-functions -o program program.c 2>compiler.out; then
	missing="a compiler that instruments"
else
	export MPROF_MODULE_DIR=$modules
	ends 2 record -o absent/log.mprof -- true
	for wanted in 0 1 2 3 77 126 127 255; do
		mprof record --force -o ended.mprof ./program $wanted
		expect_status $wanted "record of a program that ends with $wanted"
		expect_line err '^mprof: ended.mprof: [0-9]+ bytes, [0-9]+ events, 0 lost$'
	done
	for signal in 1 6 9 11 15; do
		mprof record --force -o ended.mprof ./program 0 $signal
		expect_status $((128 + signal)) "record of a program that signal $signal ends"
	done
	# A static program loads no module, so it is not started.
	"${compiler[@]}" -static -o plain program.c || fail "compiler"
	ends 3 record -o none.mprof ./plain
	ends 3 record -o none.mprof ./plain 5
	ends 5 record --children -o none.mprof ./plain 5
	ends 134 record --children -o none.mprof ./plain 0 6
	test ! -e none.mprof || fail "a log of a static program"
	unset MPROF_MODULE_DIR
fi

hide_mono
PATH=$work/programs ends 1 doctor
PATH=$work/programs ends 127 record -- mono program.exe

modules=${MONO_MODULE_DIR:-$builddir/examples/mono/.libs}
for tool in mono mcs; do
	command -v $tool >/dev/null || missing="$missing $tool"
done
test -e "$modules/libmono-profiler-mprof.so" && test -z "${MPROF_SANITIZED-}" || missing="$missing the module for Mono"
test -z "$missing" || skip "parts that need $missing"

export MPROF_MODULE_DIR=$modules
ends 0 doctor
cat >Waiting.cs <<'END'
class Waiting {
	static int Main () {
		System.Console.WriteLine ("ready");
		return System.Console.ReadLine () == null ? 4 : 5;
	}
}
END
mcs -out:waiting.exe Waiting.cs || fail "mcs"
mkdir -m 700 run
export XDG_RUNTIME_DIR=$work/run
coproc recorder { exec "$MPROF" record --calls -o waiting.mprof -- mono waiting.exe 2>recorder.err; }
recorder_id=$recorder_PID
trap 'kill "$recorder_id" 2>/dev/null || true; rm -rf "$work"' EXIT
read -r -t 60 -u "${recorder[0]}" line || fail "the program did not start: $(cat recorder.err)"
expect "output of the program" "$line" ready
ends 0 control "$recorder_id" status
ends 0 control --json "$recorder_id" status
ends 0 control "$recorder_id" flush
ends 1 control "$recorder_id" heapshot
ends 2 control "$recorder_id" mark
# shellcheck disable=SC1083,SC2093 # closes a descriptor
exec {recorder[1]}>&-
status=0
wait "$recorder_id" || status=$?
expect_status 4 "the program that was controlled"
ends 3 control "$recorder_id" status
