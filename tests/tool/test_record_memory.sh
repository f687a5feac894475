#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof record --malloc" records the native memory of any program that is linked dynamically. Needs a compiler and the
# module.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
module_directory=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}
test -e "$module_directory/libmprof-malloc.so" || skip "the module for native programs was not built"
export MPROF_MODULE_DIR=$module_directory

cat >program.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *volatile kept;
__attribute__((noinline)) static void leak(int count)
{
	for (int i = 0; i < count; i++)
		kept = malloc(1000);
}
__attribute__((noinline)) static void deep(int depth)
{
	void *volatile memory = malloc(10);

	if (depth > 0)
		deep(depth - 1);
	free(memory);
}
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int status = 0;

	leak(7);
	if (strcmp(what, "deep") == 0)
		deep(100);
	if (strcmp(what, "fork") == 0) {
		if (fork() == 0) {
			leak(3);
			_exit(4);
		}
		wait(&status);
		return WEXITSTATUS(status);
	}
	if (strcmp(what, "exec") == 0)
		execl(argv[0], argv[0], "deep", (char *)NULL);
	if (strcmp(what, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(what, "wait") == 0)
		while (access("stop", F_OK) != 0) {
			leak(1);
			usleep(1000);
		}
	return argc > 1 && what[0] >= '0' && what[0] <= '9' ? atoi(what) : 0;
}
END
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -O1 -fno-builtin -o program program.c 2>compiler.out ||
	skip "the compiler cannot compile: $(cat compiler.out)"

# leaked LOG: blocks that leak() has not freed.
leaked() {
	"$MPROF" report --json --top=0 "$1" | jq '[.memory.places[] | select(.stack[0] == "leak") | .live] | add'
}

mprof record --malloc -- ./program 5
expect_status 5 "the program's status"
expect_line err '^mprof: program.mprof: [0-9]+ bytes, [0-9]+ events, 0 lost$'
expect "leaked" "$(leaked program.mprof)" 7
expect "the only log" "$(ls ./*.mprof*)" ./program.mprof

# However the program ends, the log is complete.
mprof record --malloc -o kill.mprof -- ./program kill
expect_status 137 "killed"
expect "killed" "$(leaked kill.mprof)" 7
mprof record --malloc -o exec.mprof -- ./program exec
expect_status 0 "exec"
expect "exec" "$(ls exec*)" "$(printf 'exec.%s.mprof\nexec.mprof' "$(ls | sed -n 's/^exec\.\(.*\)\.mprof$/\1/p')")"

# A program that maps all of its memory: the report states that this is not recorded.
cat >mapped.c <<'END'
#include <sys/mman.h>
int main(void)
{
	return mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}
END
"${compiler[@]}" -o mapped mapped.c
mprof record --malloc -o mapped.mprof -- ./mapped
expect_status 0 "a program that maps its memory"
for command in info report; do
	mprof $command mapped.mprof
	expect_line out '^memory +no allocations; memory that the program maps itself,'
done
mprof info program.mprof
expect "a program that allocates" "$(grep -c '^memory .*maps itself' out)" 0

# Without --children, those of the program are not recorded, but counted.
mprof record --malloc -o fork.mprof -- ./program fork
expect_status 4 "fork"
expect_line err 'not recorded: 1 child processes; --children records them$'
expect "the parent alone" "$(ls fork*)" fork.mprof
mprof record --malloc --children -o children.mprof -- ./program fork
expect_status 4 "fork with --children"
expect "two logs" "$(ls children*.mprof | wc -l)" 2
expect "the child" "$(for log in children.[0-9]*.mprof; do leaked "$log"; done)" 3
mprof record --malloc -o shell.mprof -- sh -c './program 6; exit 9'
expect_status 9 "a shell"
expect "the shell alone" "$(ls shell*)" shell.mprof
mprof record --malloc --children -o shells.mprof -- sh -c './program 6; exit 9'
expect "the program of a shell" "$(for log in shells.*.mprof; do leaked "$log"; done)" 7

# Stacks.
mprof record --malloc --stack-depth=150 -o deep.mprof -- ./program deep
expect "frames" "$("$MPROF" report --json --top=0 deep.mprof | jq '[.memory.places[].stack | length] | max > 100')" true
mprof record --malloc --malloc-stack=none -o none.mprof -- ./program
expect "no frames" "$("$MPROF" report --json --top=0 none.mprof | jq '[.memory.places[].stack | length] | max')" 0
mprof record --malloc --ring=1m -o ring.mprof -- ./program
expect "ring" "$(leaked ring.mprof)" 7
"$MPROF" record --malloc -o - -- ./program 2>err >pipe.mprof
expect "standard output" "$(leaked pipe.mprof)" 7

# A reader that ends early is not the end of the tool: the log stays where the message states.
status=0
{ "$MPROF" record --malloc -o - -- ./program 2>err || echo $? >status; } | true
expect_line err 'cannot write the log to standard output: Broken pipe; it stays in '
expect "the status" "$(cat status)" 3
rm -f "$(sed -n 's/.*it stays in //p' err)"

# What cannot be recorded with it is refused before the program runs.
for option in --sample --calls --alloc --heap=ondemand --only=x; do
	mprof record --malloc $option -o refused.mprof -- ./program
	expect_status 2 "$option"
	expect_line err "^mprof: record: ${option%%=*}: --malloc records native memory alone"
done
mprof record --malloc-stack=none --sample -o unused.mprof -- ./program
expect_line err "^mprof: record: --malloc-stack: no effect"
mprof record --alloc -o refused.mprof -- ./program
expect_line err '--malloc records the memory of native programs$'
test ! -e refused.mprof || fail "a refused option left a log"
if "${compiler[@]}" -static -o static program.c 2>compiler.out; then
	mprof record --malloc -o refused.mprof -- ./static
	expect_status 3 "linked statically"
	expect_line err '^mprof: no log was written: ./static is linked statically, .*; it was not started$'
	expect "one line" "$(wc -l <err)" 1
fi

# The module is found beside the tool, and its absence is explained.
MPROF_MODULE_DIR='' mprof record --malloc -o found.mprof -- ./program
expect "found" "$(leaked found.mprof)" 7

# Control.
"$MPROF" record --malloc --control="$work/socket" -o controlled.mprof -- ./program wait 2>record.err &
recording=$!
await test -S socket
mprof control "$work/socket" status
expect_status 0 "status"
expect_line out '^kinds=native memory$'
# A report of the log under its final name, while it has that of a part.
mprof control "$work/socket" flush
mprof report controlled.mprof
expect_status 1 "a log that is still written"
expect_line out ', still being recorded$'
expect_line err ': still being recorded: what follows is not in the log yet$'
expect_no_line err 'damaged'
mprof top --once controlled.mprof
expect_line out '^native memory: [0-9.]+ k?B in [0-9,]+ blocks, at most '
mprof control "$work/socket" mark here
expect_status 0 "mark"
mprof control "$work/socket" sample 100
expect_line err 'enable, disable, flush, status, cost and mark TEXT$'
touch stop
wait $recording || fail "a controlled program: $(cat record.err)"
"$MPROF" dump controlled.mprof | grep -q 'here' || fail "the marker is missing"

# Mono is a program like any other.
if command -v mono >/dev/null; then
	mprof record --malloc -o mono.mprof -- mono --version
	expect_status 0 "mono"
	mprof info mono.mprof
	expect_line out '^recorded +memory$'
fi
