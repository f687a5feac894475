#!/bin/bash
# SPDX-License-Identifier: MIT
# Help, version, and command lines that are wrong.
set -eu
. "$srcdir/tests/tool/support.sh"

make_logs sample

version=$(sed -n 's/^#define MPROF_VERSION_STRING "\(.*\)"$/\1/p' "$srcdir/include/mprof/version.h")
mprof --help
expect_status 0 "help"
expect_line out '^Usage: mprof COMMAND'
mprof --version
expect "version" "$(cat out)" "mprof $version"
for command in record control info dump report decode check convert doctor; do
	mprof $command --help
	expect_status 0 "$command --help"
	expect_line out "^Usage: mprof $command"
	mprof help $command
	expect_line out "^Usage: mprof $command"
	mprof $command --version
	expect "$command --version" "$(cat out)" "mprof $version"
	mprof $command --nonsense
	expect_status 2 "$command --nonsense"
	expect_line err "nonsense"
	test ! -s out || fail "$command --nonsense: output"
done

# wrong ARGUMENT...
wrong() {
	mprof "$@"
	expect_status 2 "$*"
	expect_line err '^mprof: '
}
wrong
wrong nonsense
wrong decode
wrong decode sample.mprof sample.mprof
wrong decode --json sample.mprof
wrong info
wrong info sample.mprof sample.mprof
wrong info --json=1 sample.mprof
wrong info -xy sample.mprof
expect_line err "'-x'"
wrong dump --top=1 sample.mprof
wrong report --top sample.mprof
wrong report --top=x sample.mprof
wrong report --top=-1 sample.mprof
wrong report --sort=size sample.mprof
wrong report --thread=main sample.mprof
wrong report --min-percent=101 sample.mprof
wrong report --depth=99999999 sample.mprof
wrong check
wrong doctor sample.mprof
wrong convert
wrong convert sample.mprof
wrong convert sample.mprof copy.mprof copy.mprof
wrong convert --dialect=nonsense sample.mprof copy.mprof
wrong convert --compress=0 sample.mprof copy.mprof
wrong convert --compress=10 sample.mprof copy.mprof
wrong convert --json sample.mprof -
wrong convert sample.mprof sample.mprof
wrong record
wrong record -o
wrong record -o "" -- true
wrong record -o - -- true
wrong record --gzip=10 -- true
wrong record --gzip=0 -- true
wrong record --buffers=1 -- true
wrong record --interval=x -- true
wrong record --format=nonsense -- true
wrong record --sample=0 -- true
wrong record --sample=fast -- true
wrong record --heap=5 -- true
wrong record --heap=0gc -- true
wrong record --heap= -- true
wrong record --alloc=stack+ -- true
wrong record --handles=strong -- true
wrong record --only= -- true
wrong record --not=a,b -- true
wrong record --max-size=10 -- true
wrong record --ring=1x -- true
wrong record --port=80 -- true
wrong control
wrong control 1
wrong control 1 nonsense
wrong control 1 enable disable
wrong control me enable
wrong control 1 mark

# A reader that goes away is no reason to complain.
status=0
"$MPROF" dump --json sample.mprof 2>err | head -n 1 >out || status=$?
expect_status 0 "a pipe that is closed"
test ! -s err || fail "a pipe that is closed: $(cat err)"
(trap '' PIPE; "$MPROF" dump --json sample.mprof 2>err | head -n 1 >out)
test ! -s err || fail "a pipe that is closed, without the signal: $(cat err)"

# Output that cannot be written is one.
if test -w /dev/full; then
	status=0
	"$MPROF" info sample.mprof 2>err >/dev/full || status=$?
	expect_status 1 "a full disk"
	expect_line err '^mprof: standard output: '
fi
