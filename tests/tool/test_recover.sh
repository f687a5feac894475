#!/bin/bash
# SPDX-License-Identifier: MIT
# A program that is killed: mprof record completes its log, and mprof recover does if nobody waited for the program.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
module_directory=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}
test -e "$module_directory/libmprof-instrument.so" || skip "the module for native programs was not built"
export MPROF_MODULE_DIR=$module_directory

cat >victim.c <<'EOT'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
volatile long count;
__attribute__((noinline)) void leaf(void) { count++; }
__attribute__((noinline)) void middle(void) { leaf(); leaf(); }
__attribute__((noinline)) void last(void) { count++; }
int main(int argc, char **argv)
{
	for (long i = 0; i < atol(argv[1]); i++)
		middle();
	last();
	if (argc > 2)
		raise(atoi(argv[2]));
	_exit(5);
}
EOT
${CC:-cc} -O1 -finstrument-functions victim.c -o victim

# calls LOG NAME COUNT: the log has that many calls of a function.
calls() {
	mprof report --json "$1"
	expect_status 0 "report $1"
	expect_json "$1" ".methods[] | select(.name == \"$2\") | .calls" "$3"
}

# check_calls LOG COUNT: all calls are there, with their names.
check_calls() {
	calls "$1" main 1
	calls "$1" middle "$2"
	calls "$1" leaf $((2 * $2))
	calls "$1" last 1
	mprof check "$1"
	expect_status 0 "check $1"
}

# Every way to die, with the log on its way to the disk and not.
for signal in 9 15 6 11; do
	mprof record -o killed.mprof -- ./victim 30000 $signal
	expect_status $((128 + signal)) "signal $signal"
	expect_line err "killed by signal $signal \(.*\); [0-9]+ events salvaged, 0 lost"
	test ! -e killed.mprof.salvage || fail "the salvage file is still there"
	check_calls killed.mprof 30000
	rm killed.mprof
done
mprof record -o ended.mprof -- ./victim 30000
expect_status 5 "_exit"
check_calls ended.mprof 30000

# A ring that is compressed when it is written.
mprof record --ring=4m --gzip -o ring.mprof -- ./victim 30000 9
expect_status 137 "a ring that is compressed"
expect_line err "killed by signal 9 \(.*\); [0-9]+ events salvaged, 0 lost"
test "$(od -An -tx1 -N2 ring.mprof)" = " 1f 8b" || fail "the log of the ring is not compressed"
check_calls ring.mprof 30000

# A log that is compressed while it is written: in its first member, and after several.
for count in 300 2000000; do
	mprof record --gzip --force -o small.mprof -- ./victim $count 9
	expect_status 137 "a compressed log"
	expect_line err "killed by signal 9 \(.*\); [0-9]+ events salvaged, 0 lost"
	test "$(od -An -tx1 -N2 small.mprof)" = " 1f 8b" || fail "the log is not compressed"
	gzip -t small.mprof || fail "gzip cannot read the completed log"
	check_calls small.mprof $count
done

# What cannot be salvaged, which is stated before the program runs.
mprof record --format=mono -o older.mprof -- ./victim 300000 9
expect_line err 'since logs in older dialects cannot be salvaged$'
test "$(head -n 1 err)" = "mprof: logs in older dialects cannot be salvaged: if the program is killed, its last events\
 are lost" || fail "older dialect: $(cat err)"
mkfifo pipe.mprof
cat pipe.mprof >piped.mprof &
mprof record -o pipe.mprof -- ./victim 300000 9
wait
expect_line err 'mprof: logs in pipes cannot be salvaged: if the program is killed, its last events are lost$'
mprof record -q --format=mono -o quiet.mprof -- ./victim 300
test ! -s err || fail "--quiet: $(cat err)"

# Without mprof record.
MPROF_INSTRUMENT_OUTPUT=alone.mprof LD_PRELOAD=$module_directory/libmprof-instrument.so ./victim 20000 9 2>err || true
test -e alone.mprof.salvage || fail "no salvage file beside the log: $(cat err)"
mprof info alone.mprof
expect_status 1 "info of a log without its end"
expect_line err "'mprof recover alone.mprof' completes the log"
mprof recover alone.mprof
expect_status 0 "recover"
expect_line out '^alone.mprof: [0-9]+ events salvaged, 0 lost, [0-9]+ bytes$'
test ! -e alone.mprof.salvage || fail "the salvage file is still there after recover"
check_calls alone.mprof 20000

# What cannot be recovered.
mprof recover alone.mprof
expect_status 3 "recover of a complete log"
expect_line err 'nothing to recover'
echo nonsense >x.mprof.salvage
mprof recover x.mprof
expect_status 3 "recover of nonsense"
expect_line err 'not a salvage file'
mprof recover
expect_status 2 "recover without a file"

# The program shares memory with mprof record, so there is no file beside the log.
cat >lister.c <<'EOT'
#include <stdlib.h>
int main(void) { return system("ls | grep -c '^listed.*salvage' >left") == 256 ? 0 : 1; }
EOT
${CC:-cc} -finstrument-functions lister.c -o lister
mprof record -o listed.mprof -- ./lister
expect_status 0 "shared memory"
test "$(cat left)" = 0 || fail "there is a salvage file beside the log"

# A ring that does not fit the memory limit of the control group, where this test may make one.
group=/sys/fs/cgroup/memory/mprof-test-$$
if mkdir "$group" 2>mkdir.err && test -e "$group/memory.limit_in_bytes"; then
	trap 'rm -rf "$work"; rmdir "$group"' EXIT
	echo $((64 << 20)) >"$group/memory.limit_in_bytes"
	# record_in_group OPTION...
	record_in_group() {
		status=0
		(
			echo "$BASHPID" >"$group/cgroup.procs"
			exec "$MPROF" record "$@" -- ./victim 30000 9
		) >out 2>err || status=$?
	}
	record_in_group --ring=60m -o large.mprof
	expect_status 2 "a ring that is too large"
	expect_line err '^mprof: --ring: the ring needs up to 79 MiB, but .* limited to 64 MiB; '
	record_in_group --ring=8m -o fits.mprof
	expect_status 137 "a ring that fits"
	check_calls fits.mprof 30000
	record_in_group --ring=60m --salvage=disk.salvage -o disk.mprof
	expect_status 137 "a ring on a disk"
	check_calls disk.mprof 30000
fi

# A salvage file that was named.
mprof record --gzip --salvage=named -o named.mprof -- ./victim 30000 9
expect_status 137 "--salvage=FILE"
expect_line err "killed by signal 9 \(.*\); [0-9]+ events salvaged, 0 lost"
test ! -e named || fail "--salvage=FILE: the file is still there"
check_calls named.mprof 30000

# Switched off.
mprof record --salvage=no -o off.mprof -- ./victim 30000 9
expect_status 137 "--salvage=no"
! grep -q salvaged err || fail "--salvage=no: $(cat err)"
