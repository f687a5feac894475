#!/bin/bash
# SPDX-License-Identifier: MIT
# The module that records malloc(): programs whose leaks, peak and temporary allocations are known. Needs a compiler and the
# module.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
module=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}/libmprof-malloc.so
test -e "$module" || skip "the module for native programs was not built"

cat >program.c <<'END'
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define THREADS 4
#define NEVER_INLINE __attribute__((noinline))
static void *handed[THREADS][1000];
static void *kept[THREADS][100];
static pthread_barrier_t barrier;
NEVER_INLINE static void *volatile_copy(void *memory)
{
	void *volatile copy = memory;

	return copy;
}
NEVER_INLINE static void *leak(size_t size)
{
	return volatile_copy(malloc(size));
}
NEVER_INLINE static void *hand_over(size_t size)
{
	return volatile_copy(malloc(size));
}
NEVER_INLINE static void momentary(size_t size)
{
	free(volatile_copy(malloc(size)));
}
NEVER_INLINE static void grow(void)
{
	void *memory = NULL;

	for (size_t i = 1; i <= 10; i++)
		memory = volatile_copy(realloc(memory, i * 100000));
	free(memory);
}
/* Frees what another thread allocated. */
static void *worker(void *argument)
{
	size_t number = (size_t)argument;

	for (size_t i = 0; i < 100; i++)
		kept[number][i] = leak(10 + number);
	for (size_t i = 0; i < 1000; i++)
		handed[number][i] = hand_over(10000);
	pthread_barrier_wait(&barrier);
	for (size_t i = 0; i < 1000; i++)
		free(handed[(number + 1) % THREADS][i]);
	for (size_t i = 0; i < 50000; i++)
		momentary(32);
	grow();
	return argument;
}
NEVER_INLINE static void all_functions(void)
{
	void *memory = NULL;

	free(volatile_copy(malloc(100)));
	free(volatile_copy(calloc(10, 20)));
	free(volatile_copy(realloc(NULL, 300)));
	free(volatile_copy(aligned_alloc(64, 448)));
	if (posix_memalign(&memory, 4096, 500) == 0)
		free(volatile_copy(memory));
	free(volatile_copy(memalign(128, 600)));
	free(volatile_copy(valloc(700)));
	free(NULL);
	/* Neither is there, and the first one stays. */
	memory = volatile_copy(malloc(800));
	if (realloc(volatile_copy(memory), (size_t)-1 / 2) == NULL)
		free(volatile_copy(memory));
	if (volatile_copy(malloc((size_t)-1 / 2)) != NULL || volatile_copy(calloc((size_t)-1 / 2, 4)) != NULL)
		exit(9);
}
int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	if (argc > 1 && strcmp(argv[1], "all") == 0) {
		all_functions();
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "fork") == 0) {
		pid_t process;
		int status = 0;

		kept[0][0] = leak(1111);
		process = fork();
		if (process == 0) {
			kept[0][1] = leak(2222);
			exit(3);
		}
		waitpid(process, &status, 0);
		return WEXITSTATUS(status);
	}
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -O1 -fno-builtin -fno-omit-frame-pointer -pthread -o program program.c 2>compiler.out ||
	skip "the compiler cannot compile: $(cat compiler.out)"

# record LOG ARGUMENTS: runs the program with the module.
record() {
	local log=$1

	shift
	status=0
	LD_PRELOAD=$module MPROF_MALLOC_OUTPUT=$log ./program "$@" 2>err || status=$?
}

# places LOG FUNCTION: the allocations of a function, summed over all call stacks: allocations, bytes, allocations not
# freed and their bytes, allocations at the peak and their bytes, temporary allocations.
places() {
	"$MPROF" report --json --top=0 "$1" | jq -c --arg function "$2" '[.memory.places[] | select(.stack[0] == $function)] |
		[(map(.allocations), map(.bytes), map(.live), map(.live_bytes), map(.peak_live), map(.peak_bytes),
		map(.temporaries)) | add]'
}

check_known() {
	expect "leaks" "$(places "$1" leak)" "[400,4600,400,4600,400,4600,0]"
	expect "what other threads free" "$(places "$1" hand_over)" "[4000,40000000,0,0,4000,40000000,0]"
	expect "temporary" "$(places "$1" momentary)" "[200000,6400000,0,0,0,0,200000]"
	expect "resized" "$(places "$1" grow)" "[40,22000000,0,0,0,0,40]"
	"$MPROF" report --json "$1" >out
	expect_json "resizes" .memory.resizes 36
	expect_json "all frees are known" '[.memory.unmatched_frees, .memory.missing_frees, .memory.late_events]' '[0,0,0]'
	expect_json "exact" .memory.estimate false
	"$MPROF" check "$1" >out
}

record known.mprof
expect_status 0 "four threads"
check_known known.mprof
export MPROF_MALLOC_OPTIONS=stack=frames,buffers=2,buffer-events=128
record frames.mprof
unset MPROF_MALLOC_OPTIONS
expect_status 0 "frame pointers and few buffers"
check_known frames.mprof

# The report as text, and the log event by event.
mprof report --all known.mprof
expect_line out '^known.mprof: program, native, .*, complete$'
expect_line out '^Native memory$'
expect_line out '^  temporary +200,0[0-9][0-9]$'
expect_line out '^Native memory not freed, by call site'
expect_line out '^Native memory at the peak, by call site'
expect_line out '^Temporary native memory, by call site'
expect_line out '^Native memory by size'
mprof dump known.mprof
expect_line out '^ +[0-9]+ memory-allocated 0x[0-9a-f]+, 10000 bytes, stack [0-9]+$'
expect_line out '^ +[0-9]+ memory-freed 0x[0-9a-f]+$'
expect_line out '^ +[0-9]+ memory-resized 0x[0-9a-f]+ to 0x[0-9a-f]+, 1000000 bytes, started [0-9]+, stack [0-9]+$'
"$MPROF" dump --json known.mprof | grep '"event":"memory-resized"' | head -n 1 >out
expect_json "resized" '[has("from"), has("address"), has("size"), has("started")]' '[true,true,true,true]'
mprof info known.mprof
expect_line out '^recorded +memory$'
mprof info --json known.mprof
expect_json "info" '.events["memory-resized"]' 36

# Other dialects cannot hold native memory, and convert lists it as left out.
mprof convert --dialect=mono known.mprof mono.mprof
expect_line err 'memory-allocated'
mprof convert known.mprof copy.mprof
"$MPROF" report --json --top=0 known.mprof | jq .memory >expected
"$MPROF" report --json --top=0 copy.mprof | jq .memory >out
cmp expected out || fail "a copy has other numbers"

# libunwind blocks signals in each step of a slow walk. After the first walks of a thread, all are fast ones.
cat >walks.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static volatile unsigned blocks;
int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
	blocks++;
	return pthread_sigmask(how, set, before);
}
int main(void)
{
	for (int i = 0; i < 20000; i++) {
		void *volatile memory = malloc(100);

		free(memory);
	}
	printf("%u\n", blocks);
	return 0;
}
END
"${compiler[@]}" -O1 -fno-builtin -rdynamic -pthread -o walks walks.c || fail "compiler"
LD_PRELOAD=$module MPROF_MALLOC_OUTPUT=walks.mprof ./walks >blocks || fail "walks: status $?"
test "$(cat blocks)" -lt 10000 || fail "slow walks: signals were blocked $(cat blocks) times in 20000 allocations"

# Each function of the allocator once; failed calls are not recorded.
record all.mprof all
expect_status 0 "all functions"
expect "all functions" "$(places all.mprof all_functions | jq -c '.[:3]')" "[8,3648,0]"

# The child has a log of its own if the name has %p, and none otherwise.
record 'fork.%p.mprof' fork
expect_status 3 "fork"
expect "logs" "$(ls fork.*.mprof | wc -l)" 2
for log in fork.*.mprof; do
	places "$log" leak
done | sort >out
printf '%s\n' '[1,1111,1,1111,1,1111,0]' '[1,2222,1,2222,1,2222,0]' | cmp - out || fail "fork: $(cat out)"
record fork.mprof fork
expect "the parent's log" "$(places fork.mprof leak)" "[1,1111,1,1111,1,1111,0]"

# The difference of two logs: totals, and call paths of what is left.
record more.mprof all
mprof diff known.mprof more.mprof
expect_status 0 "native memory only"
expect_line out '^Native memory$'
expect_line out '^ +40[0-9] +0 +-40[0-9] +-100.0 %  not freed$'
expect_line out '^Call paths by bytes of native memory not freed$'
expect_line out '^ +4,600 +0 +-4,600 +-100.0 % +-4,600 +leak  \(gone\)$'
mprof diff --json --value=memory known.mprof more.mprof
expect_json "totals" '[.memory.live_before >= 400, .memory.live_bytes_before >= 4600, .memory.live_after]' '[true,true,0]'
expect_json "call paths" '[.call_paths_of, (.call_paths[0] | [.total_before, .total_after])]' \
	"[\"memory\",[$("$MPROF" report --json known.mprof | jq .memory.bytes),3648]]"
mprof diff --fail-above=1% known.mprof more.mprof
expect_status 0 "less is left"
mprof diff --fail-above=1% more.mprof known.mprof
expect_status 1 "more is left"
expect_line err 'limit exceeded: memory-live of all: 0 before, [0-9,]+ after, \+[0-9,]+$'
mprof diff --fail-above=1% --of=memory-temporary more.mprof known.mprof
expect_status 1 "temporary allocations"
mprof diff --value=samples known.mprof more.mprof
expect_status 3 "a value that neither log has"

# Every value of native memory adds up to the figures of the report, in formats with call stacks and in flame graphs.
total_of() {
	"$MPROF" export --to=folded --value="$1" -o - known.mprof 2>err | awk '{ sum += $NF } END { print sum + 0 }'
}
"$MPROF" report --json --top=0 known.mprof >report.json
for value in memory:bytes memory-live:live_bytes memory-peak:peak_bytes memory-temporary:temporaries; do
	expect "${value%:*}" "$(total_of "${value%:*}")" "$(jq ".memory.${value#*:}" report.json)"
	mprof flame --value="${value%:*}" -o flame.svg known.mprof
	expect_status 0 "flame --value=${value%:*}"
done
expect "the default is memory" "$("$MPROF" export --to=folded -o - known.mprof 2>err)" \
	"$("$MPROF" export --to=folded --value=memory -o - known.mprof 2>err)"
expect "by function" "$("$MPROF" export --to=folded --value=memory-live -o - known.mprof 2>err |
	awk '{ stack = $0; sub(/ [0-9]+$/, "", stack); if (stack ~ /;leak$/) sum += $NF } END { print sum }')" 4600
# Callers and callees.
mprof report --callers=leak --top=0 known.mprof
expect_line out '^Callers, by native memory allocated'
expect_line out '^ +4.60 kB +4.60 kB +400  worker$'
mprof report --json --callees=worker known.mprof
expect_json "callees" '[.callees[] | select(.source == "memory") | .rows[] | select(.name == "leak") | [.count, .self]]' \
	'[[400,4600]]'
mprof report --inverted known.mprof
expect_line out '^Inverted tree of native memory, by bytes'
# What was freed is a result as well.
mprof flame --value=memory-live -o flame.svg all.mprof
expect_status 0 "nothing is left"
