#!/bin/bash
# SPDX-License-Identifier: MIT
# Sampled native programs that execute others: no pending signal ends the new program, and the log of the program that
# counts has the requested name. Needs a compiler and the module.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

needs_native_sampling

# "program WAY COUNT" executes itself COUNT times, each time after some work, and then returns 7.
cat >program.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define PROGRAM "/proc/self/exe"
static volatile unsigned long sink;
static const char *way;
static char count[16];

__attribute__((noinline)) static void spin(void)
{
	for (unsigned long i = 0; i < 1000000; i++)
		sink += i;
}

__attribute__((noinline)) static void spin_longer(void)
{
	for (int i = 0; i < 100; i++)
		spin();
	sink++;
}

static int is_way(const char *name)
{
	return strcmp(way, name) == 0;
}

static void execute(void)
{
	char *arguments[] = {"program", (char *)way, count, NULL};
	sigset_t all;

	if (is_way("execl"))
		execl(PROGRAM, "program", way, count, NULL);
	else if (is_way("execlp"))
		execlp(PROGRAM, "program", way, count, NULL);
	else if (is_way("execle"))
		execle(PROGRAM, "program", way, count, NULL, environ);
	else if (is_way("execv"))
		execv(PROGRAM, arguments);
	else if (is_way("execvp"))
		execvp(PROGRAM, arguments);
	else if (is_way("execvpe"))
		execvpe(PROGRAM, arguments, environ);
	else if (is_way("fexecve"))
		fexecve(open(PROGRAM, O_RDONLY | O_CLOEXEC), arguments, environ);
	else if (is_way("execveat"))
		execveat(AT_FDCWD, PROGRAM, arguments, environ, 0);
	if (is_way("blocked")) {
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, NULL);
		spin();
	}
	execve(PROGRAM, arguments, environ);
	exit(99);
}

static void *run(void *unused)
{
	spin();
	execute();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	sigset_t none;

	way = argc > 1 ? argv[1] : "work";
	snprintf(count, sizeof(count), "%d", argc > 2 ? atoi(argv[2]) - 1 : 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (is_way("work")) {
		spin_longer();
		return 0;
	}
	if (is_way("quick")) {
		spin_longer();
		_exit(5);
	}
	if (is_way("fail")) {
		execl("./damaged", "damaged", NULL);
		execlp("missing", "missing", NULL);
		spin_longer();
		return 0;
	}
	if (is_way("other")) {
		spin_longer();
		execv(argv[2], argv + 2);
		return 99;
	}
	if (atoi(argv[2]) == 0)
		return 7;
	if (is_way("thread")) {
		pthread_create(&thread, NULL, run, NULL);
		for (;;)
			spin();
	}
	spin();
	execute();
	return 99;
}
END
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -O1 -fno-optimize-sibling-calls -pthread -o program program.c || skip "no compiler"

# property LOG KEY
property() {
	"$MPROF" report --json "$1" 2>/dev/null | jq -r ".session.properties.$2"
}

# samples_of LOG FUNCTION: those in the function and its callees.
samples_of() {
	"$MPROF" report --json "$1" 2>/dev/null | jq "[.samples[] | select(.name == \"$2\").total_hits] | add // 0"
}

# The program would end by the signal of the sampler, whose handler does not exist any more after exec.
for way in execve execl execlp execle execv execvp execvpe fexecve execveat blocked thread; do
	sources=(perf)
	case $way in execve | blocked | thread) sources+=(timer) ;; esac
	for source in "${sources[@]}"; do
		mprof record -q --force --sample=10000 --sample-source=$source -o ways.mprof -- ./program $way 10
		expect_status 7 "$way, $source"
	done
done

# The program that is executed last has the requested name, and the others have a number and their own name.
mprof record --sample=1000 -o chain.mprof -- ./program other ./program other ./program
expect_status 0 "chain"
expect_line err '^mprof: next: mprof report chain.mprof$'
expect_no_line err 'without closing'
expect "logs of a chain" "$(echo chain*.mprof | sed 's/[0-9][0-9]\+/P/g')" \
	"chain.P-1.program.mprof chain.P-2.program.mprof chain.mprof"
for log in chain*.mprof; do
	test "$(samples_of "$log" spin_longer)" -gt 0 || fail "$log: no samples"
	# Also of the programs that were replaced.
	test "$(property "$log" sample_time_ns)" -gt 0 || fail "$log: no totals"
done
mprof record --sample=1000 -o 'of-chain.%p.mprof' -- ./program other ./program
expect_status 0 "chain with the process ID"
expect "logs with process IDs" "$(echo of-chain*.mprof | sed 's/[0-9][0-9]\+/P/g')" \
	"of-chain.P-1.mprof of-chain.P.mprof"

# If the program cannot be executed, it is still sampled.
printf '\001\002' >damaged
chmod +x damaged
mprof record --sample=1000 -o fail.mprof -- ./program fail
expect_status 0 "fail"
test "$(samples_of fail.mprof spin_longer)" -gt 0 || fail "no samples after a failed exec"

# _exit() runs no destructors: the samples and their totals are in the log.
mprof record --sample=1000 -o quick.mprof -- ./program quick
expect_status 5 "_exit"
test "$(samples_of quick.mprof spin_longer)" -gt 0 || fail "_exit: no samples"
expect_no_line err 'without closing'
test "$(property quick.mprof sample_hits)" -gt 0 || fail "_exit: no totals"

# The logs of programs that only start others are removed if they are empty, and never have the requested name.
printf '#!/bin/sh\nexec ./program work\n' >script
chmod +x script
# records_program STARTER...
records_program() {
	mprof record --force -o starter.mprof -- "$@"
	expect_status 0 "$*"
	expect "$*: program" "$(basename "$(property starter.mprof program)")" program
	test "$(samples_of starter.mprof spin_longer)" -gt 0 || fail "$*: no samples"
}
records_program env ./program
records_program nice env ./program
records_program sh -c 'exec ./program'
records_program ./script
mprof record -o slow.mprof --sample=1 -- env ./program
expect "logs without an empty one" "$(echo slow*.mprof)" slow.mprof

# The default for a native program.
mprof record -o default.mprof -- ./program
expect_status 0 "default"
expect "rate" "$(property default.mprof sample_hz)" 1000
expect_line err '^mprof: next: mprof report default.mprof$'
test "$(samples_of default.mprof spin_longer)" -gt 0 || fail "default: no samples"
if "${compiler[@]}" -O1 -static -pthread -o static program.c 2>/dev/null; then
	mprof record -o static.mprof -- ./static
	expect_status 3 "a static program"
	expect_line err 'no log was written: ./static is linked statically.* not started'
	expect "output of a program that was not started" "$(cat out)" ''
fi

# What the file shows is answered before the program starts.
cat >small.c <<'END'
#include <stdio.h>
int main(void)
{
	puts("it ran");
	return 0;
}
END
"${compiler[@]}" -o small small.c
refused() {
	expect_status "$1" "$2"
	expect "output of a program that was not started" "$(cat out)" ''
	expect_line err "$3"
}
for option in --alloc --heap --exceptions=stack --sample-real; do
	mprof record -o small.mprof $option -- ./small
	refused 2 "$option" "^mprof: record: ${option%%=*}: only Mono programs can be recorded this way"
done
mprof record -o small.mprof --sample --sample-real=100 -- ./small
refused 2 "samples by real time" "^mprof: record: --sample-real: only Mono programs"
mprof record -o small.mprof --calls -- ./small
refused 2 "calls" "neither ./small nor its libraries are built with -finstrument-functions"
if "${compiler[@]}" -fsanitize=address -o sanitized small.c 2>/dev/null; then
	mprof record -o small.mprof -- ./sanitized
	refused 3 "address sanitizer" "./sanitized is built with a sanitizer"
fi
for option in -static-libasan -static-libsan; do
	if "${compiler[@]}" -fsanitize=address $option -o sanitized small.c 2>/dev/null; then
		mprof record -o small.mprof -- ./sanitized
		refused 3 "address sanitizer, $option" "./sanitized is built with a sanitizer \\(__asan_init\\)"
	fi
done
if command -v musl-gcc >/dev/null && musl-gcc -o musl small.c 2>/dev/null; then
	mprof record -o small.mprof -- ./musl
	refused 3 "musl" "./musl uses another C library than mprof"
fi
# A program that only contains the text is not instrumented, as the compiler itself.
sed 's/it ran/__cyg_profile_func_enter/' small.c >named.c
"${compiler[@]}" -o named named.c
mprof record -o named.mprof -- ./named
expect_status 0 "a program that names the function"
expect "source of samples" "$(property named.mprof sample_hz)" 1000
# A library may be what is instrumented.
echo 'int one(void) { return 1; }' >library.c
"${compiler[@]}" -shared -fPIC -finstrument-functions -o libone.so library.c
"${compiler[@]}" -o linked small.c -Wl,--no-as-needed ./libone.so
mprof record -o linked.mprof --calls -- ./linked
expect_line out "^it ran$"
printf '#!/nonexistent/interpreter\n' >script_without
chmod +x script_without
mprof record -o script.mprof -- ./script_without
expect_status 127 "a script without its interpreter"
expect_line err "its interpreter /nonexistent/interpreter was not found"

# A program that gets privileges that the user of mprof does not have. Containers may not allow that.
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if test "$(id -u)" = 0 && "${as_nobody[@]}" test -x "$MPROF" 2>/dev/null; then
	mkdir nobody
	chmod 711 .
	chown 65534:65534 nobody
	cp "$(command -v id)" id
	chmod 4755 id
	if test "$("${as_nobody[@]}" ./id -u)" = 0; then
		status=0
		(cd nobody && "${as_nobody[@]}" "$MPROF" record -o id.mprof -- ../id) >out 2>err || status=$?
		expect "status of a privileged program" $status 3
		expect_line err 'no log was written: ../id runs with the privileges of its file'
	fi
fi

# The program itself uses little processor time; those that it starts are recorded with --children.
mprof record -o shell.mprof --sample=1 -- sh -c './program; exit 4'
expect_status 4 "shell"
expect_line err '^mprof: shell.mprof: no samples: sh used little processor time itself; --children records .*'
mprof record -o shell.mprof --force --children -- sh -c './program; exit 4'
expect_status 4 "shell with --children"
test "$(grep -c ' lost, of ' err)" = "$(find . -name 'shell.*mprof' | wc -l)" || fail "a log without its program"
test "$(for log in shell.*mprof; do samples_of "$log" spin_longer; done | sort -n | tail -n 1)" -gt 0 ||
	fail "no log of a child: $(cat err)"

# Mono in the same process, or in a child of a shell.
if ! command -v mono >/dev/null || ! command -v mcs >/dev/null; then
	exit 0
fi
mono_directory=${MONO_MODULE_DIR:-$builddir/examples/mono/.libs}
test -e "$mono_directory/libmono-profiler-mprof.so" || exit 0
export MPROF_MODULE_DIR=$MPROF_MODULE_DIR:$mono_directory
cat >hello.cs <<'END'
static class Hello {
	static void Main() { for (int i = 0; i < 100; i++) System.Console.WriteLine("hello " + i); }
}
END
mcs hello.cs
# records_mono STARTER...
records_mono() {
	mprof record --force --calls --sample -o mono.mprof -- "$@"
	expect_status 0 "$*"
	expect "$*: runtime" "$("$MPROF" info --json mono.mprof | jq -r .runtime)" mono
}
records_mono env mono hello.exe
records_mono sh -c 'mono hello.exe; exit 0'
