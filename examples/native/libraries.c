/* SPDX-License-Identifier: MIT */
/* Remembers the keys of functions, once a library was closed. */
#include "libraries.h"

#include "shared/hash.h"

#include <errno.h>
#include <stddef.h>

_Atomic int libraries_are_closed;

/*
 * Incremented before and after each dlclose(), and the calls of it that have not returned. A library stays where it is
 * while both are unchanged and the second is 0.
 */
static _Atomic uint32_t changes;
static _Atomic uint32_t open_changes;

/* The libraries that this thread found last. */
#define CACHE_SIZE 8

static __thread __attribute__((tls_model("initial-exec"))) struct {
	uint32_t changes; /* The number above for which it is valid. */
	uintptr_t first;  /* 0: not used. */
	uintptr_t last;
	uint64_t distance; /* From the address of a function to its key. */
} cache[CACHE_SIZE];

void libraries_begin_log(void)
{
	atomic_fetch_add_explicit(&changes, 1, memory_order_release);
}

void libraries_begin_child(void)
{
	atomic_store_explicit(&open_changes, 0, memory_order_relaxed);
}

void libraries_begin_close(void)
{
	atomic_store_explicit(&libraries_are_closed, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&open_changes, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&changes, 1, memory_order_release);
}

void libraries_end_close(void)
{
	atomic_fetch_add_explicit(&changes, 1, memory_order_relaxed);
	/* Release: a thread that sees that no call is open sees the number above. */
	atomic_fetch_sub_explicit(&open_changes, 1, memory_order_release);
}

static size_t cache_index(uintptr_t function)
{
	return hash_key(function >> 12) & (CACHE_SIZE - 1);
}

int libraries_look_up_known(mprof_key *function)
{
	const uintptr_t address = (uintptr_t)*function;
	const size_t index = cache_index(address);

	if (cache[index].changes != atomic_load_explicit(&changes, memory_order_acquire) || cache[index].first == 0 ||
	    address - cache[index].first > cache[index].last - cache[index].first)
		return 0;
	*function += cache[index].distance;
	return 1;
}

/*
 * What is remembered was found while no library was being closed. The function is executing, so its library is loaded,
 * and stays it.
 */
mprof_key libraries_look_up_key(mprof_recorder *recorder, uintptr_t function)
{
	const size_t index = cache_index(function);
	/* Acquire: pairs with the release in libraries_end_close(). */
	const uint32_t open = atomic_load_explicit(&open_changes, memory_order_acquire);
	const uint32_t number = atomic_load_explicit(&changes, memory_order_acquire);
	const int saved = errno;
	uint64_t first;
	uint64_t last;
	mprof_key key;
	mprof_status status = mprof_recorder_get_function_key(recorder, function, &key, &first, &last);

	errno = saved;
	if (status != MPROF_OK)
		return function;
	if (key != 0 && open == 0 && atomic_load_explicit(&open_changes, memory_order_acquire) == 0 &&
	    atomic_load_explicit(&changes, memory_order_acquire) == number) {
		cache[index].changes = number;
		cache[index].first = (uintptr_t)first;
		cache[index].last = (uintptr_t)last;
		cache[index].distance = key - function;
	}
	return key;
}
