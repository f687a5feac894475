#!/bin/bash
# SPDX-License-Identifier: MIT
# The command line of mprof export: formats, values, names of outputs, losses, damage, and outputs that cannot be
# written. The tests in tests/exports check what the formats contain.
set -eu
. "$srcdir/tests/tool/support.sh"
make_logs sample
make_trees names

# wrong PATTERN ARGUMENT...: a usage error, with a line of the message.
wrong() {
	local pattern=$1

	shift
	mprof export "$@"
	expect_status 2 "export $*"
	expect_line err "$pattern"
}
wrong 'no --to=FORMAT' sample.mprof
wrong "unknown format 'pprov'; did you mean 'pprof'\?" --to=pprov sample.mprof
wrong "unknown format 'xyzzy'; 'mprof export --to=help'" --to=xyzzy sample.mprof
wrong "'wal' is not one of .*; the nearest is 'wall'" --to=pprof --value=wal sample.mprof
wrong 'no FILE' --to=pprof
wrong "more than one FILE: 'names.mprof': pprof holds one log; 'mprof merge' makes one of several" --to=pprof sample.mprof names.mprof
wrong '--min-duration has no effect on pprof' --to=pprof --min-duration=1us sample.mprof
wrong '--by-thread has no effect on folded' --to=folded --by-thread sample.mprof
wrong '--time and --last cannot be combined' --to=pprof --time=1-2 --last=1s sample.mprof
wrong "option '-o' needs a value" --to=pprof sample.mprof -o
wrong 'the output file is the log itself' --to=pprof -o ./sample.mprof sample.mprof
test -z "$(ls ./*.pb.gz 2>/dev/null)" || fail "a wrong command line left a file"

mprof export --to=help
test ! -s err || fail "the list of formats: $(cat err)"
expect_status 0 "the list of formats"
for format in pprof perfetto chrome firefox speedscope folded callgrind dot; do
	expect_line out "^  $format "
	"$MPROF" export --to=$format -o - sample.mprof >"all.$format" 2>err || fail "$format: $(cat err)"
	test -s "all.$format" || fail "no output of $format"
done

# The default name is that of the log, in the current directory.
mkdir directory
cp sample.mprof directory/one.two.mprof
mprof export --to=pprof directory/one.two.mprof
expect_status 0 "the default name"
test -s one.two.pb.gz || fail "no one.two.pb.gz"
expect_line err '^mprof: one.two.pb.gz: [0-9]'
expect_line err '^mprof: export: pprof holds'
if test -z "${MPROF_WITHOUT_ZLIB-}"; then
	gzip <sample.mprof >zipped.mprof.gz
	mprof export --to=pprof zipped.mprof.gz
	test -s zipped.pb.gz || fail "no zipped.pb.gz"
fi

# From standard input to standard output, also from a pipe.
"$MPROF" export --to=pprof - <sample.mprof >from_file.pb.gz 2>err
# shellcheck disable=SC2002
cat sample.mprof | "$MPROF" export --to=pprof - >from_pipe.pb.gz 2>err
cmp from_file.pb.gz from_pipe.pb.gz || fail "a pipe makes a difference"
"$MPROF" export --to=pprof -o - sample.mprof >named.pb.gz 2>err
test -s named.pb.gz || fail "nothing on standard output"

# What is not a log, or has nothing to export, leaves no file.
echo text >text
mprof export --to=pprof -o kept text
expect_status 3 "no log"
test ! -e kept || fail "an export of what is no log"
mprof export --to=pprof --value=waits -o kept names.mprof
expect_status 3 "a value that the log lacks"
expect_line err '--value=waits: the log has no such data; it has .*samples'
test ! -e kept || fail "an export without data"

# An existing file is replaced only by a complete one.
echo before >kept
mprof export --to=pprof -o kept text
expect "the file after a failure" "$(cat kept)" before
if (ulimit -f 0; exec "$MPROF" export --to=pprof -o kept sample.mprof) 2>/dev/null; then
	fail "a file above the size limit was written"
fi
expect "the file after a full disk" "$(cat kept)" before
expect "temporary files" "$(ls kept*)" kept
mprof export --to=pprof -o absent/x sample.mprof
expect_status 1 "a directory that does not exist"
if test -w /dev/full; then
	mprof export --to=pprof -o /dev/full sample.mprof
	expect_status 1 "a full disk"
	expect_line err '/dev/full: No space left'
fi
mprof export --to=pprof -o kept sample.mprof
expect_status 0 "a complete file"
! grep -q before kept || fail "the file was not replaced"

# A truncated log is exported as far as it can be read.
head -c -20 sample.mprof >cut.mprof
mprof export --to=pprof cut.mprof
expect_status 1 "a truncated log"
expect_line err '^mprof: cut.mprof: offset [0-9]+: '
test -s cut.pb.gz || fail "no export of a truncated log"

# Losses are stated.
mprof report --json sample.mprof
lost=$(jq .session.lost_events out)
mprof export --to=pprof sample.mprof
if test "$lost" -gt 0; then
	expect_line err "$lost events were lost"
else
	expect_no_line err 'events were lost'
fi
