#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof record --sample" samples native programs with and without frame pointers. Needs a compiler and the module.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

needs_native_sampling

# The processor time of light and heavy is 1 : 3, whatever the machine does.
cat >program.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define NEVER_INLINE __attribute__((noinline, noclone))
#define UNIT 4000000
#define ROUNDS 20
static volatile unsigned long sink;
NEVER_INLINE static void spin(long count)
{
	for (long i = 0; i < count; i++)
		sink += (unsigned long)i;
}
NEVER_INLINE static void heavy(void)
{
	spin(3L * UNIT);
	sink++;
}
NEVER_INLINE static void light(void)
{
	spin(UNIT);
	sink++;
}
NEVER_INLINE static void deep(int depth)
{
	if (depth > 0)
		deep(depth - 1);
	else
		spin(UNIT);
	sink++;
}
static int compare(const void *left, const void *right)
{
	for (int i = 0; i < 400; i++)
		sink++;
	return *(const int *)left - *(const int *)right;
}
NEVER_INLINE static void sort(void)
{
	int numbers[300];

	for (int i = 0; i < 300; i++)
		numbers[i] = i * 7919 % 307;
	qsort(numbers, 300, sizeof(numbers[0]), compare);
	sink++;
}
NEVER_INLINE static void *worker(void *argument)
{
	for (int i = 0; i < ROUNDS; i++)
		light();
	return argument;
}
NEVER_INLINE static int wait_for_child(void)
{
	int status = 0;
	pid_t process = fork();

	if (process == 0) {
		worker(NULL);
		exit(3);
	}
	waitpid(process, &status, 0);
	return WEXITSTATUS(status);
}
int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1 && strcmp(argv[1], "fork") == 0)
		return wait_for_child();
	pthread_create(&thread, NULL, worker, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		heavy();
		light();
	}
	for (int i = 0; i < ROUNDS; i++)
		sort();
	for (int i = 0; i < ROUNDS; i++)
		deep(60);
	pthread_join(thread, NULL);
	return argc - 1;
}
END
read -ra compiler <<<"${CC:-cc}"
common=(-O1 -fno-optimize-sibling-calls -pthread)
"${compiler[@]}" "${common[@]}" -fno-omit-frame-pointer -o with program.c || skip "no compiler"
"${compiler[@]}" "${common[@]}" -fomit-frame-pointer -o without program.c

# Prints the samples in and below a path of functions, which begins with the thread's first function.
cat >total.jq <<'END'
def below($path):
	if $path == [] then .total_hits
	else ([.children[] | select(.name == $path[0])][0] // {total_hits: 0, children: []}) | below($path[1:])
	end;
{children: .sample_tree} | below($ARGS.positional)
END

# total LOG FUNCTION...
total() {
	"$MPROF" report --json --min-percent=0 --depth=80 "$1" 2>/dev/null | jq -f total.jq --args "${@:2}"
}

# property LOG KEY
property() {
	"$MPROF" report --json "$1" 2>/dev/null | jq -r ".session.properties.$2"
}

# Each heavy() calls three times as much as each light().
for program in with without; do
	for stack in auto copy; do
		log=$program-$stack.mprof
		mprof record --sample=1000 --sample-stack=$stack -o "$log" -- ./$program
		expect_status 0 "$log: record"
		heavy=$(total "$log" main heavy spin)
		light=$(total "$log" main light spin)
		# Stacks that could not be copied on a busy machine are not counted here: few samples may remain.
		test "$light" -gt 0 && test $((2 * heavy)) -gt $((3 * light)) && test "$heavy" -lt $((6 * light)) ||
			fail "$log: $heavy samples of heavy, $light of light"
		test "$(total "$log" worker light spin)" -gt $((light / 4)) || fail "$log: the thread has too few samples"
		# Through frames of the C library, which has no frame pointers.
		test "$("$MPROF" report --json --min-percent=0 --depth=80 "$log" 2>/dev/null | jq '[.sample_tree[] | .. | objects |
			select(.name == "sort") | .. | objects | select(.name? == "compare")] | length')" -gt 0 ||
			fail "$log: no compare() below sort()"
		# shellcheck disable=SC2046
		test "$(total "$log" main $(printf 'deep %.0s' {0..60}) spin)" -gt 0 || fail "$log: no deep stack"
		expect "$log: sample_stack" "$(property "$log" sample_stack)" "$stack"
	done
done
test "$(property without-auto.mprof sample_stacks_walked)" -gt 0 || fail "auto: no stack was unwound in place"
expect "copy: stacks unwound in place" "$(property without-copy.mprof sample_stacks_walked)" 0

# Frame pointers alone show the callers of functions that have one.
mprof record --sample=1000 --sample-stack=fp -o fp.mprof -- ./with
expect_status 0 "fp: record"
test "$(total fp.mprof main)" -gt 0 || fail "fp: no samples below main()"
expect "fp: copies" "$(property fp.mprof sample_stacks_copied)" 0

mprof record --sample=1000 --sample-depth=5 -o short.mprof -- ./without
expect_status 0 "sample-depth: record"
test "$(total short.mprof '[truncated]' deep deep deep deep spin)" -gt 0 || fail "sample-depth=5: not truncated"

# A child is sampled only with --children, to a log of its own.
mprof record --sample=1000 -o alone.mprof -- ./without fork
expect_status 3 "fork: record"
expect "fork: logs" "$(echo alone*.mprof)" alone.mprof
expect "fork: samples of the child" "$(total alone.mprof main wait_for_child worker)" 0
mprof record --sample=1000 --children -o both.mprof -- ./without fork
expect_status 3 "children: record"
expect "children: logs" "$(ls both*.mprof | wc -l)" 2
test "$(total "$(ls both.*.mprof)" main wait_for_child worker light spin)" -gt 0 || fail "children: no samples"

# refuses MESSAGE OPTION...: before the program starts.
refuses() {
	mprof record "${@:2}" -o refused.mprof -- ./without
	expect_status 2 "$1: record"
	expect_line err "$1"
	test ! -e refused.mprof || fail "$1: there is a log"
}
refuses "^mprof: record: --sample-source=runtime: " --sample --sample-source=runtime
refuses "^mprof: --sample-stack: 'deep' is not one of auto, fp, copy$" --sample --sample-stack=deep
printf 'MZ' >program.exe
mprof record --sample-stack=fp program.exe
expect_status 2 "sample-stack of a Mono program"
expect_line err "^mprof: record: --sample-stack: only native programs"

# A program in C++, whose names are those of the linker. It throws through frames that are sampled.
read -ra cxx <<<"${CXX:-c++}"
cat >methods.cc <<'END'
namespace shapes {
struct circle {
	__attribute__((noinline)) void draw(int times);
};
static volatile unsigned long sink;
void circle::draw(int times)
{
	for (int i = 0; i < times; i++)
		sink = sink + 1;
	throw times;
}
}
int main()
{
	for (int i = 0; i < 10; i++) {
		try {
			shapes::circle().draw(20000000);
		} catch (int) {
		}
	}
}
END
if "${cxx[@]}" -O1 -o methods methods.cc 2>/dev/null; then
	mprof record --sample=1000 -o methods.mprof -- ./methods
	expect_status 0 "C++: record"
	test "$(total methods.mprof main 'shapes::circle::draw(int)')" -gt 0 || fail "C++: no samples"
	"$MPROF" report --all methods.mprof >text 2>&1
	expect_line text '  shapes::circle::draw\(int\) \[methods\]$'
	"$MPROF" report --all --compiler-names methods.mprof >text 2>&1
	expect_line text '  _ZN6shapes6circle4drawEi \[methods\]$'
fi

# Names of Rust: in the older scheme, closures and implementations of traits are escaped, and a hash is at the end.
cat >rust.c <<'END'
static volatile unsigned long sink;
#define NEVER_INLINE __attribute__((noinline, noclone))
NEVER_INLINE void closure(void) __asm__("_ZN4shop4sell28_$u7b$$u7b$closure$u7d$$u7d$17he39bdf0230cb3880E");
NEVER_INLINE void implementation(void)
	__asm__("_ZN42_$LT$shop..Till$u20$as$u20$shop..Sells$GT$2go17h34326b2ad315cc28E");
void closure(void)
{
	for (unsigned long i = 0; i < 50000000; i++)
		sink += i;
}
void implementation(void)
{
	for (unsigned long i = 0; i < 50000000; i++)
		sink += i;
}
NEVER_INLINE void newer(void) __asm__("_RNvNtCs9ltgdHTiPiY_4shop5tills5count");
void newer(void)
{
	for (unsigned long i = 0; i < 50000000; i++)
		sink += i;
}
int main(void)
{
	closure();
	implementation();
	newer();
	return 0;
}
END
if test -z "${MPROF_WITHOUT_LIBIBERTY-}" && "${compiler[@]}" -O1 -o rust rust.c 2>/dev/null; then
	mprof record -o rust.mprof -- ./rust
	expect_status 0 "names of Rust: record"
	"$MPROF" report --all rust.mprof >text 2>&1
	expect_line text '  shop::sell::\{\{closure\}\} \[rust\]$'
	expect_line text '  <shop::Till as shop::Sells>::go \[rust\]$'
	expect_line text '  shop::tills::count \[rust\]$'
fi

# A name that stands for terabytes of text is printed as it is, and so are the names after it.
huge=_Z1f1AIiiES_IS0_S0_E
for digit in 1 2 3 4 5 6 7 8 9 A B C D E F G H I J K L M N O P Q R S T U V W X Y Z; do
	huge+=S_IS${digit}_S${digit}_E
done
sed "s/_ZN4shop[^\"]*/$huge/" rust.c >huge.c
if "${compiler[@]}" -O1 -o huge huge.c 2>/dev/null; then
	mprof record -o huge.mprof -- ./huge
	expect_status 0 "a name that is too long: record"
	mprof report --all huge.mprof
	expect_status 0 "a name that is too long"
	expect_line out "  $huge \\[huge\\]\$"
fi

# Another profiler finds the same shares.
if perf record -q -e task-clock:u -F 1000 -o perf.data ./without >perf.out 2>&1; then
	theirs=$(perf script -i perf.data -F ip,sym 2>/dev/null |
		awk '$2 == "spin" { hits++ } NF { all++ } END { print all ? int(100 * hits / all) : "no" }')
	test "$theirs" != no || skip "perf records no samples here"
	ours=$("$MPROF" report --json without-auto.mprof 2>/dev/null |
		jq '[.samples[] | {name, hits}] |
			100 * (map(select(.name == "spin").hits) | add) / (map(.hits) | add) | floor')
	test "$ours" -ge $((theirs - 20)) && test "$ours" -le $((theirs + 20)) ||
		fail "spin: $ours % of the samples, but $theirs % of those of perf"
fi
