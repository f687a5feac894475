/* SPDX-License-Identifier: MIT */
/**
 * \file failing_allocator.h
 * \brief An allocator for tests that refuses the n-th request and checks what it is given back.
 */
#ifndef BASE_FAILING_ALLOCATOR_H
#define BASE_FAILING_ALLOCATOR_H

#include <mprof/base.h>

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

typedef struct failing_allocator {
	size_t requests; /**< So far. */
	size_t fail_at;  /**< This request and all that follow fail; 0: none. */
	int fail_once;   /**< 1: only that request fails. */
	size_t fail_too; /**< With fail_once: this request fails as well; 0: none. */
	size_t refused;
	size_t blocks; /**< Not given back yet. */
	size_t bytes;
	size_t most_bytes;
} failing_allocator;

/** Precedes each piece, to check that sizes are passed back correctly. */
typedef union failing_header {
	size_t size;
	max_align_t alignment;
} failing_header;

static inline int failing_refuses(failing_allocator *self)
{
	self->requests++;
	if (self->fail_at == 0 || self->requests < self->fail_at ||
	    (self->fail_once && self->requests > self->fail_at && self->requests != self->fail_too))
		return 0;
	self->refused++;
	return 1;
}

static inline void *failing_take(failing_allocator *self, size_t size)
{
	failing_header *header = malloc(sizeof(*header) + size);

	cr_assert_not_null(header);
	header->size = size;
	/* Not zero, so that nothing can rely on it. */
	memset(header + 1, 0xa5, size);
	self->blocks++;
	self->bytes += size;
	if (self->bytes > self->most_bytes)
		self->most_bytes = self->bytes;
	return header + 1;
}

static inline void *failing_allocate(void *user, size_t size)
{
	failing_allocator *self = user;

	cr_assert_neq(size, 0);
	return failing_refuses(self) ? NULL : failing_take(self, size);
}

static inline void failing_release(void *user, void *memory, size_t size)
{
	failing_allocator *self = user;
	failing_header *header = (failing_header *)memory - 1;

	cr_assert_not_null(memory);
	cr_assert_eq(header->size, size, "released as %zu bytes, was %zu", size, header->size);
	memset(memory, 0x5a, size);
	self->blocks--;
	self->bytes -= size;
	free(header);
}

/* Always moves, so that stale pointers show. */
static inline void *failing_reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	failing_allocator *self = user;
	void *moved;

	cr_assert_neq(new_size, 0);
	if (failing_refuses(self))
		return NULL;
	moved = failing_take(self, new_size);
	if (memory != NULL) {
		memcpy(moved, memory, old_size < new_size ? old_size : new_size);
		failing_release(user, memory, old_size);
	}
	return moved;
}

static inline mprof_allocator failing_allocator_interface(failing_allocator *self)
{
	mprof_allocator allocator = {sizeof(mprof_allocator), failing_allocate, failing_reallocate, failing_release,
				     self};

	return allocator;
}

#endif
