#!/bin/bash
# SPDX-License-Identifier: MIT
# Names of compiled methods for other profilers: perf by its jitdump or map, oprofile by its library.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Hot
compile Domains

# Maps are in the directory that perf reads, outside of the work directory.
maps=()
trap 'rm -rf "$work" "${maps[@]}"' EXIT
export HOME=$work

# process FILE: the process ID in the module's first line.
process() {
	sed -n 's/^mprof: recording .* (pid \([0-9]*\))$/\1/p' "$1"
}

# spin OPTIONS COMMAND...: runs the program, by a command if there is one.
spin() {
	local options=$1
	shift
	timeout 120 "$@" mono --profile=mprof:"$options" Hot.exe "${rounds:-1}" >out 2>err || fail "$options: $(cat err)"
	grep -qx spun out || fail "$options: the program did nothing"
	pid=$(process err)
}

# With only these options, nothing else is recorded, in particular no calls.
spin jitdump,output=one.mprof
grep -q '^mprof: recording loads only ' err || fail "jitdump: $(cat err)"
check_complete one.mprof
expect "files" "$(echo jit-*)" "jit-$pid.dump"
expect "who may read it" "$(stat -c %a "jit-$pid.dump")" 600
expect "magic" "$(od -A n -t x4 -N 8 "jit-$pid.dump" | tr -d ' ')" 4a69544400000001
expect "last record: kind and size" "$(tail -c 16 "jit-$pid.dump" | od -A n -t u4 -N 8 | tr -s ' ')" " 3 16"
grep -aq "Hot.Program:Spin (int)" "jit-$pid.dump" || fail "jitdump: no method"
spin jitdump,jit,output=two.mprof
grep -q '^mprof: recording jit ' err || fail "jitdump,jit: $(cat err)"

# The dump goes to the directory of the log. If it cannot be written, the program runs without it.
mkdir logs
spin jitdump,output=logs/three.mprof
test -s "logs/jit-$pid.dump" || fail "no jit dump beside the log"
rm -f jit-*.dump
timeout 120 bash -c 'mkdir "jit-$$.dump"; exec mono --profile=mprof:jitdump,output=four.mprof Hot.exe 1' >out 2>err
grep -q '^mprof: cannot write .*/jit-[0-9]*.dump: ' err || fail "a directory in place of the dump: $(cat err)"
grep -qx spun out || fail "a directory in place of the dump: the program did nothing"

# A link of another user in place of the map is not followed.
echo untouched >victim
timeout 120 bash -c 'ln -s "$0" /tmp/perf-$$.map; exec mono --profile=mprof:perf-map,output=map.mprof Hot.exe 1' \
	"$work/victim" >out 2>err
map=/tmp/perf-$(process err).map
maps+=("$map")
expect "the file linked to" "$(cat victim)" untouched
test -f "$map" && test ! -L "$map" || fail "perf-map: no file"
expect "who may read it" "$(stat -c %a "$map")" 600
expect "lines for the method" "$(grep -c '^[0-9a-f]* [0-9a-f]* Hot.Program:Spin (int)$' "$map")" 1
! grep -vE '^[0-9a-f]+ [0-9a-f]+ .' "$map" >wrong || fail "perf-map: $(head -n 3 wrong)"
expect "code that is named twice" "$(cut -d ' ' -f 1 "$map" | sort | uniq -d | wc -l)" 0

# Without oprofile's library, or with a substitute for it.
spin oprofile,output=without.mprof
if ! grep -q '^mprof: no names for oprofile: libopagent.so: ' err; then
	echo "libopagent is installed: not tried without it"
else
	cat >agent.c <<-'EOT'
		#include <stdint.h>
		#include <stdio.h>

		static FILE *reported;

		void *op_open_agent(void) { return reported = fopen("reported", "w"); }
		int op_close_agent(void *agent) { return fprintf(agent, "close\n") < 0 || fclose(agent) != 0; }
		int op_write_native_code(void *agent, const char *name, uint64_t address, const void *code, unsigned size)
		{
			return code == NULL || fprintf(agent, "write %lx %u %s\n", (unsigned long)address, size, name) < 0;
		}
		int op_unload_native_code(void *agent, uint64_t address)
		{
			return fprintf(agent, "unload %lx\n", (unsigned long)address) < 0;
		}
	EOT
	$CC -shared -fPIC -o libopagent.so.1 agent.c || fail "the stand-in for libopagent"
	LD_LIBRARY_PATH=$work:$LD_LIBRARY_PATH spin oprofile,output=with.mprof
	expect "method reported" "$(grep -c '^write [0-9a-f]* [1-9][0-9]* Hot.Program:Spin (int)$' reported)" 1
	expect "last line reported" "$(tail -n 1 reported)" close
	LD_LIBRARY_PATH=$work:$LD_LIBRARY_PATH profiled oprofile,output=domains.mprof Domains.exe >out 2>err
	awk '/^write/ { known[$2] = 1 } /^unload/ { number++; if (!known[$2]) wrong++; delete known[$2] }
		END { exit number == 0 || wrong > 0 }' reported || fail "unloaded code is not reported to oprofile"
fi

# perf itself
command -v perf >/dev/null || skip "perf is not installed; all but perf itself was tried"
perf record -q -e cpu-clock -o try.data true >try.out 2>&1 || skip "perf cannot record here: $(head -n 2 try.out)"
rounds=400 spin jitdump,perf-map,output=perf.mprof perf record -q -k mono -e cpu-clock -o perf.data
maps+=("/tmp/perf-$pid.map")

# reported DATA: the method is first.
reported() {
	perf report -i "$1" --stdio --sort symbol 2>perf.err | grep -v '^#' >report || fail "perf report: $(cat perf.err)"
	grep . report | head -n 1 | grep -qF "Hot.Program:Spin (int)" || fail "$1: $(head -n 8 report)"
}
reported perf.data
rm "/tmp/perf-$pid.map"
perf inject --jit -i perf.data -o injected.data >inject.out 2>&1 || fail "perf inject: $(cat inject.out)"
reported injected.data
