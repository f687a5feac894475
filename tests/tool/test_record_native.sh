#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof record" records programs that are built with -finstrument-functions. Needs a compiler and the module.
set -eu
. "$srcdir/tests/tool/support.sh"
needs_compression
needs jq

test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
module_directory=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}
test -e "$module_directory/libmprof-instrument.so" || skip "the module for native programs was not built"
export MPROF_MODULE_DIR=$module_directory

cat >program.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static void *worker(void *argument)
{
	for (int i = 0; i < 100; i++)
		fib(1);
	return argument;
}
static int wait_status(pid_t process)
{
	int status = 0;

	waitpid(process, &status, 0);
	return WEXITSTATUS(status);
}
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t thread;

	fib(10);
	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	if (strcmp(what, "fork") == 0) {
		pid_t process = fork();

		if (process == 0) {
			fib(15);
			exit(3);
		}
		return wait_status(process);
	}
	if (strcmp(what, "spawn") == 0)
		return system("./program") != 0;
	if (strcmp(what, "exec") == 0)
		execl("./program", "program", (char *)NULL);
	if (strcmp(what, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(what, "wait") == 0)
		for (;;)
			pause();
	return argc - 1;
}
END
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -O1 -finstrument-functions -pthread -o program program.c 2>compiler.out ||
	skip "the compiler cannot instrument: $(cat compiler.out)"
"${compiler[@]}" -O1 -pthread -o plain program.c || fail "compiler"

# calls LOG METHOD
calls() {
	"$MPROF" report --json "$1" 2>/dev/null | jq ".methods[] | select(.name == \"$2\") | .calls"
}

mprof record ./program
expect_status 0 "record"
expect_line err '^mprof: program.mprof: [0-9]+ bytes, [0-9]+ events, 0 lost$'
expect "calls of fib" "$(calls program.mprof fib)" $((177 + 100))
expect "calls of worker" "$(calls program.mprof worker)" 1
mprof check program.mprof
expect_status 0 "check of what was recorded"
mprof report --json program.mprof
expect_json "record" '[.methods[] | .class] | unique' '["program"]'
expect_json "record" '[.totals.unmatched_leaves, .totals.unclosed_frames, (.threads | length)]' '[0,0,2]'
expect_json "record" '[.methods[] | select(.name == "main") | .calls]' '[1]'

# The status is that of the program, and options before the program are those of mprof.
mprof record --gzip -q -o "an odd, 100%%p name.mprof" -- ./program a --help
expect_status 2 "arguments"
test ! -s err || fail "quiet: $(cat err)"
expect "calls of fib" "$(calls "an odd, 100%p name.mprof" fib)" 277
"$MPROF" info --json "an odd, 100%p name.mprof" >out
expect_json "gzip" .compressed true
for format in mail drop mono unity mprof2; do
	mprof record --format=$format -o $format.mprof ./program
	expect_status 0 "$format"
	"$MPROF" info --json $format.mprof >out
	# Only samples distinguish unity from mono.
	expect_json "format" .dialect "\"${format/unity/mono}\""
	expect_json "$format" .complete true
	expect "$format: calls of fib" "$(calls $format.mprof fib)" 277
done

# Limits of size and depth
cat >many.c <<'END'
static volatile int sum;
static void leaf(int n) { sum += n; }
static void inner(int n) { leaf(n); }
int main(void)
{
	for (int i = 0; i < 400000; i++)
		inner(i);
	return 0;
}
END
"${compiler[@]}" -O0 -finstrument-functions -o many many.c || fail "compiler"
mprof record -o limited.mprof --max-size=100k ./many
expect_status 0 "--max-size"
test "$(stat -c %s limited.mprof)" -le 102400 || fail "a log of $(stat -c %s limited.mprof) bytes"
"$MPROF" info --json limited.mprof >out
expect_json "--max-size" '[.complete, .events."method-enter" > 0, .lost_events > 0]' '[true,true,true]'
mprof record -o full.mprof ./many
mprof record -o coarse.mprof --resolution=1us ./many
expect_status 0 "--resolution"
"$MPROF" info --json full.mprof >out
expect_json "full resolution" '.resolution_ns < 18' true
"$MPROF" info --json coarse.mprof >out
expect_json "--resolution" '[.complete, .resolution_ns > 490 and .resolution_ns < 1010]' '[true,true]'
mprof record -o packed.mprof --compress=deflate:2 ./many
expect_status 0 "--compress"
"$MPROF" info --json packed.mprof >out
expect_json "--compress" '[.complete, .events."method-enter", .blocks.index > 0]' \
	"$("$MPROF" info --json full.mprof | jq -c '[.complete, .events."method-enter", true]')"
test "$(stat -c %s packed.mprof)" -lt $(($(stat -c %s full.mprof) / 2)) || fail "--compress saves less than half"
"$MPROF" dump --json packed.mprof | jq -s '[.[] | .event // empty] | length' >out
test "$(cat out)" = "$("$MPROF" dump --json full.mprof | jq -s '[.[] | .event // empty] | length')" ||
	fail "--compress: other events"
mprof record -o ring.mprof --ring=1m --gzip ./many
expect_status 0 "--ring"
"$MPROF" info --json ring.mprof >out
expect_json "--ring" '[.complete, .compressed, .size < 1200000, .events."method-enter" < 800001]' '[true,true,true,true]'
expect_json "the last events are kept" '.events."method-enter" > 1000' true
mprof record -o depth.mprof --calls --depth=2 ./many
"$MPROF" report --json depth.mprof >out
expect_json "--depth" '[.methods[] | [.name, .calls]] | sort' '[["inner",400000],["main",1]]'
expect_json "--depth" '[.totals.unmatched_leaves, .totals.unclosed_frames]' '[0,0]'

# Functions selected by name
for arguments in "--only=inn* --only=main" "--not=leaf" "--only=class:many --not=method:l*f --depth=5"; do
	# shellcheck disable=SC2086
	mprof record --force -o filtered.mprof $arguments ./many
	expect_status 0 "$arguments"
	"$MPROF" report --json filtered.mprof >out
	expect_json "$arguments" '[.methods[] | [.name, .calls]] | sort' '[["inner",400000],["main",1]]'
	expect_json "$arguments" '[.totals.unmatched_leaves, .totals.unclosed_frames]' '[0,0]'
done
mprof record --force -o filtered.mprof --not=class:many ./many
"$MPROF" report --json filtered.mprof >out
expect_json "--not of the program" '.methods' '[]'
mprof record --force -o filtered.mprof --only=laef ./many
grep -q 'no method that was called matches --only=laef$' err || fail "a filter without a match: $(cat err)"
mprof record -o 'forked-%p.mprof' --only=fib --children ./program fork
expect_status 3 "fork with --only"
expect "logs of both processes" "$(for log in forked-*.mprof; do calls "$log" fib; calls "$log" main; done | LC_ALL=C sort -n | xargs)" "277 1973"
mprof record -o refused.mprof --only=namespace:x ./many
expect_status 2 "a namespace"
read -ra cxx_compiler <<<"${CXX:-c++}"
cat >shop.cc <<'END'
namespace shop { struct cart { int sum = 0; void add(int n); void clear(); }; }
__attribute__((noinline)) void shop::cart::add(int n) { sum += n; }
__attribute__((noinline)) void shop::cart::clear() { sum = 0; }
int main() { shop::cart *c = new shop::cart; c->add(1); c->add(2); c->clear(); delete c; return 0; }
END
if "${cxx_compiler[@]}" -O0 -finstrument-functions -o shop shop.cc 2>/dev/null; then
	mprof record -o shop.mprof "--only=shop::cart::a*" ./shop
	"$MPROF" report --json shop.mprof >out
	expect_json "C++" '[.methods[] | [.name, .calls]]' '[["shop::cart::add(int)",2]]'
	# The log has the linker's names, whether or not there are filters: equal functions of merged logs are one row.
	expect_json "C++, the linker's name" '[.methods[].symbol]' '["_ZN4shop4cart3addEi"]'
	mprof record -o shop-all.mprof ./shop
	mprof merge -o shops.mprof shop.mprof shop-all.mprof
	"$MPROF" report --json shops.mprof >out
	expect_json "C++, merged" '[.methods[] | select(.name == "shop::cart::add(int)") | .calls]' '[4]'
	mprof record -o shop-old.mprof --format=mono ./shop
	"$MPROF" decode shop-old.mprof >out 2>err || fail "decode: $(cat err)"
	expect_line out 'shop::cart::clear()'
fi

# A program in C++ that does not load libstdc++: the log has the linker's names, the reports those of the source.
# Versions of a program and of a library with different file names are compared.
cat >till.cc <<'END'
namespace shop { int round(int n); struct till { int sum; void add(int n); }; }
int shop::round(int n) { return n / 5 * 5; }
END
cat >bare.cc <<'END'
namespace shop { int round(int n); struct till { int sum; void add(int n); }; }
void shop::till::add(int n) { sum += round(n); }
int main()
{
	shop::till till = {0};
	for (int i = 0; i < TIMES; i++)
		till.add(i);
	return 0;
}
END
flags=(-O0 -fno-exceptions -finstrument-functions)
if "${compiler[@]}" "${flags[@]}" -c -o till.o till.cc 2>/dev/null; then
	for version in 1 2; do
		"${compiler[@]}" "${flags[@]}" -fPIC -shared -Wl,-soname=libtill.so.$version -o libtill.so.$version till.cc ||
			fail "compiler"
		"${compiler[@]}" "${flags[@]}" -DTIMES=$((version * 2)) -Wl,-rpath,"$work" -o bare-$version bare.cc \
			libtill.so.$version || fail "compiler"
	done
	for version in 1 2; do
		mprof record -o bare-$version.mprof ./bare-$version
	done
	"$MPROF" report --json bare-1.mprof >out
	expect_json "C++ without its library" '[.methods[] | [.class, .name, .symbol, .calls]] | sort' \
		"$(jq -cn '[["bare-1", "main", null, 1], ["bare-1", "shop::till::add(int)", "_ZN4shop4till3addEi", 2],
			["libtill.so.1", "shop::round(int)", "_ZN4shop5roundEi", 2]]')"
	"$MPROF" report --json --method='shop::till::add*' bare-1.mprof >out
	expect_json "a filter" '[.methods[].name]' '["shop::till::add(int)"]'
	mprof diff --json bare-1.mprof bare-2.mprof
	expect_json "versions" '[.methods[] | [.name, .calls_before, .calls_after]] | sort' \
		'[["main",1,1],["shop::round(int)",2,4],["shop::till::add(int)",2,4]]'
fi

# An option that has no effect is reported, and so are words of the environment that the module does not understand.
mprof record -o unused.mprof --calls --sample-depth=5 --sample-stack=fp ./program
expect_status 0 "options without effect"
expect_line err '^mprof: record: --sample-depth, --sample-stack: no effect unless '
mprof record -o used.mprof --calls --sample --sample-depth=5 ./program
expect_no_line err 'no effect'
mprof record --format=mono -o named.mprof --salvage=notes.salv ./program
expect_line err 'logs in older dialects cannot be salvaged'
mprof record --sample --sample-source=runtime --sample-stack=fp -o refused.mprof ./many
expect_status 2 "a source of runtimes"
expect_line err 'a native program has no runtime that takes samples'
mprof record --all --port=4711 -o refused.mprof ./many
expect_status 2 "a port"
expect_no_line err 'LD_PRELOAD'
mprof record --format=mono -o refused-file.mprof --salvage=no ./program
expect_no_line err 'cannot be salvaged'
MPROF_INSTRUMENT_OPTIONS=colour,depth=0,buffers=1x,alloc,compress=lz4 MPROF_INSTRUMENT_OUTPUT=words.mprof \
	LD_PRELOAD=$module_directory/libmprof-instrument.so ./program 2>err || fail "words: status $?"
expect "words that are ignored" "$(sed -n "s/^mprof: \(.*\); it is ignored$/\1/p" err | cut -c -44)" "unknown option 'colour'
depth: '0' is not a number from 1 to 1000000
buffers: '1x' is not a number from 2 to 6553
unknown option 'alloc'
compress: 'lz4' is not zstd or deflate, or o"
expect "calls in spite of these words" "$(calls words.mprof fib)" 277

# What native programs cannot do is refused before they start.
mprof record -o refused.mprof --calls --sample=100 --port=4711 --only=x --gc --alloc --signal=USR1:flush ./many
expect_status 2 "options of Mono"
expect "the refusal" "$(head -n 1 err)" "mprof: record: --port, --gc, --alloc, --signal: \
only Mono programs can be recorded this way, not native ones; --malloc records the memory of native programs"
test ! -e refused.mprof || fail "a refused program was recorded"

# Control while the program runs
cat >steps.c <<'END'
#include <stdio.h>
static volatile int sum;
static void step(int n) { sum += n; }
int main(void)
{
	int count;

	puts("ready");
	for (fflush(stdout); scanf("%d", &count) == 1; fflush(stdout)) {
		while (count-- > 0)
			step(count);
		puts("done");
	}
	return 0;
}
END
"${compiler[@]}" -O0 -finstrument-functions -o steps steps.c || fail "compiler"
mkdir -m 700 run
export XDG_RUNTIME_DIR=$work/run
coproc steps { exec "$MPROF" record -q -o control.mprof --start-disabled ./steps; }
recorder=$steps_PID
# The pipes are closed when the program ends.
exec {to_steps}>&"${steps[1]}" {from_steps}<&"${steps[0]}"
answers() {
	local line
	read -r -t 60 -u "$from_steps" line || fail "no answer of the program"
	expect "output of the program" "$line" "$1"
}
steps() {
	echo "$1" >&"$to_steps"
	answers "done"
}
controls() {
	mprof control $recorder "$@"
	expect_status 0 "control $*"
}
answers ready
steps 10
controls status
expect_line out '^recording=disabled$'
controls enable
steps 20
controls disable
steps 40
controls mark "half way"
controls enable
steps 5
controls flush
controls cost 1
expect_line out '^per second: [0-9,]+ events'
mprof control $recorder heapshot
expect_status 1 "a command for Mono"
expect_line err 'a native program has only the commands'
exec {to_steps}>&-
# shellcheck disable=SC1083,SC2093 # closes a descriptor
exec {steps[1]}>&- || true
status=0
wait $recorder || status=$?
expect_status 0 "a controlled program"
expect "calls while enabled" "$(calls control.mprof step)" 25
mprof check control.mprof
expect_status 0 "check of a controlled recording"
expect "markers" "$("$MPROF" report --json control.mprof | jq -c '[.marks[].text]')" '["half way"]'
expect "sockets left" "$(ls run/mprof)" ""

# A program that closes all descriptors, and opens files with their numbers: these are not written to.
cat >closes.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
static volatile int calls;
static void call(void)
{
	calls++;
}
int main(void)
{
	char name[16];
	for (int i = 0; i < 1000; i++)
		call();
	for (int fd = 3; fd < 256; fd++)
		close(fd);
	for (int i = 0; i < 32; i++) {
		sprintf(name, "closed.%d", i);
		if (open(name, O_CREAT | O_TRUNC | O_RDWR, 0600) < 0)
			return 1;
	}
	for (int i = 0; i < 500000; i++)
		call();
	return 0;
}
END
"${compiler[@]}" -O0 -finstrument-functions -o closes closes.c || fail "compiler"
mprof record -o closes.mprof ./closes
expect_status 0 "all descriptors are closed"
expect "calls of a program that closes all descriptors" "$(calls closes.mprof call)" 501000
expect "bytes in its files" "$(cat closed.* | wc -c)" 0

mkfifo fifo
cat fifo >from-fifo.mprof &
mprof record -o fifo ./program
expect_status 0 "a FIFO"
wait $!
expect "calls of fib through a FIFO" "$(calls from-fifo.mprof fib)" 277
test -p fifo || fail "the FIFO was replaced"
mprof record -o /dev/null ./program
expect_status 0 "a device"
test -c /dev/null || fail "/dev/null was replaced"

# A child of fork() is not recorded; other programs that it executes have logs of their own.
mprof record -o fork.mprof ./program fork
expect_status 3 "fork"
expect "calls of fib" "$(calls fork.mprof fib)" 277
# With --children, a child of fork() has a log too: without the calls that the parent process has not left.
mprof record -o forks.mprof --children ./program fork
expect_status 3 "fork with --children"
expect "logs" "$(echo forks*.mprof | wc -w)" 2
expect "calls of fib" "$(calls forks.mprof fib)" 277
child=$(echo forks.*.mprof)
expect_line err "^mprof: $child: [0-9]+ bytes, [0-9]+ events, 0 lost, of ./program\$"
mprof report --json "$child"
expect_status 0 "report of a child"
expect_json "child of fork()" '[.methods[] | [.name, .calls]]' '[["fib",1973]]'
expect_json "child of fork()" '[.totals.unmatched_leaves, .totals.unclosed_frames]' '[0,0]'
mprof record -o spawn.mprof ./program spawn
expect_status 0 "spawn"
expect "logs" "$(ls spawn*.mprof | wc -l)" 2
for log in spawn*.mprof; do
	expect "calls of fib in $log" "$(calls "$log" fib)" 277
done
mprof record -o exec.mprof ./program exec
expect "logs" "$(ls exec*.mprof | wc -l)" 2

# The written part of the log of a killed program remains.
mprof record -o kill.mprof --interval=1 ./program kill
expect_status 137 "kill"
expect_line err '^mprof: ./program: killed by signal 9 .*; [0-9]+ events salvaged, 0 lost$'

# Signals that end mprof are forwarded to the program.
"$MPROF" record -o wait.mprof ./program wait 2>err &
recorder=$!
has_started_log() {
	test -n "$(find . -name 'wait.mprof.*.part' -size +0)"
}
await has_started_log || fail "no log of a program that waits: $(cat err)"
mprof record --force -o wait.mprof ./program
expect_status 2 "a log that another program is writing"
expect_line err '^mprof: record: another program is writing a log to wait.mprof$'
kill -TERM $recorder
status=0
wait $recorder || status=$?
expect_status 143 "SIGTERM"
expect_line err '^mprof: wait.mprof: '

# Nothing was recorded: the message has the reason.
mprof record --calls ./plain
expect_status 3 "a program that is not instrumented"
expect_line err 'no log was written: ./plain is not built with -finstrument-functions'
cp program.mprof plain.mprof
for options in "" "--force -o plain.mprof"; do
	# shellcheck disable=SC2086
	mprof record --calls $options ./plain
	expect_status 3 "a log of before is not that of this run"
	cmp -s program.mprof plain.mprof || fail "the log of before was changed"
	expect "logs" "$(echo plain*.mprof)" plain.mprof
done

# Existing logs are kept unless --force is given.
cp program.mprof kept.mprof
mprof record ./program
expect_line err '^mprof: program.2.mprof: [0-9]+ bytes'
expect_line err '^mprof: next: mprof report program.2.mprof$'
mprof record ./program
expect_line err '^mprof: program.3.mprof: '
cmp -s program.mprof kept.mprof || fail "a log was overwritten"
mprof record -o kept.mprof ./program
expect_status 2 "a log that exists"
expect_line err '^mprof: record: kept.mprof exists; --force'
cmp -s program.mprof kept.mprof || fail "a log was overwritten in spite of the message"
mprof record --force -o kept.mprof ./program
expect_status 0 "--force"
! cmp -s program.mprof kept.mprof || fail "a log was not replaced"
: >empty.mprof
mprof record -o empty.mprof ./program
expect_status 0 "an empty file"
expect "calls of fib" "$(calls empty.mprof fib)" 277
mprof record -o "it's a log.mprof" ./program
expect_line err "^mprof: next: mprof report 'it'\\\\''s a log.mprof'\$"
mprof record -o "%h.mprof" ./program
expect_line err "^mprof: $(uname -n).mprof: "

# The log goes to the standard output, what the program prints to the standard error.
cat >prints.c <<'END'
#include <stdio.h>
int main(void)
{
	puts("printed");
	return 0;
}
END
"${compiler[@]}" -O1 -finstrument-functions -o prints prints.c || fail "compiler"
"$MPROF" record -o - ./prints 2>err | "$MPROF" report --json - >out || fail "a log in a pipe: $(cat err)"
expect_json "a log in a pipe" '[.methods[] | .name]' '["main"]'
expect_line err '^printed$'
mprof record -o - ./prints
expect_status 0 "a log in the standard output"
cp out printed.mprof
mprof check printed.mprof
expect_status 0 "check of a log in the standard output"
status=0
"$MPROF" record -o - ./prints 2>err >>printed.mprof || status=$?
expect_status 2 "a file that is not empty as standard output"
mprof record -- sh -c 'exit 5'
expect_status 5 "the program's own status"
mprof record -- ./missing
expect_status 127 "a program that is missing"
mprof record -- missing-program
expect_status 127 "a program that is missing"
echo 'int x;' >file
mprof record -- ./file
expect_status 126 "a file that is no program"
mprof record -o missing/log.mprof ./program
expect_status 2 "a directory that is missing"

# Of several names of a function, calls and samples have the same one: it is global and without underscores.
cat >aliases.c <<'END'
static volatile unsigned long sink;
__attribute__((noinline)) static void own(void)
{
	for (unsigned long i = 0; i < 50000000; i++)
		sink += i;
}
void __hidden_name(void) __attribute__((alias("own")));
void public_name(void) __attribute__((alias("own")));
void weak_name(void) __attribute__((weak, alias("own")));
int main(void)
{
	own();
	return 0;
}
END
"${compiler[@]}" -O1 -finstrument-functions -o aliases aliases.c
mprof record --calls -o aliases.mprof -- ./aliases
expect_status 0 "aliases: calls"
mprof report --json aliases.mprof
expect_json "aliases: calls" '[.methods[].name] | sort' '["main","public_name"]'
if test "$(uname -sm)" = "Linux x86_64"; then
	mprof record --sample=1000 --force -o aliases.mprof -- ./aliases
	expect_status 0 "aliases: samples"
	mprof report --json aliases.mprof
	expect_json "aliases: samples" '[.samples[].name | select(test("_name$|^own$"))]' '["public_name"]'
fi
