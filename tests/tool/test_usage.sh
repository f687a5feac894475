#!/bin/bash
# SPDX-License-Identifier: MIT
# Help, version, and invalid command lines.
set -eu
. "$srcdir/tests/tool/support.sh"

make_logs sample

version=$(sed -n 's/^#define MPROF_VERSION_STRING "\(.*\)"$/\1/p' "$srcdir/include/mprof/base.h")
mprof --help
expect_status 0 "help"
expect_line out '^Usage: mprof COMMAND'
mprof --version
expect "version" "$(cat out)" "mprof $version"
for command in record control info dump top follow report diff heap flame handles export explore decode check convert doctor; do
	mprof $command --help
	expect_status 0 "$command --help"
	expect_line out "^Usage: mprof $command"
	expect_line out '^Exit status: '
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
wrong report --sort=colour sample.mprof
expect_line err "'colour' is not a key of a table"
wrong report --thread= sample.mprof
wrong report --min-percent=101 sample.mprof
wrong report --depth=99999999 sample.mprof
wrong flame
wrong flame sample.mprof sample.mprof sample.mprof
wrong flame - -
wrong flame -o
wrong flame --value=walls sample.mprof
expect_line err "'wall'"
wrong flame --min-share=101 sample.mprof
wrong flame --width=10 sample.mprof
wrong flame --depth=0 sample.mprof
wrong flame --normalize sample.mprof
wrong flame --time=0-1 --last=1s sample.mprof
wrong heap --at=0 sample.mprof
wrong heap --sort=size sample.mprof
wrong heap --memory=0 sample.mprof
wrong heap --object=here sample.mprof
wrong heap --json --csv sample.mprof
wrong heap --list --at=1 sample.mprof
wrong handles --top=x sample.mprof
wrong diff
wrong diff sample.mprof
wrong diff sample.mprof sample.mprof sample.mprof
wrong diff - -
wrong diff --shots=1 sample.mprof
wrong diff --shots=0,1 sample.mprof
wrong diff --shots=1,2x sample.mprof
wrong diff --sort=name sample.mprof sample.mprof
wrong diff --fail-above=x sample.mprof sample.mprof
wrong diff --fail-above=5q sample.mprof sample.mprof
wrong diff --fail-above=5% --of=nonsense sample.mprof sample.mprof
wrong diff --of=bytes sample.mprof sample.mprof
wrong diff --json --csv sample.mprof sample.mprof
wrong diff --fail-above=5% --of=retained sample.mprof sample.mprof
wrong diff --shots=1,2 --tree sample.mprof
wrong diff --tree=monitors sample.mprof sample.mprof
wrong diff --min-percent=-1 sample.mprof sample.mprof
wrong diff --normalize --fail-above=5 sample.mprof sample.mprof
wrong check
wrong doctor sample.mprof
wrong convert
wrong convert sample.mprof
wrong convert sample.mprof copy.mprof copy.mprof
wrong convert --dialect=nonsense sample.mprof copy.mprof
wrong convert --compress=0 sample.mprof copy.mprof
wrong convert --compress=10 sample.mprof copy.mprof
wrong record --resolution=11us true
wrong record --resolution= true
wrong record --compress=zstd:0 true
wrong record --compress=deflate:10 true
wrong record --compress=lz4 true
wrong record --compress= true
wrong record --compress=deflate --ring=1m true
wrong convert --compress=zstd:0 sample.mprof copy.mprof
wrong convert --compress=deflate:10 sample.mprof copy.mprof
wrong convert --compress=lz4 sample.mprof copy.mprof
wrong convert --resolution=100 sample.mprof copy.mprof
wrong convert --resolution=11us sample.mprof copy.mprof
wrong convert --resolution=-1ns sample.mprof copy.mprof
wrong convert --resolution=99999999999999999999ns sample.mprof copy.mprof
wrong convert --json sample.mprof -
wrong convert sample.mprof sample.mprof
wrong record
wrong record -o
wrong record -o "" -- true
# Without a module nothing can be recorded, which is found first.
test ! -e "$builddir/examples/native/.libs/libmprof-instrument.so" || wrong record -o sample.mprof -- true
wrong record --gzip=10 -- true
wrong record --gzip=0 -- true
wrong record --buffers=1 -- true
wrong record --interval=x -- true
wrong record --drain-threads=65 -- true
wrong record --format=nonsense -- true
expect_line err "'nonsense' is not one of mprof2, unity, mono, drop, mail\$"
wrong record --sample=0 -- true
wrong record --sample=fast -- true
wrong record --heap=5 -- true
wrong record --heap=0gc -- true
wrong record --heap= -- true
wrong record --alloc=stack+ -- true
expect_line err "is not one of stack, stack:BYTES from 1k to 1g, caller, objects, or several joined by \+\$"
for size in "" 0 1023 1x 512kk -1 2g 1025m 99999999999999999999 99999999999999999g; do
	wrong record --alloc="stack:$size" -- true
	expect_line err "'stack:$size' is not one of stack, stack:BYTES"
done
wrong record --alloc=stack:512k+caller -- true
expect_line err "exclude each other"
wrong record --alloc=objects --alloc=stack:1m --format=mono -- true
expect_line err "^mprof: --alloc=stack:BYTES needs --format=mprof2\$"
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

# Options that the module would refuse are refused before the program starts.
refused() {
	rm -f started
	wrong record "$@" -- touch started
	test ! -e started || fail "record $*: the program ran"
}
refused --signal=KILL:flush
expect_line err "KILL.* cannot be used"
refused --signal=USR1:foo
expect_line err 'toggle, flush and heapshot'
refused --signal=USR1
refused --signal=:flush
refused --signal=USR1:heapshot
refused --heap --signal=USR1:heapshot --signal=SIGUSR1:flush
refused --signal=HUP:flush --signal=USR1:flush --signal=USR2:flush --signal=ALRM:flush --signal=URG:flush
refused --only=class:
refused --not=method:
refused --ring=1m --max-size=1m
refused --sample=0x10
refused --max-size=999999999999999g
# The limits in messages are the real ones.
for option in sample:1:10000 sample-real:1:10000 counters:1:3600000 sample-depth:1:249 stack-depth:1:249 \
	depth:1:1000000000 buffers:2:65536 interval:1:3600000 port:1024:65535; do
	IFS=: read -r name least most <<<"$option"
	for value in $((least - 1)) $((most + 1)); do
		refused --$name=$value
		expect_line err "^mprof: --$name: '$value' is not a number from $least to $most\$"
	done
done
wrong report --depth=0 sample.mprof
expect_line err "from 1 to 65536"
if test -z "${MPROF_WITHOUT_ZLIB-}"; then
	for value in 0 10; do
		refused --gzip=$value
		expect_line err "^mprof: --gzip: '$value' is not a number from 1 to 9\$"
		wrong convert --compress=$value sample.mprof copy.mprof
		expect_line err "^mprof: --compress: '$value' is not a number from 1 to 9\$"
	done
fi

# A mistyped word gets a suggestion; a word that is similar to none gets no suggestion.
# suggests WANTED ARGUMENT...
suggests() {
	local wanted=$1
	shift
	wrong "$@"
	expect_line err "did you mean '$wanted'\\?"
}
suggests report reprot sample.mprof
suggests doctor docter
suggests --json info --jsno sample.mprof
suggests --min-percent report --min-percnt=5 sample.mprof
suggests --sample record --smaple -- true
suggests heapshot control 1 heapshto
for arguments in xyzzyx "info --xyzzy sample.mprof" "record --xyzzy -- true" "control 1 xyzzy"; do
	# shellcheck disable=SC2086
	wrong $arguments
	expect_no_line err 'did you mean'
done

# A closed pipe is not an error.
status=0
"$MPROF" dump --json sample.mprof 2>err | head -n 1 >out || status=$?
expect_status 0 "a pipe that is closed"
test ! -s err || fail "a pipe that is closed: $(cat err)"
(trap '' PIPE; "$MPROF" dump --json sample.mprof 2>err | head -n 1 >out)
test ! -s err || fail "a pipe that is closed, without the signal: $(cat err)"

# Output that cannot be written is an error.
if test -w /dev/full; then
	status=0
	"$MPROF" info sample.mprof 2>err >/dev/full || status=$?
	expect_status 1 "a full disk"
	expect_line err '^mprof: standard output: '
fi
