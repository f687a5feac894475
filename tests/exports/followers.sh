# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Compares all that follows the calls of threads with an independent implementation of its rules, call_totals.py, for
# logs of make_events, whose words are in the file words. Tests source this file.

# shellcheck source=tests/exports/support.sh
. "$srcdir/tests/exports/support.sh"
needs jq awk python3

# oracle WHAT [DEPTH]
oracle() {
	python3 "$srcdir/tests/exports/call_totals.py" "$@" <words
}

# totals COLUMNS: what is wanted, in the file wanted.
totals() {
	cut -f "$1" all | sum_rows >wanted
}

# make_events FILE [OPTION]
make_events() {
	"$builddir/tests/exports/make_events" "${@:2}" "$1" <words || fail "make_events $1"
}

# same_copies: the log in other dialects has the calls, and the leaves, of which some had no method before.
same_copies() {
	local unnamed left_out

	oracle leaves >leaves_wanted
	unnamed=$(grep -cx 0 leaves_wanted || true)
	for dialect in mono unity drop mprof2; do
		left_out=
		# Without a method on the stack there is none that the copy could name.
		test "$unnamed" = 0 || test $dialect = mprof2 ||
			left_out="mprof: copy.mprof: $unnamed method-leave-implicit events left out, not available in $dialect"
		mprof convert --dialect=$dialect log.mprof copy.mprof
		expect "convert to $dialect" "$(cat err)" "$left_out"
		read_report copy.mprof
		report_all >found
		same_rows "$dialect"
		test $dialect != mono || "$MPROF" dump --json copy.mprof >mono
	done
	jq -r 'select(.event == "method-leave").method' mono >leaves_found
	grep -vx 0 leaves_wanted | diff leaves_found - >differences || fail "leaves of the copy (<): $(cat differences)"
	mprof convert --dialect=mono log.mprof copy.mprof
	mprof convert --dialect=mprof2 copy.mprof again.mprof
	read_report again.mprof
	report_all >found
	same_rows "a copy of the copy"
}

# same_exports COLUMNS: those columns of single calls.
same_exports() {
	export_log chrome log.mprof log.json
	chrome_calls log.json | cut -f "$1" >found
	same_rows "chrome"
	export_log speedscope log.mprof log.speedscope --events
	speedscope_calls log.speedscope | cut -f "$1" >found
	same_rows "speedscope"
	if command -v protoc >/dev/null; then
		export_log perfetto log.mprof log.pftrace
		perfetto_calls log.pftrace | cut -f "$1" >found
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
	oracle decoded | cut -f 1,3 | sum_rows >wanted
	mprof decode log.mprof
	sed -n '/^Reporting execution time (/,/^$/s/^.*% (\([0-9]*\)\.\([0-9]*\)s) \(.*\)$/\3\t\1\2000/p' out | sum_rows >found
	same_rows "decode"
}

# same_reports: the report and the live view.
same_reports() {
	read_report log.mprof
	report_all >found
	same_rows "report"
	mprof top --once --json --top=1000 --window=3600 log.mprof
	cp out report
	report_all >found
	same_rows "top"
}

# same_frames [gaps]: what is open after each event, by the reader, and by the writer, whose index the reader loads. With
# gaps, the reader shows callers that were not recorded as method 0; the oracle leaves them out. A script that sources
# this one passes it.
# shellcheck disable=SC2120
same_frames() {
	local without_gaps=cat
	test "${1-}" != gaps || without_gaps='sed s/^\([0-9]*\s[0-9]*\)\s0\(\s\|$\)/\1\2/'

	local threads seconds

	mapfile -t threads < <(tr ' ' '\n' <words | sed -n 's/^@//p' | LC_ALL=C sort -nu)
	seconds=$(wc -w <words)
	oracle frames | grep ' .* ' >wanted
	make_events indexed.mprof --index
	mprof dump --json --blocks indexed.mprof
	grep -q '"block":"index"' out || fail "the log has no index"
	for log in log indexed; do
		"$builddir/tests/exports/list_frames" $log.mprof "$seconds" "${threads[@]}" | $without_gaps |
			grep ' .* ' >found ||
			fail "list_frames $log"
		same_rows "open frames of $log.mprof"
	done
}

# same_page: what the page shows, which reads the log itself.
same_page() {
	local wasm=$builddir/examples/wasm/libmprof.wasm

	if test -e "$wasm" && command -v node >/dev/null; then
		read_report log.mprof
		node "$srcdir/tests/explore/calls.mjs" "$srcdir/examples/wasm/mprof.js" "$wasm" \
			"$srcdir/examples/explore/call_reader.js" log.mprof report || fail "calls.mjs"
	fi
}

# Compares all followers on the events of the file words.
all_the_same() {
	make_events log.mprof
	oracle totals >all
	totals 1-4
	same_reports
	same_copies
	same_exports 1-4
	same_times
	same_frames
	same_page
}
