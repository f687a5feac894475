/* SPDX-License-Identifier: MIT */
/* Finds the C library's allocation functions, and serves requests that are made before they are found. */
#include "allocator.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define EARLY_SIZE (64 * 1024)
#define EARLY_ALIGNMENT 16

static _Alignas(EARLY_ALIGNMENT) unsigned char early[EARLY_SIZE];
static atomic_size_t early_used;

static allocator_functions found;
static atomic_int is_found;
static __thread __attribute__((tls_model("initial-exec"))) int is_looking;

size_t allocator_early_room(const void *memory)
{
	const uintptr_t offset = (uintptr_t)memory - (uintptr_t)early;

	return offset < EARLY_SIZE ? EARLY_SIZE - offset : 0;
}

static void *early_malloc(size_t size)
{
	size_t rounded = (size + EARLY_ALIGNMENT - 1) & ~(size_t)(EARLY_ALIGNMENT - 1);
	size_t offset;

	if (size > EARLY_SIZE)
		return NULL;
	offset = atomic_fetch_add(&early_used, rounded);
	return offset + rounded <= EARLY_SIZE ? early + offset : NULL;
}

/* The area is zero-initialized, and its memory is never reused, so nothing needs to be cleared. */
static void *early_calloc(size_t count, size_t size)
{
	return size != 0 && count > EARLY_SIZE / size ? NULL : early_malloc(count * size);
}

static void *early_realloc(void *memory, size_t size)
{
	const size_t room = allocator_early_room(memory);
	void *moved = early_malloc(size);

	/* The size of the old block is unknown: bytes after it are copied too. */
	return room != 0 && moved != NULL ? memmove(moved, memory, size < room ? size : room) : moved;
}

static void early_free(void *memory)
{
	(void)memory;
}

static void *early_aligned(size_t alignment, size_t size)
{
	return alignment <= EARLY_ALIGNMENT ? early_malloc(size) : NULL;
}

static int early_posix_memalign(void **memory, size_t alignment, size_t size)
{
	*memory = early_aligned(alignment, size);
	return *memory != NULL ? 0 : ENOMEM;
}

static const allocator_functions early_functions = {early_malloc,         early_calloc,  early_realloc,
						    early_free,           early_aligned, early_aligned,
						    early_posix_memalign, early_malloc,  early_malloc};

/* Not a plain cast: ISO C does not define a conversion from an object pointer to a function pointer. */
static void look_up(void *function, const char *name)
{
	void *address = dlsym(RTLD_NEXT, name);

	memcpy(function, &address, sizeof(address));
}

const allocator_functions *allocator_get(void)
{
	if (atomic_load_explicit(&is_found, memory_order_acquire))
		return &found;
	if (is_looking)
		return &early_functions;
	is_looking = 1;
	look_up(&found.calloc, "calloc");
	look_up(&found.malloc, "malloc");
	look_up(&found.realloc, "realloc");
	look_up(&found.free, "free");
	look_up(&found.aligned_alloc, "aligned_alloc");
	look_up(&found.memalign, "memalign");
	look_up(&found.posix_memalign, "posix_memalign");
	look_up(&found.valloc, "valloc");
	look_up(&found.pvalloc, "pvalloc");
	is_looking = 0;
	atomic_store_explicit(&is_found, 1, memory_order_release);
	return &found;
}
