#!/bin/bash
# SPDX-License-Identifier: MIT
# The ways in which "mprof record" starts Mono programs. Needs Mono and its compiler.
set -eu
. "$srcdir/tests/tool/support.sh"
needs_compression

test -z "${MPROF_SANITIZED-}" || skip "mono cannot load a module built with sanitizers"
needs jq mono mcs
module_directory=${MONO_MODULE_DIR:-$builddir/examples/mono/.libs}
test -e "$module_directory/libmono-profiler-mprof.so" || skip "the module for Mono was not built"
export MPROF_MODULE_DIR=$module_directory

cat >Program.cs <<'END'
struct Pair { public int First, Second; }
class Program {
	static int Fib (int n) { return n < 2 ? n : Fib (n - 1) + Fib (n - 2); }
	static int Main (string[] arguments) {
		System.Console.WriteLine (Fib (10));
		object boxed = new Pair ();
		return boxed == null ? -1 : arguments.Length;
	}
}
END
mcs -out:program.exe Program.cs || fail "mcs"

# check_log LOG
check_log() {
	"$MPROF" check "$1" >check.out 2>&1 || fail "$1: $(cat check.out)"
	"$MPROF" report --json --class=Program --method='Fib (int)' "$1" >report.out
	expect "calls of Fib in $1" "$(jq '.methods[].calls' report.out)" 177
}

# Without options, what is recorded hardly slows the program down: no calls.
mprof record -o default.mprof -- mono program.exe
expect_status 0 "record without options"
"$MPROF" info --json default.mprof >out
expect_json "default" '.events | [."method-enter" // 0, .allocation > 0, ."method-jit-end" > 0]' '[0,true,true]'
expect_json "default" '.events."class-load-end" // 0' 0

mprof record --all -- mono program.exe
expect_status 0 "mono program.exe"
expect "output" "$(cat out)" 55
expect_line err '^mprof: program.mprof: [0-9]+ bytes, [0-9]+ events, 0 lost$'
# The page, which is the third line, may not have been built.
expect "lines of message" "$(grep -vcE 'precompiled code|^mprof: or: ' err)" 2
expect_line err '^mprof: next: mprof report program.mprof$'
check_log program.mprof

mprof record -o second.mprof --calls ./program.exe a b
expect_status 2 "program.exe"
check_log second.mprof
"$MPROF" info --json second.mprof >out
expect_json "calls alone" .events.allocation 0

mprof record -o third.mprof --calls mono --debug -O=inline program.exe --calls
expect_status 1 "options of mono"
check_log third.mprof

# Code that is compiled ahead of time does not report its calls: record, info and report name it.
mono --aot=outfile="$work/program.exe.so" program.exe >aot.out 2>&1 || true
if test -e program.exe.so; then
	mprof record --force -o precompiled.mprof --calls -- mono program.exe
	expect_line err '^mprof: precompiled.mprof: calls in precompiled code are missing \(.*program\.exe.*\); --no-aot'
	"$MPROF" info precompiled.mprof >out
	expect_line out '^calls +calls in precompiled code are missing \(.*program\.exe.*--no-aot'
	"$MPROF" report --all precompiled.mprof >out
	expect_line out '^calls +calls in precompiled code are missing \(.*program\.exe.*--no-aot'
	"$MPROF" report --json precompiled.mprof >out
	expect_json "calls of Fib" '[.methods[] | select(.class == "Program" and .calls > 0)] | length' 0
	expect_json "precompiled" '.session.precompiled // .precompiled | index("program.exe") != null' true
	mprof record --force -o precompiled.mprof --calls --no-aot -- mono program.exe
	expect_no_line err precompiled' code'
	check_log precompiled.mprof
	"$MPROF" info --json precompiled.mprof >out
	expect_json "with --no-aot" .precompiled '[]'
	mprof record --force -o precompiled.mprof --sample -- mono program.exe
	expect_no_line err 'precompiled code'
else
	echo "not tested: Mono cannot compile ahead of time: $(tail -n 1 aot.out)"
fi
rm -f program.exe.so

mprof record -o fourth.mprof --calls --no-aot --gzip=9 -- mono program.exe
check_log fourth.mprof

# Options that are passed to the module, which accepts all of them options LOG: the options that the module received
options() {
	"$MPROF" dump --json "$1" | jq -r 'select(.block == "session") | .properties.options // empty' |
		sed 's/^mprof:output=[^,]*,quiet,//; s/,salvage=[^,]*$//'
}
wanted="calls,alloc=stack+objects,jit,gc,exceptions,threads,classes,sample=500,heap=5gc,summary,free,moves,handles=weak"
wanted+=",monitor,finalizers,counters=50,sample-depth=8,stack-depth=8,only=Program,not=class:Nothing,depth=100,no-wrappers,all-wrappers,async"
wanted+=",gzip=2,compress=deflate:2,resolution=100ns,max-size=1g,heap-memory=64m,no-heap-fields"
wanted+=",buffers=64,interval=100,format=mprof2,control=$work/control.sock,signal=USR1:heapshot,jitdump"
# shellcheck disable=SC2046,SC2086
mprof record -o options.mprof $(printf -- '--%s ' ${wanted//,/ }) -- mono program.exe
expect_status 0 "many options"
check_log options.mprof
expect "options" "$(options options.mprof)" "$wanted"
ls jit-*.dump >/dev/null || fail "no jit dump"
wanted="all,alloc=stack:64k,sample-real=100,heap,handles,counters,ring=2m,no-control,port=54321,drop"
# shellcheck disable=SC2046,SC2086
mprof record --force -o options.mprof $(printf -- '--%s ' ${wanted//,/ }) -- mono program.exe
expect_status 0 "more options"
check_log options.mprof
expect "options" "$(options options.mprof)" "$wanted"
mprof record --force -o options.mprof --calls --start-disabled -- mono program.exe
"$MPROF" info --json options.mprof >out
expect_json "disabled from the start" '.events["method-enter"] // 0' 0

# Names that the module's options cannot contain
mprof record --calls -o "one, two 100%%p.mprof" -- mono program.exe
check_log "one, two 100%p.mprof"
mprof record --calls -o "one, two 100%%p.mprof" -- mono program.exe

# Placeholders in a name
mprof record --calls -o "of-%n-%p-%%-%x-%t.mprof" -- mono program.exe
named=$(ls of-*.mprof)
expect_line err "^mprof: $named: "
process=$("$MPROF" dump --json "$named" | jq -r 'select(.block == "session") | .properties.pid // empty')
[[ $named =~ ^of-program-$process-%-%x-20[0-9]{12}\.mprof$ ]] || fail "the name of $named"
check_log "$named"
mprof record -o "%p/log.mprof" -- mono program.exe
expect_status 2 "a process in the name of a directory"
expect "files" "$(find . -name '*part*' | wc -l)" 0

# A FIFO or a device: the log is written while the program runs, and is not opened again.
mkfifo fifo
# A reader that ends early: the log is not whole, and the status is 1 unless the program has one of its own.
for arguments in '' 'a b'; do
	head -c 10 fifo >/dev/null &
	# shellcheck disable=SC2086 # Two arguments.
	mprof record --all --no-aot -o fifo -- mono program.exe $arguments
	expect_status "$(test -z "$arguments" && echo 1 || echo 2)" "broken pipe, arguments '$arguments'"
	expect "lines about it" "$(grep -cE '^mprof: cannot write fifo: Broken pipe; (the program runs unprofiled|.* lost)$' err)" 1
	wait
done

cat fifo >from-fifo.mprof &
mprof record --calls -o fifo -- mono program.exe
expect_status 0 "a FIFO"
wait $!
check_log from-fifo.mprof
expect_line err '^mprof: fifo: [0-9]+ bytes, [0-9]+ events, 0 lost$'
# Before that, what is lost if the program is killed.
expect_line err '^mprof: logs in pipes cannot be salvaged: '
expect "lines about a log in a FIFO" "$(grep -c '^mprof: ' err)" 2
mprof record -o /dev/null -- mono program.exe
expect_status 0 "a device"
test -c /dev/null || fail "/dev/null was replaced"

# Filters that match nothing are reported.
mprof record -o nothing.mprof --calls --only='NoSuch.*' --only='Other.*' -- mono program.exe
expect_status 0 "a filter that matches nothing"
expect_line err '^mprof: nothing.mprof: no calls: no method that was called matches --only=NoSuch\.\* or another --only;'
mprof record -o something.mprof --calls --only='Prog*' -- mono program.exe
expect_no_line err 'no calls'
mprof record --force -o nothing.mprof --alloc --only='NoSuch.*' -- mono program.exe
expect_no_line err 'no calls'

mprof record --force -o nothing.mprof --only='NoSuch.*' -- mono program.exe
expect_line err 'no calls: .*recorded only with --no-aot$'
# nearest PATTERN WANTED
nearest() {
	mprof record --force -o nothing.mprof --only="$1" -- mono program.exe
	expect_line err "no calls: .*; nearest: $2\$"
}
nearest Pogram Program
nearest Program.Main Program:Main
nearest prgram:Mian Program:Main
# A pattern that matches methods without calls is not reported as mistyped.
mprof record --force -o nothing.mprof --only='Pai?' -- mono program.exe
expect_line err 'no calls: .*recorded only with --no-aot$'

# A killed program is reported as killed.
cat >Killed.cs <<'END'
class Killed {
	static void Main () {
		System.Diagnostics.Process.GetCurrentProcess ().Kill ();
		System.Threading.Thread.Sleep (100000);
	}
}
END
mcs -out:killed.exe Killed.cs || fail "mcs"
mprof record -o killed.mprof --calls --ring=1m -- mono killed.exe
expect_status 137 "a program that is killed while it has a ring"
expect_no_line err 'did not load|found nothing'
expect_line err '^mprof: killed.exe: killed by signal 9 .*; [0-9]+ events salvaged, 0 lost$'
mprof check killed.mprof
expect_status 0 "a ring that was salvaged"
mprof record --force -o killed.mprof --calls -- mono killed.exe
expect_status 137 "a program that is killed"
expect_line err '^mprof: killed.exe: killed by signal 9 .*; [0-9]+ events salvaged, 0 lost$'
expect_no_line err incomplete
cat fifo >from-fifo.mprof &
mprof record -o fifo -- mono killed.exe
expect_status 137 "a program that is killed while it writes to a FIFO"
wait $!
expect_line err '^mprof: fifo: incomplete: the program was killed by signal 9 '
expect "lines about a log in a FIFO that is incomplete" "$(grep -c '^mprof: ' err)" 2
mprof record -o none.mprof -- mono --version
expect_status 3 "mono without a program"
expect_line err '^mprof: no log was written: mono ended with status 0: '

# Two programs do not write the same log.
cat >Waits.cs <<'END'
class Waits { static void Main () { System.Console.ReadLine (); } }
END
mcs -out:waits.exe Waits.cs || fail "mcs"
mkfifo input
"$MPROF" record --no-control --interval=1 -o waits.mprof -- mono waits.exe <input 2>waits.err &
exec 9>input
has_log() {
	test -s waits.mprof
}
await has_log || fail "no log of a program that waits: $(cat waits.err)"
mprof record --force -o waits.mprof -- mono program.exe
expect_status 2 "a log that another program is writing"
expect_line err '^mprof: record: another program is writing a log to waits.mprof$'
exec 9>&-
wait $! || fail "the first writer of a log: $(cat waits.err)"
"$MPROF" check waits.mprof >check.out || fail "the log of the first writer: $(cat check.out)"

# The log goes to the standard output, what the program prints to the standard error.
"$MPROF" record --calls -o - -- mono program.exe 2>err >streamed.mprof || fail "a log in the standard output: $(cat err)"
check_log streamed.mprof
expect_line err '^55$'
"$MPROF" record --calls -o - ./program.exe 2>err | cat >piped.mprof || fail "a log in a pipe: $(cat err)"
check_log piped.mprof
rm -f script*.mprof

# Scripts
printf '#!/bin/sh\ncd /\nmono "%s/program.exe"\nmono "%s/program.exe" a\n' "$work" "$work" >script.sh
chmod +x script.sh
mprof record --calls ./script.sh
expect_status 1 "script"
expect "logs of a script" "$(ls script*.mprof | wc -l)" 2
for log in script*.mprof; do
	check_log "$log"
done

# The stream receives one of the logs; the others stay in their files.
rm -f script*.mprof
mkdir parts
cat fifo >from-fifo.mprof &
TMPDIR=$work/parts mprof record --calls -o fifo ./script.sh
expect_status 1 "a script and a FIFO"
wait $!
check_log from-fifo.mprof
expect_line err '^mprof: fifo: [0-9]+ bytes'
expect "logs that stay" "$(ls parts | wc -l)" 1
expect_line err "$(ls parts)"
mprof record --calls -o "script-%p.mprof" ./script.sh
expect "logs by process" "$(ls script-*.mprof | wc -l)" 2

mkdir "a directory"
(
	cd "a directory"
	"$MPROF" record -- mcs -out:other.exe ../Program.cs 2>../err || fail "mcs: $(cat ../err)"
)
test -e "a directory/mcs.mprof" || fail "no log of mcs"
expect_line err '^mprof: mcs.mprof: '

# Nothing to record
mprof record --force -o none.mprof -- mono missing.exe
test $status != 0 || fail "a program that is missing: status 0"
hide_mono
PATH=$work/programs mprof record -o absent.mprof -- ./program.exe
expect_status 127 "mono is missing"
expect_line err 'mono is not installed'
PATH=$work/programs mprof record --force -o absent.mprof -- mono program.exe
expect_status 127 "mono is missing"
expect_line err 'mono is not installed'
test ! -e absent.mprof || fail "a log of nothing"
