#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof top" shows the last seconds of a log: what it shows of a whole log is what "mprof report" counts there, and it
# follows a log that grows, on a terminal and as text.
set -eu
. "$srcdir/tests/tool/support.sh"
needs_compression
needs jq

make_logs sample full gzip open mail empty

# The window contains the whole log: the same figures as in the report, names once more.
for log in sample gzip mail full; do
	mprof report --json "$log.mprof"
	mv out report
	mprof top --once --json --window=3600 --top=1000 "$log.mprof"
	expect_status 0 "top of $log"
	expect_json "$log" '[.state, .lag_ms, .incomplete]' '["ended",0,false]'
	expect_json "$log" .lost_events "$(jq .session.lost_events report)"
	expect_json "$log" '[.methods[] | [.id, .class, .name, .calls, .self_ns, .total_ns]] | sort' \
		"$(jq -c '[.methods[] | select(.calls > 0 or .self_ns > 0) |
			[.id, .class, .name, .calls, .self_ns, .total_ns]] | sort' report)"
	expect_json "$log" '[.classes[] | [.id, .name, .allocations, .bytes]] | sort' \
		"$(jq -c --slurpfile printed out '[.classes[] | select(.id as $id | $printed[0].classes | any(.id == $id)) |
			[.id, .name, .allocations, .bytes]] | sort' report)"
	expect_json "$log" '[.classes[].bytes] | add // 0' "$(jq '[.classes[].bytes] | add // 0' report)"
	expect_json "$log" '[.samples[].hits] | add // 0' "$(jq '[.samples[].hits] | add // 0' report)"
	expect_json "$log" '[.collections[] | [.number, .generation, .start_ns, .duration_ns]]' \
		"$(jq -c '[.collections[] | [.number, .generation, .start_ns, .duration_ns]]' report)"
	expect_json "$log" '[.threads[] | .events] | add // 0' "$(jq --slurpfile printed out \
		'[.threads[] | select(.id as $id | $printed[0].threads | any(.id == $id)) | .events] | add // 0' report)"
done

# Standard input, as a pipe and as a file.
mprof top --once --json sample.mprof
jq -c "del(.file)" out >expected
"$MPROF" top --once --json - <sample.mprof | jq -c 'del(.file)' >out
cmp -s out expected || fail "top of a file as standard input"
cat gzip.mprof | "$MPROF" top --once --json - | jq -c 'del(.file)' >out
cmp -s out expected || fail "top of a pipe: $(diff out expected)"

# A window that is shorter than the log has only its end.
mprof top --once --json --window=1 full.mprof
expect_json "a short window" '.window_s <= 1' true

mprof top --once sample.mprof
expect_status 0 "text"
expect_line out '^sample.mprof: ended, window 1\.0 s, lag 0\.0 s, lost events: 7 in the window, 7 in all$'
expect_line out '^ +40\.0 % +400\.0 us +1\.00 ms +1  Game\.World\.Run \(string\[\]\)$'
expect_line out '^hottest: 40\.0 % Game\.World\.Run'
mprof top --once --sort=calls sample.mprof
expect "sorted by calls" "$(sed -n '/calls  method/{n;p}' out | grep -c 'Fib (int)')" 1

# Damage and wrong files.
mprof top --once --json open.mprof
expect_status 1 "a log without its end"
expect_json open '[.state, .damage]' '["stopped",1]'
expect_line err 'offset [0-9]+: .*END'
mprof top --once missing.mprof
expect_status 3 "a log that does not exist"
echo "text that is no log" >text
mprof top --once text
expect_status 3 "a text file"
mprof top --once 999999999
expect_status 3 "a process that does not exist"
expect_line err '^mprof: top: process 999999999: '
mprof top --once --window=0 sample.mprof
expect_status 2 "a window of no length"
mprof top --once --sort=size sample.mprof
expect_status 2 "a wrong key"

# A log that grows, printed again and again; its process is this shell.
exec 3>grown.mprof
head -c $(($(stat -c %s sample.mprof) - 20)) sample.mprof >&3
timeout 120 "$MPROF" top --json --interval=50 $$ >followed 2>followed_err 3>&- &
follower=$!
is_state() {
	jq -e -s "map(.state == \"$1\" and .calls == 9) | any" followed >states 2>&1
}
await is_state recording || fail "a log that grows is not shown: $(tail -1 followed) $(cat followed_err)"
tail -c 20 sample.mprof >&3
status=0
wait $follower || status=$?
expect "a log that ends" "$status" 0
is_state ended || fail "the end is not shown: $(tail -1 followed)"
exec 3>&-
expect "the file of the process" "$(jq -s -r 'last.file' followed)" "$PWD/grown.mprof"

# The program is killed.
exec 3>killed.mprof
head -c $(($(stat -c %s sample.mprof) - 20)) sample.mprof >&3
timeout 120 "$MPROF" top --json --interval=50 killed.mprof >followed 2>followed_err 3>&- &
follower=$!
await is_state recording || fail "the log of a running program is not shown"
exec 3>&-
status=0
wait $follower || status=$?
expect "a program that is killed" "$status" 1
is_state stopped || fail "the death of the program is not shown"

# The whole screen. A terminal emulator shows what is on it.
needs script
test -z "${MPROF_WITHOUT_NCURSES-}" || skip "built without ncurses"
if command -v tmux >/dev/null; then
	screen() {
		tmux -S "$work/tmux" "$@"
	}
	trap 'screen kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
	screen -f /dev/null new-session -d -x 100 -y 24 "TERM=xterm '$MPROF' top sample.mprof; echo status \$? >ended"
	shows() {
		screen capture-pane -p >shown && grep -qE -- "$1" shown
	}
	shown() {
		await shows "$1" || fail "the screen does not show $1: $(cat shown)"
	}
	shown '^sample.mprof: ended, window 1\.0 s, lag 0\.0 s'
	shown '^ +40\.0 % +400\.0 us +1\.00 ms +1  Game\.World\.Run'
	shown '^q quit .* sort: own time '
	screen send-keys s s
	shown ' sort: calls '
	shown '^ +30\.0 % .* 4  Game\.World\.Fib'
	screen send-keys s Down Enter
	shown 'is called by'
	shown '^in all that was read: Game\.World\.Fib'
	screen send-keys Enter t
	shown '^ +1\.00 ms +40 +0  main$'
	screen send-keys t h
	shown '^p +pause the display'
	screen send-keys h p
	shown '^PAUSED '
	screen send-keys p r
	shown '^per second: 0 events'
	screen send-keys q
	await test -s ended || fail "q does not quit"
	expect "quit" "$(cat ended)" "status 0"
fi
printf q | TERM=xterm timeout 120 script -qec "'$MPROF' top open.mprof" typescript >typed ||
	test $? = 1 || fail "top on a terminal"
grep -q "the program is gone" typescript || fail "the terminal does not show that the program is gone"
printf q | TERM=nonsense timeout 120 script -qec "'$MPROF' top --interval=50 sample.mprof" typescript >typed ||
	fail "top on an unknown terminal"
grep -q "hottest: 40.0 %" typescript || fail "there is no text on an unknown terminal"
