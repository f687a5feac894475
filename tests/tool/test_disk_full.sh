#!/bin/bash
# SPDX-License-Identifier: MIT
# Logs on a full disk and at the file size limit: the program is unharmed, one line has the cause and the number of lost
# events, and recorded and lost events are all that happened. Needs root, a compiler and the modules.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
modules=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}
export MPROF_MODULE_DIR=$modules
test -e "$modules/libmprof-malloc.so" || skip "the modules for native programs were not built"
test -e "$modules/libmprof-instrument.so" || skip "the modules for native programs were not built"

# 400,000 calls of f with an allocation each, at changing times, so that columns do not become small.
cat >program.c <<'SOURCE'
#include <stdlib.h>
static volatile unsigned sink;
__attribute__((noinline)) void f(unsigned size)
{
	void *volatile memory = malloc(size);

	free(memory);
}
int main(void)
{
	unsigned number = 1;

	for (int i = 0; i < 400000; i++) {
		number = number * 1103515245 + 12345;
		for (unsigned wait = number >> 26; wait > 0; wait--)
			sink++;
		f(1 + (number >> 18));
	}
	return 0;
}
SOURCE
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -O1 -fno-builtin -w -finstrument-functions -o program program.c 2>compiler.out ||
	skip "the compiler cannot compile: $(cat compiler.out)"
mkdir disk

# events LOG: "recorded lost"; the log has its end.
events() {
	"$MPROF" info --json "$1" | jq -r 'if .complete then "\(.event_count) \(.lost_events)" else "incomplete" end'
}

# check_log WHAT LOG TOTAL CAUSE
check_log() {
	local recorded lost
	read -r recorded lost <<<"$(events "$2")"
	test "${lost:-0}" -gt 0 || fail "$1: no losses: $recorded $lost"
	expect "$1: all events" $((recorded + lost)) "$3"
	expect "$1: cause" "$("$MPROF" info --json "$2" | jq -r .write_error)" "$4"
	expect_line err "$4"
	expect_line err "$lost (events )?lost"
	expect "$1: one line with losses" "$(grep -c lost err)" 1
}

# The numbers of events of a recording that is whole.
mprof record --calls -o whole.mprof -- ./program
read -r calls lost <<<"$(events whole.mprof)"
expect "nothing lost" "$lost" 0
env MPROF_MALLOC_OUTPUT=memory.mprof LD_PRELOAD="$modules/libmprof-malloc.so" ./program
read -r allocations lost <<<"$(events memory.mprof)"
expect "nothing lost" "$lost" 0

record_calls() {
	mprof record --calls -o "$1" -- ./program
	expect_status 1 "$2"
	sed -i "/no salvage file/d" err
	check_log "$2" "$1" "$calls" "$3"
	expect "$2: no other file" "$(ls "$(dirname "$1")")" "$(basename "$1")"
}

# By the tool: one line, and a status of its own.
record_by_tool() {
	mprof record --malloc -o "$1" -- ./program
	expect_status 1 "$2"
	sed -i "/no salvage file/d" err
	check_log "$2" "$1" "$allocations" "$3"
	expect "$2: no other file" "$(ls "$(dirname "$1")")" "$(basename "$1")"
}

record_memory() {
	status=0
	env MPROF_MALLOC_OUTPUT="$1" LD_PRELOAD="$modules/libmprof-malloc.so" ./program 2>err || status=$?
	expect_status 0 "$2"
	sed -i '/no salvage file/d' err
	check_log "$2" "$1" "$allocations" "$3"
	expect "$2: no other file" "$(ls "$(dirname "$1")")" "$(basename "$1")"
}

# In units of 1024 bytes.
mkdir limited
for size in 16 100 500; do
	rm -f limited/*
	(ulimit -f $size && record_calls limited/a.mprof "limit $size" "File too large") || exit
	rm -f limited/*
	(ulimit -f $size && record_memory limited/a.mprof "memory, limit $size" "File too large") || exit
	rm -f limited/*
	(ulimit -f $size && record_by_tool limited/a.mprof "--malloc, limit $size" "File too large") || exit
done

# A limit below the first blocks: there is no log, and the program runs.
rm -f limited/*
(
	ulimit -f 1
	exec env MPROF_MALLOC_OUTPUT=limited/a.mprof LD_PRELOAD="$modules/libmprof-malloc.so" ./program
) 2>&1 | cat >err
expect "limit 1" "${PIPESTATUS[0]}" 0
expect_line err 'File too large'

# The module for Mono goes on giving the recorder what happens, so that it is counted.
mono_directory=${MONO_MODULE_DIR:-$builddir/examples/mono/.libs}
if test -e "$mono_directory/libmono-profiler-mprof.so" && command -v mono >/dev/null && command -v mcs >/dev/null; then
	cat >Allocating.cs <<'SOURCE'
static class Allocating {
	public static object Kept;
	static void Main() { for (int i = 0; i < 1000000; i++) Kept = new object(); }
}
SOURCE
	mcs -nologo Allocating.cs
	export LD_LIBRARY_PATH=$mono_directory:$builddir/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	mono --profile=mprof:alloc=objects,output=mono.mprof Allocating.exe 2>err
	read -r objects lost <<<"$(events mono.mprof)"
	expect "nothing lost" "$lost" 0
	rm -f limited/*
	(
		ulimit -f 200
		exec mono --profile=mprof:alloc=objects,salvage=no,output=limited/a.mprof Allocating.exe
	) 2>err || fail "Mono at a limit: $(cat err)"
	check_log "Mono" limited/a.mprof "$objects" "File too large"
	rm -f limited/*
	(
		ulimit -f 200
		mprof record --alloc=objects -o limited/a.mprof -- mono Allocating.exe
		expect_status 1 "Mono by the tool"
	) || exit
	expect_line err ' lost, not whole: File too large$'
	expect "Mono by the tool: one line with losses" "$(grep -c lost err)" 1
fi

test "$(id -u)" = 0 || skip "mounting needs root; limits were tested"
trap 'umount disk 2>/dev/null || true; rm -rf "$work"' EXIT
for size in 200k 1m; do
	mount -t tmpfs -o "size=$size" none disk || skip "cannot mount a file system; limits were tested"
	record_calls disk/a.mprof "disk $size" "No space left on device"
	rm -f disk/*
	record_by_tool disk/a.mprof "--malloc, disk $size" "No space left on device"
	rm -f disk/*
	record_memory disk/a.mprof "memory, disk $size" "No space left on device"
	# If the writer thread is late, the first block is larger than the small disk.
	test $size = 200k || test "$("$MPROF" info --json disk/a.mprof | jq .event_count)" -gt 1000 ||
		fail "memory, disk $size: what the salvage file took is missing in the log"
	umount disk
done
