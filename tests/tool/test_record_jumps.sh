#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof record --calls" of programs that leave functions without returning from them, run on several stacks, or are
# interrupted by signals: each call is below its caller, and none is missing without being counted as lost. Needs a
# compiler and the module.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq
needs_native_sampling

read -ra compiler <<<"${CC:-cc}"
# build NAME OPTION...: compiles NAME.c
build() {
	local name=$1

	shift
	"${compiler[@]}" -w -finstrument-functions "$@" -pthread -o "$name" "$name.c"
}

# edges LOG: [caller, callee, calls] of the call tree, sorted.
edges() {
	"$MPROF" report --json --tree "$1" | jq -c '[.call_tree[] | .. | objects | select(.children) | .method as $caller |
		.children[] | [$caller, .method, .calls] | map(if type == "string" then sub(".*[.]"; "") else . end)] | sort'
}

# sound LOG: all calls are closed.
sound() {
	"$MPROF" report --json "$1" >out
	expect_json "$1" '[.totals.unmatched_leaves, .totals.unclosed_frames, .session.lost_events]' '[0,0,0]'
}

cat >jumps.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static jmp_buf place;
static sigjmp_buf safe;
static volatile int count;
static volatile char *volatile nowhere;
__attribute__((noinline)) void leave(void) { count++; longjmp(place, 1); }
static inline __attribute__((always_inline)) void inlined(void) { count++; leave(); count++; }
__attribute__((noinline)) void middle(void) { volatile char room[40]; room[0] = 1; leave(); count++; }
/* Its frame is larger than those that were left, and smaller ones follow. */
__attribute__((noinline)) void after(void) { volatile char room[4000]; room[count % 4000] = 1; count++; }
__attribute__((noinline)) void small(void) { count++; }
__attribute__((noinline)) void handle(int number) { siglongjmp(safe, 1); }
__attribute__((noinline)) void fault(void) { *nowhere = 1; }
int main(void)
{
	static char other[65536];
	stack_t stack = {.ss_sp = other, .ss_size = sizeof(other)};
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handle;
	action.sa_flags = SA_ONSTACK;
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < 100; i++) {
		if (setjmp(place) == 0)
			inlined();
		after();
		if (_setjmp(place) == 0)
			middle();
		small();
		if (sigsetjmp(safe, 1) == 0)
			fault();
		after();
	}
	return 0;
}
END
build jumps -O1 2>compiler.out || skip "the compiler cannot instrument: $(cat compiler.out)"
wanted='[["fault","handle",100],["inlined","leave",100],["main","after",200],["main","fault",100],'
wanted+='["main","inlined",100],["main","middle",100],["main","small",100],["middle","leave",100]]'
for options in -O0 -O1 -O2 "-O2 -D_FORTIFY_SOURCE=2"; do
	# shellcheck disable=SC2086
	build jumps $options || fail "compiler"
	mprof record --calls --force -o jumps.mprof ./jumps
	expect_status 0 "$options"
	expect "jumps, $options" "$(edges jumps.mprof)" "$wanted"
	sound jumps.mprof
	mprof check jumps.mprof
	expect_status 0 "check"
done
mprof record --calls --force --format=mono -o jumps.mprof ./jumps
expect "jumps in another format" "$(edges jumps.mprof)" "$wanted"
mprof record --calls --force --depth=2 -o jumps.mprof ./jumps
expect "jumps and --depth" "$(edges jumps.mprof | jq -c 'map(.[0]) | unique')" '["main"]'
sound jumps.mprof

# Without setjmp(): the frames of later calls show what was left.
cat >builtin.c <<'END'
static void *place[5];
static volatile int count;
__attribute__((noinline)) void leave(void) { count++; __builtin_longjmp(place, 1); }
__attribute__((noinline)) void middle(void) { leave(); count++; }
__attribute__((noinline)) void catch(void) { if (__builtin_setjmp(place) == 0) middle(); count++; }
__attribute__((noinline)) void after(void) { count++; }
int main(void)
{
	for (int i = 0; i < 100; i++) {
		catch();
		after();
	}
	return 0;
}
END
if build builtin -O1 2>/dev/null; then
	mprof record --calls --force -o builtin.mprof ./builtin
	expect "built-in functions" "$(edges builtin.mprof)" \
		'[["catch","middle",100],["main","after",100],["main","catch",100],["middle","leave",100]]'
	sound builtin.mprof
fi

# Coroutines: two that take turns, and one that returns to its link; one thread of each kind of stack.
cat >contexts.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#define ROUNDS 200
typedef struct group {
	ucontext_t scheduler, first, second;
	char *stacks[2];
} group;
static volatile int count;
__attribute__((noinline)) void step(group *all, int number)
{
	count++;
	swapcontext(number == 0 ? &all->first : &all->second, &all->scheduler);
	count++;
}
__attribute__((noinline)) void produce(group *all) { for (int i = 0; i < ROUNDS; i++) step(all, 0); }
__attribute__((noinline)) void consume(group *all) { for (int i = 0; i < ROUNDS; i++) step(all, 1); }
__attribute__((noinline)) void turn(void) { count++; }
__attribute__((noinline)) void prepare(group *all, ucontext_t *context, int number, void (*function)(group *))
{
	getcontext(context);
	context->uc_stack.ss_sp = all->stacks[number];
	context->uc_stack.ss_size = 65536;
	context->uc_link = &all->scheduler;
	makecontext(context, (void (*)(void))function, 1, all);
}
__attribute__((noinline)) void schedule(group *all)
{
	for (int i = 0; i <= ROUNDS; i++) {
		swapcontext(&all->scheduler, &all->first);
		turn();
		swapcontext(&all->scheduler, &all->second);
		turn();
	}
}
__attribute__((noinline)) void *work(void *argument)
{
	group all;

	all.stacks[0] = malloc(65536);
	all.stacks[1] = malloc(65536);
	for (int i = 0; i < 2; i++) {
		prepare(&all, &all.first, 0, produce);
		prepare(&all, &all.second, 1, consume);
		schedule(&all);
	}
	return argument;
}
int main(void)
{
	pthread_t thread;

	work(NULL);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 0;
}
END
build contexts -O1 || fail "compiler"
mprof record --calls --force -o contexts.mprof ./contexts
expect_status 0 "contexts"
expect "contexts" "$(edges contexts.mprof | jq -c 'group_by(.[:2]) | map([.[0][0], .[0][1], (map(.[2]) | add)])')" \
	'[["consume","step",800],["main","work",1],["produce","step",800],["schedule","turn",1608],["work","prepare",8],["work","schedule",4]]'
sound contexts.mprof
mprof check contexts.mprof
expect_status 0 "check of contexts"

# A signal handler interrupts the recorder as well: each call is recorded or counted as lost.
cat >signals.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
static volatile long calls, ticks;
__attribute__((noinline)) void inner(void) { calls++; }
__attribute__((noinline)) void handle(int number) { ticks++; inner(); }
__attribute__((noinline)) void tiny(void) {}
int main(void)
{
	struct sigaction action;
	struct itimerval timer = {{0, 200}, {0, 200}}, none = {{0, 0}, {0, 0}};
	long rounds = 0;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handle;
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (ticks < 300) {
		tiny();
		rounds++;
	}
	setitimer(ITIMER_REAL, &none, NULL);
	printf("%ld\n", 2 * (1 + rounds + ticks + calls));
	return 0;
}
END
build signals -O1 || fail "compiler"
mprof record --calls --force -o signals.mprof ./signals
expect_status 0 "signals"
events=$(cat out)
"$MPROF" info --json signals.mprof >out
expect_json "recorded and lost" \
	'([.events | to_entries[] | select(.key | test("^method-(enter|leave)")) | .value] | add) + .lost_events' "$events"
mprof check signals.mprof
expect_status 0 "check of signals"
