# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Runs Controlled.cs, which executes commands, and controls the recording of it. Tests source this file after
# support.sh.

compile Controlled
mkdir -m 700 run
export XDG_RUNTIME_DIR=$work/run

# A failed check must not leave the program running: it may write forever.
program_id=
trap 'test -z "$program_id" || kill -KILL "$program_id" 2>/dev/null || true; rm -rf "$work"' EXIT

# launch OPTIONS: starts the program, which then waits for commands. $module is the name of the module.
module=mprof
launch() {
	coproc program { exec mono --profile="$module:$1" Controlled.exe 2>err; }
	program_id=$program_PID
	answered ready
}

# answered WORD: the program prints it.
answered() {
	local line
	read -r -t 60 -u "${program[0]}" line || fail "the program prints nothing: $(cat err)"
	expect "output of the program" "$line" "$1"
}

# send LINE: sends a command to the program.
send() {
	echo "$1" >&"${program[1]}"
	answered "done"
}

# finish: lets the program end by itself.
finish() {
	local status=0
	# shellcheck disable=SC1083,SC2093 # closes a descriptor
	exec {program[1]}>&-
	wait "$program_id" || status=$?
	program_id=
	expect "status of the program" "$status" 0
}

# control STATUS ARGUMENT...: the output is in out and control.err.
control() {
	local wanted=$1 status=0
	shift
	"$MPROF" control "$@" >out 2>control.err || status=$?
	test "$status" = "$wanted" || fail "mprof control $*: status $status: $(cat control.err)"
}

# fact NAME: its value in the status
fact() {
	control 0 "$program_id" status
	sed -n "s/^$1=//p" out
}

# awaits NAME VALUE: waits until the status has this value.
has_fact() {
	test "$(fact "$1")" = "$2"
}
awaits() {
	await has_fact "$@" || fail "$1 is $(fact "$1"), not $2"
}

# report_of LOG: the report of a log that need not be complete, in report.json.
report_of() {
	"$MPROF" report --json "$1" >report.json 2>report.err || true
}

# figure FILTER: applies jq to report.json.
figure() {
	jq -r "$1" report.json
}

# calls_of METHOD: the calls of a method of the program in report.json.
calls_of() {
	figure "[.methods[] | select(.class == \"Controlled.Program\" and .name == \"$1\").calls] | add // 0"
}
