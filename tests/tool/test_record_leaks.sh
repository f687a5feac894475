#!/bin/bash
# SPDX-License-Identifier: MIT
# record --malloc --leaks: programs of which it is known which memory they can reach at their end, ended in all ways that
# there are, and a comparison with valgrind. Needs a compiler and the module.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
test -e "${INSTRUMENT_DIR:-$builddir/examples/native/.libs}/libmprof-malloc.so" ||
	skip "the module for native programs was not built"

cat >program.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#define NEVER_INLINE __attribute__((noinline))
struct node {
	struct node *next;
	char rest[40];
};
static void *volatile cache_table[50];
static char *volatile inside;
static struct node *volatile list;
static __thread void *volatile held_by_thread;
static pthread_barrier_t barrier;

NEVER_INLINE static void *take(size_t size)
{
	void *volatile memory = malloc(size);

	memset(memory, 0, size);
	return memory;
}
NEVER_INLINE static struct node *make_list(int count)
{
	struct node *first = NULL;

	for (int i = 0; i < count; i++) {
		struct node *volatile node = take(sizeof(*node));

		node->next = first;
		first = node;
	}
	return first;
}
NEVER_INLINE static void lose_list(void)
{
	struct node *volatile first = make_list(100);

	first = NULL;
	(void)first;
}
/* Overwrites what calls have left on the stack. */
NEVER_INLINE static void wipe(void)
{
	volatile char bytes[32768];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = 0;
}
NEVER_INLINE static void known(void)
{
	lose_list();
	for (int i = 0; i < 50; i++)
		cache_table[i] = take(64);
	inside = (char *)take(1000) + 16;
	wipe();
}
static void *end_soon(void *unused)
{
	void *volatile memory = take(333);

	(void)memory;
	return unused;
}
NEVER_INLINE static void hold(void)
{
	void *volatile on_stack = take(777);

	held_by_thread = take(555);
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
	free(on_stack);
}
static void *stay(void *unused)
{
	hold();
	return unused;
}
static void *end_process(void *unused)
{
	exit(6);
	return unused;
}
/* The only pointer to each of these blocks is in memory that is no heap and no static data of the program. */
NEVER_INLINE static void keep(size_t length, int flags, int fd)
{
	char *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (memory == MAP_FAILED)
		_Exit(77);
	*(void *volatile *)(memory + length / 2 + 24) = take(64);
}
static int open_file(const char *name, off_t length)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || ftruncate(fd, length) != 0)
		_Exit(77);
	return fd;
}
NEVER_INLINE static void keep_in_mappings(void)
{
	const size_t length = 3 << 20;

	keep(length, MAP_SHARED, open_file("shared.data", length));
	keep(length, MAP_PRIVATE, open_file("private.data", length));
	keep(length, MAP_SHARED, open_file("removed.data", length));
	unlink("removed.data");
	/* Half of it is beyond the end of the file, which cannot be read. */
	keep(length, MAP_SHARED, open_file("short.data", length / 2 + 4096));
	keep(length, MAP_SHARED | MAP_ANONYMOUS, -1);
	keep((size_t)64 << 30, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}
/* Static data that is made read-only, as tables are that are complete. */
static void *table[1024] __attribute__((aligned(4096)));
NEVER_INLINE static void keep_in_constants(void)
{
	table[700] = take(64);
	if (mprotect(table, sizeof(table), PROT_READ) != 0)
		_Exit(77);
}
/* A block of which some pages cannot be accessed. */
static char *volatile guarded;
NEVER_INLINE static void keep_after_guard(void)
{
	size_t length = 5 << 20;
	char *start = take(length);

	*(void *volatile *)(start + length - 4096) = take(64);
	guarded = start;
	start = (char *)(((size_t)start + 8191) & ~(size_t)4095);
	if (mprotect(start, 4096, PROT_NONE) != 0)
		_Exit(77);
}
static void run(void *(*function)(void *), int count)
{
	pthread_t thread[8];

	for (int i = 0; i < count; i++)
		pthread_create(&thread[i], NULL, function, NULL);
	for (int i = 0; i < count && function != stay; i++)
		pthread_join(thread[i], NULL);
}
int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	known();
	if (strcmp(mode, "_exit") == 0)
		_exit(5);
	if (strcmp(mode, "thread") == 0)
		run(end_process, 1);
	if (strcmp(mode, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(mode, "exec") == 0)
		execl("/bin/true", "true", (char *)NULL);
	if (strcmp(mode, "threads") == 0) {
		pthread_barrier_init(&barrier, NULL, 5);
		run(stay, 4);
		pthread_barrier_wait(&barrier);
		run(end_soon, 1);
		wipe();
	}
	if (strcmp(mode, "library") == 0) {
		void *library = dlopen("./library.so", RTLD_NOW);

		((void (*)(void))dlsym(library, "fill"))();
	}
	if (strcmp(mode, "mappings") == 0) {
		keep_in_mappings();
		keep_in_constants();
		keep_after_guard();
		wipe();
	}
	if (strcmp(mode, "shares-much") == 0) {
		keep((size_t)1 << 30, MAP_SHARED | MAP_ANONYMOUS, -1);
		wipe();
	}
	if (strcmp(mode, "many") == 0)
		list = make_list(100000);
	if (strcmp(mode, "fork") == 0) {
		int status;

		if (fork() == 0) {
			lose_list();
			wipe();
			exit(3);
		}
		wait(&status);
		return WEXITSTATUS(status);
	}
	if (strcmp(mode, "seccomp") == 0) {
		struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
		struct sock_fprog filter = {1, allow};

		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
			return 77;
	}
	return 0;
}
END
cat >library.c <<'END'
#include <stdlib.h>
static void *volatile held_by_library[10];
static __thread void *volatile of_thread;
void fill(void);
void fill(void)
{
	for (int i = 0; i < 10; i++)
		held_by_library[i] = malloc(2000);
	of_thread = malloc(2100);
}
END
cat >containers.cc <<'END'
#include <map>
#include <string>
#include <vector>
static std::map<int, std::string> names;
static std::vector<std::vector<int>> *rows;
struct base_one { virtual ~base_one() {} int a = 1; };
struct base_two { virtual ~base_two() {} int b = 2; };
struct both : base_one, base_two { char rest[100] = {}; };
static base_two *volatile second;
int main()
{
	for (int i = 0; i < 100; i++)
		names[i] = std::string(100, 'x');
	rows = new std::vector<std::vector<int>>(20, std::vector<int>(100));
	second = new both;
	_Exit(0);
}
END
read -ra compiler <<<"${CC:-cc}"
compile=("${compiler[@]}" -g -O1 -fno-builtin -pthread)
"${compile[@]}" -o program program.c -ldl 2>compiler.out || skip "the compiler cannot compile: $(cat compiler.out)"
"${compile[@]}" -shared -fPIC -o library.so library.c

# record STATUS ARGUMENTS: runs the program, which ends with that status.
record() {
	local wanted=$1

	shift
	rm -f log.mprof
	mprof record --malloc --leaks -o log.mprof -- "$@"
	expect_status "$wanted" "$*"
	"$MPROF" report --json --top=0 log.mprof >out
	"$MPROF" check log.mprof >check.out 2>check.err || fail "$*: $(cat check.err)"
}

# sums: blocks and bytes that are unreachable, then indirect and interior ones.
sums() {
	jq -c '.memory | [.unreachable, .unreachable_bytes, .indirect, .interior, .unsearched]' out
}

# places FUNCTION: blocks that are alive, unreachable, indirect and interior, of those that a function allocates or its
# callees.
places() {
	jq -c --arg function "$1" '[.memory.places[] | select(.stack | index($function))] |
		[(map(.live), map(.unreachable), map(.indirect), map(.interior)) | add]' out
}

known() {
	expect "$1: list" "$(places lose_list)" '[100,100,99,0]'
	expect "$1: all" "$(sums)" "[100,4800,99,1,0]"
}

record 0 ./program
known "return from main"
mprof report --sections=memory log.mprof
expect_line out '^  unreachable +100$'
expect_line out '^Native memory that was unreachable, by call site$'
mprof report log.mprof
expect_line out '4.80 kB of native memory in 100 blocks were unreachable at the end'
mprof dump log.mprof
expect_line out '^    memory-search 1, process 0: [0-9]+ blocks, '
record 5 ./program _exit
known "_exit"
record 6 ./program thread
expect "exit in a thread" "$(places lose_list)" '[100,100,99,0]'

# Not known is null, never 0.
for mode in kill exec; do
	wanted=0
	test "$mode" != kill || wanted=137
	rm -f log.mprof log.*.mprof
	mprof record --malloc --leaks -o log.mprof -- ./program "$mode"
	expect_status "$wanted" "$mode"
	for log in log*.mprof; do
		"$MPROF" report --json --top=0 "$log" >out
		# The program that was executed ends as any other.
		test "$(jq .memory.live out)" -gt 100 || continue
		expect "$mode" "$(jq -c '.memory | [.unreachable, .unreachable_bytes]' out)" '[null,null]'
		expect_json "$mode" '.memory.unsearched == .memory.live' true
	done
	test -e log.mprof || fail "$mode: no log"
done

# Stacks and thread-local data of threads that run keep memory, those of threads that have ended do not.
record 0 ./program threads
expect "on stacks" "$(places hold)" '[8,0,0,0]'
expect "of an ended thread" "$(places end_soon)" '[1,1,0,0]'
expect "list" "$(places lose_list)" '[100,100,99,0]'

record 0 ./program library
# Its thread-local data is a block as well.
expect "held by a library" "$(places fill | jq -c '[.[0] >= 11, .[1]]')" '[true,0]'
record 0 ./program many
expect_json "many" '[.memory.unreachable, .memory.live > 100000]' '[100,true]'
record 0 ./program mappings
expect "in mappings" "$(places keep_in_mappings)" '[6,0,0,0]'
expect "in constants" "$(places keep_in_constants)" '[1,0,0,0]'
expect "after a guard" "$(places keep_after_guard)" '[2,0,0,0]'
known "beside mappings"
record 0 ./program shares-much
expect_line err 'which memory is reachable is not known of 1 process .*it shares too much memory'
expect "shares much" "$(sums)" '[null,null,null,null,152]'
record 0 ./program seccomp
known "until a filter of system calls"
mprof info --json log.mprof
expect_json "seccomp" '.recording_ended' '"the program restricted its system calls (seccomp)"'

# The limit counts for each process.
(
	ulimit -v 400000
	record 0 ./program
)
"$MPROF" report --json --top=0 log.mprof >out
known "limited address space"

# The log of each process has its result; one of all of them has all.
rm -f log*.mprof
mprof record --malloc --leaks --children=one -o log.mprof -- ./program fork
expect_status 3 "fork"
"$MPROF" report --json --top=0 log.mprof >out
expect "both processes" "$(sums)" "[200,9600,198,1,0]"
jq -c .memory out >wanted
mprof convert log.mprof copy.mprof
"$MPROF" report --json --top=0 copy.mprof | jq -c .memory >copied
cmp wanted copied || fail "a copy has other figures"
rm -f log.mprof
mprof record --malloc --leaks --children=one --salvage=elsewhere -o log.mprof -- ./program fork
"$MPROF" report --json --top=0 log.mprof >out
expect "buffers of the recorder in another file" "$(sums)" "[200,9600,198,1,0]"

# Compressed as the first writing would have been.
for option in --gzip --compress=zstd; do
	test "$option" != --gzip || test -z "${MPROF_WITHOUT_ZLIB-}" || continue
	rm -f log.mprof
	mprof record --malloc --leaks "$option" -o log.mprof -- ./program
	grep -q 'built without' err && continue
	"$MPROF" report --json --top=0 log.mprof >out
	known "$option"
done

mprof record --malloc --leaks --salvage=no -o other.mprof -- ./program
expect_status 2 "without a salvage file"
mprof record --malloc --leaks -o - -- ./program
expect_status 2 "to a pipe"

# Two logs are compared by it, and its growth can be limited.
record 0 ./program
mv log.mprof few.mprof
mprof record --malloc --leaks --children=one -o more.mprof -- ./program fork
expect_status 3 "fork"
mprof diff few.mprof more.mprof
expect_line out '^ +100 +200 +\+100 +\+100.0 %  unreachable$'
expect_line out '^ +4,800 +9,600 +\+4,800 +\+100.0 %  bytes unreachable$'
mprof diff --json few.mprof more.mprof
expect_json "difference" '.memory | [.unreachable_before, .unreachable_after, .unreachable_bytes_before, .unreachable_bytes_after]' \
	'[100,200,4800,9600]'
mprof diff --of=memory-unreachable --fail-above=99% few.mprof more.mprof
expect_status 1 "more is unreachable"
expect_line err 'limit exceeded: memory-unreachable of all: 4,800 before, 9,600 after, \+4,800'
mprof diff --of=memory-unreachable --fail-above=100% few.mprof more.mprof
expect_status 0 "not more than the limit"
mprof diff --of=memory-unreachable --fail-above=0 more.mprof few.mprof
expect_status 0 "less is unreachable"

# A log without a search states nothing, and which option adds it.
rm -f log.mprof
mprof record --malloc -o log.mprof -- ./program
"$MPROF" report --json --top=0 log.mprof >out
expect "no search" "$(jq -c '.memory | [.unreachable, .unsearched == .live]' out)" '[null,true]'
mprof report --sections=memory log.mprof
expect_line out 'record --malloc --leaks'
mprof diff few.mprof log.mprof
expect_line out '^note .*unreachable native memory \(record --malloc --leaks\) cannot be compared: the log after has none$'
grep -q 'bytes unreachable' out && fail "a difference with what is not known"
mprof diff --json few.mprof log.mprof
expect_json "one is known" '.memory | [.unreachable_bytes_before, .unreachable_bytes_after]' '[4800,null]'
mprof diff --of=memory-unreachable --fail-above=0 few.mprof log.mprof
expect_status 1 "a limit of what is not known"
expect_line err 'cannot be checked: not both logs have unreachable native memory'

read -ra cxx <<<"${CXX:-c++}"
if "${cxx[@]}" -g -O1 -o containers containers.cc 2>/dev/null; then
	record 0 ./containers
	expect_json "containers" '[.memory.unreachable, .memory.live > 220]' '[0,true]'
	expect "a second base class" "$(jq '[.memory.places[] | select(.live_bytes > 100 and .live == 1) | .interior] | max' out)" 1
fi

# valgrind counts the same.
if command -v valgrind >/dev/null; then
	valgrind --leak-check=full ./program >/dev/null 2>valgrind.out || true
	# blocks NAME
	blocks() {
		sed -nE "s/.* $1 lost: [0-9,]+ bytes in ([0-9,]+) blocks.*/\1/p" valgrind.out | tr -d ,
	}
	record 0 ./program
	expect "valgrind" "$(jq -c '.memory | [.unreachable - .indirect, .indirect, .interior]' out)" \
		"[$(blocks definitely),$(blocks indirectly),$(blocks possibly)]"
fi

# Prints the IDs of the copies of programs that run here, not of other tests.
copies() {
	local process
	for process in /proc/[0-9]*; do
		test "$(cat "$process/comm" 2>/dev/null)" = "mprof copy" || continue
		test "$(readlink "$process/cwd")" != "$PWD" || echo "${process#/proc/}"
	done
}

# What was found in a copy that the system has ended is not stated. When it ends, in relation to the search, is left to
# chance.
while test ! -e stop; do
	sleep 0.02
	for copy in $(copies); do
		kill -KILL "$copy" 2>/dev/null || true
	done
done &
for _ in 1 2 3 4 5; do
	record 0 ./program many
	found=$(jq -c '.memory | [.unreachable, .unsearched]' out)
	if test "$found" != '[100,0]'; then
		expect_json "the copy is gone" '[.memory.unreachable, .memory.unsearched == .memory.live]' '[null,true]'
		expect_line err 'which memory is reachable is not known of 1 process'
	fi
done
touch stop
wait

# Nothing is left.
test -z "$(copies)" || fail "a copy is left"
