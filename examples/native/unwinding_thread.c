/* SPDX-License-Identifier: MIT */
/* Unwinds copied stacks on a thread of its own. */
#include "unwinding_thread.h"

#include "compiled_code.h"
#include "shared/hash.h"
#include "shared/learned_rules.h"
#include "shared/loader.h"
#include "shared/own_tables.h"
#include "shared/own_thread.h"
#include "shared/sampled_stack.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* A power of two. Addresses with the same slot replace each other. */
#define CACHED_ROWS 512

/* Rules by address. They point to the tables of loaded code, and are forgotten when code is unloaded. */
static struct {
	uintptr_t address; /* 0 if the slot is not used. */
	int is_signal_frame;
	unwind_row row;
} cache[CACHED_ROWS];

static unsigned long long unloads_seen;

typedef struct stack_walk {
	const stack_copy *copy;
	mprof_frame *frames;
	size_t limit;
	size_t count;
	int is_cut;
	unwind_frame frame;
	int is_exact; /* The address is that of an interruption, not a return address. */
} stack_walk;

/* Returns NULL if there are no rules. */
static const unwind_row *find_row(uintptr_t address, int *is_signal_frame)
{
	size_t slot = hash_key(address) & (CACHED_ROWS - 1);
	unwind_entry entry;

	if (cache[slot].address != address) {
		cache[slot].address = 0;
		if (!own_tables_find(address, &entry) || !unwind_rules_compute(&entry, address, &cache[slot].row))
			return NULL;
		cache[slot].address = address;
		cache[slot].is_signal_frame = entry.is_signal_frame;
	}
	*is_signal_frame = cache[slot].is_signal_frame;
	return &cache[slot].row;
}

static int cut(stack_walk *walk)
{
	walk->is_cut = 1;
	return 0;
}

/* Adds a frame and finds its caller. Returns 0 at the end. */
static int step(stack_walk *walk)
{
	const uintptr_t address = (uintptr_t)walk->frame.registers[REGISTER_ADDRESS];
	const uintptr_t inside = walk->is_exact ? address : address - 1;
	const uint64_t stack_pointer = walk->frame.registers[REGISTER_STACK];
	int is_signal_frame = 0;
	const unwind_row *row = find_row(inside, &is_signal_frame);
	uint64_t base = 0;
	int has_base = row != NULL && unwind_rules_base(row, &walk->frame, &base);

	if (has_base && !is_signal_frame)
		learned_rules_add(inside, row);
	/* The frame of this module that called the first function of the thread. */
	if (has_base && walk->copy->outermost != 0 && base == walk->copy->outermost + FRAME_ADDRESS_TO_BASE)
		return 0;
	if (walk->count == walk->limit) {
		walk->frames[walk->count++] = MPROF_FRAME_TRUNCATED;
		return 0;
	}
	walk->frames[walk->count++] =
		walk->is_exact ? mprof_frame_make_native(address) : mprof_frame_make_return(address);
	if (!has_base)
		return cut(walk);
	/* A handler may run on a stack of its own, so only its caller may be at a lower address. */
	if ((base <= stack_pointer && !is_signal_frame) || !unwind_rules_apply(row, base, &walk->frame))
		return cut(walk);
	walk->is_exact = is_signal_frame;
	return walk->frame.registers[REGISTER_ADDRESS] != 0;
}

/* Called with the lock of the loader held, so that the tables stay mapped. */
static int walk_stack(struct dl_phdr_info *module, size_t size, void *user)
{
	stack_walk *walk = user;

	if (size >= sizeof(*module) && module->dlpi_subs != unloads_seen) {
		unloads_seen = module->dlpi_subs;
		memset(cache, 0, sizeof(cache));
		learned_rules_forget();
	}
	while (step(walk))
		continue;
	return 1;
}

/*
 * Stores at most limit frames, and MPROF_FRAME_TRUNCATED if there are more, or if one could not be unwound; this
 * sets is_cut. Returns the number of frames. Learns the rules that it uses. No library is unloaded meanwhile.
 */
static size_t unwinder_walk(const stack_copy *copy, mprof_frame *frames, size_t limit, int *is_cut)
{
	stack_walk walk = {.copy = copy, .frames = frames, .limit = limit, .is_exact = 1};

	memcpy(walk.frame.registers, copy->registers, sizeof(walk.frame.registers));
	walk.frame.stack = copy->bytes;
	walk.frame.stack_start = copy->start;
	walk.frame.stack_length = copy->length;
	/* If the lock cannot be taken, nothing is known about the callers. */
	if (!loader_visit(walk_stack, &walk)) {
		frames[walk.count++] = mprof_frame_make_native(copy->registers[REGISTER_ADDRESS]);
		walk.is_cut = 1;
	}
	if (walk.is_cut)
		frames[walk.count++] = MPROF_FRAME_TRUNCATED;
	*is_cut = walk.is_cut;
	return walk.count;
}

/* Copies made within this time are unwound together: a thread that is woken for each one would cost more. */
#define BATCH_NS 2000000

/* How often unwinding_thread_wait() pauses. The thread may wait for a lock of the loader that the caller holds. */
#define MAX_PAUSES 500

/* How long a fork waits for the thread. The thread may itself wait for a lock of the loader that the forking thread
 * holds. */
#define FORK_WAIT_NS 50000000

/* How long the execution of another program waits. The thread may wait for a lock that the calling thread holds. */
#define FINISH_WAIT_NS 200000000

/* The default would take 8 MiB of the address space of the program. */
#define STACK_SIZE ((size_t)256 << 10)

static struct {
	mprof_recorder *recorder;
	size_t limit;
	void (*begin_thread)(void);
	void (*finish)(mprof_recorder *recorder);
	int is_running; /* Used only by the threads that start and end recording. */
	sem_t work;
	sem_t end;      /* Posted by the thread last. */
	sem_t finished; /* Posted by the thread after each call of finish. */
	_Atomic int is_ending;
	_Atomic int is_finishing;
	pthread_mutex_t unwinding; /* Held while a stack is unwound. */
	int is_held_for_fork;      /* Used only by the thread that forks, while it holds the lock. */
} unwinding = {.unwinding = PTHREAD_MUTEX_INITIALIZER};

/* Relaxed: sums that nothing else depends on. Written by the thread alone. */
static _Atomic uint64_t copied;
static _Atomic uint64_t copied_bytes;
static _Atomic uint64_t truncated_stacks;

static void record_copy(const stack_copy *copy)
{
	mprof_frame frames[MPROF_STACK_MAX];
	int is_cut;
	size_t count;

	pthread_mutex_lock(&unwinding.unwinding);
	count = unwinder_walk(copy, frames, unwinding.limit, &is_cut);
	pthread_mutex_unlock(&unwinding.unwinding);
	(void)mprof_recorder_record_sample(unwinding.recorder, copy->thread, frames, count);
	atomic_fetch_add_explicit(&copied, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&copied_bytes, copy->length, memory_order_relaxed);
	atomic_fetch_add_explicit(&truncated_stacks, is_cut != 0, memory_order_relaxed);
}

static void *unwind_copies(void *unused)
{
	const struct timespec batch = {0, BATCH_NS};

	(void)unused;
	unwinding.begin_thread();
	for (;;) {
		int is_ending;
		int is_finishing;
		stack_copy *copy;

		while (sem_wait(&unwinding.work) != 0)
			continue;
		while (sem_trywait(&unwinding.work) == 0)
			continue;
		/* Read before the copies are taken, so that none of those published before is left. */
		is_ending = atomic_load(&unwinding.is_ending);
		is_finishing = atomic_exchange(&unwinding.is_finishing, 0);
		while ((copy = stack_copies_take()) != NULL) {
			record_copy(copy);
			stack_copies_release(copy);
		}
		compiled_code_follow();
		if (is_finishing) {
			unwinding.finish(unwinding.recorder);
			(void)sem_post(&unwinding.finished);
		}
		if (is_ending)
			break;
		(void)nanosleep(&batch, NULL);
	}
	(void)sem_post(&unwinding.end);
	return NULL;
}

int unwinding_thread_start(mprof_recorder *recorder, size_t limit, void (*begin_thread)(void),
			   void (*finish)(mprof_recorder *recorder))
{
	int error;

	unwinding.recorder = recorder;
	unwinding.limit = limit;
	unwinding.begin_thread = begin_thread;
	unwinding.finish = finish;
	atomic_store(&unwinding.is_ending, 0);
	atomic_store(&unwinding.is_finishing, 0);
	(void)sem_init(&unwinding.finished, 0, 0);
	(void)sem_init(&unwinding.work, 0, 0);
	(void)sem_init(&unwinding.end, 0, 0);
	error = own_thread_start("mprof unwind", STACK_SIZE, unwind_copies, NULL);
	unwinding.is_running = error == 0;
	return error;
}

void unwinding_thread_wake(void)
{
	(void)sem_post(&unwinding.work);
}

static struct timespec deadline_after(long nanoseconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += nanoseconds;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	return until;
}

void unwinding_thread_finish(void)
{
	struct timespec until;

	if (!unwinding.is_running)
		return;
	until = deadline_after(FINISH_WAIT_NS);
	atomic_store(&unwinding.is_finishing, 1);
	(void)sem_post(&unwinding.work);
	while (sem_timedwait(&unwinding.finished, &until) != 0 && errno == EINTR)
		continue;
}

void unwinding_thread_wait(void)
{
	const struct timespec pause = {0, BATCH_NS / 10};
	const uint64_t count = stack_copies_count();

	for (int i = 0; unwinding.is_running && i < MAX_PAUSES && stack_copies_are_left(count); i++) {
		(void)sem_post(&unwinding.work);
		(void)nanosleep(&pause, NULL);
	}
}

void unwinding_thread_stop(void)
{
	if (!unwinding.is_running)
		return;
	unwinding.is_running = 0;
	atomic_store(&unwinding.is_ending, 1);
	(void)sem_post(&unwinding.work);
	while (sem_wait(&unwinding.end) != 0)
		continue;
}

void unwinding_thread_prepare_fork(void)
{
	struct timespec until = deadline_after(FORK_WAIT_NS);

	if (pthread_mutex_timedlock(&unwinding.unwinding, &until) == 0)
		unwinding.is_held_for_fork = 1;
}

void unwinding_thread_continue(void)
{
	if (!unwinding.is_held_for_fork)
		return;
	unwinding.is_held_for_fork = 0;
	pthread_mutex_unlock(&unwinding.unwinding);
}

void unwinding_thread_forget(void)
{
	unwinding.is_running = 0;
	unwinding.is_held_for_fork = 0;
	(void)pthread_mutex_init(&unwinding.unwinding, NULL);
	stack_copies_forget();
	atomic_store_explicit(&copied, 0, memory_order_relaxed);
	atomic_store_explicit(&copied_bytes, 0, memory_order_relaxed);
	atomic_store_explicit(&truncated_stacks, 0, memory_order_relaxed);
}

unwinding_counts unwinding_thread_counts(void)
{
	unwinding_counts counts;

	counts.copied = atomic_load_explicit(&copied, memory_order_relaxed);
	counts.bytes = atomic_load_explicit(&copied_bytes, memory_order_relaxed);
	counts.truncated = atomic_load_explicit(&truncated_stacks, memory_order_relaxed);
	return counts;
}
