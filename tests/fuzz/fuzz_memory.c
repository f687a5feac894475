/* SPDX-License-Identifier: MIT */
#include "fuzz_memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Any thread: sums only, so no order is needed. */
static _Atomic size_t memory_in_use;

void fuzz_fail(const char *what)
{
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

static void *limited_allocate(void *user, size_t size)
{
	void *memory;

	(void)user;
	if (size > FUZZ_MEMORY_LIMIT || atomic_load(&memory_in_use) > FUZZ_MEMORY_LIMIT - size)
		fuzz_fail("too much memory is asked for");
	memory = malloc(size);
	if (memory != NULL)
		atomic_fetch_add(&memory_in_use, size);
	return memory;
}

static void limited_release(void *user, void *memory, size_t size)
{
	(void)user;
	atomic_fetch_sub(&memory_in_use, size);
	free(memory);
}

static void *limited_reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	void *moved = limited_allocate(user, new_size);

	if (moved != NULL && memory != NULL) {
		memcpy(moved, memory, old_size < new_size ? old_size : new_size);
		limited_release(user, memory, old_size);
	}
	return moved;
}

const mprof_allocator fuzz_allocator = {sizeof(mprof_allocator), limited_allocate, limited_reallocate, limited_release,
					NULL};

static void *refusing_allocate(void *user, size_t size)
{
	if (size > FUZZ_COPY_LIMIT || atomic_load(&memory_in_use) > FUZZ_COPY_LIMIT - size)
		return NULL;
	return limited_allocate(user, size);
}

static void *refusing_reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	if (new_size > FUZZ_COPY_LIMIT || atomic_load(&memory_in_use) > FUZZ_COPY_LIMIT - new_size)
		return NULL;
	return limited_reallocate(user, memory, old_size, new_size);
}

const mprof_allocator fuzz_copy_allocator = {sizeof(mprof_allocator), refusing_allocate, refusing_reallocate,
					     limited_release, NULL};

void fuzz_check_memory(const char *what)
{
	if (atomic_load(&memory_in_use) != 0)
		fuzz_fail(what);
}

mprof_reader *fuzz_open_reader(const uint8_t *bytes, size_t length, uint32_t threads)
{
	mprof_reader_options options;
	mprof_reader *reader = NULL;

	mprof_reader_options_init(&options, sizeof(options));
	options.allocator = &fuzz_allocator;
	options.ignore_checksums = length % 3 != 0;
	options.max_block_length = 1 << 20;
	options.max_names_memory = 1 << 20;
	options.threads = threads;
	if (mprof_reader_open_memory(bytes, length, &options, &reader) != MPROF_OK) {
		mprof_reader_destroy(reader);
		return NULL;
	}
	return reader;
}
