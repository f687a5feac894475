#!/bin/bash
# SPDX-License-Identifier: MIT
# A file that is not a log is detected, with exit status 3.
set -eu
. "$srcdir/tests/tool/support.sh"
needs_compression

: >empty
mkdir directory
echo 'hello, this is a text that is longer than an introduction' >text
head -c 1000 /dev/zero >zeros
# The first bytes of a log of Mono's own profiler
printf '\001ZPM\003\000\021\010\000\000\000\000\000\000\000\000' >foreign.mlpd
head -c 40 "$MPROF" >program
echo 'text, compressed' | gzip >text.gz

for command in info "info --json" dump "dump --json" report "report --json" heap "heap --json" handles "handles --json" check "check --json"; do
	for file in empty directory text zeros foreign.mlpd program text.gz missing; do
		mprof $command $file
		expect_status 3 "$command $file"
		expect_line err "^mprof: $file: "
		test ! -s out || fail "$command $file: output"
		expect "$command $file: lines of message" "$(wc -l <err)" 1
	done
	mprof $command -
	expect_status 3 "$command of nothing"
	expect_line err "^mprof: -: "
done
mprof info foreign.mlpd
expect_line err '[Mm]ono'
mprof info directory
expect_line err 'directory'
mprof info missing
expect_line err 'No such file'
if test "$(id -u)" != 0; then
	touch secret
	chmod 0 secret
	mprof info secret
	expect_status 3 "a file that must not be read"
fi
