/* SPDX-License-Identifier: MIT */
/* Allocates from mappings of its own: small blocks by size class, large ones as a mapping each. */
#include "own_memory.h"

#include "shared/memory_copy.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Smaller blocks are parts of a chunk, and are never returned to the system. */
#define LARGE_SIZE ((size_t)128 << 10)
#define CHUNK_SIZE ((size_t)512 << 10)

/* Size classes: four to each power of two, from 64 bytes on. Sizes are multiples of 16, and so are addresses. */
#define MIN_SIZE ((size_t)64)
#define CLASSES 48
#define PAGE_SIZE ((size_t)4096)

typedef struct free_block {
	struct free_block *next;
} free_block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* Guards what follows. */
static free_block *free_blocks[CLASSES];
static unsigned char *chunk; /* The rest of the newest chunk. */
static size_t chunk_left;

/* All mappings, as far as there is room. Guarded by a lock of its own, since chunks are mapped under the other one. */
static pthread_mutex_t mapping_lock = PTHREAD_MUTEX_INITIALIZER;
static memory_copy_range mappings[MEMORY_COPY_RANGES];
static size_t mapping_count;

/* Replaces a mapping by another one; a size of 0 removes it. */
static void note_mapping(const void *before, const void *after, size_t size)
{
	size_t index = 0;

	pthread_mutex_lock(&mapping_lock);
	while (index < mapping_count && (before == NULL || mappings[index].start != (uint64_t)(uintptr_t)before))
		index++;
	if (index < mapping_count && size == 0)
		mappings[index] = mappings[--mapping_count];
	else if (size > 0 && index < MEMORY_COPY_RANGES)
		mappings[index] = (memory_copy_range){(uint64_t)(uintptr_t)after, size};
	if (size > 0 && index == mapping_count && index < MEMORY_COPY_RANGES)
		mapping_count++;
	pthread_mutex_unlock(&mapping_lock);
}

size_t own_memory_list(struct memory_copy_range *ranges, size_t capacity)
{
	size_t count;

	pthread_mutex_lock(&mapping_lock);
	count = mapping_count < capacity ? mapping_count : capacity;
	memcpy(ranges, mappings, count * sizeof(*mappings));
	pthread_mutex_unlock(&mapping_lock);
	return count;
}

void own_memory_forget(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	lock = unlocked;
	mapping_lock = unlocked;
	memset(free_blocks, 0, sizeof(free_blocks));
	chunk = NULL;
	chunk_left = 0;
}

/* The class of a size, and the size of its blocks. */
static unsigned size_class(size_t size, size_t *rounded)
{
	size_t quarter = MIN_SIZE / 4;
	unsigned number = 0;

	while (quarter * 8 <= size) {
		quarter *= 2;
		number += 4;
	}
	*rounded = quarter * 4;
	while (*rounded < size) {
		*rounded += quarter;
		number++;
	}
	return number;
}

static size_t round_to_pages(size_t size)
{
	return (size + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);
}

static void *map(size_t size)
{
	void *memory = size <= SIZE_MAX - PAGE_SIZE ? mmap(NULL, round_to_pages(size), PROT_READ | PROT_WRITE,
							   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
						    : MAP_FAILED;

	if (memory == MAP_FAILED)
		return NULL;
	note_mapping(NULL, memory, round_to_pages(size));
	return memory;
}

/* Maps a chunk, or a smaller one if the program has used up its address space. Returns its size; 0 if there is none. */
static size_t map_chunk(size_t least)
{
	size_t size = CHUNK_SIZE;
	unsigned char *mapped = map(size);

	while (mapped == NULL && size / 2 >= least && size > PAGE_SIZE) {
		size /= 2;
		mapped = map(size);
	}
	if (mapped == NULL)
		return 0;
	chunk = mapped;
	return size;
}

/* Under the lock. What is left of the previous chunk stays unused. */
static void *take_from_chunk(size_t size)
{
	unsigned char *taken;

	if (chunk_left < size) {
		const size_t mapped = map_chunk(size);

		if (mapped == 0)
			return NULL;
		chunk_left = mapped;
	}
	taken = chunk;
	chunk += size;
	chunk_left -= size;
	return taken;
}

static void *allocate(void *user, size_t size)
{
	size_t rounded;
	unsigned number;
	free_block *block;

	(void)user;
	if (size > LARGE_SIZE)
		return map(size);
	number = size_class(size, &rounded);
	pthread_mutex_lock(&lock);
	block = free_blocks[number];
	if (block != NULL)
		free_blocks[number] = block->next;
	else
		block = take_from_chunk(rounded);
	pthread_mutex_unlock(&lock);
	return block;
}

static void release(void *user, void *memory, size_t size)
{
	free_block *block = memory;
	size_t rounded;
	unsigned number;

	(void)user;
	if (memory == NULL)
		return;
	if (size > LARGE_SIZE) {
		note_mapping(memory, NULL, 0);
		munmap(memory, round_to_pages(size));
		return;
	}
	number = size_class(size, &rounded);
	pthread_mutex_lock(&lock);
	block->next = free_blocks[number];
	free_blocks[number] = block;
	pthread_mutex_unlock(&lock);
}

static void *reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	size_t old_rounded;
	size_t new_rounded;
	void *moved;

	if (memory == NULL)
		return allocate(user, new_size);
	if (old_size > LARGE_SIZE && new_size > LARGE_SIZE) {
		if (new_size > SIZE_MAX - PAGE_SIZE)
			return NULL;
		moved = mremap(memory, round_to_pages(old_size), round_to_pages(new_size), MREMAP_MAYMOVE);
		if (moved == MAP_FAILED)
			return NULL;
		note_mapping(memory, moved, round_to_pages(new_size));
		return moved;
	}
	if (old_size <= LARGE_SIZE && new_size <= LARGE_SIZE &&
	    size_class(old_size, &old_rounded) == size_class(new_size, &new_rounded))
		return memory;
	moved = allocate(user, new_size);
	if (moved == NULL)
		return NULL;
	memcpy(moved, memory, old_size < new_size ? old_size : new_size);
	release(user, memory, old_size);
	return moved;
}

const mprof_allocator own_memory = {sizeof(mprof_allocator), allocate, reallocate, release, NULL};
