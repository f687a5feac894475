#!/bin/bash
# SPDX-License-Identifier: MIT
# The usual workflow: "mprof record" runs a program under the module, and the other commands read the log.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

# The tool finds the module by itself.
unset LD_LIBRARY_PATH

compile Calls
compile Ends

"$MPROF" record -o calls.mprof --calls --alloc -- mono Calls.exe >calls.expected 2>calls.stderr ||
	fail "mprof record: status $?: $(cat calls.stderr)"
check_complete calls.mprof
check_balance calls.mprof
check_facts calls.expected calls.mprof
expect "lines of mprof record" "$(grep -c 'calls.mprof: [0-9]* bytes' calls.stderr)" 1

# The program's status is the tool's.
status=0
"$MPROF" record -o exit.mprof --calls -- mono Ends.exe exit >/dev/null 2>&1 || status=$?
expect "status" $status 7
check_complete exit.mprof

# Without "mono" as well
"$MPROF" record -o direct.mprof --calls -- ./Calls.exe >direct.expected 2>direct.stderr ||
	fail "mprof record ./Calls.exe: status $?: $(cat direct.stderr)"
check_facts direct.expected direct.mprof

# Programs that a program starts are recorded on request, each to a log of its own.
compile Starter
cat >native.c <<'END'
#include <unistd.h>
int main(int argc, char **argv)
{
	(void)argc;
	return execvp(argv[1], argv + 1);
}
END
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -O0 -finstrument-functions -o native native.c || fail "the native program does not compile"
starts() {
	"$MPROF" record -o starts.mprof --force --calls "$@" >/dev/null 2>starts.stderr ||
		fail "mprof record $*: status $?: $(cat starts.stderr)"
}
# programs: the programs of all logs, in the order of their names.
programs() {
	for log in starts*.mprof; do
		"$MPROF" report --json "$log" 2>/dev/null | jq -r '.session.properties.program | sub(".*/"; "")'
	done | sort | xargs
}
starts -- mono Starter.exe mono "Ends.exe return"
expect "programs without --children" "$(programs)" Starter.exe
starts --children -- mono Starter.exe mono "Ends.exe return" ./native "mono Ends.exe return" sh "-c 'mono Ends.exe return'"
expect "programs" "$(programs)" "Ends.exe Ends.exe Ends.exe Starter.exe native"
expect "lines of mprof record" "$(grep -c '^mprof: starts[.0-9a-zA-Z-]*mprof: [0-9]* bytes, [0-9]* events, 0 lost' starts.stderr)" 5
expect "names with programs" "$(printf '%s\n' starts.*.*.mprof | sed 's/[0-9][0-9]*/P/g' | LC_ALL=C sort | xargs)" \
	"starts.P-P.native.mprof starts.P.Ends.mprof starts.P.Ends.mprof starts.P.Ends.mprof"
for log in starts*.mprof; do
	# The native program did not end: it executed another one.
	"$MPROF" check "$log" >check.out 2>&1 || grep -q "^mprof: $log: .*incomplete: .* of .*/native\$" starts.stderr ||
		fail "$log: $(cat check.out)"
done
expect "calls of the first program" "$("$MPROF" report --json starts.mprof |
	jq '.methods[] | select(.name == "Start (string,string)").calls')" 3
rm starts*.mprof
starts --children -- ./Starter.exe
expect "programs if there are no children" "$(programs)" Starter.exe

# The socket of a program that is killed is removed.
mkdir -m 700 run run/mprof
is_listening() {
	compgen -G "$1" >/dev/null
}
for socket in "run/mprof/*.sock" here.sock; do
	options=()
	test $socket != here.sock || options=(--control=here.sock)
	XDG_RUNTIME_DIR=$work/run "$MPROF" record -o killed.mprof --force --calls "${options[@]}" \
		-- mono Ends.exe forever >/dev/null 2>&1 &
	recorder=$!
	await is_listening "$socket" || fail "no socket $socket"
	kill -KILL "$(<"/proc/$recorder/task/$recorder/children")"
	status=0
	wait $recorder || status=$?
	expect "status of a killed program" $status 137
	expect "sockets left" "$(compgen -G "$socket")" ""
done

mcs -nologo -out:Demo.exe "$srcdir/examples/small/demo/Demo.cs" || fail "the demonstration does not compile"
"$MPROF" record -o demo.mprof --all -- mono Demo.exe >/dev/null 2>demo.stderr || fail "demonstration: $(cat demo.stderr)"
check_complete demo.mprof
check_balance demo.mprof
