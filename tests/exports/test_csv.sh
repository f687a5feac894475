#!/bin/bash
# SPDX-License-Identifier: MIT
# Tables in CSV have the figures of the report, also for several logs of all kinds, damaged ones, and those with hostile
# names; all files of a directory are replaced, or none.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq python3
make_calls calls large
make_logs sample full memory empty mail
make_dialects
make_truncated
make_tree names names.mprof
"$builddir/tests/tool/make_timeline" timeline.mprof || fail "make_timeline"
"$builddir/tests/tool/make_spans" spans.mprof || fail "make_spans"

logs=(calls sample full memory empty mail mono unity drop truncated names timeline spans)
reports=()
for log in "${logs[@]}"; do
	read_report "$log.mprof" --pauses
	cp report "$log.json"
	reports+=("$log.json")
done
mprof export --to=csv -o all "${logs[@]/%/.mprof}"
expect_status 1 "all logs, one of which is truncated"
expect "files" "$(find all -type f | wc -l)" "$(find all -name '*.csv' | wc -l)"
python3 "$srcdir/tests/exports/compare_tables.py" all "${reports[@]}" || fail "all differs from the reports"

# Hosts with the separators of the format, and a build.
mprof export --to=csv --host='a,"b' --build=$'1\n2' calls.mprof
expect_status 0 "the default directory"
expect "host and build" "$(python3 -c 'import csv
for row in list(csv.DictReader(open("calls-csv/methods.csv", newline="")))[:1]:
	print(row["log"], row["host"], repr(row["build"]))')" "1 a,\"b '1\\\\x0a2'"
expect "line ends" "$(grep -c $'\r$' calls-csv/classes.csv)" "$(wc -l <calls-csv/classes.csv)"

# One table is one file.
mprof export --to=csv --table=classes calls.mprof
mprof export --to=csv calls.mprof
cmp calls-classes.csv calls-csv/classes.csv || fail "--table makes a difference"
mprof export --to=csv -o single.csv calls.mprof
expect_line err 'only the table methods; --table=NAME for another'
cmp single.csv calls-csv/methods.csv || fail "a name with an extension is not the methods"
"$MPROF" export --to=csv --table=logs -o - calls.mprof >out 2>err
cmp out calls-csv/logs.csv || fail "standard output makes a difference"
mprof export --to=csv --table=methodz calls.mprof
expect_status 2 "a table that does not exist"
expect_line err "unknown table 'methodz'; did you mean 'methods'"
mprof export --to=sqlite --table=methods calls.mprof
expect_status 2 "--table of a database"

# Numbers above 2^53.
read_report large.mprof
mprof export --to=csv large.mprof
grep -qF ",$(large_time)," large-csv/methods.csv || fail "numbers above 2^53"

# A disk that is full for one file leaves all files as they were.
cp -r calls-csv before
ln -sf /dev/full calls-csv/threads.csv
mprof export --to=csv --host=other calls.mprof
expect_status 1 "a full disk"
rm calls-csv/threads.csv before/threads.csv
diff -r before calls-csv || fail "a full disk replaced files"
mprof export --to=csv --table=methods -o /dev/full calls.mprof
expect_status 1 "a full disk for one file"

# What is not a log leaves no file.
echo text >text
mprof export --to=csv -o none text
expect_status 3 "no log"
test ! -e none || fail "a directory without a log"

# Texts that a spreadsheet takes for formulas have an apostrophe before them; numbers are not changed.
make_calls names
mprof export --to=csv --table=methods -o names.csv names.mprof
python3 - names.csv >found <<'END'
import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline="")):
    if len(row["name"]) < 100:
        print(row["name"], row["calls"])
END
printf '%s 1\n' "'=1+2" "'+3-cmd|' /C calc'!A0" "'-4+x" "'@SUM(A1)" -5 plain | sort >wanted
grep -v '^ 1$' found | sort | diff - wanted || fail "formulas in tables"
mprof report --csv --sections=methods names.mprof
expect_status 0 "report --csv"
for name in "'=1+2" "'-4+x" "'@SUM(A1)"; do
	grep -qF ",\"$name\"," out || fail "report --csv: $name"
done
! grep -qE '(^|,)"?[=@]' out || fail "report --csv: a cell is a formula"
