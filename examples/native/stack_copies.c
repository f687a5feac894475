/* SPDX-License-Identifier: MIT */
/* Keeps copies of stacks in memory that is allocated once. */
#include "stack_copies.h"

#include <sys/mman.h>

#define COPY_COUNT 64

enum { SLOT_FREE, SLOT_FILLING, SLOT_READY };

/*
 * The state determines who owns a slot: a handler that changed it from FREE to FILLING, until it stores READY with
 * release; then the thread that takes copies, which loads it with acquire, until it stores FREE with release.
 */
static struct {
	_Atomic int state;
	uint64_t number; /* Order in which copies were claimed; valid if READY. */
} slots[COPY_COUNT];

static stack_copy *copies; /* COPY_COUNT elements. The system provides their pages when they are first used. */
static _Atomic uint64_t last_number;

int stack_copies_init(void)
{
	void *memory;

	if (copies != NULL)
		return 1;
	memory = mmap(NULL, COPY_COUNT * sizeof(*copies), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 0;
	copies = memory;
	return 1;
}

void stack_copies_forget(void)
{
	for (size_t i = 0; i < COPY_COUNT; i++)
		atomic_store_explicit(&slots[i].state, SLOT_FREE, memory_order_relaxed);
}

/* Always the first free slot, so that few pages are used. */
stack_copy *stack_copies_claim(void)
{
	for (size_t i = 0; i < COPY_COUNT; i++) {
		int expected = SLOT_FREE;

		/* Acquire: pairs with the release in stack_copies_release(), after which the copy is not read. */
		if (!atomic_compare_exchange_strong_explicit(&slots[i].state, &expected, SLOT_FILLING,
							     memory_order_acquire, memory_order_relaxed))
			continue;
		slots[i].number = atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed);
		return &copies[i];
	}
	return NULL;
}

void stack_copies_publish(stack_copy *copy)
{
	/* Release: pairs with the acquire in stack_copies_take(). */
	atomic_store_explicit(&slots[copy - copies].state, SLOT_READY, memory_order_release);
}

stack_copy *stack_copies_take(void)
{
	stack_copy *oldest = NULL;

	for (size_t i = 0; i < COPY_COUNT; i++) {
		/* Acquire: pairs with the release in stack_copies_publish(). */
		if (atomic_load_explicit(&slots[i].state, memory_order_acquire) != SLOT_READY)
			continue;
		if (oldest == NULL || slots[i].number < slots[oldest - copies].number)
			oldest = &copies[i];
	}
	return oldest;
}

void stack_copies_release(stack_copy *copy)
{
	/* Release: pairs with the acquire in stack_copies_claim(). */
	atomic_store_explicit(&slots[copy - copies].state, SLOT_FREE, memory_order_release);
}

uint64_t stack_copies_count(void)
{
	return atomic_load_explicit(&last_number, memory_order_relaxed);
}

int stack_copies_are_left(uint64_t count)
{
	for (size_t i = 0; i < COPY_COUNT; i++) {
		/* Acquire: pairs with the release in stack_copies_publish(), so the number is that of the copy. */
		if (atomic_load_explicit(&slots[i].state, memory_order_acquire) == SLOT_READY &&
		    slots[i].number < count)
			return 1;
	}
	return 0;
}
