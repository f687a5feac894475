/* SPDX-License-Identifier: MIT */
/* Finds out whether the lock of the loader's list is free, by a thread that may wait for it for ever. */
#include "shared/loader.h"

#include "shared/own_thread.h"

#include <stdatomic.h>
#include <time.h>

#define STACK_SIZE ((size_t)64 << 10)

/* How long to wait for the thread. If the lock is free, it needs microseconds once it runs. */
#define STEP_NS 1000000
#define STEPS 200

/* Nothing else depends on the state, so it is relaxed. */
typedef enum lock_state { LOCK_USABLE = 0, LOCK_UNKNOWN, LOCK_TRIED } lock_state;

static _Atomic int state;

static int stop_at_once(struct dl_phdr_info *module, size_t size, void *user)
{
	(void)module;
	(void)size;
	(void)user;
	return 1;
}

static void *try_lock(void *unused)
{
	(void)unused;
	(void)dl_iterate_phdr(stop_at_once, NULL);
	atomic_store_explicit(&state, LOCK_USABLE, memory_order_relaxed);
	return NULL;
}

/* The first call in a child waits for a short time. Returns whether the lock can be taken. */
static int is_usable(void)
{
	const struct timespec step = {0, STEP_NS};
	int unknown = LOCK_UNKNOWN;

	if (atomic_load_explicit(&state, memory_order_relaxed) == LOCK_USABLE)
		return 1;
	if (!atomic_compare_exchange_strong_explicit(&state, &unknown, LOCK_TRIED, memory_order_relaxed,
						     memory_order_relaxed) ||
	    own_thread_start("mprof loader", STACK_SIZE, try_lock, NULL) != 0)
		return atomic_load_explicit(&state, memory_order_relaxed) == LOCK_USABLE;
	for (int i = 0; i < STEPS && atomic_load_explicit(&state, memory_order_relaxed) != LOCK_USABLE; i++)
		(void)nanosleep(&step, NULL);
	return atomic_load_explicit(&state, memory_order_relaxed) == LOCK_USABLE;
}

int loader_visit(int (*visit)(struct dl_phdr_info *module, size_t size, void *user), void *user)
{
	return is_usable() ? dl_iterate_phdr(visit, user) : 0;
}

void loader_begin_child(void)
{
	atomic_store_explicit(&state, LOCK_UNKNOWN, memory_order_relaxed);
}
