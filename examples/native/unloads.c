/* SPDX-License-Identifier: MIT */
/*
 * Interposes dlclose(). dlopen() is not interposed: it looks for libraries in the paths of the module that calls it.
 */
#include "unloads.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define OVERRIDES __attribute__((visibility("default"), no_instrument_function))

typedef int dlclose_function(void *handle);

/* Any thread may find it first; all find the same. */
static _Atomic(void *) real_dlclose;

/* Set before the program can close a library that was recorded. */
static void (*before_close)(void);
static void (*after_close)(void);

void unloads_set(void (*before)(void), void (*after)(void))
{
	after_close = after;
	before_close = before;
}

OVERRIDES int dlclose(void *handle)
{
	void *address = atomic_load_explicit(&real_dlclose, memory_order_relaxed);
	dlclose_function *function;
	int status;

	if (address == NULL) {
		address = dlsym(RTLD_NEXT, "dlclose");
		atomic_store_explicit(&real_dlclose, address, memory_order_relaxed);
	}
	if (address == NULL)
		return -1;
	memcpy(&function, &address, sizeof(function));
	if (before_close == NULL)
		return function(handle);
	before_close();
	status = function(handle);
	after_close();
	return status;
}
