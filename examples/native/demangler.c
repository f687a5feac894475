/* SPDX-License-Identifier: MIT */
/* Calls the demangler of the C++ library. */
#include "demangler.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

typedef char *demangle_function(const char *name, char *buffer, size_t *length, int *status);

/* The address of __cxa_demangle(); NULL if it was not found. */
static _Atomic(void *) demangler;

void demangler_find(void)
{
	atomic_store_explicit(&demangler, dlsym(RTLD_DEFAULT, "__cxa_demangle"), memory_order_relaxed);
}

void demangler_load(void)
{
	void *library;

	if (atomic_load_explicit(&demangler, memory_order_relaxed) != NULL)
		return;
	library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	if (library != NULL)
		atomic_store_explicit(&demangler, dlsym(library, "__cxa_demangle"), memory_order_relaxed);
}

char *demangler_read(const char *name)
{
	void *address = atomic_load_explicit(&demangler, memory_order_relaxed);
	demangle_function *demangle;
	int status = -1;
	char *result;

	if (address == NULL || strncmp(name, "_Z", 2) != 0)
		return NULL;
	memcpy(&demangle, &address, sizeof(demangle));
	result = demangle(name, NULL, NULL, &status);
	return status == 0 ? result : NULL;
}
