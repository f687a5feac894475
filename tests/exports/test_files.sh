#!/bin/bash
# SPDX-License-Identifier: MIT
# The files that commands write from a log are readable by no user who cannot read the log; links and files of other
# users are neither followed nor replaced; a name that ends in ".gz" makes a compressed file.
set -eu
. "$srcdir/tests/exports/support.sh"
make_calls calls

mode_of() {
	stat -c %a "$1"
}

# write_all SUFFIX: writes a file by each command, from the log log.mprof, as NAME-SUFFIX.
write_all() {
	mprof convert log.mprof "convert-$1"
	expect_status 0 convert
	mprof flame -o "flame-$1" log.mprof
	expect_status 0 flame
	export_log perfetto log.mprof "perfetto-$1"
	export_log csv log.mprof "csv-$1.csv" --table=methods
	export_log csv log.mprof "tables-$1"
}

# check_modes WANTED SUFFIX
check_modes() {
	for file in "convert-$2" "flame-$2" "perfetto-$2" "csv-$2.csv" "tables-$2/methods.csv"; do
		expect "the mode of $file" "$(mode_of "$file")" "$1"
	done
}

umask 022
cp calls.mprof log.mprof
for modes in 600:600 640:640 644:644 444:644 666:644; do
	chmod "${modes%:*}" log.mprof
	write_all "${modes%:*}"
	check_modes "${modes#*:}" "${modes%:*}"
done
umask 077
chmod 644 log.mprof
write_all mask
check_modes 600 mask
umask 022

# From a pipe, the permissions of the log are not known.
cat log.mprof | "$MPROF" export --to=folded --value=wall -o from-pipe - 2>err || fail "export of a pipe: $(cat err)"
expect "the mode of a file from a pipe" "$(mode_of from-pipe)" 600
"$MPROF" flame -o from-pipe.svg - <log.mprof 2>err || fail "flame of a file as standard input: $(cat err)"
expect "the mode of a file from standard input" "$(mode_of from-pipe.svg)" 644

# An existing file keeps its permissions.
chmod 600 log.mprof
: >existing
chmod 640 existing
export_log folded log.mprof existing --value=wall
expect "the mode of an existing file" "$(mode_of existing)" 640

# Links of this user are followed, also one after the other.
echo precious >precious
ln -s precious own
ln -s own second
export_log folded log.mprof second --value=wall
grep -q ' [0-9]' precious || fail "a link of this user was not followed"
test -L second || fail "the link was replaced"
ln -s second second-loop
ln -sf second-loop second
mprof export --to=folded --value=wall -o second log.mprof
expect_status 1 "a loop of links"

if test "$(id -u)" = 0 && command -v runuser >/dev/null && id nobody >/dev/null 2>&1; then
	chmod 755 .
	mkdir planted
	chmod 777 planted
	echo precious >target
	chmod 666 target
	runuser -u nobody -- ln -s "$PWD/target" planted/link
	runuser -u nobody -- sh -c ': >planted/file; chmod 666 planted/file; mkfifo planted/pipe; mkdir planted/made'
	runuser -u nobody -- ln -s "$PWD/planted/made" planted/folder
	chmod 1777 planted
	for name in link file pipe; do
		mprof convert log.mprof planted/$name
		expect_status 1 "convert to planted/$name"
		mprof flame -o planted/$name log.mprof
		expect_status 1 "flame to planted/$name"
		mprof export --to=folded --value=wall -o planted/$name log.mprof
		expect_status 1 "export to planted/$name"
		expect_line err 'of another user|belongs to another user'
	done
	expect "the target of a link" "$(cat target)" precious
	test ! -s planted/file || fail "a file of another user was written"
	mprof export --to=csv -o planted/folder log.mprof
	test "$status" != 0 || fail "a link to a folder was followed"
	test -z "$(ls planted/made)" || fail "files in a folder that a link of another user leads to"
fi

# Compressed files have what the others have.
if test -z "${MPROF_WITHOUT_ZLIB-}"; then
	for format in perfetto folded speedscope callgrind chrome otlp; do
		export_log $format log.mprof plain.out
		export_log $format log.mprof packed.gz
		gzip -dc packed.gz >unpacked || fail "$format: not compressed"
		cmp plain.out unpacked || fail "$format: not the same when compressed"
	done
	export_log csv log.mprof table.csv.gz --table=methods
	export_log csv log.mprof table.csv --table=methods
	gzip -dc table.csv.gz | cmp - table.csv || fail "a compressed table"
fi
