#!/bin/bash
# SPDX-License-Identifier: MIT
# All that follows the calls of threads takes the end of a thread for the same: it does not end calls, from which the
# thread may return later; its next start does (doc/format.md, 4.3). Reports, copies in all dialects, exports, flame
# graphs, live views, the decoder and the page have the same calls and times of logs with such events.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq awk python3

# totals COLUMNS: what is wanted, in the file wanted.
totals() {
	cut -f "$1" all | sum_rows >wanted
}

# same_copies: the log in other dialects has the calls, and the leaves, of which some had no method before.
same_copies() {
	for dialect in mono unity drop mprof2; do
		mprof convert --dialect=$dialect log.mprof copy.mprof
		expect_status 0 "convert to $dialect"
		expect "convert to $dialect" "$(cat err)" ""
		read_report copy.mprof
		report_all >found
		same_rows "$dialect"
		test $dialect != mono || "$MPROF" dump --json copy.mprof >mono
	done
	python3 "$srcdir/tests/exports/call_totals.py" leaves "${words[@]}" >leaves_wanted
	jq -r 'select(.event == "method-leave").method' mono >leaves_found
	diff leaves_found leaves_wanted >differences || fail "leaves of the copy (<): $(cat differences)"
	mprof convert --dialect=mono log.mprof copy.mprof
	mprof convert --dialect=mprof2 copy.mprof again.mprof
	read_report again.mprof
	report_all >found
	same_rows "a copy of the copy"
}

same_exports() {
	export_log chrome log.mprof log.json
	chrome_calls log.json >found
	same_rows "chrome"
	export_log speedscope log.mprof log.speedscope --events
	speedscope_calls log.speedscope >found
	same_rows "speedscope"
	if command -v protoc >/dev/null; then
		export_log perfetto log.mprof log.pftrace
		perfetto_calls log.pftrace >found
		same_rows "perfetto"
	fi
}

# same_times: of what has times without calls.
same_times() {
	totals 1-3
	export_log firefox log.mprof log.firefox --value=wall
	firefox_rows log.firefox samples >found
	same_rows "firefox"
	totals 1,2
	export_log folded log.mprof log.folded --value=wall
	sed 's/^.*;//; s/ \([0-9]*\)$/\t\1/' log.folded | sum_rows >found
	same_rows "folded"
	mprof flame --min-share=0 --value=wall -o log.svg log.mprof
	sed -n 's/.*data-self="\([0-9]*\)"><title>\(.*\)$/\2\t\1/p' log.svg | sum_rows >found
	same_rows "flame"
	python3 "$srcdir/tests/exports/call_totals.py" decoded "${words[@]}" | cut -f 1,3 | sum_rows >wanted
	mprof decode log.mprof
	sed -n '/^Reporting execution time (/,/^$/s/^.*% (\([0-9]*\)\.\([0-9]*\)s) \(.*\)$/\3\t\1\2000/p' out | sum_rows >found
	same_rows "decode"
}

# add CASE WORD...: adds words of make_events to the log. The threads and methods of case 12 are 125 and 121 for 5 and 1.
add() {
	local case=$1 word

	shift
	for word; do
		test "$word" = "${word%[0-9]}" || word=${word:0:1}$case${word:1}
		words+=("$word")
	done
}
words=()

# Returns after the end, without and with methods.
add 1 @5 '<5' +1 +2 '>5' - -
add 2 @5 '<5' +1 +2 +3 '>5' -2 -1
# Open at the end of the log, of a thread that has ended and one that has not; entered after the end.
add 3 @5 '<5' +1 +2 '>5' @6 +3 - +4
add 4 @5 '<5' +1 '>5' +2 - +3 @6 +4 -
# Ends twice, with returns and without.
add 5 @5 '<5' +1 +2 '>5' - '>5' - @6 +3 -
add 6 @5 +1 +2 '>5' '>5' @6 +3 -
# Starts again: later, in the same block, without an end, and after a return.
add 7 @5 '<5' +1 +2 '>5' @6 +3 - @5 '<5' +4 - +5 '>5' -
add 8 @5 '<5' +1 +2 '>5' '<5' +4 - '>5'
add 9 @5 '<5' +1 +2 '<5' +4 -
add 10 @5 '<5' +1 +2 '>5' - '<5' +4 - +1
# Ends without a start, and without anything else.
add 11 @5 '>5' +1 - @6 +2 - '>6'
add 12 @5 '>5' @6 +1 -
# Ends while a heap snapshot is written.
add 13 @5 '<5' +1 +2 '(' '>5' ')' - - @6 +3 -
add 14 @5 '<5' +1 +2 '(' '>5' '<5' +3 ')' - @6 +3 -
# Another thread reports the end or the start, before and after the last returns.
add 15 @5 '<5' +1 +2 @6 +3 '>5' - +4 -
add 16 @5 '<5' +1 +2 @6 '>5' @5 - - @6 +1
add 17 @5 +1 +2 @6 '<5' @5 - - @6 +1 -
add 18 @5 '<5' +1 +2 '>5' @6 +3 '>5' - @5 -
# Calls inside themselves, and returns in later blocks; the last of them ends the log.
add 19 @5 '<5' +1 +2 +1 '>5' @6 +3 - @5 - -2 +4 @6 +2
add 20 @5 '<5' +1 +2 '>5' @6 +3 - @5 - -

"$builddir/tests/exports/make_events" log.mprof "${words[@]}" || fail "make_events"
python3 "$srcdir/tests/exports/call_totals.py" totals "${words[@]}" >all
totals 1-4
read_report log.mprof
report_all >found
same_rows "report"
mprof top --once --json --top=1000 --window=3600 log.mprof
cp out report
report_all >found
same_rows "top"
same_copies
same_exports
same_times

# What is open after each event: by the reader, and by the writer, whose index the reader loads.
python3 "$srcdir/tests/exports/call_totals.py" frames "${words[@]}" | grep ' .* ' >wanted
mapfile -t threads < <(printf '%s\n' "${words[@]}" | sed -n 's/^@//p' | LC_ALL=C sort -nu)
"$builddir/tests/exports/make_events" --index indexed.mprof "${words[@]}" || fail "make_events --index"
mprof dump --json --blocks indexed.mprof
grep -q '"block":"index"' out || fail "the log has no index"
for log in log indexed; do
	"$builddir/tests/exports/list_frames" $log.mprof "${#words[@]}" "${threads[@]}" | grep ' .* ' >found ||
		fail "list_frames $log"
	same_rows "open frames of $log.mprof"
done

# The page.
wasm=$builddir/examples/wasm/libmprof.wasm
if test -e "$wasm" && command -v node >/dev/null; then
	read_report log.mprof
	node "$srcdir/tests/explore/calls.mjs" "$srcdir/examples/wasm/mprof.js" "$wasm" \
		"$srcdir/examples/explore/call_reader.js" log.mprof report || fail "calls.mjs"
fi
