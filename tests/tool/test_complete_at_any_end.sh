#!/bin/bash
# SPDX-License-Identifier: MIT
# Logs are complete however a program ends, no salvage file stays beside one, and no file of another run is removed or
# overwritten. Needs a compiler and the modules.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
modules=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}
export MPROF_MODULE_DIR=$modules
test -e "$modules/libmprof-malloc.so" || skip "the modules for native programs were not built"
test -e "$modules/libmprof-instrument.so" || skip "the modules for native programs were not built"

# "program HOW [DIRECTORY]": 1000 calls of f, then the end. A daemon calls f 1000 times more.
cat >program.c <<'SOURCE'
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void f(void)
{
	void *volatile memory = malloc(12345);

	free(memory);
}
static void call(void)
{
	for (int i = 0; i < 1000; i++)
		f();
}
static void handle(int number)
{
	_exit(number == SIGTERM ? 0 : 1);
}
/* Waits until the file is there. */
static void await_file(const char *path)
{
	while (access(path, F_OK) != 0)
		usleep(1000);
}
static void end(const char *mode, char **arguments)
{
	if (strcmp(mode, "_exit") == 0)
		_exit(0);
	if (strcmp(mode, "_Exit") == 0)
		_Exit(0);
	if (strcmp(mode, "quick_exit") == 0)
		quick_exit(0);
	if (strcmp(mode, "exec") == 0)
		execl("/bin/true", "true", (char *)0);
	if (strcmp(mode, "handler") == 0) {
		signal(SIGTERM, handle);
		raise(SIGTERM);
	}
	if (strcmp(mode, "chdir") == 0)
		exit(chdir(arguments[2]));
	if (strcmp(mode, "exec_fails") == 0) {
		execl("./not_a_program", "not_a_program", (char *)0);
		call();
	}
	if (strcmp(mode, "vfork") == 0) {
		pid_t child = vfork();
		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
		child = vfork();
		if (child == 0) {
			execl("/bin/true", "true", (char *)0);
			_exit(1);
		}
		waitpid(child, NULL, 0);
		call();
	}
	if (strcmp(mode, "fork") == 0) {
		pid_t child = fork();
		if (child == 0) {
			call();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	if (strcmp(mode, "daemon") == 0) {
		if (daemon(1, 0) != 0)
			exit(1);
		await_file("go");
		call();
		fclose(fopen("done", "w"));
	}
	if (strcmp(mode, "workers") == 0) {
		if (fork() != 0)
			_exit(0);
		setsid();
		for (int i = 0; i < 2; i++)
			if (fork() == 0) {
				call();
				await_file("go");
				call();
				_exit(0);
			}
		while (wait(NULL) > 0)
			;
		fclose(fopen("done", "w"));
	}
}
int main(int argc, char **argv)
{
	call();
	if (argc > 1)
		end(argv[1], argv);
	return 0;
}
SOURCE
printf 'not a program' >not_a_program
chmod +x not_a_program
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -O1 -fno-builtin -w -finstrument-functions -o program program.c 2>compiler.out ||
	skip "the compiler cannot compile: $(cat compiler.out)"

# run_preloaded MODULE LOG ARGUMENTS...: the logs are in the directory logs, which is empty at first.
run_preloaded() {
	local variable=MPROF_MALLOC_OUTPUT module=$1 log=$2
	shift 2
	test "$module" = malloc || variable=MPROF_INSTRUMENT_OUTPUT
	status=0
	env "$variable=$log" MPROF_INSTRUMENT_OPTIONS=children,no-control LD_PRELOAD="$modules/libmprof-$module.so" \
		./program "$@" >out 2>err || status=$?
	expect "$module $*: status" "$status" 0
	expect "$module $*: standard error" "$(cat err)" ""
}

# count LOG: the calls or allocations of f.
count() {
	"$MPROF" report --json --top=0 "$1" 2>count.err |
		jq '([.methods[] | select(.name == "f") | .calls] | add) //
			([.memory.places[]? | select(.bytes / .allocations == 12345) | .allocations] | add) // 0'
}

# expect_logs WHAT COUNTS: the logs in the directory are complete, and these are their counts, sorted.
expect_logs() {
	local log found=()
	for log in logs/*; do
		case $log in
		*.mprof) ;;
		*) fail "$1: left: $(ls logs)" ;;
		esac
		"$MPROF" check "$log" >check.out 2>&1 || fail "$1: $log: $(cat check.out)"
		found+=("$(count "$log")")
	done
	expect "$1: calls" "$(printf '%s\n' "${found[@]}" | sort -n | tr '\n' ' ')" "$2"
}

for module in malloc instrument; do
	# Programs that are executed have logs of their own, if they allocate.
	others="0 "
	test "$module" = malloc || others=
	for mode in return _exit _Exit quick_exit handler; do
		rm -rf logs && mkdir logs
		run_preloaded "$module" logs/a.mprof "$mode"
		expect_logs "$module $mode" "1000 "
	done
	rm -rf logs && mkdir logs
	run_preloaded "$module" logs/a.%p.mprof vfork
	expect_logs "$module vfork" "${others}2000 "
	rm -rf logs && mkdir logs
	run_preloaded "$module" logs/a.%p.mprof fork
	expect_logs "$module fork" "1000 1000 "
	rm -rf logs && mkdir logs
	run_preloaded "$module" logs/a.%p.mprof exec
	expect_logs "$module exec" "${others}1000 "
	rm -rf logs && mkdir logs
	run_preloaded "$module" logs/a.mprof exec_fails
	expect_logs "$module exec_fails" "1000 1000 "
done

# The name is relative to the directory in which the program starts, whatever it changes to.
for module in malloc instrument; do
	rm -rf logs other && mkdir logs other
	printf 'of another run' >other/a.mprof.salvage
	variable=MPROF_MALLOC_OUTPUT
	test "$module" = malloc || variable=MPROF_INSTRUMENT_OUTPUT
	(cd logs && env "$variable=a.mprof" MPROF_INSTRUMENT_OPTIONS=no-control LD_PRELOAD="$modules/libmprof-$module.so" \
		../program chdir ../other) || fail "$module chdir"
	expect_logs "$module chdir" "1000 "
	expect "the file of another run" "$(cat other/*)" "of another run"
done

# A salvage file of another log is not removed, although its process has ended.
rm -rf logs && mkdir logs
env MPROF_MALLOC_OUTPUT="$work/logs/killed.mprof" LD_PRELOAD="$modules/libmprof-malloc.so" \
	bash -c 'kill -9 $$' 2>/dev/null || true
test -e logs/killed.mprof.salvage || fail "a killed program leaves a salvage file: $(ls logs)"
mv logs/killed.mprof logs/moved.mprof
mv logs/killed.mprof.salvage logs/a.mprof.salvage
head -c 100000 logs/a.mprof.salvage >kept
env MPROF_MALLOC_OUTPUT="$work/logs/a.mprof" LD_PRELOAD="$modules/libmprof-malloc.so" ./program >out 2>err
head -c 100000 logs/a.mprof.salvage | cmp - kept || fail "the salvage file of another log was replaced"
expect_line err 'has the end of another log'
rm kept

# A program whose first process ends, and whose other processes go on: all logs get their names.
for mode in daemon workers; do
	rm -rf logs go 'done' && mkdir logs
	mprof record --calls --children -o logs/a.mprof -- ./program "$mode"
	expect_status 0 "record $mode"
	expect_no_line err 'salvage|Device|cannot'
	expect "$mode: the first log" "$(count logs/a.mprof)" 1000
	touch go
	await test -e 'done'
	complete() {
		test -z "$(find logs -type f ! -name '*.mprof')" && test "$(find logs -type f | wc -l)" = "$1"
	}
	logs=2
	test "$mode" = daemon || logs=3
	await complete "$logs"
	wanted="1000 1000 "
	test "$mode" = daemon || wanted="1000 2000 2000 "
	expect_logs "$mode" "$wanted"
done
rm -f go 'done'
rm -rf logs && mkdir logs
touch go
mprof record --calls -o logs/a.mprof -- ./program daemon
expect_status 0 "record of a daemon without --children"
expect "daemon: the log" "$(count logs/a.mprof)" 1000
await test -e 'done'
expect "no other logs" "$(ls logs)" a.mprof

# Files of others are not overwritten.
rm -rf logs && mkdir logs
printf precious >victim
ln victim logs/a.mprof
mprof record --force --calls -o logs/a.mprof -- ./program
expect_status 2 "a file with another name"
expect "a file with another name" "$(cat victim)" precious
env MPROF_MALLOC_OUTPUT=logs/a.mprof LD_PRELOAD="$modules/libmprof-malloc.so" ./program >out 2>err || fail "it ran"
expect_line err 'has another name'
expect "a file with another name" "$(cat victim)" precious
if test "$(id -u)" = 0; then
	rm logs/a.mprof
	printf precious >logs/a.mprof
	chown 65534 logs/a.mprof
	chmod 666 logs/a.mprof
	mprof record --force --calls -o logs/a.mprof -- ./program
	expect_status 2 "a file of another user"
	env MPROF_MALLOC_OUTPUT=logs/a.mprof LD_PRELOAD="$modules/libmprof-malloc.so" ./program >out 2>err || fail "it ran"
	expect_line err 'belongs to another user'
	expect "a file of another user" "$(cat logs/a.mprof)" precious
fi
