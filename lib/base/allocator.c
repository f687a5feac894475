/* SPDX-License-Identifier: MIT */
/* Copies the allocator of a caller, or provides one on malloc(), and allocates cleared memory. */
#include "base/allocator.h"

#include "base/options.h"

#include <stdlib.h>
#include <string.h>

static void *malloc_allocate(void *user, size_t size)
{
	(void)user;
	return malloc(size);
}

static void *malloc_reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	(void)user;
	(void)old_size;
	return realloc(memory, new_size);
}

static void malloc_release(void *user, void *memory, size_t size)
{
	(void)user;
	(void)size;
	free(memory);
}

int allocator_init(mprof_allocator *allocator, const mprof_allocator *input)
{
	static const mprof_allocator system_allocator = {sizeof(mprof_allocator), malloc_allocate, malloc_reallocate,
							 malloc_release, NULL};

	if (input == NULL)
		*allocator = system_allocator;
	else if (struct_copy_in(allocator, input, sizeof(*allocator)) != MPROF_OK)
		return 0;
	return allocator->allocate != NULL && allocator->reallocate != NULL && allocator->release != NULL;
}

void *allocator_allocate_zeroed(const mprof_allocator *allocator, size_t size)
{
	void *memory = allocator_allocate(allocator, size);

	if (memory != NULL)
		memset(memory, 0, size);
	return memory;
}
