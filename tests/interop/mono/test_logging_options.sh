#!/bin/bash
# SPDX-License-Identifier: MIT
# The module under its other name, logging: it accepts the options of the profiler of that name in Mono 2.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Calls

# The name by which ldconfig lists a library is the one that it contains, which has to be that of the file.
if command -v readelf >/dev/null; then
	for name in mprof logging; do
		expect "the name in the module $name" "$(readelf -d "$MPROF_MODULE_DIR/libmono-profiler-$name.so" |
			sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')" "libmono-profiler-$name.so"
	done
fi

# The loader's cache lists the modules after "make install" and ldconfig: Mono finds the name without LD_LIBRARY_PATH.
if test "$(id -u)" = 0 && command -v unshare ldconfig >/dev/null && unshare -m true 2>/dev/null; then
	mkdir installed
	cp -L "$MPROF_MODULE_DIR"/libmono-profiler-{mprof,logging}.so "$builddir"/lib/.libs/libmprof.so.0 installed
	env -u LD_LIBRARY_PATH unshare -m bash -euc '
		ldconfig -X -C "$PWD/cache" "$PWD/installed"
		mount --bind cache /etc/ld.so.cache
		timeout 120 mono --profile=logging:calls,output=cached.mprof Calls.exe' >out 2>err
	grep -q '^mprof: recording calls' err || fail "not found in the cache: $(cat err)"
	check_complete cached.mprof
fi

# classic OPTIONS: runs the program. The messages of the module are in err.
classic() {
	timeout 120 mono --profile="$1" Calls.exe >out 2>err || fail "$1: status $?"
	grep -q '^calls' out || fail "$1: the program did nothing"
}

# records OPTIONS KINDS: these kinds are recorded, and no option is ignored.
records() {
	classic "logging$1"
	expect "logging$1" "$(sed -n 's/^mprof: recording \(.*\) to .*/\1/p' err)" "$2"
	! grep "ignored" err || fail "logging$1"
	check_complete Calls.mprof
}
# Without a colon, the name itself is the only option, and has no effect.
records "" "collections"
records ":" "collections, samples"
records ":s" "collections, samples"
records ":logging,fac,-fac,se" "collections"
records ":alloc" "allocations, collections"
records ":allocations" "allocations, collections"
records ":+a" "allocations, collections"
records ":sac" "allocations, collections"
records ":j" "jit, collections, classes"
records ":jit,-j" "collections"
records ":calls" "calls, jit, collections, classes"
records ":enter-leave,-jit" "calls, jit, collections, classes"
records ":calls,-c" "collections"
records ":g,t" "collections, threads"
records ":threads,-t" "collections"
records ":locks" "collections, monitors"
records ":as" "allocations, collections, heap summaries"
records ":as,-allocations-summary" "collections"
records ":heap" "allocations, collections, heap snapshots"
records ":+h" "allocations, collections, heap snapshots"
records ":heap=all" "allocations, collections, heap snapshots"
records ":gcd=2,free" "allocations, collections, freed objects"
records ":s=16" "collections, samples"
records ":stat=-3" "collections"
records ":s,-stat" "collections"
# The name of an option with a value may be abbreviated; the first match counts.
records ":statistical-=5" "collections"
records ":=5,t=5,w=5,ccs=managed,per=5" "collections"
records ":call-chain-strategy=glibc,write=1,cp=5" "collections"

# Unknown options are reported, and the others apply.
# warns PIECE TEXT
warns() {
	classic "logging:$1,t"
	grep -qxF "mprof: logging: $2; it is ignored" err || fail "logging:$1: $(cat err)"
	grep -q '^mprof: recording collections, threads to ' err || fail "logging:$1: $(cat err)"
}
warns colour "unknown option 'colour'"
warns colour=5 "unknown option 'colour='"
warns JIT "unknown option 'JIT'"
warns output "unknown option 'output'"
warns -gc "option 'gc' cannot be switched off"
warns -a "option 'a' cannot be switched off"
warns -o=x "option 'o=' cannot be switched off"
warns ccs=fast "unknown call-chain-strategy 'fast'"
warns toggle-signal=SIGUSR1 "unknown option 'toggle-signal='"
warns gc-commands=file "unknown option 'gc-commands='"
warns + "unknown option ''"

classic logging:heap=SIGUSR2,o=signal.mprof
grep -qxF "mprof: logging: heap-shot='SIGUSR2' is not a number of snapshots; it is ignored" err || fail "heap=SIGUSR2: $(cat err)"

# Names of logs
# writes OPTIONS FILE
writes() {
	classic "logging:$1"
	check_complete "$2"
	rm "$2"
}
writes "t" Calls.mprof
writes "t,os=here" Calls-here.mprof
writes "t,suffix=100%p" Calls-100%p.mprof
writes "t,o=a%p%%:b.mprof" a%p%%:b.mprof
writes "t,out=c.mprof,suffix=d" c.mprof
# An existing file is overwritten: front ends create it before they start the program.
echo "something" >e.mprof
writes "O=first.mprof,t,output=e.mprof" e.mprof
test ! -e first.mprof || fail "of two outputs the first was written"

# Details of allocations
# directives OPTIONS EXPECTED: the directives of these details that are in the log.
directives() {
	classic "logging:$1,o=allocations.mprof"
	expect "logging:$1: directives" "$("$MPROF" dump --json --blocks allocations.mprof |
		jq -c 'select(.block == "directives") | .directives - (.directives - [1, 2, 3]) | sort')" "$2"
	test "$(info allocations.mprof '.events.allocation')" -gt 0 || fail "logging:$1: no allocations"
}
directives "alloc" "[1,2]"
directives "+alloc" "[]"
directives "alloc,-sas" "[1]"
directives "aci" "[3]"
directives "heap" "[1,2,3]"
directives "+heap" "[]"
# With calls recorded, the caller of an allocation follows from the calls.
directives "calls,alloc" "[]"

# Disabled from the start, and never enabled: only events of threads.
classic "logging:calls,alloc,t,sd,o=disabled.mprof"
check_complete disabled.mprof
expect "events while disabled" "$(info disabled.mprof \
	'[.events | to_entries[] | select(.value > 0) | .key] - ["thread-start", "thread-end"] | join(" ")')" ""
classic "logging:calls,sd,-sd,o=enabled.mprof"
test "$(info enabled.mprof '.events."method-enter"')" -gt 0 || fail "no calls after sd,-sd"

# The number of heap snapshots, with more collections than that
. "$srcdir/tests/interop/mono/controlled.sh"
module=logging
# shots OPTIONS EXPECTED
shots() {
	launch "$1,o=shots.mprof"
	send "collect 5"
	expect "logging:$1: heap snapshots" "$(fact heap_shots)" "$2"
	finish
	check_complete shots.mprof
}
shots heap 0
shots heap=2 2
shots gcd=3,heap 3
shots heap=none 0
shots gcd=2 0
shots heap=all,gcd=1 1

# Control as by a front end of Mono 2: through a free port and a persistent connection.
connected=no
for ((try = 0; try < 20; try++)); do
	port=$((20000 + RANDOM % 10000))
	launch "calls,sd,o=$work/front.mprof,c=$port"
	if ! grep -q "no commands are accepted from port" err; then
		connected=yes
		break
	fi
	finish
done
expect "a port that is free" $connected yes
exec {connection}<>"/dev/tcp/127.0.0.1/$port"
# asks LINE: sends it to the module, which answers DONE.
asks() {
	printf '%s\n' "$1" >&"$connection"
	read -r -t 60 -u "$connection" line
	expect "$1: answer" "$line" DONE
}
send "step 5"
asks enable
asks $'\renable\r'
send "step 7"
asks disable
send "step 9"
report_of front.mprof
expect "calls, read before the end" "$(calls_of "Step (int)")" 7
exec {connection}>&-
finish
check_complete front.mprof
report_of front.mprof
expect "calls" "$(calls_of "Step (int)")" 7
