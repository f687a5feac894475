#!/bin/bash
# SPDX-License-Identifier: MIT
# Control while the program runs: by mprof control, TCP, signals and the program itself; and hostile clients.
set -eu
. "$srcdir/tests/interop/mono/support.sh"
. "$srcdir/tests/interop/mono/controlled.sh"
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -D_GNU_SOURCE -o client "$here/client.c" || fail "the client does not compile"

# another OPTION: runs another program to its end. The messages of the module are in other.err.
another() {
	timeout 120 mono --profile=mprof:calls,output=another.mprof,"$1" Controlled.exe </dev/null >out 2>other.err
}

# events LOG KIND: the number of events in a log, complete or not.
events() {
	("$MPROF" info --json "$1" 2>/dev/null || true) | jq ".events.\"$2\" // 0"
}

# steps LOG: the number of calls of Step in it.
steps() {
	report_of "$1"
	calls_of "Step (int)"
}

# Disable and enable: afterwards, all recorded events are in the log, which is still being written.
launch calls,heap=ondemand,output=first.mprof
expect "files to be reached by" "$(ls run/mprof)" "$program_id.sock"
expect "mode of the directory" "$(stat -c %a run/mprof)" 700
send "step 10"
control 0 "$program_id" disable
expect "calls when disabled" "$(steps first.mprof)" 10
expect "recording" "$(fact recording)" disabled
send "step 100"
control 0 "$program_id" flush
expect "calls while disabled" "$(steps first.mprof)" 10
control 0 "$program_id" enable
expect "recording" "$(fact recording)" enabled
send "step 5"
control 0 "$program_id" flush
expect "calls when enabled again" "$(steps first.mprof)" 15

# The rest of the status
expect "pid" "$(fact pid)" "$program_id"
expect "kinds" "$(fact kinds)" "calls, heap snapshots"
expect "log" "$(fact log)" "$work/first.mprof"
expect "lost events" "$(fact lost_events)" 0
control 0 --json "$program_id" status
expect "log, in JSON" "$(jq -r .log out)" "$work/first.mprof"
test "$(jq .events out)" -ge 15 || fail "events, in JSON: $(jq .events out)"
control 0 "$work/run/mprof/$program_id.sock" status

# A heap snapshot, and a marker
send "keep 50"
control 0 "$program_id" heapshot
expect "heap snapshots" "$(fact heap_shots)" 1
test "$(events first.mprof heap-object)" -ge 50 || fail "objects of the shot: $(events first.mprof heap-object)"
control 0 "$program_id" mark "half way: größer"
control 0 "$program_id" flush
"$MPROF" dump --json --blocks first.mprof 2>/dev/null >blocks.json || true
expect "mark" "$(jq -r 'select(.block == "mark") | .text' blocks.json)" "half way: größer"

# Invalid command lines, and processes that cannot be reached
for arguments in "" "$program_id" "$program_id nonsense" "$program_id enable now" "me enable" "$program_id mark" \
	"$program_id mark two words" "--nonsense $program_id enable"; do
	# shellcheck disable=SC2086
	control 2 $arguments
done
control 2 "$program_id" mark ""
control 2 "$program_id" mark $'two\nlines'
control 2 "$program_id" mark "$(printf '%01100d' 0)"
sleep 600 &
control 3 $! enable
kill $!
grep -q "accepts no commands" control.err || fail "not recorded: $(cat control.err)"
# The parent process, such as mprof record, is accepted too.
control 0 $$ status
expect "pid, by the parent" "$(sed -n 's/^pid=//p' out)" "$program_id"
control 3 999999999 enable
grep -q "there is no process" control.err || fail "no such process: $(cat control.err)"
control 3 "$work/nowhere" enable

# Hostile clients: none of them blocks other clients for long, nor the program.
socket=run/mprof/$program_id.sock
printf 'status' | timeout 60 ./client "$socket" >out || fail "half a line"
expect "half a line: answer" "$(cat out)" ""
printf 'nonsense\n\nmark \n\n' | timeout 60 ./client "$socket" >out
expect "nonsense: answers" "$(cut -d ' ' -f 1 out | tr '\n' ' ')" "ERROR ERROR ERROR ERROR "
printf 'enable\r\n\renable\nenable' | timeout 60 ./client "$socket" >out
expect "ends of lines: answers" "$(cat out)" "DONE"$'\n'"DONE"
(printf 'mark '; printf '%0900d\n' 0) | timeout 60 ./client "$socket" >out
expect "a long line: answer" "$(cat out)" DONE
head -c 100000 /dev/zero | tr '\0' x | timeout 60 ./client "$socket" >out
expect "an endless line: answer" "$(cat out)" "ERROR the line is longer than 1023 bytes"
head -c 100000 /dev/urandom | timeout 60 ./client "$socket" >/dev/null
clients=()
mkfifo nothing answers
exec {nothing}<>nothing {answers}<>answers
for kind in deaf many; do
	./client "$socket" $kind <nothing >answers &
	clients+=($!)
	read -r -t 60 -u "$answers" line || fail "$kind: the client prints nothing"
	expect "recording, with clients that are $kind" "$(fact recording)" enabled
	send "step 1"
done
kill "${clients[@]}"
wait "${clients[@]}" || true
exec {nothing}>&- {answers}>&-

# Another user is rejected even if the socket is accessible; the superuser is accepted.
chmod 711 "$work"
chmod 711 run run/mprof
chmod 666 "$socket"
if test "$(id -u)" = 0 && command -v setpriv >/dev/null; then
	printf 'status\n' | setpriv --reuid=65534 --regid=65534 --clear-groups timeout 60 "$work/client" \
		"$work/$socket" >out || true
	expect "answer to another user" "$(cat out)" ""
fi
chmod 700 run/mprof run "$work"

# All calls are recorded. The end of a child process does not remove the socket.
finish
expect "files left" "$(ls run/mprof)" ""
check_complete first.mprof
expect "all calls" "$(steps first.mprof)" 17

# From the start, and by the program itself
launch calls,heap=ondemand,start-disabled,output=second.mprof
send "step 10"
control 0 "$program_id" flush
expect "calls, disabled from the start" "$(steps second.mprof)" 0
send enable
send "step 20"
send disable
expect "calls, when the program disabled it" "$(steps second.mprof)" 20
send "step 40"
send "keep 30"
send shot
expect "heap snapshots by the program" "$(fact heap_shots)" 1
finish
check_complete second.mprof
expect "calls, by the program itself" "$(steps second.mprof)" 20

# The next program removes the sockets of killed programs, and no other file.
launch calls,output=third.mprof
{
	kill -KILL "$program_id"
	wait "$program_id" || true
	program_id=
} 2>/dev/null
expect "files of a killed program" "$(find run/mprof -name '*.sock' | wc -l)" 1
touch run/mprof/{1.sock,999999999.sock,notes}
launch calls,output=third.mprof
rm "run/mprof/$program_id.sock"
expect "files next to that of a running program" "$(cd run/mprof && echo *)" "1.sock 999999999.sock notes"
finish
rm run/mprof/*

# Without the options that commands need
launch calls,no-control,output=third.mprof
control 3 "$program_id" status
finish
launch calls,control="$work/here.sock",output=third.mprof
control 0 "$work/here.sock" status
control 1 "$work/here.sock" heapshot
grep -q "without the option heap" control.err || fail "heapshot without heap: $(cat control.err)"
finish
test ! -e here.sock || fail "the socket is still there"

# Existing files at the path: a socket without a listener is replaced, all others are kept.
launch calls,control="$work/here.sock",output=third.mprof
{
	kill -KILL "$program_id"
	wait "$program_id" || true
	program_id=
} 2>/dev/null
test -S here.sock || fail "no socket was left"
launch calls,control="$work/here.sock",output=third.mprof
control 0 "$work/here.sock" status
another output=third.mprof
grep -q '^mprof: cannot write third.mprof: the file is in use by another writer; ' other.err ||
	fail "a log in use: $(cat other.err)"
another "control=$work/here.sock"
grep -q "^mprof: no commands are accepted: $work/here.sock: Address already in use" other.err ||
	fail "a socket in use: $(cat other.err)"
control 0 "$work/here.sock" status
finish
echo "mine" >file
another "control=$work/file"
grep -q "^mprof: no commands are accepted: $work/file: " other.err || fail "a file: $(cat other.err)"
expect "the file" "$(cat file)" mine
# A directory that others may enter, or that is a link, is not used; another one is tried.
for wrong in open link; do
	rm -rf run/mprof
	mkdir -m 755 run/elsewhere
	if test $wrong = open; then mv run/elsewhere run/mprof; else ln -s elsewhere run/mprof; fi
	launch calls,output=third.mprof
	expect "files in a directory that is $wrong" "$(ls run/mprof/)" ""
	control 0 "/tmp/mprof-$(id -u)/$program_id.sock" status
	control 0 "$program_id" status
	finish
done

# By signals
launch calls,heap=ondemand,signal=USR1:heapshot,signal=SIGUSR2:toggle,signal=RTMIN+8:flush,output=signals.mprof
kill -USR1 "$program_id"
awaits heap_shots 1
kill -USR2 "$program_id"
awaits recording disabled
send "step 10"
kill -USR2 "$program_id"
awaits recording enabled
send "step 3"
kill -RTMIN+8 "$program_id"
finish
check_complete signals.mprof
expect "calls, by signals" "$(steps signals.mprof)" 3

# Ring buffer: the last events are written on request and at the end.
launch calls,ring=1m,output=ring.mprof
send "step 10"
control 0 "$program_id" flush
check_complete ring.mprof
expect "calls that were kept" "$(steps ring.mprof)" 10
send "step 2"
expect "calls that were kept" "$(steps ring.mprof)" 10
mkdir away
send "go away"
control 0 "$program_id" flush
expect "calls that were kept" "$(steps ring.mprof)" 12
finish
check_complete ring.mprof
expect "calls that were kept to the end" "$(steps ring.mprof)" 12

# By TCP, with the old commands. The port is free now, but may be taken when the module opens it.
classic_port=
for ((try = 0; try < 20 && ${#classic_port} == 0; try++)); do
	port=$((20000 + RANDOM % 10000))
	launch calls,heap,output=tcp.mprof,port=$port
	if grep -q "no commands are accepted from port" err; then finish; else classic_port=$port; fi
done
test -n "$classic_port" || fail "no port is free"
exec {connection}<>"/dev/tcp/127.0.0.1/$classic_port"
# asks LINE ANSWER
asks() {
	local line
	printf '%s\n' "$1" >&"$connection"
	read -r -t 60 -u "$connection" line || fail "$1: no answer"
	expect "$1: answer" "$line" "$2"
}
send "step 10"
asks disable DONE
expect "calls when disabled by TCP" "$(steps tcp.mprof)" 10
send "step 10"
asks $'\renable\r' DONE
send "step 4"
asks nonsense ERROR
asks "" ERROR
asks "status" ERROR
asks heap-snapshot-counter=all DONE
asks heap-snapshot-counter=x ERROR
asks heap-snapshot-counter= ERROR
asks heap-snapshot-counter=none DONE
send "collect 2"
before=$(fact heap_shots)
asks heap-snapshot-counter=2 DONE
send "collect 5"
control 0 "$program_id" flush
expect "shots that the counter allows" "$(($(fact heap_shots) - before))" 2
asks heap-snapshot DONE
expect "shots with one asked for" "$(($(fact heap_shots) - before))" 3
exec {connection}>&-
# Another connection, and a browser, which is rejected.
exec {connection}<>"/dev/tcp/127.0.0.1/$classic_port"
asks disable DONE
asks enable DONE
exec {connection}>&-
exec {connection}<>"/dev/tcp/127.0.0.1/$classic_port"
(trap '' PIPE; printf 'POST / HTTP/1.1\r\nHost: localhost\r\n\r\ndisable\r\n' >&"$connection") 2>/dev/null || true
timeout 60 cat <&"$connection" >out 2>/dev/null || true
! grep DONE out || fail "a browser was obeyed"
exec {connection}>&-
expect "recording after a browser" "$(fact recording)" enabled
# Another user of this machine is rejected: the connection is closed without an answer.
if test "$(id -u)" = 0 && command -v setpriv >/dev/null; then
	# shellcheck disable=SC2016 # for the other shell
	setpriv --reuid=65534 --regid=65534 --clear-groups bash -c '
		exec {connection}<>"/dev/tcp/127.0.0.1/$1"
		trap "" PIPE
		echo disable >&"$connection" 2>/dev/null
		timeout 60 cat <&"$connection" 2>/dev/null
	' bash "$classic_port" >out || true
	expect "answer to another user" "$(cat out)" ""
	expect "recording after another user" "$(fact recording)" enabled
fi
if command -v ss >/dev/null; then
	expect "addresses of the port" "$(ss -Hltn "sport = :$classic_port" | awk '{ print $4 }')" \
		"127.0.0.1:$classic_port"
fi
# The port is in use.
another "port=$classic_port"
grep -q "^mprof: no commands are accepted from port $classic_port: Address already in use" other.err ||
	fail "a port in use: $(cat other.err)"
finish
check_complete tcp.mprof
expect "calls, by TCP" "$(steps tcp.mprof)" 14

# All commands at once, while threads allocate and the collector runs: no deadlock, and the log is sound.
launch calls,alloc,gc,heap=ondemand,signal=USR1:heapshot,output=storm.mprof
send storm
for ((round = 0; round < 15; round++)); do
	control 0 "$program_id" heapshot &
	shots=$!
	control 0 "$program_id" disable
	send shot
	kill -USR1 "$program_id"
	control 0 "$program_id" enable
	send disable
	send enable
	control 0 "$program_id" mark "round $round"
	wait $shots || fail "a heap snapshot under load"
done
send calm
finish
check_complete storm.mprof

# The program ends while a snapshot is being taken.
for ((round = 0; round < 5; round++)); do
	launch alloc,heap=ondemand,output=ends.mprof
	send "keep 100000"
	"$MPROF" control "$program_id" heapshot >out 2>&1 &
	shots=$!
	finish
	wait $shots || true
	check_complete ends.mprof
done
