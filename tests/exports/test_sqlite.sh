#!/bin/bash
# SPDX-License-Identifier: MIT
# A database of SQLite is sound, and its figures are those of the report, also for several logs of all kinds, damaged
# ones, and those with hostile names.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq python3 sqlite3
make_calls calls
make_logs sample full memory empty mail
make_dialects
make_truncated
make_tree names names.mprof
"$builddir/tests/tool/make_timeline" timeline.mprof || fail "make_timeline"
"$builddir/tests/tool/make_spans" spans.mprof || fail "make_spans"

mprof export --to=sqlite -o calls.sqlite calls.mprof
if grep -q 'built without libsqlite3' err; then
	skip "the tool was built without libsqlite3"
fi

# check_database FILE: SQLite finds no fault.
check_database() {
	expect "$1: integrity" "$(sqlite3 "$1" 'PRAGMA integrity_check')" ok
	expect "$1: foreign keys" "$(sqlite3 "$1" 'PRAGMA foreign_key_check')" ""
	expect "$1: application" "$(sqlite3 "$1" 'PRAGMA application_id')" 1297109574
	expect "$1: version" "$(sqlite3 "$1" 'PRAGMA user_version')" 1
}

logs=(calls sample full memory empty mail mono unity drop truncated names timeline spans)
reports=()
for log in "${logs[@]}"; do
	read_report "$log.mprof" --pauses
	cp report "$log.json"
	reports+=("$log.json")
done
mprof export --to=sqlite -o all.sqlite "${logs[@]/%/.mprof}"
expect_status 1 "all logs, one of which is truncated"
expect_line err '^mprof: truncated.mprof: offset [0-9]+: '
check_database all.sqlite
python3 "$srcdir/tests/exports/compare_tables.py" all.sqlite "${reports[@]}" || fail "all.sqlite differs from the reports"
test "$(sqlite3 all.sqlite "SELECT count(*) FROM logs_view WHERE NOT complete AND file = 'truncated.mprof'")" = 1 ||
	fail "the truncated log is not marked"

# Two logs of the same name, and where logs are from.
mkdir a b
cp calls.mprof a/x.mprof
cp sample.mprof b/x.mprof
mprof export --to=sqlite --host=web1 --build="1.0'; DROP TABLE logs; --" a/x.mprof b/x.mprof
test -s x.sqlite || fail "no x.sqlite"
check_database x.sqlite
expect "two logs" "$(sqlite3 x.sqlite 'SELECT log, host, build, file FROM logs_view')" \
	"1|web1|1.0'; DROP TABLE logs; --|a/x.mprof
2|web1|1.0'; DROP TABLE logs; --|b/x.mprof"
mprof export --to=pprof --host=web1 calls.mprof
expect_status 2 "--host without tables"

# Standard output, a window, and numbers above 2^53.
"$MPROF" export --to=sqlite -o - calls.mprof >piped.sqlite 2>err
cmp piped.sqlite calls.sqlite || fail "standard output makes a difference"
make_calls large
read_report large.mprof
mprof export --to=sqlite large.mprof
sqlite3 large.sqlite "SELECT self_ns FROM methods" >found
grep -qx "$(large_time)" found || fail "numbers above 2^53: $(cat found)"

# What is not a log is left out; without any log there is no file. A full disk leaves no file either.
echo text >text
mprof export --to=sqlite -o some.sqlite text calls.mprof
expect_status 1 "one of two is no log"
expect "one log" "$(sqlite3 some.sqlite 'SELECT count(*) FROM logs')" 1
mprof export --to=sqlite -o none.sqlite text
expect_status 3 "no log"
test ! -e none.sqlite || fail "a file without a log"
mprof export --to=sqlite -o /dev/full calls.mprof
expect_status 1 "a full disk"
expect "temporary files" "$(find . -name '.mprof*')" ""
